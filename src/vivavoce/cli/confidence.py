"""The verb `confidence`: does a recogniser know when it is wrong?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from vivavoce.cli.arguments import Dataset_

if TYPE_CHECKING:
    from vivavoce.analysis.confidence import ConfidenceResults


def confidence(
    dataset: Dataset_,
    by: Annotated[
        str, typer.Option("--by", help="system, condition, participant, population, a factor, ...")
    ] = "system",
    source: Annotated[str, typer.Option("--source", help="Recogniser or pass: live, batch, ...")] = "live",
    ranks: Annotated[
        Literal["first", "all"],
        typer.Option("--ranks", help="Hypotheses to use: first of each turn, or all."),
    ] = "first",
    bins: Annotated[
        int, typer.Option("--bins", min=2, max=100, help="Bins of the reliability diagram.")
    ] = 10,
    level: Annotated[float, typer.Option("--level", min=0.5, max=0.999, help="Of intervals.")] = 0.95,
    figure: Annotated[
        Path | None, typer.Option("--figure", help="Write the diagram to this SVG file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON to stdout.")] = False,
) -> None:
    """Calibration of recognition confidences: calibration error, Brier score, area under the curve."""
    from vivavoce.analysis.confidence import confidence_results
    from vivavoce.cli.arguments import note, print_json, require_one_population

    found = confidence_results(
        require_one_population(dataset), by, source=source, ranks=ranks, bins=bins, level=level
    )
    if figure is not None:
        from vivavoce.reports.drawing import PAGE_FONT, PRINT_FONT
        from vivavoce.reports.section import simulation_mark
        from vivavoce.sections.recognition.section import reliability_figure

        drawn = reliability_figure(found.all.found, mark=simulation_mark(simulated=found.simulated)).printed
        figure.write_text(drawn.replace(PRINT_FONT, PAGE_FONT), encoding="utf-8")
        note(f"wrote {figure}")
    if as_json:
        print_json(found)
    else:
        _show(found)


def _show(found: "ConfidenceResults") -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.text import Text

    from vivavoce.core.terminal import FittedTable as Table
    from vivavoce.reports.language import label

    groups = [*found.by, *([found.all] if len(found.by) > 1 else [])]
    table = Table(
        f"by {found.by_what}",
        "right",
        "sure",
        "calibration\nerror",
        "Brier\nscore",
        "AUC",
        "hypotheses\nof people",
        box=SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 1, 0, 0),
    )
    for group in groups:
        name, one = "all" if group is found.all else label(group.key), group.found
        measured = (
            _within(getattr(one, each), *one.limits(each), "\n")
            for each in ("expected_calibration_error", "brier", "auc")
        )
        table.add_row(
            Text(name), f"{one.right:.3f}", f"{one.confidence:.3f}", *measured, f"{one.n}\n{one.participants}"
        )
    bins = Table("confidence", "mean", "share right", "hypotheses", box=SIMPLE_HEAD, show_edge=False)
    for one in found.all.found.bins:
        shown = (_within(one.confidence), _within(one.right, one.right_low, one.right_high))
        bins.add_row(f"{one.low:.2f}-{one.high:.2f}", *shown, str(one.n))
    console = Console(highlight=False)
    console.print(table, bins, sep="\n\n")
    for group in groups:
        console.print(group.signature, markup=False, style="dim")


def _within(
    value: float | None, low: float | None = None, high: float | None = None, space: str = " "
) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" + ("" if low is None else f"{space}{low:.2f}-{high:.2f}")
