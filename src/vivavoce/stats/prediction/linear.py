"""Linear models on normalised inputs, as in PARADISE: least squares, forward selection, elastic net."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]
LinearKind = Literal["mean", "stepwise", "elastic_net"]
MIXING: Final = 0.5
PENALTIES: Final = tuple(float(10**power) for power in np.linspace(-3, 0, 7))
MOST_STEPS: Final = 8


@dataclass(frozen=True, slots=True)
class Linear:
    """A fitted model: what normalises the inputs, and a weight for each."""

    centre: Numbers
    spread: Numbers
    weights: Numbers
    intercept: float

    def predict(self, values: Numbers) -> Numbers:
        return self.intercept + self.normalised(values) @ self.weights

    def normalised(self, values: Numbers) -> Numbers:
        """(x - mean) / sd with the figures of the training dialogues; a missing value becomes the mean."""
        return np.nan_to_num((values - self.centre) / self.spread, nan=0.0)


def fit(kind: LinearKind, values: Numbers, answers: Numbers, groups: Sequence[str]) -> Linear:
    """Fit on training dialogues alone.

    Input   groups: participants, kept together where a penalty or a number of steps is chosen inside
    """
    width = values.shape[1]
    present = ~np.isnan(values)
    counts = np.maximum(present.sum(axis=0), 1)
    centre = np.where(present, values, 0).sum(axis=0) / counts
    spread = np.sqrt((np.where(present, values - centre, 0) ** 2).sum(axis=0) / counts)
    base = Linear(centre, np.where(spread > 0, spread, 1.0), np.zeros(width), float(answers.mean()))
    if kind == "mean":
        return base
    inputs, residual = base.normalised(values), answers - base.intercept
    choose = choose_stepwise if kind == "stepwise" else choose_penalty
    return Linear(base.centre, base.spread, choose(inputs, residual, groups), base.intercept)


def choose_penalty(inputs: Numbers, residual: Numbers, groups: Sequence[str]) -> Numbers:
    """Elastic net weights at the penalty with the least error over inner folds."""
    return _best(inputs, residual, groups, PENALTIES, elastic_net)


def choose_stepwise(inputs: Numbers, residual: Numbers, groups: Sequence[str]) -> Numbers:
    """Forward selection with the number of steps of least error over inner folds."""
    steps = tuple(float(number) for number in range(min(MOST_STEPS, inputs.shape[1]) + 1))
    return _best(inputs, residual, groups, steps, lambda x, y, number: stepwise(x, y, int(number)))


def _best(
    inputs: Numbers,
    residual: Numbers,
    groups: Sequence[str],
    settings: Sequence[float],
    solve: Callable[[Numbers, Numbers, float], Numbers],
) -> Numbers:
    """The setting with the least error over inner folds that keep groups together."""
    errors = np.zeros(len(settings))
    for train, test in folds(groups, 5):
        for place, setting in enumerate(settings):
            weights = solve(inputs[train], residual[train], setting)
            errors[place] += float(((residual[test] - inputs[test] @ weights) ** 2).sum())
    return solve(inputs, residual, settings[int(errors.argmin())])


def stepwise(inputs: Numbers, residual: Numbers, steps: int) -> Numbers:
    """Least squares on the inputs that forward selection takes first."""
    chosen: list[int] = []
    weights = np.zeros(inputs.shape[1])
    remainder = residual
    for _ in range(steps):
        gains = np.abs(inputs.T @ remainder)
        gains[chosen] = -1.0
        chosen.append(int(gains.argmax()))
        part = np.linalg.lstsq(inputs[:, chosen], residual, rcond=None)[0]
        remainder = residual - inputs[:, chosen] @ part
        weights = np.zeros(inputs.shape[1])
        weights[chosen] = part
    return weights


def elastic_net(inputs: Numbers, residual: Numbers, penalty: float) -> Numbers:
    """Weights of least mean squared error under a penalty, half lasso and half ridge.

    Source  Friedman, Hastie, Tibshirani (2010). Regularization paths for generalized linear models via
            coordinate descent. Journal of Statistical Software 33; scikit-learn's
    """
    if penalty == 0:
        return np.asarray(np.linalg.lstsq(inputs, residual, rcond=None)[0], dtype="float64")
    from sklearn.linear_model import ElasticNet

    model: Any = ElasticNet(
        alpha=penalty, l1_ratio=MIXING, fit_intercept=False, precompute=True, max_iter=20_000, tol=1e-5
    )
    return np.asarray(model.fit(inputs, residual).coef_, dtype="float64")


def folds(groups: Sequence[str], number: int, seed: int = 0) -> list[tuple[Mask, Mask]]:
    """Train and test masks; a group is never on both sides, and folds are as even as groups allow."""
    names, counts = np.unique(np.asarray(groups), return_counts=True)
    order = np.random.default_rng(seed).permutation(len(names))
    order = order[np.argsort(-counts[order], kind="stable")]
    number = min(number, len(names))
    sizes, place = [0] * number, {}
    for index in order:
        smallest = sizes.index(min(sizes))
        place[names[index]] = smallest
        sizes[smallest] += int(counts[index])
    fold_of = np.array([place[group] for group in groups])
    return [(fold_of != fold, fold_of == fold) for fold in range(number)]
