"""The single writer: what callers are told when a commit fails, and who is spared."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from itertools import islice
from pathlib import Path

import pytest
from psycopg.errors import ConnectionTimeout
from sqlalchemy import Connection, event, insert, select, text
from sqlalchemy.exc import DBAPIError, OperationalError

from scenes.patience import PATIENCE_S, eventually_there
from vivavoce.core.errors import LogError
from vivavoce.log.events import TRIAL, TrialResumed
from vivavoce.log.store import Log, Transaction, _Caller, _first_cause, _passing, _pauses
from vivavoce.log.tables import runs, sign_ins

RESUMED = TrialResumed(by="b")


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        yield log


def break_the_commit(tx: Transaction) -> None:
    """Leave a broken reference behind that the database finds out about only at COMMIT."""
    tx.connection.execute(text("PRAGMA defer_foreign_keys=ON"))
    row = {"token_hash": "t", "account_id": "nobody", "role": "owner", "expires_at": None}
    tx.connection.execute(insert(sign_ins).values(row | {"expires_at": text("'2026-01-01'")}))


def append(tx: Transaction) -> int:
    return tx.append(TRIAL, RESUMED).seq


async def busy(log: Log) -> tuple[threading.Event, asyncio.Future[bool]]:
    """Let the writer do something that lasts until the event is set; whoever comes now waits."""
    begun, release = threading.Event(), threading.Event()

    def last(tx: Transaction) -> bool:
        begun.set()
        return release.wait(PATIENCE_S)

    held = asyncio.ensure_future(log.transact(last))
    await eventually_there(begun.is_set)
    return release, held


def test_a_commit_that_fails_fails_everybody_and_acknowledges_nothing(log: Log) -> None:
    async def together() -> list[object]:
        release, held = await busy(log)
        waiting = [log.transact(append), log.transact(break_the_commit), log.transact(append)]
        results = asyncio.gather(*waiting, return_exceptions=True)  # they wait and are one batch
        await eventually_there(lambda: log._writer._queue.qsize() == 3)
        release.set()
        assert await held is True
        return await results

    answers = asyncio.run(together())
    assert [type(answer) for answer in answers] == [LogError] * 3
    assert "nothing was saved: FOREIGN KEY constraint failed" in str(answers[0])
    assert log.trial_events() == []
    assert log.transact_now(append) == 1


def test_a_statement_that_the_database_refuses_spares_the_others(log: Log) -> None:
    def broken(tx: Transaction) -> None:
        tx.connection.execute(text("select * from no_such_table"))

    async def together() -> list[object]:
        waiting = [log.transact(append), log.transact(broken), log.transact(append)]
        return await asyncio.gather(*waiting, return_exceptions=True)

    first, failed, last = asyncio.run(together())
    assert (first, last) == (1, 2)
    assert isinstance(failed, LogError) and "no such table: no_such_table" in str(failed)


def test_a_full_database_says_so_is_still_read_and_recovers(log: Log) -> None:
    log.transact_now(append)

    def limit(pages: int) -> None:
        def set_limit(tx: Transaction) -> None:
            tx.connection.execute(text(f"PRAGMA max_page_count={pages}")).fetchall()

        log.transact_now(set_limit)

    def append_much(tx: Transaction) -> None:
        tx.append(TRIAL, TrialResumed(by="x" * 100_000))

    limit(1)  # means: no page more than there are
    with pytest.raises(LogError, match="database or disk is full; free disk space, then try again"):
        log.transact_now(append_much)
    assert [stored.seq for stored in log.trial_events()] == [1]
    # the failed writer lets go of its connection, and with it of the limit: room is there again
    log.transact_now(append_much)
    assert [stored.seq for stored in log.trial_events()] == [1, 2]


def test_a_caller_who_gave_up_before_its_turn_is_not_run(log: Log) -> None:
    async def give_up() -> None:
        release, held = await busy(log)
        hasty = asyncio.ensure_future(log.transact(append))
        await eventually_there(lambda: log._writer._queue.qsize() == 1)
        hasty.cancel()
        await eventually_there(hasty.done)
        release.set()
        await held

    asyncio.run(give_up())
    assert log.trial_events() == []


def test_waiting_callers_share_commits(log: Log) -> None:
    commits = []
    original = log._writer._run

    def counted(transaction: object, batch: list[object]) -> object:
        commits.append(len(batch))
        return original(transaction, batch)  # pyright: ignore[reportArgumentType]

    log._writer._run = counted  # pyright: ignore[reportAttributeAccessIssue]

    async def many() -> list[int]:
        release, held = await busy(log)
        waiting = asyncio.gather(*(log.transact(append) for _ in range(300)))
        await eventually_there(lambda: log._writer._queue.qsize() == 300)
        release.set()
        await held
        return await waiting

    assert asyncio.run(many()) == list(range(1, 301))
    assert commits == [1, 300]


def test_a_server_that_is_slow_to_let_callers_in_is_waited_for(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = log._writer._connect
    late = [OperationalError("connect", None, ConnectionTimeout("connection timeout expired"))]

    def connected_late() -> Transaction:
        if late:
            raise late.pop()
        return connect()

    monkeypatch.setattr(log._writer, "_connect", connected_late)
    assert log.transact_now(append) == 1
    assert not late


def test_closing_commits_what_waits(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'log.sqlite'}"
    log = Log.open(url)
    futures = [log._writer.submit(append) for _ in range(50)]
    log.close_now()
    log.close_now()
    assert [future.result(0) for future in futures] == list(range(1, 51))
    with Log.open(url) as again:
        assert len(again.trial_events()) == 50


async def as_one_batch(log: Log, work: list[Callable[[Transaction], object]]) -> list[object]:
    """What callers are told who waited together."""
    release, held = await busy(log)
    results = asyncio.gather(*(log.transact(one) for one in work), return_exceptions=True)
    await eventually_there(lambda: log._writer._queue.qsize() == len(work))
    release.set()
    assert await held is True
    return await results


def test_callers_of_a_batch_share_a_savepoint_unless_one_of_them_fails(log: Log) -> None:
    begun: list[str] = []
    event.listen(log._engines.writer, "savepoint", lambda _, name: begun.append(name))

    def refused(tx: Transaction) -> None:
        append(tx)
        raise ValueError("not this one")

    assert asyncio.run(as_one_batch(log, [append] * 5)) == [1, 2, 3, 4, 5]
    assert len(begun) == 1
    first, failed, last = asyncio.run(as_one_batch(log, [append, refused, append]))
    assert (first, last, str(failed)) == (6, 7, "not this one")
    assert [one.seq for one in log.trial_events()] == [1, 2, 3, 4, 5, 6, 7]


def test_pauses_between_tries_grow_to_two_seconds() -> None:
    assert list(islice(_pauses(), 8)) == [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0]


class Refusal(Exception):
    """What a driver says."""

    def __init__(self, said: str, sqlstate: str | None = None) -> None:
        super().__init__(said)
        self.sqlstate = sqlstate


@pytest.mark.parametrize(
    ("said", "state", "away", "passes"),
    [
        ("syntax error", None, False, False),
        ("syntax error", None, True, True),
        ("canceling statement", "57P01", False, True),
        ("canceling statement", "22001", False, False),
        ("DATABASE IS LOCKED", None, False, True),
    ],
)
def test_a_server_that_is_away_and_a_file_that_is_locked_are_waited_for(
    said: str, state: str | None, away: bool, passes: bool
) -> None:
    error = DBAPIError("INSERT", None, Refusal(said, state), connection_invalidated=away)
    assert _passing(error) is passes


def test_what_went_wrong_first_is_what_is_told() -> None:
    first, then = (DBAPIError("INSERT", None, Refusal(said)) for said in ("full", "no such savepoint"))
    first.__context__, then.__context__ = ValueError("mine"), first
    assert _first_cause(then) is first and _first_cause(first) is first


@pytest.mark.parametrize("arrived", [True, False])
def test_a_commit_of_which_nobody_knows_whether_it_arrived_is_done_once(log: Log, arrived: bool) -> None:
    """The connection is lost while COMMIT is under way; batches are numbered as on a server."""
    log._writer._numbered = True
    lost = [True]

    def lose(connection: Connection) -> None:
        if lost:
            lost.pop()
            if arrived:
                connection.connection.commit()
            raise OperationalError("COMMIT", None, Refusal("connection failed"))

    event.listen(log._engines.writer, "commit", lose)
    assert log.transact_now(append) == 1 and not lost
    assert [stored.seq for stored in log.trial_events()] == [1]
    assert log.transact_now(append) == 2


@pytest.mark.parametrize("numbered", [True, False])
def test_a_caller_who_is_refused_takes_back_all_of_their_own_and_may_have_done_so_themselves(
    log: Log, numbered: bool
) -> None:
    """Alone, without a savepoint, as on a server that numbers batches and as on none."""
    log._writer._numbered = numbered

    def refused(tx: Transaction) -> None:
        append(tx)
        raise ValueError("not this one")

    def taken_back(tx: Transaction) -> None:
        append(tx)
        whole = tx.connection.get_transaction()
        assert whole is not None
        whole.rollback()
        raise ValueError("I took it back")

    for wrong, said in ((refused, "not this one"), (taken_back, "I took it back")):
        with pytest.raises(ValueError, match=said):
            log.transact_now(wrong)
    assert log.transact_now(append) == 1
    with log.reading() as connection:
        numbers = list(connection.execute(select(runs.c.batch)).scalars())
    assert numbers == ([3] if numbered else [])


@pytest.mark.parametrize(("waited_s", "told"), [(2.9, False), (3.0, True), (3.1, True)])
def test_who_has_waited_for_as_long_as_one_is_patient_is_told_and_who_came_later_waits_on(
    tmp_path: Path, waited_s: float, told: bool
) -> None:
    locked = OperationalError("BEGIN", None, Refusal("database is locked"))
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}", patience_s=3.0) as log:
        first, later = (_Caller(append, Future(), since_s) for since_s in (10.0, 11.0))
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("vivavoce.log.store.time.monotonic", lambda: 10.0 + waited_s)
            waiting = log._writer._give_up_overdue([first, later], locked)
        assert waiting == ([later] if told else [first, later])
        assert not told or "database is locked (waited 3 s)" in str(first.future.exception(0))


@pytest.mark.parametrize(
    ("said", "full"),
    [
        ("database or disk is full", True),
        ("could not extend file: No space left on device", True),
        ("disk I/O error", True),
        ("permission denied", False),
    ],
)
def test_only_who_lacks_room_is_told_to_make_some(log: Log, said: str, full: bool) -> None:
    problem = log._writer._explain(OperationalError("COMMIT", None, Refusal(said)))
    assert said in problem and ("free disk space" in problem) == full
