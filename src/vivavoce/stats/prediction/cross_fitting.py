"""Predictions of every dialogue by models that never saw its participant."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vivavoce.core.executor import in_pieces
from vivavoce.stats.prediction.linear import Mask, folds

Numbers = NDArray[np.float64]
Predict = Callable[[Numbers], Numbers]
Learner = Callable[[Numbers, Numbers, Sequence[str]], Predict]
FOLDS: Final = 5
LEAST: Final = 10


def cross_fitted(
    values: Numbers,
    answers: Numbers,
    people: Sequence[str],
    *,
    train: Learner,
    number: int = FOLDS,
    seed: int = 1,
) -> Numbers:
    """Predictions for each dialogue by models trained on the answers of other participants alone.

    Input   one row a dialogue; answers: NaN where nobody was asked; train: a function of values, answers
            and participants that gives a function of values, of a module, as every fold is a piece of work
    Output  participants are dealt to folds as wholes, whether they were asked or not: so what is said of
            dialogues with and without an answer comes from the same models, and can be compared
    Empty   NaN of a fold whose others gave fewer than 10 answers, or all the same
    Source  cross-prediction-powered inference: Zrnic and Candes 2024 (arXiv 2309.16598)
    """
    predictions = np.full(len(answers), np.nan)
    split = [
        (seen, test)
        for training, test in folds(people, number, seed)
        if (seen := training & ~np.isnan(answers)).sum() >= LEAST and np.ptp(answers[seen]) > 0
    ]
    for (_, held_out), fold_predictions in zip(
        split, in_pieces(partial(_told, values, answers, people, train), split), strict=True
    ):
        predictions[held_out] = fold_predictions
    return predictions


def _told(
    values: Numbers, answers: Numbers, people: Sequence[str], train: Learner, fold: tuple[Mask, Mask]
) -> Numbers:
    seen, test = fold
    groups = [people[row] for row in np.flatnonzero(seen).tolist()]
    return train(values[seen], answers[seen], groups)(values[test])
