"""Another program holds the log: whoever waits is served when it lets go, or told that it does not."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scenes.patience import PATIENCE_S, eventually
from vivavoce.core.clock import ManualClock
from vivavoce.core.errors import LogError
from vivavoce.log import engine
from vivavoce.log.events import TRIAL, TrialResumed
from vivavoce.log.store import Log

pytestmark = pytest.mark.long  # `make test-long` runs it; kills of the server stay in `make test`

RESUMED = TrialResumed(by="b")


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Another program, such as one that makes backups, has locked the database."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite gives up at once instead of after seconds; how long a caller waits is another matter."""
    settings = tuple(
        "busy_timeout=10" if one.startswith("busy_timeout") else one for one in engine.SQLITE_SETTINGS
    )
    assert settings != engine.SQLITE_SETTINGS
    monkeypatch.setattr(engine, "SQLITE_SETTINGS", settings)


def test_turns_wait_for_a_program_that_has_locked_the_log_and_each_is_there_once(
    tmp_path: Path, impatient: None
) -> None:
    path = tmp_path / "log.sqlite"
    with Log.open(f"sqlite:///{path}", patience_s=PATIENCE_S) as log:
        log.transact_now(lambda tx: tx.append(TRIAL, RESUMED))
        said: list[int] = []
        tries: list[int] = []

        def append() -> None:
            said.append(log.transact_now(lambda tx: tx.append(TRIAL, RESUMED).seq))

        talkers = [threading.Thread(target=append) for _ in range(5)]
        with held(path):
            for talker in talkers:
                talker.start()
            begun = threading.Timer(0.3, lambda: tries.append(1))
            begun.start()
            eventually(lambda: tries, "the timer never rang")
            assert said == []
            assert len(log.trial_events()) == 1  # reading goes on
        for talker in talkers:
            talker.join(PATIENCE_S)
        assert sorted(said) == [2, 3, 4, 5, 6]
        assert [one.seq for one in log.trial_events()] == [1, 2, 3, 4, 5, 6]


def test_opening_waits_for_a_program_that_has_locked_the_log(tmp_path: Path, impatient: None) -> None:
    path = tmp_path / "log.sqlite"
    Log.open(f"sqlite:///{path}").close_now()
    opened: list[int] = []

    def open_it() -> None:
        with Log.open(f"sqlite:///{path}", patience_s=PATIENCE_S) as log:
            opened.append(len(log.trial_events()))

    opening = threading.Thread(target=open_it)
    with held(path):
        opening.start()
        opening.join(0.3)
        assert opening.is_alive() and opened == []
    opening.join(PATIENCE_S)
    assert opened == [0]


def test_who_waited_too_long_is_told_so_and_nothing_is_there_afterwards(
    tmp_path: Path, impatient: None
) -> None:
    path = tmp_path / "log.sqlite"
    with Log.open(f"sqlite:///{path}", patience_s=0.2) as log:
        with held(path), pytest.raises(LogError, match="nothing was saved: database is locked"):
            log.transact_now(lambda tx: tx.append(TRIAL, RESUMED))
        assert log.trial_events() == []
        assert log.transact_now(lambda tx: tx.append(TRIAL, RESUMED)).seq == 1


def test_a_wall_clock_that_is_set_back_changes_neither_order_nor_what_is_there(tmp_path: Path) -> None:
    clock = ManualClock()
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}", clock=clock) as log:
        first = log.transact_now(lambda tx: tx.append(TRIAL, RESUMED))
        clock.step_wall(-400 * 86_400)
        second = log.transact_now(lambda tx: tx.append(TRIAL, RESUMED))
        assert second.at < first.at and second.monotonic_s >= first.monotonic_s
        assert [one.event_id for one in log.trial_events()] == [first.event_id, second.event_id]
        assert [one.event_id for one in log.all_events()] == [first.event_id, second.event_id]
