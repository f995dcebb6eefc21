"""Every registered stress test and every operator keeps to what it declares."""

from random import Random

import pytest

from vivavoce.stress.backends import BACKENDS
from vivavoce.stress.base import ANY_LANGUAGE, STRESS_TESTS, StressTest, Utterance, stress_tests
from vivavoce.stress.filters import fits
from vivavoce.stress.packs import pack_of

IDIAL = [one for one in stress_tests() if one.name.startswith("ST-")]
OPERATORS = [operator for test in stress_tests() for operator in test.operators]
SAID = {
    "it": (
        "Vorrei un'altra pizza a Milano, per favore: qual è il prezzo di un piatto di pasta?",
        "Roma o Milano?",
    ),
    "en": (
        "I'd like another cheap pizza in Milan, please; what is the price of a plate of pasta?",
        "Rome or Milan?",
    ),
}


def test_the_shelf_holds_the_eleven_of_idial_and_no_more_of_ours() -> None:
    assert [one.name for one in IDIAL] == [f"ST-{number}" for number in range(1, 12)]
    assert all(STRESS_TESTS.get(one.name) is one for one in IDIAL)


@pytest.mark.parametrize("test", stress_tests(), ids=lambda test: test.name)
def test_the_operators_of_a_test_are_its_own(test: StressTest) -> None:
    assert test.operators and {one.test for one in test.operators} == {test.name}


@pytest.mark.parametrize("test", IDIAL, ids=lambda test: test.name)
def test_a_stress_test_tells_all_about_itself(test: StressTest) -> None:
    assert test.meaning.endswith((".", "dì")) and test.title and test.source and test.keeps
    assert (
        test.family
        == ("spelling", "lexical", "syntactic")[(int(test.name[3:]) > 4) + (int(test.name[3:]) > 7)]
    )
    assert ("voice" in test.channels) is (test.name != "ST-3")


@pytest.mark.parametrize("language", ["it", "en"])
@pytest.mark.parametrize("test", [one.name for one in IDIAL])
def test_each_language_has_an_operator_for_each_test(test: str, language: str) -> None:
    operators = STRESS_TESTS.get(test).operators
    mine = [one for one in operators if one.language in (ANY_LANGUAGE, language)]
    assert any(all(map(pack_of(language).has, one.needs)) for one in mine)


@pytest.mark.parametrize("language", ["it", "en"])
@pytest.mark.parametrize("operator", OPERATORS, ids=lambda one: type(one).__name__)
def test_an_operator_is_pure_and_its_edits_fit(operator, language: str) -> None:
    if operator.language not in (ANY_LANGUAGE, language):
        return
    named = [one.name for one in BACKENDS if language in one.hint and one.installed(language)]
    pack = pack_of(language)
    if not all(map(pack.has, operator.needs)):
        pack = pack_of(language, named)
    if not all(map(pack.has, operator.needs)):
        pytest.skip("; ".join(pack.lacks(need) for need in operator.needs if not pack.has(need)))
    text, previous = SAID[language]
    utterance = Utterance(text=text, language=language, previous=previous)
    found = list(operator.propose(utterance, pack, Random(1)))
    assert found == list(operator.propose(utterance, pack, Random(1)))
    assert all(fits(text, one.edits) and 0 < one.confidence <= 1 and one.rule for one in found)
    assert operator.why_not(utterance, pack)
