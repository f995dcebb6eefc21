"""A report's tables and figures as files of their own: CSV, LaTeX, SVG and Vega-Lite."""

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Final

from vivavoce.core.errors import InputError
from vivavoce.log.export_csv import safe_csv_cell
from vivavoce.report.blocks import Cell, Document, TableOfText
from vivavoce.report.drawing import Figure

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


def write_tables(document: Document, folder: Path) -> list[Path]:
    """Every table as `<name>.csv` and `<name>.tex` into a folder, and their signatures as `signatures.csv`.

    Note    what stands under a number has columns of its own in the CSV; a text that a spreadsheet would run
            as a formula carries a leading apostrophe; simulated results say so in both
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
    """Every figure as `<name>.svg` and `<name>.vl.json` into a folder.

    Raises  InputError: the folder cannot be written
    """
    files = {}
    for figure in document.blocks(Figure):
        files[f"{figure.name}.svg"] = figure.printed
        files[f"{figure.name}.vl.json"] = json.dumps(figure.spec, indent=1, ensure_ascii=False) + "\n"
    return _write(folder, files)


def as_csv(table: TableOfText, mark: str = "") -> str:
    """A table as CSV: block, heading, what stands under it, then each column with what stands under it."""
    depth = [
        max([len(row.cells[place].under) for row in table.rows if place < len(row.cells)], default=0)
        for place in range(len(table.columns) - 1)
    ]
    head = ["", table.columns[0].main, ""]
    for column, more in zip(table.columns[1:], depth, strict=True):
        head += [column.main, *[f"{column.main} ({place})" for place in range(2, more + 2)]]
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if mark:
        writer.writerow([mark])
    writer.writerow(map(_safe, head))
    for row in table.rows:
        line = [row.group, row.heading, "; ".join(row.under)]
        for cell, more in zip(row.cells, depth, strict=False):
            line += [cell.main, *cell.under, *[""] * (more - len(cell.under))]
        writer.writerow(map(_safe, line))
    return out.getvalue()


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


def _write(folder: Path, files: dict[str, str]) -> list[Path]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_text(content, encoding="utf-8")
    except OSError as problem:
        raise InputError(
            f"cannot be written ({problem.strerror})",
            place=str(folder),
            cure="name a folder that can be written",
        ) from None
    return [folder / name for name in files]
