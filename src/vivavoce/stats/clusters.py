"""Confidence intervals of rates and means, clustered by participant, with ICC and design effect.

Everything works on sums per participant (numerator, denominator), never on single texts or turns.
"""

import math
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from vivavoce.stats.distributions import t_quantile
from vivavoce.stats.interval import Interval
from vivavoce.stats.proportions import wilson
from vivavoce.stats.sandwich import ALIKE, Error, Floats, Residuals, has_cases, residuals, robust_error

FEW: Final = 10
SMALL: Final = 40
SPARSE: Final = 8
NOTHING_VARIED: Final = "none: nothing varied between participants"


class ClusterSums(NamedTuple):
    """Sums per participant of one measure in one group of dialogues; only participants with cases."""

    numerators: Floats
    denominators: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Nesting:
    """Similarity of the cases of one participant.

    icc           intraclass correlation by one-way analysis of variance; may be negative
    size_star     cases that a case's participant has on average (m*)
    design_effect 1 + (m* - 1) ICC, not below 0; below 1 where the ICC is negative, as the interval has it
    n_effective   n over the design effect, never more than n
    """

    n: float
    clusters: int
    icc: float | None
    size_star: float | None
    design_effect: float | None
    n_effective: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredRate:
    """A rate or mean with the interval that respects participants."""

    low: float | None
    high: float | None
    se: float | None
    design_effect: float | None = None
    icc: float | None = None
    clusters: int
    n_effective: float | None = None
    method: str


def sum_by_participant(participants: np.ndarray, numerators: Floats, denominators: Floats) -> ClusterSums:
    """Sum components over participants.

    Input   one entry a dialogue: participant code (whole numbers or words), numerator, denominator
    Output  participants with cases only
    """
    codes, people = dense_codes(participants)
    sums = ClusterSums(
        np.bincount(codes, numerators, people).astype(float),
        np.bincount(codes, denominators, people).astype(float),
    )
    used = sums.denominators > 0
    return ClusterSums(sums.numerators[used], sums.denominators[used])


def dense_codes(codes: np.ndarray) -> tuple[np.ndarray, int]:
    """Codes, whole numbers or words, as numbers without gaps in the same order; how many there are."""
    is_integer = len(codes) > 0 and np.issubdtype(codes.dtype, np.integer)
    lowest, highest = (int(codes.min()), int(codes.max())) if is_integer else (0, 0)
    if not is_integer or highest - lowest > SPARSE * len(codes):
        levels, dense = np.unique(codes, return_inverse=True)
        return dense, len(levels)
    present = np.bincount(codes - lowest) > 0  # sorting takes longer where most codes are there
    return (np.cumsum(present) - 1)[codes - lowest], int(present.sum())


def nesting(sums: ClusterSums, squares: Floats | None = None) -> Nesting:
    """ICC and design effect of cases in participants of unequal size.

    Input   denominators count cases; `squares` are the sums of squared cases per participant, which for
            cases of 0 and 1 are the numerators themselves (the default)
    Empty   one participant, or one case each: ICC and design effect missing
    Source  Kish 1965; Donner and Koval 1980; golden case 35 in tests/golden/statistics-clusters.json
    """
    sizes = sums.denominators
    n, clusters = float(sizes.sum()), len(sizes)
    size_star = float((sizes**2).sum()) / n if n else None
    icc = _icc(sums, sums.numerators if squares is None else squares) if 1 < clusters < n else None
    if icc is None or size_star is None:
        independent = 1.0 if n and clusters == n else None
        return Nesting(
            n=n,
            clusters=clusters,
            icc=None,
            size_star=size_star,
            design_effect=independent,
            n_effective=n if independent else None,
        )
    effect = max(1 + (size_star - 1) * icc, 0.0)
    return Nesting(
        n=n,
        clusters=clusters,
        icc=icc,
        size_star=size_star,
        design_effect=effect,
        n_effective=n / max(effect, 1.0),
    )


def _icc(sums: ClusterSums, squares: Floats) -> float | None:
    """(MSB - MSW) / (MSB + (n0 - 1) MSW); None where nothing varies."""
    sizes, totals = sums.denominators, sums.numerators
    n, clusters = float(sizes.sum()), len(sizes)
    between = float((totals**2 / sizes).sum() - totals.sum() ** 2 / n) / (clusters - 1)
    within = float(squares.sum() - (totals**2 / sizes).sum()) / (n - clusters)
    typical = float(n - (sizes**2).sum() / n) / (clusters - 1)
    spread = between + (typical - 1) * within
    return (between - within) / spread if spread > 1e-12 else None


