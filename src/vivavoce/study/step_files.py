"""The files that settings of packages name, as the study reads them."""

from pathlib import Path
from typing import Protocol

from vivavoce.core.yaml_source import KeyPath
from vivavoce.study.ontology import Ontology


class StepFiles(Protocol):
    """The files that settings name, of a step or of a judgement: what they hold counts in the revision."""

    @property
    def folder(self) -> Path:
        """Folder of the study file."""
        ...

    @property
    def languages(self) -> tuple[str, ...]:
        """Of the study, the default first."""
        ...

    @property
    def ontology(self) -> Ontology | None:
        """Of the study; None without one."""
        ...

    def text(self, name: str, key: str) -> str:
        """A file of UTF-8 text beside the study file; "" where it is missing, which is reported.

        key  the setting that names it
        """
        ...

    def path(
        self, name: str, key: str, *, hint: str = "put it next to the study file", known_as: str = ""
    ) -> Path | None:
        """Path of a file beside the study file; None if it is missing, which is reported.

        hint      what to do where it is missing
        known_as  its name in the revision, which stays when the file is called otherwise; "": as it is called
        """
        ...

    def within(self, name: str, key: str | int) -> Path | None:
        """Path of an optional file; None: outside the study, which is reported."""
        ...

    def keep(self, path: Path, known_as: str, key: str | int) -> None:
        """A file counts in the revision by this name, wherever it stands: one of the package's own, too."""
        ...

    def report(
        self, key: str | int | KeyPath, problem: str, hint: str, *, file: str = "", line: int | None = None
    ) -> None:
        """Something is wrong with a setting (the keys that lead to it), or with a line of a file."""
        ...
