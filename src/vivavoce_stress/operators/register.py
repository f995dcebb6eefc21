"""ST-6: the same in another register or region, by the words and frames of the language file."""

import re
from collections.abc import Iterator
from random import Random

from vivavoce_stress.base import ANY_LANGUAGE, LanguagePack, Substitution, Utterance
from vivavoce_stress.words import edit, in_case_of, places_of


class RegisterWords:
    """A word or phrase by its like elsewhere; the pack mends articles that depend on sound or gender."""

    test, language, needs = "ST-6", ANY_LANGUAGE, ("register_words",)

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        text = utterance.text
        mend = pack.get("agreement") if pack.has("agreement") else None
        for entry in pack.get("register_words"):
            for start, end in places_of(entry.word, text):
                for other in entry.becomes:
                    after = in_case_of(text[start : start + 1], other)
                    edits = mend(text, start, end, after) if mend else (edit(text, start, end, after),)
                    if edits:
                        yield Substitution(tuple(edits), f"{other}: {entry.label}", entry.confidence)

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no word or way of asking in it is known to change with register or region"


class RegisterFrames:
    """A way to put a request by a more formal or more familiar one."""

    test, language, needs = "ST-6", ANY_LANGUAGE, ("frames",)

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        text = utterance.text
        for rule in pack.get("frames"):
            found = re.search(rule.pattern, text)
            if found:
                after = in_case_of(text[found.start() : found.start() + 1], found.expand(rule.becomes))
                change = edit(text, found.start(), found.end(), after)
                yield Substitution((change,), rule.name, rule.confidence)

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "no word or way of asking in it is known to change with register or region"
