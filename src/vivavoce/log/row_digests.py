"""The hash of a table: a sum over its rows, so that their order does not matter and twice the same counts."""

import hashlib
import json
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pyarrow as pa

WHOLE: Final = 2**256
_encode: Final = json.JSONEncoder(default=str, sort_keys=True).encode


def sum_digests(table: pa.Table) -> int:
    """Sum of the SHA-256 of each row, written as JSON with sorted keys; below `WHOLE`."""
    names = sorted(table.column_names)
    cells = [_encoded(f"{_encode(name)}: ", table.column(name)) for name in names]
    sha256, number = hashlib.sha256, int.from_bytes
    rows = (f"{{{', '.join(row)}}}".encode() for row in zip(*cells, strict=True))
    return sum(number(sha256(row).digest()) for row in rows) % WHOLE


def _encoded(key: str, column: pa.ChunkedArray) -> list[str]:
    """Each cell behind its key; what a column has several times is encoded once."""
    kept = column.combine_chunks().dictionary_encode()
    encode: Callable[[Any], str] = _encode
    texts = np.array(
        [*(key + encode(one) for one in kept.dictionary.to_pylist()), f"{key}null"], dtype=object
    )
    places = kept.indices.fill_null(len(texts) - 1).to_numpy(zero_copy_only=False)
    return texts[places].tolist()
