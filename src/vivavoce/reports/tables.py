"""A report's tables and figures as files of their own: CSV, LaTeX, SVG, PNG and Vega-Lite."""

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from io import StringIO
from math import isfinite
from pathlib import Path
from typing import Any, Final

from vivavoce.core.errors import InputError
from vivavoce.dataset.csv_files import safe_csv_cell
from vivavoce.reports.blocks import Cell, Document, Row, TableOfText
from vivavoce.reports.counted import CountedDialogues
from vivavoce.reports.drawing import Figure
from vivavoce.reports.language import MISSING, Shown, localised

LATEX: Final = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "\u2212": "$-$",
        "\u2013": "--",
        "\u202f": r"\,",
        "\u00a0": "~",
        "\u03b1": r"$\alpha$",
        "\u03c9": r"$\omega$",
        "\u00d7": r"$\times$",
        "\u00b7": r"$\cdot$",
        "\n": " ",
    }
)


VALUE: Final = 1  # of the cells beside a heading that is a panel: group, value, limits, cases
_THIN: Final = re.compile("(?<=\\d)\u202f(?=\\d)")  # between thousands, in lists of answers with their counts


def write_tables(document: Document, folder: Path) -> list[Path]:
    """Every table as `<name>.csv` and `<name>.tex` into a folder, and their signatures as `signatures.csv`.

    Note    the CSV is for programs: one number a cell, as it was computed (rates between 0 and 1, nothing
            rounded), empty where it is missing; limits, cases and what else stands under a number have
            columns of their own. A text that a spreadsheet would run as a formula carries a leading
            apostrophe; simulated results say so in the last column, and in the caption of the LaTeX
    Raises  InputError: the folder cannot be written
    """
    files = {}
    for table in document.blocks(TableOfText):
        files[f"{table.name}.csv"] = as_csv(table, document.mark)
        files[f"{table.name}.tex"] = as_latex(table, document)
    files["signatures.csv"] = _signatures(document)
    return _write(folder, files)


def _signatures(document: Document) -> str:
    """The signature of every signed number: table, where it stands there, signature."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("table", "number", "signature"))
    for table in document.blocks(TableOfText):
        writer.writerows(map(_safe, (table.name, *signed)) for signed in table.signatures)
    return out.getvalue()


def write_figures(document: Document, folder: Path) -> list[Path]:
    """Every figure for slides into a folder: `<name>.svg`, `.png`, its numbers as `.csv`, its `.vl.json`.

    Raises  InputError: the folder cannot be written
    """
    files: dict[str, str | bytes] = {
        f"{figure.name}.{form}": write(figure, document.mark)
        for figure in document.blocks(Figure)
        for form, write in FIGURE_FORMS.items()
    }
    return _write(folder, files)


FIGURE_FORMS: Final[Mapping[str, Callable[[Figure, str], str | bytes]]] = {
    "svg": lambda figure, _: figure.alone,
    "png": lambda figure, _: figure.png,
    "csv": lambda figure, mark: as_csv(numbers_of(figure), mark),
    "vl.json": lambda figure, _: json.dumps(figure.spec, indent=1, ensure_ascii=False) + "\n",
}  # by the ending of its name; the second argument marks simulated trials


def numbers_of(figure: Figure) -> TableOfText:
    """Numbers of a figure as a table: those passed with it, else those of its specification."""
    columns, rows = (figure.columns, figure.rows) if figure.rows else _held(figure.spec)
    counts, addresses = figure.counts or [None] * len(rows), figure.addresses or [""] * len(rows)
    row_links = list(zip(counts, addresses, strict=True))
    return TableOfText(
        f"of-{figure.name}",
        figure.title,
        tuple(map(Cell, columns)),
        tuple(Row(row[0], _opened(row, *behind)) for row, behind in zip(rows, row_links, strict=True)),
    )


def _opened(row: Sequence[str], counts: CountedDialogues | None, address: str) -> tuple[Cell, ...]:
    """The cells beside the heading; the value, the last but its limits and cases, opens what it counts."""
    cells = list(map(Cell, row[1:]))
    if counts is not None and len(cells) > VALUE:
        cells[VALUE] = replace(cells[VALUE], counts=counts, address=address)
    return tuple(cells)


def _held(spec: dict[str, Any]) -> tuple[list[str], list[tuple[str, ...]]]:
    """The rows of all data in a specification, each once; a column is what charts call it."""
    rows = [value for value in _values(spec) if len(value) > 1]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    cells = [tuple(_written(row.get(name)) for name in columns) for row in rows]
    return columns, list(dict.fromkeys(cells))


def _values(spec: Any) -> Iterator[dict[str, Any]]:
    if isinstance(spec, dict):
        values = spec.get("values")
        for datum in values if isinstance(values, list) else ():
            if isinstance(datum, dict):
                yield {
                    key: value
                    for key, value in datum.items()
                    if key != "hover" and not isinstance(value, dict | list)
                }
        for key, part in spec.items():
            if key != "values":
                yield from _values(part)
    elif isinstance(spec, list):
        for part in spec:
            yield from _values(part)


def _written(value: Any) -> str:
    if isinstance(value, bool | str):
        return str(value)
    return MISSING if value is None else Shown(localised(f"{value:.4g}"), value=value)


def as_csv(table: TableOfText, mark: str = "") -> str:
    """A table as CSV: block, heading, what stands under it, then for each column its numbers and words."""
    first = table.columns[0].main or "row"
    lines = [[_parts(cell) for cell in row.cells] for row in table.rows]
    values_of = [
        {name: _plain(n) for part in _shown(row) for name, n in part.values.items()} for row in table.rows
    ]
    counts = list(dict.fromkeys(name for names in values_of for name in names))
    keys = [
        list(dict.fromkeys(key for line in lines if place < len(line) for key in line[place]))
        for place in range(len(table.columns) - 1)
    ]
    head = ["block", first, *(f"{first} {name}" for name in counts), "note"]
    for column, names in zip(table.columns[1:], keys, strict=True):
        head += [f"{column.main} {name}".strip() for name in names]
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(_safe, [*head, *(["mark"] if mark else [])]))
    for row, line, numbers in zip(table.rows, lines, values_of, strict=True):
        note = "; ".join(part for part in row.under if part not in _shown(row))
        cells = [row.group, row.heading, *(numbers.get(name, "") for name in counts), note]
        for place, names in enumerate(keys):
            values = line[place] if place < len(line) else {}
            cells += [values.get(name, "") for name in names]
        writer.writerow(map(_safe, [*cells, *([mark] if mark else [])]))
    return out.getvalue()


def _shown(row: Row) -> list[Shown]:
    """Numbers under a row's heading, such as its cases: `40 dialogues`."""
    return [part for part in row.under if isinstance(part, Shown)]


