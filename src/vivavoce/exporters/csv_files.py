"""Export as CSV: one file a table, and a codebook."""

from pathlib import Path
from typing import Final

from vivavoce.exporters.base import Exporter, Holding
from vivavoce.log.dataset import Dataset
from vivavoce.log.export_csv import export_csv
from vivavoce.log.schema import TABLES


def write_csv(dataset: Dataset, into: Path) -> Holding:
    """Every table that has rows, safe for spreadsheets, and `codebook.csv`: what each column is."""
    export_csv(dataset.folder, into)
    return Holding(frozenset(TABLES))


CSV: Final = Exporter(
    name="csv",
    title="CSV with a codebook",
    layout="a CSV file for each table, and codebook.csv with type, unit and meaning of each column",
    write=write_csv,
)
