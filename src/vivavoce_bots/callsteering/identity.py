"""Who calls: the names and dates of birth that callers tell."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.speech import read_data
from vivavoce_bots.dialogue.spotting import tokens

LONGEST_NAME: Final = 3

_BIRTH: Final = re.compile(
    r"(?<![0-9])([0-9]{1,2})\D{1,14}?([0-9]{1,2}|[^\W\d_]{3,10})\D{1,6}([0-9]{4}|[0-9]{2})(?![0-9])"
)
_YEARS: Final = range(1900, 2027)
FULL_NAMES: Final = {
    "en": re.compile(
        r"(?<!\w)(?:i am|i'm|this is|it's|speaking is|i'm called) ((?:[A-Z][\w'’]+ ?){2,3})(?=[,.!?]|$| )"
    ),
    "it": re.compile(
        r"(?<!\w)(?:sono|mi chiamo|parla|qui è) (?:(?:il|la|lo) sig\w+ )?((?:[A-Z][\w'’]+ ?){2,3})"
    ),
}


def in_small_letters(clause: str, turn: Heard) -> bool:
    """Whether a clause in small letters stands in a turn with capitals: what it says is no name."""
    return len(turn.said) > LONGEST_NAME + 1 and turn.text != turn.text.lower() and not any(
        word[:1].isupper() and at for at, word in enumerate(clause.split())
    ) and (len(clause.split()) > 1 or clause.strip()[:1].islower())  # fmt: skip


def capital(words: Sequence[str]) -> str:
    return re.sub(r"(['’]) ", r"\1", " ".join(words)).title()


def is_name(word: str) -> bool:
    return len(word) > 1 and word.rstrip("'’").isalpha()


@cache
def strange_words(language: str) -> frozenset[str]:
    return frozenset(word for one in read_data("bank")["strange"][language] for word in tokens(one))


@cache
def aside_words(language: str) -> frozenset[str]:
    return frozenset(word for one in read_data("bank")["aside"][language] for word in tokens(one))


def birth_told(text: str, language: str, *, asked: bool) -> str | None:
    """A date of birth such as `4 may 1980`; the month by name may stand first, and two digits do if asked."""
    months = read_data("bank")["months"][language]
    named = "|".join(months)
    text = in_digits(text, language)
    text = re.sub(rf"\b({named})\W+(?:the )?([0-9]{{1,2}})(?:st|nd|rd|th)?\b", r"\2 \1", text, flags=re.I)
    text = re.sub(
        rf"\b([0-9]{{4}})\W+(?:il |on |the )*([0-9]{{1,2}})\W+(?:di |of )?({named})\b",
        r"\2 \3 \1",
        text,
        flags=re.I,
    )
    found = _BIRTH.search(text)
    if found is None or not 1 <= int(found[1]) <= 31 or (len(found[3]) == 2 and not asked):
        return None
    month, year = found[2].lower(), int(found[3])
    year += (1900 if year > _YEARS[-1] % 100 else 2000) if len(found[3]) == 2 else 0
    known = 1 <= int(month) <= len(months) if month.isdigit() else month in months
    return f"{found[1]} {month} {year}" if known and year in _YEARS else None


def begun_small(text: str) -> str:
    """A text whose sentences begin in small letters, so that a capital shows a name."""
    return re.sub(r"(?:^|(?<=[.!?] ))[A-Z]", lambda one: one[0].lower(), text)
