"""The verb `flags`: kind of prompt of each system turn, and the source of that flag."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from vivavoce.cli.arguments import Dataset_, Replace, note

if TYPE_CHECKING:
    from vivavoce.analysis.flagging import FlagScores


def flags(
    dataset: Dataset_,
    rules: Annotated[
        Path | None, typer.Option("--rules", help="Study file, or YAML with `flags:` by system.")
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option("--into", help=("Write the dataset with flags from these rules to this folder.")),
    ] = None,
    replace: Replace = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON to stdout.")] = False,
) -> None:
    """Show the source of system-turn flags; score rules against annotators."""
    from vivavoce.analysis.flagging import score_flags
    from vivavoce.core.errors import InputError
    from vivavoce.core.result import as_json as plain
    from vivavoce.dataset.reader import Dataset
    from vivavoce.dataset.turn_flags import flag_again
    from vivavoce.study.flags_file import read_flag_rules

    opened = Dataset(dataset)
    if into is not None and rules is None:
        raise InputError("nothing to write without rules", place="--into", hint="Add --rules FILE")
    with TemporaryDirectory(prefix="vivavoce-flags-") as spare:
        if rules is not None:
            opened = flag_again(opened, read_flag_rules(rules), into or Path(spare) / "flagged")
        found = score_flags(opened)
    if into is not None:
        note(f"wrote {into}")
    if as_json:
        typer.echo(json.dumps(plain(found), indent=2, allow_nan=False))
    else:
        _show(found)


def _show(found: "FlagScores") -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console

    from vivavoce.core.terminal import FittedTable as Table

    judged = any(row.judged for row in found.flags)
    table = Table("system", "flag", "turns", "told by", "set", box=SIMPLE_HEAD, show_edge=False)
    for name in ("judged", "precision", "recall", "F1", "kappa") if judged else ():
        table.add_column(name)
    for row in found.flags:
        told = "\n".join(f"{origin} {count}" for origin, count in sorted(row.told.items()))
        cells = [row.system, row.flag.replace("_", " "), str(row.turns), told, str(row.set)]
        if judged:
            figures = [row.precision, row.recall, row.f1, row.kappa]
            cells += [str(row.judged), *("–" if figure is None else f"{figure:.2f}" for figure in figures)]
        table.add_row(*cells)
    Console().print(table)
    note(found.signature)
