"""What the command line could not read, in the form of all other mistakes."""

import re
from typing import Any, Final

import typer

from vivavoce.core.errors import InputError, UnknownName

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
