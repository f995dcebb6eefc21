"""Regression trees and gradient boosting, kept as plain arrays: a model is a file that scores by itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vivavoce.stats.prediction.linear import folds

Numbers = NDArray[np.float64]
DEPTHS: Final = (1, 2, 3, 4, 5)
MOST_TREES: Final = 200
RATE: Final = 0.05
BOOSTED_DEPTH: Final = 2
INNER_FOLDS: Final = 5


@dataclass(frozen=True, slots=True)
class Tree:
    """One tree: at a node, left where the feature is at most the threshold; a leaf has feature -1."""

    feature: tuple[int, ...]
    threshold: tuple[float, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    value: tuple[float, ...]

    def predict(self, inputs: Numbers) -> Numbers:
        feature, left_child, right = (np.array(column) for column in (self.feature, self.left, self.right))
        threshold, value = np.array(self.threshold), np.array(self.value)
        node = np.zeros(len(inputs), dtype=int)
        rows = np.arange(len(inputs))
        for _ in range(len(feature)):
            inner = feature[node] >= 0
            if not inner.any():
                break
            goes_left = inputs[rows, np.maximum(feature[node], 0)] <= threshold[node]
            node = np.where(inner, np.where(goes_left, left_child[node], right[node]), node)
        return value[node]


@dataclass(frozen=True, slots=True)
class Forest:
    """A sum of trees: base + rate times what each tree says."""

    base: float
    rate: float
    trees: tuple[Tree, ...]

    def predict(self, inputs: Numbers) -> Numbers:
        predictions = np.full(len(inputs), self.base)
        for tree in self.trees:
            predictions += self.rate * tree.predict(inputs)
        return predictions


def fit_tree(inputs: Numbers, answers: Numbers, groups: Sequence[str]) -> Forest:
    """One regression tree, as deep as has the least error over inner folds that keep groups together.

    Source  Breiman, Friedman, Olshen, Stone 1984; scikit-learn's trees
    """
    from sklearn.tree import DecisionTreeRegressor

    def grown(chosen: Numbers, targets: Numbers, depth: int) -> Any:
        fewest = max(5, len(targets) // 50)
        return DecisionTreeRegressor(max_depth=depth, min_samples_leaf=fewest, random_state=0).fit(
            chosen, targets
        )

    errors = np.zeros(len(DEPTHS))
    for train, test in folds(groups, INNER_FOLDS):
        for place, depth in enumerate(DEPTHS):
            predictions = grown(inputs[train], answers[train], depth).predict(inputs[test])
            errors[place] += float(((answers[test] - predictions) ** 2).sum())
    estimator = grown(inputs, answers, DEPTHS[int(errors.argmin())])
    return Forest(0.0, 1.0, (_plain(estimator.tree_),))


def fit_boosting(inputs: Numbers, answers: Numbers, groups: Sequence[str]) -> Forest:
    """Boosted trees of depth 2; their number is the best for a fifth of the groups held back.

    Source  Friedman 2002, stochastic gradient boosting; scikit-learn's
    """
    from sklearn.ensemble import GradientBoostingRegressor

    def grown(chosen: Numbers, targets: Numbers, trees: int) -> Any:
        return GradientBoostingRegressor(
            n_estimators=trees,
            learning_rate=RATE,
            max_depth=BOOSTED_DEPTH,
            subsample=0.5,
            max_features=min(1.0, 10 / max(1, chosen.shape[1])),
            min_samples_leaf=min(10, max(1, len(targets) // 10)),
            random_state=0,
        ).fit(chosen, targets)

    train, test = folds(groups, INNER_FOLDS)[0]
    best = MOST_TREES
    if train.any():
        stages = grown(inputs[train], answers[train], MOST_TREES).staged_predict(inputs[test])
        best = 1 + int(np.argmin([((answers[test] - stage) ** 2).sum() for stage in stages]))
    estimator = grown(inputs, answers, best)
    base = float(estimator.init_.constant_.ravel()[0])
    return Forest(base, RATE, tuple(_plain(regressor.tree_) for regressor in estimator.estimators_.ravel()))


def _plain(tree: Any) -> Tree:
    return Tree(
        tuple(int(feature) if feature >= 0 else -1 for feature in tree.feature),
        tuple(float(threshold) for threshold in tree.threshold),
        tuple(int(child) for child in tree.children_left),
        tuple(int(child) for child in tree.children_right),
        tuple(float(value) for value in tree.value.ravel()),
    )
