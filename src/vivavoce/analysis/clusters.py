"""Rates and means whose dialogues are nested in participants: ICC, design effect, interval, comparison.

Everything works on sums per participant (numerator, denominator), never on single texts or turns.
"""

import math
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from scipy.special import expit, logit

from vivavoce.analysis.interval import Interval
from vivavoce.analysis.laws import t_quantile
from vivavoce.analysis.proportions import wilson

FEW: Final = 10
SMALL: Final = 40
ALIKE: Final = 1e-12
NOTHING_VARIED: Final = "none: nothing varied between participants"
Floats = np.ndarray[Any, np.dtype[np.float64]]
Correction = Literal["jackknife", "plain"]


class Sums(NamedTuple):
    """Sums per participant of one measure in one group of dialogues; only participants with cases."""

    numerators: Floats
    denominators: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Nesting:
    """How alike the cases of one participant are.

    icc           intraclass correlation by one-way analysis of variance; may be negative
    size_star     cases that a case's participant has on average (m*)
    design_effect 1 + (m* - 1) ICC, with a negative ICC taken as 0
    n_effective   n over the design effect
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
    design_effect: float | None
    icc: float | None
    clusters: int
    n_effective: float | None
    method: str

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


class Contrast(NamedTuple):
    """A difference of two ratios, a minus b, with its standard error over participants."""

    difference: float
    se: float | None
    clusters: int
    df: float | None


def sum_by_participant(participants: np.ndarray, numerators: Floats, denominators: Floats) -> Sums:
    """Sum components over participants.

    Input   one entry a dialogue: participant code (any integers), numerator, denominator
    Output  participants with cases only
    """
    known, codes = np.unique(participants, return_inverse=True)
    sums = Sums(
        np.bincount(codes, numerators, len(known)).astype(float),
        np.bincount(codes, denominators, len(known)).astype(float),
    )
    used = sums.denominators > 0
    return Sums(sums.numerators[used], sums.denominators[used])


def nesting(sums: Sums, squares: Floats | None = None) -> Nesting:
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
        plain = 1.0 if n and clusters == n else None
        return Nesting(
            n=n, clusters=clusters, icc=None, size_star=size_star, design_effect=plain,
            n_effective=n if plain else None,
        )  # fmt: skip
    effect = 1 + (size_star - 1) * max(icc, 0.0)
    return Nesting(
        n=n, clusters=clusters, icc=icc, size_star=size_star, design_effect=effect, n_effective=n / effect
    )


def _icc(sums: Sums, squares: Floats) -> float | None:
    """(MSB - MSW) / (MSB + (n0 - 1) MSW); None where nothing varies."""
    sizes, totals = sums.denominators, sums.numerators
    n, clusters = float(sizes.sum()), len(sizes)
    between = float((totals**2 / sizes).sum() - totals.sum() ** 2 / n) / (clusters - 1)
    within = float(squares.sum() - (totals**2 / sizes).sum()) / (n - clusters)
    typical = float(n - (sizes**2).sum() / n) / (clusters - 1)
    spread = between + (typical - 1) * within
    return (between - within) / spread if spread > 1e-12 else None


def standard_error(sums: Sums, correction: Correction = "jackknife") -> float | None:
    """Standard error of sum of numerators over sum of denominators, over participants.

    Input   `jackknife` leaves out one participant at a time (CR3, right also where sizes are very unequal);
            `plain` is the linearised sandwich times g / (g - 1)
    Empty   fewer than 2 participants: None
    Source  Cochran 1977, ratio estimation; MacKinnon, Nielsen and Webb 2023 for the jackknife
    """
    errors = _influence(sums, correction)
    return math.sqrt(float((errors**2).sum())) if errors is not None else None


def _influence(sums: Sums, correction: Correction) -> Floats | None:
    """What each participant moves the ratio by; None where one participant has every case."""
    clusters, n = len(sums.denominators), float(sums.denominators.sum())
    if n <= 0 or (sums.denominators > 0).sum() < 2:
        return None
    ratio = float(sums.numerators.sum()) / n
    errors = (sums.numerators - ratio * sums.denominators) / n
    if correction == "plain":
        return errors * math.sqrt(clusters / (clusters - 1))
    return errors / (1 - sums.denominators / n)


def clustered_rate(sums: Sums, level: float = 0.95, squares: Floats | None = None) -> ClusteredRate:
    """Interval of a rate of 0 and 1 (or, with `squares`, of a mean) over participants.

    Output  rates: leave-one-participant-out standard error, t with the degrees of freedom of the effective
            number of participants, on the logit scale; rates of exactly 0 or 1: Wilson's with n over m*
            cases; means: on the plain scale
    Empty   fewer than 2 participants, or the same mean for each: no interval, and the method says so
    Note    coverage on 140 callers of very unequal activity: docs/explanation/statistics.md
    """
    facts = nesting(sums, squares)
    error = standard_error(sums)
    low = high = None
    if error is None:
        method = "none: fewer than 2 participants"
    elif squares is not None and error < ALIKE:
        method = NOTHING_VARIED
    elif squares is not None:
        method = "cluster_jackknife_t"
        df = degrees_of_freedom(sums.denominators, icc=facts.icc or 0.0)
        low, high = _plain_interval(float(sums.numerators.sum()) / facts.n, error, df, level)
    elif 0 < sums.numerators.sum() < facts.n:
        method = "cluster_jackknife_logit_t"
        df = degrees_of_freedom(sums.denominators, icc=facts.icc or 0.0)
        low, high = _logit_interval(float(sums.numerators.sum()) / facts.n, error, df, level)
    else:
        method = "wilson_effective_participants"
        low, high = _edge_interval(bool(sums.numerators.sum()), facts, level)
    return ClusteredRate(
        low=low, high=high, se=error, design_effect=facts.design_effect, icc=facts.icc,
        clusters=facts.clusters, n_effective=facts.n_effective, method=method,
    )  # fmt: skip


def ratio_interval(sums: Sums, level: float = 0.95) -> ClusteredRate:
    """Interval of any ratio of sums over participants (word error rate, words a turn): no ICC, plain scale.

    Empty   fewer than 2 participants, or the same ratio for each: no interval, and the method says so
    """
    error, clusters = standard_error(sums), len(sums.denominators)
    low = high = None
    method = "none: fewer than 2 participants" if error is None else NOTHING_VARIED
    if error is not None and error >= ALIKE:
        method = "cluster_jackknife_t"
        ratio = float(sums.numerators.sum() / sums.denominators.sum())
        low, high = _plain_interval(ratio, error, degrees_of_freedom(sums.denominators), level)
    return ClusteredRate(
        low=low, high=high, se=error, design_effect=None, icc=None, clusters=clusters, n_effective=None,
        method=method,
    )  # fmt: skip


def degrees_of_freedom(a: Floats, b: Floats | None = None, *, icc: float = 0.0) -> float:
    """Effective number of participants less one, as Satterthwaite counts it; g - 1 where all weigh the same.

    Input   cases per participant of one group, or of two groups that are compared, participants in the same
            order; `icc` of the cases (a negative one is taken as 0)
    Source  Satterthwaite 1946; Bell and McCaffrey 2002, with an exchangeable working correlation
    """
    rho = max(icc, 0.0)
    share_a = a / a.sum()
    spread = share_a * (1 + (a - 1) * rho).clip(0) / a.sum()
    if b is not None:
        share_b = b / b.sum()
        spread = spread + share_b * (1 + (b - 1) * rho).clip(0) / b.sum() - 2 * share_a * share_b * rho
    spread = spread.clip(0)
    if b is not None and spread.sum() < ALIKE:  # cases of one person are all alike: nothing is left to weigh
        return degrees_of_freedom(a, b)
    return max(1.0, float(spread.sum() ** 2 / (spread**2).sum()) - 1)


def _plain_interval(value: float, error: float, df: float, level: float) -> Interval:
    reach = t_quantile((1 + level) / 2, df) * error
    return Interval(value - reach, value + reach)


def _logit_interval(rate: float, error: float, df: float, level: float) -> Interval:
    reach = t_quantile((1 + level) / 2, df) * error / (rate * (1 - rate))
    middle = float(logit(rate))
    return Interval(float(expit(middle - reach)), float(expit(middle + reach)))


def _edge_interval(everything: bool, facts: Nesting, level: float) -> Interval:
    """All or nothing succeeded: as many independent cases as effective participants, the cautious end."""
    cases = max(1, math.floor(facts.n / (facts.size_star or 1)))
    interval = wilson(cases if everything else 0, cases, level)
    return interval if interval else Interval(0.0, 1.0)


def contrast(
    people_a: np.ndarray,
    people_b: np.ndarray,
    a: tuple[Floats, Floats],
    b: tuple[Floats, Floats],
    correction: Correction = "jackknife",
    *,
    icc: float = 0.0,
) -> Contrast | None:
    """Difference of two ratios when a participant may have cases in both.

    Input   participant codes and (numerators, denominators), one entry a dialogue, of each group; `icc` for
            the degrees of freedom
    Output  equal to a GEE with independent working correlation on the risk difference, with CR3 errors
    Empty   a group without cases: None; a group of one participant: no standard error
    """
    known, codes = np.unique(np.concatenate([people_a, people_b]), return_inverse=True)
    parts = np.split(codes, [len(people_a)])
    sums = [
        Sums(*(np.bincount(who, values, len(known)).astype(float) for values in both))
        for who, both in zip(parts, (a, b), strict=True)
    ]
    if not all(one.denominators.sum() > 0 for one in sums):
        return None
    ratios = [float(one.numerators.sum() / one.denominators.sum()) for one in sums]
    clusters = int(((sums[0].denominators > 0) | (sums[1].denominators > 0)).sum())
    errors = [_influence(one, correction) for one in sums]
    if errors[0] is None or errors[1] is None:
        return Contrast(ratios[0] - ratios[1], None, clusters, None)
    error = math.sqrt(float(((errors[0] - errors[1]) ** 2).sum()))
    df = degrees_of_freedom(sums[0].denominators, sums[1].denominators, icc=icc)
    return Contrast(ratios[0] - ratios[1], error, clusters, df)
