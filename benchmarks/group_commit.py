"""How much the log gains by sharing commits: events a second, one writer at a time and many at once.

    python benchmarks/group_commit.py [--url sqlite:///FILE] [--seconds 3] [--writers 200]

Both are measured in the same run on the same log; compare the ratios, not the rates of two machines.
`raw_commit` is what the database itself manages: one row a commit, without the log's code.
"""

import argparse
import asyncio
import json
import sqlite3
import tempfile
import time
from pathlib import Path
from typing import Any

from vivavoce.log.events import UserTurnSent
from vivavoce.log.store import Log

TURN = UserTurnSent(dialogue_id="d", turn_index=0, text="I am looking for a cheap Italian restaurant")


async def talk(log: Log, visit_id: str, until_s: float, delays_s: list[float]) -> None:
    number = 0
    while time.perf_counter() < until_s:
        begun_s = time.perf_counter()
        await log.transact(lambda tx, key=str(number): tx.append(visit_id, TURN, client_key=key))
        delays_s.append(time.perf_counter() - begun_s)
        number += 1


async def measure(log: Log, writers: int, seconds: float) -> dict[str, float]:
    delays_s: list[float] = []
    begun_s, begun_cpu_s = time.perf_counter(), time.process_time()
    until_s = begun_s + seconds
    await asyncio.gather(*(talk(log, f"{writers}-{number}", until_s, delays_s) for number in range(writers)))
    elapsed_s = time.perf_counter() - begun_s
    cpu_s = time.process_time() - begun_cpu_s
    delays_s.sort()
    return {
        "events_per_s": round(len(delays_s) / elapsed_s, 1),
        "cpu_us_per_event": round(1e6 * cpu_s / len(delays_s)),
        "p50_ms": round(1000 * delays_s[len(delays_s) // 2], 2),
        "p99_ms": round(1000 * delays_s[int(len(delays_s) * 0.99)], 2),
    }


def raw_commits_per_s(folder: Path, seconds: float) -> float:
    """One small row a commit, SQLite alone, set up like the log."""
    connection = sqlite3.connect(folder / "raw.sqlite", isolation_level=None)
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--writers", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=".") as made:
        folder = Path(made).resolve()
        result: dict[str, Any] = {"raw_commit_per_s": round(raw_commits_per_s(folder, options.seconds), 1)}
        with Log.open(options.url or f"sqlite:///{folder / 'log.sqlite'}") as log:
            result["database"] = (options.url or "sqlite").split(":")[0]
            result["single"] = asyncio.run(measure(log, 1, options.seconds))
            result["grouped"] = asyncio.run(measure(log, options.writers, options.seconds))
    result["writers"] = options.writers
    rates = result["grouped"]["events_per_s"], result["single"]["events_per_s"]
    result["ratio_grouped_to_single"] = round(rates[0] / rates[1], 2)
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
