"""Regular expressions from files, with a time limit for each search."""

from typing import Annotated, Any, AnyStr, Final

import regex
from pydantic import AfterValidator
from regex import Match as Match

from vivavoce.core.errors import InputError
from vivavoce.core.validation import mistake

LIMIT_S: Final = 0.5


class SlowPattern(InputError):
    """A pattern exceeded the time limit of a search."""


def check_pattern(pattern: str) -> str:
    """Validate a regular expression.

    Raises  PydanticCustomError: it is invalid
    """
    try:
        regex.compile(pattern)
    except regex.error as error:
        raise mistake(
            f"{pattern!r} is not a regular expression ({error})", "see the re module of Python"
        ) from None
    return pattern


Pattern = Annotated[str, AfterValidator(check_pattern)]


def search(pattern: AnyStr, text: AnyStr, *, ignore_case: bool = False) -> "Match[AnyStr] | None":
    """First match of a pattern in a text, or None.

    Raises  SlowPattern: the search takes longer than LIMIT_S
    """
    flags = regex.IGNORECASE if ignore_case else 0
    try:
        search_within: Any = regex.search  # its types know no common pattern of text and bytes
        return search_within(pattern, text, flags, timeout=LIMIT_S)
    except TimeoutError:
        raise SlowPattern(
            f"the pattern {pattern!r} takes more than {LIMIT_S} s on a text of {len(text)} characters",
            hint="avoid repetitions inside repetitions, such as (a+)+",
        ) from None
