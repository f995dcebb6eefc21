"""Differences over participants: one procedure for estimate, interval and p, exact where it can be."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test

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
    assert "no p below 0.100: nothing can be significant at 0.05" in str(found.why)


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
    assert "all 64 ways" in str(compare_clusters(*dialogues(few)).why)
    assert "4999 ways, drawn" in str(compare_clusters(*dialogues(many)).why)
