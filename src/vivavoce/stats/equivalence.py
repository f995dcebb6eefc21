"""Two one-sided tests: is the difference smaller than a margin that was declared before?"""

import math
from typing import NamedTuple

from vivavoce.core.errors import InputError
from vivavoce.stats.distributions import t_quantile, t_tail
from vivavoce.stats.proportions import Interval


class Equivalence(NamedTuple):
    """p of the larger one-sided test; equivalent at alpha where p < alpha, that is, the interval lies inside.

    The interval has level 1 - 2 alpha.
    """

    difference: float
    se: float
    margin: float
    p_lower: float
    p_upper: float
    p: float
    interval: Interval
    equivalent: bool


def equivalence(
    difference: float, se: float, margin: float, *, df: float | None = None, alpha: float = 0.05
) -> Equivalence:
    """Two one-sided tests of any estimate with a standard error.

    Input   `df` gives t, as for participant-clustered differences; without it z
    Raises  InputError: a margin that is not above 0
    Source  Schuirmann 1987; golden case 33 in tests/golden/statistics-counts.json
    """
    if margin <= 0 or se <= 0:
        raise InputError(
            f"margin {margin:g}, standard error {se:g}", hint="both lie above 0, such as a margin of 0.05"
        )
    free = math.inf if df is None else df  # with no end of degrees of freedom Student's law is the normal one
    lower, upper = t_tail((difference + margin) / se, free), t_tail((margin - difference) / se, free)
    reach = t_quantile(1 - alpha, free) * se
    worst = max(lower, upper)
    return Equivalence(
        difference,
        se,
        margin,
        lower,
        upper,
        worst,
        Interval(difference - reach, difference + reach),
        worst < alpha,
    )


def equivalent_proportions(
    successes_a: int, n_a: int, successes_b: int, n_b: int, margin: float, *, alpha: float = 0.05
) -> Equivalence | None:
    """Two one-sided z-tests of two independent proportions with unpooled errors.

    Empty   either n = 0, or nothing varied: None
    Source  golden case 33 in tests/golden/statistics-counts.json
    """
    if not (n_a and n_b):
        return None
    rate_a, rate_b = successes_a / n_a, successes_b / n_b
    se = math.sqrt(rate_a * (1 - rate_a) / n_a + rate_b * (1 - rate_b) / n_b)
    return equivalence(rate_a - rate_b, se, margin, alpha=alpha) if se else None
