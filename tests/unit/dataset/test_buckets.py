"""Large datasets lie in buckets of whole dialogues, and nobody reads other rows for it."""

import hashlib
import json
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset, sum_digests
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.testing.sample_dialogues import write_sample

FACTS: dict[str, Any] = {"study": {"name": "s"}, "source": {"kind": "test"}}


def keys_of(dataset: Dataset) -> list[str]:
    return dataset.read("dialogues")["dialogue_id"].to_pylist()


def rows_of(dataset: Dataset, table: str) -> list[str]:
    return sorted(json.dumps(row, default=str, sort_keys=True) for row in dataset.read(table).to_pylist())


def in_buckets(folder: Path, monkeypatch: pytest.MonkeyPatch, size: int = 2, **facts: Any) -> Dataset:
    with monkeypatch.context() as patched:
        patched.setattr("vivavoce.dataset.writer.BUCKET", size)
        return write_sample(folder, **facts)


def test_a_table_in_buckets_holds_what_it_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, large = write_sample(tmp_path / "plain"), in_buckets(tmp_path / "large", monkeypatch)
    assert plain.buckets == 1 and large.buckets > 2
    assert large.hash == plain.hash
    for name in plain.manifest["tables"]:
        assert rows_of(large, name) == rows_of(plain, name), name


def test_the_buckets_part_the_dialogues_in_the_order_of_their_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = in_buckets(tmp_path / "large", monkeypatch, shuffled=3)
    keys = [keys_of(large.bucket(number)) for number in range(large.buckets)]
    assert [len(own) for own in keys[:-1]] == [2] * (large.buckets - 1)
    assert [*chain(*keys)] == sorted(chain(*keys))
    for number, own in enumerate(keys):
        for table in ("turns", "acts", "annotations"):
            found = set(large.bucket(number).read(table)["dialogue_id"].to_pylist())
            assert found <= set(own), f"{table} of bucket {number}"
    turns = [row for n in range(large.buckets) for row in large.bucket(n).read("turns").to_pylist()]
    assert len(turns) == len(large.read("turns"))


def test_rows_of_no_dialogue_and_tables_of_none_are_in_each_bucket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vivavoce.dataset.writer.BUCKET", 1)
    with DatasetWriter(tmp_path / "d", **FACTS) as writer:
        writer.add("dialogues", [dialogue("b"), dialogue("a")])
        writer.add("participants", [{"participant_id": "p", "simulated": False}])
        rating = {"participant_id": "p", "instrument": "i", "item_id": "x", "value": 1.0}
        writer.add("ratings", [rating, rating | {"dialogue_id": "b"}])
    dataset = Dataset(tmp_path / "d")
    assert dataset.buckets == 2
    rated = [dataset.bucket(n).read("ratings")["dialogue_id"].to_pylist() for n in range(2)]
    assert rated == [[None], ["b", None]]
    assert all(len(dataset.bucket(n).read("participants")) == 1 for n in range(2))


def test_rules_leave_out_the_same_in_buckets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    large = in_buckets(tmp_path / "large", monkeypatch)
    short = Dataset(large.folder, exclude="user_turns < 2")
    parts = [short.bucket(n) for n in range(short.buckets)]
    kept = [*chain.from_iterable(map(keys_of, parts))]
    assert 0 < len(kept) < len(large.read("dialogues"))
    assert kept == keys_of(short)
    assert {part.hash for part in parts} == {short.hash}


def test_a_table_that_somebody_wrote_anew_is_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = in_buckets(tmp_path / "large", monkeypatch)
    path = large.path("turns")
    pq.write_table(pq.read_table(path), path)
    assert Dataset(large.folder).buckets == 1


def test_a_file_that_is_cut_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    large = in_buckets(tmp_path / "large", monkeypatch)
    whole = large.path("turns").read_bytes()
    large.path("turns").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"turns\.parquet.*cannot read as Parquet"):
        Dataset(large.folder).read("turns")


def dialogue(key: str) -> dict[str, Any]:
    facts = {"study": "s", "system": "a", "condition": "a", "language": "en", "channel": "text"}
    return {"dialogue_id": key, "simulated": False, **facts}


def test_columns_are_written_as_rows_are(tmp_path: Path) -> None:
    rows = [dialogue("b"), dialogue("a")]
    for name, columns in (("rows", False), ("columns", True)):
        with DatasetWriter(tmp_path / name, **FACTS) as writer:
            if columns:
                writer.add_table("dialogues", pa.Table.from_pylist(rows))
            else:
                writer.add("dialogues", rows)
    assert Dataset(tmp_path / "rows").hash == Dataset(tmp_path / "columns").hash


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"dialogue_id": ["a"], "sistem": ["x"]}, "sistem.*Did you mean 'system'"),
        ({"dialogue_id": ["a"], "simulated": ["maybe"]}, "table dialogues"),
        ({"dialogue_id": ["a"]}, "is null in a row"),
    ],
)
def test_columns_that_do_not_fit_are_named(tmp_path: Path, columns: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told), DatasetWriter(tmp_path / "d", **FACTS) as writer:
        writer.add_table("dialogues", pa.table(columns))
    assert not list((tmp_path / "d").glob("*"))


def slow_digest(rows: Iterable[dict[str, Any]]) -> int:
    texts = (json.dumps(row, default=str, sort_keys=True) for row in rows)
    return sum(int.from_bytes(hashlib.sha256(text.encode()).digest()) for text in texts) % 2**256


def test_a_hash_by_columns_is_that_of_its_rows(tmp_path: Path) -> None:
    sample = write_sample(tmp_path / "sample")
    for name in sample.manifest["tables"]:
        table = sample.read(name)
        told = int(sample.manifest["tables"][name]["sha256"], 16)
        assert told == sum_digests(table) == slow_digest(table.to_pylist()), name
    odd = pa.table({"z": ['\u00e8 "q"', None, "a"], "a": [0.1, float("nan"), -0.0], "b": [True, None, False]})
    assert sum_digests(odd) == slow_digest(odd.to_pylist())
    assert sum_digests(odd.slice(0, 0)) == 0
