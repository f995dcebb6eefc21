"""Ranks from choices between two: parts that can be ordered, joint rank sets, and one-sided limits.

Source: Davidson 1970; Mogstad, Romano, Shaikh and Wilhelm 2024 (rank sets); reference values in
tests/golden/decisions.json.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, Final, Literal

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.sparse.csgraph import connected_components

from vivavoce.stats.distributions import normal_quantile
from vivavoce.stats.paired_models import FARTHEST, FittedPairs, Floats, davidson_loss
from vivavoce.stats.preferences import RankSet

DRAWS: Final = 100_000
SEED: Final = 1
MOST_EXCESS: Final = 60.0  # log odds that no limit exceeds


def connected_parts(
    names: Sequence[str], first: Sequence[str], second: Sequence[str], outcomes: Floats
) -> list[list[str]]:
    """Names that have finite worths together: each has won against, or tied with, the rest of its part.

    Parameters: all names; the two of each choice; outcomes 1 the first, -1 the second, 0 neither.
    Returns the parts, the largest first; a name that is connected with no other is a part by itself.
    """
    place = {name: number for number, name in enumerate(names)}
    beats = np.zeros((len(names), len(names)))
    for a, b, outcome in zip(first, second, outcomes, strict=True):
        if outcome >= 0:
            beats[place[a], place[b]] = 1
        if outcome <= 0:
            beats[place[b], place[a]] = 1
    count, labels = connected_components(beats, connection="strong")
    parts = [[name for name in names if labels[place[name]] == number] for number in range(count)]
    return sorted(parts, key=lambda part: (-len(part), part))


def rank_sets(names: Sequence[str], fitted: FittedPairs, level: float = 0.95) -> dict[str, RankSet]:
    """Ranks that each name may have, all of them true at once with the given confidence.

    Parameters: names, all but the last being the first columns of the fitted model.
    Returns a set for each name; with fewer than two people, all ranks.
    """
    size = len(names)
    pairs = list(combinations(range(size), 2))
    weights = np.zeros((len(pairs), size))
    for row, (a, b) in enumerate(pairs):
        weights[row, a], weights[row, b] = 1, -1
    free = weights[:, : size - 1]
    gaps = free @ fitted.estimates[: size - 1]
    covariance = free @ fitted.covariance[: size - 1, : size - 1] @ free.T
    errors = np.sqrt(np.diag(covariance).clip(0))
    if fitted.clusters < 2 or not errors.all():
        return {name: RankSet(1, size) for name in names}
    largest = largest_z(fitted.covariance[: size - 1, : size - 1], free / errors[:, None], level)
    largest *= 1 + (largest**2 + 1) / (4 * (fitted.clusters - 1))
    better, worse = np.zeros(size, dtype=int), np.zeros(size, dtype=int)
    for (a, b), gap, error in zip(pairs, gaps, errors, strict=True):
        if abs(gap) > largest * error:
            upper, lower = (a, b) if gap > 0 else (b, a)
            better[lower] += 1
            worse[upper] += 1
    return {
        name: RankSet(1 + int(better[place]), size - int(worse[place])) for place, name in enumerate(names)
    }


def largest_z(covariance: Floats, contrasts: Floats, level: float = 0.95) -> float:
    """Quantile of the largest absolute z of several contrasts, from 100,000 draws with a fixed seed."""
    draws = np.random.default_rng(SEED).multivariate_normal(
        np.zeros(len(covariance)), covariance, DRAWS, method="eigh"
    )
    largest = np.zeros(DRAWS)
    for contrast in contrasts:
        np.maximum(largest, np.abs(draws @ contrast), out=largest)
    return float(np.quantile(largest, level))


def one_sided_limit(
    design: Floats,
    outcomes: Floats,
    contrast: Floats,
    side: Literal["upper", "lower"],
    level: float = 0.95,
) -> float | None:
    """Limit of a difference of worths that has no finite estimate, by the deviance from its supremum.

    Parameters: design and outcomes as in `paired_models.fit`; `contrast` gives the difference from the
    coefficients; `side`: upper where it runs to minus infinity.
    Returns log odds; None where the choices say nothing about it.
    """
    sign = 1.0 if side == "upper" else -1.0
    supremum = _profile(design, outcomes, contrast)(-sign * MOST_EXCESS)
    profile = _profile(design, outcomes, contrast)
    bar = normal_quantile((1 + level) / 2) ** 2  # chi-square with one degree of freedom

    def excess(distance: float) -> float:
        return 2 * (supremum - profile(sign * distance)) - bar

    if excess(MOST_EXCESS) <= 0:
        return None
    distance: Any = brentq(excess, -MOST_EXCESS, MOST_EXCESS, xtol=1e-6)
    return sign * float(distance)


def _profile(design: Floats, outcomes: Floats, contrast: Floats) -> Callable[[float], float]:
    """Largest log likelihood with the contrast of the coefficients held at a value."""
    pivot = int(np.abs(contrast).argmax())
    others = [column for column in range(design.shape[1]) if column != pivot]
    offset = design[:, pivot] / contrast[pivot]
    free = design[:, others] - np.outer(offset, contrast[others])

    def profile(value: float) -> float:
        loss = davidson_loss(free, outcomes, offset * value)
        start = np.zeros(free.shape[1] + 1)
        bounds = [(-FARTHEST, FARTHEST)] * len(start)
        return -float(minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, tol=1e-12).fun)

    return profile
