"""How alike dialogues of one participant are: by an analysis of variance written out case by case."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.stats.clusters import (
    ClusterSums,
    clustered_rate,
    counted,
    nesting,
    ratio_interval,
    sum_by_participant,
)

Cases = list[tuple[int, float]]
CASES = st.lists(st.tuples(st.integers(0, 5), st.sampled_from([0.0, 1.0, 2.5])), min_size=3, max_size=25)


def by_cases(cases: Cases) -> tuple[float | None, float]:
    """ICC from mean squares between and within participants; the size that a case's participant has."""
    groups = [
        [value for person, value in cases if person == one] for one in sorted({one for one, _ in cases})
    ]
    n, k = len(cases), len(groups)
    size_star = sum(len(group) ** 2 for group in groups) / n
    if not 1 < k < n:
        return None, size_star
    grand = sum(value for _, value in cases) / n
    means = [sum(group) / len(group) for group in groups]
    between = sum(len(group) * (mean - grand) ** 2 for group, mean in zip(groups, means, strict=True)) / (
        k - 1
    )
    within = sum(
        (value - mean) ** 2 for group, mean in zip(groups, means, strict=True) for value in group
    ) / (n - k)
    typical = (n - size_star) / (k - 1)
    spread = between + (typical - 1) * within
    return (between - within) / spread if spread > 1e-9 else None, size_star


@given(CASES)
def test_icc_and_design_effect_are_those_of_single_cases(cases: Cases) -> None:
    people, values = (np.array(one) for one in zip(*cases, strict=True))
    sums = sum_by_participant(people, values, np.ones(len(cases)))
    squares = sum_by_participant(people, values**2, np.ones(len(cases))).numerators
    found, (icc, size_star) = nesting(sums, squares), by_cases(cases)
    assert (found.n, found.clusters) == (len(cases), len(set(people)))
    assert found.size_star == pytest.approx(size_star)
    if icc is None:
        alone = found.clusters == found.n
        assert (found.icc, found.design_effect) == (None, 1.0 if alone else None)
        assert found.n_effective == (found.n if alone else None)
        return
    assert found.icc == pytest.approx(icc, abs=1e-9)
    assert found.design_effect == pytest.approx(max(1 + (size_star - 1) * icc, 0), abs=1e-9)
    assert found.n_effective == pytest.approx(len(cases) / max(found.design_effect, 1))


def test_who_has_no_case_is_no_participant() -> None:
    found = sum_by_participant(np.array([3, 7, 3, 9]), np.array([1.0, 0, 1, 0]), np.array([1.0, 0, 2, 1]))
    assert (found.numerators.tolist(), found.denominators.tolist()) == ([2.0, 0.0], [3.0, 1.0])


@pytest.mark.parametrize(
    ("hits", "sizes", "method"),
    [
        ([2], [3], "none: fewer than 2 participants"),
        ([0, 0], [3, 2], "wilson_effective_participants"),
        ([3, 2], [3, 2], "wilson_effective_participants"),
        ([1, 0], [3, 2], "cluster_robust_wilson_t"),
    ],
)
def test_the_way_to_an_interval_is_told(hits: list[float], sizes: list[float], method: str) -> None:
    found = clustered_rate(ClusterSums(np.array(hits, float), np.array(sizes, float)))
    assert found.method == method and (found.low is None) == method.startswith("none")
    if found.low is not None and found.high is not None:
        assert 0 <= found.low <= sum(hits) / sum(sizes) <= found.high <= 1


def test_successes_are_whole_numbers_among_whole_numbers() -> None:
    for tops, bottoms, expected in [
        ([0, 3], [1, 3], True),
        ([0.5, 1], [1, 1], False),
        ([1, 1], [1, 1.5], False),
        ([2], [1], False),
        ([-1], [1], False),
        ([0], [0], True),
    ]:
        assert counted(np.array(tops, float), np.array(bottoms, float)) == expected


def test_a_ratio_of_sums_has_an_interval_where_it_differs_between_participants() -> None:
    people, words = np.array([1, 1, 2, 3, 4]), np.array([10.0, 5, 4, 0, 6])
    found = ratio_interval(people, np.array([1.0, 0, 2, 0, 1]), words)
    assert (found.clusters, found.method) == (3, "cluster_robust_t")
    assert found.low is not None and found.high is not None and found.low < 4 / 25 < found.high
    even = ratio_interval(people, words / 5, words)
    assert (even.low, even.method.startswith("none"), even.clusters) == (None, True, 3)
    assert ratio_interval(people[:2], words[:2], words[:2]).clusters == 1
    assert ratio_interval(people, words * 0, words * 0).clusters == 0
