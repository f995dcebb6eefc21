"""The eleven stress tests of IDIAL as registered objects; importing this fills the shelf."""

from vivavoce.stress.base import STRESS_TESTS, StressTest

_NEW_WORDS = ("goal", "dialogue_act")

ELEVEN = (
    StressTest(
        name="ST-1",
        title="Confused words",
        family="spelling",
        meaning="A word gives way to one easily taken for it: there and their, a fianco and affianco.",
    ),
    StressTest(
        name="ST-2",
        title="Misspelled words",
        family="spelling",
        meaning="A word is written wrongly as people do, and is no word any more: acommodation.",
        approval="none",
    ),
    StressTest(
        name="ST-3",
        title="Character replacement",
        family="spelling",
        meaning="An apostrophe or accent is left out or replaced: dont, po, da for dà.",
        channels=("text",),
        approval="none",
    ),
    StressTest(
        name="ST-4",
        title="Character swapping",
        family="spelling",
        meaning="Two neighbouring letters inside a word change places: casuamlente, therefroe.",
        approval="none",
    ),
    StressTest(
        name="ST-5",
        title="Less frequent synonyms",
        family="lexical",
        meaning="A word gives way to a rarer one of the same meaning: habitation for home.",
        keeps=_NEW_WORDS,
        approval="choice",
    ),
    StressTest(
        name="ST-6",
        title="Synonyms of a register or region",
        family="lexical",
        meaning="The same is said more formally, more familiarly, or as in some region.",
        keeps=_NEW_WORDS,
        approval="choice",
    ),
    StressTest(
        name="ST-7",
        title="Coreference",
        family="lexical",
        meaning="A name gives way to a description of what it names: the capital of Italy for Rome.",
        keeps=_NEW_WORDS,
        approval="choice",
    ),
    StressTest(
        name="ST-8",
        title="Active and passive alternation",
        family="syntactic",
        meaning="What was said in the active voice is said in the passive.",
    ),
    StressTest(
        name="ST-9",
        title="Inverted order of nouns and adjectives",
        family="syntactic",
        meaning="A noun and what qualifies it change places: pasta un piatto.",
    ),
    StressTest(
        name="ST-10",
        title="Anaphora resolution",
        family="syntactic",
        meaning="After a question with alternatives the answer points back: the second.",
        needs=("previous_system_turn",),
    ),
    StressTest(
        name="ST-11",
        title="Verbal modifier inversion",
        family="syntactic",
        meaning="Two complements of the verb change places: a ticket for tomorrow to Milan.",
    ),
)

for _test in ELEVEN:
    STRESS_TESTS.add(_test.name, _test)
