"""The base of exporters, and what all share: the folder, the list of omissions, and the README."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML

from vivavoce.core.errors import InputError
from vivavoce.core.registry import Registry
from vivavoce.core.statement import LocalizedText, statement
from vivavoce.core.yaml_source import read_yaml
from vivavoce.dataset.columns import HOLDS, treatment
from vivavoce.dataset.reader import OF_STUDIES, Dataset, may_replace
from vivavoce.dataset.schema import TABLES

MANIFEST: Final = "export.yaml"  # importers read JSON
README: Final = "README.md"


@dataclass(frozen=True, slots=True)
class ExportResult:
    """Result of an export.

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
        dataset_content = dataset.everything
        export_result = self.write(dataset_content, into)
        lost = [*_tables_left_out(dataset_content, export_result), *export_result.lost]
        losses = [*dataset_content.what_is_lost, *lost]
        readme = _readme(dataset_content, self, export_result, losses)
        (into / README).write_text(readme, encoding="utf-8")
        files = sorted(str(path.relative_to(into)) for path in into.rglob("*") if path.is_file())
        facts = {
            "format": self.name,
            "study": dataset_content.study,
            "level": dataset_content.level.value,
            "dataset": dataset_content.hash,
            "files": files,
            "lost": [str(loss) for loss in losses],
        }
        (into / MANIFEST).write_text(yaml_text(facts), encoding="utf-8")
        return lost


def yaml_text(data: Any) -> str:
    """Plain data as YAML, in its own order."""
    yaml, out = YAML(), StringIO()
    yaml.dump(data, out)
    return out.getvalue()


def _clear(into: Path) -> None:
    """Make room for a new export: the files of an earlier one go, and nothing else."""
    manifest = into / MANIFEST
    if not manifest.exists():
        return
    try:
        files = read_yaml(manifest).data["files"]
    except (KeyError, TypeError):
        raise InputError(f"{MANIFEST} cannot be read", place=str(into), hint="name a new folder") from None
    for name in (*files, MANIFEST):
        if (into / name).resolve().is_relative_to(into.resolve()):
            (into / name).unlink(missing_ok=True)
    for folder in (path for path in into.iterdir() if path.is_dir() and not any(path.iterdir())):
        folder.rmdir()


def _tables_left_out(dataset: Dataset, export_result: ExportResult) -> Iterable[LocalizedText]:
    for name in TABLES:
        rows = dataset.manifest["tables"].get(name, {}).get("rows", 0)
        if name not in export_result.tables and rows:
            yield statement("{n} rows of `{table}` are not in this format.", n=rows, table=name)


def _readme(
    dataset: Dataset, exporter: Exporter, export_result: ExportResult, lost: Iterable[LocalizedText]
) -> str:
    """README of the exported folder, as Markdown."""
    level = dataset.level
    holdings = ", ".join(f"{n} {noun}{'s'[: n != 1]}" for noun, n in dataset.holdings().items())
    lines = [
        f"# {dataset.study}",
        "",
        f"Vivavoce, format {exporter.name}, level {level}: {exporter.layout}.",
        "",
        f"It holds {holdings or 'nothing'}. What columns hold, and what became of it at this level:",
        "",
        *(f"- {holds}: {treatment(category, level)};" for category, holds in HOLDS.items() if category),
        "",
        "## What is not in it",
        "",
        *([f"- {loss}" for loss in lost] or ["Everything is."]),
        "",
    ]
    return export_result.head + "\n".join(lines)


def rows_by_dialogue(dataset: Dataset, table: str) -> dict[str, list[dict[str, Any]]]:
    """The rows of a table by their dialogue, in its order."""
    rows_of: dict[str, list[dict[str, Any]]] = {}
    for row in dataset.read(table).to_pylist():
        if row.get("dialogue_id") is not None:
            rows_of.setdefault(row["dialogue_id"], []).append(row)
    return rows_of


def begun_s(turn: dict[str, Any]) -> float | None:
    """Start of a turn in seconds of its dialogue: sent or first output, else its display or sound."""
    names = ("sent_s", "onset_s") if turn["party"] == "user" else ("first_output_s", "onset_s", "complete_s")
    return next((turn[name] for name in names if turn.get(name) is not None), None)


EXPORTERS: Final[Registry[Exporter]] = Registry("format of export", Exporter, group="vivavoce.exporters")
