"""Datasets for analyses: people or programs, mixed only on request, with their warnings."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from vivavoce.core.errors import InputError

if TYPE_CHECKING:
    from vivavoce.core.registry import Registry
    from vivavoce.core.statement import LocalizedText
    from vivavoce.dataset.reader import Dataset

Rules = Sequence[str] | str | None
Entry = TypeVar("Entry")


def accepted(
    registry: "Registry[Entry]", wanted: "Sequence[str | Entry] | str | Entry | None"
) -> list[str] | None:
    """Names of what was given by name or as an object, one or several; None if nothing was.

    Raises  InputError: an object is of another kind
    """
    if wanted is None:
        return None
    if isinstance(wanted, str) or not isinstance(wanted, Iterable):
        return [registry.accept(wanted)]
    return [registry.accept(item) for item in wanted]


def open_dataset(dataset: "Dataset | Path | str", exclude: Rules = None, *, mixed: bool = False) -> "Dataset":
    """A dataset, or that of a folder, without what its study file or these rules leave out.

    Input   exclude: rules in words; None: those with which the dataset was opened. mixed: people and
            simulated users may be taken together
    Raises  InputError: it holds people and simulated users, and nobody said that they may be mixed; a rule
            that nobody knows, or that names what the dataset does not hold
    """
    from vivavoce.dataset.reader import Dataset

    if not isinstance(dataset, Dataset | Path | str):
        hint = "use a Dataset or its folder; create one from a log with `vivavoce import`"
        raise InputError(f"{type(dataset).__name__} is not a dataset", place="dataset", hint=hint)
    opened = dataset if isinstance(dataset, Dataset) else Dataset(dataset)
    if exclude is not None:
        opened = Dataset(opened.folder, exclude=exclude)
    opened.check_rules()
    if not mixed:
        _require_one_kind(opened)
    return opened


def open_two(
    dataset: "Dataset | Path | str",
    other: "Dataset | Path | str",
    exclude: Rules = None,
    *,
    mixed: bool = False,
) -> "tuple[Dataset, Dataset]":
    """Two datasets that are to be compared.

    Raises  InputError: as `open_dataset`; one holds people and the other programs, and nobody said that they
            may be mixed
    """
    first, second = (open_dataset(source, exclude, mixed=mixed) for source in (dataset, other))
    if first.simulated != second.simulated and not mixed:
        people, programs = (second, first) if first.simulated else (first, second)
        raise InputError(
            f"{people.folder} contains people and {programs.folder} simulated users",
            place="--against",
            hint="compare people with people, calibrate simulated calls with `vivavoce simulate "
            "compare`, or use `vivavoce --mixed VERB`",
        )
    return first, second


def _require_one_kind(dataset: "Dataset") -> None:
    for table, noun in (("dialogues", "dialogue"), ("participants", "visitor")):
        flags = [bool(flag) for flag in dataset.read(table, ["simulated"]).column(0).to_pylist()]
        people = len(flags) - sum(flags)
        if 0 < sum(flags) < len(flags):
            raise InputError(
                (
                    f"contains {people} {noun}{'s'[: people != 1]} of people and {sum(flags)} of "
                    "simulated users"
                ),
                place=str(dataset.folder),
                hint="export them separately with `export --only people` or `--only simulated`, "
                "or use `vivavoce --mixed VERB`",
            )


def data_warnings(dataset: "Dataset", other: "Dataset | None" = None) -> list[str]:
    """Warnings about the numbers of a dataset, or of two compared ones, in sentences."""
    from vivavoce.analysis.flow import change_words
    from vivavoce.analysis.releases import doubts

    messages: list[str | LocalizedText | None] = []
    for data in (dataset, other):
        if data is not None:
            messages += [_programs(data), *data.what_is_lost, change_words(data)]
    messages += doubts(dataset, other) if other is not None else []
    return [str(line) for line in messages if line]


def _programs(dataset: "Dataset") -> str | None:
    if not dataset.simulated:
        return None
    everybody = all(dataset.read("dialogues", ["simulated"]).column(0).to_pylist())
    extent = ", not people" if everybody else " beside people"
    return f"SIMULATED: programs took part in {dataset.folder}{extent}."
