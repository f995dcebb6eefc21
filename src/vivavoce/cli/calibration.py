"""Simulated users fitted to real calls, and compared with them: `simulate fit`, `simulate compare`."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vivavoce.cli.arguments import Engine_, note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.analysis.calibration import ComparedFeature, FittedPopulation
    from vivavoce.analysis.classifier_two_sample import ToldApart

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON to stdout.")]


def fit(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Dataset folder of real calls.")],
    out: Annotated[Path, typer.Option("--out", help="Population file to write.")],
    name: Annotated[
        str | None, typer.Option("--name", help="Population name (default: the dataset's).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Fit the habits of simulated users to real calls, and write them as a population file."""
    from vivavoce.analysis.calibration import fit as fit_to
    from vivavoce.core.errors import InputError
    from vivavoce.core.result import as_json as plain
    from vivavoce.dataset.reader import Dataset
    from vivavoce.simulation.population_file import read_population

    opened = Dataset(dataset)
    if opened.simulated:
        raise InputError("contains simulated dialogues", place=str(dataset), hint="Fit to calls by people")
    if out.exists():
        raise InputError("already exists", place=str(out), hint="Choose another file, or move it away")
    fitted = fit_to(opened, name or f"{opened.study}-callers")
    out.write_text(_population_text(fitted), encoding="utf-8")
    read_population(out)
    note(f"wrote {out}")
    typer.echo(json.dumps(plain(fitted)) if as_json else _told(fitted))


def compare(
    real: Annotated[Path, typer.Argument(metavar="REAL", help="Dataset of real calls.")],
    simulated: Annotated[Path, typer.Argument(metavar="SIMULATED", help="Dataset of simulated calls.")],
    figures: Annotated[Path | None, typer.Option("--figures", help="Folder for figures (SVG).")] = None,
    engine: Engine_ = None,
    as_json: Json = False,
) -> None:
    """Compare simulated calls with real ones: distributions, and a classifier that separates them."""
    from vivavoce.analysis.calibration import compare as compare_with
    from vivavoce.analysis.classifier_two_sample import tell_apart
    from vivavoce.core.result import as_json as plain
    from vivavoce.dataset.reader import Dataset

    people, programs = Dataset(real), Dataset(simulated)
    compared, told = compare_with(people, programs), tell_apart(people, programs)
    if figures is not None:
        from vivavoce.reports.calibration import distribution_figure
        from vivavoce.reports.drawing import PAGE_FONT, PRINT_FONT

        figures.mkdir(parents=True, exist_ok=True)
        for one in compared:
            drawn = distribution_figure(one)
            (figures / f"{drawn.name}.svg").write_text(
                drawn.printed.replace(PRINT_FONT, PAGE_FONT), encoding="utf-8"
            )
        note(f"wrote {len(compared)} figures to {figures}")
    if as_json:
        typer.echo(json.dumps({"simulated": True, "features": plain(compared), "told_apart": plain(told)}))
        return
    _show(compared, told)


def _show(compared: "Sequence[ComparedFeature]", told: "Sequence[ToldApart]") -> None:
    from rich.console import Console

    from vivavoce.core.terminal import FittedTable as Table

    heads = ("feature", "mean real", "mean simulated", "KL (bits)", "Cramér", "n real", "n simulated")
    table = Table(*heads, title="SIMULATED calls compared with real calls")
    for one in compared:
        figures = (one.mean_real, one.mean_simulated, one.kullback_leibler_bits, one.cramer)
        shown = ["-" if value is None else f"{value:.3f}" for value in figures]
        table.add_row(one.meaning, *shown, str(one.n_real), str(one.n_simulated))
    console = Console()
    console.print(table)
    for one in told:
        interval = "" if one.low is None else f" ({one.low:.3f} to {one.high:.3f})"
        console.print(
            f"classifier {one.by}, unseen callers: balanced accuracy {one.balanced_accuracy:.3f}{interval}; "
            f"signs of real calls: {', '.join(one.of_real)}; signs of simulated calls: "
            f"{', '.join(one.of_simulated)}",
            markup=False,
            highlight=False,
        )
    if not told:
        console.print("too few callers to tell real from simulated calls")


def _population_text(fitted: "FittedPopulation") -> str:
    from io import StringIO

    from ruamel.yaml import YAML

    yaml, out = YAML(), StringIO()
    yaml.width = 110
    content = asdict(fitted, dict_factory=lambda rows: {key: one for key, one in rows if one is not None})
    yaml.dump(content, out)
    return "# Habits of simulated users, fitted to real calls by `vivavoce simulate fit`.\n" + out.getvalue()


def _told(fitted: "FittedPopulation") -> str:
    from vivavoce.analysis.calibration import HabitValues
    from vivavoce.core.result import as_json

    rate = "not told" if fitted.word_error_rate is None else as_json(fitted.word_error_rate)
    lines = [f"word error rate: {rate}"]
    for habit, value in fitted.habits.items():
        if isinstance(value, HabitValues):
            value = f"mean {sum(n * share for n, share in value.values.items()):.2f}"
        told = fitted.source.told.get(habit)
        lines.append(f"{habit.replace('_', ' ')}: {value}" + (f" (n {told.n})" if told and told.n else ""))
    lines += [f"{habit}: cannot be estimated from these calls" for habit in fitted.source.not_told]
    return "\n".join(lines)
