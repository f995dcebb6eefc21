"""Means that have ends: intervals over participants that stay between them, and their p.

A p is small exactly where its interval leaves 0 (or the middle) out: both come from the same transformation.
"""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from scipy.special import expit, logit

from vivavoce.stats.clusters import NOTHING_VARIED, nesting, sum_by_participant
from vivavoce.stats.distributions import t_quantile, t_tail
from vivavoce.stats.proportions import one_proportion_p, wilson
from vivavoce.stats.sandwich import ALIKE, residuals, robust_error

METHOD: Final = "cluster_robust_logit_t"


class BoundedMean(NamedTuple):
    """A mean on a scale with its interval; `p` against the middle of the scale; all None where unknown."""

    mean: float
    low: float | None
    high: float | None
    p: float | None
    icc: float | None
    participants: int
    method: str


def bounded_mean(
    people: np.ndarray, values: Sequence[float], least: float, most: float, level: float = 0.95
) -> BoundedMean:
    """Mean of values on a scale from `least` to `most`, each nested in a participant.

    Input   participants and values, one entry a value
    Output  interval by t on the logit of the place between the ends, robust error
    Empty   fewer than 2 participants, or the same mean for each: no interval, no p, and the method says so
    Raises  ValueError: no values
    """
    numbers = (np.asarray(values, dtype=float) - least) / (most - least)
    _, codes = np.unique(people, return_inverse=True)
    sums = sum_by_participant(codes, numbers, np.ones(len(numbers)))
    facts = nesting(sums, np.bincount(codes, numbers**2).astype(float))
    place = float(numbers.mean())
    error = robust_error(residuals(codes, facts.clusters, numbers, np.ones(len(numbers))))
    mean = least + (most - least) * place
    if error is None or error.se < ALIKE:
        method = "none: fewer than 2 participants" if error is None else NOTHING_VARIED
        return BoundedMean(mean, None, None, None, facts.icc, facts.clusters, method)
    middle, spread = float(logit(place)), error.se / (place * (1 - place))
    reach = t_quantile((1 + level) / 2, error.df) * spread
    low, high = (least + (most - least) * float(expit(middle + side)) for side in (-reach, reach))
    p = 2 * t_tail(abs(middle) / spread, error.df)
    return BoundedMean(mean, low, high, p, facts.icc, facts.clusters, METHOD)


def bounded_share(people: np.ndarray, values: Sequence[float], level: float = 0.95) -> BoundedMean:
    """Share of cases between 0 and 1, with its p against one half; also where all are 0, or all are 1.

    Output  as `bounded_mean`; where every case is alike Wilson's interval and the exact binomial test, with
            n over m* cases
    Empty   fewer than 2 participants: no interval, no p
    Raises  ValueError: no values
    """
    sizes = np.unique(people, return_counts=True)[1]
    alike = values[0] in (0, 1) and all(value == values[0] for value in values)
    if not alike or len(sizes) < 2:
        return bounded_mean(people, values, 0, 1, level)
    cases = math.floor(len(values) ** 2 / float((sizes**2).sum()))
    won = cases if values[0] else 0
    low, high = wilson(won, cases, level) or (None, None)
    p = one_proportion_p(won, cases)
    return BoundedMean(float(values[0]), low, high, p, None, len(sizes), "wilson_effective_participants")
