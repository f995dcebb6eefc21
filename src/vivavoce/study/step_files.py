"""The files that settings of packages name, as the study reads them."""

from pathlib import Path
from typing import Protocol


class StepFiles(Protocol):
    """The files that settings name, of a step or of a judgement: what they hold counts in the revision."""

    @property
    def folder(self) -> Path:
        """Where the study file stands."""
        ...

    @property
    def languages(self) -> tuple[str, ...]:
        """Of the study, the default first."""
        ...

    def text(self, name: str, key: str) -> str:
        """A file of UTF-8 text beside the study file; "" where it is missing, which is reported.

        key  the setting that names it
        """
        ...

    def path(self, name: str, key: str) -> Path | None:
        """Where a file beside the study file stands; None where it is missing, which is reported."""
        ...

    def within(self, name: str, key: str) -> Path | None:
        """Where a file would stand that may be missing; None: outside the study, which is reported."""
        ...

    def report(self, key: str, problem: str, hint: str, *, file: str = "", line: int | None = None) -> None:
        """Something is wrong with a setting, or with a line of a file that it names."""
        ...
