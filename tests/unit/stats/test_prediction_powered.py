"""Estimates from few labels by people and many by a judge."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from vivavoce.stats.clusters import clustered_rate, sum_by_participant
from vivavoce.stats.prediction_powered import (
    JudgedCases,
    cross_fitted_difference,
    effective_labels,
    powered_difference,
    powered_mean,
)

GOLDEN = json.loads(Path("tests/golden/prediction-powered.json").read_text(encoding="utf-8"))
DECISIONS = json.loads(Path("tests/golden/decisions.json").read_text(encoding="utf-8"))
TRIALS = 250


def independent(case: dict) -> JudgedCases:
    said = np.array(case["said"] + case["said_of_others"])
    labels = np.array(case["labels"] + [np.nan] * len(case["said_of_others"]))
    return JudgedCases(np.arange(len(said)), said, labels)


def test_independent_dialogues_give_what_ppi_python_gives() -> None:
    for case in GOLDEN["cases"]:
        tuning = "tuned" if case["weight"] is None else case["weight"]
        found = powered_mean(independent(case), rate=False, tuning=tuning)
        assert found.estimate == pytest.approx(case["estimate"], abs=1e-6)
        assert found.se == pytest.approx((case["high"] - case["low"]) / (2 * norm.ppf(0.975)), rel=0.1)


def study(rng: np.random.Generator, *, callers: int = 30, right: float = 0.8) -> tuple[np.ndarray, ...]:
    """Callers of unequal numbers of calls, and a judge that is lenient where it is wrong."""
    who = np.repeat(np.arange(callers), 1 + rng.poisson(5, callers))
    truth = (rng.random(len(who)) < rng.beta(3.7, 2, callers)[who]).astype(float)
    said = np.where(rng.random(len(who)) < right, truth, 1.0)
    return who, truth, said


def hidden(truth: np.ndarray, asked: np.ndarray) -> np.ndarray:
    return np.where(asked, truth, np.nan)


def test_a_lenient_judge_is_corrected_and_narrows_the_interval() -> None:
    rng, rate = np.random.default_rng(1), 3.7 / 5.7
    holds, alone_se, joined_se, judged = 0, 0.0, 0.0, []
    for _ in range(TRIALS):
        who, truth, said = study(rng)
        cases = JudgedCases(who, said, hidden(truth, rng.random(len(who)) < 0.3))
        found, alone = powered_mean(cases, rate=True), powered_mean(cases.without_judge(), rate=True)
        assert found.low is not None and found.high is not None and found.se and alone.se
        holds += found.low <= rate <= found.high
        alone_se, joined_se = alone_se + alone.se, joined_se + found.se
        judged.append(said.mean())
    assert np.mean(judged) > rate + 0.05  # the judge by itself is wrong
    assert holds / TRIALS > 0.92
    assert joined_se < 0.9 * alone_se


def test_a_judge_that_knows_nothing_has_next_to_no_weight_and_does_no_harm() -> None:
    rng = np.random.default_rng(2)
    weights, ratio = [], []
    for _ in range(100):
        who, truth, _ = study(rng)
        cases = JudgedCases(who, rng.random(len(who)), hidden(truth, rng.random(len(who)) < 0.3))
        found, alone = powered_mean(cases, rate=True), powered_mean(cases.without_judge(), rate=True)
        weights.append(found.weight)
        ratio.append(found.se / alone.se)
    assert np.mean(weights) < 0.15
    assert np.mean(ratio) < 1.05


def test_without_a_judge_the_interval_is_about_that_of_every_other_rate_here() -> None:
    who, truth, said = study(np.random.default_rng(3), callers=60)
    found = powered_mean(JudgedCases(who, said, truth), rate=True)
    plain = clustered_rate(sum_by_participant(who, truth, np.ones(len(who))))
    assert found.estimate == pytest.approx(truth.mean())
    assert found.method == "people_wilson_t"
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high), abs=0.01)


def test_the_unit_is_the_participant() -> None:
    who, truth, said = study(np.random.default_rng(4))
    asked = np.isin(who, np.arange(0, 30, 2))
    once = JudgedCases(who, said, hidden(truth, asked))
    thrice = JudgedCases(*(np.tile(part, 3) for part in (once.people, once.said, once.labels)))
    one, three = powered_mean(once, rate=True), powered_mean(thrice, rate=True)
    assert three.estimate == pytest.approx(one.estimate, abs=0.02)
    assert three.se == pytest.approx(one.se, rel=0.1)


def test_labels_that_were_drawn_with_logged_chances_are_weighed_by_them() -> None:
    """Dialogues that look bad are read more often: without the chances the rate is far too low."""
    rng, rate = np.random.default_rng(5), 3.7 / 5.7
    plain, weighed, holds = [], [], 0
    for _ in range(TRIALS):
        who, truth, said = study(rng)
        chances = np.where(said > 0.5, 0.15, 0.6)
        labels = hidden(truth, rng.random(len(who)) < chances)
        found = powered_mean(JudgedCases(who, said, labels, chances), rate=True)
        assert found.low is not None and found.high is not None
        holds += found.low <= rate <= found.high
        weighed.append(found.estimate)
        plain.append(powered_mean(JudgedCases(who, np.full(len(who), np.nan), labels), rate=True).estimate)
    assert np.mean(plain) < rate - 0.1
    assert np.mean(weighed) == pytest.approx(rate, abs=0.015)
    assert holds / TRIALS > 0.91


def test_a_difference_is_no_alarm_where_the_judge_is_lenient_to_one_system_alone() -> None:
    rng, alarms, naive = np.random.default_rng(6), 0, 0
    for _ in range(TRIALS):
        who, truth, said = study(rng, callers=60, right=0.6)
        first = rng.random(len(who)) < 0.5
        said = np.where(first, said, truth)
        labels = hidden(truth, rng.random(len(who)) < 0.4)
        sides = [JudgedCases(who[one], said[one], labels[one]) for one in (first, ~first)]
        alarms += powered_difference(*sides).p < 0.05
        trusted = [JudgedCases(one.people, one.said, one.said) for one in sides]
        naive += powered_difference(*trusted).p < 0.05
    assert alarms / TRIALS < 0.08
    assert naive / TRIALS > 0.2


def test_refusals_of_the_judge_cost_width_and_no_truth() -> None:
    rng, rate, found = np.random.default_rng(7), 3.7 / 5.7, []
    for _ in range(TRIALS):
        who, truth, said = study(rng)
        said = np.where((truth == 0) & (rng.random(len(who)) < 0.5), np.nan, said)
        cases = JudgedCases(who, said, hidden(truth, rng.random(len(who)) < 0.3))
        found.append(powered_mean(cases, rate=True).estimate)
    assert np.mean(found) == pytest.approx(rate, abs=0.015)


@pytest.mark.parametrize(
    ("people", "labels", "method"),
    [
        ([1, 1, 2], [np.nan, np.nan, np.nan], "none: nobody was asked"),
        ([1, 1, 2], [1.0, 0.0, np.nan], "none: labels of fewer than 2 participants"),
    ],
)
def test_what_cannot_be_said_is_missing_and_why_is_said(people: list, labels: list, method: str) -> None:
    found = powered_mean(
        JudgedCases(np.array(people), np.array([1.0, 0.0, 1.0]), np.array(labels)), rate=True
    )
    assert (found.method, found.low, found.high) == (method, None, None)


def test_effective_labels_are_those_that_people_alone_would_need() -> None:
    assert effective_labels(100, 0.04, 0.02) == pytest.approx(400)
    assert effective_labels(100, None, 0.02) is None


def test_where_people_all_say_the_same_the_interval_is_that_of_every_other_rate() -> None:
    people = np.array([1, 2, 2, 3])
    found = powered_mean(
        JudgedCases(people, np.array([1, 0, 1, 1.0]), np.array([1, 1, np.nan, 1])), rate=True
    )
    assert (found.method, found.high, found.weight) == ("wilson_effective_participants", 1.0, 0.0)
    assert 0.3 < found.low < 0.5  # Wilson's of 3 of 3
    assert powered_mean(JudgedCases(people, np.ones(4), np.full(4, 3.0)), rate=False).low is None


@pytest.mark.parametrize("said", [[1.0, 0, 1, 0, 1, 0], [np.nan] * 6], ids=["few labels", "nothing said"])
def test_a_judge_has_no_weight_beside_labels_of_two_people_nor_where_it_said_nothing(said: list) -> None:
    """Two people judged in the one case; in the other four, but the judge refused everything."""
    asked = 2 if said[0] == 1 else 4
    labels = np.array([1.0, 0, 1, 1, np.nan, np.nan])
    labels[asked:] = np.nan
    for tuning in ("tuned", 1.0):
        found = powered_mean(JudgedCases(np.arange(6), np.array(said), labels), rate=False, tuning=tuning)
        assert (found.weight, found.estimate) == (0, pytest.approx(np.nanmean(labels)))


def test_a_judge_has_no_weight_where_people_judged_everything() -> None:
    labels = np.array([1.0, 0, 1, 1])
    for tuning in ("tuned", 1.0):
        found = powered_mean(JudgedCases(np.arange(4), 1 - labels, labels), rate=False, tuning=tuning)
        assert (found.weight, found.estimate) == (0, 0.75)


def estimated(cases: JudgedCases, keep: np.ndarray, tuning: float | None) -> tuple[float, float]:
    """Estimate and weight as the papers write them, over the dialogues that are kept."""
    said, labels, asked = cases.said[keep], cases.labels[keep], cases.labelled[keep]
    if cases.chances is None:
        weights, pool = np.ones(asked.sum()), said[~asked]
    else:
        weights, pool = 1 / cases.chances[keep][asked], said
    weights = weights / weights.sum()
    labels, judged = labels[asked], said[asked]
    if not len(pool):  # the judge alone speaks of nothing
        return weights @ labels, 0.0
    if tuning is None:
        together = weights @ ((labels - weights @ labels) * (judged - weights @ judged))
        own = pool.var()
        if cases.chances is None:
            own = said.var(ddof=1) * (1 + len(judged) / len(pool))
        tuning = min(max(together / own, 0.0), 1.0)
    return weights @ labels + tuning * (pool.mean() - weights @ judged), tuning


def working(who: np.ndarray, people: int, weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """What each person adds to the variance of a weighted mean: correlation by an analysis of variance."""
    left = weights * (values - np.average(values, weights=weights))
    groups = [left[who == person] for person in np.unique(who)]
    sizes = np.array([len(one) for one in groups])
    noise = sum(((one - one.mean()) ** 2).sum() for one in groups) / (sizes.sum() - len(groups))
    between = sum(len(one) * one.mean() ** 2 for one in groups) - (len(groups) - 1) * noise
    common = max(0.0, between / (sizes.sum() - (sizes**2).sum() / sizes.sum())) if len(groups) > 1 else 0.0
    counts = np.bincount(who, minlength=people)
    return (left**2).mean() / weights.sum() ** 2 * counts * (1 + (counts - 1) * common / (common + noise))


def by_leaving_out(
    cases: JudgedCases, people: int, tuning: float | None
) -> tuple[float, float, np.ndarray, np.ndarray]:
    """Estimate, weight, what leaving each person out changes, and what its variance goes with."""
    asked = cases.labelled
    every = np.ones(len(asked), dtype=bool)
    estimate, weight = estimated(cases, every, tuning)
    label_weights = np.where(asked, 1.0 if cases.chances is None else 1 / cases.chances, 0.0)
    away = np.array(
        [
            (estimate - estimated(cases, cases.people != person, tuning)[0])
            * np.sqrt(1 - label_weights[cases.people == person].sum() / label_weights.sum())
            for person in range(people)
        ]
    )
    pool = ~asked if cases.chances is None else every
    spread = working(
        cases.people[asked], people, label_weights[asked], cases.labels[asked] - weight * cases.said[asked]
    )
    spread = spread + working(cases.people[pool], people, np.ones(pool.sum()), weight * cases.said[pool])
    return estimate, weight, away, spread


def error(away: np.ndarray, spread: np.ndarray, *, chances: bool = False) -> tuple[float, float]:
    """Squares weighed by the inverse root of their variance, unbiased, or as they are where chances differ;
    df: the effective number less 1."""
    weights = np.ones(len(spread)) if chances else 1 / np.sqrt(spread)
    square = weights @ away**2 * spread.sum() / (weights @ spread)
    return np.sqrt(square), (weights @ spread) ** 2 / ((weights * spread) ** 2).sum() - 1


def judged_trial(seed: int, *, chances: bool) -> JudgedCases:
    """Ten people of unequal activity, of each of whom some dialogues were judged by people."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(10), 3 + rng.integers(0, 6, 10))
    truth = rng.normal(size=10)[who] + rng.normal(size=len(who))
    said = truth + rng.normal(0.3, 1.0, len(who))
    asked = np.zeros(len(who), dtype=bool)
    for person in range(10):
        asked[np.flatnonzero(who == person)[: 1 + person % 3]] = True
    return JudgedCases(who, said, hidden(truth, asked), 0.2 + 0.6 * rng.random(len(who)) if chances else None)