def _parts(cell: Cell) -> dict[str, str]:
    """Parts of a cell, by name: "" its only number or its words, else limits, cases, p, ..."""
    parts: dict[str, str] = {}
    for place, part in enumerate((cell.main, *cell.under)):
        values = part.values if isinstance(part, Shown) else {"words" if place else "": part}
        for name, value in values.items():
            key = name if place or len(values) > 1 else ""
            count = sum(part.split("_again")[0] == key for part in parts)
            parts[key + "_again" * count] = _plain(value)
    return parts


def _plain(value: float | str | None) -> str:
    if isinstance(value, str):
        return "" if value == MISSING else _THIN.sub("", value)
    if value is None or not isfinite(value):
        return ""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def _safe(text: str) -> str:
    return text if text == "" or _is_number(text) else safe_csv_cell(text)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def as_latex(table: TableOfText, document: Document) -> str:
    """A table as LaTeX for the packages booktabs and threeparttable."""
    columns = "l" + ("r" if table.numeric else "l") * (len(table.columns) - 1)
    caption = escaped(f"{document.mark}: {table.caption}" if document.mark else table.caption)
    lines = [
        f"% {document.title}: dataset {document.data}, vivavoce {document.version}",
        r"\begin{table}",
        r"\begin{threeparttable}",
        rf"\caption{{{caption}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(escaped(column.main) for column in table.columns) + r" \\",
        r"\midrule",
    ]
    group = ""
    for row in table.rows:
        if row.group != group:
            group = row.group
            lines.append(rf"\multicolumn{{{len(table.columns)}}}{{l}}{{\textit{{{escaped(group)}}}}} \\")
        lines.append(" & ".join([escaped(row.heading), *map(_latex_cell, row.cells)]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    if table.note:
        lines += [r"\begin{tablenotes}\footnotesize", rf"\item {escaped(table.note)}", r"\end{tablenotes}"]
    return "\n".join([*lines, r"\end{threeparttable}", r"\end{table}", ""])


def _latex_cell(cell: Cell) -> str:
    main = escaped(cell.main)
    main = rf"\textbf{{{main}}}" if cell.strong else main
    return f"{main} ({escaped(cell.under[0])})" if cell.under else main


def escaped(text: str) -> str:
    """Text that LaTeX sets as it stands."""
    return text.translate(LATEX)


def _write(folder: Path, files: Mapping[str, str | bytes]) -> list[Path]:
    try:
        folder.mkdir(exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    except OSError as problem:
        raise InputError(
            f"cannot be written ({problem.strerror})",
            place=str(folder),
            hint="choose a writable folder",
        ) from None
    return [folder / name for name in files]
