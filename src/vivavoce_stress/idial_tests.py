"""The eleven stress tests of IDIAL, each with what makes its variants."""

from functools import partial
from typing import Final

from vivavoce_stress.base import StressTest
from vivavoce_stress.operators.anaphora import PointingBack
from vivavoce_stress.operators.characters import AccentsAndApostrophes, NeighbouringKey, SwappedLetters
from vivavoce_stress.operators.confused import ConfusedWords, OneLetterApart, SoundsAlike
from vivavoce_stress.operators.coreference import (
    MentionedBefore,
    NamesDescribed,
    NationsDescribed,
    PeopleMentioned,
)
from vivavoce_stress.operators.dates import DatesDescribed
from vivavoce_stress.operators.english_order import EnglishComplements, EnglishNounAdjective
from vivavoce_stress.operators.english_passive import EnglishPassive
from vivavoce_stress.operators.italian_order import ItalianComplements, ItalianNounAdjective
from vivavoce_stress.operators.italian_passive import ItalianPassive
from vivavoce_stress.operators.misspelled import KnownMisspellings, MisspelledWords
from vivavoce_stress.operators.register import EnglishOrders, ItalianRequests, RegisterFrames, RegisterWords
from vivavoce_stress.operators.synonyms import EnglishSynonyms, ItalianSynonyms
from vivavoce_stress.operators.times import (
    EnglishNounFirst,
    EnglishTimeFirst,
    ItalianPartOfDay,
    ItalianTimeFirst,
)

_NEW_WORDS: Final = ("goal", "dialogue_act")
CERTAIN: Final = 0.8  # what development utterances of ten domains showed to be right nineteen times in twenty
_test: Final = partial(StressTest, source="IDIAL (EVALITA 2018), section 4.2")

ST_1: Final = _test(
    name="ST-1",
    title="Confused words",
    family="spelling",
    meaning="Replaces a word by one easily confused with it: there and their, a fianco and affianco.",
    operators=(ConfusedWords(), OneLetterApart(), SoundsAlike()),
)

ST_2: Final = _test(
    name="ST-2",
    title="Misspelled words",
    family="spelling",
    meaning="Misspells a word into a non-word: acommodation.",
    approval="none",
    nonword=True,
    operators=(MisspelledWords(), KnownMisspellings()),
)

ST_3: Final = _test(
    name="ST-3",
    title="Character replacement",
    family="spelling",
    meaning="Drops or replaces an apostrophe or accent (dont, po, da for dà), or replaces a letter by its "
    "keyboard neighbour (prixe).",
    channels=("text",),
    approval="none",
    operators=(AccentsAndApostrophes(), NeighbouringKey()),
)

ST_4: Final = _test(
    name="ST-4",
    title="Character swapping",
    family="spelling",
    meaning="Swaps two neighbouring letters inside a word: casuamlente, therefroe.",
    approval="none",
    nonword=True,
    operators=(SwappedLetters(),),
)

ST_5: Final = _test(
    name="ST-5",
    title="Less frequent synonyms",
    family="lexical",
    certainty=CERTAIN,
    meaning="Replaces a word by a rarer synonym: habitation for home.",
    keeps=_NEW_WORDS,
    approval="choice",
    operators=(ItalianSynonyms(), EnglishSynonyms()),
)

ST_6: Final = _test(
    name="ST-6",
    title="Synonyms of a register or region",
    family="lexical",
    certainty=CERTAIN,
    meaning="Rephrases in a formal, informal or regional style.",
    keeps=_NEW_WORDS,
    approval="choice",
    operators=(RegisterWords(), RegisterFrames(), ItalianRequests(), EnglishOrders()),
)

ST_7: Final = _test(
    name="ST-7",
    title="Coreference",
    family="lexical",
    certainty=CERTAIN,
    meaning="Replaces a name by a description: the capital of Italy for Rome.",
    keeps=_NEW_WORDS,
    approval="choice",
    operators=(
        NamesDescribed(),
        DatesDescribed(),
        NationsDescribed(),
        MentionedBefore(),
        PeopleMentioned(),
    ),
)

ST_8: Final = _test(
    name="ST-8",
    title="Active and passive",
    family="syntactic",
    certainty=CERTAIN,
    meaning="Turns an active sentence into the passive.",
    operators=(ItalianPassive(), EnglishPassive()),
)

ST_9: Final = _test(
    name="ST-9",
    title="Order of nouns and adjectives",
    family="syntactic",
    certainty=CERTAIN,
    meaning="Swaps a noun and its modifier: pasta un piatto.",
    operators=(ItalianNounAdjective(), EnglishNounAdjective(), ItalianPartOfDay(), EnglishNounFirst()),
)

ST_10: Final = _test(
    name="ST-10",
    title="Anaphora",
    family="syntactic",
    certainty=CERTAIN,
    meaning="Answers a choice question by reference: the second.",
    needs=("previous_system_turn",),
    operators=(PointingBack(),),
)

ST_11: Final = _test(
    name="ST-11",
    title="Order of verbal modifiers",
    family="syntactic",
    certainty=CERTAIN,
    meaning="Swaps two complements of a verb: a ticket for tomorrow to Milan.",
    operators=(ItalianComplements(), EnglishComplements(), ItalianTimeFirst(), EnglishTimeFirst()),
)