@pytest.mark.parametrize("chances", [False, True])
@pytest.mark.parametrize("tuning", ["tuned", 0.6])
def test_a_mean_and_a_difference_are_those_of_people_left_out_one_by_one(chances, tuning) -> None:
    fixed = None if tuning == "tuned" else tuning
    first, second = (judged_trial(seed, chances=chances) for seed in (11, 12))
    slow = [by_leaving_out(one, 10, fixed) for one in (first, second)]
    for cases, (estimate, weight, away, spread) in zip((first, second), slow, strict=True):
        found = powered_mean(cases, rate=False, level=0.9, tuning=tuning)
        se, df = error(away, spread, chances=chances)
        assert (found.estimate, found.weight, found.se, found.df) == pytest.approx((estimate, weight, se, df))
        reach = student.ppf(0.95, df) * se
        assert (found.low, found.high) == pytest.approx((estimate - reach, estimate + reach))
        assert 0.1 < weight < 1 and found.method == "prediction_powered_t"
    both = powered_difference(first, second, level=0.9, tuning=tuning)
    estimate = slow[0][0] - slow[1][0]
    changes = [one[2] for one in slow]
    if not chances and fixed is None:
        return  # the weight is cross-fitted
    se, df = error(changes[0] - changes[1], slow[0][3] + slow[1][3], chances=chances)
    reach = student.ppf(0.95, df) * se
    expected = estimate, estimate - reach, estimate + reach, 2 * student.sf(abs(estimate) / se, df)
    assert (both.estimate, both.low, both.high, both.p) == pytest.approx(expected)
    assert (both.se, both.df, both.people) == (pytest.approx(se), pytest.approx(df), 10)


