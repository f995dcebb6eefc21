"""Cluster bootstrap over sums per participant: whole participants are drawn, never single dialogues."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from vivavoce.analysis.interval import Interval

DRAWS: Final = 2000
CHUNK: Final = 4_000_000
Floats = np.ndarray[Any, np.dtype[np.float64]]


def bootstrap_ratio(
    numerators: Floats, denominators: Floats, *, level: float = 0.95, draws: int = DRAWS, seed: int = 1
) -> Interval | None:
    """Percentile interval of a ratio of sums, whole participants drawn.

    Input   numerators and denominators per participant
    Empty   fewer than 2 participants, or no cases: None
    Source  Field and Welsh 2007
    """
    sums = np.column_stack([numerators, denominators])
    if len(sums) < 2 or not sums[:, 1].sum():
        return None
    drawn = np.concatenate([weights @ sums for weights in _weights(len(sums), draws, seed)])
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = drawn[:, 0] / drawn[:, 1]
    low, high = np.nanquantile(ratios, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def bootstrap_difference(
    a: tuple[Floats, Floats],
    b: tuple[Floats, Floats],
    *,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 1,
) -> Interval | None:
    """Percentile interval of the difference of two ratios of sums, a minus b.

    Input   (numerators, denominators) per participant of each group, participants in the same order, zeros
            where somebody was not in a group
    Empty   fewer than 2 participants, or a group without cases: None
    Source  Field and Welsh 2007
    """
    sums = np.column_stack([*a, *b])
    if len(sums) < 2 or not (sums[:, 1].sum() and sums[:, 3].sum()):
        return None
    drawn = np.concatenate([weights @ sums for weights in _weights(len(sums), draws, seed)])
    with np.errstate(divide="ignore", invalid="ignore"):
        differences = drawn[:, 0] / drawn[:, 1] - drawn[:, 2] / drawn[:, 3]
    low, high = np.nanquantile(differences, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def _weights(people: int, draws: int, seed: int) -> Iterator[Floats]:
    """How often each participant is drawn, some draws at a time."""
    rng = np.random.default_rng(seed)
    chances = np.full(people, 1 / people)
    each = max(1, CHUNK // people)
    for start in range(0, draws, each):
        yield rng.multinomial(people, chances, size=min(each, draws - start)).astype(float)
