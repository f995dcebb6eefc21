"""What an importer is."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from vivavoce.core.errors import InputError
from vivavoce.log.dataset import Dataset

Progress = Callable[[int, int], None]


class ImportResult(NamedTuple):
    """The dataset, how many calls it holds, and one line `place: problem` for each one left out."""

    dataset: Dataset
    calls: int
    skipped: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Importer:
    """One foreign format: `read(paths, into, *, venues, strict, progress)` makes a dataset of existing paths.

    unit  what is counted when it has been read
    """

    name: str
    title: str
    layout: str
    read: Callable[..., ImportResult]
    venues: bool = False
    unit: str = "dialogues"

    def make_dataset(
        self, paths: list[Path], into: Path, *, venues: Path | None = None, strict: bool = False,
        progress: Progress | None = None,
    ) -> ImportResult:  # fmt: skip
        """Read a log; whoever imports comes by here.

        Raises  InputError: a path that is not there, a folder that holds a dataset, or what `read` refuses
        """
        for path in paths:
            if not path.exists():
                raise InputError("no such file or folder", place=str(path), hint=f"it needs {self.layout}")
        return self.read(paths, into, venues=venues, strict=strict, progress=progress)