def test_where_one_person_alone_was_not_judged_by_people_the_judge_has_no_weight_without_them() -> None:
    full = judged_trial(11, chances=False)
    cases = JudgedCases(full.people, full.said, np.where(full.people < 9, full.said**2, full.labels))
    for tuning in ("tuned", 0.6):
        estimate, weight, away, spread = by_leaving_out(cases, 10, None if tuning == "tuned" else tuning)
        found = powered_mean(cases, rate=False, tuning=tuning)
        assert (found.estimate, found.weight) == pytest.approx((estimate, weight)) and weight > 0
        assert (found.se, found.df) == pytest.approx(error(away, spread))


@pytest.mark.parametrize("end", [0.0, 1.0])
def test_a_rate_at_its_end_has_a_plain_interval_that_stays_within(end: float) -> None:
    """Half of the labels are 1, and of the judge's words on these; of all others it says the same."""
    labels = np.tile([1.0, 1, 0, 0, np.nan, np.nan, np.nan], 8)
    said = np.tile([1.0, 0, 1, 0, end, end, end], 8)
    found = powered_mean(JudgedCases(np.arange(56), said, labels), rate=True, tuning=1.0)
    assert (found.estimate, found.method) == (end, "prediction_powered_t")
    low, high = found.low, found.high
    assert (low, high) == ((0.0, pytest.approx(high)) if end == 0 else (pytest.approx(low), 1.0))
    assert 0 < high - low < 1


