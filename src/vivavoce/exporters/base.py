"""What an exporter is, and what all share: the folder, what of the dataset is not in it, and its README."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from vivavoce.core.errors import InputError
from vivavoce.core.registry import Registry
from vivavoce.core.statement import LocalizedText, statement
from vivavoce.dataset.folder import OF_STUDIES, may_replace
from vivavoce.dataset.levels import HOLDS, treatment
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.schema import TABLES

MANIFEST: Final = "export.yaml"  # importers read JSON
README: Final = "README.md"


@dataclass(frozen=True, slots=True)
class ExportResult:
    """What a format took over.

    tables  those of which every row is in it
    lost    what is not, a sentence each, beside whole tables
    head    what its README begins with
    """

    tables: frozenset[str]
    lost: tuple[LocalizedText, ...] = ()
    head: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exporter:
    """One format: `write(dataset, folder)` writes into an empty folder.

    What rules exclude is in the dataset that it gets, as it is in copies: `dataset.exclusions` says which.
    The level of the dataset was decided before: what it leaves out is null.
    """

    name: str
    title: str
    layout: str
    write: Callable[[Dataset, Path], ExportResult]

    def check_free(self, into: Path) -> None:
        """Raises  InputError: the folder holds something else, or an export that nobody said to replace"""
        if into.is_file():
            raise InputError("is a file", place=str(into), hint="name a new folder")
        if not into.exists() or not any(into.iterdir()):
            return
        if not (into / MANIFEST).exists() or any((into / name).exists() for name in OF_STUDIES):
            raise InputError("holds other files", place=str(into), hint="name a new folder")
        if not may_replace():
            hint = "name another, or say --replace"
            raise InputError("holds an export already", place=str(into), hint=hint)

    def export(self, dataset: Dataset, into: Path) -> list[LocalizedText]:
        """Write a dataset in this format; what of it is not in there.

        Raises  InputError: the folder holds something else, or an earlier export that nobody said to replace
        """
        self.check_free(into)
        _clear(into)
        into.mkdir(parents=True, exist_ok=True)
        whole = dataset.everything
        written = self.write(whole, into)
        lost = [*_tables_left_out(whole, written), *written.lost]
        said = [*whole.what_is_lost, *lost]
        readme = _readme(whole, self, written, said)
        (into / README).write_text(readme, encoding="utf-8")
        files = sorted(str(one.relative_to(into)) for one in into.rglob("*") if one.is_file())
        facts = {
            "format": self.name,
            "study": whole.study,
            "level": whole.level.value,
            "dataset": whole.hash,
            "files": files,
            "lost": [str(one) for one in said],
        }
        written_facts = yaml.safe_dump(facts, sort_keys=False, allow_unicode=True)
        (into / MANIFEST).write_text(written_facts, encoding="utf-8")
        return lost


def _clear(into: Path) -> None:
    """Make room for a new export: the files of an earlier one go, and nothing else."""
    manifest = into / MANIFEST
    if not manifest.exists():
        return
    try:
        files = yaml.safe_load(manifest.read_text(encoding="utf-8"))["files"]
    except (ValueError, KeyError, TypeError, yaml.YAMLError):
        raise InputError(f"{MANIFEST} cannot be read", place=str(into), hint="name a new folder") from None
    for name in (*files, MANIFEST):
        if (into / name).resolve().is_relative_to(into.resolve()):
            (into / name).unlink(missing_ok=True)
    for folder in (one for one in into.iterdir() if one.is_dir() and not any(one.iterdir())):
        folder.rmdir()


def _tables_left_out(dataset: Dataset, written: ExportResult) -> Iterable[LocalizedText]:
    for name in TABLES:
        rows = dataset.manifest["tables"].get(name, {}).get("rows", 0)
        if name not in written.tables and rows:
            yield statement("{n} rows of `{table}` are not in this format.", n=rows, table=name)


def _readme(
    dataset: Dataset, exporter: Exporter, written: ExportResult, lost: Iterable[LocalizedText]
) -> str:
    """What a reader of the folder must know, as Markdown."""
    level = dataset.level
    held = ", ".join(f"{n} {noun}{'s'[: n != 1]}" for noun, n in dataset.holdings().items())
    lines = [
        f"# {dataset.study}",
        "",
        f"Vivavoce, format {exporter.name}, level {level}: {exporter.layout}.",
        "",
        f"It holds {held or 'nothing'}. What columns hold, and what became of it at this level:",
        "",
        *(f"- {holds}: {treatment(one, level)};" for one, holds in HOLDS.items() if one),
        "",
        "## What is not in it",
        "",
        *([f"- {one}" for one in lost] or ["Everything is."]),
        "",
    ]
    return written.head + "\n".join(lines)


def rows_by_dialogue(dataset: Dataset, table: str) -> dict[str, list[dict[str, Any]]]:
    """The rows of a table by their dialogue, in its order."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in dataset.read(table).to_pylist():
        if row.get("dialogue_id") is not None:
            found.setdefault(row["dialogue_id"], []).append(row)
    return found


def begun_s(turn: dict[str, Any]) -> float | None:
    """When a turn began, in seconds of its dialogue: sent or first output, else its display or sound."""
    names = ("sent_s", "onset_s") if turn["party"] == "user" else ("first_output_s", "onset_s", "complete_s")
    return next((turn[name] for name in names if turn.get(name) is not None), None)


EXPORTERS: Final[Registry[Exporter]] = Registry("format of export", Exporter, group="vivavoce.exporters")
