"""Evidence that may be looked at after every dialogue: e-values, and intervals that stay true."""

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.special import betaln, xlog1py, xlogy

from vivavoce.core.errors import InputError
from vivavoce.stats.proportions import Interval

LARGEST_LOG: Final = 700.0
Floats = np.ndarray[Any, np.dtype[np.float64]]


class Look(NamedTuple):
    """The state of an anytime-valid test after some participants."""

    n: int
    estimate: float
    e_value: float
    p: float
    interval: Interval | None


def log_e_value(
    successes: float, n: float, against: float = 0.5, prior: tuple[float, float] = (1.0, 1.0)
) -> float:
    """Logarithm of the e-value of a proportion against a given one, by a Beta mixture."""
    failures = n - successes
    a, b = prior
    return float(
        betaln(a + successes, b + failures)
        - betaln(a, b)
        - xlogy(successes, against)
        - xlog1py(failures, -against)
    )


def e_value(successes: int, n: int, against: float = 0.5, prior: tuple[float, float] = (1.0, 1.0)) -> float:
    """Evidence against a rate; reject once it reaches 1 / alpha, however often one looked before.

    Source  Robbins 1970; golden case 32 in tests/golden/statistics-sequential.json
    """
    if not 0 <= successes <= n:
        raise InputError(f"{successes} successes of {n}", hint="successes lie between 0 and n")
    return math.exp(min(log_e_value(successes, n, against, prior), LARGEST_LOG))


def watch_differences(
    differences: Sequence[float], scale: float, alpha: float = 0.05, expected: float | None = None
) -> list[Look]:
    """A test of a mean difference of 0 after each participant, in order of arrival.

    Input   one difference a participant (rate with a minus rate with b), so that callers who call often
            count once; `scale` is the standard deviation of such a difference, known or on the safe side
            (1 for rates); `expected` is the effect that the test is tuned for
    Output  Lambda of the mixture sequential probability ratio test, its running p, and the interval
    Source  Johari, Pekelis and Walsh 2015, normal mixture
    """
    if scale <= 0:
        raise InputError(f"scale {scale:g}", hint="a standard deviation lies above 0")
    tau2 = (expected or scale / 4) ** 2
    variance, best = scale**2, 1.0
    looks: list[Look] = []
    means = np.cumsum(np.asarray(differences, dtype=float)) / np.arange(1, len(differences) + 1)
    for n, mean in enumerate(means.tolist(), start=1):
        total = variance + n * tau2
        log_ratio = 0.5 * math.log(variance / total) + n**2 * tau2 * mean**2 / (2 * variance * total)
        evidence = math.exp(min(log_ratio, LARGEST_LOG))
        best = min(best, 1 / evidence)
        log_bound = math.log(1 / alpha) + 0.5 * math.log(total / variance)
        reach = math.sqrt(2 * variance * total / (n**2 * tau2) * log_bound)
        looks.append(Look(n, mean, evidence, best, Interval(mean - reach, mean + reach)))
    return looks
