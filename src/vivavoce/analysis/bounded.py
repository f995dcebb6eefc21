"""Means and differences that have ends: intervals over participants that stay between them, and their p.

A p is small exactly where its interval leaves 0 (or the middle) out: both come from the same transformation.
"""

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.special import expit, logit
from scipy.stats import t as student

from vivavoce.analysis.clusters import (
    ALIKE,
    NOTHING_VARIED,
    Contrast,
    degrees_of_freedom,
    nesting,
    standard_error,
    sum_by_participant,
)
from vivavoce.analysis.equivalence import equivalence
from vivavoce.analysis.proportions import one_proportion_p, wilson

Facts = dict[str, Any]
METHOD: Final = "cluster_jackknife_logit_t"
DIFFERENCE: Final = "cluster_jackknife_fisher_t"


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
    Output  interval by t on the logit of the place between the ends, leave-one-participant-out error
    Empty   fewer than 2 participants, or the same mean for each: no interval, no p, and the method says so
    Raises  ValueError: no values
    """
    numbers = (np.asarray(values, dtype=float) - least) / (most - least)
    _, codes = np.unique(people, return_inverse=True)
    sums = sum_by_participant(codes, numbers, np.ones(len(numbers)))
    facts = nesting(sums, np.bincount(codes, numbers**2).astype(float))
    place, error = float(numbers.mean()), standard_error(sums)
    mean = least + (most - least) * place
    if error is None or error < ALIKE:
        method = "none: fewer than 2 participants" if error is None else NOTHING_VARIED
        return BoundedMean(mean, None, None, None, facts.icc, facts.clusters, method)
    df = degrees_of_freedom(sums.denominators, icc=facts.icc or 0.0)
    middle, spread = float(logit(place)), error / (place * (1 - place))
    reach = float(student.ppf((1 + level) / 2, df)) * spread
    low, high = (least + (most - least) * float(expit(middle + side)) for side in (-reach, reach))
    p = float(2 * student.sf(abs(middle) / spread, df))
    return BoundedMean(mean, low, high, p, facts.icc, facts.clusters, METHOD)


def bounded_share(people: np.ndarray, values: Sequence[float], level: float = 0.95) -> BoundedMean:
    """Share of cases between 0 and 1, with its p against one half; also where all are 0, or all are 1.

    Output  as `bounded_mean`; where every case is alike Wilson's interval and the exact binomial test, with
            n over m* cases
    Empty   fewer than 2 participants: no interval, no p
    Raises  ValueError: no values
    """
    sizes = np.unique(people, return_counts=True)[1]
    alike = values[0] in (0, 1) and all(one == values[0] for one in values)
    if not alike or len(sizes) < 2:
        return bounded_mean(people, values, 0, 1, level)
    cases = math.floor(len(values) ** 2 / float((sizes**2).sum()))
    won = cases if values[0] else 0
    low, high = wilson(won, cases, level) or (None, None)
    p = one_proportion_p(won, cases)
    return BoundedMean(float(values[0]), low, high, p, None, len(sizes), "wilson_effective_participants")


class _Stretched(NamedTuple):
    """A difference where it has no ends: Fisher's transformation of its share of the largest possible one."""

    value: float
    se: float
    df: float


def _stretched(found: Contrast | None, most: float) -> _Stretched | None:
    if found is None or not found.se or found.se < ALIKE * most or abs(found.difference) >= most:
        return None
    share = found.difference / most
    df = max(1.0, found.df or found.clusters - 1)
    return _Stretched(math.atanh(share), found.se / most / (1 - share**2), df)


def bounded_difference(found: Contrast | None, most: float = 1.0, level: float = 0.95) -> Facts:
    """Interval and p of a difference that lies between -most and most.

    Output  low, high, p
    Empty   no standard error, or nothing varied: all None
    Source  Zou and Donner 2004: Fisher's transformation for the difference of two proportions; t over
            participants; for a share against its complement the same as the logit interval of the share
    """
    scale = _stretched(found, most)
    if scale is None:
        return {"low": None, "high": None, "p": None}
    reach = float(student.ppf((1 + level) / 2, scale.df)) * scale.se
    return {
        "low": most * math.tanh(scale.value - reach), "high": most * math.tanh(scale.value + reach),
        "p": float(2 * student.sf(abs(scale.value) / scale.se, scale.df)),
    }  # fmt: skip


def bounded_equivalence(
    found: Contrast | None, margin: float, most: float = 1.0, *, alpha: float = 0.05
) -> Facts:
    """Is the difference above -margin, below it, or both? Two one-sided tests within the ends.

    Output  p_above (of: the difference is above -margin), p_below (of: it is below margin), p (the larger),
            low, high (interval of level 1 - 2 alpha, by which all three are decided)
    Empty   no standard error, or nothing varied: all None
    Raises  InputError: a margin that is not above 0
    Source  Schuirmann 1987; Zou and Donner 2004
    """
    scale = _stretched(found, most)
    if scale is None:
        return dict.fromkeys(("p_above", "p_below", "p", "low", "high"))
    same = equivalence(scale.value, scale.se, math.atanh(margin / most), df=scale.df, alpha=alpha)
    return {
        "p_above": same.p_lower, "p_below": same.p_upper, "p": same.p,
        "low": most * math.tanh(same.interval.low), "high": most * math.tanh(same.interval.high),
    }  # fmt: skip
