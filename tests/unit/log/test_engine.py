"""What a log may be kept in, and what is refused."""

from contextlib import nullcontext
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError

from vivavoce.core.clock import ManualClock
from vivavoce.core.errors import InputError, LogError
from vivavoce.log.engine import (
    _settle,
    check_settings,
    missing_file,
    network_file_system,
    open_engines,
    when_free,
)
from vivavoce.log.events import TrialResumed
from vivavoce.log.store import Log


def test_sqlite_is_set_up_to_lose_nothing(tmp_path: Path) -> None:
    engines = open_engines(f"sqlite:///{tmp_path / 'log.sqlite'}")
    for engine in engines:
        with engine.connect() as connection:
            said = {
                name: connection.execute(text(f"PRAGMA {name}")).scalar_one()
                for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
            }
        assert said == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 5000}
    engines.dispose()


def test_a_reader_cannot_write(log_url: str) -> None:
    with (
        Log.open(log_url) as log,
        pytest.raises(LogError, match=r"cannot read the log: .*read-?\s?only"),
        log.reading() as connection,
    ):
        connection.execute(text("delete from events"))


def test_a_wrong_url_is_refused_with_a_cure_and_without_the_password() -> None:
    for url, said in [
        ("nonsense", "not a log URL: 'nonsense'. Use sqlite:///FILE or postgresql://"),
        ("mysql://u:secret@h/d", r"mysql://u:\*\*\*@h/d: this kind of database cannot store a log"),
        ("sqlite://", "an in-memory log is not saved. Use sqlite:///FILE"),
        ("sqlite:///:memory:", "an in-memory log is not saved"),
        ("sqlite:////no/such/folder/log.sqlite", "/no/such/folder: folder not found. Create it"),
        ("postgresql://u:secret@127.0.0.1:1/d", r"postgresql\+psycopg://u:\*\*\*@127.0.0.1:1/d: cannot open"),
    ]:
        with pytest.raises(InputError, match=said) as refused:
            open_engines(url)
        assert "secret" not in str(refused.value)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    path.write_bytes(b"not a database, but long enough to look like one" * 100)
    with pytest.raises(InputError, match="file is not a database"):
        Log.open(f"sqlite:///{path}")


