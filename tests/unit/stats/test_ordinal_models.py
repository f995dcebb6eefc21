"""Ordinal models of codes: thresholds, chances, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.stats.prediction.ordinal import Ordinal, fit_ordinal


def test_an_ordinal_model_finds_the_weight_and_the_thresholds_that_made_the_codes() -> None:
    draw = np.random.default_rng(8)
    inputs = draw.normal(size=(4000, 3))
    felt = 1.5 * inputs[:, 0] + draw.logistic(size=4000)
    codes = np.digitize(felt, [-1.0, 0.5, 2.0]).astype(float)
    found = fit_ordinal(inputs, codes, [f"p{number % 80}" for number in range(4000)])
    assert found.weights[0] == pytest.approx(1.5, abs=0.12)
    assert found.thresholds == pytest.approx([-1.0, 0.5, 2.0], abs=0.15)


def test_codes_that_are_shifted_have_the_same_ordinal_model() -> None:
    draw = np.random.default_rng(3)
    inputs, groups = draw.normal(size=(90, 6)), [f"p{number % 9}" for number in range(90)]
    codes = np.clip(np.round(3 + inputs[:, 0] + draw.normal(0, 0.7, 90)), 1, 5)
    low, high = fit_ordinal(inputs, codes, groups), fit_ordinal(inputs, codes + 100, groups)
    assert high.weights == pytest.approx(low.weights) and high.thresholds == pytest.approx(low.thresholds)
    assert np.flatnonzero(low.weights).tolist()[:1] == [0] and (high.codes - low.codes == 100).all()


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=6, unique=True), st.floats(-4, 4))
def test_chances_of_codes_are_chances_and_the_median_code_halves_them(
    limits: list[float], lean: float
) -> None:
    model = Ordinal(np.array([1.0]), np.sort(np.array(limits)), np.arange(len(limits) + 1.0))
    inputs = np.array([[lean]])
    chances = model.chances(inputs)[0]
    assert (chances >= -1e-12).all()
    assert chances.sum() == pytest.approx(1)
    median = int(model.choose(inputs)[0])
    assert chances[: median + 1].sum() >= 0.5 - 1e-9
    assert chances[:median].sum() < 0.5 + 1e-9


def test_codes_that_nothing_predicts_have_thresholds_at_their_shares() -> None:
    answers = np.array([1.0] * 5 + [2.0] * 9 + [4.0] * 6)
    found = fit_ordinal(np.zeros((20, 2)), answers, [f"p{number % 7}" for number in range(20)])
    assert found.thresholds == pytest.approx([np.log(5 / 15), np.log(14 / 6)])
    assert found.chances(np.zeros((1, 2)))[0] == pytest.approx([5 / 20, 9 / 20, 6 / 20])
    assert found.predict(np.zeros((1, 2))) == pytest.approx([(5 + 2 * 9 + 4 * 6) / 20])
    assert found.choose(np.zeros((1, 2))).tolist() == [2.0]


def test_an_ordinal_models_chances_are_differences_of_logistic_curves() -> None:
    model = Ordinal(np.array([0.8, -0.3]), np.array([-1.0, 0.5]), np.array([1.0, 2.0, 5.0]))
    lean = 0.8 * 2 - 0.3 * 3
    below = [1 / (1 + np.exp(-(one - lean))) for one in (-1.0, 0.5)]
    expected = [below[0], below[1] - below[0], 1 - below[1]]
    found = model.chances(np.array([[2.0, 3.0]]))[0]
    assert found == pytest.approx(expected)
    assert model.choose(np.array([[2.0, 3.0], [-9.0, 0.0], [9.0, 0.0]])).tolist() == [5.0, 1.0, 5.0]
