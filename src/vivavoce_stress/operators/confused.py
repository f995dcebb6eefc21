"""ST-1: a word gives way to one that is easily taken for it."""

import re
from collections.abc import Iterator
from functools import lru_cache
from random import Random

from vivavoce_stress.base import ANY_LANGUAGE, LanguagePack, Substitution, Utterance
from vivavoce_stress.words import edit, in_case_of, is_name, places_of, starts_sentence, words_of

_COMMON_ENOUGH = 3.3


class ConfusedWords:
    """Rows of words that are taken for each other, from the language file.

    Words of one or two letters are trusted less: `e` for `è` is a slip of the accent as often as a confusion.
    """

    test, language, needs = "ST-1", ANY_LANGUAGE, ("confusions",)

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        text = utterance.text
        known_rows = pack.get("confusions")
        rows = [
            (word, confused, 0.9)
            for row in known_rows
            for word in row
            for confused in row
            if word != confused
        ]
        one_way = pack.get("taken_for") if pack.has("taken_for") else {}
        rows += [(word, confusion, 0.65) for word, confusions in one_way.items() for confusion in confusions]
        for word, replacement, trust in rows:
            for start, end in places_of(word, text):
                capitalized = text[start].isupper() and not starts_sentence(text, start)
                if capitalized and not word.startswith("I'"):
                    continue
                confidence = 0.75 if len(word) <= 2 else trust
                change = edit(text, start, end, in_case_of(text[start:end], replacement))
                yield Substitution((change,), f"{word} taken for {replacement}", confidence)

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no word is in the list of confused words"


class OneLetterApart:
    """Words that one letter turns into another word that people know: note and notte."""

    test, language, needs = "ST-1", ANY_LANGUAGE, ("one_letter", "frequency")

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        rules, frequency = pack.get("one_letter"), pack.get("frequency")
        small = set(pack.get("function_words"))
        for word in words_of(utterance.text):
            if len(word.text) < 4 or word.lower in small or is_name(utterance.text, word):
                continue
            for rule in rules:
                for match in re.finditer(rule.pattern, word.lower):
                    changed = (
                        word.lower[: match.start()] + match.expand(rule.becomes) + word.lower[match.end() :]
                    )
                    if frequency.in_dictionary(changed) and frequency.zipf(changed) >= _COMMON_ENOUGH:
                        after = in_case_of(word.text, changed)
                        change = edit(utterance.text, word.start, word.end, after)
                        yield Substitution((change,), rule.name, rule.confidence, ("simplemma", "wordfreq"))

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no word is one letter away from another common word"


class SoundsAlike:
    """Words that are spoken alike, by a speech synthesiser's phonemes; an optional extra."""

    test, language, needs = "ST-1", ANY_LANGUAGE, ("phonemes", "frequency")

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        alike = lru_cache(maxsize=4096)(pack.get("phonemes").alike)
        small = set(pack.get("function_words"))
        for word in words_of(utterance.text):
            if len(word.text) < 3 or word.lower in small or is_name(utterance.text, word):
                continue
            for homophone in alike(word.lower):
                change = edit(utterance.text, word.start, word.end, in_case_of(word.text, homophone))
                yield Substitution(
                    (change,), f"{homophone} is spoken alike", 0.8, ("espeakng-loader", "wordfreq")
                )

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no word has a homophone"
