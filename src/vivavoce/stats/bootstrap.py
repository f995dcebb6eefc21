"""Cluster bootstrap over sums per participant: whole participants are drawn, never single dialogues."""

import math
from typing import Any, Final

import numpy as np

from vivavoce.stats.distributions import normal_tail, t_quantile
from vivavoce.stats.interval import Interval

DRAWS: Final = 2000
CHUNK: Final = 100_000
ALIKE: Final = 1e-12
Floats = np.ndarray[Any, np.dtype[np.float64]]


def bootstrap_ratio(
    numerators: Floats, denominators: Floats, *, level: float = 0.95, draws: int = DRAWS, seed: int = 1
) -> Interval | None:
    """Interval of a ratio of sums, whole participants drawn; percentiles moved out for few of them.

    Input   numerators and denominators per participant
    Empty   fewer than 2 participants, no cases, or the same ratio in every draw: None
    Source  Field and Welsh 2007; Hesterberg 2015 for the percentiles
    """
    sums = np.column_stack([numerators, denominators])
    if len(sums) < 2 or not sums[:, 1].sum():
        return None
    sampled = draw_sums(sums, draws, seed)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = sampled[:, 0] / sampled[:, 1]
    return _interval(ratios, level, len(sums))


def bootstrap_difference(
    a: tuple[Floats, Floats],
    b: tuple[Floats, Floats],
    *,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 1,
) -> Interval | None:
    """Interval of the difference of two ratios of sums, a minus b; drawn as for one ratio.

    Input   (numerators, denominators) per participant of each group, participants in the same order, zeros
            where somebody was not in a group
    Empty   fewer than 2 participants, a group without cases, or the same difference in every draw: None
    Source  Field and Welsh 2007; Hesterberg 2015 for the percentiles
    """
    sums = np.column_stack([*a, *b])
    if len(sums) < 2 or not (sums[:, 1].sum() and sums[:, 3].sum()):
        return None
    sampled = draw_sums(sums, draws, seed)
    with np.errstate(divide="ignore", invalid="ignore"):
        differences = sampled[:, 0] / sampled[:, 1] - sampled[:, 2] / sampled[:, 3]
    return _interval(differences, level, len(sums))


def _interval(estimates: Floats, level: float, people: int) -> Interval | None:
    low, high = np.nanquantile(estimates, ends(level, people))
    return Interval(float(low), float(high)) if high - low > ALIKE else None


def ends(level: float, people: int) -> list[float]:
    """Percentiles as far out as t with g - 1 degrees asks for; plain ones are too narrow."""
    reach = math.sqrt(people / (people - 1)) * t_quantile((1 + level) / 2, people - 1)
    return [normal_tail(reach), 1 - normal_tail(reach)]


def draw_sums(sums: Floats, draws: int, seed: int) -> Floats:
    """Sums over as many participants as there are, drawn with replacement, once for each draw.

    Input   participants x columns
    Output  draws x columns
    """
    people, rng = len(sums), np.random.default_rng(seed)
    columns, sampled = np.ascontiguousarray(sums.T), np.empty((draws, sums.shape[1]))
    per_chunk = max(1, CHUNK // people)  # little enough for the processor's cache
    for start in range(0, draws, per_chunk):
        chosen = rng.integers(people, size=(min(per_chunk, draws - start), people))
        for column, values in enumerate(columns):
            sampled[start : start + per_chunk, column] = values.take(chosen).sum(axis=1)
    return sampled