def clustered_rate(sums: ClusterSums, level: float = 0.95, squares: Floats | None = None) -> ClusteredRate:
    """Interval of a rate of 0 and 1 (or, with `squares`, of a mean) over participants.

    Output  rates: Wilson's with as many cases as give the robust error, and t with Satterthwaite's degrees of
            freedom; rates of exactly 0 or 1: Wilson's with n over m* cases; means: t on the plain scale
    Empty   fewer than 2 participants, or the same mean for each: no interval, and the method says so
    Note    coverage: docs/explanation/inference-bench.md
    """
    facts = nesting(sums, squares)
    tops, cases = sums
    rate = float(tops.sum()) / facts.n
    deviations = (tops if squares is None else squares) - 2 * rate * tops + rate**2 * cases
    error = robust_error(Residuals(tops - rate * cases, deviations.clip(0), cases, cases / facts.n, facts.n))
    low = high = None
    if error is None:
        method = "none: fewer than 2 participants"
    elif error.se < ALIKE and (squares is not None or 0 < tops.sum() < facts.n):
        method = NOTHING_VARIED
    elif squares is not None:
        method = "cluster_robust_t"
        low, high = _plain_interval(rate, error, level)
    elif 0 < tops.sum() < facts.n:
        method = "cluster_robust_wilson_t"
        low, high = score_interval(rate, error.se, t_quantile((1 + level) / 2, error.df))
    else:
        method = "wilson_effective_participants"
        low, high = _edge_interval(bool(tops.sum()), facts, level)
    return ClusteredRate(
        low=low,
        high=high,
        se=error and error.se,
        design_effect=facts.design_effect,
        icc=facts.icc,
        clusters=facts.clusters,
        n_effective=facts.n_effective,
        method=method,
    )


def ratio_interval(people: np.ndarray, tops: Floats, bottoms: Floats, level: float = 0.95) -> ClusteredRate:
    """Interval of any ratio of sums over participants (word error rate, words a turn), plain scale.

    Input   one entry a dialogue: participant code, numerator, denominator
    Empty   fewer than 2 participants, or the same ratio for each: no interval, and the method says so
    """
    used = has_cases(tops, bottoms) if bottoms.any() else bottoms > 0
    codes, n_people = dense_codes(people[used])
    error = robust_error(residuals(codes, n_people, tops[used], bottoms[used])) if used.any() else None
    low = high = None
    method = "none: fewer than 2 participants" if error is None else NOTHING_VARIED
    if error is not None and error.se >= ALIKE:
        method = "cluster_robust_t"
        low, high = _plain_interval(float(tops[used].sum() / bottoms[used].sum()), error, level)
    return ClusteredRate(
        low=low,
        high=high,
        se=error and error.se,
        clusters=n_people,
        method=method,
    )


def chosen_ratio(
    people: np.ndarray, tops: Floats, bottoms: Floats, weights: Floats, level: float = 0.95
) -> ClusteredRate:
    """Interval of a ratio of sums over participants whose dialogues were chosen by chances that differ.

    Input   as `ratio_interval`, unweighed; weights: the inverse chance of each dialogue
    Output  of rates within 0 and 1 Wilson's, of the effective number of cases; else on the plain scale. The
            estimate and its error are those of people alone in `prediction_powered`
    Empty   as `ratio_interval`. No design effect and no ICC: they would be of the choice, too
    """
    used = has_cases(tops, bottoms) & (weights > 0)
    codes, n_people = dense_codes(people[used])
    tops, bottoms, weights = tops[used], bottoms[used], weights[used]
    size = float((weights * bottoms).sum())
    error = low = high = None
    method = "none: no case"
    if size > 0:
        error = robust_error(residuals(codes, n_people, weights * tops, weights * bottoms), even=False)
        method = "none: fewer than 2 participants" if error is None else NOTHING_VARIED
    value, rate = float((weights * tops).sum()) / (size or 1.0), counted(tops, bottoms)
    if error is not None and error.se < ALIKE and rate and value in (0.0, 1.0):
        facts = nesting(sum_by_participant(codes, tops, bottoms))
        (low, high), method = _edge_interval(value > 0, facts, level), "wilson_effective_participants"
    elif error is not None and error.se >= ALIKE:
        quantile = t_quantile((1 + level) / 2, error.df)
        low, high = value - quantile * error.se, value + quantile * error.se
        method = "inverse_chance_t"
        if rate and 0 < value < 1:
            (low, high), method = score_interval(value, error.se, quantile), "inverse_chance_wilson_t"
    return ClusteredRate(
        low=low,
        high=high,
        se=error and error.se,
        clusters=n_people,
        method=method,
    )


def score_interval(rate: float, se: float, quantile: float) -> Interval:
    """Wilson's interval with as many cases as give this error, and a quantile of t.

    Source  Franco, Little, Louis and Slud 2019, Journal of Survey Statistics and Methodology 7
    """
    square = (quantile * se) ** 2 / (rate * (1 - rate))  # quantile^2 over cases
    middle = (rate + square / 2) / (1 + square)
    reach = math.sqrt(square * rate * (1 - rate) + square**2 / 4) / (1 + square)
    return Interval(middle - reach, middle + reach)


def counted(tops: Floats, bottoms: Floats) -> bool:
    """True if these are successes among whole numbers of cases."""
    integral = (tops == np.floor(tops)).all() and (bottoms == np.floor(bottoms)).all()
    return bool(integral and (tops >= 0).all() and (tops <= bottoms).all())


def _plain_interval(value: float, error: Error, level: float) -> Interval:
    reach = t_quantile((1 + level) / 2, error.df) * error.se
    return Interval(value - reach, value + reach)


def _edge_interval(everything: bool, facts: Nesting, level: float) -> Interval:
    """All or nothing succeeded: as many independent cases as effective participants, the cautious end."""
    cases = max(1, math.floor(facts.n / (facts.size_star or 1)))
    interval = wilson(cases if everything else 0, cases, level)
    return interval if interval else Interval(0.0, 1.0)
