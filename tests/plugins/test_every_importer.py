"""One suite over all registered importers: the contract to which packages' are held, too.

A new one of ours adds to `unit.importers.samples` a small log of its format, or this suite fails.
"""

from pathlib import Path

import pytest

from unit.importers.samples import SAMPLES, mapping_of
from vivavoce.importers.base import IMPORTERS
from vivavoce.testing.importer import ImporterContract

TESTS = [name for name in vars(ImporterContract) if name.startswith("test_")]


def test_every_importer_has_a_sample() -> None:
    assert IMPORTERS.names() == sorted(SAMPLES)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_an_importer_keeps_its_contract(name: str, test: str, tmp_path: Path) -> None:
    contract = ImporterContract()
    contract.format = name
    contract.calls, write = SAMPLES[name]
    contract.sample = write(tmp_path)
    contract.mapping = mapping_of(tmp_path)
    getattr(contract, test)()
