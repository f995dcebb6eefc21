"""Intervals and tests for proportions. Counts in, and None wherever a number would be undefined."""

import math
from collections.abc import Callable, Sequence
from typing import Final, Literal, NamedTuple

import numpy as np
from scipy.stats import binomtest, chisquare, norm
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from vivavoce.core.errors import InputError, UnknownName

ZMethod = Literal["z_pooled", "z_unpooled", "z_pooled_continuity"]
Z_METHODS: Final = ("z_pooled", "z_unpooled", "z_pooled_continuity")


class Interval(NamedTuple):
    """A confidence interval of a proportion or of a difference of two."""

    low: float
    high: float


class ZTest(NamedTuple):
    """A two-tailed z-test; z is positive when the first proportion is the larger."""

    z: float
    p: float


def wald(successes: int, n: int, level: float = 0.95) -> Interval | None:
    """p +- z sqrt(p(1-p)/n), cut at 0 and 1. Only to reproduce papers: degenerate at 0 and n successes.

    Empty   n = 0: None
    Source  Jurčíček et al. 2011, table 2; tests/golden/statistics-proportions.json
    """
    return _interval(successes, n, level, "normal")


def wilson(successes: int, n: int, level: float = 0.95) -> Interval | None:
    """The score interval, our default: good coverage at any rate and any n.

    Empty   n = 0: None
    Source  Wilson 1927; tests/golden/statistics-proportions.json
    """
    return _interval(successes, n, level, "wilson")


def clopper_pearson(successes: int, n: int, level: float = 0.95) -> Interval | None:
    """The exact interval: coverage never below the level, hence wider than Wilson's.

    Empty   n = 0: None
    Source  Clopper and Pearson 1934; tests/golden/statistics-proportions.json
    """
    return _interval(successes, n, level, "beta")


INTERVALS: Final[dict[str, Callable[..., Interval | None]]] = {
    "wilson": wilson,
    "wald": wald,
    "clopper_pearson": clopper_pearson,
}


def newcombe(successes_a: int, n_a: int, successes_b: int, n_b: int, level: float = 0.95) -> Interval | None:
    """Interval of the difference of two independent proportions, a minus b (Wilson hybrid).

    Empty   either n = 0: None
    Source  Newcombe 1998, method 10; tests/golden/statistics-proportions.json
    """
    _check(successes_a, n_a, level)
    _check(successes_b, n_b, level)
    if not (n_a and n_b):
        return None
    low, high = confint_proportions_2indep(
        successes_a, n_a, successes_b, n_b, method="newcomb", compare="diff", alpha=1 - level
    )
    return Interval(float(low), float(high))


def two_proportion_z(
    successes_a: int, n_a: int, successes_b: int, n_b: int, method: ZMethod = "z_pooled"
) -> ZTest | None:
    """Two-tailed z-test of two independent proportions.

    Output  z and p; `z_pooled` is Pearson's chi-square without, `z_pooled_continuity` with Yates' correction
    Empty   either n = 0, or no variation at all (everything or nothing succeeded): None
    Note    calls of one person are not independent; see `vivavoce.analysis.concentration`
    Source  Jurčíček et al. 2011, section 4; tests/golden/statistics-proportions.json
    """
    _check(successes_a, n_a)
    _check(successes_b, n_b)
    if method not in Z_METHODS:
        raise UnknownName("z-test", method, list(Z_METHODS))
    if not (n_a and n_b):
        return None
    rate_a, rate_b = successes_a / n_a, successes_b / n_b
    if method == "z_unpooled":
        variance = rate_a * (1 - rate_a) / n_a + rate_b * (1 - rate_b) / n_b
    else:
        pooled = (successes_a + successes_b) / (n_a + n_b)
        variance = pooled * (1 - pooled) * (1 / n_a + 1 / n_b)
    if variance <= 0:
        return None
    difference = rate_a - rate_b
    if method == "z_pooled_continuity":
        difference = math.copysign(max(0.0, abs(difference) - (1 / n_a + 1 / n_b) / 2), difference)
    z = difference / math.sqrt(variance)
    return ZTest(z, float(2 * norm.sf(abs(z))))


def one_proportion_p(
    successes: int, n: int, against: float = 0.5, method: Literal["chi_square", "exact"] = "exact"
) -> float | None:
    """Two-tailed p of k successes in n against a given rate: exact binomial, or chi-square with one degree.

    Empty   n = 0: None
    Source  Guerini et al. 2018 (chi-square); tests/golden/statistics-proportions.json
    """
    _check(successes, n)
    if n == 0:
        return None
    if method == "exact":
        return float(binomtest(successes, n, against).pvalue)
    expected = [n * against, n * (1 - against)]
    return float(chisquare([successes, n - successes], expected).pvalue)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's adjustment for several tests of one family; a test that gave no p is not counted.

    Output  adjusted p values in the order given, None where None was given
    Source  Holm 1979; tests/golden/statistics-proportions.json
    """
    given = [p for p in p_values if p is not None]
    if not given:
        return [None] * len(p_values)
    adjusted = iter(np.asarray(multipletests(given, method="holm")[1], dtype=float).tolist())
    return [None if p is None else next(adjusted) for p in p_values]


def _interval(successes: int, n: int, level: float, method: str) -> Interval | None:
    _check(successes, n, level)
    if n == 0:
        return None
    low, high = proportion_confint(successes, n, alpha=1 - level, method=method)
    low = 0.0 if successes == 0 else max(0.0, float(low))
    high = 1.0 if successes == n else min(1.0, float(high))
    return Interval(low, high)


def _check(successes: int, n: int, level: float = 0.95) -> None:
    if not 0 <= successes <= n:
        raise InputError(f"{successes} successes of {n}", cure="successes lie between 0 and n")
    if not 0 < level < 1:
        raise InputError(f"confidence level {level}", cure="a level lies between 0 and 1, such as 0.95")
