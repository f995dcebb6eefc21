"""Text made comparable: words for counting and error rates, values for matching."""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

_SPACE = re.compile(r"\s+")
_EDGE = re.compile(r"^[^\w]+|[^\w]+$")


def words(text: str | None) -> list[str]:
    """Whitespace tokens in lower case; the unit of word counts and of WER. None and "" give []."""
    return text.lower().split() if text else []


@lru_cache(maxsize=50_000)
def normalise_value(value: str | None) -> str:
    """A slot value made comparable: NFKC, casefold, single spaces, no punctuation at the edges.

    Equality of normalised values is the only match: never a substring test.
    """
    if value is None:
        return ""
    folded = unicodedata.normalize("NFKC", value).casefold()
    return _EDGE.sub("", _SPACE.sub(" ", folded)).strip()


def spoken_words(text: str | None) -> list[str]:
    """The words of a text as far as they can be heard: no capitals, no punctuation at their edges."""
    return [word for token in words(text) if (word := normalise_value(token))]


def well_formed(value: Any) -> Any:
    """Text that can be written down as UTF-8, also inside of lists and mappings; anything else as it is.

    Halves of a character (surrogates), as programs leave them that cut or stream text by UTF-16 units, are
    joined where both are there; a half that is left alone becomes U+FFFD.
    """
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, Mapping):
        return {well_formed(name): well_formed(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [well_formed(item) for item in value]
    return value


def bare(value: str | None) -> str:
    """Letters and digits only, casefolded: for codes such as postcodes and telephone numbers."""
    return "".join(ch for ch in normalise_value(value) if ch.isalnum())


def is_same_value(held: str, told: str, match: str = "exact") -> bool:
    """Compare a reported value with the stored one.

    match  exact: equal after normalisation; code: equal letters and digits, in any grouping; prefix: a
       code whose end may be missing
    """
    if match == "exact":
        return normalise_value(held) == normalise_value(told)
    bare_held, bare_told = bare(held), bare(told)
    return bool(bare_told) and (
        bare_held.startswith(bare_told) if match == "prefix" else bare_held == bare_told
    )
