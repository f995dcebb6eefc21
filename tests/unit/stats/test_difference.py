"""Differences over participants: one procedure for estimate, interval and p, exact where it can be."""

from itertools import combinations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test, ttest_ind

from vivavoce.core.errors import InputError
from vivavoce.stats.difference import MANY, compare_clusters

Person = tuple[tuple[int, int], tuple[int, int]]
cell = st.integers(0, 4).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
persons = st.lists(
    st.tuples(cell, cell).filter(lambda one: one[0][1] + one[1][1] > 0), min_size=4, max_size=13
)


def dialogues(people: list[Person]) -> tuple:
    """Codes and (successes, ones) of each dialogue, a and b, from successes and cases of each person."""
    found = []
    for side in (0, 1):
        codes = np.repeat(np.arange(len(people)), [one[side][1] for one in people])
        hits = np.concatenate([np.arange(one[side][1]) < one[side][0] for one in people]).astype(float)
        found.append((codes, (hits, np.ones(len(codes)))))
    return found[0][0], found[1][0], found[0][1], found[1][1]


def test_one_measurement_each_is_the_permutation_test_of_scipy():
    rng = np.random.default_rng(4)
    a, b = rng.normal(0.8, 1, 4), rng.normal(0, 1, 5)

    def studentised(x, y, axis=-1):
        error = x.var(axis=axis) / x.shape[axis] + y.var(axis=axis) / y.shape[axis]
        return np.abs(x.mean(axis=axis) - y.mean(axis=axis)) / np.sqrt(error)

    peer = permutation_test((a, b), studentised, vectorized=True, alternative="greater")
    found = compare_clusters(np.arange(4), np.arange(4, 9), (a, np.ones(4)), (b, np.ones(5)))
    assert found.p == pytest.approx(peer.pvalue)
    assert found.method == "permutation_between"


def test_the_estimate_is_that_of_a_gee_with_independent_working_correlation():
    rng = np.random.default_rng(3)
    who = np.repeat(np.arange(30), rng.integers(1, 12, 30))
    is_a = rng.random(len(who)) < 0.5
    answers = (rng.random(len(who)) < 0.4 + 0.2 * is_a).astype(float)
    ones = np.ones(len(who))
    ours = compare_clusters(who[is_a], who[~is_a], (answers[is_a], ones[is_a]), (answers[~is_a], ones[~is_a]))
    model = sm.GEE(answers, sm.add_constant(is_a.astype(float)), groups=who, family=sm.families.Gaussian())
    assert ours.estimate == pytest.approx(model.fit().params[1])
    assert ours.clusters == 30


@settings(max_examples=40)
@given(persons, st.sampled_from([0.8, 0.9, 0.95]))
def test_the_interval_leaves_no_difference_out_just_where_p_does_not_reject(people, level):
    found = compare_clusters(*dialogues(people), level=level)
    if found is None or found.p is None or found.low is None:
        return
    assert (found.low <= 0 <= found.high) == (found.p >= 1 - level - 1e-12)
    assert found.low <= found.estimate + 1e-9
    assert found.high >= found.estimate - 1e-9
    assert -1 <= found.low <= found.high <= 1
    assert found.p >= found.smallest_p - 1e-12


@pytest.mark.parametrize("people", [30, MANY + 50])
def test_at_the_ends_of_the_interval_p_is_alpha(people):
    rng = np.random.default_rng(people)
    sizes = np.minimum(rng.geometric(0.2, people), 30)
    who = np.repeat(np.arange(people), sizes)
    is_a = rng.random(len(who)) < 0.5
    values = rng.normal(size=people)[who] + rng.gamma(2.0, size=len(who)) + 0.4 * is_a
    ones = np.ones(len(who))
    found = compare_clusters(who[is_a], who[~is_a], (values[is_a], ones[is_a]), (values[~is_a], ones[~is_a]))
    for end in (found.low, found.high):
        assert found.procedure.p(end) == pytest.approx(0.05, abs=0.002)
    wider = found.interval(0.99)
    assert wider.low < found.low < found.high < wider.high


def test_so_few_that_nothing_can_be_significant_are_told():
    people = [((3, 3), (0, 0))] * 3 + [((0, 0), (0, 3)), ((0, 0), (1, 3)), ((0, 0), (0, 4))]
    found = compare_clusters(*dialogues(people))
    assert found.smallest_p == pytest.approx(2 / 20)
    assert found.p >= found.smallest_p
    assert (found.low, found.high) == (-1, 1)
    assert "p cannot fall below 0.100" in str(found.why)


