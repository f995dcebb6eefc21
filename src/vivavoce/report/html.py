"""The report as one HTML file that needs nothing else."""

from pathlib import Path
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from vivavoce.core.errors import InputError
from vivavoce.core.extras import require
from vivavoce.log.dataset import Dataset
from vivavoce.report.blocks import Document
from vivavoce.report.document import compose
from vivavoce.report.material import ReportOptions

FORMS: Final = (".html", ".htm", ".pdf")


def write_report(
    dataset: Dataset,
    path: Path | str,
    *,
    by: str | None = None,
    options: ReportOptions | None = None,
) -> Path:
    """Write the report of a dataset as HTML, or as PDF where the name ends so, and return its path.

    Input   `by` as in `summarise`, short for `options` with nothing else
    Empty   a dataset without dialogues gives a report that says so
    Note    the same dataset and version give the same bytes
    Raises  InputError: the place cannot be written; UnknownName: no such grouping or language
    """
    target = Path(path)
    if target.is_dir():
        raise InputError("this is a folder", place=str(target), hint="name a file, such as report.html")
    return save(compose(dataset, options or ReportOptions(by=by)), target)


def save(document: Document, target: Path) -> Path:
    """Write a document in the form that the name of the file asks for.

    Raises  InputError: the place cannot be written, or the name asks for another form
    """
    require_form(target)
    if target.suffix.lower() == ".pdf":
        from vivavoce.report.pdf import pdf

        content = pdf(document)
    else:
        content = page(document).encode()
    partial = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(exist_ok=True)
        partial.write_bytes(content)
        partial.replace(target)
    except OSError as problem:
        raise InputError(
            f"cannot write the report ({problem.strerror})",
            place=str(target),
            hint="choose a place that can be written",
        ) from None
    return target


def require_form(target: Path) -> None:
    """Raises InputError: a report is no file of this kind; MissingExtra: what sets PDF is not installed."""
    if target.suffix.lower() not in FORMS:
        raise InputError(
            f"no report can be written as {target.suffix or 'a file without an ending'!r}",
            place=str(target), hint=f"end its name in {' or '.join(FORMS)}",
        )  # fmt: skip
    if target.suffix.lower() == ".pdf":
        require("typst")


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
        loader=PackageLoader("vivavoce.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["trusted"] = Markup
    style = Markup(environment.loader.get_source(environment, "report.css")[0])  # type: ignore[union-attr]
    return environment.get_template("report.html.j2").render(d=document, w=document.words, style=style)
