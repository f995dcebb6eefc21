"""Explanation of a model: weights with intervals, importance and course of predictors, and calibration."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from vivavoce.analysis.prediction.evaluation import FOLDS, Progress, fit_on, held_out
from vivavoce.analysis.prediction.table import PredictionTable, prediction_table
from vivavoce.core.executor import in_pieces
from vivavoce.core.result import signature
from vivavoce.dataset.reader import Dataset
from vivavoce.stats.prediction.fitting import WEIGHING, Fitted, Kind, fit
from vivavoce.stats.prediction.linear import folds
from vivavoce.stats.prediction.scores import HeldOut, Numbers

REFITS: Final = 100
SHUFFLES: Final = 5
COURSES: Final = 6
STEPS: Final = 20
BINS: Final = 10
LEVEL: Final = 0.95
COLLINEAR: Final = 5.0


@dataclass(frozen=True, slots=True)
class PredictorCoefficient:
    """Weight of a normalised predictor; participants are resampled, and every choice is repeated.

    kept  share of those draws in which the weight is not 0
    """

    measure: str
    weight: float
    low: float
    high: float
    kept: float


@dataclass(frozen=True, slots=True)
class PredictorImportance:
    """R2 of unseen participants lost when the predictor's values are shuffled."""

    measure: str
    r2_lost: float | None


@dataclass(frozen=True, slots=True)
class VarianceInflation:
    """1 / (1 - R2) of a predictor by all others."""

    measure: str
    vif: float


@dataclass(frozen=True, slots=True)
class CoursePoint:
    """The mean prediction when every dialogue had this value of a predictor."""

    value: float
    predicted: float


@dataclass(frozen=True, slots=True)
class PredictionCourse:
    """A predictor from its 5th to its 95th percentile."""

    measure: str
    points: list[CoursePoint]


@dataclass(frozen=True, slots=True)
class CalibrationTenth:
    """A tenth of the predictions for unseen participants, and the mean answer, n dialogues."""

    predicted: float
    answered: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityExplanation:
    """One model of all dialogues, explained.

    coefficients  None for trees
    collinear     variance inflation above 5
    courses       of the predictors that matter most
    """

    target: str
    kind: Kind
    n: int
    participants: int
    predictors: tuple[str, ...]
    judgements: tuple[str, ...]
    left_out: dict[str, str]
    warnings: list[str]
    coefficients: list[PredictorCoefficient] | None
    importance: list[PredictorImportance]
    collinear: list[VarianceInflation]
    courses: list[PredictionCourse]
    calibration: list[CalibrationTenth]
    signature: str


def explain(
    dataset: Dataset,
    target: str,
    predictors: Sequence[str] | None = None,
    *,
    kind: Kind = "elastic_net",
    judgements: bool = False,
    seed: int = 1,
    refits: int = REFITS,
    progress: Progress | None = None,
) -> QualityExplanation:
    """One model of all dialogues, explained.

    Note    a weight says what a parameter adds beside the others, never what it causes
    """
    table = prediction_table(dataset, target, predictors, judgements=judgements)
    model = fit(kind, table.values, table.answers, table.participants)
    importance = _importance(table, kind, seed)
    return QualityExplanation(
        target=target,
        kind=kind,
        n=len(table.answers),
        participants=len(set(table.participants)),
        predictors=table.predictors,
        judgements=table.judgements,
        left_out=dict(table.left_out),
        warnings=table.warnings,
        coefficients=_coefficients(table, model, seed, refits, progress) if kind in WEIGHING else None,
        importance=importance,
        collinear=_collinear(table, model),
        courses=[_course(table, model, row.measure) for row in importance[:COURSES]],
        calibration=_calibration(held_out(table, kind, table.participants, FOLDS, seed), seed),
        signature=signature(
            "explanation",
            unit="dialogue",
            n=len(table.answers),
            data=dataset.hash,
            target=target,
            kind=kind,
            seed=seed,
        ),
    )


