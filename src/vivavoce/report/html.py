"""The report: one HTML file that needs nothing else, made from a dataset alone."""

from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from vivavoce.analysis.description import describe
from vivavoce.analysis.groups import natural_grouping
from vivavoce.analysis.summary import summarise
from vivavoce.core.errors import InputError
from vivavoce.log.dataset import Dataset
from vivavoce.report import background, content, prose
from vivavoce.report.figures import Figure, durations_figure, participants_figure, success_figure

Progress = Callable[[str], None]
MOST_DRAWN_GROUPS: Final = 24


def write_report(
    dataset: Dataset, path: Path | str, *, by: str | None = None, progress: Progress | None = None
) -> Path:
    """Write the report of a dataset and return its path.

    Input   `by` as in `summarise`; None takes condition where there are factors, else system;
            `progress` is called with the name of each step
    Empty   a dataset without dialogues gives a report that says so
    Note    the same dataset and version give the same bytes
    Raises  InputError: the place cannot be written; UnknownName: no such grouping
    """
    target = Path(path)
    if target.is_dir():
        raise InputError("this is a folder", place=str(target), cure="name a file, such as report.html")
    page = render(dataset, by=by, progress=progress)
    partial = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(page, encoding="utf-8")
        partial.replace(target)
    except OSError as problem:
        raise InputError(
            f"cannot write the report ({problem.strerror})",
            place=str(target),
            cure="choose a place that can be written",
        ) from None
    return target


def render(dataset: Dataset, *, by: str | None = None, progress: Progress | None = None) -> str:
    """The report of a dataset as HTML text."""
    tell = progress or (lambda step: None)
    by = by or natural_grouping(dataset)
    tell("measures")
    summary = summarise(dataset, by)
    tell("description")
    description = describe(dataset, by)
    tell("figures")
    drawn = _figures(summary, description)
    tell("page")
    environment = Environment(
        loader=PackageLoader("vivavoce.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(groupby_runs=_runs, trusted=Markup)
    style = Markup(environment.loader.get_source(environment, "report.css")[0])  # type: ignore[union-attr]
    return environment.get_template("report.html.j2").render(
        style=style, **_context(dataset, summary, description), figures=drawn
    )


def _runs(rows: Iterable[content.Row]) -> list[dict[str, Any]]:
    """Rows in blocks of the same group, in order."""
    return [{"name": name, "rows": list(block)} for name, block in groupby(rows, key=lambda row: row.group)]


def _figures(summary: dict[str, Any], description: dict[str, Any]) -> dict[str, Figure]:
    mark = prose.SIMULATED_MARK if summary["simulated"] else ""
    shown = content.headlines(summary)
    drawable = {
        name: title
        for name, title in shown.items()
        if all(row[name]["low"] is not None or not row[name]["n"] for row in summary["by"])
    }
    figures: list[Figure] = []
    if drawable and len(summary["by"]) <= MOST_DRAWN_GROUPS:
        figures.append(success_figure(summary["by"], drawable, mark=mark))
    if summary["all"]["participants"]:
        histogram = summary["all"]["dialogues_per_participant"]["histogram"]
        figures.append(participants_figure(histogram, mark=mark))
    if description["durations"] and len(description["durations"]) <= MOST_DRAWN_GROUPS:
        figures.append(durations_figure(description["durations"], mark=mark))
    return {figure.name: figure for figure in figures}


def _context(dataset: Dataset, summary: dict[str, Any], description: dict[str, Any]) -> dict[str, Any]:
    """Everything that the template prints."""
    keys = [row["key"] for row in summary["by"]]
    entities = dataset.read("entities").column("source").to_pylist()
    return {
        "study": dataset.study,
        "simulated": summary["simulated"],
        "mark": prose.SIMULATED_MARK if summary["simulated"] else "",
        "empty": not summary["all"]["dialogues"],
        "lead": prose.lead(summary, description),
        "warnings": summary["warnings"],
        "notes": description["notes"],
        "run": prose.what_was_run(summary, description),
        "has_rates": bool(content.headlines(summary)),
        "success": content.success_table(summary),
        "tests": content.tests_table(summary),
        "participants": background.participants_table(summary),
        "measures": content.measures_table(summary),
        "endings": background.endings_table(description),
        "incidents": background.incidents_table(description),
        "questionnaires": background.questionnaire_tables(description, keys),
        "free_text": any(
            item["free_text"] for sheet in description["questionnaires"] for item in sheet["items"]
        ),
        "variants": content.variants_table(summary),
        "definitions": prose.definitions(summary),
        "limits": prose.limits(summary, self_reported="self_reported" in entities),
        "data": summary["data"],
        "version": summary["vivavoce"],
        "made": str(description["created_at"] or "")[:10],
    }
