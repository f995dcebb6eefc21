"""Simulated users fitted to real calls, and compared with them: `simulate fit`, `simulate compare`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vivavoce.cli.progress import note

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON on stdout.")]


def fit(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Folder of a dataset of real calls.")],
    out: Annotated[Path, typer.Option("--out", help="File for the population.")],
    name: Annotated[str | None, typer.Option("--name", help="Its name; the dataset's when left out.")] = None,
    as_json: Json = False,
) -> None:
    """Fit the habits of simulated users to real calls, and write them as a population file."""
    from vivavoce.core.errors import InputError
    from vivavoce.log.dataset import Dataset
    from vivavoce.simulation.population_file import read_population
    from vivavoce.stats.calibration import fit as fit_to

    opened = Dataset(dataset)
    if opened.simulated:
        raise InputError("holds simulated dialogues", place=str(dataset), hint="fit to calls by people")
    if out.exists():
        raise InputError("is already there", place=str(out), hint="choose another file, or move it away")
    fitted = fit_to(opened, name or f"{opened.study}-callers")
    out.write_text(_population_text(fitted), encoding="utf-8")
    read_population(out)
    note(f"wrote {out}")
    typer.echo(json.dumps(fitted) if as_json else _told(fitted))


def compare(
    real: Annotated[Path, typer.Argument(metavar="REAL", help="Dataset of real calls.")],
    simulated: Annotated[Path, typer.Argument(metavar="SIMULATED", help="Dataset of simulated calls.")],
    figures: Annotated[Path | None, typer.Option("--figures", help="Folder for figures, as SVG.")] = None,
    as_json: Json = False,
) -> None:
    """Compare simulated calls with real ones: distributions, and how far apart they are."""
    from vivavoce.log.dataset import Dataset
    from vivavoce.stats.calibration import compare as compare_with

    compared = compare_with(Dataset(real), Dataset(simulated))
    if figures is not None:
        from vivavoce.report.calibration import distribution_figure
        from vivavoce.report.drawing import PAGE_FONT, PRINT_FONT

        figures.mkdir(parents=True, exist_ok=True)
        for one in compared:
            drawn = distribution_figure(one)
            (figures / f"{drawn.name}.svg").write_text(
                drawn.printed.replace(PRINT_FONT, PAGE_FONT), encoding="utf-8"
            )
        note(f"wrote {len(compared)} figures to {figures}")
    if as_json:
        typer.echo(json.dumps({"simulated": True, "features": compared}))
        return
    _show(compared)


def _show(compared: "Sequence[Mapping[str, Any]]") -> None:
    from rich.console import Console

    from vivavoce.core.terminal import FittedTable as Table

    heads = ("feature", "mean real", "mean simulated", "KL (bits)", "Cramér", "n real", "n simulated")
    table = Table(*heads, title="SIMULATED calls beside real ones")
    for one in compared:
        figures = (one["mean_real"], one["mean_simulated"], one["kullback_leibler_bits"], one["cramer"])
        shown = ["-" if value is None else f"{value:.3f}" for value in figures]
        table.add_row(one["meaning"], *shown, str(one["n_real"]), str(one["n_simulated"]))
    Console().print(table)


def _population_text(fitted: "Mapping[str, Any]") -> str:
    from io import StringIO

    from ruamel.yaml import YAML

    yaml, out = YAML(), StringIO()
    yaml.width = 110
    yaml.dump(dict(fitted), out)
    return "# Habits of simulated users, fitted to real calls by `vivavoce simulate fit`.\n" + out.getvalue()


def _told(fitted: "Mapping[str, Any]") -> str:
    lines = [f"word error rate: {fitted.get('word_error_rate', 'not told')}"]
    for habit, value in fitted["habits"].items():
        if isinstance(value, dict):
            value = f"mean {sum(n * share for n, share in value['values'].items()):.2f}"
        n = fitted["source"]["told"].get(habit, {}).get("n")
        lines.append(f"{habit.replace('_', ' ')}: {value}" + (f" (n {n})" if n else ""))
    lines += [f"{habit}: not told by these calls" for habit in fitted["source"]["not_told"]]
    return "\n".join(lines)
