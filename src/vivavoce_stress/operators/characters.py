"""Slips of the keyboard.

ST-3: an apostrophe or an accent is left out or replaced; failing that, a letter by its neighbour key.
ST-4: two neighbouring letters inside a word change places.
"""

import re
import unicodedata
from collections.abc import Iterator
from random import Random
from typing import Final

from vivavoce_stress.base import ANY_LANGUAGE, LanguagePack, Substitution, Utterance
from vivavoce_stress.operators.misspelled import misspelt
from vivavoce_stress.words import edit, in_case_of, is_coded, is_name, word_edit, words_of

_APOSTROPHES: Final = "'’"
_TURNED: Final = {"à": "á", "è": "é", "é": "è", "ì": "í", "ò": "ó", "ù": "ú", "í": "ì", "ó": "ò", "ú": "ù"}


def bare(text: str) -> str:
    """The letters without accents, umlauts and tildes."""
    split = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(sign for sign in split if not unicodedata.combining(sign)))


class AccentsAndApostrophes:
    """Every accent and apostrophe of the utterance, one at a time."""

    test, language, needs = "ST-3", ANY_LANGUAGE, ()

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        text = utterance.text
        for place, sign in enumerate(text):
            if sign in _APOSTROPHES and text[place - 1 : place].isalpha():
                yield from self._apostrophe(text, place)
        for word in words_of(text):
            for place in range(word.start, word.end):
                if text[place].isalpha() and bare(text[place]) != text[place]:
                    yield from self._accent(text, place, last=place == word.end - 1)

    def _apostrophe(self, text: str, place: int) -> Iterator[Substitution]:
        yield Substitution((edit(text, place, place + 1, ""),), "apostrophe left out", 0.95)
        if text[place + 1 : place + 2].isalpha():
            yield Substitution((edit(text, place, place + 1, " "),), "space for the apostrophe", 0.85)
            yield Substitution(
                (edit(text, place, place + 1, "’" if text[place] == "'" else "'"),), "other apostrophe", 0.6
            )

    def _accent(self, text: str, place: int, *, last: bool) -> Iterator[Substitution]:
        sign = text[place]
        yield Substitution((edit(text, place, place + 1, bare(sign)),), "accent left out", 0.95)
        turned = _TURNED.get(sign.lower())
        if last and turned:
            yield Substitution(
                (edit(text, place, place + 1, bare(sign) + "'"),), "apostrophe for the accent", 0.9
            )
            yield Substitution(
                (edit(text, place, place + 1, in_case_of(sign, turned)),), "the other accent", 0.7
            )

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no word has an accent or apostrophe"


class NeighbouringKey:
    """A letter inside a word by one that lies beside it on the keyboard; trusted less than the accents."""

    test, language, needs = "ST-3", ANY_LANGUAGE, ("keyboard",)

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        beside, small = _neighbours(pack.get("keyboard")), set(pack.get("function_words"))
        for word in words_of(utterance.text):
            if len(word.text) < 5 or word.lower in small or is_coded(utterance.text, word):
                continue
            confidence = 0.4 if is_name(utterance.text, word) else 0.5
            inner = [place for place in range(1, len(word.text) - 1) if word.lower[place] in beside]
            if not inner:
                continue
            place = rng.choice(inner)
            key, letters = rng.choice(beside[word.lower[place]]), word.lower
            if letters[:place] + key + letters[place + 1 :] in misspelt(letters, pack):
                continue  # canpo is how people misspell campo, which is another test's
            after = in_case_of(word.text[place], key)
            change = edit(utterance.text, word.start + place, word.start + place + 1, after)
            yield Substitution((change,), "neighbouring key", confidence, nonword=True)

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no word has five letters or more"


def _neighbours(rows: list[str]) -> dict[str, list[str]]:
    """The keys to the left and right of each; rows are shifted, so other rows are further away."""
    beside: dict[str, list[str]] = {}
    for row in rows:
        for place, key in enumerate(row):
            beside[key] = [row[near] for near in (place - 1, place + 1) if 0 <= near < len(row)]
    return {key: near for key, near in beside.items() if re.fullmatch(r"\w", key) and near}


_SEEN = 1.5  # written so often, it may be a word that no dictionary has: causalmente


class SwappedLetters:
    """Every pair of different inner letters, in an order that the seed decides; the outer letters stay."""

    test, language, needs = "ST-4", ANY_LANGUAGE, ("function_words",)

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        small = set(pack.get("function_words"))
        frequency = pack.get("frequency") if pack.has("frequency") else None
        substitutions: list[Substitution] = []
        for word in words_of(utterance.text):
            if len(word.text) < 4 or word.lower in small:
                continue
            confidence = 0.5 if is_name(utterance.text, word) else 0.95 if len(word.text) > 5 else 0.85
            letters, wrong = word.lower, misspelt(word.lower, pack)
            for place in range(1, len(letters) - 2):
                letter, following = letters[place], letters[place + 1]
                after = letters[:place] + following + letter + letters[place + 2 :]
                if (
                    letter != following
                    and after not in wrong
                    and not (frequency and frequency.zipf(after) >= _SEEN)
                ):
                    rule = f"{letter} and {following} swapped"
                    substitutions.append(
                        Substitution((word_edit(word, after),), rule, confidence, nonword=True)
                    )
        rng.shuffle(substitutions)
        yield from substitutions

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no word has two different inner letters"