def test_a_judge_that_is_always_right_and_says_one_thing_of_all_others_leaves_what_people_say() -> None:
    """With a weight of 1 nothing varies, and yet nobody knows the rate to be 1."""
    labels = np.array([1.0, 1, 0, 0, np.nan, np.nan])
    cases = JudgedCases(np.array([0, 0, 1, 2, 3, 4]), np.where(np.isnan(labels), 1.0, labels), labels)
    assert powered_mean(cases, rate=True, tuning=1.0) == powered_mean(cases.without_judge(), rate=True)


def test_labels_of_two_people_have_an_interval_and_those_of_three_give_the_judge_weight() -> None:
    labels = np.array([1.0, 0, np.nan, np.nan, np.nan])
    two = JudgedCases(np.arange(5), np.array([1.0, 0, 1, 0, 0]), labels)
    three = JudgedCases(np.arange(5), two.said, np.array([1.0, 0, 1, np.nan, np.nan]))
    assert (powered_mean(two, rate=False).weight, powered_mean(two, rate=False).method) == (0, "people_t")
    assert powered_mean(three, rate=False, tuning=0.5).weight == 0.5
    found = powered_difference(two, three)
    assert found.low is not None and found.p is None, "too few labels for a test"
    for some in (two, three):
        nobody = JudgedCases(some.people, some.said, np.full(5, np.nan))
        one = JudgedCases(some.people, some.said, np.array([1.0, np.nan, np.nan, np.nan, np.nan]))
        for pair in ((some, nobody), (nobody, some)):
            assert powered_difference(*pair).method == "none: nobody was asked about one of them"
        for pair in ((some, one), (one, some)):
            found = powered_difference(*pair)
            assert (found.p, found.method) == (
                None,
                "none: labels of fewer than 2 participants about one of them",
            )


