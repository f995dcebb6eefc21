"""Likelihoods of mixed models: against distributions of another library, slopes against differences."""

import numpy as np
import pytest
from scipy.stats import binom, logistic, poisson

from vivavoce.stats.glmm import Binomial, Cumulative, Poisson

ETA = np.array([-2.0, -0.5, 0.0, 0.7, 3.0])
THRESHOLDS = np.array([-1.0, 0.4, 2.0])
NONE = np.zeros(0)
CASES, SUCCESSES = np.array([1.0, 4, 9, 2, 5]), np.array([0.0, 4, 3, 1, 2])
COUNTS = np.array([0.0, 1, 5, 2, 30])
ANSWERS = np.array([0, 1, 2, 3, 1])
SCALE = np.array([1.0, 2.0, 4.0, 5.0])


def levels(eta: np.ndarray) -> np.ndarray:
    """Chances of each answer: shares of the logistic between thresholds, a row a predictor."""
    below = logistic.cdf(THRESHOLDS[None, :] - eta[:, None])
    return np.diff(np.column_stack([np.zeros(len(eta)), below, np.ones(len(eta))]), axis=1)


PARTS = {
    "binomial": (Binomial(SUCCESSES, CASES), NONE),
    "counts": (Poisson(COUNTS), NONE),
    "cumulative": (Cumulative(ANSWERS, SCALE), THRESHOLDS),
}


def test_slopes_are_those_of_the_logarithm():
    for name in PARTS:
        part, extra = PARTS[name]
        first, second = part.slopes(ETA, extra)
        step = 1e-4
        up, here, down = (part.logs(ETA + move, extra) for move in (step, 0.0, -step))
        assert first == pytest.approx((up - down) / (2 * step), abs=1e-5)
        assert second == pytest.approx(-(up - 2 * here + down) / step**2, abs=1e-4)


def test_chances_are_those_of_the_distributions():
    rates = logistic.cdf(ETA)
    assert PARTS["binomial"][0].logs(ETA, NONE) - binom.logpmf(SUCCESSES, CASES, rates) == pytest.approx(
        PARTS["binomial"][0].logs(np.zeros(5), NONE) - binom.logpmf(SUCCESSES, CASES, 0.5)
    )  # up to the number of ways, which no parameter moves
    assert PARTS["counts"][0].logs(ETA, NONE) == pytest.approx(poisson.logpmf(COUNTS, np.exp(ETA)))
    assert PARTS["cumulative"][0].logs(ETA, THRESHOLDS) == pytest.approx(
        np.log(levels(ETA)[np.arange(5), ANSWERS])
    )


def test_means_are_those_of_the_distributions():
    assert PARTS["binomial"][0].mean(ETA, NONE) == pytest.approx(logistic.cdf(ETA))
    assert PARTS["counts"][0].mean(ETA, NONE) == pytest.approx(np.exp(ETA))
    assert PARTS["cumulative"][0].mean(ETA, THRESHOLDS) == pytest.approx(levels(ETA) @ SCALE)


def test_further_columns_are_further_predictors_of_the_same_rows():
    for name in PARTS:
        part, extra = PARTS[name]
        if name != "cumulative":
            part = type(part)(*(one[:, None] for one in part))
        wide = np.column_stack([ETA, ETA + 1])
        for column, eta in enumerate((ETA, ETA + 1)):
            assert part.logs(wide, extra)[:, column] == pytest.approx(PARTS[name][0].logs(eta, extra))
