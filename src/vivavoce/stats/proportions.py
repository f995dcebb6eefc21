"""Intervals and tests for proportions. Counts in, and None wherever a number would be undefined."""

import math
from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple

from vivavoce.core.errors import InputError, UnknownName
from vivavoce.stats.distributions import normal_quantile, normal_tail
from vivavoce.stats.interval import Interval

ZMethod = Literal["z_pooled", "z_unpooled", "z_pooled_continuity"]
Z_METHODS: Final = ("z_pooled", "z_unpooled", "z_pooled_continuity")


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
    Note    written out: statsmodels, with which a test holds it equal, takes longer to load than all else
    Source  Wilson 1927; tests/golden/statistics-proportions.json
    """
    _check(successes, n, level)
    if n == 0:
        return None
    z, rate = normal_quantile((1 - level) / 2), successes / n
    scale = 1 + z**2 / n
    middle = (rate + z**2 / (2 * n)) / scale
    reach = z * math.sqrt(rate * (1 - rate) / n + z**2 / (4 * n**2)) / scale
    low = 0.0 if successes == 0 else max(0.0, middle - reach)
    return Interval(low, 1.0 if successes == n else min(1.0, middle + reach))


def clopper_pearson(successes: int, n: int, level: float = 0.95) -> Interval | None:
    """The exact interval: coverage never below the level, hence wider than Wilson's.

    Empty   n = 0: None
    Source  Clopper and Pearson 1934; tests/golden/statistics-proportions.json
    """
    return _interval(successes, n, level, "beta")


def agresti_coull(successes: int, n: int, level: float = 0.95) -> Interval | None:
    """Wald on n + z^2 cases: close to Wilson's, cut at 0 and 1.

    Empty   n = 0: None
    Source  Agresti and Coull 1998; tests/golden/statistics-proportions.json
    """
    return _interval(successes, n, level, "agresti_coull", closed=False)


def jeffreys(successes: int, n: int, level: float = 0.95) -> Interval | None:
    """Bayesian with Jeffreys' prior, equal tails; at 0 and n successes neither end is moved to 0 or 1.

    Empty   n = 0: None
    Source  Brown, Cai and DasGupta 2001; tests/golden/statistics-proportions.json
    """
    return _interval(successes, n, level, "jeffreys", closed=False)


INTERVALS: Final[dict[str, Callable[..., Interval | None]]] = {
    "wald": wald,
    "wilson": wilson,
    "clopper_pearson": clopper_pearson,
    "agresti_coull": agresti_coull,
    "jeffreys": jeffreys,
}


def newcombe(successes_a: int, n_a: int, successes_b: int, n_b: int, level: float = 0.95) -> Interval | None:
    """Interval of the difference of two independent proportions, a minus b (Wilson hybrid).

    Empty   either n = 0: None
    Source  Newcombe 1998, method 10; tests/golden/statistics-proportions.json
    """
    a, b = wilson(successes_a, n_a, level), wilson(successes_b, n_b, level)
    if a is None or b is None:
        return None
    rate_a, rate_b = successes_a / n_a, successes_b / n_b
    below = math.sqrt((rate_a - a.low) ** 2 + (b.high - rate_b) ** 2)
    above = math.sqrt((rate_b - b.low) ** 2 + (a.high - rate_a) ** 2)
    return Interval(rate_a - rate_b - below, rate_a - rate_b + above)


def agresti_caffo(
    successes_a: int, n_a: int, successes_b: int, n_b: int, level: float = 0.95
) -> Interval | None:
    """Interval of the difference of two independent proportions: Wald with a success and a failure added.

    Empty   either n = 0: None
    Source  Agresti and Caffo 2000; tests/golden/statistics-counts.json
    """
    return _difference(successes_a, n_a, successes_b, n_b, level, "agresti-caffo")


def wald_difference(
    successes_a: int, n_a: int, successes_b: int, n_b: int, level: float = 0.95
) -> Interval | None:
    """Interval of the difference of two independent proportions with unpooled errors.

    Empty   either n = 0: None
    Source  tests/golden/statistics-counts.json
    """
    return _difference(successes_a, n_a, successes_b, n_b, level, "wald")


DIFFERENCES: Final[dict[str, Callable[..., Interval | None]]] = {
    "newcombe": newcombe,
    "agresti_caffo": agresti_caffo,
    "wald": wald_difference,
}


def _difference(
    successes_a: int, n_a: int, successes_b: int, n_b: int, level: float, method: str
) -> Interval | None:
    _check(successes_a, n_a, level)
    _check(successes_b, n_b, level)
    if not (n_a and n_b):
        return None
    from statsmodels.stats.proportion import confint_proportions_2indep

    low, high = confint_proportions_2indep(
        successes_a, n_a, successes_b, n_b, method=method, compare="diff", alpha=1 - level
    )
    return Interval(float(low), float(high))


def cohen_h(successes_a: int, n_a: int, successes_b: int, n_b: int) -> float | None:
    """Effect size of two proportions on the arcsine scale; .2 is small, .5 middling, .8 large.

    Empty   either n = 0: None
    Source  Cohen 1988; tests/golden/statistics-counts.json
    """
    _check(successes_a, n_a)
    _check(successes_b, n_b)
    if not (n_a and n_b):
        return None
    from statsmodels.stats.proportion import proportion_effectsize

    return float(proportion_effectsize(successes_a / n_a, successes_b / n_b))


def two_proportion_z(
    successes_a: int, n_a: int, successes_b: int, n_b: int, method: ZMethod = "z_pooled"
) -> ZTest | None:
    """Two-tailed z-test of two independent proportions.

    Output  z and p; `z_pooled` is Pearson's chi-square without, `z_pooled_continuity` with Yates' correction
    Empty   either n = 0, or no variation at all (everything or nothing succeeded): None
    Note    calls of one person are not independent; see `vivavoce.stats.summary_results`
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
    return ZTest(z, 2 * normal_tail(abs(z)))


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
    from scipy.stats import binomtest, chisquare

    if method == "exact":
        return float(binomtest(successes, n, against).pvalue)
    expected = [n * against, n * (1 - against)]
    return float(chisquare([successes, n - successes], expected).pvalue)


def _interval(successes: int, n: int, level: float, method: str, *, closed: bool = True) -> Interval | None:
    """`closed`: nothing observed means a lower end of exactly 0, everything an upper end of exactly 1."""
    _check(successes, n, level)
    if n == 0:
        return None
    from statsmodels.stats.proportion import proportion_confint

    limits: Any = proportion_confint(successes, n, alpha=1 - level, method=method)
    low = 0.0 if closed and successes == 0 else max(0.0, float(limits[0]))
    high = 1.0 if closed and successes == n else min(1.0, float(limits[1]))
    return Interval(low, high)


def _check(successes: int, n: int, level: float = 0.95) -> None:
    if not 0 <= successes <= n:
        raise InputError(f"{successes} successes of {n}", hint="successes lie between 0 and n")
    if not 0 < level < 1:
        raise InputError(f"confidence level {level}", hint="a level lies between 0 and 1, such as 0.95")
