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
    r"(?<![0-9])([0-9]{1,2})[ ./-]{1,3}([0-9]{1,2})[ ./-]{1,3}([0-9]{4}|[0-9]{2})(?![0-9])"
)
_ISO: Final = re.compile(r"(?<![0-9])((?:19|20)[0-9]{2})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})(?![0-9])")
_SHORT_YEAR: Final = re.compile(r"(?:['’]|\bdel? |\bnel |\bof |\bin |[a-z],? )['’]?([0-9]{2})(?![0-9]|\w)")
_OTHERS: Final = {
    "en": re.compile(
        r"\b(?:s?he|(?:my|his|her) (?:wife|husband|mother|father|\w+'s))(?:'s| is| was)\b[^,.;!?]*"
        r"|\b(?:since|with you|customer)\b[^,.;!?]*",
        re.I,
    ),
    "it": re.compile(
        r"\b(?:lei|lui|(?:mia|mio) (?:moglie|marito|madre|padre|figli[oa])) (?:è|era|invece)\b[^,.;!?]*"
        r"|\b(?:da quando|cliente|da voi)\b[^,.;!?]*",
        re.I,
    ),
}
"""What is told of others, or of how long one has been there."""
_YEARS: Final = range(1900, 2027)
FULL_NAMES: Final = {
    "en": re.compile(
        r"(?<!\w)(?:i am|i'm|this is|it's|speaking is|i'm called) (?:(?:[Mm]rs?|[Mm]s|[Mm]iss|[Dd]r)\.? )?"
        r"((?:[A-Z][\w'’]+ ?){2,3})(?=[,.!?]|$| )"
    ),
    "it": re.compile(
        r"(?<!\w)(?:sono|mi chiamo|parla|qui è) (?:(?:il|la|lo) sig\w+ )?((?:[A-Z][\w'’]+ ?){2,3})"
    ),
}
ONE_NAME: Final = {
    "en": re.compile(
        r"(?<!\w)(?:i am|i'm|im|call me|my name is|my name's) (?:(?:[Mm]rs?|[Mm]s|[Mm]iss|[Dd]r)\.? )?"
        r"([A-Z][\w'’]+)(?=\s*(?:[,.!?]|$|but|and|well))"
    ),
    "it": re.compile(
        r"(?<!\w)(?:sono|mi chiamo|io sono) (?:(?:il|la|lo) sig\w+ )?"
        r"([A-Z][\w'’]+)(?=\s*(?:[,.!?]|$|ma|e|come))"
    ),
}
"""How a first name is told in a sentence."""


def in_small_letters(clause: str, turn: Heard) -> bool:
    """Whether a clause in small letters stands in a turn with capitals: what it says is no name."""
    return (
        len(turn.said) > LONGEST_NAME + 1
        and turn.text != turn.text.lower()
        and not any(word[:1].isupper() and at for at, word in enumerate(clause.split()))
        and (len(clause.split()) > 1 or clause.strip()[:1].islower())
    )


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


def birth_told(text: str, language: str, *, asked: bool, partly: str = "") -> str | None:
    """A date of birth such as `4 may 1980`, in whatever order its parts are told.

    Of what is put right the last counts, and nothing that is told of others. Two digits are a year only if
    asked.
    partly  what was told of it before
    """
    day, year = _parts(text, language, asked=asked)
    before = _parts(partly, language, asked=True) if partly else ("", "")
    day, year = day or before[0], year or before[1]
    return f"{day} {year}" if day and year else None


def birth_partly(text: str, language: str) -> str:
    """What a text tells of a date of birth: `4 may` or `1980`; nothing where it tells all or none of it."""
    day, year = _parts(text, language, asked=True)
    return "" if day and year else day or year


def _parts(text: str, language: str, *, asked: bool) -> tuple[str, str]:
    """Day and month, and the year; `` what is not told."""
    months: list[str] = read_data("bank")["months"][language]
    named = "|".join(rf"{month}|{month[:4]}\.?|{month[:3]}\.?" for month in months)
    own = _OTHERS[language].sub(" ", in_digits(text, language))
    full = [one for one in _BIRTH.finditer(own) if one[2].isdigit()]
    full = [one for one in full if 1 <= int(one[1]) <= 31 and 1 <= int(one[2]) <= len(months)]
    if full and (len(full[-1][3]) == 4 or asked):
        return f"{full[-1][1]} {int(full[-1][2])}", _year(full[-1][3])
    if iso := _ISO.search(own):
        return f"{int(iso[3])} {int(iso[2])}", iso[1]
    dates = list(
        re.finditer(
            rf"\b([0-9]{{1,2}})(?:st|nd|rd|th|°|º)?\W+(?:of |di )?\W*({named})\b"
            rf"|\b({named})\W+(?:(?:on|the|il|er|um)\W+)*([0-9]{{1,2}})(?:st|nd|rd|th)?\b",
            own,
            re.I,
        )
    )
    dates = [date for date in dates if 1 <= int(date[1] or date[4]) <= 31]
    left = re.sub(
        rf"\b(?:[0-9]{{1,2}})(?:st|nd|rd|th)?(?=\W+(?:of |di )?\W*(?:{named}))", " ", own, flags=re.I
    )
    left = re.sub(rf"(?:{named})\W+(?:the )?[0-9]{{1,2}}(?:st|nd|rd|th)\b", " ", left, flags=re.I)
    years = [one for one in re.findall(r"(?<![0-9])[0-9]{4}(?![0-9])", left) if int(one) in _YEARS]
    short = _SHORT_YEAR.findall(left) if asked and (dates or len(tokens(text)) <= LONGEST_NAME) else []
    year = years[-1] if years else _year(short[-1]) if short else ""
    day = f"{dates[-1][1] or dates[-1][4]} {_month(dates[-1][2] or dates[-1][3], months)}" if dates else ""
    return (day, year) if asked or (day and len(year) == 4) else ("", "")


def _month(written: str, months: Sequence[str]) -> str:
    return next(month for month in months if month.startswith(written.lower().rstrip(".")))


def _year(written: str) -> str:
    year = int(written)
    return str(year if year > 99 else year + (1900 if year > _YEARS[-1] % 100 else 2000))


def begun_small(text: str) -> str:
    """A text whose sentences begin in small letters, so that a capital shows a name."""
    return re.sub(r"(?:^|(?<=[.!?] ))[A-Z]", lambda one: one[0].lower(), text)
