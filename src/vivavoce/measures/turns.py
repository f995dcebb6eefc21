"""The turns of a dataset as arrays in the order of talk, from which counts and times are summed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from vivavoce.core.text import words
from vivavoce.measures.base import Pairs, Tables

Floats = np.ndarray[Any, np.dtype[np.float64]]
TIMES: Final = ("onset_s", "offset_s", "sent_s", "first_output_s", "complete_s")
TEXTS: Final = ("text", "reference")


@dataclass(frozen=True, slots=True)
class Turns:
    """One entry a turn, dialogue by dialogue, each in order.

    dialogue_ids  the dialogues that have turns
    dialogue      the place of each turn's dialogue among them
    index         the turn's own index
    times         seconds by column; NaN where a time is not known
    lengths       number of words by column; NaN where the text is not known
    """

    dialogue_ids: list[str]
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

    def summed(self, values: Floats, among: np.ndarray | None = None) -> Pairs:
        """Sum and number of the known values by dialogue; a dialogue without any is not there."""
        known = ~np.isnan(values)
        chosen = known if among is None else known & among
        whose, many = self.dialogue[chosen], len(self.dialogue_ids)
        sums, counts = np.bincount(whose, values[chosen], many), np.bincount(whose, minlength=many)
        rows = zip(self.dialogue_ids, sums.tolist(), counts.tolist(), strict=True)
        return {key: (total, count) for key, total, count in rows if count}

    def counted(self, among: np.ndarray) -> dict[str, int]:
        """How many of the chosen turns each dialogue has."""
        counts = np.bincount(self.dialogue[among], minlength=len(self.dialogue_ids))
        return dict(zip(self.dialogue_ids, counts.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Followed:
    """Turns of one party that directly follow one of the other: which they are, and the times before them."""

    turns: Turns
    chosen: np.ndarray
    before: Mapping[str, Floats]

    def summed(self, delays: Floats) -> Pairs:
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
    import pyarrow as pa

    table = tables.read("turns").combine_chunks()
    encoded = table["dialogue_id"].combine_chunks().dictionary_encode()
    dialogue = encoded.indices.to_numpy(zero_copy_only=False)
    index = table["turn_index"].to_numpy()
    order = np.lexsort((index, dialogue))

    def numbers(name: str) -> Floats:
        return table[name].cast(pa.float64()).to_numpy()[order]

    def flags(name: str) -> np.ndarray:
        return table[name].fill_null(False).to_numpy()[order].astype(bool)

    return Turns(
        dialogue_ids=encoded.dictionary.to_pylist(),
        dialogue=dialogue[order],
        index=index[order],
        party=table["party"].to_numpy()[order],
        barge_in=flags("barge_in"),
        restarted=flags("restarted"),
        times={name: numbers(name) for name in TIMES},
        lengths={name: _lengths(table[name].to_pylist())[order] for name in TEXTS},
    )


def _lengths(texts: list[str | None]) -> Floats:
    return np.array([np.nan if text is None else len(words(text)) for text in texts], dtype=float)
