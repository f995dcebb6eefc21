"""Robust errors over participants: against whole matrices worked out slowly, and against plain t-tests."""

import numpy as np
import pytest
from scipy.stats import norm, ttest_1samp, ttest_rel
from scipy.stats import t as student
from statsmodels.stats.proportion import proportion_confint

from vivavoce.stats.clusters import ClusterSums, clustered_rate
from vivavoce.stats.proportions import clopper_pearson
from vivavoce.stats.sandwich import correlations, residuals, robust_error, spread_of_totals

FLOOR = 0.02


def drawn(seed: int, people: int = 14) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Dialogues of people of unequal activity, some of whom met both systems."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), rng.integers(1, 9, people))
    is_a = np.where(who < 6, rng.random(len(who)) < 0.5, who < 10)
    answers = rng.random(len(who)) < 0.3 + 0.5 * rng.random(people)[who]
    return who, is_a, answers.astype(float)


def by_matrices(who: np.ndarray, is_a: np.ndarray, answers: np.ndarray) -> tuple[float, float]:
    """The same error from the covariance matrix of all single dialogues, as its definition reads."""
    a, b = (residuals(who[side], who.max() + 1, answers[side], np.ones(side.sum())) for side in (is_a, ~is_a))
    alike = correlations(a, b)
    same_person, same_side = who[:, None] == who[None, :], is_a[:, None] == is_a[None, :]
    likeness = np.where(same_person, np.where(same_side, alike.within, alike.across), 0.0)
    np.fill_diagonal(likeness, 1.0)
    rates = np.where(is_a, answers[is_a].mean(), answers[~is_a].mean())
    variances = rates * (1 - rates)
    least = FLOOR / 2 * (variances[is_a][0] + variances[~is_a][0])
    spread = np.sqrt(variances + least)
    covariance = likeness * spread[:, None] * spread[None, :]
    sizes = np.where(is_a, is_a.sum(), (~is_a).sum())
    contrast = np.where(is_a, 1.0, -1.0) / sizes
    centred = np.eye(len(who)) - same_side / sizes[:, None]
    people = np.unique(who)
    rows = []
    for person in people:
        own = who == person
        leverage = np.array([(own & (is_a == side)).sum() / (is_a == side).sum() for side in is_a])
        rows.append((contrast * own / np.sqrt(1 - leverage)) @ centred)
    rows = np.array(rows)
    of_totals = rows @ covariance @ rows.T
    weights = np.diag(of_totals) ** -0.5
    expected = weights @ np.diag(of_totals)
    weighted = np.diag(weights) @ of_totals
    square = weights @ (rows @ answers) ** 2 * (contrast @ covariance @ contrast) / expected
    return float(np.sqrt(square)), float(expected**2 / np.trace(weighted @ weighted))


def test_error_and_degrees_of_freedom_are_those_of_the_whole_matrices():
    for seed in range(6):
        who, is_a, answers = drawn(seed)
        sides = [residuals(who[side], 14, answers[side], np.ones(side.sum())) for side in (is_a, ~is_a)]
        assert robust_error(*sides) == pytest.approx(by_matrices(who, is_a, answers))


def test_one_case_each_is_the_t_test_of_one_mean():
    values = np.random.default_rng(1).normal(3, 2, 15)
    found = robust_error(residuals(np.arange(15), 15, values, np.ones(15)))
    peer = ttest_1samp(values, 0)
    assert found.df == pytest.approx(14)
    assert values.mean() / found.se == pytest.approx(peer.statistic)


def test_one_case_with_each_system_is_the_paired_t_test():
    rng = np.random.default_rng(2)
    first, second = rng.normal(size=(2, 12)) + rng.normal(size=12)
    one = np.ones(12)
    found = robust_error(*(residuals(np.arange(12), 12, values, one) for values in (first, second)))
    assert (first - second).mean() / found.se == pytest.approx(ttest_rel(first, second).statistic)


def test_equal_callers_have_the_score_interval_of_as_many_cases_as_their_mean_rates_are_worth():
    hits = np.array([1.0, 4, 2, 5, 3, 3, 0, 4, 5, 2, 1])
    found = clustered_rate(ClusterSums(hits, np.full(11, 5.0)))
    rate, se = hits.mean() / 5, (hits / 5).std(ddof=1) / np.sqrt(11)
    cases, alpha = rate * (1 - rate) / se**2, 2 * norm.sf(student.ppf(0.975, 10))
    assert (found.low, found.high) == pytest.approx(proportion_confint(rate * cases, cases, alpha, "wilson"))


