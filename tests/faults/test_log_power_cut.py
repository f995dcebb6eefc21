"""A power cut: what SQLite has not synced is gone. The log must not have acknowledged it.

The log runs as always, only on a file system whose durable image advances with nothing but a sync.
A cut opens a copy of that image. With synchronous=NORMAL the same test must find commits lost.
"""

import shutil
import sqlite3
import uuid
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import apsw
import pytest
from sqlalchemy import text

from vivavoce.log import engine
from vivavoce.log.events import TRIAL, TrialResumed
from vivavoce.log.store import Log

pytestmark = pytest.mark.long  # `make faults` and `make test-long` run it


class DurableFile(apsw.VFSFile):
    """A file that is copied to the durable image when it is synced."""

    def __init__(self, image: Path, name: Any, flags: Any) -> None:
        self.image = image
        self.path = Path(name.filename() if isinstance(name, apsw.URIFilename) else name)
        super().__init__("", name, flags)

    def xSync(self, flags: int) -> None:
        super().xSync(flags)
        shutil.copyfile(self.path, self.image / self.path.name)


class DurableFiles(apsw.VFS):
    """The file system; directory entries are taken to be durable at once."""

    def __init__(self, image: Path) -> None:
        self.image, self.vfs_name = image, f"durable-{uuid.uuid4().hex}"
        super().__init__(self.vfs_name, "")

    def xOpen(self, name: Any, flags: Any) -> DurableFile:
        return DurableFile(self.image, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        super().xDelete(filename, syncdir)
        (self.image / Path(filename).name).unlink(missing_ok=True)


class Cursor:
    """apsw's cursor as the database interface of Python wants it."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._cursor, self._connection = connection.cursor(), connection
        self.description: Any = None
        self.rowcount, self.lastrowid, self.arraysize = -1, None, 1
        self._rows: list[Any] = []
        self._cursor.exec_trace = self._begun

    def _begun(self, cursor: apsw.Cursor, *_: object) -> bool:
        """Take the columns before the first row, which may be the last moment at which they are known."""
        self.description = [(name, *[None] * 6) for name, *_ in cursor.get_description()] or None
        return True

    def execute(self, statement: str, parameters: Any = ()) -> "Cursor":
        before = self._connection.total_changes()
        found = self._cursor.execute(statement, parameters)
        self._rows = found.fetchall() if self.description else []
        self.rowcount = self._connection.total_changes() - before
        self.lastrowid = self._connection.last_insert_rowid()
        return self

    def fetchone(self) -> Any:
        return self._rows.pop(0) if self._rows else None

    def fetchall(self) -> list[Any]:
        rows, self._rows = self._rows, []
        return rows

    def fetchmany(self, size: int = 1) -> list[Any]:
        rows, self._rows = self._rows[:size], self._rows[size:]
        return rows

    def close(self) -> None:
        self._cursor.close()


class Connection:
    """apsw's connection as the database interface of Python wants it; it never begins by itself."""

    isolation_level: Any = None

    def __init__(self, path: str, vfs: str) -> None:
        self._connection = apsw.Connection(path, vfs=vfs)

    def cursor(self) -> Cursor:
        return Cursor(self._connection)

    def create_function(self, *_: Any, **__: Any) -> None: ...

    def commit(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("COMMIT")

    def rollback(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def close(self) -> None:
        self._connection.close()


def driver(vfs: str) -> Any:
    """A module for SQLAlchemy that is sqlite3 in all but its connections."""
    names = (
        "Error",
        "DatabaseError",
        "InterfaceError",
        "InternalError",
        "OperationalError",
        "ProgrammingError",
        "IntegrityError",
        "DataError",
        "NotSupportedError",
        "Binary",
        "PARSE_DECLTYPES",
        "PARSE_COLNAMES",
    )
    return SimpleNamespace(
        **{name: getattr(sqlite3, name) for name in names},
        paramstyle="qmark",
        sqlite_version="3.40.0",
        sqlite_version_info=(3, 40, 0),
        connect=lambda path, *_, **__: Connection(path, vfs),
    )


def acknowledged_and_lost(folder: Path, seed: int) -> tuple[int, int]:
    """Write, cut the power, open what is durable; gives back acknowledged and lost events."""
    chance = Random(seed)
    live, image = folder / "live", folder / "image"
    for made in (live, image):
        made.mkdir(parents=True)
    files = DurableFiles(image)
    acknowledged = []
    log = Log.open(f"sqlite:///{live / 'log.sqlite'}", module=driver(files.vfs_name))
    log.transact_now(lambda tx: tx.connection.execute(text("PRAGMA wal_autocheckpoint=20")).fetchall())
    for _ in range(chance.randrange(5, 60)):
        event = TrialResumed(by="x" * chance.randrange(400))
        acknowledged.append(log.transact_now(lambda tx, event=event: tx.append(TRIAL, event)).event_id)
    after_cut = shutil.copytree(image, folder / "after-cut")
    log.close_now()
    files.unregister()
    with Log.open(f"sqlite:///{after_cut / 'log.sqlite'}") as survived:
        there = {stored.event_id for stored in survived.trial_events()}
        with survived.reading() as connection:
            assert connection.execute(text("PRAGMA integrity_check")).scalar_one() == "ok"
    return len(acknowledged), len(set(acknowledged) - there)


def run_trials(folder: Path, number: int) -> dict[str, int]:
    results = [acknowledged_and_lost(folder / str(seed), seed) for seed in range(number)]
    acknowledged, lost = (sum(column) for column in zip(*results, strict=True))
    return {"cuts": number, "acknowledged": acknowledged, "lost": lost}


@pytest.mark.reliability
@pytest.mark.parametrize("cuts", [12, pytest.param(200, marks=pytest.mark.long)])
def test_a_power_cut_loses_nothing_that_was_acknowledged(
    tmp_path: Path, cuts: int, note_figures: Callable[..., None]
) -> None:
    found = run_trials(tmp_path, cuts)
    note_figures("power cuts", **found)
    assert found["acknowledged"] > 8 * cuts
    assert found["lost"] == 0


@pytest.mark.reliability
@pytest.mark.parametrize("cuts", [4, pytest.param(200, marks=pytest.mark.long)])
def test_the_power_cut_is_real_without_full_synchronisation_commits_are_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cuts: int, note_figures: Callable[..., None]
) -> None:
    weaker = tuple(setting.replace("FULL", "NORMAL") for setting in engine.SQLITE_SETTINGS)
    assert weaker != engine.SQLITE_SETTINGS
    monkeypatch.setattr(engine, "SQLITE_SETTINGS", weaker)
    monkeypatch.setattr(engine, "check_settings", lambda connection: None)
    found = run_trials(tmp_path, cuts)
    note_figures("power cuts with synchronous=NORMAL, not ours", **found)
    assert found["lost"] > 0