def test_the_limits_of_a_rate_are_those_that_a_score_test_on_effective_labels_just_rejects() -> None:
    who, truth, said = study(np.random.default_rng(6), callers=25)
    found = powered_mean(
        JudgedCases(who, said, hidden(truth, np.random.default_rng(7).random(len(who)) < 0.4)), rate=True
    )
    assert found.estimate is not None and found.se is not None and found.df is not None
    labels = found.estimate * (1 - found.estimate) / found.se**2
    bar = student.ppf(0.975, found.df)
    for limit in (found.low, found.high):
        assert limit is not None
        assert abs(found.estimate - limit) / (limit * (1 - limit) / labels) ** 0.5 == pytest.approx(bar)
    assert found.low < found.estimate < found.high


def golden_sides() -> tuple[tuple[JudgedCases, JudgedCases], np.ndarray]:
    """The reference's cases, and the fold of each person."""
    golden = DECISIONS["cross_fitted"]

    def numbers(name: str) -> np.ndarray:
        return np.array([np.nan if value is None else value for value in golden[name]], dtype=float)

    people = np.array(golden["people"])
    sides = tuple(JudgedCases(people, numbers(f"said_{one}"), numbers(f"labels_{one}")) for one in "ab")
    return sides, np.array(golden["fold_of_person"])


def test_a_cross_fitted_difference_equals_the_reference() -> None:
    golden = DECISIONS["cross_fitted"]
    sides, folds = golden_sides()
    people = sides[0].people
    fitted = cross_fitted_difference(sides, (people, people), (folds[people], folds[people]))
    assert fitted is not None
    assert fitted.difference == pytest.approx(golden["difference"])
    assert fitted.se == pytest.approx(golden["se_if_same_people"])


def test_the_judges_weight_raises_no_alarm_at_rates_near_the_edge() -> None:
    """Reference 2.8: 40 people, 40 labels a system, rate .9: .051 where own weights give .078 to .087."""
    rng, alarms, trials = np.random.default_rng(8), 0, 400
    for _ in range(trials):
        people = np.repeat(np.arange(40), 5)
        sides = []
        for _ in "ab":
            truth = (rng.random(200) < 0.9).astype(float)
            said = np.where(rng.random(200) < 0.85, truth, 1 - truth)
            asked = rng.permutation(np.arange(200) % 5 == 0)
            sides.append(JudgedCases(people, said, np.where(asked, truth, np.nan)))
        alarms += powered_difference(*sides).p < 0.05
    assert alarms / trials < 0.085
