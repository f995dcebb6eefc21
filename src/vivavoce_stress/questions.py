"""Questions of a system: whether two are alike, and whether the user ever gave what one asks for.

By their words alone. What a question asks for is read by the `replies.yaml` of its language.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from vivavoce.languages.data import ReplyWords
from vivavoce_stress.evidence import sentences_of
from vivavoce_stress.heuristics import dates, names, numbers, plain

_LONG: Final = 4  # letters of a word that tells what is asked


def questions_in(text: str) -> list[str]:
    """The questions of a system turn, in order, in plain words."""
    return [plain(sentence) for sentence in sentences_of(text) if sentence.endswith("?")]


def alike(one: str, other: str) -> bool:
    """True if two questions are alike: they share half of the content words of the shorter one."""
    if one == other:
        return True
    mine, theirs = content(one), content(other)
    return bool(mine and theirs) and 2 * len(mine & theirs) >= min(len(mine), len(theirs))


def content(question: str) -> set[str]:
    """The words that tell what a question asks."""
    return {word for word in question.split() if len(word) >= _LONG}


def asked_for(question: str, language: str) -> set[str]:
    """The kinds of what a question asks for: when, how_many, who. Empty  none that is known: set()"""
    return {kind for kind, forms in _forms(language)[0].items() if _found(forms, question)}


def tells(kind: str, text: str, language: str) -> bool:
    """True if a text contains a kind: its words, a number, a day, or a name in capitals."""
    tongue = language.split("-")[0]
    if _found(_forms(language)[1].get(kind, ()), text) or numbers(text, tongue):
        return True
    return bool(names(text)) if kind == "who" else bool(dates(text, tongue))


def _found(forms: Sequence[re.Pattern[str]], text: str) -> bool:
    return any(form.search(text.replace("’", "'")) for form in forms)


@lru_cache
def _forms(language: str) -> tuple[dict[str, list[re.Pattern[str]]], dict[str, list[re.Pattern[str]]]]:
    """By kind, what asks for it, and what tells it."""
    words = ReplyWords.of(language)
    asks, told_by = (words.asks_for, words.told_by) if words else ({}, {})
    patterns = (
        {kind: [re.compile(form, re.IGNORECASE) for form in forms] for kind, forms in kinds.items()}
        for kinds in (asks, told_by)
    )
    first, second = patterns
    return first, second
