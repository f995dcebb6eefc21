"""What a language model's verdicts are worth, counted by hand."""

import pytest

from vivavoce.stats.proportions import wilson
from vivavoce_stress.judge_scores import JudgedPair, judge_results

PAIRS = [
    JudgedPair("en", "pass", "pass", None, "pass", "pass", "pass"),
    JudgedPair("en", "pass", "fail", None, "fail", "pass", "pass"),
    JudgedPair("en", "fail", "fail", None, "fail", "fail", None),
    JudgedPair("it", "fail", "broken", None, "pass", "fail", "pass"),
    JudgedPair("it", "pass", None, "no JSON", None, "pass", None),
    JudgedPair("it", "fail", "pass", None, "pass", "pass", "fail"),
]


def test_agreement_is_on_pass_or_not_and_a_missing_verdict_agrees_with_nobody() -> None:
    found = judge_results(PAIRS, "data")
    assert (found["n"], found["decided"], found["troubles"]) == (6, 5, {"no JSON": 1})
    assert (found["model"]["n"], found["model"]["same"]) == (5, 3)
    rate = found["model_or_none"]
    assert (rate["same"], rate["n"], rate["rate"]) == (3, 6, 0.5)
    assert (rate["low"], rate["high"]) == pytest.approx(tuple(wilson(3, 6, 0.95) or ()))
    assert (found["ladder"]["n"], found["ladder"]["same"]) == (4, 3)


def test_the_order_of_answers_shows_how_steady_the_model_is() -> None:
    found = judge_results(PAIRS, "data")
    assert (found["steady"]["same"], found["steady"]["n"], found["steady"]["rate"]) == (3, 5, 3 / 5)
    assert (found["first_kinder"], found["last_kinder"]) == (1, 1)


def test_confusions_are_verdicts_that_differ_and_languages_stand_apart() -> None:
    found = judge_results(PAIRS, "data")
    assert found["confusions"] == {
        "pass taken for fail": 1,
        "fail taken for broken": 1,
        "fail taken for pass": 1,
    }
    assert {name: (one["n"], one["model"]["same"]) for name, one in found["by_language"].items()} == {
        "en": (3, 2),
        "it": (3, 1),
    }


def test_without_a_verdict_nothing_is_said_of_the_model() -> None:
    found = judge_results([JudgedPair("en", "pass", None, "late", None, None, None)], "data")
    assert (found["model"], found["ladder"], found["steady"]["rate"]) == (None, None, None)
    assert judge_results([], "data")["model_or_none"]["rate"] is None
