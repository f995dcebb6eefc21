"""Export as CSV: one file a table, and a codebook."""

from pathlib import Path
from typing import Final

from vivavoce.dataset.csv_files import export_csv
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.schema import TABLES
from vivavoce.exporters.base import Exporter, ExportResult


def write_csv(dataset: Dataset, into: Path) -> ExportResult:
    """Every table that has rows, safe for spreadsheets, and `codebook.csv`: what each column is."""
    export_csv(dataset.folder, into)
    return ExportResult(frozenset(TABLES))


CSV: Final = Exporter(
    name="csv",
    title="CSV with a codebook",
    layout="a CSV file for each table, and codebook.csv with type, unit and meaning of each column",
    write=write_csv,
)
