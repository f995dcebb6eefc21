"""Bundled bots with a planted weakness are found out: each weakness lowers exactly its tests."""

from collections import Counter
from collections.abc import Sequence

import pytest

from unit.stress.conftest import Rows, RunCases, case
from vivavoce_stress.case import Case

MORE = {"en": ("any", "any"), "it": ("qualsiasi", "qualsiasi")}


def venue(test: str, language: str, original: str, variant: str) -> Case:
    return case(test, language, original, variant, after=MORE[language])


# fmt: off
RESTAURANT = [
    venue("ST-1", "en", "I would like a French restaurant there", "I would like a French restaurant their"),
    venue("ST-1", "it", "un pub, a fianco del parco", "un pub, affianco del parco"),
    venue("ST-2", "en", "I am looking for a cheap pub", "I am loking for a cheap pub"),
    venue("ST-2", "it", "vorrei prenotare un pub economico", "vorrei prennotare un pub economico"),
    venue("ST-3", "it", "cerco un caffè in centro", "cerco un caffe in centro"),
    case("ST-3", "it", "è indifferente", "e indifferente", before=("un ristorante",), after=MORE["it"]),
    venue("ST-3", "en", "I'm looking for a cheap pub", "Im looking for a cheap pub"),
    venue("ST-4", "en", "please find me a Chinese restaurant", "plesae find me a Chinese restaurant"),
    venue("ST-4", "it", "cortesemente, un ristorante cinese", "cortesmeente, un ristorante cinese"),
    venue("ST-5", "en", "a cheap restaurant in the centre", "an inexpensive restaurant in the centre"),
    venue("ST-5", "en", "an expensive pub", "an upmarket pub"),
    venue("ST-5", "it", "un ristorante francese in centro", "una trattoria francese in centro"),
    venue("ST-6", "en", "I would like a cheap restaurant", "I would like a cheap diner"),
    venue("ST-6", "it", "vorrei un pub in centro", "vorrei una birreria in centro"),
    venue("ST-7", "en", "a French restaurant on Rome Street", "a French restaurant on the capital street"),
    venue("ST-7", "it", "un pub in via Roma", "un pub nella via della capitale"),
    venue("ST-8", "en", "find a cheap pub in the centre", "let a cheap pub in the centre be found"),
    venue("ST-8", "it", "vorrei trovare un ristorante greco", "vorrei che fosse trovato un ristorante greco"),
    venue("ST-9", "en", "I want a Chinese restaurant", "I want a restaurant Chinese"),
    venue("ST-9", "en", "a cheap pub please", "a pub cheap please"),
    venue("ST-9", "it", "vorrei un ristorante francese", "vorrei un francese ristorante"),
    venue("ST-11", "en", "a pub in the centre for tonight", "a pub for tonight in the centre"),
    venue("ST-11", "it", "un ristorante in centro per stasera", "un ristorante per stasera in centro"),
]
# fmt: on
WHO = {"en": ("Anna", "Rossi", "4 May 1980"), "it": ("Anna", "Rossi", "4 maggio 1980")}
TWO = {"en": "my card and my account", "it": "la carta e il conto"}
BANK = [
    case("ST-10", "en", "accounts, I mean my account", "the second", before=(*WHO["en"], TWO["en"])),
    case("ST-10", "en", "the card", "the first one", before=(*WHO["en"], TWO["en"])),
    case("ST-10", "it", "il conto", "il secondo", before=(*WHO["it"], TWO["it"])),
    case("ST-2", "en", "I would like to block it", "I woud like to block it", before=WHO["en"]),
    case("ST-3", "it", "è per un prestito", "e per un prestito", before=WHO["it"]),
    case("ST-4", "it", "cortesemente, un bonifico", "cortesmeente, un bonifico", before=WHO["it"]),
    case("ST-11", "en", "a payment to my son for today", "a payment for today to my son", before=WHO["en"]),
]
RESTAURANTS = {
    "accents": ("restaurant_without_accents", {"ST-3"}),
    "synonyms": ("restaurant_without_synonyms", {"ST-5", "ST-6"}),
    "word_order": ("restaurant_in_order", {"ST-9", "ST-11"}),
}


def passes(rows: Rows) -> Counter[str]:
    """Cases passed by test; every original must have been understood."""
    assert {row["status"] for row in rows} == {"applied"}, [
        (row["original"], row["reason"]) for row in rows if row["status"] != "applied"
    ]
    return Counter(row["test"] for row in rows if row["verdict"] == "pass")


def lowered(sound: Rows, weak: Rows) -> set[str]:
    before, after = passes(sound), passes(weak)
    assert not [test for test in after if after[test] > before[test]]
    return {test for test in before if after[test] < before[test]}


@pytest.mark.parametrize("weakness", RESTAURANTS)
def test_a_weakness_of_the_restaurant_bot_lowers_exactly_its_tests(
    run_cases: RunCases, weakness: str
) -> None:
    call, tests = RESTAURANTS[weakness]
    sound = run_cases("vivavoce_bots.calling:restaurant_nbest", RESTAURANT)
    assert passes(sound).total() == len(RESTAURANT), failures(sound)
    weak = run_cases(f"scenes.weak_bots:{call}", RESTAURANT)
    assert lowered(sound, weak) == tests, failures(weak)


def test_a_bank_that_understands_no_anaphora_fails_only_that_test(run_cases: RunCases) -> None:
    sound = run_cases("vivavoce_bots.calling:callsteering", BANK)
    assert passes(sound).total() == len(BANK), failures(sound)
    weak = run_cases("scenes.weak_bots:callsteering_without_anaphora", BANK)
    assert lowered(sound, weak) == {"ST-10"}, failures(weak)
    assert {row["verdict"] for row in weak if row["test"] == "ST-10"} <= {"fail", "clarification"}


def failures(rows: Rows) -> Sequence[tuple[str, str, str]]:
    return [(row["test"], row["text"], row["reason"]) for row in rows if row["verdict"] != "pass"]
