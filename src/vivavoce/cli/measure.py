"""The verb `measure`: interaction parameters of a dataset, and their catalogue."""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any

import typer

from vivavoce.cli.arguments import Engine_, Exclude, note, print_json, print_parts, warn
from vivavoce.core.executor import uncollected


def measure(
    dataset: Annotated[
        Path | None, typer.Argument(metavar="DATASET", help="Dataset folder.", show_default=False)
    ] = None,
    by: Annotated[
        str, typer.Option("--by", help="system, condition, participant, population, a factor, ...")
    ] = "system",
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="FAMILY",
            help="Measures to list: families, names, symbols, instrumental, expert or all.",
        ),
    ] = None,
    keywords: Annotated[
        Path | None, typer.Option("--keywords", help="Keywords for isolated-word measures, one per line.")
    ] = None,
    exclude: Exclude = None,
    listing: Annotated[bool, typer.Option("--list", help="List the available measures.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON to stdout.")] = False,
    engine: Engine_ = None,
    csv: Annotated[Path | None, typer.Option("--csv", help="Write every value to this CSV file.")] = None,
    parquet: Annotated[
        Path | None, typer.Option("--parquet", help="Write every value to this Parquet file.")
    ] = None,
) -> None:
    """Compute the measures of a dataset and compare its systems."""
    if listing:
        _list(only or ["all"], as_json=as_json)
        return
    from vivavoce.core.errors import InputError

    if dataset is None:
        raise InputError("dataset missing", place="measure", hint="Name its folder, or add --list")
    if not (only or csv or parquet or keywords):
        with uncollected():
            _summary(dataset, by, exclude, as_json=as_json)
        return
    from vivavoce.api.measuring import measurements
    from vivavoce.cli.arguments import require_one_population

    found = measurements(require_one_population(dataset, exclude), by, only, _words(keywords))
    if csv is not None:
        _safe(found.frame).to_csv(csv, index=False)
        note(f"wrote {csv}")
    if parquet is not None:
        found.frame.to_parquet(parquet, index=False)
        note(f"wrote {parquet}")
    if as_json:
        print_json(found.facts)
    elif only or keywords:
        print_parts(found.table())
        for line in found.closing():
            note(line)
        for warning in found.warnings:
            warn(warning)


def _safe(found: Any) -> Any:
    """The table with texts made safe for spreadsheets."""
    from vivavoce.dataset.csv_files import safe_csv_cell

    texts = found.select_dtypes(exclude=["number", "bool"]).columns
    made = found.copy()
    for name in texts:
        made[name] = [safe_csv_cell(one) if isinstance(one, str) else one for one in found[name]]
    return made


def _summary(folder: Path, by: str, exclude: list[str] | None, *, as_json: bool) -> None:
    from vivavoce.analysis.summary import summarise
    from vivavoce.cli.arguments import require_one_population

    summary = summarise(require_one_population(folder, exclude), by)
    if as_json:
        print_json(summary)
        return
    from vivavoce.reports.table import comparisons, results_table

    print_parts([results_table(summary), *comparisons(summary)])
    for warning in summary.warnings:
        warn(str(warning))


def _words(path: Path | None) -> set[str] | None:
    if path is None:
        return None
    from vivavoce.core.errors import InputError

    if not path.is_file():
        raise InputError("file not found", place=str(path), hint="Give a text file with one keyword per line")
    return set(path.read_text(encoding="utf-8").split())


def _list(only: Collection[str], *, as_json: bool) -> None:
    from vivavoce.measures import MEASURES
    from vivavoce.measures.values import chosen

    found = [MEASURES.get(name).facts() for name in chosen(only)]
    if as_json:
        typer.echo(json.dumps({"measures": found}, indent=2, ensure_ascii=False))
        return
    from itertools import groupby

    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.text import Text

    from vivavoce.core.terminal import FittedTable as Table

    table = Table("measure", "symbol", "origin", "better", box=SIMPLE_HEAD, show_edge=False)
    for family, own in groupby(
        sorted(found, key=lambda one: str(one["family"])), key=lambda one: one["family"]
    ):
        table.add_section()
        table.add_row(Text(str(family).replace("_", " "), style="bold"))
        for facts in own:
            cells = [str(facts[column] or "") for column in ("name", "symbol", "origin", "direction")]
            table.add_row(*map(Text, cells))
    Console().print(table)
    note(f"{len(found)} measures; see docs/reference/measures.md for their meaning")
