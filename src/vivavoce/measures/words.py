"""Words and word errors inside queries: Python's own splitting, so that every room counts alike."""

from collections.abc import Callable
from typing import Any

import ibis
import pyarrow as pa

from vivavoce.core.alignment import align
from vivavoce.core.text import words


def _each(function: Callable[..., int], *columns: Any) -> Any:
    """Apply to Arrow columns row by row, or to plain values where the engine passes those (Spark)."""
    if columns[0] is None or isinstance(columns[0], str):
        return function(*columns)
    rows = zip(*(column.to_pylist() for column in columns), strict=True)
    return pa.array([function(*row) for row in rows], pa.int64())


@ibis.udf.scalar.pyarrow
def word_count(text: str) -> int:
    """Number of words; the text must not be null."""
    return _each(lambda value: len(words(value)), text)


@ibis.udf.scalar.pyarrow
def word_errors(reference: str, hypothesis: str) -> int:
    """Substitutions, deletions and insertions of a minimal alignment; neither text may be null."""
    return _each(lambda said, heard: align(words(said), words(heard)).errors, reference, hypothesis)
