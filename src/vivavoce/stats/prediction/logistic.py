"""A logistic model of a yes on all predictors, with a penalty on its weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from vivavoce.stats.prediction import linear
from vivavoce.stats.prediction.linear import Linear, folds

Numbers = NDArray[np.float64]
PENALTIES: Final = (10.0, 30.0, 100.0, 300.0)
STEPS: Final = 12
SETTLED: Final = 1e-4
LEAST: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Logistic:
    """A fitted model: weights of inputs, on the logit scale."""

    weights: Numbers
    intercept: float

    def predict(self, inputs: Numbers) -> Numbers:
        """The chance of a yes for each row."""
        return expit(self.intercept + inputs @ self.weights)


@dataclass(frozen=True, slots=True)
class Scaled:
    """A logistic model with what normalises its inputs; what is missing becomes its mean."""

    scaling: Linear
    inner: Logistic

    def predict(self, values: Numbers) -> Numbers:
        return self.inner.predict(self.scaling.normalised(values))


def fit_logistic(values: Numbers, answers: Numbers, groups: Sequence[str]) -> Scaled:
    """Fit on training dialogues.

    Input   answers of 0 and 1, both of them; groups: participants, kept together where the penalty is chosen
    Output  the penalty with the least deviance over inner folds
    """
    scaling = linear.fit("mean", values, answers, groups)
    inputs, losses = scaling.normalised(values), np.zeros(len(PENALTIES))
    for train, test in folds(groups, 5):
        if np.ptp(answers[train]) > 0:
            losses += [
                _deviance(
                    answers[test], penalised(inputs[train], answers[train], penalty).predict(inputs[test])
                )
                for penalty in PENALTIES
            ]
    return Scaled(scaling, penalised(inputs, answers, PENALTIES[int(losses.argmin())]))


def penalised(inputs: Numbers, answers: Numbers, penalty: float) -> Logistic:
    """The weights of greatest likelihood less half the penalty times their squares; the intercept is free.

    Input   normalised inputs; answers of 0 and 1, both of them
    Source  le Cessie and van Houwelingen (1992), Ridge estimators in logistic regression; Newton's method;
            scikit-learn's LogisticRegression with C = 1 / penalty
    """
    rows = np.column_stack([inputs, np.ones(len(inputs))])
    costs = np.full(rows.shape[1], penalty)
    costs[-1] = 0.0
    weights = np.zeros(rows.shape[1])
    weights[-1] = logit(answers.mean())
    for _ in range(STEPS):
        chance = expit(rows @ weights)
        slope = rows.T @ (answers - chance) - costs * weights
        bend = (rows * np.maximum(chance * (1 - chance), LEAST)[:, None]).T @ rows + np.diag(costs)
        step = np.linalg.solve(bend, slope)
        weights = weights + step
        if np.abs(step).max() < SETTLED:
            break
    return Logistic(weights[:-1], float(weights[-1]))


def _deviance(answers: Numbers, chances: Numbers) -> float:
    clipped = chances.clip(LEAST, 1 - LEAST)
    return -2 * float(np.where(answers > 0.5, np.log(clipped), np.log(1 - clipped)).sum())
