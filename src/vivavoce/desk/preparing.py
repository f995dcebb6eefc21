"""Slow files, made in the background and kept until they are fetched."""

import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Final
from uuid import uuid4

import structlog

from vivavoce.core.errors import VivavoceError
from vivavoce.core.i18n import N_
from vivavoce.desk.snapshot import Snapshot, Snapshots

FAILED: Final = N_("The file could not be created. See the terminal output for the reason.")
KEPT_S: Final = 3600
_report = structlog.get_logger("vivavoce.desk")


@dataclass
class PreparedFile:
    """One file with its path and state; `problem`: "" without an error."""

    folder: Path
    name: str
    begun_s: float
    done: Future[None]
    problem: str = ""


@dataclass
class Preparations:
    """Files in preparation by secret key, and the last duration of each kind."""

    _files: dict[str, PreparedFile] = field(default_factory=dict)
    took_s: dict[str, float] = field(default_factory=dict)

    def begin(self, snapshots: Snapshots, name: str, make: Callable[[Snapshot, Path], None]) -> str:
        """Start a file and return its key. Unfetched files go with the snapshots."""
        for old in [one for one, file in self._files.items() if monotonic() - file.begun_s > KEPT_S]:
            self.forget(old)
        snapshots.folder.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix="made-", dir=snapshots.folder))
        key, begun_s = uuid4().hex, monotonic()

        def run() -> None:
            try:
                snapshots.run(lambda snapshot: make(snapshot, folder / name))
                self.took_s[name] = monotonic() - begun_s
            except VivavoceError as error:
                made.problem = str(error)
            except Exception:
                _report.exception("file_failed", file=name)
                made.problem = FAILED

        made = PreparedFile(folder, name, begun_s, Future())
        self._files[key] = made
        made.done = snapshots.submit(run)
        return key

    def of(self, key: str, name: str) -> PreparedFile | None:
        """File by key; None if unknown or fetched."""
        found = self._files.get(key)
        return found if found is not None and found.name == name else None

    def take(self, key: str) -> PreparedFile | None:
        """Hand out a finished file once; the caller deletes its folder."""
        found = self._files.get(key)
        if found is None or not found.done.done() or found.problem:
            return None
        return self._files.pop(key)

    def forget(self, key: str) -> None:
        """Delete files that will not be fetched."""
        found = self._files.pop(key, None)
        if found is not None:
            shutil.rmtree(found.folder, ignore_errors=True)