def test_a_measurement_of_few_people_has_no_end_and_so_no_interval():
    values = np.arange(6.0)
    found = compare_clusters(
        np.arange(3), np.arange(3, 6), (values[:3], np.ones(3)), (values[3:], np.ones(3))
    )
    assert (found.low, found.high) == (None, None)
    assert found.p == pytest.approx(2 / 20)


def test_small_p_values_of_many_people_go_below_what_was_drawn():
    people = [((4, 5), (1, 5)), ((5, 5), (0, 5)), ((3, 5), (2, 5)), ((5, 6), (1, 4))] * 10
    found = compare_clusters(*dialogues(people))
    assert found.method == "permutation_within"
    assert 0 < found.p < 1e-6


def test_a_group_of_one_person_cannot_be_compared():
    ones = np.ones(4)
    found = compare_clusters(np.zeros(4), np.array([1, 1, 2, 2]), (ones, ones), (ones * 0, ones))
    assert found.estimate == 1
    assert (found.p, found.method) == (None, "none")
    assert "a single participant" in str(found.why)


def test_a_group_without_cases_has_no_difference():
    none, ones = np.zeros(3), np.ones(3)
    assert compare_clusters(np.arange(3), np.arange(3), (none, none), (ones, ones)) is None


def test_equivalence_comes_from_the_same_procedure():
    rng = np.random.default_rng(8)
    people = [((int(a), 20), (int(b), 20)) for a, b in rng.binomial(20, 0.7, (40, 2))]
    found = compare_clusters(*dialogues(people))
    same = found.equivalence(0.1)
    assert same.equivalent
    assert -0.1 < same.interval.low < same.interval.high < 0.1
    assert same.p == pytest.approx(max(found.procedure.p(-0.1, "greater"), found.procedure.p(0.1, "less")))
    assert not found.equivalence(0.01).equivalent


def test_whoever_reads_a_permutation_is_told_how_many_ways_there_were():
    few, many = [((2, 3), (1, 3))] * 5 + [((1, 3), (2, 3))], [((2, 3), (1, 3))] * 13 + [((1, 3), (2, 3))]
    assert "all 64 permutations" in str(compare_clusters(*dialogues(few)).why)
    assert "4999 random permutations" in str(compare_clusters(*dialogues(many)).why)


def ones(values: list[float]) -> tuple[np.ndarray, np.ndarray]:
    return np.array(values, dtype=float), np.ones(len(values))


@pytest.mark.parametrize(("people", "ties"), [(9, 1.0), (10, 0.5)])
def test_ties_count_half_from_ten_participants_on(people: int, ties: float) -> None:
    """One value each, all ways to share them out: the studentised difference, written out with loops."""
    values = np.array([3.0, 1.0, 4.0, 1.5, 5.0, 9.0, 2.0, 6.0, 5.5, 3.5])[:people]
    first = people // 2

    def studentised(chosen: tuple[int, ...]) -> float:
        a, b = values[list(chosen)], np.delete(values, chosen)
        return abs(a.mean() - b.mean()) / (a.var() / (len(a) - 1) + b.var() / (len(b) - 1)) ** 0.5

    seen = studentised(tuple(range(first)))
    every = np.array([studentised(one) for one in combinations(range(people), first)])
    tied = np.abs(every - seen) < 1e-9
    expected = ((every > seen + 1e-9).sum() + ties * tied.sum()) / len(every)
    who = np.arange(people)
    found = compare_clusters(who[:first], who[first:], ones(values[:first]), ones(values[first:]))
    assert found.p == pytest.approx(expected, abs=1e-12)
    assert found.clusters == people


@pytest.mark.parametrize(
    ("people", "method"),
    [
        (MANY - 1, "permutation_between"),
        (MANY, "permutation_between"),
        (MANY + 1, "cluster_robust_t"),
    ],
)
def test_more_than_many_participants_get_a_robust_t(people: int, method: str) -> None:
    who, values = np.arange(people), np.arange(people) % 7 % 3
    found = compare_clusters(who[::2], who[1::2], ones(values[::2]), ones(values[1::2]), spans=False)
    assert found.method == method


