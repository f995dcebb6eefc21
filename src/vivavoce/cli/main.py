"""The command `vivavoce`: its verbs, and what happens to errors.

Exit codes: 0 done, 1 it ran and the answer is no, 2 wrong usage or input.
"""

import errno
import re
import sys
from typing import Any, Final

import typer

from vivavoce.cli import (
    analyse,
    annotate,
    bots,
    campaign,
    confidence,
    data,
    datasets,
    demo,
    erase,
    flags,
    measure,
    pairs,
    parse,
    predict,
    recordings,
    report,
    simulate,
    stress_judge,
    stress_propose,
    stress_recogniser,
    stress_review,
    stress_run,
    stress_score,
    talk,
    timing,
    trial,
    understand,
    verify,
)
from vivavoce.cli.help import Sectioned, add_examples
from vivavoce.core.errors import InputError, UnknownName

app = typer.Typer(
    result_callback=datasets.tell_warnings,
    name="vivavoce",
    cls=Sectioned,
    help="The laboratory in which chatbots and voice bots are examined by people.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: the framed one takes longer to import than all the rest
)

app.command("demo", short_help="Run a whole trial on bundled bots, SIMULATED.")(demo.demo)
app.add_typer(bots.app, name="bots")
app.command("init")(trial.init)
app.command("new", short_help="Write a package of your own for a shelf.")(trial.new)
app.command("check", short_help="Check a study file; say hello to its systems.")(trial.check)
app.command("pairs", short_help="Show and check pairs of transcripts.")(pairs.pairs)
app.command("talk", short_help="Chat with one system in the terminal.")(talk.talk)
app.command("serve", short_help="Run the trial: pages and dashboard.")(trial.serve)
app.command("desk", hidden=True)(trial.desk)
app.add_typer(simulate.app, name="simulate", short_help="Let simulated callers talk; train a bot.")

stress_app = typer.Typer(no_args_is_help=True)


@stress_app.callback()
def _stress() -> None:
    """Linguistic stress tests: propose variants of an utterance, and try them on a system."""


stress_app.command("propose", short_help="Variants of an utterance.")(stress_propose.propose)
stress_app.command("review", short_help="Put variants before people; freeze a suite.")(stress_review.review)
stress_app.command("run", short_help="Replay interactions, or a suite, on a system.")(stress_run.run)
stress_app.command("recogniser", short_help="Word error rates of recordings under damage.")(
    stress_recogniser.recogniser
)
stress_app.command("judge", short_help="A language model's verdicts, held to people's.")(stress_judge.judge)
stress_app.command("score", short_help="Results of the stress tests in a dataset.")(stress_score.score)

app.add_typer(stress_app, name="stress", short_help="Linguistic stress tests on any bot.")
app.add_typer(campaign.app, name="campaign", short_help="Evaluate systems of several teams.")
app.command("import")(data.import_)
app.command("export")(data.export)
app.command("recordings", short_help="Count, check and erase recordings.")(recordings.recordings)
app.add_typer(verify.app, name="log", short_help="Verify a log, or mend what is derived from it.")
app.command("erase", short_help="Erase a participant from the log.")(erase.erase)
app.command("flags", short_help="Show who tells the flags of system turns.")(flags.flags)
app.command("parse", short_help="Read what user turns mean; score the reading.")(parse.parse)
app.command("timing", short_help="Take turn times from recordings.")(timing.timing)
app.command("measure")(measure.measure)
app.command("confidence", short_help="Does a recogniser know when it is wrong?")(confidence.confidence)
app.command("analyse")(analyse.analyse)
app.command("power")(analyse.power)
app.add_typer(predict.app, name="predict")
app.add_typer(annotate.app, name="annotate")
app.add_typer(understand.app, name="understand", short_help="Score and compare understood commands.")
app.command("report", short_help="Write a dataset's report, HTML or PDF.")(report.report)
app.command("preregister", short_help="Write the declared analysis as text.")(report.preregister)

add_examples(app)


@app.callback(invoke_without_command=True)
def main(
    version: bool = typer.Option(False, "--version", help="Print the version and stop."),
    mixed: bool = typer.Option(
        False, "--mixed", help="Let analyses take people and simulated users together."
    ),
) -> None:
    """The laboratory in which chatbots and voice bots are examined by people."""
    datasets.allow_mixed(mixed)
    if version:
        from vivavoce.core.signature import installed_version

        typer.echo(installed_version())
        raise typer.Exit


def run() -> None:
    """Run the command line; a user's mistake is one line on stderr, never a stack trace."""
    from vivavoce.core.errors import InputError, VivavoceError

    try:
        sys.exit(app(prog_name="vivavoce", standalone_mode=False) or 0)
    except typer.TyperException as error:
        if "\n" in error.message:  # a group without a verb: its help
            sys.stderr.write(error.message + "\n")
        else:
            from vivavoce.cli.main import usage_mistake

            _say(str(usage_mistake(error)))
        sys.exit(error.exit_code)
    except typer.Abort:
        _say("stopped")
        sys.exit(1)
    except InputError as error:
        _say(str(error))
        sys.exit(2)
    except VivavoceError as error:
        _say(str(error))
        sys.exit(1)
    except ModuleNotFoundError as error:
        from vivavoce.core.extras import missing

        if (told := missing(error.name or "")) is None:
            raise
        _say(str(told))
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        if error.filename is None and error.errno != errno.ENOSPC:
            raise
        _say(_of_a_place(error))
        sys.exit(2)
    except KeyboardInterrupt:
        _say("stopped")
        sys.exit(130)


def _of_a_place(error: OSError) -> str:
    """What the system refused, where, and what to do about it."""
    if error.errno == errno.ENOSPC:
        return f"{error.filename or 'disk'}: {error.strerror}; free some space, then do it again"
    return f"{error.filename}: {error.strerror}; choose another place, one that you may read and write"


def _say(line: str) -> None:
    print(f"vivavoce: {line}", file=sys.stderr)


_CHOICE: Final = re.compile(r"(?:Value error, )?'(?P<value>.*)' is not one of (?P<known>'.*')\.", re.DOTALL)


def usage_mistake(error: typer.TyperException) -> InputError:
    """A verb, option or value that cannot be read, with its place and what may stand there."""
    context: Any = getattr(error, "ctx", None)
    command = context.command_path.split(" ", 1)[1:] if context is not None else []
    verb = " ".join(command)
    hint = f"see `{' '.join(['vivavoce', *command])} --help`"
    parameter: Any = getattr(error, "param", None)
    if parameter is None or not error.message:
        return InputError(_uncapitalised(error.format_message()), place=verb, hint=hint)
    place = parameter.get_error_hint().replace("'", "")
    if found := _CHOICE.fullmatch(error.message):
        return UnknownName("value", found["value"], re.findall("'([^']*)'", found["known"]), place=place)
    problem = _uncapitalised(error.message)
    if isinstance(error.__cause__, ValueError) and (given := _given(error.__cause__)) is not None:
        problem = f"{given!r}: {problem}"
    return InputError(problem, place=place, hint=hint)


def _given(cause: Any) -> str | None:
    """The value that was refused, where whoever refused it says so."""
    told = cause.errors() if hasattr(cause, "errors") else []
    return told[0]["input"] if told and isinstance(told[0]["input"], str) else None


def _uncapitalised(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].removesuffix(".")
