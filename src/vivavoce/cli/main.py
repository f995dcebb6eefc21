"""The command `vivavoce`: its verbs, and what happens to errors.

Exit codes: 0 done, 1 it ran and the answer is no, 2 wrong usage or input.
"""

import sys

import typer

from vivavoce.cli import (
    analyse,
    bots,
    comparing,
    data,
    demo,
    measuring,
    predicting,
    reporting,
    simulating,
    talking,
    trial,
)

app = typer.Typer(
    name="vivavoce",
    help="The laboratory in which chatbots and voice bots are examined by people.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)

app.command("demo")(demo.demo)
app.add_typer(bots.app, name="bots")
app.command("init")(trial.init)
app.command("check")(trial.check)
app.command("pairs")(comparing.pairs)
app.command("talk")(talking.talk)
app.command("serve")(trial.serve)
app.command("desk", hidden=True)(trial.desk)
app.add_typer(simulating.app, name="simulate")
app.command("import")(data.import_)
app.command("export")(data.export)
app.command("measure")(measuring.measure)
app.command("analyse")(analyse.analyse)
app.command("power")(analyse.power)
app.add_typer(predicting.app, name="predict")
app.command("report")(reporting.report)
app.command("preregister")(reporting.preregister)


@app.callback(invoke_without_command=True)
def main(version: bool = typer.Option(False, "--version", help="Print the version and stop.")) -> None:
    """The laboratory in which chatbots and voice bots are examined by people."""
    if version:
        from vivavoce.core.signature import installed_version

        typer.echo(installed_version())
        raise typer.Exit


def run() -> None:
    """Run the command line; a user's mistake is one line on stderr, never a stack trace."""
    from vivavoce.core.errors import InputError, VivavoceError

    try:
        app()
    except InputError as error:
        _say(str(error))
        sys.exit(2)
    except VivavoceError as error:
        _say(str(error))
        sys.exit(1)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except KeyboardInterrupt:
        _say("stopped")
        sys.exit(130)


def _say(line: str) -> None:
    print(f"vivavoce: {line}", file=sys.stderr)
