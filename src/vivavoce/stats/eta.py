"""Time until a planned number of visits is reached, from the pace of completed visits."""

from dataclasses import dataclass
from typing import Final

FEWEST: Final = 5
LEVEL: Final = 0.95


@dataclass(frozen=True, slots=True)
class TimeToCome:
    """Seconds from now until so many more visits are completed.

    visits, observed_s  on which it rests: completed visits, and the seconds in which they were counted
    low_s, high_s       limits of the prediction at `LEVEL`
    """

    visits: int
    observed_s: float
    wanted: int
    expected_s: float
    low_s: float
    high_s: float


def time_to_come(visits: int, observed_s: float, wanted: int) -> TimeToCome | None:
    """Estimate the time until `wanted` more visits are completed, at the pace so far.

    Input   completed visits in the last `observed_s` seconds; wanted: at least 1
    Output  at the observed pace, with the prediction limits of a Poisson process: a ratio of two waiting
            times has an F distribution, with 2 wanted and 2 visits degrees of freedom (one visit more for
            the lower limit, as the time was fixed and not the number of visits)
    Empty   fewer than `FEWEST` visits, or no time: None
    Note    visits come and end independently of each other and of the hour; where they come in bursts, the
            limits are too narrow
    Source  Nelson, W. (1970). Confidence intervals for the ratio of two Poisson means and Poisson predictor
            intervals. IEEE Transactions on Reliability, R-19(2), 42-49
    """
    if visits < FEWEST or observed_s <= 0:
        return None
    from scipy.special import fdtri

    tail = (1 - LEVEL) / 2
    each_s = observed_s / visits
    return TimeToCome(
        visits=visits,
        observed_s=observed_s,
        wanted=wanted,
        expected_s=wanted * each_s,
        low_s=float(wanted * observed_s / (visits + 1) * fdtri(2 * wanted, 2 * (visits + 1), tail)),
        high_s=float(wanted * each_s * fdtri(2 * wanted, 2 * visits, 1 - tail)),
    )
