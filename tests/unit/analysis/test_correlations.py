"""Rank correlations of parameters over dialogues."""

from collections.abc import Callable

import pytest
from scipy.stats import spearmanr

from vivavoce.analysis.correlations import correlations
from vivavoce.dataset.reader import Dataset

Make = Callable[..., Dataset]
LENGTHS = [30.0, 10.0, 50.0, 20.0, 20.0, 80.0, 70.0, 60.0, 40.0, 90.0, 15.0]
ANSWERS = [1, 1, 0, 1, 0, 0, 1, 0, 1, 0, None]


def test_dialogues_with_both_parameters_are_ranked(make: Make) -> None:
    talks = [("a", "p", answer) for answer in ANSWERS]
    (found,) = correlations(make(*talks, duration_s=LENGTHS))
    expected = spearmanr(ANSWERS[:10], LENGTHS[:10]).statistic
    assert (found.a, found.b, found.n) == ("subjective_success", "dialogue_duration", 10)
    assert found.rho == pytest.approx(expected)


def test_nine_dialogues_and_parameters_that_never_vary_say_nothing(make: Make) -> None:
    talks = [("a", "p", answer) for answer in ANSWERS]
    assert correlations(make(*talks[1:], duration_s=LENGTHS[1:], name="nine")) == []
    assert correlations(make(*talks, duration_s=60.0, name="even")) == []
    assert correlations(make(*[("a", "p", 1)] * 11, duration_s=LENGTHS, name="right")) == []
