"""Buckets: a large table laid anew, a row group for each so many whole dialogues, by the order of keys."""

import tempfile
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

BUCKET: Final = 20_000
"""Dialogues in a bucket."""
MOST: Final = 500
"""Buckets of a dataset, each of which is an open file while it is written; beyond it they hold more."""


def boundaries(keys: Iterable[str]) -> list[str]:
    """The first dialogue of each bucket but the first. Empty: one bucket holds all"""
    ordered = sorted(keys)
    size = max(BUCKET, -(-len(ordered) // MOST))
    return ordered[size::size]


def lay_in_buckets(path: Path, schema: pa.Schema, edges: Sequence[str]) -> None:
    """Write a table anew in buckets: a row group each, then one of the rows that are of no dialogue.

    Note  rows of a dialogue keep their order; one bucket at a time is held in memory
    """
    laid = path.with_name(path.name + ".laid")
    with tempfile.TemporaryDirectory(prefix=".buckets-", dir=path.parent) as folder:
        parts = [Path(folder) / str(number) for number in range(len(edges) + 2)]
        _part(path, schema, edges, parts)
        with pq.ParquetWriter(laid, schema, compression="zstd") as writer:
            for part in parts:
                rows = _read(part, schema)
                writer.write_table(rows.sort_by("dialogue_id"), row_group_size=max(1, len(rows)))
                part.unlink()
    laid.replace(path)


def _part(path: Path, schema: pa.Schema, edges: Sequence[str], parts: Sequence[Path]) -> None:
    """The rows of each bucket, those of no dialogue last, in a file of their own."""
    with ExitStack() as opened:
        writers = [opened.enter_context(pa.ipc.new_stream(str(part), schema)) for part in parts]
        for batch in pq.ParquetFile(path).iter_batches():
            for number, rows in _apart(pa.Table.from_batches([batch]).cast(schema), edges):
                writers[number].write_table(rows)


def _apart(batch: pa.Table, edges: Sequence[str]) -> Iterator[tuple[int, pa.Table]]:
    keys = batch["dialogue_id"].combine_chunks().dictionary_encode()
    numbers = [*(bisect_right(edges, key) for key in keys.dictionary.to_pylist()), len(edges) + 1]
    own = np.array(numbers)[keys.indices.fill_null(len(numbers) - 1).to_numpy(zero_copy_only=False)]
    order = np.argsort(own, kind="stable")
    found, begins = np.unique(own[order], return_index=True)
    ends = [*begins[1:].tolist(), len(own)]
    ordered = batch.take(order)
    for number, begin, end in zip(found.tolist(), begins.tolist(), ends, strict=True):
        yield number, ordered.slice(begin, end - begin)


def _read(part: Path, schema: pa.Schema) -> pa.Table:
    with pa.ipc.open_stream(str(part)) as stream:
        return stream.read_all().cast(schema)
