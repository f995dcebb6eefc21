"""Datasets for the verbs of analysis: people or simulated users, both only on request."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import RenderableType

    from vivavoce.dataset.reader import Dataset

Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude",
        metavar="RULE",
        help=(
            "Exclude these dialogues, such as 'user_turns < 2', in place of the study's rules; none: "
            "exclude nothing."
        ),
    ),
]

_allowed = False
_told: dict[str, None] = {}  # what is told once the numbers are there
_simulated: set[str] = set()  # names of the datasets of programs that this run has opened


def allow_mixed(allowed: bool) -> None:
    """Allow this run to analyse dialogues of people and simulated users together."""
    global _allowed
    _allowed = allowed
    _told.clear()
    _simulated.clear()


def _allow_replacing(allowed: bool) -> None:
    from vivavoce.dataset.reader import allow_replacing

    allow_replacing(allowed)


# for every verb that writes a dataset
Replace = Annotated[
    bool,
    typer.Option("--replace", callback=_allow_replacing, help="Replace an existing dataset."),
]


def require_one_population(folder: Path, exclude: list[str] | None = None) -> "Dataset":
    """Open a dataset folder and print its warnings once per run.

    Raises  InputError: as `open_dataset`
    """
    from vivavoce.api.opening import open_dataset

    opened = open_dataset(folder, exclude or None, mixed=_allowed)
    _tell(opened)
    return opened


def unmixed_pair(folder: Path, other: Path, exclude: list[str] | None = None) -> "tuple[Dataset, Dataset]":
    """Open two datasets to compare, and print warnings about the comparison.

    Raises  InputError: as `open_two`
    """
    from vivavoce.api.opening import open_two

    two = open_two(folder, other, exclude or None, mixed=_allowed)
    _tell(*two)
    return two


def _tell(*datasets: "Dataset") -> None:
    """Warnings that belong to the results of these datasets."""
    from vivavoce.api.opening import data_warnings

    _simulated.update(str(dataset.folder) for dataset in datasets if dataset.simulated)
    for line in data_warnings(*datasets):
        warn(line)


def warn(line: str) -> None:
    """Print the warnings at the end, once per run, so that an error stays one line."""
    _told[line] = None


def tell_warnings(*_: object, **__: object) -> None:
    """Print the warnings collected in this run."""
    from vivavoce.cli.progress import note

    for line in _told:
        note(line)
    _told.clear()


def print_json(facts: object) -> None:
    """Print the opened datasets as JSON, marked when any of them is simulated."""
    import json

    from vivavoce.core.result import as_json

    told = {"simulated": bool(_simulated)} | as_json(facts)
    typer.echo(json.dumps(told, indent=2, ensure_ascii=False, allow_nan=False))


def refuse_unused(kind: str, given: dict[str, Any]) -> None:
    """Reject options that would have no effect.

    Raises  InputError: such an option was given
    """
    from vivavoce.core.errors import InputError

    name = next((name for name, value in given.items() if value not in (None, [])), None)
    if name is not None:
        raise InputError(f"has no effect on {kind}", place=name, hint="Leave it out")


def print_parts(parts: "Iterable[RenderableType]") -> None:
    """Print tables and sentences to stdout."""
    from rich.console import Console

    console = Console()
    for part in parts:
        console.print(part)
