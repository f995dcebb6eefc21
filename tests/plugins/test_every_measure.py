"""One suite over all registered measures: the contract that packages' measures are held to, too."""

import pytest

from vivavoce.measures import MEASURES
from vivavoce.testing.measure import MeasureContract

NAMES = MEASURES.names()
COUNTS = ("turns", "system_turns", "user_turns")
TESTS = [name for name in vars(MeasureContract) if name.startswith("test_")]


def test_there_are_at_least_sixty_interaction_parameters_with_a_published_symbol() -> None:
    assert len({measure.symbol for _, measure in MEASURES if measure.symbol}) >= 60


@pytest.mark.parametrize("name", NAMES)
def test_a_measure_keeps_its_contract(name: str) -> None:
    contract = MeasureContract()
    contract.measure, contract.zero_alone = MEASURES.get(name), name in COUNTS
    for test in TESTS:
        getattr(contract, test)()
