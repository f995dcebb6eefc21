"""Every registered stress test and every operator keeps to what it declares."""

import pytest

from vivavoce_stress.base import ANY_LANGUAGE, STRESS_TESTS, StressTest, stress_tests
from vivavoce_stress.packs import pack_of
from vivavoce_stress.testing import StressTestContract

IDIAL = [one for one in stress_tests() if one.name.startswith("ST-")]
PASSIVE = {
    "en": ("one that serves Portuguese food", ""),
    "it": ("Puoi darmi l'indirizzo", ""),
}
TESTS = [name for name in vars(StressTestContract) if name.startswith("test_")]


def test_the_shelf_holds_the_eleven_of_idial_and_no_more_of_ours() -> None:
    assert [one.name for one in IDIAL] == [f"ST-{number}" for number in range(1, 12)]
    assert all(STRESS_TESTS.get(one.name) is one for one in IDIAL)


@pytest.mark.parametrize("name", [one.name for one in stress_tests()])
def test_a_stress_test_keeps_its_contract(name: str) -> None:
    contract = StressTestContract()
    contract.name = name
    contract.said = PASSIVE if name == "ST-8" else contract.said
    for test in TESTS:
        getattr(contract, test)()


@pytest.mark.parametrize("test", IDIAL, ids=lambda test: test.name)
def test_a_stress_test_tells_all_about_itself(test: StressTest) -> None:
    assert test.meaning.endswith((".", "dì")) and test.title and test.source and test.keeps
    assert (
        test.family
        == ("spelling", "lexical", "syntactic")[(int(test.name[3:]) > 4) + (int(test.name[3:]) > 7)]
    )
    assert ("voice" in test.channels) is (test.name != "ST-3")


def test_each_language_has_an_operator_for_each_test() -> None:
    for test in IDIAL:
        for language in ("it", "en"):
            mine = [one for one in test.operators if one.language in (ANY_LANGUAGE, language)]
            assert any(all(map(pack_of(language).has, one.needs)) for one in mine), (test.name, language)
