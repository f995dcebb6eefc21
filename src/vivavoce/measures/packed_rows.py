"""Many rows of counts and sums, each kept in the smallest type that holds it exactly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from vivavoce.core.extras import later

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, np.dtype[np.float64]]
    Packed = np.ndarray[Any, Any]
else:
    np = later("numpy")
    Floats = Any
    Packed = Any


WHOLE: Final = ("uint8", "int16", "int32")


def pack(rows: Iterable[Floats]) -> list[Packed]:
    """Each row in the smallest type; rows that are the same are one object, which goes to others once."""
    unique_rows: dict[tuple[str, bytes], Packed] = {}
    small = [_smallest(row) for row in rows]
    return [unique_rows.setdefault((packed.dtype.str, packed.tobytes()), packed) for packed in small]


def _smallest(row: Floats) -> Packed:
    low, high = (row.min(), row.max()) if len(row) else (0.0, 0.0)
    fitting = [dtype for dtype in WHOLE if np.iinfo(dtype).min <= low and high <= np.iinfo(dtype).max]
    small = (row.astype(dtype) for dtype in (*fitting, "float32"))
    return next((packed for packed in small if np.array_equal(packed, row)), row.copy())


class PackedRows:
    """Rows along all dialogues, built bucket by bucket and read as floats.

    Input   what `pack` makes of the rows of each bucket, in their order
    """

    def __init__(self, buckets: Sequence[Sequence[Packed]]) -> None:
        self._rows: list[Sequence[Packed]] = [*zip(*buckets, strict=True)]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Floats]:
        return (self._row(number) for number in range(len(self)))

    def __getitem__(self, place: Any) -> Any:
        """A row by its number, some rows, packed as they are, by a list of numbers, or places of all rows."""
        if isinstance(place, int):
            return self._row(place)
        if isinstance(place, list):
            subset = PackedRows(())
            subset._rows = [self._rows[index] for index in place]
            return subset
        return np.asarray(self)[place]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.vstack(list(self)).astype(dtype or float, copy=False)

    def _row(self, number: int) -> Floats:
        return np.concatenate(self._rows[number], dtype=float)

    def replace(self, number: int, row: Floats) -> None:
        """Put another row in the place of one."""
        self._rows[number] = (row,)
