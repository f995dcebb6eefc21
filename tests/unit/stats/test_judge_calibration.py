"""Judges held to people."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t as student
from statsmodels.stats.multitest import multipletests

from vivavoce.core.errors import InputError
from vivavoce.stats.agreement import krippendorff
from vivavoce.stats.clusters import ratio_interval
from vivavoce.stats.judge_calibration import (
    JudgeFigure,
    _below,
    _rejected,
    agree,
    alternative_annotator_test,
    judge_effects,
    position_effect,
    reliability_diagram,
)

GOLDEN = json.loads(Path("tests/golden/alternative-annotator.json").read_text(encoding="utf-8"))


def test_the_alternative_annotator_test_is_that_of_its_authors() -> None:
    for case in GOLDEN["cases"]:
        found = alternative_annotator_test(
            case["judge"], case["people"], epsilon=case["epsilon"], alignment=case["alignment"]
        )
        assert found.winning_rate == pytest.approx(case["winning_rate"])
        assert found.advantage == pytest.approx(case["advantage"])
        assert found.passes == (case["winning_rate"] >= 0.5)


def test_dialogues_of_few_participants_are_not_many_proofs() -> None:
    """Ninety dialogues of three participants carry less than ninety of ninety."""
    case = next(one for one in GOLDEN["cases"] if one["winning_rate"] >= 0.5)
    whose = {one: str(number % 3) for number, one in enumerate(case["judge"])}
    found = alternative_annotator_test(
        case["judge"], case["people"], whose, epsilon=case["epsilon"], alignment=case["alignment"]
    )
    assert found.advantage == pytest.approx(case["advantage"])
    assert found.winning_rate < case["winning_rate"]


def test_too_few_shared_dialogues_decide_nothing() -> None:
    found = alternative_annotator_test({"d": 1.0}, {"a": {"d": 1.0}, "b": {"d": 1.0}})
    assert (found.winning_rate, found.passes, found.annotators) == (None, None, 0)
    with pytest.raises(InputError, match="epsilon 2"):
        alternative_annotator_test({}, {}, epsilon=2)


def drawn(seed: int, n: int = 400) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    people = rng.integers(0, 40, n)
    labels = rng.integers(1, 6, n).astype(float)
    said = (labels + rng.integers(-1, 2, n)).clip(1, 5)
    return people, labels, said, rng


def test_agreement_is_that_of_the_library_over_participants() -> None:
    people, labels, said, _ = drawn(1)
    found = agree(said, labels, people)
    assert found.alpha.value == pytest.approx(krippendorff([said, labels], "interval").value)
    assert found.correlation.value == pytest.approx(np.corrcoef(said, labels)[0, 1])
    assert found.same.value == pytest.approx((said == labels).mean())
    assert found.alpha.low < found.alpha.value < found.alpha.high
    assert (found.n, found.participants) == (400, 40)
    doubled = agree(*(np.tile(one, 3) for one in (said, labels, people)))
    assert doubled.alpha.high - doubled.alpha.low > 0.9 * (found.alpha.high - found.alpha.low)


def test_no_pair_has_no_agreement() -> None:
    nothing = np.array([])
    assert agree(nothing, nothing, nothing).alpha.value is None
    assert reliability_diagram(nothing, nothing, nothing) == []
    constant = agree(np.ones(6), np.ones(6), np.arange(6))
    assert (constant.correlation.value, constant.alpha.value, constant.same.value) == (None, None, 1.0)


def test_planted_leniency_and_a_love_of_length_are_found_and_nothing_else() -> None:
    holds = np.zeros(4)
    for seed in range(60):
        people, labels, said, rng = drawn(seed)
        ours, italian = (rng.random((2, 400)) < 0.5).astype(float)
        words = rng.poisson(60, 400).astype(float)
        excess = said - labels + 0.5 * ours + 0.3 * (words - 60) / np.std(words)
        features = {"ours": ours, "italian": italian, "words": words, "same": np.ones(400)}
        found = judge_effects(excess, people, features)
        assert found["ours"].beyond_zero and found["words"].beyond_zero
        assert found["same"].value is None
        holds += [
            found["ours"].low < 0.5 < found["ours"].high,
            found["words"].low < 0.3 < found["words"].high,
            not found["italian"].beyond_zero,
            1,
        ]
    assert (holds >= 51).all()


def test_a_judge_that_prefers_what_it_reads_first_is_found() -> None:
    rng = np.random.default_rng(3)
    people = rng.integers(0, 30, 200)
    fair, leaning = np.full(200, 0.5), np.where(rng.random(200) < 0.4, 1.0, 0.5)
    assert position_effect(leaning, people).low > 0.1
    assert not position_effect(
        np.where(rng.random(200) < 0.5, fair, rng.integers(0, 2, 200)), people
    ).beyond_zero


def test_the_reliability_diagram_shows_what_people_say_where_the_judge_says_it() -> None:
    people, labels, said, _ = drawn(4)
    bins = reliability_diagram(said + 1, labels, people, bins=4)
    assert sum(one.n for one in bins) == 400
    assert all(one.label.value < one.said for one in bins[1:])
    assert all(one.label.low <= one.label.value <= one.label.high for one in bins)


def test_a_judge_errs_only_where_its_interval_is_known_and_leaves_zero_out() -> None:
    for low, high, beyond in [
        (0.1, 0.3, True),
        (-0.3, -0.1, True),
        (-0.1, 0.1, False),
        (0.0, 0.2, False),
        (-0.2, 0.0, False),
        (None, 0.3, False),
        (0.1, None, False),
        (None, None, False),
    ]:
        assert JudgeFigure(value=0.0, low=low, high=high).beyond_zero is beyond


def test_a_correlation_has_the_error_of_people_left_out_one_by_one() -> None:
    people, labels, said, _ = drawn(5, n=90)
    people = people % 9
    found, size = agree(said, labels, people), len(np.unique(people))
    for one, figure in (
        (found.correlation, lambda keep: np.corrcoef(said[keep], labels[keep])[0, 1]),
        (found.alpha, lambda keep: krippendorff([said[keep], labels[keep]], "interval").value),
    ):
        without = np.array([figure(people != person) for person in np.unique(people)])
        se = np.sqrt((size - 1) / size * ((without - without.mean()) ** 2).sum())
        held = np.unique(people, return_counts=True)[1]
        reach = student.ppf(0.975, held.sum() ** 2 / (held**2).sum() - 1) * se
        assert (one.low, one.high) == pytest.approx((one.value - reach, min(1.0, one.value + reach)))
    difference = ratio_interval(people, said - labels, np.ones(90))
    assert (found.difference.low, found.difference.high) == (difference.low, difference.high)
    assert found.difference.value == pytest.approx((said - labels).mean())


def test_effects_are_differences_of_means_or_slopes_over_one_deviation() -> None:
    people, labels, said, rng = drawn(6, n=120)
    ours, words = (rng.random(120) < 0.3).astype(float), rng.poisson(60, 120).astype(float)
    words[:7] = np.nan
    excess = said - labels
    found = judge_effects(excess, people, {"ours": ours, "words": words})
    assert found["ours"].value == pytest.approx(excess[ours == 1].mean() - excess[ours == 0].mean())
    slope = np.polyfit(words[7:], excess[7:], 1)[0]
    assert found["words"].value == pytest.approx(slope * words[7:].std())


def test_people_are_beaten_by_the_step_up_procedure_of_another_library() -> None:
    for p_values in [
        [0.001, 0.012, 0.02, 0.9],
        [0.3],
        [0.02, 0.02, 0.02],
        [0.05],
        [0.0501],
        [0.01, 0.5, 0.012, 0.014, 0.9],
    ]:
        assert _rejected(p_values) == multipletests(p_values, alpha=0.05, method="fdr_by")[0].sum()


def test_judging_alike_throughout_is_decided_without_an_error() -> None:
    people = np.arange(6)
    assert _below(np.zeros(6), people, 0.15) == 0.0 and _below(np.full(6, 0.15), people, 0.15) == 1.0
    assert _below(np.zeros(3), np.zeros(3), 0.15) == 1.0, "one participant alone"


def test_an_annotator_needs_enough_dialogues_and_epsilon_may_be_nothing_but_not_all() -> None:
    same = {str(number): float(number % 2) for number in range(8)}
    people = {"a": same, "b": {**same, "0": 1.0}, "c": {"0": 0.0}}
    found = alternative_annotator_test(same, people, epsilon=0.0, least=8)
    assert found.annotators == 2
    assert alternative_annotator_test(same, people, least=9).annotators == 0
    with pytest.raises(InputError):
        alternative_annotator_test(same, people, epsilon=1.0)


def test_bins_hold_as_many_dialogues_each() -> None:
    said = np.random.default_rng(2).permutation(40) / 7
    bins = reliability_diagram(said, 2 * said, np.arange(40), bins=4)
    assert [one.n for one in bins] == [10, 10, 10, 10]
    assert [one.said for one in bins] == pytest.approx([4.5 / 7, 14.5 / 7, 24.5 / 7, 34.5 / 7])
    assert [one.label.value for one in bins] == pytest.approx([2 * one.said for one in bins])


def test_half_of_people_matched_is_enough_and_the_others_are_all_but_oneself() -> None:
    """Of twenty dialogues a says 0 of three, b of all, and the judge of none: b is beaten, a is not.

    A dialogue that the judge, or the other person, did not judge counts for nobody.
    """
    cases = [str(number) for number in range(20)]
    judge = dict.fromkeys(cases, 1.0) | {"only a": 1.0}
    a = {one: float(place >= 3) for place, one in enumerate(cases)} | {"only a": 0.0, "not judged": 0.0}
    people = {"a": a, "b": dict.fromkeys(cases, 0.0) | {"not judged": 0.0}}
    found = alternative_annotator_test(judge, people, epsilon=0.1, least=20)
    assert (found.annotators, found.winning_rate, found.passes) == (2, 0.5, True)
    assert found.advantage == pytest.approx(17 / 20)


def test_two_participants_have_agreement_without_an_interval_and_three_have_one() -> None:
    said, labels = np.array([1.0, 2, 4, 3, 5, 2, 4]), np.array([1.0, 3, 4, 2, 5, 1, 3])
    two = agree(said, labels, np.array([0, 0, 0, 1, 1, 1, 1]))
    for figure in (two.correlation, two.alpha):
        assert figure.value is not None and (figure.low, figure.high) == (None, None)
    three = agree(said, labels, np.array([0, 0, 1, 1, 2, 2, 2]))
    assert three.correlation.low < three.correlation.value <= three.correlation.high
    assert two.correlation.value == pytest.approx(np.corrcoef(said, labels)[0, 1])
