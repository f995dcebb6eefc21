"""How many people a half-width takes, by hand from the error over people and chi squared."""

import math

import pytest
from scipy.stats import chi2, norm

from vivavoce.stats.clusters import ClusteredRate
from vivavoce.stats.precision import RequiredPeople, required_people


def rate(
    clusters: int, se: float | None, low: float | None = 0.3, high: float | None = 0.52
) -> ClusteredRate:
    return ClusteredRate(
        low=low,
        high=high,
        se=se,
        clusters=clusters,
        design_effect=None,
        icc=None,
        n_effective=None,
        method="cluster_robust_t",
    )


@pytest.mark.parametrize(
    ("clusters", "se", "half"),
    [
        (11, 0.04, 0.05),
        (11, 0.04, 0.2),
        (2, 0.1, 0.1),
        (40, 0.08, 0.03),
    ],
)
def test_people_whom_a_half_width_takes_grow_with_the_squared_error(clusters, se, half):
    found = required_people(rate(clusters, se), 13, half)
    need, free = 13 * (norm.ppf(0.975) * se / half) ** 2, clusters - 1
    by = (1, free / chi2.ppf(0.975, free), free / chi2.ppf(0.025, free))
    people, low, high = (max(2, math.ceil(need * one)) for one in by)
    now = pytest.approx(0.11)
    assert found == RequiredPeople(now=now, half_width=half, people=people, low=low, high=high)


@pytest.mark.parametrize(
    "facts",
    [
        rate(1, 0.04),
        rate(11, 0.0),
        rate(11, None),
        rate(11, 0.04, low=None),
        rate(11, 0.04, high=None),
    ],
)
def test_without_an_interval_of_two_people_or_more_nothing_is_said(facts):
    assert required_people(facts, 11, 0.05) is None
