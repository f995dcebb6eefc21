"""The command `vivavoce`: its verbs and its error handling.

Exit codes: 0 success, 1 completed with a negative result, 2 wrong usage or input.
"""

import errno
import re
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Final

import typer

from vivavoce.cli import arguments
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.core.verb import Stopped, Verbs

app = typer.Typer(
    result_callback=arguments.tell_warnings,
    name="vivavoce",
    cls=Verbs,
    help="A laboratory to evaluate chatbots and voice bots with people.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def main(
    version: bool = typer.Option(False, "--version", help="Print the version and exit."),
    mixed: bool = typer.Option(False, "--mixed", help="Analyse people and simulated users together."),
) -> None:
    """A laboratory to evaluate chatbots and voice bots with people."""
    arguments.allow_mixed(mixed)
    study = Path("study.yaml")
    if study.is_file() and b"\nextensions:" in b"\n" + study.read_bytes():
        from vivavoce.study.load import read_extensions

        read_extensions(study)
    if version:
        from vivavoce.core.result import installed_version

        typer.echo(installed_version())
        raise typer.Exit


def run() -> None:
    """Run the command line. A user's mistake is one line on stderr, without a stack trace."""
    from vivavoce.core.errors import InputError, VivavoceError

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # who reads along in a file or a pipe waits for nothing
            stream.reconfigure(line_buffering=True)
    try:
        sys.exit(app(prog_name="vivavoce", standalone_mode=False) or 0)
    except typer.TyperException as error:
        if "\n" in error.message:  # a group without a verb: its help
            sys.stderr.write(error.message + "\n")
        else:
            _say(str(usage_mistake(error)))
        sys.exit(error.exit_code)
    except Stopped as error:
        _say(f"stopped. {error}")
        sys.exit(130)
    except typer.Abort as error:
        _say("stopped")
        sys.exit(130 if isinstance(error.__cause__, KeyboardInterrupt) else 1)
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
    """Message for an operating system error: place, problem and next step."""
    if error.errno == errno.ENOSPC:
        return f"{error.filename or 'disk'}: {error.strerror}; free some space, then try again"
    return f"{error.filename}: {error.strerror}; choose a place that you can read and write"


def _say(line: str) -> None:
    from vivavoce.cli.arguments import note

    note(f"vivavoce: {line}")


_CHOICE: Final = re.compile(r"(?:Value error, )?'(?P<value>.*)' is not one of (?P<known>'.*')\.", re.DOTALL)


def usage_mistake(error: typer.TyperException) -> InputError:
    """Message for an unreadable verb, option or value: its place and the known values."""
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
    """The rejected value, if the error names it."""
    told = cause.errors() if hasattr(cause, "errors") else []
    return told[0]["input"] if told and isinstance(told[0]["input"], str) else None


def _uncapitalised(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].removesuffix(".")