def test_a_robust_t_has_the_p_and_ends_of_students_law() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.normal(0.4, 1, 220), rng.normal(0.1, 1, 200)
    found = compare_clusters(np.arange(220), np.arange(220, 420), ones(a), ones(b), level=0.9)
    peer = ttest_ind(a, b, equal_var=False)
    span = peer.confidence_interval(0.9)
    assert found.estimate == pytest.approx(a.mean() - b.mean())
    assert (found.p, found.low, found.high) == pytest.approx((peer.pvalue, span.low, span.high), rel=0.03)
    low, high = found.interval(0.95)
    assert (low, high) == pytest.approx(tuple(peer.confidence_interval(0.95)), rel=0.01)
    for supposed in (-0.2, 0.1, 0.9):
        peers = [
            ttest_ind(a - supposed, b, equal_var=False, alternative=side).pvalue
            for side in ("two-sided", "greater", "less")
        ]
        ours = [found.procedure.p(supposed, side) for side in ("two", "greater", "less")]
        assert ours == pytest.approx(peers, rel=0.03)
    same = found.equivalence(1.1, alpha=0.1)
    ends = [
        ttest_ind(a + 1.1, b, equal_var=False, alternative="greater").pvalue,
        ttest_ind(a - 1.1, b, equal_var=False, alternative="less").pvalue,
    ]
    assert (same.p_lower, same.p_upper, same.p) == pytest.approx((*ends, max(ends)), rel=0.05)
    assert same.interval == pytest.approx(found.interval(0.8)) and same.equivalent
    assert not found.equivalence(found.high, alpha=0.01).equivalent


def test_who_had_no_case_is_nobody() -> None:
    """Two people without a case, of whom one is on both sides: as if they were not there."""
    a, b = [2.0, 5.0, 3.0, 7.0], [1.0, 4.0, 2.0]
    plain = compare_clusters(np.arange(4), np.arange(4, 7), ones(a), ones(b))
    more = compare_clusters(
        np.array([0, 1, 2, 3, 8]),
        np.array([4, 5, 6, 8, 9]),
        (np.array([*a, 0.0]), np.array([1.0] * 4 + [0])),
        (np.array([*b, 0.0, 0.0]), np.array([1.0] * 3 + [0, 0])),
    )
    assert (more.clusters, more.estimate, more.p) == (7, plain.estimate, plain.p)
    assert more.method == plain.method == "permutation_between"


def test_everybody_right_against_everybody_wrong_is_tested_and_has_no_interval() -> None:
    found = compare_clusters(np.arange(5), np.arange(5, 11), ones([1] * 5), ones([0] * 6))
    assert (found.estimate, found.low, found.high) == (1, None, None)
    assert found.p == pytest.approx(0.5 / 462) and "All give the same" in str(found.why)
    assert found.interval(0.9) is None and found.equivalence(0.2) is None


def test_nothing_that_varied_is_not_tested_and_an_even_difference_is() -> None:
    same = compare_clusters(np.arange(3), np.arange(3, 7), ones([2] * 3), ones([2] * 4))
    assert (same.p, same.estimate) == (None, 0) and "Participants do not vary" in str(same.why)
    assert same.interval(0.9) is None and same.equivalence(0.1) is None
    even = compare_clusters(np.arange(3), np.arange(3, 6), ones([1, 2, 3]), ones([3, 2, 1]))
    assert (even.estimate, even.p) == (0, 1)


@pytest.mark.parametrize("margin", [0.0, -0.1])
def test_a_margin_of_equivalence_lies_above_nothing(margin: float) -> None:
    found = compare_clusters(np.arange(3), np.arange(3, 6), ones([1, 2, 3]), ones([3, 2, 1]))
    with pytest.raises(InputError, match="margin lies above 0"):
        found.equivalence(margin)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([0, 1, 1, 0, 1, 1, 0], [5.5, 7, 6, 9, 8, 4, 7]),
        ([5.5, 7, 6, 9, 8, 4, 7], [0, 1, 1, 0, 1, 1, 0]),
    ],
)
def test_only_two_rates_cannot_differ_by_more_than_one(a: list[float], b: list[float]) -> None:
    found = compare_clusters(np.arange(7), np.arange(7, 14), ones(a), ones(b))
    assert found.low < found.estimate < found.high and abs(found.estimate) > 5
    few = compare_clusters(np.arange(3), np.arange(3, 6), ones(a[:3]), ones(b[:3]), most=12)
    assert (few.low, few.high) == (-12, 12), "as far as such a difference can go"


@pytest.mark.parametrize(("a", "b"), [(0, 3), (3, 0)])
def test_neither_group_may_be_without_a_case(a: int, b: int) -> None:
    cases = [(np.ones(3) * min(one, 1), np.ones(3) * one) for one in (a, b)]
    assert compare_clusters(np.arange(3), np.arange(3, 6), *cases) is None


def test_a_level_that_the_smallest_p_just_reaches_cannot_be_undercut() -> None:
    """Six who met both: 2 of 64 ways at least, and a p of .03125 is not below an alpha of .03125."""
    people = [((2, 3), (1, 3))] * 5 + [((1, 3), (2, 3))]
    for level, told in ((0.96875, True), (0.96, False)):
        found = compare_clusters(*dialogues(people), level=level)
        assert found.smallest_p == 0.03125
        assert ("is impossible" in str(found.why)) is told
