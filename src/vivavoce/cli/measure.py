"""The verb `measure`: interaction parameters of a dataset, and the catalogue of them."""

import json
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from vivavoce.cli.datasets import Exclude, print_json, warn
from vivavoce.cli.progress import note

if TYPE_CHECKING:
    from rich.text import Text

    from vivavoce.core.terminal import FittedTable as Table

import gc
from collections.abc import Iterator
from contextlib import contextmanager

WIDEST: Final = 12


def measure(
    dataset: Annotated[
        Path | None, typer.Argument(metavar="DATASET", help="Folder with dataset.json.", show_default=False)
    ] = None,
    by: Annotated[str, typer.Option("--by", help="system, condition, participant, a factor, ...")] = "system",
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="FAMILY",
            help="Families, instrumental, expert, names, symbols or all: a table of their values.",
        ),
    ] = None,
    keywords: Annotated[
        Path | None, typer.Option("--keywords", help="Words for isolated-word measures, one a line.")
    ] = None,
    exclude: Exclude = None,
    listing: Annotated[bool, typer.Option("--list", help="List the measures that there are.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")] = False,
    csv: Annotated[Path | None, typer.Option("--csv", help="Write every value to this CSV file.")] = None,
    parquet: Annotated[Path | None, typer.Option("--parquet", help="The same as Parquet.")] = None,
) -> None:
    """Compute the measures of a dataset and compare its systems."""
    if listing:
        _list(only or ["all"], as_json=as_json)
        return
    from vivavoce.core.errors import InputError

    if dataset is None:
        raise InputError("no dataset given", place="measure", hint="name its folder, or say --list")
    if not (only or csv or parquet or keywords):
        with uncollected():
            _summary(dataset, by, exclude, as_json=as_json)
        return
    from vivavoce.cli.datasets import unmixed
    from vivavoce.measures.values import EVERYTHING, chosen, records, values
    from vivavoce.measures.values import as_json as made_json
    from vivavoce.stats.flow import exclusion_words
    from vivavoce.stats.intervals import with_intervals
    from vivavoce.stats.summary import open_disputes

    opened, words = unmixed(dataset, exclude), _words(keywords)
    found = values(opened, chosen(only or [EVERYTHING]), by, keywords=words)
    found = with_intervals(opened, found, by, keywords=words)
    if csv is not None:
        _safe(found).to_csv(csv, index=False)
        note(f"wrote {csv}")
    if parquet is not None:
        found.to_parquet(parquet, index=False)
        note(f"wrote {parquet}")
    if as_json:
        made = made_json(opened, found, by)
        print_json(made)
    elif only or keywords:
        _show(records(found), by)
        for told in filter(None, (exclusion_words(opened), *open_disputes(opened))):
            warn(told)


def _safe(found: Any) -> Any:
    """The table with texts that no spreadsheet takes for a formula."""
    from vivavoce.log.export_csv import safe_csv_cell

    texts = found.select_dtypes(exclude=["number", "bool"]).columns
    made = found.copy()
    for name in texts:
        made[name] = [safe_csv_cell(one) if isinstance(one, str) else one for one in found[name]]
    return made


def _summary(folder: Path, by: str, exclude: list[str] | None, *, as_json: bool) -> None:
    from vivavoce.cli.datasets import unmixed
    from vivavoce.stats.summary import summarise

    summary = summarise(unmixed(folder, exclude), by)
    if as_json:
        print_json(summary)
        return
    from rich.console import Console

    from vivavoce.report.table import comparisons, results_table

    console = Console()
    for part in (results_table(summary), *comparisons(summary)):
        console.print(part)
    for warning in summary["warnings"]:
        warn(warning)


def _words(path: Path | None) -> set[str] | None:
    if path is None:
        return None
    from vivavoce.core.errors import InputError

    if not path.is_file():
        raise InputError("no such file", place=str(path), hint="give a text file with one keyword a line")
    return set(path.read_text(encoding="utf-8").split())


def _show(found: list[dict[str, Any]], by: str) -> None:
    """One table: a row a measure, families apart, a column a group; under a value interval and dialogues."""
    from rich.console import Console

    rows = [row for row in found if row["dialogues"]]
    keys = list(dict.fromkeys(row["key"] for row in found))
    if rows:
        Console().print(_table(rows, by, keys if len(keys) <= WIDEST else keys[-1:]))
    missing = len({row["measure"] for row in found} - {row["measure"] for row in rows})
    if any(row["low"] is not None for row in rows):
        note("under each value its 95% interval (participants as the unit), then the dialogues it rests on")
    if missing:
        note(f"{missing} measures are missing in every dialogue; `--list` says what they need")


def _table(rows: list[dict[str, Any]], by: str, keys: list[Any]) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.text import Text

    from vivavoce.core.terminal import FittedTable as Table
    from vivavoce.measures import MEASURES
    from vivavoce.report.numbers import label

    table = Table(box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column(f"by {by}", overflow="fold")
    for key in keys:
        table.add_column(Text(label(key)), justify="right", overflow="fold")
    cells = {(row["measure"], row["key"]): row for row in rows}
    for family in dict.fromkeys(one.family for _, one in MEASURES):
        own = dict.fromkeys(row["measure"] for row in rows if row["family"] == family)
        if own:
            table.add_section()
            table.add_row(Text(family.replace("_", " ").capitalize(), style="bold"))
        for name in own:
            one = MEASURES.get(name)
            symbol = "" if one.symbol.startswith("#") else f" {one.symbol}"
            values = [_cell(cells.get((name, key)), one.unit) for key in keys]
            table.add_row(Text(one.title).append(symbol, style="dim"), *values)
    return table


def _cell(row: dict[str, Any] | None, unit: str) -> "Text":
    from rich.text import Text

    from vivavoce.report.content import limits
    from vivavoce.report.numbers import amount, between, count

    text = Text(amount(row["value"] if row else None, unit))
    if not row:
        return text
    if row["open"]:
        bounds = between(row["lowest"], row["highest"], lambda value: amount(value, unit))
        text.append(f"\n{bounds}\n{count(row['open'])} open", style="yellow")
    shown = limits(row["low"], row["high"], unit)
    if (row["low"] or 0) >= 0:
        shown = shown.replace(" to ", "\u2013")  # as narrow as a terminal's columns are
    return text.append("".join(f"\n{one}" for one in (shown, count(row["dialogues"])) if one), style="dim")


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
    note(f"{len(found)} measures; what each means: docs/reference/measures.md")


@contextmanager
def uncollected() -> Iterator[None]:
    """Look for no cycles meanwhile: plain tables hold none, and looking takes a fifth of the time."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()
