"""Events a second in the log: 200 writers that share commits, beside a single writer on the same log."""

import asyncio
import sqlite3
import time
from pathlib import Path

from benchmarks.speed.row import Measured, Row, compared, workplace

from vivavoce.log.events import UserTurnSent
from vivavoce.log.store import Log

TURN = UserTurnSent(dialogue_id="d", turn_index=0, text="I am looking for a cheap Italian restaurant")
WRITERS, SECONDS, ROUNDS = 200, 3.0, 3


async def _write(log: Log, visit_id: str, until_s: float) -> int:
    number = 0
    while time.perf_counter() < until_s:
        await log.transact(lambda tx, key=str(number): tx.append(visit_id, TURN, client_key=key))
        number += 1
    return number


async def _rates(log: Log, name: str, writers: int, seconds: float) -> tuple[float, float]:
    """Events a second, and milliseconds of processor time an event."""
    begun_s, begun_cpu_s = time.perf_counter(), time.process_time()
    writing = (_write(log, f"{name}-{number}", begun_s + seconds) for number in range(writers))
    events = sum(await asyncio.gather(*writing))
    return events / (time.perf_counter() - begun_s), 1000 * (time.process_time() - begun_cpu_s) / events


def _bare(path: Path, seconds: float) -> float:
    """Commits a second of SQLite alone, a small row each."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL").fetchall()
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE t (a TEXT)")
    count, begun_s = 0, time.perf_counter()
    while time.perf_counter() - begun_s < seconds:
        connection.execute("INSERT INTO t VALUES (?)", ("x" * 300,))
        count += 1
    elapsed_s = time.perf_counter() - begun_s
    connection.close()
    return count / elapsed_s


def measure(quick: bool) -> Measured:
    seconds, single, many, bare = 0.5 if quick else SECONDS, [], [], []
    with workplace() as folder, Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
        for turn in range(1 if quick else ROUNDS):
            bare.append(_bare(folder / f"bare-{turn}.sqlite", seconds))
            single.append(asyncio.run(_rates(log, f"one-{turn}", 1, seconds)))
            many.append(asyncio.run(_rates(log, f"many-{turn}", WRITERS, seconds)))
    fast, slow = ([rate for rate, _ in found] for found in (many, single))
    how = {"unit": "events/s", "direction": "at least", "rate": True}
    return Measured(
        [
            compared("events a second, 200 writers", fast, slow, against="one writer", **how),
            compared("the same", fast, bare, against="a row a commit, SQLite", **how),
        ],
        notes=[f"processor time of an event with 200 writers {min(cpu for _, cpu in many):.2f} ms"],
    )


ROW = Row("commits", "events in the log, 200 writers", "one writer; bare SQLite", measure, limit_s=120)
