"""Hesitation: people do not always know at once what they want to say."""

from collections.abc import Iterator
from random import Random

from vivavoce_stress.base import Edit, LanguagePack, StressTest, Substitution, Utterance


class FilledPause:
    """A sound of hesitation before the second half of an utterance."""

    test, language, needs = "HESITATION", "en", ()

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        words = utterance.text.split(" ")
        if len(words) > 1:
            place = len(" ".join(words[: len(words) // 2]))
            yield Substitution((Edit(place, place, "", ", uhm,"),), "a filled pause", 0.9)

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return "it is one word"


HESITATION = StressTest(
    name="HESITATION",
    title="Filled pauses",
    family="lexical",
    meaning="A sound of hesitation stands inside the utterance: renew, uhm, the atlas.",
    approval="none",
    source="this package",
    operators=(FilledPause(),),
)
