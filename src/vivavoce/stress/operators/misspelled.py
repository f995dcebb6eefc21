"""ST-2: a word is written wrongly, as people do, and is no word any more."""

import re
from collections.abc import Iterator
from random import Random

from vivavoce.stress.base import ANY_LANGUAGE, LanguagePack, Substitution, Utterance
from vivavoce.stress.words import is_name, word_edit, words_of


class MisspelledWords:
    """Rules of the language file on one word; names are left alone."""

    test, language, needs = "ST-2", ANY_LANGUAGE, ("misspellings", "frequency")

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        rules, small = pack.get("misspellings"), set(pack.get("function_words"))
        for word in words_of(utterance.text):
            if len(word.text) < 4 or word.lower in small or is_name(utterance.text, word):
                continue
            for rule in rules:
                for found in re.finditer(rule.pattern, word.lower):
                    after = (
                        word.lower[: found.start()] + found.expand(rule.becomes) + word.lower[found.end() :]
                    )
                    change = word_edit(word, after)
                    yield Substitution((change,), rule.name, rule.confidence, ("wordfreq", "simplemma"), True)

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no word of it is one that people misspell by the rules of the language"
