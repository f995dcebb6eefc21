"""A dataset in buckets has the same measures as one that is read whole, wherever they are counted."""

import os
import re
import signal
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from vivavoce.api.measuring import measurements
from vivavoce.core.executor import read_engine, working_on
from vivavoce.dashboard.verdicts import read_verdicts
from vivavoce.dataset.copying import copy_dataset
from vivavoce.dataset.reader import Dataset
from vivavoce.measures import MEASURES
from vivavoce.measures.base import Measure, Tables
from vivavoce.measures.compute import PackedRows, pack, sums
from vivavoce.reports.section import compose
from vivavoce.testing.sample_dialogues import write_sample


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Dataset, Dataset]:
    """The same dialogues, about which two annotators differ here and there, whole and in buckets of two."""
    folder = tmp_path_factory.mktemp("engines")
    sample = write_sample(folder / "sample")

    def others(rows: Any) -> Any:
        for place, row in enumerate(rows):
            yield row
            if place % 3 and row["dialogue_id"] in ("d1", "d4"):
                yield row | {"annotator_id": "b", "label": "none" if place % 2 else row["label"]}

    whole = copy_dataset(sample, folder / "whole", {"annotations": others})
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("vivavoce.dataset.writer.BUCKET", 2)
        large = copy_dataset(whole, folder / "large", {})
    assert (whole.buckets, large.buckets) == (1, 4) and whole.hash == large.hash
    return whole, large


def facts_of(dataset: Dataset, engine: str | None = None, **options: Any) -> dict[str, Any]:
    """With the dataset opened anew: what it has counted before is not asked."""
    with working_on(engine):
        return measurements(Dataset(dataset.folder), "condition", None, **options).facts


def test_buckets_change_no_digit(both: tuple[Dataset, Dataset]) -> None:
    whole, large = map(facts_of, both)
    assert whole == large
    counted = [one for one in whole["all"]["measures"].values() if one["dialogues"]]
    assert len(counted) > 100 and any(one["open"] for one in counted)
    words = {"thai", "north"}
    assert facts_of(both[0], keywords=words) == facts_of(both[1], keywords=words)


@pytest.mark.long
def test_processes_change_no_digit(both: tuple[Dataset, Dataset]) -> None:
    assert facts_of(both[1], engine="processes:2") == facts_of(both[0])


def test_a_measure_that_looks_at_every_dialogue_is_told_of_all(both: tuple[Dataset, Dataset]) -> None:
    for dataset in both:
        tables = Tables(dataset.bucket(0))
        assert tables.overall(count_turns, sum) == 48


def count_turns(tables: Tables) -> int:
    return len(tables.read("turns"))


def test_a_measure_of_a_stranger_that_expects_rows_is_counted_in_buckets(
    both: tuple[Dataset, Dataset], monkeypatch: pytest.MonkeyPatch
) -> None:
    def first(tables: Tables) -> dict[str, tuple[float, float]]:
        first = tables.read("dialogues").to_pylist()[0]["study"]
        return {row["dialogue_id"]: (len(first), 1.0) for row in tables.read("dialogues").to_pylist()}

    facts: Any = dict.fromkeys(("title", "meaning", "unit", "level", "family", "source", "empty"), "x")
    made = Measure(name="first", origin="instrumental", analysis_unit="turn", components=first, **facts)
    monkeypatch.setitem(MEASURES._entries, "first", made)
    found = [sums(dataset, ["first", "turns"]) for dataset in both]
    rows = [dict(zip(one.dialogue_ids, one.numerators[0], strict=True)) for one in found]
    assert rows[0] == rows[1] and sum(rows[0].values()) == 7


def test_rows_are_kept_exactly_in_little_room() -> None:
    draw = np.random.default_rng(1)
    rows = [
        np.zeros(500),
        np.ones(500),
        np.ones(500),
        draw.integers(-300, 300, 500).astype(float),
        draw.random(500),
        np.full(500, 0.5),
        draw.integers(0, 2**40, 500).astype(float),
    ]
    packed = pack(rows)
    assert [one.dtype.itemsize for one in packed] == [1, 1, 1, 2, 8, 4, 8]
    assert packed[1] is packed[2], "the same row is held once"
    kept = PackedRows([packed, pack(rows)])
    assert np.array_equal(np.asarray(kept), np.hstack([rows, rows]))
    assert np.array_equal(kept[4], np.concatenate([rows[4]] * 2))
    assert [len(one) for one in pack([np.zeros(0)])] == [0]


@pytest.mark.long
def test_a_worker_that_is_killed_changes_nothing_on_a_cluster(both: tuple[Dataset, Dataset]) -> None:
    pytest.importorskip("distributed")
    from distributed import LocalCluster

    started: Any = LocalCluster(2, threads_per_worker=1, dashboard_address=":0")
    with started as cluster:
        victim = cluster.workers[0].pid
        scheduler = cluster.scheduler_address.removeprefix("tcp:")
        engine = Killing(f"dask:{scheduler}", lambda: os.kill(victim, signal.SIGKILL))
        assert list(engine.map(double, range(50))) == [2 * number for number in range(50)]
        engine.engine.close()
        assert engine.killed
        assert facts_of(both[1], engine=f"dask:{scheduler}") == facts_of(both[0])


def double(number: int) -> int:
    return 2 * number


class Killing:
    """An engine that loses a worker after its first result."""

    def __init__(self, name: str, kill: Callable[[], None]) -> None:
        self.engine, self.kill, self.killed = read_engine(name), kill, False

    def map(self, work: Any, pieces: Any) -> Any:
        for result in self.engine.map(work, pieces):
            if not self.killed:
                self.kill()
                self.killed = True
            yield result


def test_readers_of_reports_and_dashboards_see_no_buckets(both: tuple[Dataset, Dataset]) -> None:
    verdicts, documents = [], []
    for dataset in both:
        found = read_verdicts(Dataset(dataset.folder), "people", 1, datetime(2026, 1, 1, tzinfo=UTC))
        there = {
            name: {one for one, is_ in zip(found.dialogue_ids, own, strict=True) if is_}
            for name, own in found.counted.items()
        }
        verdicts.append(there)
        documents.append(re.sub(r" at 0x[0-9a-f]+", "", repr(compose(Dataset(dataset.folder)).sections)))
    assert len(verdicts[0]) > 50 and verdicts[0] == verdicts[1]
    assert documents[0] == documents[1]
