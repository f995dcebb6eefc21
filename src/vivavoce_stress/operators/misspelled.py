"""ST-2: a word is written wrongly, as people do, and is no word any more."""

import re
from collections.abc import Iterator
from random import Random
from typing import Final

from vivavoce_stress.base import ANY_LANGUAGE, LanguagePack, Substitution, Utterance
from vivavoce_stress.known_misspellings import PACKAGE
from vivavoce_stress.words import is_name, word_edit, words_of

_SHORTEST: Final = 4
_COMMONEST: Final = 3.0


def misspelt(word: str, pack: LanguagePack) -> set[str]:
    """Misspellings of a word by the language's rules and the list; tests of slips leave them out.

    Input   a word in small letters
    Empty   by neither, or neither is known: the empty set
    """
    rules = pack.get("misspellings") if pack.has("misspellings") else ()
    listed = pack.get("known_misspellings").get(word, ()) if pack.has("known_misspellings") else ()
    by_rules = (
        word[: at.start()] + at.expand(rule.becomes) + word[at.end() :]
        for rule in rules
        for at in re.finditer(rule.pattern, word)
    )
    return {*by_rules, *listed}


class MisspelledWords:
    """Rules of the language file on one word; names are left alone."""

    test, language, needs = "ST-2", ANY_LANGUAGE, ("misspellings", "frequency")

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        rules, small = pack.get("misspellings"), set(pack.get("function_words"))
        for word in words_of(utterance.text):
            if len(word.text) < _SHORTEST or word.lower in small or is_name(utterance.text, word):
                continue
            for rule in rules:
                for match in re.finditer(rule.pattern, word.lower):
                    after = (
                        word.lower[: match.start()] + match.expand(rule.becomes) + word.lower[match.end() :]
                    )
                    change = word_edit(word, after)
                    yield Substitution((change,), rule.name, rule.confidence, ("wordfreq", "simplemma"), True)

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no word has a misspelling that follows the rules of the language"


class KnownMisspellings:
    """Misspellings that people really made, the commonest most trusted; an optional list."""

    test, language, needs = "ST-2", ANY_LANGUAGE, ("known_misspellings", "frequency")

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        misspellings, small = pack.get("known_misspellings"), set(pack.get("function_words"))
        zipf = pack.get("frequency").zipf
        for word in words_of(utterance.text):
            if len(word.text) < _SHORTEST or word.lower in small or is_name(utterance.text, word):
                continue
            for wrong in misspellings.get(word.lower, ()):
                likely = _skeleton(wrong) == _skeleton(word.lower)
                trust = (0.9 if likely else 0.65) + 0.02 * min(zipf(wrong), _COMMONEST)
                yield Substitution((word_edit(word, wrong),), "a known misspelling", trust, (PACKAGE,), True)

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no word has a known misspelling"


def _skeleton(word: str) -> str:
    """Its consonants, doubled ones once: what people keep who misspell, and slips of the finger do not."""
    return re.sub(r"(.)\1+", r"\1", re.sub("[aeiouy]", "", word).replace("ck", "k"))
