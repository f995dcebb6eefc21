"""Differences of rates against a margin, people as clusters: score tests and their intervals.

They remain defined where nothing varied, at rates of 0 and 1: the variance is restricted to the difference
that is tested, and the correlation of one person's cases has a floor.

Source: Farrington and Manning 1990; Miettinen and Nurminen 1985; Tango 1998; floors and degrees of freedom by
simulation, see docs/explanation/statistics.md.
"""

import math
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.optimize import brentq

from vivavoce.core.errors import InputError
from vivavoce.stats.clusters import ClusterSums, nesting
from vivavoce.stats.distributions import t_quantile, t_tail
from vivavoce.stats.interval import Interval
from vivavoce.stats.sandwich import Floats, correlations, residuals

FLOOR: Final = 0.10
FLOOR_OF_LARGE: Final = 0.20  # where a case's person has more than 5 cases on average, and of pairs
LARGE: Final = 5.0
EDGE: Final = 1e-9


class ScoreStatistic(NamedTuple):
    """Statistic of a difference of rates at one supposed difference, with its degrees of freedom."""

    z: float
    df: float


class ScoreTest:
    """Test of a difference of rates; `score(supposed)` gives the statistic at any supposed difference.

    `estimate`: first rate minus second; `clusters`: people with cases; `icc`: correlation of their cases.
    """

    def __init__(
        self, estimate: float, clusters: int, icc: float, score: Callable[[float], ScoreStatistic]
    ) -> None:
        self.estimate, self.clusters, self.icc, self.score = estimate, clusters, icc, score

    def p(self, supposed: float = 0.0, side: str = "two") -> float:
        """Return the p of a supposed difference; `side`: two, greater or less."""
        z, df = self.score(supposed)
        if side == "two":
            return min(1.0, 2 * t_tail(abs(z), df))
        return t_tail(z if side == "greater" else -z, df)

    def interval(self, level: float = 0.95) -> Interval:
        """Return the differences that the two-sided test at 1 - level does not reject."""
        tail = (1 + level) / 2

        def excess(supposed: float) -> float:
            z, df = self.score(supposed)
            return abs(z) - t_quantile(tail, df)

        def limit(end: float, beyond: float) -> float:
            root: Any = beyond
            if excess(end) > 0 > excess(inside):
                root = brentq(excess, inside, end, xtol=1e-12)
            return float(root)

        inside = min(max(self.estimate, -1 + EDGE), 1 - EDGE)
        return Interval(limit(-1 + EDGE, -1.0), limit(1 - EDGE, 1.0))


def clustered_rates(
    successes_a: Floats,
    cases_a: Floats,
    successes_b: Floats,
    cases_b: Floats,
    *,
    floor: float | None = None,
    correct: bool = False,
) -> ScoreTest:
    """Compare two rates whose cases are nested in people, who may have cases of both.

    Parameters: successes and cases of each person, people in one order; `floor`: least correlation of the
    cases of one person (default .10, or .20 where people have more than 5 cases on average); `correct`:
    variance times N / (N - 1) as Miettinen and Nurminen have it (without it as Farrington and Manning).
    Returns the test of the first rate minus the second.
    Raises InputError: a side without cases, or with more successes than cases.
    """
    sides = [
        (np.asarray(successes, dtype=float), np.asarray(cases, dtype=float))
        for successes, cases in ((successes_a, cases_a), (successes_b, cases_b))
    ]
    if any(cases.sum() == 0 or (successes > cases).any() for successes, cases in sides):
        raise InputError("each side needs cases, and at most as many successes")
    people = len(sides[0][0])
    codes = np.arange(people)
    model = correlations(*(residuals(codes, people, *side, counted=True) for side in sides))
    sizes = [float((cases**2).sum() / cases.sum()) for _, cases in sides]
    least = floor if floor is not None else FLOOR_OF_LARGE if max(sizes) > LARGE else FLOOR
    rates = _Rates(*sides[0], *sides[1], max(model.within, least), model.across, correct)
    return ScoreTest(rates.difference, rates.people, rates.within, rates.score)


