"""Few participants: false alarms stay rare, nothing is claimed that rests on too little."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm
from scipy.stats import t as student
from statsmodels.stats.proportion import confint_proportions_2indep, proportions_ztest

from scenes.judging import judged
from vivavoce.analysis.clustered_summary import ClusteredSummary
from vivavoce.analysis.comparison import compare_systems
from vivavoce.analysis.summary import summarise
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.measures.compute import Group
from vivavoce.measures.compute import Sums as Parts
from vivavoce.stats.bootstrap import bootstrap_difference, bootstrap_ratio, draw_sums, ends
from vivavoce.stats.clusters import (
    NOTHING_VARIED,
    ClusterSums,
    clustered_rate,
    ratio_interval,
)
from vivavoce.stats.models import Cases, check_models
from vivavoce.stats.ranks import ordinal_regression


def with_likings(seed: int, people: int, calls: int, liking: float) -> list[tuple]:
    """No system is better; everybody has tastes of their own."""
    rng = np.random.default_rng(seed)
    rows = []
    for person in range(people):
        base, taste = rng.normal(), liking * rng.normal()
        rows += [
            (system, f"p{person}", bool(rng.random() < expit(base + side * taste)))
            for system, side in (("a", 0.7), ("b", -0.7))
            for _ in range(calls)
        ]
    return rows


def clustered(dataset) -> dict:
    tests = summarise(dataset, "system").tests
    return next(test for test in tests if test.measure == "subjective_success").clustered


def test_likings_of_six_people_do_not_pass_for_a_better_system() -> None:
    found = [judged(with_likings(seed, 6, 8, 2.5)) for seed in range(20)]
    assert all(one.method == "permutation_within" for one in found)
    assert sum(one.p < 0.05 for one in found) <= 3  # 5 % are 1; the permutation alone alarms 7 times


def test_a_difference_that_is_the_same_for_all_is_tested_and_not_left_out(make) -> None:
    rows = [(system, f"p{person}", system == "a") for person in range(12) for system in "aabb"]
    found = clustered(make(*rows))
    assert found.method == "permutation_within"
    assert found.p == pytest.approx(1 / 2**12)  # 2 of 4,096 ways are as extreme, and ties count half
    assert "so there is no interval" in str(found.why)
    assert (found.low, found.high) == (None, None)


def test_a_difference_of_rates_lies_between_minus_one_and_one() -> None:
    found = judged(
        [
            (system, f"p{person}", (person + number) % 3 > 0 and (system, person) != ("a", 0))
            for person, calls in enumerate((20, 8, 2))
            for number in range(calls)
            for system in "ab"
        ]
    )
    assert (found.low, found.high) == (-1.0, 1.0)


def test_odds_of_a_higher_answer_have_no_p_from_few_people() -> None:
    rng = np.random.default_rng(3)
    answers, people = rng.integers(1, 6, 120).astype(float), [f"p{number % 6}" for number in range(120)]
    few = ordinal_regression(answers[:60], answers[60:], people[:60], people[60:])
    assert few.odds_ratio is not None
    assert (few.low, few.high, few.p) == (None, None, None)
    assert "Only 6 participants" in few.why


@pytest.mark.parametrize("each", [1, 2, 12])
def test_answers_of_which_none_is_given_twice_are_too_few_for_a_model(each: int) -> None:
    people = [f"p{n}" for n in range(each + 1)]
    found = ordinal_regression(range(1, 2 * each, 2), range(0, 2 * each, 2), people[:each], people[1:])
    assert found.why is not None and "twice" in found.why
    assert found.odds_ratio is found.low is found.high is found.p is None


def test_means_that_are_the_same_for_everybody_have_no_interval_of_width_nothing() -> None:
    same = ClusterSums(np.array([8.0, 4.0, 12.0]), np.array([2.0, 1.0, 3.0]))
    once = ratio_interval(np.array([0, 0, 1, 2, 2, 2]), np.full(6, 4.0), np.ones(6))
    for found in (clustered_rate(same, squares=np.array([32.0, 16.0, 48.0])), once):
        assert (found.low, found.high, found.method) == (None, None, NOTHING_VARIED)


def test_drawing_participants_says_nothing_of_fewer_than_ten() -> None:
    rng = np.random.default_rng(1)
    who, hits = np.repeat(np.arange(9), 4), (rng.random(36) < 0.5).astype(float)
    cases = Cases(hits, np.ones(36), who, np.zeros(36, int), np.arange(36) % 2 == 0)
    found = check_models(cases)["bootstrap"]
    assert (found.low, found.high) == (None, None)
    assert "fewer than 10" in found.why


def test_drawn_percentiles_lie_as_far_out_as_few_participants_ask_for() -> None:
    assert ends(0.95, 10)[0] == pytest.approx(
        0.00855, abs=1e-5
    )  # by scipy: norm.cdf(-sqrt(10 / 9) t(.975, 9))
    assert ends(0.95, 100_000)[0] == pytest.approx(0.025, abs=1e-4)
    rng = np.random.default_rng(2)
    held = 0
    for trial in range(150):
        sizes = rng.geometric(0.2, 12)
        hits = rng.binomial(sizes, expit(rng.normal(0, 1, 12))).astype(float)
        interval = bootstrap_ratio(hits, sizes.astype(float), draws=300, seed=trial)
        assert interval is not None
        held += interval.low <= 0.5 <= interval.high
    assert held >= 129  # 86 %; nominal 95 %, plain percentiles reach some 87 % of trials at best


@pytest.mark.parametrize("within", [True, False])
def test_interval_and_p_of_few_people_never_disagree(within: bool) -> None:
    excluded = 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        people = int(rng.integers(3, 10))
        sides = [("a", "b")] * people if within else [("a",) if one % 2 else ("b",) for one in range(people)]
        rows = [
            (system, f"p{person}", bool(rng.random() < expit(rng.normal() + (1.6 if system == "a" else 0.0))))
            for person, met in enumerate(sides)
            for system in met
            for _ in range(int(rng.integers(1, 9)))
        ]
        found = judged(rows)
        if found.p is not None and found.low is not None:
            assert -1 <= found.low <= found.difference <= found.high <= 1
            assert (found.low <= 0 <= found.high) == (found.p >= 0.05), (seed, found)
            excluded += found.p < 0.05
    assert excluded >= 5


def test_a_shift_of_few_people_is_inside_the_interval_as_often_as_it_says() -> None:
    """Eight people, one system each; a is better by exactly 1.5 for everybody."""
    held = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=(8, 3)).round(6) + np.repeat([1.5, 0.0], 4)[:, None]
        ids = [f"d{number}" for number in range(24)]
        found = [
            Group(name, ids[start : start + 12], [f"{name}{one // 3}" for one in range(12)])
            for name, start in (("a", 0), ("b", 12))
        ]
        parts = Parts(["value"], ids, values.reshape(1, -1), np.ones((1, 24)))
        test = ClusteredSummary(parts, found).test("value", 0, 1, level=0.9)
        held += test.low <= 1.5 <= test.high
    assert held >= 170  # 90 % are 180, give or take 4


def test_the_order_of_rows_changes_no_number(make, tmp_path) -> None:
    first = make(*with_likings(5, 12, 4, 0.5))
    with DatasetWriter(tmp_path / "mixed", study={"name": "toy"}, source={"kind": "log"}) as writer:
        for table in ("dialogues", "ratings"):
            rows = first.read(table).to_pylist()
            writer.add(table, [rows[place] for place in np.random.default_rng(1).permutation(len(rows))])
    one, other = (
        compare_systems(dataset, measures=["subjective_success"]).tests[0]
        for dataset in (first, Dataset(tmp_path / "mixed"))
    )
    assert one.clustered == pytest.approx(other.clustered)
    assert one.models["bootstrap"] == pytest.approx(other.models["bootstrap"])


def test_percentiles_are_those_of_a_t_widened_by_what_drawing_makes_too_narrow():
    for level in [0.8, 0.95]:
        for people in [3, 7, 25]:
            tail = norm.sf((people / (people - 1)) ** 0.5 * student.ppf((1 + level) / 2, people - 1))
            assert ends(level, people) == pytest.approx([tail, 1 - tail])


def test_every_draw_is_of_as_many_participants_also_where_there_are_many() -> None:
    sums = np.column_stack([np.ones(4000), np.arange(4000.0)])
    drawn = draw_sums(sums, 60, 3)  # 25 at a time
    assert drawn.shape == (60, 2) and (drawn[:, 0] == 4000).all()
    assert len(np.unique(drawn[:, 1])) > 55
    assert drawn[:, 1].mean() / 4000 == pytest.approx(1999.5, rel=0.01)


def test_who_cannot_be_drawn_has_no_interval() -> None:
    some, none = np.array([1.0, 0.0, 1.0]), np.zeros(3)
    assert bootstrap_ratio(some[:1], np.ones(1)) is bootstrap_ratio(some, none) is None
    assert bootstrap_ratio(some, np.ones(3)) is not None is not bootstrap_ratio(some[:2], np.ones(2))
    for a, b in (((some, np.ones(3)), (some, none)), ((some, none), (some, np.ones(3)))):
        assert bootstrap_difference(a, b) is None
    assert bootstrap_ratio(np.ones(3), np.ones(3)) is None, "the same in every draw"
    uneven = np.array([2.0, 5.0, 1.0])
    low, high = bootstrap_difference((uneven * 0.75, uneven), (some, np.ones(3)))
    assert low < 0.75 - 2 / 3 < high and low == pytest.approx(-0.25) and high == pytest.approx(0.75)


def test_unknown_people_are_nobody_else_and_means_stay_above_nothing(make) -> None:
    """Five people, three of them unknown; one lasts so long that the mean's interval would go below 0."""
    talks = [("a", "p", 1), ("a", None, 0), ("a", "q", 0), ("a", None, 1), ("a", None, 1), ("a", "q", 1)]
    facts = summarise(make(*talks, duration_s=[1.0, 2.0, 1.0, 900.0, 3.0, 1.0]), "system").by[0]
    assert facts.rates["subjective_success"].clustered.clusters == 5
    lasted = facts.measures["dialogue_duration"].clustered
    assert (lasted.method, lasted.low, lasted.clusters) == ("cluster_robust_t", 0.0, 5)
    assert lasted.icc is not None


