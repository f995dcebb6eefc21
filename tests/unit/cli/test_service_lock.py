"""Two services of one log."""

import os
import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from scenes.patience import PATIENCE_S, eventually
from vivavoce.cli.service_lock import alone
from vivavoce.core.errors import InputError
from vivavoce.log import service_lock
from vivavoce.log.engine import open_engines
from vivavoce.log.service_lock import served_alone

KILLED = (
    "import os, signal, sys; from vivavoce.cli.service_lock import alone\n"
    "with alone(sys.argv[1]): os.kill(os.getpid(), signal.SIGKILL)"
)


def test_a_second_service_of_a_log_is_told_who_serves_it(log_url: str) -> None:
    with (
        alone(log_url),
        pytest.raises(InputError, match=rf"process {os.getpid()}.* serves this log"),
        alone(log_url),
    ):
        pass
    with alone(log_url):
        pass


def test_a_log_with_another_name_is_served_once(tmp_path: Path) -> None:
    file = tmp_path / "log.sqlite"
    file.touch()
    (tmp_path / "other.sqlite").symlink_to(file)
    with alone(f"sqlite:///{file}"), pytest.raises(InputError, match="already serves this log"):
        alone(f"sqlite:///{tmp_path / 'other.sqlite'}").__enter__()
    (tmp_path / "hard.sqlite").hardlink_to(file)
    with pytest.raises(InputError, match="2 names"):
        alone(f"sqlite:///{file}").__enter__()


def test_a_service_that_was_killed_keeps_nobody_out(log_url: str) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED, log_url], timeout=120, check=False)
    assert killed.returncode == -9
    if log_url.startswith("sqlite"):
        assert Path(log_url.removeprefix("sqlite:///") + ".serving").is_file()
    eventually(lambda: _served(log_url), "the lock of the dead is held for ever")


def _served(url: str) -> bool:
    """Whether a service may have the log now; a server comes to those that died when it comes to it."""
    try:
        with alone(url):
            return True
    except InputError:
        return False


def test_a_service_that_stops_has_let_go_of_its_log_before_its_server_sees_it_gone(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[set[int]] = []
    taken = service_lock._taken

    def watched(connection: Connection) -> bool:
        close = connection.close

        def look_and_close() -> None:
            held.append(_holders(postgresql_url))
            close()

        connection.close = look_and_close
        return taken(connection)

    monkeypatch.setattr(service_lock, "_taken", watched)
    with alone(postgresql_url):
        assert _holders(postgresql_url)
    assert held == [set()]


def test_a_service_waits_until_its_server_has_buried_its_own_old_connection(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost, asked = threading.Event(), list[int | None]()
    taken, holder = service_lock._taken, service_lock._holder

    def buried_late(connection: Connection) -> bool:
        asked.append(service_lock._server_process(connection))
        return len(asked) not in (2, 3) and taken(connection)

    def old_connection(connection: Connection) -> object:
        return holder(connection)._replace(process=asked[0])

    monkeypatch.setattr(service_lock, "_taken", buried_late)
    monkeypatch.setattr(service_lock, "_holder", old_connection)
    with served_alone(postgresql_url, lost.set, every_s=0.05):
        before = _holders(postgresql_url)
        _cut_off(postgresql_url)
        eventually(lambda: lost.is_set() or _holders(postgresql_url) - before)
        assert not lost.is_set() and len(asked) > 3


def test_a_service_whose_server_was_away_takes_the_log_again(postgresql_url: str) -> None:
    lost = threading.Event()
    with served_alone(postgresql_url, lost.set, every_s=0.05):
        before = _holders(postgresql_url)
        assert before
        _cut_off(postgresql_url)
        eventually(lambda: _holders(postgresql_url) - before, "the lock was never taken again")
        assert not lost.is_set()


def test_a_service_that_finds_its_log_served_by_another_is_told_to_end(postgresql_url: str) -> None:
    first, second = threading.Event(), threading.Event()
    with served_alone(postgresql_url, first.set, every_s=0.5), ExitStack() as open_until_here:

        def snatched() -> bool:
            _cut_off(postgresql_url)
            try:
                open_until_here.enter_context(served_alone(postgresql_url, second.set))
            except InputError:  # the first one was quicker
                return False
            return True

        eventually(snatched)
        assert first.wait(PATIENCE_S)
        assert not second.is_set()


def _cut_off(url: str) -> None:
    engines = open_engines(url)
    with engines.writer.connect() as connection:
        connection.execute(
            text(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name LIKE 'vivavoce, process%' AND datname = current_database()"
            )
        )
    engines.dispose()


def _holders(url: str) -> set[int]:
    """Connections that hold the log's lock; taking it to see would turn its service away."""
    engines = open_engines(url)
    with engines.reader.connect() as connection:
        lock = {"high": service_lock.LOCK >> 32, "low": service_lock.LOCK & 0xFFFF_FFFF}
        found = {holder.pid for holder in connection.execute(service_lock._HOLDER, lock)}
    engines.dispose()
    return found