class _Rates:
    """Two rates with the parts of their variance that do not depend on the supposed difference."""

    def __init__(
        self,
        successes_a: Floats,
        cases_a: Floats,
        successes_b: Floats,
        cases_b: Floats,
        within: float,
        across: float,
        correct: bool,
    ) -> None:
        self.within = within
        self.people = int(((cases_a > 0) | (cases_b > 0)).sum())
        self.rates = successes_a.sum() / cases_a.sum(), successes_b.sum() / cases_b.sum()
        self.difference = float(self.rates[0] - self.rates[1])
        # parts of each person: variance of a rate is rate x (1 - rate) times the sum of its parts
        self.parts = [cases * (1 + (cases - 1) * within) / cases.sum() ** 2 for cases in (cases_a, cases_b)]
        self.shared = across * cases_a * cases_b / (cases_a.sum() * cases_b.sum())
        self.effective = [1 / float(part.sum()) for part in self.parts]
        total = sum(self.effective)
        self.factor = total / (total - 1) if correct else 1.0

    def score(self, supposed: float) -> ScoreStatistic:
        (rate_a, rate_b), (n_a, n_b) = self.rates, self.effective
        rate_a, rate_b = restricted_rates(rate_a, rate_b, n_a, n_b, supposed)
        variances = [rate * (1 - rate) for rate in (rate_a, rate_b)]
        own = self._own(variances)
        variance = float(own.sum())
        weights = own if variance > EDGE**2 else self._own([1.0, 1.0])
        df = max(1.0, float(weights.sum() ** 2 / (weights**2).sum()) - 1)
        gap = self.difference - supposed
        if variance <= EDGE**2:
            return ScoreStatistic(math.copysign(math.inf, gap) if abs(gap) > EDGE else 0.0, df)
        return ScoreStatistic(gap / math.sqrt(variance * self.factor), df)

    def _own(self, variances: list[float]) -> Floats:
        """Each person's part of the variance of the difference."""
        own = variances[0] * self.parts[0] + variances[1] * self.parts[1]
        return np.maximum(own - 2 * math.sqrt(variances[0] * variances[1]) * self.shared, 0.0)


def restricted_rates(
    rate_a: float, rate_b: float, n_a: float, n_b: float, difference: float
) -> tuple[float, float]:
    """Return the most likely rates under a given difference, first minus second.

    Source: Farrington and Manning 1990, appendix.
    """
    ratio = n_b / n_a
    a = 1 + ratio
    b = -(1 + ratio + rate_a + ratio * rate_b + difference * (ratio + 2))
    c = difference**2 + difference * (2 * rate_a + ratio + 1) + rate_a + ratio * rate_b
    d = -rate_a * difference * (1 + difference)
    v = (b / (3 * a)) ** 3 - b * c / (6 * a**2) + d / (2 * a)
    u = math.copysign(math.sqrt(max((b / (3 * a)) ** 2 - c / (3 * a), 0.0)), v)
    angle = (math.pi + math.acos(min(max(v / u**3, -1.0), 1.0))) / 3 if u else math.pi / 3
    restricted = 2 * u * math.cos(angle) - b / (3 * a)
    restricted = min(max(restricted, 0.0, difference), 1.0, 1 + difference)
    return restricted, restricted - difference


def clustered_pairs(
    first: Floats, second: Floats, callers: np.ndarray, *, floor: float = FLOOR_OF_LARGE
) -> ScoreTest:
    """Compare two paired outcomes of 0 and 1 that are nested in callers.

    Parameters: outcomes of each pair with the first and the second system, and the pair's caller.
    Returns the test of the first rate minus the second.
    Raises InputError: no pairs, or a single caller.
    """
    gaps = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    _, codes = np.unique(callers, return_inverse=True)
    people = int(codes.max()) + 1 if len(codes) else 0
    if people < 2:
        raise InputError("pairs of at least two callers are needed")
    sizes = np.bincount(codes).astype(float)
    sums = ClusterSums(np.bincount(codes, gaps).astype(float), sizes)
    icc = max(nesting(sums, np.bincount(codes, gaps**2).astype(float)).icc or 0.0, floor)
    effect = 1 + (float((sizes**2).sum() / sizes.sum()) - 1) * icc
    n, wins, losses = (float(count) / effect for count in (len(gaps), (gaps > 0).sum(), (gaps < 0).sum()))

    def score(supposed: float) -> ScoreStatistic:
        linear = -wins - losses + (2 * n - wins + losses) * supposed
        constant = -losses * supposed * (1 - supposed)
        q = (math.sqrt(max(linear**2 - 8 * n * constant, 0.0)) - linear) / (4 * n)
        variance = n * (2 * q + supposed * (1 - supposed))
        gap = wins - losses - n * supposed
        if variance <= EDGE**2:
            return ScoreStatistic(math.copysign(math.inf, gap) if abs(gap) > EDGE else 0.0, people - 1)
        return ScoreStatistic(gap / math.sqrt(variance), people - 1)

    return ScoreTest(float(gaps.mean()), people, icc, score)
