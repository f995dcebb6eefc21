"""Names of the command line's options in Python: `--exclude none` is `exclude='none'`."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from vivavoce.core.errors import InputError

_MIXED: Final = "use `vivavoce --mixed VERB`"
_OPTION: Final = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")


def in_python(text: str) -> str:
    """Sentence with options written as Python arguments; commands are unchanged."""
    parts = text.replace(_MIXED, "use mixed=True").split("`")
    return "`".join(_quoted(part) if place % 2 else _plain(part) for place, part in enumerate(parts))


def _quoted(part: str) -> str:
    option, _, value = part.partition(" ")
    if not _OPTION.fullmatch(option):
        return part
    return _argument(option[2:]) + (f"={value!r}" if value else "")


def _plain(part: str) -> str:
    return _OPTION.sub(lambda match: _argument(match[1]), part)


def _argument(option: str) -> str:
    return option.replace("-", "_")


@contextmanager
def errors_in_python() -> Iterator[None]:
    """Convert errors: name arguments instead of options; for a missing package, what to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        from vivavoce.core.extras import missing

        missing_package = missing(error.name or "")
        raise missing_package or error from None
    except InputError as error:
        error.problem, error.place, error.hint = map(in_python, (error.problem, error.place, error.hint))
        error.args = (in_python(str(error)),)
        raise
