"""The report as one HTML file that needs nothing else."""

import json
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from vivavoce.core.errors import InputError
from vivavoce.core.extras import require
from vivavoce.dataset.reader import Dataset
from vivavoce.reports.blocks import Document
from vivavoce.reports.drawing import Figure
from vivavoce.reports.section import ReportOptions, compose
from vivavoce.reports.tables import as_csv, numbers_of

FORMS: Final = (".html", ".htm", ".pdf", ".docx")
NEEDS: Final = {".pdf": "typst", ".docx": "docx"}  # modules
_PLAIN: Final = (
    " !$()*+,/:;=?@[]{}|'~-._"  # what an address of data may hold as it is, between quotation marks
)


def write_report(
    dataset: Dataset,
    path: Path | str,
    *,
    by: str | None = None,
    options: ReportOptions | None = None,
) -> Path:
    """Write the report of a dataset as HTML, or as PDF or Word where the name ends so; return its path.

    Input   `by` as in `summarise`, short for `options` with nothing else
    Empty   a dataset without dialogues gives a report that says so
    Note    the same dataset and version give the same bytes
    Raises  InputError: the place cannot be written; UnknownName: no such grouping or language
    """
    target = Path(path)
    if target.is_dir():
        raise InputError("the path is a folder", place=str(target), hint="name a file, such as report.html")
    return save(compose(dataset, options or ReportOptions(by=by)), target)


def save(document: Document, target: Path) -> Path:
    """Write a document in the form that the name of the file asks for.

    Raises  InputError: the place cannot be written, or the name asks for another form
    """
    require_form(target)
    content = _rendered(document, target.suffix.lower())
    partial = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(exist_ok=True)
        partial.write_bytes(content)
        partial.replace(target)
    except OSError as problem:
        raise InputError(
            f"cannot write the report ({problem.strerror})",
            place=str(target),
            hint="choose a writable folder",
        ) from None
    return target


def require_form(target: Path) -> None:
    """Raises InputError: a report is no file of this kind; MissingExtra: what makes it is not installed."""
    if target.suffix.lower() not in FORMS:
        raise InputError(
            f"reports cannot have the format {target.suffix!r}"
            if target.suffix
            else "the file name has no ending",
            place=str(target),
            hint=f"use a file name that ends in {' or '.join(FORMS)}",
        )
    if (needed := NEEDS.get(target.suffix.lower())) is not None:
        require(needed)


def _rendered(document: Document, form: str) -> bytes:
    if form == ".pdf":
        from vivavoce.reports.pdf import pdf

        return pdf(document)
    if form == ".docx":
        from vivavoce.reports.word import word

        return word(document)
    return page(document).encode()


def render(
    dataset: Dataset,
    *,
    by: str | None = None,
    options: ReportOptions | None = None,
) -> str:
    """The report of a dataset as HTML text."""
    return page(compose(dataset, options or ReportOptions(by=by)))


def page(document: Document) -> str:
    """A document as HTML text."""
    environment = Environment(
        loader=PackageLoader("vivavoce.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"trusted": Markup, "numbers": numbers_of, "files": partial(_files, document.mark)}
    style = Markup(environment.loader.get_source(environment, "report.css")[0])  # type: ignore[union-attr]
    return environment.get_template("report.html.j2").render(d=document, w=document.words, style=style)


def _files(mark: str, figure: Figure) -> list[tuple[str, str, str]]:
    """A figure as files that stand within the page: the form's name, a name for the file, the address."""
    spec = json.dumps(figure.spec, ensure_ascii=False, separators=(",", ":"))
    files = (
        ("SVG", "svg", "image/svg+xml", figure.alone),
        ("CSV", "csv", "text/csv;charset=utf-8", as_csv(numbers_of(figure), mark)),
        ("Vega-Lite", "vl.json", "application/json;charset=utf-8", spec),
    )
    return [
        (form, f"{figure.name}.{ending}", f"data:{kind},{quote(text, safe=_PLAIN)}")
        for form, ending, kind, text in files
    ]
