"""Number of people for a half-width of an interval, by the error observed so far."""

import math
from dataclasses import dataclass
from typing import Final

from scipy.stats import chi2, norm

from vivavoce.stats.clusters import ClusteredRate

LEVEL: Final = 0.95
FEWEST: Final = 2
"""One person alone has no interval."""
_Z: Final = float(norm.ppf((1 + LEVEL) / 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class RequiredPeople:
    """People whom an interval takes that reaches `half_width` to each side; now: half of that there is.

    low, high  the 95 % limits of `people`
    """

    now: float
    half_width: float
    people: int
    low: int
    high: int


def required_people(rate: ClusteredRate, people: int, half_width: float) -> RequiredPeople | None:
    """Number of people for a half-width, with as many dialogues each, and as alike.

    Input   rate with its interval over participants; people who were in it; half_width in the rate's unit
    Output  people m (z SE / w)^2, rounded up, at least 2; SE is the error over participants, so the design
            effect of several dialogues a person is in it
    Empty   no interval, or nothing varied: None
    Note    `low` and `high` are those of the squared error, by chi squared with m - 1 degrees of freedom:
            few people tell their own spread badly
    Source  Kish 1965 (variance of cluster samples)
    """
    if rate.low is None or rate.high is None or not rate.se or rate.clusters < FEWEST:
        return None
    times, free = (_Z * rate.se / half_width) ** 2, rate.clusters - 1
    wide, narrow = (free / float(chi2.ppf(share, free)) for share in ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    n_people, low, high = (max(FEWEST, math.ceil(people * times * by)) for by in (1.0, narrow, wide))
    now = (rate.high - rate.low) / 2
    return RequiredPeople(now=now, half_width=half_width, people=n_people, low=low, high=high)
