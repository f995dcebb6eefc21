"""Rows of tables in columns: the dialogue of each as a number, texts as numbers, and sums over dialogues."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from typing import TYPE_CHECKING, Any, Final, TypeVar

from vivavoce.core.extras import later

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from vivavoce.measures.base import Pair, Tables

    Floats = np.ndarray[Any, np.dtype[np.float64]]
    Places = np.ndarray[Any, np.dtype[np.int64]]
else:
    np = later("numpy")
    Floats = Any
    Places = Any

Found = TypeVar("Found")
LARGEST: Final = 2**62


class PairColumns(Mapping[str, "Pair"]):
    """Numerators and denominators along the dialogues of the tables; a mapping of those that are there.

    there  which dialogues are; None: those whose denominator is not 0
    """

    def __init__(
        self,
        dialogue_ids: Sequence[str],
        numerators: Floats,
        denominators: Floats,
        there: np.ndarray | None = None,
    ) -> None:
        self.dialogue_ids = dialogue_ids
        self.there = denominators != 0 if there is None else there
        self.both = np.where(self.there, np.vstack([numerators, denominators]), 0.0)
        self._places: dict[str, int] | None = None

    def over_dialogues(self) -> PairColumns:
        """Copy with the same numerators and each dialogue counted once."""
        return PairColumns(self.dialogue_ids, self.both[0], self.there.astype(float), self.there)

    def __getitem__(self, key: str) -> Pair:
        if self._places is None:
            entries = zip(self.dialogue_ids, self.there.tolist(), strict=True)
            self._places = {
                dialogue_id: place for place, (dialogue_id, present) in enumerate(entries) if present
            }
        numerator, denominator = self.both[:, self._places[key]].tolist()
        return numerator, denominator

    def __iter__(self) -> Iterator[str]:
        return (
            dialogue_id
            for dialogue_id, present in zip(self.dialogue_ids, self.there.tolist(), strict=True)
            if present
        )

    def __len__(self) -> int:
        return int(self.there.sum())


def dialogue_ids(tables: Tables) -> list[str]:
    """The dialogues of the tables, in their order."""
    return tables.remember(dialogue_ids, lambda: tables.read("dialogues")["dialogue_id"].to_pylist())


def dialogue_places(tables: Tables, rows: pa.Table) -> Places:
    """The place of each row's dialogue among those of the tables; -1 where it is none of them."""

    def number() -> dict[str, int]:
        return {dialogue_id: place for place, dialogue_id in enumerate(dialogue_ids(tables))}

    places = tables.remember(dialogue_places, number)
    (codes,), row_ids = encoded(rows["dialogue_id"])
    return taken(np.array([places.get(dialogue_id, -1) for dialogue_id in row_ids], dtype=np.int64), codes)


def encoded(*columns: pa.ChunkedArray) -> tuple[list[Places], list[Any]]:
    """Columns of values as numbers, -1 for null, and the values of these numbers, each once."""
    import pyarrow as pa

    chained = pa.chunked_array([chunk for column in columns for chunk in column.chunks], columns[0].type)
    if not len(chained):
        return [np.zeros(0, np.int64) for _ in columns], []
    codes = chained.combine_chunks().dictionary_encode()
    numbers = codes.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    ends = np.cumsum([len(column) for column in columns])[:-1]
    return np.split(numbers, ends), codes.dictionary.to_pylist()


def taken(values: np.ndarray, codes: Places, missing: Any = -1) -> np.ndarray:
    """The value of each number; `missing` for -1."""
    return np.append(values, missing)[codes]


def once(make: Callable[..., Found], *codes: Places) -> tuple[list[Found], Places]:
    """Value of each combination of numbers, computed once, and the combination of each row."""
    if not len(codes[0]):
        return [], np.zeros(0, np.int64)
    key = np.zeros(len(codes[0]), np.int64)
    for code in codes:
        low = int(code.min())
        many = int(code.max()) - low + 1
        if int(key.max()) >= LARGEST // many:  # else two combinations might become one number
            key = np.unique(key, return_inverse=True)[1]
        key = key * many + code - low
    _, firsts, group_of = np.unique(key, return_index=True, return_inverse=True)
    return [make(*row) for row in zip(*(column[firsts].tolist() for column in codes), strict=True)], group_of


def memoized(rows: pa.Table, names: Sequence[str], make: Callable[..., Found]) -> list[Found]:
    """Value computed from these columns of each row; equal rows share one object."""
    columns = [encoded(rows[name]) for name in names]
    values = [[*column_values, None] for _, column_values in columns]  # the last, -1, is null

    def of_codes(*codes: int) -> Found:
        return make(*(column_values[code] for column_values, code in zip(values, codes, strict=True)))

    unique_values, group_of = once(of_codes, *(codes for (codes,), _ in columns))
    return [unique_values[group] for group in group_of.tolist()]


def number_column(rows: pa.Table, name: str) -> Floats:
    """A column of numbers; NaN where it is null."""
    import pyarrow as pa

    return rows[name].cast(pa.float64()).to_numpy()


def sum_rows(
    tables: Tables,
    places: Places,
    tops: Floats,
    bottoms: Floats | None = None,
    *,
    also: Places | None = None,
) -> PairColumns:
    """Sums over the rows of each dialogue, in their order; a dialogue without rows is not there.

    Input   the dialogue of each row; what it adds to the numerator and, where told, to the denominator (1)
            also: dialogues that are there without rows
    """
    ids = dialogue_ids(tables)
    placed = places >= 0
    whose = places[placed]
    counts = np.bincount(whose, minlength=len(ids)).astype(float)
    below = counts if bottoms is None else np.bincount(whose, bottoms[placed], len(ids))
    present = counts > 0
    if also is not None:
        present[also[also >= 0]] = True
    above = np.bincount(whose, tops[placed], len(ids))
    return PairColumns(ids, above.astype(float), below.astype(float), present)


def places_of(tables: Tables, entries_of: Mapping[str, Sized]) -> tuple[Places, Places]:
    """The places of dialogues, and of each of what they have."""
    places = {dialogue_id: place for place, dialogue_id in enumerate(dialogue_ids(tables))}
    known_places = np.array([places.get(dialogue_id, -1) for dialogue_id in entries_of], dtype=np.int64)
    return known_places, np.repeat(known_places, [len(entries) for entries in entries_of.values()])
