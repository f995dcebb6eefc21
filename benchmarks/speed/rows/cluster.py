"""All built-in measures of a million dialogues on Dask, with 1, 2 and 4 workers, and with one that is killed.

Whatever the engine, the same command must print the same bytes and write the same table. Workers of one
machine share its cores: with more of them than cores this shows what it costs, not what it gains.
"""

import filecmp
import os
import signal
import threading
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.speed.inputs import write_dataset
from benchmarks.speed.row import (
    Cost,
    Figure,
    Measured,
    Row,
    compared,
    cost_of,
    peak_mb,
    vivavoce,
    workplace,
)
from benchmarks.speed.servers import cpu_s
from distributed import LocalCluster

SIZE, QUICK_SIZE = 1_000_000, 1_000
WORKERS = (1, 2, 4)
KILLED_OF = 2
WHY = (
    "two buckets that are counted at once on this machine took 6.4 s each, one alone 5.3 s; each worker "
    "warms caches of its own, and intervals are found in one process; what a lost worker had is counted again"
)
MIDDLE = 0.4
"""After what part of the time of the same workers one of them is killed."""


class PluralCount(NamedTuple):
    """What one engine took: the command that asks, and the workers that count for it."""

    cost: Cost
    table: Path
    workers_cpu_s: float = 0.0
    worker_mb: float = 0.0

    @property
    def cpu_s(self) -> float:
        return self.cost.cpu_s + self.workers_cpu_s


def count(dataset: Path, table: Path, *more: str) -> PluralCount:
    words = ("--only", "all", "--json", "--parquet", table)
    return PluralCount(cost_of(vivavoce("measure", dataset, *words, *more)), table)


def count_on(dataset: Path, table: Path, workers: int, kill_after_s: float | None = None) -> PluralCount:
    """The same on a cluster of so many workers; the first is killed after so many seconds.

    Raises  AssertionError: the worker that was to be killed had nothing to do any more
    """
    started: Any = LocalCluster(workers, threads_per_worker=1, dashboard_address=None)
    with started as cluster:
        first = [one.pid for one in cluster.workers.values()]
        killing = threading.Timer(kill_after_s or 0.0, os.kill, (first[0], signal.SIGKILL))
        if kill_after_s is not None:
            killing.start()
        engine = f"dask:{cluster.scheduler_address.removeprefix('tcp:')}"
        found = count(dataset, table, "--engine", engine)
        assert kill_after_s is None or killing.finished.is_set(), "all was counted before a worker was killed"
        last = [one.pid for one in cluster.workers.values()]
        assert (first == last) == (kill_after_s is None), "workers were lost that nobody killed"
        spent, held = (sum(map(cpu_s, last)), max(map(peak_mb, last)))
    return found._replace(workers_cpu_s=spent, worker_mb=held)


def measure(quick: bool) -> Measured:
    size = QUICK_SIZE if quick else SIZE
    with workplace() as folder:
        dataset = write_dataset(folder / "dataset", size)
        here = count(dataset, folder / "here.parquet")
        figures = []
        found = {workers: count_on(dataset, folder / f"{workers}.parquet", workers) for workers in WORKERS}
        for workers, own in found.items():
            figures += _figures(f"{workers} {'worker' if workers == 1 else 'workers'}", own, here)
        soon = MIDDLE * found[KILLED_OF].cost.seconds
        lost = count_on(dataset, folder / "killed.parquet", KILLED_OF, soon)
        figures += _figures(f"{KILLED_OF} workers, one killed after {soon:.0f} s", lost, here)[:1]
    memory = f"{here.cost.peak_mb:,.0f} MB"
    notes = [f"{size:,} dialogues; one process takes {here.cost.seconds:.0f} s and {memory}", WHY]
    return Measured(figures, notes=notes)


def _figures(workers: str, own: PluralCount, here: PluralCount) -> list[Figure]:
    """Raises  AssertionError: another engine gave other numbers."""
    assert own.cost.stdout == here.cost.stdout, f"{workers}: other values were printed"
    assert filecmp.cmp(own.table, here.table, shallow=False), f"{workers}: another table was written"
    peaks = f"at most {own.worker_mb:,.0f} MB a worker, {own.cost.peak_mb:,.0f} MB where it is asked"
    against = "one process"
    return [
        compared(
            f"{workers}, by the clock",
            [own.cost.seconds],
            [here.cost.seconds],
            against=against,
            unit="s",
            note=f"same digits; {peaks}",
        ),
        compared(
            f"{workers}, all processors",
            [own.cpu_s],
            [here.cpu_s],
            against=against,
            unit="CPU s",
        ),
    ]


ROW = Row(
    "cluster",
    "all interaction parameters of a million dialogues on Dask",
    "the same command in one process",
    measure,
    limit_s=1500,
    apart=True,
)
