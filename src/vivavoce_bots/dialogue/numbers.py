"""Numbers that are said in words: `twelve`, `two hundred`, `ventidue`, `nineteen seventy`, `the fifth`."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from vivavoce_bots.dialogue.speech import speech
from vivavoce_bots.dialogue.spotting import LONGEST_TEXT

_WORD: Final = re.compile(r"[^\W\d_]+")
_MOST: Final = 100
_DIGITS: Final = re.compile(r"(?<![0-9])[0-9]{1,6}(?![0-9])")


def in_digits(text: str, language: str, *, ordinals: bool = True) -> str:
    """A text with its numbers in digits; `one` and `un`, which are more than numbers, stay words."""
    known, others = _numbers(language), _homographs(language)
    text = text[:LONGEST_TEXT]
    verbs = [one.span() for one in others.finditer(text)] if others else []
    found: list[tuple[int, int, int, bool]] = []
    for word in _WORD.finditer(text[:LONGEST_TEXT]):
        value, ordinal = known.get(word[0].casefold(), (0, False))
        if not value or any(a <= word.start() < b for a, b in verbs) or (ordinal and not ordinals):
            continue
        last = found[-1] if found else None
        joins = last is not None and not last[3] and _JOINS[language].fullmatch(text, last[1], word.start())
        if last is not None and joins and (together := _together(last[2], value)) is not None:
            found[-1] = (last[0], word.end(), together, ordinal)
        else:
            found.append((word.start(), word.end(), value, ordinal))
    for start, end, value, _ in reversed(found[:_MOST]):
        text = f"{text[:start]}{value}{text[end:]}"
    return text


_JOINS: Final = {"en": re.compile(r"[ -]|[ ,]+and ", re.I), "it": re.compile(r" | e ", re.I)}


def _together(before: int, after: int) -> int | None:
    """Two numbers that are said as one: 20 5, 2 100, 19 70; None where they are two."""
    hundreds = before % 1_000
    if after == 100 and 0 < hundreds < 10:
        return before - hundreds + 100 * hundreds
    if after == 1_000 and before < 1_000:
        return 1_000 * before
    free = next((size for size in (1_000, 100, 10) if before % size == 0), 1)
    if after < free and (free > 10 or before % 100 >= 20):
        return before + after
    return before * 100 + after if 10 < before <= 20 and 10 <= after < 100 else None


@cache
def _homographs(language: str) -> re.Pattern[str] | None:
    """Words that are numbers and mean something else here: `sei stupido`."""
    forms = speech(language).numbers["homographs"]
    return re.compile("|".join(rf"\b(?:{form})" for form in forms), re.I) if forms else None


@cache
def _numbers(language: str) -> Mapping[str, tuple[int, bool]]:
    """By word, a number and whether it is an ordinal."""
    words: Mapping[str, Any] = speech(language).numbers
    known = {str(word): (int(value), False) for value, word in words["cardinals"].items()}
    if language == "it":
        known |= _compounds(known)
    return known | {str(word): (at, True) for at, word in enumerate(words["ordinals"], 1)}


def _compounds(known: Mapping[str, tuple[int, bool]]) -> dict[str, tuple[int, bool]]:
    """Italian numbers below ten thousand, which are one word: `millenovecentoquaranta`."""
    by = {value: word for word, (value, _) in known.items()} | {1: "uno"}
    said = {value: by[value] for value in range(1, 20)}
    for value in range(20, 100):
        tens, ones = by[value // 10 * 10], value % 10
        stem = tens[:-1] if ones in (1, 8) else tens
        said[value] = stem + (said[ones] if ones else "")
    for value in range(100, 10_000):
        hundreds, rest = divmod(value, 100) if value < 1_000 else divmod(value, 1_000)
        unit = "cento" if value < 1_000 else "mille" if hundreds == 1 else "mila"
        said[value] = ("" if hundreds == 1 else said[hundreds]) + unit + (said[rest] if rest else "")
    return {word: (value, False) for value, word in said.items() if value > 1}