def _coefficients(
    table: PredictionTable, model: Fitted, seed: int, refits: int, progress: Progress | None
) -> list[PredictorCoefficient]:
    weights = _weights(model)
    refitted = np.array(list(_refitted(table, model.kind, seed, refits, progress)))
    low, high = np.quantile(refitted, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    nonzero_shares = (refitted != 0).mean(axis=0)
    figures = zip(
        table.predictors, *(column.tolist() for column in (weights, low, high, nonzero_shares)), strict=True
    )
    return sorted((PredictorCoefficient(*row) for row in figures), key=lambda row: -abs(row.weight))


def _refitted(table: PredictionTable, kind: Kind, seed: int, refits: int, progress: Progress | None) -> Any:
    """The weights of models of participants drawn with replacement."""
    names, who = np.unique(np.asarray(table.participants), return_inverse=True)
    rows = [np.flatnonzero(who == number) for number in range(len(names))]
    rng = np.random.default_rng(seed)
    samples = [rng.integers(0, len(names), len(names)) for _ in range(refits)]
    for number, weights in enumerate(in_pieces(partial(_refit, table, kind, names, rows), samples), start=1):
        yield weights
        if progress is not None:
            progress(number, refits)


def _refit(table: PredictionTable, kind: Kind, names: Any, rows: Sequence[Any], picked: Any) -> Numbers:
    chosen = np.concatenate([rows[person] for person in picked])
    people = [str(names[person]) for person in picked for _ in rows[person]]
    return _weights(fit(kind, table.values[chosen], table.answers[chosen], people))


def _weights(model: Fitted) -> Numbers:
    return model.weights if model.weights is not None else np.array([])


def _importance(table: PredictionTable, kind: Kind, seed: int) -> list[PredictorImportance]:
    """R2 of unseen participants, less R2 with the values of one predictor shuffled among them."""
    rng = np.random.default_rng(seed)
    lost = np.zeros(len(table.predictors))
    base = 0.0
    split = folds(table.participants, FOLDS, seed)
    models = in_pieces(partial(fit_on, table, kind), [train for train, _ in split])
    for (train, test), model in zip(split, models, strict=True):
        values, answers = table.values[test], table.answers[test]
        error = float(((answers - model.predict(values)) ** 2).sum())
        base += float(((answers - table.answers[train].mean()) ** 2).sum())
        for place in range(len(lost)):
            shuffled = values.copy()
            for _ in range(SHUFFLES):
                shuffled[:, place] = rng.permutation(values[:, place])
                lost[place] += (float(((answers - model.predict(shuffled)) ** 2).sum()) - error) / SHUFFLES
    importances = [
        PredictorImportance(name, float(loss / base) if base else None)
        for name, loss in zip(table.predictors, lost, strict=True)
    ]
    return sorted(importances, key=lambda row: -(row.r2_lost or 0.0))


def _collinear(table: PredictionTable, model: Fitted) -> list[VarianceInflation]:
    """Variance inflation of predictors: 1 / (1 - R2) of each by all others; above 5 is named."""
    inputs = model.scaling.normalised(table.values)
    if inputs.shape[1] < 2:
        return []
    inflation = np.diag(np.linalg.pinv(np.corrcoef(inputs.T), hermitian=True))
    inflations = map(VarianceInflation, table.predictors, inflation.tolist())
    return sorted((row for row in inflations if row.vif > COLLINEAR), key=lambda row: -row.vif)


def _course(table: PredictionTable, model: Fitted, measure: str) -> PredictionCourse:
    """The mean prediction when every dialogue had this value: from the 5th to the 95th percentile."""
    place = table.predictors.index(measure)
    column = table.values[:, place]
    observed = column[~np.isnan(column)]
    low, high = np.quantile(observed, [0.05, 0.95])
    values = table.values.copy()
    points: list[CoursePoint] = []
    for value in np.unique(np.linspace(low, high, STEPS)):
        values[:, place] = value
        points.append(CoursePoint(float(value), float(model.predict(values).mean())))
    return PredictionCourse(measure, points)


def _calibration(held_out: HeldOut, seed: int) -> list[CalibrationTenth]:
    """Tenths of the predictions, each with the mean answer and its interval (participants resampled)."""
    order = np.argsort(held_out.said, kind="stable")
    _, who = np.unique(np.asarray(held_out.people), return_inverse=True)
    people = int(who.max()) + 1
    counts_drawn = np.random.default_rng(seed).multinomial(people, np.full(people, 1 / people), size=500)
    calibration_tenths: list[CalibrationTenth] = []
    for part in np.array_split(order, min(BINS, len(order))):
        sums = np.bincount(who[part], held_out.answers[part], people)
        counts = np.bincount(who[part], minlength=people)
        below = counts_drawn @ counts
        means = (counts_drawn @ sums)[below > 0] / below[below > 0]
        low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        predicted, answered = float(held_out.said[part].mean()), float(held_out.answers[part].mean())
        calibration_tenths.append(CalibrationTenth(predicted, answered, float(low), float(high), len(part)))
    return calibration_tenths
