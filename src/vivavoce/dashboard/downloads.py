"""Downloads, made from a snapshot."""

import json
import shutil
import zipfile
from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from vivavoce.core.i18n import N_
from vivavoce.core.statement import LocalizedText
from vivavoce.dashboard.snapshot import Snapshot
from vivavoce.dataset.copying import select_dialogues
from vivavoce.dataset.csv_files import export_csv
from vivavoce.dataset.reader import MANIFEST, Dataset
from vivavoce.dataset.schema import TABLES
from vivavoce.reports.language import language


@dataclass(frozen=True, slots=True)
class Download:
    """One kind of file: title, purpose and function that makes it.

    needs     a module without which it is not offered
    compares  it says how systems compare, so it is kept back as results are; it takes a while, too
    """

    name: str
    title: str
    purpose: str
    media_type: str
    make: Callable[[Snapshot, Path], None]
    needs: str = ""
    compares: bool = False


def dataset_zip(snapshot: Snapshot, into: Path) -> None:
    """Dataset folder as a zip: Parquet tables and dataset.json."""
    folder = snapshot.dataset.folder
    files = [folder / MANIFEST, *(folder / f"{name}.parquet" for name in TABLES)]
    _zip(into, [path for path in files if path.is_file()], stored=True)


def selection_zip(snapshot: Snapshot, dialogues: Collection[str], note: LocalizedText, into: Path) -> None:
    """Dataset of the selected dialogues; note: description of the selection."""
    folder = into.with_suffix(".dataset")
    try:
        selection = select_dialogues(snapshot.dataset, dialogues, folder, note=note)
        dataset_zip(Snapshot(selection, snapshot.position, snapshot.at), into)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def csv_zip(snapshot: Snapshot, into: Path, *, raw: bool = False) -> None:
    """Every table as CSV, with its codebook."""
    folder = into.with_suffix(".tables")
    try:
        export_csv(snapshot.dataset.folder, folder, raw=raw)
        _zip(into, sorted(folder.iterdir()))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def raw_csv_zip(snapshot: Snapshot, into: Path) -> None:
    csv_zip(snapshot, into, raw=True)


def transcripts(snapshot: Snapshot, into: Path) -> None:
    """One dialogue per line: details, turns, goal, ratings and incidents."""
    dataset = snapshot.dataset.everything
    parts = {name: _by_dialogue(dataset, name) for name in ("turns", "goals", "ratings", "incidents")}
    with into.open("w", encoding="utf-8") as file:
        for row in dataset.read("dialogues").to_pylist():
            line = {**row, **{name: rows.get(row["dialogue_id"], []) for name, rows in parts.items()}}
            file.write(json.dumps(line, ensure_ascii=False, default=_instant) + "\n")


def report(snapshot: Snapshot, into: Path) -> None:
    """Report in the reader's language."""
    from vivavoce.reports.html import write_report
    from vivavoce.reports.section import ReportOptions

    write_report(snapshot.dataset, into, options=ReportOptions(language=language()))


def report_files(write: str) -> Callable[[Snapshot, Path], None]:
    """Tables or figures of the report as separate files; write: name of the writing function."""

    def make(snapshot: Snapshot, into: Path) -> None:
        from vivavoce.reports import tables
        from vivavoce.reports.section import ReportOptions, compose

        document = compose(snapshot.dataset, ReportOptions(language=language()))
        folder = into.with_suffix(".files")
        try:
            _zip(into, getattr(tables, write)(document, folder))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    return make


def offered() -> "list[Download]":
    """Downloads available in this installation."""
    return [
        download
        for download in DOWNLOADS.values()
        if not download.needs or find_spec(download.needs) is not None
    ]


DOWNLOADS: Final[dict[str, Download]] = {
    download.name: download
    for download in (
        Download(
            "report.html",
            N_("Report"),
            N_("Tables, intervals, tests, figures and definitions in a single HTML file."),
            "text/html; charset=utf-8",
            report,
            compares=True,
        ),
        Download(
            "report.pdf",
            N_("Report as PDF"),
            N_("For printing and archiving."),
            "application/pdf",
            report,
            "typst",
            compares=True,
        ),
        Download(
            "report.docx",
            N_("Report for Word"),
            N_("The report as an editable document."),
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            report,
            "docx",
            compares=True,
        ),
        Download(
            "figures.zip",
            N_("Figures for slides"),
            N_("All figures of the report as PNG and SVG, with data (CSV) and Vega-Lite source."),
            "application/zip",
            report_files("write_figures"),
            compares=True,
        ),
        Download(
            "report-tables.zip",
            N_("Tables for a paper"),
            N_("All tables of the report as LaTeX and unrounded CSV, with signatures."),
            "application/zip",
            report_files("write_tables"),
            compares=True,
        ),
        Download(
            "dataset.zip",
            N_("Dataset"),
            N_(
                "Exact Parquet tables and dataset.json. Unzip the folder to use it with vivavoce "
                "measure and vivavoce report."
            ),
            "application/zip",
            dataset_zip,
        ),
        Download(
            "tables.csv.zip",
            N_("CSV for spreadsheets"),
            N_(
                "All tables with a codebook. An apostrophe is added to texts that a spreadsheet would "
                "run as formulas."
            ),
            "application/zip",
            csv_zip,
        ),
        Download(
            "tables-raw.csv.zip",
            N_("CSV (raw)"),
            N_("The same tables with unchanged texts. For programs, not for spreadsheets."),
            "application/zip",
            raw_csv_zip,
        ),
        Download(
            "transcripts.jsonl",
            N_("Transcripts"),
            N_("One dialogue per line as JSON: details, turns with times, goal, ratings and incidents."),
            "application/x-ndjson",
            transcripts,
        ),
    )
}


def _zip(into: Path, files: list[Path], *, stored: bool = False) -> None:
    method = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(into, "w", method) as archive:
        for path in files:
            archive.write(path, path.name)


def _by_dialogue(dataset: Dataset, table: str) -> dict[str, list[dict[str, Any]]]:
    rows_by_dialogue: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in dataset.read(table).to_pylist():
        rows_by_dialogue[row.pop("dialogue_id")].append(row)
    if table == "turns":
        for rows in rows_by_dialogue.values():
            rows.sort(key=lambda row: row["turn_index"])
    return rows_by_dialogue


def _instant(value: Any) -> str:
    return value.isoformat()
