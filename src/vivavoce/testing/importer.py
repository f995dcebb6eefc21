"""Contract of every importer."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import MANIFEST, Dataset
from vivavoce.importers.base import IMPORTERS, ImportResult, Progress


class ImporterContract:
    """Contract of every importer, tried on a small log of its format.

    format  what stands after `vivavoce import`
    sample  a file or folder of that format, or several
    calls   how many dialogues, or other units, it holds
    mapping a mapping file, where the format needs one
    """

    format: str
    sample: Path | list[Path]
    calls: int
    mapping: Path | None = None

    def test_it_is_found_by_its_name_and_tells_its_facts(self) -> None:
        importer = IMPORTERS.get(self.format)
        assert importer.name == self.format and importer.title and importer.layout and importer.unit

    def test_the_sample_becomes_a_dataset(self) -> None:
        with self._read() as imported:
            assert (imported.calls, imported.skipped) == (self.calls, []), (
                f"imported dialogues: {imported.calls}"
            )
            assert imported.dataset.everything.holdings(), "the dataset is empty"

    def test_turns_are_counted_from_zero_over_both_parties(self) -> None:
        with self._read() as imported:
            dialogues = set(imported.dataset.read("dialogues")["dialogue_id"].to_pylist())
            indices: dict[str, list[int]] = {dialogue: [] for dialogue in dialogues}
            for turn in imported.dataset.everything.read("turns").to_pylist():
                assert turn["party"] in ("user", "system"), f"party {turn['party']!r}"
                indices.setdefault(turn["dialogue_id"], []).append(turn["turn_index"])
            assert all(sorted(index) == list(range(len(index))) for index in indices.values())

    def test_the_same_log_gives_the_same_dataset(self) -> None:
        with self._read() as first, self._read() as second:
            assert first.dataset.hash == second.dataset.hash

    def test_what_was_read_and_what_was_left_out_add_up(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            calls: list[tuple[int, int]] = []
            imported = self._into(Path(folder) / "data", progress=lambda *counts: calls.append(counts))
            assert not calls or calls[-1] == (imported.calls + len(imported.skipped),) * 2, (
                f"last reported progress: {calls[-1:]}"
            )

    def test_a_dataset_that_is_there_is_not_replaced(self) -> None:
        with self._read() as imported:
            before = imported.dataset.hash
            _refused(lambda: self._into(imported.dataset.folder))
            assert Dataset(imported.dataset.folder).hash == before

    def test_a_path_that_is_not_there_is_one_line_and_leaves_no_dataset(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            into, missing = Path(folder) / "data", Path(folder) / "missing.log"
            problem = _refused(lambda: IMPORTERS.get(self.format).make_dataset([missing], into))
            assert "missing.log" in problem and "\n" not in problem, (
                f"the message must name the file in one line: {problem}"
            )
            assert not (into / MANIFEST).exists()

    @contextmanager
    def _read(self) -> Iterator[ImportResult]:
        with tempfile.TemporaryDirectory() as folder:
            yield self._into(Path(folder) / "data")

    def _into(self, folder: Path, progress: Progress | None = None) -> ImportResult:
        paths = self.sample if isinstance(self.sample, list) else [self.sample]
        return IMPORTERS.get(self.format).make_dataset(paths, folder, mapping=self.mapping, progress=progress)


def _refused(work: Callable[[], object]) -> str:
    try:
        work()
    except InputError as error:
        return str(error)
    raise AssertionError("no InputError was raised: raise InputError(problem, place=..., hint=...)")