MOUNTS = """\
/dev/sda1 / ext4 rw 0 0
server:/home /home nfs4 rw 0 0
/dev/sdb1 /home/local\\040disk ext4 rw 0 0
//server/data /data cifs rw 0 0
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/var/lib", None),
        ("/home/anna", "nfs4"),
        ("/home/local disk/x", None),
        ("/data", "cifs"),
        ("/database", None),
    ],
)
def test_network_file_systems_are_known_by_their_mount(tmp_path: Path, folder: str, kind: str | None) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(MOUNTS)
    assert network_file_system(Path(folder), mounts) == kind
    assert network_file_system(Path(folder), tmp_path / "none") is None


def test_a_log_on_a_network_file_system_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vivavoce.log.engine.network_file_system", lambda folder: "nfs4")
    with pytest.raises(InputError, match="SQLite loses data on network file systems"):
        Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}")


@pytest.mark.postgresql
def test_a_server_that_answers_before_it_has_synced_is_refused(postgresql_url: str) -> None:
    name = postgresql_url.split("?")[0].rsplit("/", 1)[1]
    with psycopg.connect(postgresql_url, autocommit=True) as connection:
        connection.execute(f"alter database {name} set synchronous_commit = off".encode())
    with pytest.raises(InputError, match="synchronous_commit=off"):
        Log.open(postgresql_url)


@pytest.mark.parametrize("setting", ["fsync", "full_page_writes"])
def test_a_server_that_does_not_sync_is_refused(setting: str) -> None:
    class Answer:
        def __init__(self, value: str) -> None:
            self.value = value

        def scalar_one(self) -> str:
            return self.value

    class Server:
        class engine:
            from sqlalchemy import make_url

            url = make_url("postgresql+psycopg://u@h/d")

        class dialect:
            name = "postgresql"

        def exec_driver_sql(self, statement: str) -> Answer:
            return Answer("off" if statement == f"SHOW {setting}" else "on")

    with pytest.raises(InputError, match=f"the server runs with {setting}=off .*. Set {setting} = on"):
        check_settings(Server())  # pyright: ignore[reportArgumentType]


def test_a_new_log_is_readable_by_its_owner_only_and_an_old_one_stays_as_it_was(tmp_path: Path) -> None:
    new, old = tmp_path / "new.sqlite", tmp_path / "old.sqlite"
    old.touch(0o640)
    old.chmod(0o640)
    for path, rights in ((new, 0o600), (old, 0o640)):
        with Log.open(f"sqlite:///{path}") as log:
            log.transact_now(lambda tx: tx.append("trial", TrialResumed(by="b")))
            made = list(tmp_path.glob(f"{path.name}*"))
            assert len(made) > 1  # the write-ahead log beside it
            assert {one.stat().st_mode & 0o777 for one in made} == {rights}


class Held(Exception):
    """What a driver says of a database that another process holds."""

    def __init__(self, said: str = "", sqlstate: str = "") -> None:
        super().__init__(said)
        self.sqlstate = sqlstate


@pytest.mark.parametrize(
    ("error", "tries"),
    [
        (Held("database is locked"), 5),  # at 0, 1, 2, 3 and 4 seconds: three are waited for
        (Held("lock not available", "55P03"), 5),
        (Held("disk I/O error"), 1),
        (Held("deadlock detected", "40P01"), 1),
    ],
)
def test_a_database_that_is_held_is_asked_again_for_as_long_as_one_is_patient(
    monkeypatch: pytest.MonkeyPatch, error: Held, tries: int
) -> None:
    clock, asked = ManualClock(), list[float]()
    monkeypatch.setattr("vivavoce.log.engine.time.monotonic", clock.monotonic_s)
    monkeypatch.setattr("vivavoce.log.engine.time.sleep", lambda _: clock.advance(1))

    def work() -> None:
        asked.append(clock.monotonic_s())
        raise DBAPIError("SELECT 1", None, error)

    with pytest.raises(DBAPIError):
        when_free(work, 3.0)
    assert len(asked) == tries
    assert when_free(lambda: "done", 0.0) == "done"


def test_a_log_that_is_not_there_yet_is_told_from_one_that_is(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    assert missing_file(f"sqlite:///{path}") == path
    path.touch()
    assert missing_file(f"sqlite:///{path}") is None
    assert missing_file("postgresql://127.0.0.1/d") is None


@pytest.mark.parametrize(("said", "tries"), [("database is locked", 5), ("disk I/O error", 1)])
def test_who_opens_a_file_at_the_same_moment_waits_for_its_settings(
    monkeypatch: pytest.MonkeyPatch, said: str, tries: int
) -> None:
    clock, asked = ManualClock(), list[str]()
    monkeypatch.setattr("vivavoce.log.engine.time.monotonic", clock.monotonic_s)
    monkeypatch.setattr("vivavoce.log.engine.time.sleep", lambda _: clock.advance(1))

    class Cursor:
        def execute(self, statement: str) -> None:
            asked.append(statement)
            raise Held(said)

    with pytest.raises(Held):
        _settle(Cursor(), "PRAGMA journal_mode=WAL", 3.0)
    assert len(asked) == tries


@pytest.mark.parametrize(
    ("journal", "synchronous", "refused"),
    [("delete", 2, True), ("wal", 1, True), ("delete", 1, True), ("wal", 2, False), ("wal", 3, False)],
)
def test_a_file_that_may_lose_what_was_acknowledged_is_refused(
    tmp_path: Path, journal: str, synchronous: int, refused: bool
) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'log.sqlite'}")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"PRAGMA journal_mode={journal}")
        connection.exec_driver_sql(f"PRAGMA synchronous={synchronous}")
        with pytest.raises(InputError, match="SQLite") if refused else nullcontext():
            check_settings(connection)
    engine.dispose()
