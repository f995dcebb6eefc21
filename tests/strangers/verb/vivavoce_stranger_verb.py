"""What people and systems say of something: `vivavoce quote calls atlas`."""

from pathlib import Path
from typing import Annotated

import typer

import vivavoce as vv


def quote(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Dataset folder.")],
    word: Annotated[str, typer.Argument(help="What the turns shown contain.")],
    party: Annotated[str | None, typer.Option("--party", help="Only turns of user or system.")] = None,
) -> None:
    """Show every turn that contains a word."""
    turns = vv.Dataset(dataset).read("turns").to_pylist()
    found = [one for one in turns if word.lower() in (one["text"] or "").lower()]
    for turn in found:
        if party in (None, turn["party"]):
            typer.echo(f"{turn['dialogue_id']} {turn['turn_index']} {turn['party']}: {turn['text']}")


QUOTE = vv.Verb(
    "quote",
    quote,
    part="Data",
    examples=("calls atlas", "calls atlas --party user"),
)
