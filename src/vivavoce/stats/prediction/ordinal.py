"""Cumulative logit models: how likely each code is, without taking codes for lengths."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vivavoce.stats.prediction.linear import choose_stepwise

Numbers = NDArray[np.float64]
MOST_CODES: Final = 12


@dataclass(frozen=True, slots=True)
class Ordinal:
    """P(answer <= codes[j]) = logistic(thresholds[j] - inputs @ weights), for all codes but the last."""

    weights: Numbers
    thresholds: Numbers
    codes: Numbers

    def chances(self, inputs: Numbers) -> Numbers:
        """Probability of each code: one row a dialogue."""
        lean = (inputs @ self.weights)[:, None]
        below = 1 / (1 + np.exp(-np.clip(self.thresholds[None, :] - lean, -500, 500)))
        cumulative = np.column_stack([np.zeros(len(inputs)), below, np.ones(len(inputs))])
        return np.diff(cumulative, axis=1)

    def predict(self, inputs: Numbers) -> Numbers:
        """The mean code."""
        return self.chances(inputs) @ self.codes

    def choose(self, inputs: Numbers) -> Numbers:
        """The median code."""
        passed = np.cumsum(self.chances(inputs), axis=1) >= 0.5
        return self.codes[passed.argmax(axis=1)]


def has_codes(answers: Numbers) -> bool:
    """True if a target has whole codes, few enough to be ordinal."""
    return bool((answers == np.round(answers)).all()) and 2 <= len(np.unique(answers)) <= MOST_CODES


def fit_ordinal(inputs: Numbers, answers: Numbers, groups: Sequence[str]) -> Ordinal:
    """A cumulative logit on the predictors that forward selection takes.

    Empty   no predictor helps: thresholds alone, at the shares of the codes
    Source  McCullagh 1980; statsmodels' OrderedModel
    """
    codes, places = np.unique(answers, return_inverse=True)
    weights = np.zeros(inputs.shape[1])
    chosen = np.flatnonzero(choose_stepwise(inputs, answers - answers.mean(), groups))
    shares = np.cumsum(np.bincount(places))[:-1] / len(answers)
    thresholds = np.log(shares / (1 - shares))
    if len(chosen):
        fitted = _fitted(inputs[:, chosen], places)
        weights[chosen], thresholds = fitted[: len(chosen)], fitted[len(chosen) :]
    return Ordinal(weights, thresholds, codes)


def _fitted(inputs: Numbers, places: NDArray[np.intp]) -> Numbers:
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # separable codes: weights stay where the search ended
        model: Any = OrderedModel(places, inputs, distr="logit")
        result = model.fit(method="bfgs", disp=0, maxiter=200)
    parameters = np.asarray(result.params, dtype="float64")
    steps = parameters[inputs.shape[1] :]
    return np.concatenate([parameters[: inputs.shape[1]], model.transform_threshold_params(steps)[1:-1]])
