"""Contract of every exporter."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from vivavoce.core.errors import InputError
from vivavoce.core.yaml_source import read_yaml
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.schema import TABLES
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.exporters.base import EXPORTERS, MANIFEST, README
from vivavoce.testing.sample_dialogues import write_sample

Said = dict[str, list[tuple[str, str]]]
STRANGE: Final = (
    "=SUM(A1:A2)",
    'one, "two"; three\nfour\tfive',
    "{'json': 1} <b>&amp;</b>",
    "è già l’una ✓ \U0001f600",
    "'quoted",
    "  ",
    "../../elsewhere",
)


class ExporterContract:
    """Contract of every exporter, tried on seven dialogues, on strange texts, and on a dataset without any.

    name  what stands after `--format` of `vivavoce export`
    """

    name: str

    def said(self, folder: Path) -> Said:
        """Readable content of an export: of each dialogue the parties and their words, in order."""
        raise NotImplementedError("return the exported dialogues: {dialogue_id: [(party, text), ...]}")

    def test_it_is_found_by_its_name_and_tells_its_facts(self) -> None:
        exporter = EXPORTERS.get(self.name)
        assert exporter.name == self.name and exporter.title and exporter.layout

    def test_what_was_said_is_in_it_in_its_order(self) -> None:
        with self._written(write_sample) as (dataset, folder):
            assert self.said(folder) == _said(dataset)

    def test_strange_words_come_through_as_they_were(self) -> None:
        with self._written(_strange) as (dataset, folder):
            assert self.said(folder) == _said(dataset)

    def test_what_is_not_in_it_is_named(self) -> None:
        with self._written(write_sample) as (dataset, folder):
            facts = read_yaml(folder / MANIFEST).data
            rows = dataset.manifest["tables"]
            exported = (
                EXPORTERS.get(self.name).write(dataset.everything, _made(folder.parent / "again")).tables
            )
            assert exported <= set(TABLES), f"not tables of a dataset: {sorted(exported - set(TABLES))}"
            for table in (
                table_name
                for table_name in TABLES
                if rows.get(table_name, {}).get("rows") and table_name not in exported
            ):
                assert any(f"`{table}`" in lost_text for lost_text in facts["lost"]), (
                    f"{table} is lost but not listed in lost"
                )
            readme = (folder / README).read_text("utf-8")
            assert all(f"- {lost_text}" in readme for lost_text in facts["lost"])

    def test_the_same_dataset_gives_the_same_files(self) -> None:
        with self._written(write_sample) as (dataset, folder):
            EXPORTERS.get(self.name).export(dataset, folder.parent / "again")
            assert _files(folder) == _files(folder.parent / "again")

    def test_it_writes_into_its_folder_alone(self) -> None:
        with self._written(_strange) as (dataset, folder):
            names = {path.name for path in folder.parent.iterdir()}
            assert names == {folder.name, dataset.folder.name}, f"it wrote outside its folder: {names}"

    def test_a_dataset_without_dialogues_is_written(self) -> None:
        with self._written(_nothing) as (_, folder):
            assert (folder / MANIFEST).is_file() and self.said(folder) == {}

    def test_a_folder_that_holds_something_else_is_left_as_it_is(self) -> None:
        with self._written(write_sample) as (dataset, folder):
            mine = _made(folder.parent / "mine") / "thesis.txt"
            mine.write_text("mine", "utf-8")
            for into_folder, problem in (
                (mine.parent, "holds other files"),
                (folder, "holds an export already"),
            ):
                before = _files(into_folder)
                assert problem in _refused(
                    lambda into=into_folder: EXPORTERS.get(self.name).export(dataset, into)
                )
                assert _files(into_folder) == before

    @contextmanager
    def _written(self, make: Callable[[Path], Dataset]) -> Iterator[tuple[Dataset, Path]]:
        with tempfile.TemporaryDirectory() as place:
            dataset = make(Path(place) / "dataset")
            EXPORTERS.get(self.name).export(dataset, Path(place) / "export")
            yield dataset, Path(place) / "export"


def _said(dataset: Dataset) -> Said:
    turns_of: Said = {}
    for turn in dataset.everything.read("turns").to_pylist():
        if turn["text"] is not None:
            turns_of.setdefault(turn["dialogue_id"], []).append((turn["party"], turn["text"]))
    return turns_of


def _strange(into: Path) -> Dataset:
    facts: dict[str, Any] = {
        "dialogue_id": "d/1",
        "study": "s",
        "system": "b\u00f3t",
        "condition": "c",
        "channel": "text",
        "language": "en",
        "simulated": False,
        "participant_id": "../p",
    }
    with DatasetWriter(into, study={"name": "s"}, source={"kind": "test"}) as writer:
        writer.add("dialogues", [facts])
        writer.add(
            "turns",
            [
                {"dialogue_id": "d/1", "turn_index": n, "party": ("system", "user")[n % 2], "text": text}
                for n, text in enumerate(STRANGE)
            ],
        )
        return writer.close()


def _nothing(into: Path) -> Dataset:
    with DatasetWriter(into, study={"name": "s"}, source={"kind": "test"}) as writer:
        return writer.close()


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _refused(work: Callable[[], object]) -> str:
    try:
        work()
    except InputError as error:
        return str(error)
    raise AssertionError("no InputError was raised: write only through `Exporter.export`")