def test_a_measure_below_nothing_may_have_an_interval_below_nothing() -> None:
    """Values of one case each; of two cases (then without an ICC); and where some have no case at all."""
    ids = [f"d{number}" for number in range(6)]
    found = [Group("a", ids[:4], list("pqrs")), Group("b", ids[4:], list("pq"))]
    values = np.array(
        [[-2.0, 1.0, 3.0, 0.5, 1.0, 1.0], [1.0, 9.0, 2.0, 4.0, 0.0, 0.0], [2.0, 0.5, 0.0, 0.0, 0.0, 0.0]]
    )
    sizes = np.array([[1.0] * 6, [1.0, 3, 1, 2, 0, 0], [1.0, 1.0, 1.0, 0, 0, 0]])
    nested = ClusteredSummary(Parts(["value", "ratio", "some"], ids, values, sizes), found)
    below = nested.rate("value", 0, level=0.95)
    assert below.low < 0 < below.high and below.low + below.high == pytest.approx(2 * 0.625)
    ratio = nested.rate("ratio", 0, level=0.95)
    assert (ratio.icc, ratio.clusters, nested.cases("ratio", 0)) == (None, 4, 7) and ratio.low >= 0
    some = nested.rate("some", 0, level=0.95)
    assert (
        some.clusters == 3
        and some.low == 0
        and some.high == pytest.approx(5 / 6 + student.ppf(0.975, 2) * np.std([2, 0.5, 0], ddof=1) / 3**0.5)
    )
    assert nested.rate("ratio", 1, level=0.95).method == "none: no case"
    assert nested.compare("ratio", 0, 1, level=0.95) is None
    assert nested.naive("value", 0, 1, level=0.95).method == "none"


