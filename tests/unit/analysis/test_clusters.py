"""Rates over participants: the published example, statsmodels as a second opinion, and the edges."""

import json
from pathlib import Path

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.analysis.clusters import (
    Sums,
    clustered_rate,
    contrast,
    degrees_of_freedom,
    nesting,
    ratio_interval,
    standard_error,
    sum_by_participant,
)

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "statistics-clusters.json").read_text(encoding="utf-8")
)


def sums_of(*participants: list[float]) -> Sums:
    return Sums(
        np.array([float(sum(cases)) for cases in participants]),
        np.array([float(len(cases)) for cases in participants]),
    )


@pytest.mark.parametrize("case", GOLDEN)
def test_icc_and_design_effect_are_the_published_ones(case):
    sums, expected = sums_of(*case["input"]), dict(case["expected"])
    error = standard_error(sums, "plain")
    assert error == pytest.approx(expected.pop("plain_error"), abs=case["tolerance"])
    for name, value in expected.items():
        assert getattr(nesting(sums), name) == pytest.approx(value, abs=case["tolerance"])


def drawn(seed: int = 3, people: int = 30) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), rng.integers(1, 12, people))
    is_a = rng.random(len(who)) < 0.5
    answers = rng.random(len(who)) < (0.4 + 0.2 * is_a + 0.3 * rng.random(people)[who])
    return who, is_a, answers.astype(float)


def test_the_plain_difference_is_that_of_a_gee_with_independent_working_correlation():
    who, is_a, answers = drawn()
    ones = np.ones_like(answers)
    ours = contrast(
        who[is_a], who[~is_a], (answers[is_a], ones[is_a]), (answers[~is_a], ones[~is_a]), "plain"
    )
    model = sm.GEE(answers, sm.add_constant(is_a.astype(float)), groups=who, family=sm.families.Gaussian())
    peer = model.fit(cov_type="robust")
    people = len(set(who))
    assert ours.difference == pytest.approx(peer.params[1])
    assert ours.clusters == people
    assert ours.se == pytest.approx(peer.bse[1] * np.sqrt(people / (people - 1)))


def test_the_jackknife_is_that_of_leaving_each_participant_out():
    who, _, answers = drawn()
    sums = sum_by_participant(who, answers, np.ones_like(answers))
    ratio = sums.numerators.sum() / sums.denominators.sum()
    without = (sums.numerators.sum() - sums.numerators) / (sums.denominators.sum() - sums.denominators)
    assert standard_error(sums) == pytest.approx(np.sqrt(((without - ratio) ** 2).sum()))


def test_one_case_each_has_no_design_effect():
    facts = nesting(sums_of(*[[1]] * 6, *[[0]] * 4))
    assert (facts.icc, facts.design_effect, facts.n_effective) == (None, 1, 10)


def test_everything_right_gets_an_interval_of_effective_participants():
    rate = clustered_rate(sums_of(*[[1, 1, 1, 1]] * 5))
    assert rate.method == "wilson_effective_participants"
    assert rate.high == pytest.approx(1)
    assert rate.low == pytest.approx(0.5655, abs=1e-3), "as 5 of 5, not as 20 of 20"


def test_everything_right_by_one_who_held_nearly_all_counts_as_one_case():
    """n = 11, m* = 101/11: one effective participant; Wilson's interval of 1 of 1 begins at 1/(1 + z2)."""
    rate = clustered_rate(sums_of([1] * 10, [1]))
    assert (rate.low, rate.high) == pytest.approx((1 / (1 + 1.959964**2), 1), abs=1e-5)


def test_one_participant_gives_no_interval_and_says_so():
    rate = clustered_rate(sums_of([1, 0, 1]))
    assert rate.low is rate.high is rate.se is None
    assert "fewer than 2" in rate.method


def test_a_mean_needs_squares_and_a_ratio_has_no_icc():
    cases = [[4.0, 5.0], [1.0, 2.0, 1.0], [3.0]]
    squares = np.array([sum(value**2 for value in one) for one in cases])
    mean = clustered_rate(sums_of(*cases), squares=squares)
    ratio = ratio_interval(sums_of(*cases))
    assert mean.icc > 0.5
    assert mean.se == pytest.approx(ratio.se)
    assert mean.low + mean.high == pytest.approx(ratio.low + ratio.high)
    assert ratio.icc is None


def test_a_group_of_one_person_cannot_be_compared():
    ones = np.ones(4)
    found = contrast(np.zeros(4), np.array([1, 1, 2, 2]), (ones, ones), (ones * 0, ones))
    assert found.difference == 1
    assert found.se is None


def test_a_group_without_cases_has_no_difference():
    none, ones = np.zeros(3), np.ones(3)
    assert contrast(np.arange(3), np.arange(3), (none, none), (ones, ones)) is None


@given(st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=8), min_size=2, max_size=20))
def test_intervals_lie_between_0_and_1_around_the_rate(participants):
    sums = sums_of(*participants)
    rate = clustered_rate(sums)
    ratio = sums.numerators.sum() / sums.denominators.sum()
    assert 0 <= rate.low <= ratio + 1e-12
    assert ratio - 1e-12 <= rate.high <= 1
    if rate.design_effect is not None:
        assert 1 - 1e-9 <= rate.design_effect <= nesting(sums).size_star + 1e-9


def test_degrees_of_freedom_are_those_of_participants_where_all_weigh_the_same():
    assert degrees_of_freedom(np.full(12, 4.0), icc=0.3) == pytest.approx(11)
    assert degrees_of_freedom(np.full(12, 4.0), np.full(12, 4.0), icc=0.3) == pytest.approx(11)
    heavy = degrees_of_freedom(np.array([1.0] * 30 + [60.0]), icc=0.2)
    assert heavy < 2, "one participant decides nearly everything"
