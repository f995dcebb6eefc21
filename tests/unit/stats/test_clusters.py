"""Rates over participants: the published example, statsmodels as a second opinion, and the edges."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from vivavoce.stats.clusters import (
    NOTHING_VARIED,
    ClusterSums,
    clustered_rate,
    counted,
    dense_codes,
    nesting,
    ratio_interval,
    sum_by_participant,
)

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "statistics-clusters.json").read_text(encoding="utf-8")
)


def sums_of(*participants: list[float]) -> ClusterSums:
    return ClusterSums(
        np.array([float(sum(cases)) for cases in participants]),
        np.array([float(len(cases)) for cases in participants]),
    )


def test_icc_and_design_effect_are_the_published_ones():
    for case in GOLDEN:
        sums = sums_of(*case["input"])
        for name, value in case["expected"].items():
            assert getattr(nesting(sums), name) == pytest.approx(value, abs=case["tolerance"])


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
    people = np.repeat(np.arange(3), [len(one) for one in cases])
    ratio = ratio_interval(people, np.concatenate(cases), np.ones(6))
    assert mean.icc > 0.5
    assert mean.se == pytest.approx(ratio.se)
    assert mean.low + mean.high == pytest.approx(ratio.low + ratio.high)
    assert ratio.icc is None


@given(st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=8), min_size=2, max_size=20))
def test_intervals_lie_between_0_and_1_around_the_rate(participants):
    sums = sums_of(*participants)
    rate = clustered_rate(sums)
    ratio = sums.numerators.sum() / sums.denominators.sum()
    if rate.method == NOTHING_VARIED:
        return
    assert 0 <= rate.low <= ratio + 1e-12
    assert ratio - 1e-12 <= rate.high <= 1
    if rate.design_effect is not None:
        assert 0 <= rate.design_effect <= nesting(sums).size_star + 1e-9


def test_who_spent_without_success_counts_in_the_interval_of_spending_for_a_success() -> None:
    """The jackknife over participants as the second opinion; without them it would be far too narrow."""
    draw = np.random.default_rng(4)
    people, tops = np.repeat(np.arange(80), 3), draw.gamma(4.0, 1.0, 240)
    bottoms = (draw.random(240) < 0.3).astype(float)
    found = ratio_interval(people, tops, bottoms)
    assert found.clusters == 80 and found.low is not None and found.se is not None
    left_out = [tops[people != one].sum() / bottoms[people != one].sum() for one in range(80)]
    jackknife = np.sqrt(79 / 80 * ((np.array(left_out) - np.mean(left_out)) ** 2).sum())
    assert found.se == pytest.approx(jackknife, rel=0.1)


def test_codes_without_gaps_keep_their_order():
    for codes in [
        [],
        [3],
        [5, 5, 9, 7, 5],
        [-4, 2, -4, 0],
        [10**9, 10**9 + 2, 10**9],
        [0, 10**12, 7],
        ["b", "a", "b"],
    ]:
        found, number = dense_codes(np.array(codes))
        known = sorted(set(codes))
        assert (found.tolist(), number) == ([known.index(one) for one in codes], len(known))


def test_successes_are_counted_among_whole_numbers_of_cases():
    for tops, bottoms, right in [
        ([0, 2], [1, 2], True),
        ([0, 3], [1, 2], False),
        ([-1, 2], [1, 2], False),
        ([0.5, 2], [1, 2], False),
        ([0, 2], [1.5, 2], False),
        ([], [], True),
    ]:
        assert counted(np.array(tops, dtype=float), np.array(bottoms, dtype=float)) is right


def test_where_nothing_varies_or_nobody_has_a_case_there_is_no_interval():
    people, ones = np.array([0, 1, 1]), np.ones(3)
    same, nobody = ratio_interval(people, 2 * ones, ones), ratio_interval(people, ones, 0 * ones)
    assert (same.method, same.low, same.clusters) == (NOTHING_VARIED, None, 2)
    assert (nobody.method, nobody.se, nobody.clusters) == ("none: fewer than 2 participants", None, 0)
    alone = ratio_interval(np.zeros(3, int), np.arange(3.0), ones)
    assert (alone.method, alone.clusters) == ("none: fewer than 2 participants", 1)
    mean = clustered_rate(ClusterSums(np.array([4.0, 2.0]), np.array([2.0, 1.0])), squares=np.array([8.0, 4]))
    assert (mean.method, mean.low, mean.se) == (NOTHING_VARIED, None, pytest.approx(0))


def test_a_design_effect_needs_two_people_of_whom_one_has_two_cases_that_vary():
    """All of one kind: an ICC of 1; the same in everybody: one of -1, and no cases are gained by it."""
    for cases, effect, effective, star in [
        ([], None, None, None),
        ([[1, 0]], None, None, 2.0),
        ([[1]], 1.0, 1.0, 1.0),
        ([[1], [0]], 1.0, 2.0, 1.0),
        ([[1, 1], [1]], None, None, 5 / 3),
        ([[1, 0], [1, 0]], 0.0, 4.0, 2.0),
        ([[1, 1], [0, 0]], 2.0, 2.0, 2.0),
    ]:
        found = nesting(sums_of(*cases))
        assert (found.design_effect, found.n_effective, found.size_star) == pytest.approx(
            (effect, effective, star)
        )


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_one_value_each_has_the_t_interval_of_their_mean_and_who_has_none_is_left_out(level):
    values = np.array([3.0, 5.0, 4.0, 9.0, 2.0])
    people = np.array(["p", "q", "r", "s", "t", "nobody"])
    sums = sum_by_participant(people, np.append(values, 0.0), np.array([1.0] * 5 + [0.0]))
    assert sums.numerators.tolist() == [3, 5, 4, 9, 2] and len(sums.denominators) == 5
    reach = student.ppf((1 + level) / 2, 4) * values.std(ddof=1) / np.sqrt(5)
    expected = values.mean() - reach, values.mean() + reach
    found = clustered_rate(sums, level, squares=values**2)
    ratio = ratio_interval(people, np.append(values, 0.0), np.array([1.0] * 5 + [0.0]), level)
    assert (found.low, found.high) == pytest.approx(expected)
    assert (ratio.low, ratio.high, ratio.clusters) == pytest.approx((*expected, 5))


def test_participants_who_are_all_alike_give_a_rate_no_interval_of_width_nought():
    found = clustered_rate(ClusterSums(np.full(5, 1.0), np.full(5, 2.0)))
    assert (found.low, found.high, found.method) == (None, None, NOTHING_VARIED)
