"""The files that settings of packages name, as the study reads them."""

from pathlib import Path
from typing import Any

from vivavoce.core.yaml_source import KeyPath, Problem
from vivavoce.study.ontology import Ontology


class StepFiles:
    """The files that settings name, of a step or of a judgement: their content counts in the revision.

    folder     of the study file
    languages  of the study, the default first
    ontology   of the study; None without one
    """

    folder: Path
    languages: tuple[str, ...]
    ontology: Ontology | None

    def __init__(self, reader: Any, languages: tuple[str, ...], at: KeyPath, under: str = "step") -> None:
        """Input  reader: a `StudyReader`; at: place of the settings; under: start of names in the revision"""
        self._reader, self._at, self.languages, self._under = reader, at, languages, under
        self.folder, self.ontology = reader.folder, reader.domain

    def text(self, name: str, key: str) -> str:
        """A file of UTF-8 text beside the study file; "" if it is missing, which is reported.

        key  the setting that names it
        """
        path = self.path(name, key)
        if path is None:
            return ""
        try:
            return self._reader.keep(path, f"{self._under}/{name}", (*self._at, key)).decode("utf-8-sig")
        except UnicodeDecodeError:
            self.report(key, f"{name} is not UTF-8 text", "save it as UTF-8")
            return ""

    def path(
        self, name: str, key: str, *, hint: str = "put it next to the study file", known_as: str = ""
    ) -> Path | None:
        """Path of a file beside the study file; None if it is missing, which is reported.

        hint      next step if it is missing
        known_as  its name in the revision, which stays when the file is renamed (default: its name)
        """
        path: Path | None = self._reader.file(name, (*self._at, key), hint)
        if path is not None:
            self.keep(path, known_as or f"{self._under}/{name}", key)
        return path

    def within(self, name: str, key: str | int) -> Path | None:
        """Path of an optional file; None: outside the study, which is reported."""
        return self._reader.within(name, (*self._at, key))

    def keep(self, path: Path, known_as: str, key: str | int) -> None:
        """Count a file in the revision by this name, wherever it is stored."""
        self._reader.keep(path, known_as, (*self._at, key))

    def report(
        self, key: str | int | KeyPath, problem: str, hint: str, *, file: str = "", line: int | None = None
    ) -> None:
        """Report a problem of a setting (the keys that lead to it), or of a line of a file."""
        source = self._reader.source
        if not file:
            keys = key if isinstance(key, tuple) else (key,) if key != "" else ()
            source.report((*self._at, *keys), problem, hint)
            return
        entry = Problem(file if line is None else f"{file}:{line}", problem, hint)
        if entry not in source.problems:  # several steps may name one file
            source.problems.append(entry)
