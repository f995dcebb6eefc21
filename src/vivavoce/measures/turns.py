"""The turns of a dataset as arrays in the order of talk, from which counts and times are summed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vivavoce.core.text import words
from vivavoce.measures.base import Tables
from vivavoce.measures.columns import PairColumns, dialogue_places, encoded, number_column, sum_rows, taken

if TYPE_CHECKING:
    import pyarrow as pa

Floats = np.ndarray[Any, np.dtype[np.float64]]
TIMES: Final = ("onset_s", "offset_s", "sent_s", "first_output_s", "complete_s")
TEXTS: Final = ("text", "reference")


@dataclass(frozen=True, slots=True)
class Turns:
    """One entry a turn, dialogue by dialogue, each in order.

    dialogue  the place of each turn's dialogue among those of the tables
    index     the turn's own index
    times     seconds by column; NaN where a time is not known
    lengths   number of words by column; NaN where the text is not known
    """

    tables: Tables
    dialogue: np.ndarray
    index: np.ndarray
    party: np.ndarray
    barge_in: np.ndarray
    restarted: np.ndarray
    times: Mapping[str, Floats]
    lengths: Mapping[str, Floats]

    def of(self, party: str) -> np.ndarray:
        """Which turns are this party's."""
        return self.party == party

    def summed(self, values: Floats, among: np.ndarray | None = None) -> PairColumns:
        """Sum and number of the known values by dialogue; a dialogue without any is not there."""
        known = ~np.isnan(values)
        chosen = known if among is None else known & among
        return sum_rows(self.tables, self.dialogue[chosen], values[chosen])


@dataclass(frozen=True, slots=True)
class Followed:
    """Turns of one party that directly follow one of the other: which they are, and the times before them."""

    turns: Turns
    chosen: np.ndarray
    before: Mapping[str, Floats]

    def summed(self, delays: Floats) -> PairColumns:
        return self.turns.summed(delays, self.chosen)

    def without(self, excluded: np.ndarray) -> "Followed":
        return replace(self, chosen=self.chosen & ~excluded)


def turns(tables: Tables) -> Turns:
    """All turns, read once."""
    return tables.remember(turns, lambda: _read(tables))


def followed(tables: Tables, first: str, second: str) -> Followed:
    """Turns of `second` that directly follow a turn of `first` in the same dialogue, our service running."""
    found = turns(tables)
    same = np.zeros(len(found.dialogue), dtype=bool)
    same[1:] = found.dialogue[1:] == found.dialogue[:-1]
    after = np.zeros(len(same), dtype=bool)
    after[1:] = found.of(first)[:-1]
    before = {name: _shifted(times) for name, times in found.times.items()}
    return Followed(found, same & after & found.of(second) & ~found.restarted, before)


def either(first: Floats, second: Floats) -> Floats:
    """The first where it is known, else the second."""
    return np.where(np.isnan(first), second, first)


def _shifted(values: Floats) -> Floats:
    moved = np.full(len(values), np.nan)
    moved[1:] = values[:-1]
    return moved


def _read(tables: Tables) -> Turns:
    table = tables.read("turns")
    places = dialogue_places(tables, table)
    index = table["turn_index"].to_numpy()
    order = np.lexsort((index, places))
    order = order[places[order] >= 0]
    (parties,), names = encoded(table["party"])

    def flags(name: str) -> np.ndarray:
        return table[name].fill_null(False).to_numpy()[order].astype(bool)

    return Turns(
        tables=tables,
        dialogue=places[order],
        index=index[order],
        party=taken(np.array(names, dtype=object), parties, None)[order],
        barge_in=flags("barge_in"),
        restarted=flags("restarted"),
        times={name: number_column(table, name)[order] for name in TIMES},
        lengths={name: _lengths(table[name])[order] for name in TEXTS},
    )


def _lengths(texts: "pa.ChunkedArray") -> Floats:
    (codes,), known = encoded(texts)
    return taken(np.array([len(words(text)) for text in known], dtype=float), codes, np.nan)