def test_one_failure_among_many_callers_leaves_an_interval_that_can_be_believed():
    sizes = np.array([1.0] * 14 + [2] * 3 + [3] * 2 + [4])
    hits = sizes - (np.arange(20) == 0)
    found = clustered_rate(ClusterSums(hits, sizes))
    exact = clopper_pearson(19, 20)
    assert found.low is not None and exact is not None
    assert abs(found.low - exact.low) < 0.1, "29 of 30 cases of 20 callers: 19 callers without a failure"


def test_one_busy_caller_leaves_few_degrees_of_freedom():
    rng = np.random.default_rng(3)
    sizes = np.array([2] * 30 + [200])
    who = np.repeat(np.arange(31), sizes)
    answers = (rng.random(len(who)) < rng.beta(1, 1, 31)[who]).astype(float)
    found = robust_error(residuals(who, 31, answers, np.ones(len(who))))
    assert found.df < 8, "thirty-one callers, of whom one decides nearly everything"


def test_a_system_that_one_person_met_has_no_error():
    some = residuals(np.zeros(3, int), 3, np.array([1.0, 0, 1]), np.ones(3))
    others = residuals(np.array([1, 2]), 3, np.array([1.0, 0]), np.ones(2))
    assert robust_error(some, others) is None


def likeness(who: np.ndarray, is_a: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    """Correlations case by case: sums of squares in loops, expectations by centring matrices."""
    between = within = between_df = within_df = spread = 0.0
    left = np.where(is_a, values - values[is_a].mean(), values - values[~is_a].mean())
    for side in (is_a, ~is_a):
        groups = [left[side & (who == person)] for person in np.unique(who[side])]
        sizes = [len(group) for group in groups]
        between += sum(len(group) * group.mean() ** 2 for group in groups)
        within += sum(((group - group.mean()) ** 2).sum() for group in groups)
        between_df, within_df = between_df + len(groups) - 1, within_df + sum(sizes) - len(groups)
        spread += sum(sizes) - sum(size**2 for size in sizes) / sum(sizes)
    noise = within / within_df if within_df else 0.0
    common = max(0.0, (between - between_df * noise) / spread)
    centre = {side: np.eye((is_a == side).sum()) - 1 / (is_a == side).sum() for side in (True, False)}
    a, b = who[is_a], who[~is_a]
    alike = centre[True] @ (a[:, None] == b[None, :]).astype(float) @ centre[False]
    seen = expected = 0.0
    for person in set(a) & set(b):
        root = np.sqrt((a == person).sum() * (b == person).sum())
        seen += left[is_a & (who == person)].sum() * left[~is_a & (who == person)].sum() / root
        expected += (a == person) @ alike @ (b == person) / root
    whole = noise + common
    across = seen / expected / whole if expected > 1e-9 else 0.0
    return common / whole, min(max(across, 0.0), common / whole)


def test_likeness_is_that_of_an_analysis_of_variance_case_by_case():
    for seed in range(8):
        who, is_a, answers = drawn(seed)
        rng = np.random.default_rng(seed)
        for values in (answers, rng.normal(size=14)[who] + rng.normal(size=len(who))):
            a, b = (residuals(who[side], 14, values[side], np.ones(side.sum())) for side in (is_a, ~is_a))
            within, across = likeness(who, is_a, values)
            assert tuple(correlations(a, b)) == pytest.approx((within, across))
            cases = a.cases + b.cases
            pairs = (
                sum(one.cases * (one.cases - 1) * within for one in (a, b)) - 2 * a.cases * b.cases * across
            )
            assert spread_of_totals(a, b) == pytest.approx(np.maximum(cases + pairs, FLOOR * cases))


def test_nobody_with_two_cases_leaves_likeness_to_the_pairs_across_systems():
    who, is_a = np.tile(np.arange(9), 2), np.repeat([True, False], 9)
    values = np.random.default_rng(4).normal(size=9)[who] + np.repeat([0.0, 1.0], 9)
    a, b = (residuals(who[side], 9, values[side], np.ones(9)) for side in (is_a, ~is_a))
    assert tuple(correlations(a, b)) == pytest.approx((1.0, 1.0))
    assert tuple(correlations(a)) == pytest.approx((1.0, 0.0))


def test_counted_successes_have_the_residuals_of_their_single_cases():
    """Three of four and none of two: squared residuals of six cases of 0 and 1 about one half."""
    found = residuals(np.array([0, 2]), 3, np.array([3.0, 0.0]), np.array([4.0, 2.0]), counted=True)
    assert found.squares.tolist() == [1.0, 0.0, 0.5] and found.cases.tolist() == [4, 0, 2]
    assert found.totals.tolist() == [1.0, 0.0, -1.0] and found.shares.tolist() == [4 / 6, 0.0, 2 / 6]
