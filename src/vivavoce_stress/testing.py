"""Contract of every stress test."""

from collections.abc import Iterator, Mapping
from random import Random
from typing import ClassVar

from vivavoce_stress.backends import BACKENDS
from vivavoce_stress.base import ANY_LANGUAGE, STRESS_TESTS, LanguagePack, Operator, Utterance
from vivavoce_stress.filters import fits
from vivavoce_stress.packs import pack_of

Said = Mapping[str, tuple[str, str]]


class StressTestContract:
    """Contract of every stress test, checked on one utterance per language.

    name   of the stress test
    said   by language an utterance with a place for the substitution, and the system turn before it
    """

    name: str
    said: ClassVar[Said] = {
        "it": (
            "Vorrei un'altra pizza a Milano, per favore: qual è il prezzo di un piatto di pasta?",
            "Roma o Milano?",
        ),
        "en": (
            "I'd like another cheap pizza in Milan, please; what is the price of a plate of pasta?",
            "Rome or Milan?",
        ),
    }

    def test_it_is_found_by_its_name_and_tells_all_about_itself(self) -> None:
        test = STRESS_TESTS.get(self.name)
        assert test.name == self.name and test.title and test.source and test.keeps and test.meaning

    def test_its_operators_are_its_own(self) -> None:
        operators = STRESS_TESTS.get(self.name).operators
        assert operators and {operator.test for operator in operators} == {self.name}

    def test_an_operator_proposes_something_that_fits_and_says_why_it_might_not(self) -> None:
        proposed = 0
        for operator, language, pack in self._able():
            text, previous = self.said[language]
            utterance = Utterance(text=text, language=language, previous=previous)
            substitutions = list(operator.propose(utterance, pack, Random(1)))
            assert substitutions == list(operator.propose(utterance, pack, Random(1))), "it is not pure"
            for substitution in substitutions:
                assert fits(text, substitution.edits), f"{substitution.edits} do not fit {text!r}"
                assert 0 < substitution.confidence <= 1 and substitution.rule
            assert operator.why_not(utterance, pack), "why_not says what the utterance lacks"
            proposed += len(substitutions)
        assert proposed or not any(True for _ in self._able()), "nothing was proposed for any of `said`"

    def _able(self) -> Iterator[tuple[Operator, str, LanguagePack]]:
        """Every operator with a language of `said`, where what it needs is installed."""
        for operator in STRESS_TESTS.get(self.name).operators:
            for language in self.said:
                if operator.language in (ANY_LANGUAGE, language):
                    backends = [
                        backend.name
                        for backend in BACKENDS
                        if language in backend.hint and backend.installed(language)
                    ]
                    for pack in (pack_of(language), pack_of(language, backends)):
                        if all(map(pack.has, operator.needs)):
                            yield operator, language, pack
                            break
