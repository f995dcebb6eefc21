"""Datasets as the verbs of analysis take them: people or programs, never both unless told."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import RenderableType

    from vivavoce.log.dataset import Dataset

Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude", metavar="RULE",
        help="Leave these out, such as 'user_turns < 2', not what the study says; none: nothing.",
    ),
]  # fmt: skip

_allowed = False
_told: dict[str, None] = {}  # what is told once the numbers are there
_simulated: set[str] = set()  # names of the datasets of programs that this run has opened


def allow_mixed(allowed: bool) -> None:
    """Whether dialogues of people and of simulated users may be taken together in this run."""
    global _allowed
    _allowed = allowed
    _told.clear()
    _simulated.clear()


def _allow_replacing(allowed: bool) -> None:
    from vivavoce.log.dataset_folder import allow_replacing

    allow_replacing(allowed)


# for every verb that writes a dataset
Replace = Annotated[
    bool,
    typer.Option(
        "--replace", callback=_allow_replacing, help="Put the new dataset in the place of the one there."
    ),
]


def unmixed(folder: Path, exclude: list[str] | None = None) -> "Dataset":
    """The dataset of a folder; what its numbers must not be read without is told once a run.

    Raises  InputError: as `open_dataset`
    """
    from vivavoce.api.opening import open_dataset

    opened = open_dataset(folder, exclude or None, mixed=_allowed)
    _tell(opened)
    return opened


def unmixed_pair(folder: Path, other: Path, exclude: list[str] | None = None) -> "tuple[Dataset, Dataset]":
    """Two datasets to be compared; what is doubtful about comparing them is told.

    Raises  InputError: as `open_two`
    """
    from vivavoce.api.opening import open_two

    both = open_two(folder, other, exclude or None, mixed=_allowed)
    _tell(*both)
    return both


def _tell(*datasets: "Dataset") -> None:
    """What the numbers of these datasets must not be read without."""
    from vivavoce.api.opening import cautions

    _simulated.update(str(one.folder) for one in datasets if one.simulated)
    for line in cautions(*datasets):
        warn(line)


def warn(line: str) -> None:
    """Tell what the numbers must not be read without, once a run, after them: a refusal stays one line."""
    _told[line] = None


def tell_warnings(*_: object, **__: object) -> None:
    """Print what was to be told in this run."""
    from vivavoce.cli.progress import note

    for line in _told:
        note(line)
    _told.clear()


def print_json(facts: object) -> None:
    """Print the numbers of the datasets that were opened, with whether programs held any of them."""
    import json

    from vivavoce.core.result import as_json

    told = {"simulated": bool(_simulated)} | as_json(facts)
    typer.echo(json.dumps(told, indent=2, ensure_ascii=False, allow_nan=False))


def refuse_unused(kind: str, given: dict[str, Any]) -> None:
    """Say no to options that would be ignored here.

    Raises  InputError: one of them was given
    """
    from vivavoce.core.errors import InputError

    name = next((name for name, value in given.items() if value not in (None, [])), None)
    if name is not None:
        raise InputError(f"tells nothing about {kind}", place=name, hint="leave it out")


def print_parts(parts: "Iterable[RenderableType]") -> None:
    """Print tables and sentences on stdout."""
    from rich.console import Console

    console = Console()
    for part in parts:
        console.print(part)
