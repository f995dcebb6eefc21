"""One suite over all registered exporters: the contract to which packages' are held, too."""

import csv
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from vivavoce.dataset.csv_files import read_csv_cell
from vivavoce.dataset.reader import Dataset
from vivavoce.exporters.base import EXPORTERS
from vivavoce.importers.base import IMPORTERS
from vivavoce.testing.exporter import ExporterContract, Said


def ordered(rows: list[dict[str, object]]) -> Said:
    found: Said = {}
    for row in sorted(rows, key=lambda one: int(str(one["turn_index"]))):
        if row["text"] is not None:
            found.setdefault(str(row["dialogue_id"]), []).append((str(row["party"]), str(row["text"])))
    return found


def read_tables(folder: Path) -> Said:
    file = folder / "turns.csv"
    if not file.exists():
        return {}
    with file.open(encoding="utf-8", newline="") as opened:
        return ordered(
            [{key: read_csv_cell(cell) for key, cell in row.items()} for row in csv.DictReader(opened)]
        )


def read_hub(folder: Path) -> Said:
    return ordered(
        [row for file in folder.rglob("turns*.parquet") for row in pq.read_table(file).to_pylist()]
    )


def imported(form: str, turns: str) -> Callable[[Path], Said]:
    """By our importer, which takes no log without a turn."""

    def read(folder: Path) -> Said:
        if not (folder / turns).stat().st_size:
            return {}
        back: Dataset = IMPORTERS.get(form).make_dataset([folder], folder.parent / "back").dataset
        return ordered(back.read("turns").to_pylist())

    return read


READERS = {
    "convokit": imported("convokit", "utterances.jsonl"),
    "csv": read_tables,
    "huggingface": read_hub,
    "otel": imported("otel", "spans.jsonl"),
}


def test_every_exporter_is_read_back() -> None:
    assert EXPORTERS.names() == sorted(READERS)


@pytest.mark.parametrize("test", [name for name in dir(ExporterContract) if name.startswith("test_")])
@pytest.mark.parametrize("name", sorted(READERS))
def test_an_exporter_keeps_its_contract(name: str, test: str) -> None:
    contract = ExporterContract()
    contract.name = name
    contract.said = READERS[name]  # type: ignore[method-assign]
    getattr(contract, test)()
