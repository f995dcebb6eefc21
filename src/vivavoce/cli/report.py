"""The verbs `report` and `preregister`."""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vivavoce.cli.arguments import Dataset_, Engine_, Exclude, Study_, note, offered, progress
from vivavoce.cli.arguments import Report as Moved

if TYPE_CHECKING:
    from vivavoce.api.reporting import Report
    from vivavoce.reports.blocks import Document


class Shape(StrEnum):
    """Registry for the preregistration."""

    aspredicted = "aspredicted"
    osf = "osf"


def complete_sections(incomplete: str) -> list[str]:
    """Completions of a list of sections."""
    from vivavoce.reports.section import sections_in_order

    before, comma, _ = incomplete.rpartition(",")
    others = (one.name for one in sections_in_order() if one.name not in before.split(","))
    return [full for name in others if (full := before + comma + name).startswith(incomplete)]


def print_report(document: "Document") -> None:
    """A report on standard output, in the terminal's width."""
    from rich.console import Console

    from vivavoce.reports.terminal import terminal_lines

    console = Console(highlight=False)
    for line in terminal_lines(document):
        console.print(line, markup=False)


def report(
    dataset: Dataset_,
    out: Annotated[
        Path, typer.Option("--out", help="Output file: .html, .pdf or .docx; - prints to stdout.")
    ] = Path("report.html"),
    by: Annotated[str | None, typer.Option("--by", help="Column to compare (default: detected).")] = None,
    language: Annotated[
        str,
        typer.Option(
            "--language",
            help="Language of the report: {vivavoce.languages}.",
            autocompletion=offered("vivavoce.languages"),
        ),
    ] = "en",
    sections: Annotated[
        str | None,
        typer.Option(
            "--sections",
            help="Only these sections, such as results,flow,limits.",
            autocompletion=complete_sections,
        ),
    ] = None,
    transcripts: Annotated[
        int, typer.Option("--transcripts", min=0, help="Show this many failed dialogues turn by turn.")
    ] = 0,
    redact: Annotated[bool, typer.Option("--redact", help="Hide the text of these dialogues.")] = False,
    against: Annotated[
        Path | None, typer.Option("--against", metavar="DATASET", help="Dataset of the previous version.")
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option("--margin", help="Non-inferiority margin of a rate (default: the study's, or 0.1)."),
    ] = None,
    cost: Annotated[
        list[str] | None,
        typer.Option(
            "--cost",
            help="Total cost of a comparison of transcripts; POPULATION=AMOUNT: cost of one population.",
        ),
    ] = None,
    half_width: Annotated[
        float | None,
        typer.Option(
            "--half-width",
            help=("Half-width of a rate's interval for the cost per population (default 0.05)."),
        ),
    ] = None,
    hourly: Annotated[
        float | None, typer.Option("--hourly", help="Hourly cost of one person, for judgements.")
    ] = None,
    exclude: Exclude = None,
    figures: Annotated[
        Path | None,
        typer.Option("--figures", metavar="DIR", help="Folder for figures: SVG, PNG, CSV, Vega-Lite."),
    ] = None,
    dashboard: Annotated[
        str | None,
        typer.Option(
            "--dashboard", metavar="URL", help=("Dashboard address; numbers link to their dialogues.")
        ),
    ] = None,
    tables: Annotated[
        Path | None, typer.Option("--tables", metavar="DIR", help="Folder for tables: CSV and LaTeX.")
    ] = None,
    engine: Engine_ = None,
) -> None:
    """Write a report on a dataset: a single HTML file, a PDF, a Word file, or text."""
    from vivavoce.api.reporting import composed, require_file
    from vivavoce.cli.arguments import require_one_population, unmixed_pair

    printed = str(out) == "-"
    if not printed:
        require_file(out)
    whole, of_populations = _costs(cost or [])
    with progress("reading the dataset") as moved:
        opened, last = (
            unmixed_pair(dataset, against, exclude)
            if against is not None
            else (require_one_population(dataset, exclude), None)
        )
        made = composed(
            opened,
            last,
            by=by,
            language=language,
            transcripts=transcripts,
            redact=redact,
            margin=margin,
            cost=whole,
            population_costs=of_populations,
            half_width=half_width,
            hourly=hourly,
            sections=[name.strip() for name in sections.split(",") if name.strip()] if sections else None,
            progress=moved,
        )
        made = made if dashboard is None else made.linked(dashboard)
        told = _written(made, [] if printed else [out], figures, tables, moved)
    if printed:
        print_report(made.document)
    for line in told:
        note(line)


def _written(
    made: "Report", files: list[Path], figures: Path | None, tables: Path | None, moved: Moved
) -> list[str]:
    """Write all requested files; return one line each."""
    wanted: list[tuple[Path, Callable[[Path], Path | list[Path]]]] = [(out, made.save) for out in files]
    wanted += [(figures, made.save_figures)] if figures else []
    wanted += [(tables, made.save_tables)] if tables else []
    told = []
    for number, (place, save) in enumerate(wanted):
        moved(number, len(wanted), f"writing {place.name}")
        saved = save(place)
        told.append(f"wrote {len(saved)} files into {place}" if isinstance(saved, list) else f"wrote {saved}")
    return told


def _costs(words: list[str]) -> tuple[float | None, dict[str, float]]:
    """Total cost, and cost by population."""
    from vivavoce.core.errors import InputError

    whole, by_name = None, dict[str, float]()
    for word in words:
        name, equals, text = word.rpartition("=")
        try:
            amount = float(text)
        except ValueError:
            amount = -1.0
        if not 0 <= amount < float("inf"):
            hint = "Write 120 or crowd=120"
            raise InputError(f"cannot read the cost {word!r}", place="--cost", hint=hint)
        if equals:
            by_name[name] = amount
        else:
            whole = amount
    return whole, by_name


def preregister(
    study: Study_,
    shape: Annotated[
        Shape, typer.Option("--shape", help="Registry whose headings to use.")
    ] = Shape.aspredicted,
    out: Annotated[Path | None, typer.Option("--out", help="Markdown file (default: stdout).")] = None,
    log: Annotated[
        str | None, typer.Option("--log", help="Log address: sqlite:/// or postgresql://.")
    ] = None,
) -> None:
    """Write a study's declared analysis as preregistration text, with the study file's SHA-256."""
    from vivavoce.api.studies import existing_log, read_study, study_path
    from vivavoce.reports.preregistration import preregistration

    plan = read_study(study)
    opened = existing_log(plan, log)
    collected = None
    if opened is not None:
        with opened:
            collected = opened.collected(plan.name)
    text = preregistration(study_path(study), shape.value, collected=collected)
    if out is None:
        typer.echo(text, nl=False)
    else:
        out.parent.mkdir(exist_ok=True)
        out.write_text(text, encoding="utf-8")
        note(f"wrote {out}")
