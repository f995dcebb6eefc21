"""Evidence that may be looked at after every dialogue: e-values, and intervals that hold at every moment."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.special import betaln, xlog1py, xlogy

from vivavoce.core.errors import InputError
from vivavoce.stats.proportions import Interval

LARGEST_LOG: Final = 700.0
Floats = np.ndarray[Any, np.dtype[np.float64]]


class Look(NamedTuple):
    """State of an anytime-valid test of a mean over participants."""

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


SHARES: Final = 0.95 * (np.arange(20) + 0.5) / 20  # of the largest bet that cannot lose everything
STEP: Final = 0.0005
MEANS: Final = np.arange(-1 + STEP, 1, STEP)  # candidates for the mean difference
LARGEST: Final = 1e300


def betting_evidence(differences: Sequence[float], means: Floats) -> Iterator[Floats]:
    """Evidence against each candidate mean after each difference: the mean wealth of 40 bets.

    Parameters: differences from -1 to 1, in the order of arrival; candidate means strictly between -1 and 1.
    Yields an array with the e-value of each candidate, at most 1e300.
    Source: Waudby-Smith and Ramdas 2024, with the mixture of bets of Orabona and Jun.
    """
    bets = np.concatenate([SHARES[:, None] / (1 + means), -SHARES[:, None] / (1 - means)])
    wealth = np.ones_like(bets)
    for difference in differences:
        wealth *= 1 + bets * (difference - means)
        np.minimum(wealth, LARGEST, out=wealth)
        yield wealth.mean(axis=0)


def watch_differences(differences: Sequence[float], alpha: float = 0.05) -> Look:
    """Test a mean difference of 0 after each participant, valid at every moment.

    Parameters: one difference a participant (mean with a minus mean with b, from -1 to 1), in the order of
    arrival, so that people who call often count once.
    Returns the state after the last participant: e-value, the smallest p so far, and the interval of means
    that no moment so far has rejected; None where drift has rejected all means.
    Raises InputError: no difference, or one outside -1 to 1.
    """
    if not differences or min(differences) < -1 or max(differences) > 1:
        raise InputError("differences of means lie between -1 and 1, and there is at least one")
    means = np.append(MEANS, 0.0)
    evidence = largest = np.ones_like(means)
    for evidence in betting_evidence(differences, means):
        largest = np.maximum(largest, evidence)
    kept = MEANS[largest[:-1] < 1 / alpha]
    interval = Interval(float(kept[0]), float(kept[-1])) if len(kept) else None
    return Look(
        len(differences), float(np.mean(differences)), float(evidence[-1]), 1 / float(largest[-1]), interval
    )
