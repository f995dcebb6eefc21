"""A dataset as CSV, one file a table, with a codebook; safe to open in a spreadsheet.

Spreadsheets run a text cell that begins like a formula. Such a cell gets a leading apostrophe, and so does
one that begins with an apostrophe itself, so that `read_csv_cell` gives back exactly what was there. Where
the semicolon separates cells, as in much of Europe, a spreadsheet heeds neither our commas nor the quotes
after them, and begins a cell at every semicolon and line within a text: there, too, what would be a formula
gets an apostrophe. An empty text is written as a lone apostrophe; an empty cell is a missing value. Numbers,
flags and instants are never touched. Raw CSV leaves every text as it is (and cannot tell an empty text from
a missing one).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

from vivavoce.core.errors import InputError
from vivavoce.core.extras import later
from vivavoce.dataset.columns import Content, Level, treatment
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.schema import FACTOR_PREFIX, TABLES

if TYPE_CHECKING:
    import pyarrow as pa
else:
    pa = later("pyarrow")

APOSTROPHE: Final = "'"
FORMULA_STARTS: Final = tuple("=+-@\t\r\n\0＝＋－＠")
_PASSED_OVER: Final = " \u00a0\ufeff"  # some spreadsheets trim these before they look what a cell begins with
_WITHIN: Final = re.compile(r"([;\t\r\n]\s*)(?='*[=+\-@＝＋－＠])")
_GUARDED: Final = re.compile(r"([;\t\r\n]\s*)'(?='*[=+\-@＝＋－＠])")
csv.field_size_limit(2**31 - 1)  # readers of ours take any text: somebody may have said 200 KB
CODEBOOK: Final = "codebook.csv"
CODEBOOK_COLUMNS: Final = (
    "table",
    "column",
    "type",
    "required",
    "meaning",
    "cells",
    "content",
    "level",
    "treatment",
)


def export_csv(dataset_folder: Path | str, into: Path | str, *, raw: bool = False) -> Path:
    """Write `<table>.csv` for every table that has rows, and `codebook.csv`; gives back the folder."""
    dataset, folder = Dataset(dataset_folder).everything, Path(into)
    folder.mkdir(parents=True, exist_ok=True)
    described: list[tuple[str, ...]] = []
    for name in TABLES:
        (folder / f"{name}.csv").unlink(missing_ok=True)
        table = dataset.read(name)
        described += _describe(name, table.schema, dataset.level, raw=raw)
        if table.num_rows:
            _write_table(folder / f"{name}.csv", table, raw=raw)
    with (folder / CODEBOOK).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(CODEBOOK_COLUMNS)
        writer.writerows([safe_csv_cell(cell or None) for cell in row] for row in described)
    return folder


def safe_csv_cell(text: str | None) -> str:
    """A text as a cell that no spreadsheet takes for a formula; None becomes the empty cell."""
    if text is None:
        return ""
    within = _WITHIN.sub(r"\1'", text)
    begins = text.startswith(APOSTROPHE) or text.lstrip(_PASSED_OVER).startswith(FORMULA_STARTS)
    return APOSTROPHE + within if text == "" or begins else within


def read_csv_cell(cell: str) -> str | None:
    """The text that `safe_csv_cell` was given."""
    if cell == "":
        return None
    return _GUARDED.sub(r"\1", cell[1:] if cell.startswith(APOSTROPHE) else cell)


@contextmanager
def opened_csv(path: Path) -> Iterator[TextIO]:
    """A CSV file to be read, with or without the mark that spreadsheets put before UTF-8.

    Raises  InputError: it cannot be read, or is no CSV in UTF-8; also while it is being read
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield file
    except OSError as error:
        raise InputError(
            f"cannot read the file: {error.strerror}", place=str(path), hint="check the path"
        ) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"not a UTF-8 CSV file ({error})", place=str(path), hint="save it as CSV in UTF-8"
        ) from None


def _write_table(path: Path, table: pa.Table, *, raw: bool) -> None:
    formats = [_format(column.type, raw=raw) for column in table.schema]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table.column_names)
        for batch in table.to_batches(max_chunksize=10_000):
            columns = [column.to_pylist() for column in batch.columns]
            for row in zip(*columns, strict=True):
                writer.writerow([write(value) for write, value in zip(formats, row, strict=True)])


def _format(kind: pa.DataType, *, raw: bool) -> Callable[[Any], str]:
    if pa.types.is_string(kind):
        return _plain if raw else safe_csv_cell
    if pa.types.is_boolean(kind):
        return lambda value: "" if value is None else str(value).lower()
    if pa.types.is_timestamp(kind):
        return lambda value: "" if value is None else value.isoformat().replace("+00:00", "Z")
    return lambda value: "" if value is None else repr(value)


def _plain(text: str | None) -> str:
    return "" if text is None else text


def _describe(name: str, schema: pa.Schema, level: Level, *, raw: bool) -> list[tuple[str, ...]]:
    columns = {column.name: column for column in TABLES[name].columns}
    rows = []
    for column in schema:
        meaning = columns[column.name].meaning if column.name in columns else _factor(column.name)
        text = "exact" if raw else "apostrophes before formulas removed on reading"
        cells = text if pa.types.is_string(column.type) else "exact"
        required = "no" if column.nullable else "yes"
        content = columns[column.name].content if column.name in columns else Content.fact
        rows.append(
            (
                name,
                column.name,
                str(column.type),
                required,
                meaning,
                cells,
                content or "not declared",
                level.value,
                treatment(content, level).value,
            )
        )
    return rows


def _factor(name: str) -> str:
    return f"condition of the study: {name.removeprefix(FACTOR_PREFIX)}"
