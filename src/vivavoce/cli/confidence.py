"""The verb `confidence`: does a recogniser know when it is wrong?"""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer


def confidence(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Folder with dataset.json.")],
    by: Annotated[str, typer.Option("--by", help="system, condition, participant, a factor, ...")] = "system",
    source: Annotated[str, typer.Option("--source", help="Recogniser or pass: live, batch, ...")] = "live",
    ranks: Annotated[
        Literal["first", "all"], typer.Option("--ranks", help="First hypothesis of each turn, or all.")
    ] = "first",
    bins: Annotated[int, typer.Option("--bins", min=2, max=100, help="Of the reliability diagram.")] = 10,
    level: Annotated[float, typer.Option("--level", min=0.5, max=0.999, help="Of intervals.")] = 0.95,
    figure: Annotated[Path | None, typer.Option("--figure", help="Write the diagram here, as SVG.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON on stdout.")] = False,
) -> None:
    """Calibration of recognition confidences: calibration error, Brier score, area under the curve."""
    from vivavoce.cli.datasets import print_json, unmixed
    from vivavoce.cli.progress import note
    from vivavoce.stats.confidence import confidence_results

    found = confidence_results(unmixed(dataset), by, source=source, ranks=ranks, bins=bins, level=level)
    if figure is not None:
        from vivavoce.report.drawing import PAGE_FONT, PRINT_FONT
        from vivavoce.report.prose import mark
        from vivavoce.sections.recognition.section import reliability_figure

        drawn = reliability_figure(found["all"], mark=mark(simulated=found["simulated"])).printed
        figure.write_text(drawn.replace(PRINT_FONT, PAGE_FONT), encoding="utf-8")
        note(f"wrote {figure}")
    if as_json:
        print_json(found)
    else:
        _show(found)


def _show(found: dict[str, Any]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.text import Text

    from vivavoce.core.terminal import FittedTable as Table
    from vivavoce.report.numbers import label

    groups = [*found["by"], *([found["all"]] if len(found["by"]) > 1 else [])]
    table = Table(
        f"by {found['by_what']}",
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
    for one in groups:
        name = "all" if one is found["all"] else label(one["key"])
        measured = (_within(one, each, "\n") for each in ("expected_calibration_error", "brier", "auc"))
        table.add_row(Text(name), f"{one['right']:.3f}", f"{one['confidence']:.3f}", *measured,
                      f"{one['n']}\n{one['participants']}")  # fmt: skip
    bins = Table("confidence", "mean", "share right", "hypotheses", box=SIMPLE_HEAD, show_edge=False)
    for one in found["all"]["bins"]:
        shown = ("", "") if not one["n"] else (f"{one['confidence']:.3f}", _within(one, "right"))
        bins.add_row(f"{one['low']:.2f}-{one['high']:.2f}", *shown, str(one["n"]))
    console = Console(highlight=False)
    console.print(table, bins, sep="\n\n")
    for one in groups:
        console.print(one["signature"], markup=False, style="dim")


def _within(one: dict[str, Any], name: str, space: str = " ") -> str:
    if one[name] is None:
        return ""
    low, high = one[f"{name}_low"], one[f"{name}_high"]
    return f"{one[name]:.3f}" + ("" if low is None else f"{space}{low:.2f}-{high:.2f}")
