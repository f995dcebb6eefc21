"""One suite over all registered importers: the contract to which packages' are held, too.

A new one of ours adds to SAMPLES a small log of its format, or this suite fails.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from unit.importers.conftest import a_call, write_files
from unit.importers.test_marco import judged, written
from unit.importers.test_mechanical_turk import FIRST, results
from unit.importers.test_star import DIALOGUE
from vivavoce.importers.shelf import IMPORTERS
from vivavoce.testing.importer import ImporterContract

TESTS = [name for name in vars(ImporterContract) if name.startswith("test_")]
FRAME = (
    "<huricExample id='{0}'><commands><command><sentence>vai</sentence><tokens/></command></commands>"
    "</huricExample>"
)


def a_folder(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


SAMPLES: dict[str, tuple[int, Callable[[Path], Path]]] = {
    "dstc2": (1, lambda folder: write_files(folder / "Mar13_S1A0" / "one", a_call()).parents[1]),
    "huric": (2, lambda folder: a_folder(folder, {f"{one}.hrc": FRAME.format(one) for one in (1, 2)})),
    "marco": (1, lambda folder: written(folder, judged(0, "MarCo", "Tie", "HDSA"))),
    "mturk": (1, lambda folder: results(folder, FIRST)),
    "star": (1, lambda folder: a_folder(folder, {"7.json": json.dumps(DIALOGUE)})),
    "sugar": (
        2,
        lambda folder: a_folder(folder, {"AbF20.csv": "1; mettere(caffè, tazza)\n2; cuocere(riso)\n"}),
    ),
}


def test_every_importer_has_a_sample() -> None:
    assert IMPORTERS.names() == sorted(SAMPLES)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_an_importer_keeps_its_contract(name: str, test: str, tmp_path: Path) -> None:
    contract = ImporterContract()
    contract.format = name
    contract.calls, write = SAMPLES[name]
    contract.sample = write(tmp_path)
    getattr(contract, test)()