def test_rates_taken_as_independent_have_pooled_z_and_newcombes_interval(make) -> None:
    talks = [("a", f"p{number}", number < 9) for number in range(14)]
    talks += [("b", f"q{number}", number < 3) for number in range(11)]
    (test,) = (one for one in summarise(make(*talks), "system").tests if one.measure == "subjective_success")
    z, p = proportions_ztest([9, 3], [14, 11])
    assert (test.difference, test.z, test.p) == pytest.approx((9 / 14 - 3 / 11, z, p))
    span = confint_proportions_2indep(9, 14, 3, 11, method="newcomb")
    assert (test.low, test.high) == pytest.approx(span, abs=1e-6)


@pytest.mark.parametrize("silent", ["a", "b"])
def test_a_group_in_which_nothing_was_counted_is_named_with_the_rule(make, silent: str) -> None:
    talks = [(system, person, None if system == silent else 1) for system in "ab" for person in "pqr"]
    (test,) = compare_systems(make(*talks), measures=["subjective_success"]).tests
    assert str(test.clustered.why).startswith(f"No cases in {silent}. Rule of the measure: ")


@pytest.mark.parametrize(("people", "trusted"), [(9, False), (10, True)])
def test_odds_of_ten_people_have_an_interval(people: int, trusted: bool) -> None:
    rng = np.random.default_rng(5)
    who = [f"p{number % people}" for number in range(60)]
    found = ordinal_regression(rng.integers(2, 6, 60), rng.integers(1, 5, 60), who, who)
    assert found.odds_ratio is not None and found.odds_ratio > 1
    assert [one is not None for one in (found.low, found.high, found.p)] == [trusted] * 3
