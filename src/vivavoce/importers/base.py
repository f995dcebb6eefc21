"""What an importer is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from vivavoce.log.dataset import Dataset

Progress = Callable[[int, int], None]


class ImportResult(NamedTuple):
    """The dataset, how many calls it holds, and one line `place: problem` for each one left out."""

    dataset: Dataset
    calls: int
    skipped: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Importer:
    """One foreign format: `read(paths, into, *, venues, strict, progress)` makes a dataset of it.

    unit  what is counted when it has been read
    """

    name: str
    title: str
    layout: str
    read: Callable[..., ImportResult]
    venues: bool = False
    unit: str = "dialogues"
