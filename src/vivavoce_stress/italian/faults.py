"""Errors in adjacent Italian words: two articles, words that do not agree."""

import re
from itertools import pairwise
from typing import Final

from vivavoce_stress.italian.analysis import Token, analyse
from vivavoce_stress.italian.inflection import definite, indefinite
from vivavoce_stress.italian.morphology import RULES, Morphology

_ARTICLE: Final = r"(?:il|lo|la|i|gli|le|un|uno|una|l['’]|un['’])"
_LEADS: Final = (
    r"(?:(?:de|a|da|ne|su)(?:l|llo|lla|i|gli|lle)|di|a|da|in|su|il|lo|i|gli|le|un|uno|una|due|tre)"
)
_MEET: Final = re.compile(
    rf"\b{_LEADS}\s+{_ARTICLE}(?:\s|(?<=['’]))|\b(?:dov|com|cos|c|qual\s)['’]?(?:è|erano?)\s+(?:è|sono)\b",
    re.IGNORECASE,
)
_BY_END: Final = {"iche": ("f", "p"), "ici": ("m", "p"), "ica": ("f", "s"), "ico": ("m", "s")}
_AGREEING: Final = ("det", "prepdet")


def faults(text: str, words: Morphology = RULES) -> frozenset[str]:
    """Runs of words that cannot stand so, in small letters; empty where nothing is known to be wrong.

    A fault is told only where every reading of the words is one: who does not know a word objects to none.
    """
    pairs = {
        match.group().lower().strip() for match in _MEET.finditer(text) if not _indefinite(match.group())
    }
    tokens = analyse(text, words)
    for token, following in pairwise(tokens):
        if text[token.end : following.start].strip():
            continue
        if token.part in _AGREEING:
            wrong = _parted(token, following, words)
        elif (token.part, following.part) == ("noun", "adj"):
            wrong = not _fit(token, following, words)
        else:
            wrong = (token.part, following.part) == ("adj", "noun") and not _fit(following, token, words)
        if wrong:
            pairs.add(f"{token.lower} {following.lower}")
    return frozenset(pairs)


def _indefinite(run: str) -> bool:
    """di una, a un, da uno: a plain preposition before an indefinite article is no fault."""
    return bool(re.match(r"(?:di|a|da|in|su)\s+un", run.lower()))


def _parted(determiner: Token, noun: Token, words: Morphology) -> bool:
    """True if a determiner does not agree with the noun right after it: le elettricità, il edificio."""
    if noun.part != "noun":
        return False
    readings = _readings(noun, words)
    fits = [
        (gender, number)
        for _, gender, number in readings
        if determiner.gender in ("", gender or determiner.gender)
        and determiner.number in ("", number or determiner.number)
    ]
    if readings and not fits:
        return True
    article, many = determiner.lower, determiner.number or "s"
    expected = {definite(gender or "m", number or many, noun.lower) for gender, number in fits}
    expected |= {definite("f", number or many, noun.lower) for gender, number in fits if not gender}
    if fits and article in ("il", "lo", "la", "i", "gli", "le"):
        return article not in expected
    single = {indefinite(gender, noun.lower) for kind, _ in fits for gender in (kind or "mf")}
    return bool(fits) and article in ("un", "uno", "una") and article not in single


def _fit(noun: Token, quality: Token, words: Morphology) -> bool:
    """True if some reading of a noun agrees with some reading of its adjective."""
    nouns, qualities = _readings(noun, words), words.adjectives(quality.lower)
    qualities = qualities or tuple(
        (end, *reading) for end, reading in _BY_END.items() if quality.lower.endswith(end)
    )
    if not nouns or not qualities:
        return True
    return any(
        (not gender or not theirs or gender == theirs) and (not number or not many or number == many)
        for _, gender, number in nouns
        for _, theirs, many in qualities
    )


def _readings(noun: Token, words: Morphology) -> list[tuple[str, str, str]]:
    """Readings of a noun; a final consonant or accent means the same form in the plural."""
    alike = noun.lower[-1] not in "aeio"
    return [(lemma, gender, "" if alike else number) for lemma, gender, number in words.nouns(noun.lower)]
