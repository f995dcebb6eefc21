"""One suite over all registered questionnaires: the contract to which packages' are held, too."""

import pytest

from vivavoce.questionnaires.instrument import INSTRUMENTS, languages_of
from vivavoce.testing.questionnaire import QuestionnaireContract

TESTS = [name for name in vars(QuestionnaireContract) if name.startswith("test_")]


@pytest.mark.parametrize("name", INSTRUMENTS.names())
def test_a_questionnaire_keeps_its_contract(name: str) -> None:
    contract = QuestionnaireContract()
    contract.name, contract.languages = name, tuple(languages_of(INSTRUMENTS.get(name)))
    assert "en" in contract.languages and "it" in contract.languages
    for test in TESTS:
        getattr(contract, test)()
