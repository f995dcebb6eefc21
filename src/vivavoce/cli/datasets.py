"""Datasets as the verbs of analysis take them: people or programs, never both unless told."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from vivavoce.log.dataset import Dataset

Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude", metavar="RULE",
        help="Leave these out, such as 'user_turns < 2', not what the study says; none: nothing.",
    ),
]  # fmt: skip

_allowed = False


def allow_mixed(allowed: bool) -> None:
    """Whether dialogues of people and of simulated users may be taken together in this run."""
    global _allowed
    _allowed = allowed


def _allow_replacing(allowed: bool) -> None:
    from vivavoce.log.dataset import allow_replacing

    allow_replacing(allowed)


# for every verb that writes a dataset
Replace = Annotated[
    bool,
    typer.Option(
        "--replace", callback=_allow_replacing, help="Put the new dataset in the place of the one there."
    ),
]


def unmixed(folder: Path, exclude: list[str] | None = None) -> "Dataset":
    """The dataset of a folder, without what its study file or these rules leave out.

    Raises  InputError: it holds people and simulated users, and nobody said that they may be mixed; a rule
            that nobody knows
    """
    from vivavoce.core.errors import InputError

    opened = analysed(folder, exclude)
    for table, noun in (("dialogues", "dialogue"), ("participants", "visitor")):
        flags = [bool(flag) for flag in opened.read(table).column("simulated").to_pylist()]
        people = len(flags) - sum(flags)
        if not 0 < sum(flags) < len(flags) or _allowed:
            continue
        raise InputError(
            f"holds {people} {noun}{'s'[: people != 1]} of people and {sum(flags)} of simulated users",
            place=str(folder),
            cure="export them apart with `export --only people` or `--only simulated`, "
            "or say `vivavoce --mixed` before the verb",
        )
    return opened


def analysed(folder: Path, exclude: list[str] | None = None) -> "Dataset":
    """The dataset of a folder, without what its study file or these rules leave out.

    Raises  InputError: a rule that nobody knows
    """
    from vivavoce.log.dataset import Dataset
    from vivavoce.study.exclusion import read_rules

    return Dataset(folder, exclude=read_rules(exclude) if exclude else None)


def refuse_unused(kind: str, given: dict[str, Any]) -> None:
    """Say no to options that would be ignored here.

    Raises  InputError: one of them was given
    """
    from vivavoce.core.errors import InputError

    name = next((name for name, value in given.items() if value not in (None, [])), None)
    if name is not None:
        raise InputError(f"tells nothing about {kind}", place=name, cure="leave it out")
