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
_told: dict[str, None] = {}  # what is told once the numbers are there
_simulated: set[str] = set()  # names of the datasets of programs that this run has opened


def allow_mixed(allowed: bool) -> None:
    """Whether dialogues of people and of simulated users may be taken together in this run."""
    global _allowed
    _allowed = allowed
    _told.clear()
    _simulated.clear()


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

    What its numbers must not be read without is told once a run: that programs held it, what was changed.

    Raises  InputError: it holds people and simulated users, and nobody said that they may be mixed; a rule
            that nobody knows
    """
    opened = _of_one_kind(folder, exclude)
    _tell(opened)
    return opened


def _of_one_kind(folder: Path, exclude: list[str] | None) -> "Dataset":
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
            hint="export them apart with `export --only people` or `--only simulated`, "
            "or say `vivavoce --mixed` before the verb",
        )
    return opened


def _tell(dataset: "Dataset") -> None:
    """What the numbers of this dataset must not be read without."""
    from vivavoce.stats.flow import change_words

    if dataset.simulated:
        _simulated.add(str(dataset.folder))
        everybody = all(dataset.read("dialogues").column("simulated").to_pylist())
        told = ", not people" if everybody else " beside people"
        warn(f"SIMULATED: programs took part in {dataset.folder}{told}.")
    if changed := change_words(dataset):
        warn(changed)


def unmixed_pair(folder: Path, other: Path, exclude: list[str] | None = None) -> "tuple[Dataset, Dataset]":
    """Two datasets to be compared; what is doubtful about comparing them is told.

    Raises  InputError: as `unmixed`; one holds people and the other programs, and nobody said that they may
            be mixed
    """
    from vivavoce.core.errors import InputError
    from vivavoce.stats.dataset_pairs import doubts

    first, second = _of_one_kind(folder, exclude), _of_one_kind(other, exclude)
    if first.simulated != second.simulated and not _allowed:
        people, programs = (other, folder) if first.simulated else (folder, other)
        raise InputError(
            f"{people} holds people and {programs} simulated users",
            place="--against",
            hint="compare people with people, calibrate simulated calls with `vivavoce simulate compare`, "
            "or say `vivavoce --mixed` before the verb",
        )
    _tell(first)
    _tell(second)
    for doubt in doubts(first, second):
        warn(doubt)
    return first, second


def warn(line: str) -> None:
    """Tell what the numbers must not be read without, once a run, after them: a refusal stays one line."""
    _told[line] = None


def tell_warnings(*_: object, **__: object) -> None:
    """Print what was to be told in this run."""
    from vivavoce.cli.progress import note

    for line in _told:
        note(line)
    _told.clear()


def print_json(facts: dict[str, Any]) -> None:
    """Print the numbers of the datasets that were opened, with whether programs held any of them."""
    import json

    told = {"simulated": bool(_simulated)} | facts
    typer.echo(json.dumps(told, indent=2, ensure_ascii=False, allow_nan=False))


def analysed(folder: Path, exclude: list[str] | None = None) -> "Dataset":
    """The dataset of a folder, without what its study file or these rules leave out.

    Raises  InputError: a rule that nobody knows, or that names what the dataset does not hold
    """
    from vivavoce.log.dataset import Dataset
    from vivavoce.study.exclusion import read_rules

    opened = Dataset(folder, exclude=read_rules(exclude) if exclude else None)
    opened.check_rules()
    return opened


def refuse_unused(kind: str, given: dict[str, Any]) -> None:
    """Say no to options that would be ignored here.

    Raises  InputError: one of them was given
    """
    from vivavoce.core.errors import InputError

    name = next((name for name, value in given.items() if value not in (None, [])), None)
    if name is not None:
        raise InputError(f"tells nothing about {kind}", place=name, hint="leave it out")
