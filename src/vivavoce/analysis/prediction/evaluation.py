"""Evaluation of predicted judgements for people, or systems, that the model has never seen."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal, NamedTuple

import numpy as np

from vivavoce.analysis.prediction.table import PredictionTable, prediction_table
from vivavoce.core.executor import in_pieces
from vivavoce.core.result import signature
from vivavoce.dataset.reader import Dataset
from vivavoce.stats.prediction.fitting import Fitted, Kind, fit, kinds_for
from vivavoce.stats.prediction.linear import Mask, folds
from vivavoce.stats.prediction.scores import HeldOut, Numbers, PredictionScores, scores

Grouping = Literal["participant", "system"]
Progress = Callable[[int, int], None]
FOLDS: Final = 10
LINEAR: Final = ("stepwise", "elastic_net")


@dataclass(frozen=True, slots=True)
class InSampleFit:
    """Fit of a model on the dialogues that made it; `predictors`: how many have a weight."""

    r2: float | None
    r2_low: float | None
    r2_high: float | None
    adjusted_r2: float | None
    predictors: int


@dataclass(frozen=True, slots=True)
class PredictorWeight:
    """The weight of a normalised predictor."""

    measure: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityEvaluation:
    """Every model, cross-validated.

    left_out   what was dropped, and for which predictor that says the same
    deviation  standard deviation of the answers
    in_sample  of linear models
    by         model by model, for participants and for systems that it has not seen; None with fewer than two
    weights    of the last linear model (elastic net), largest first
    """

    target: str
    n: int
    participants: int
    systems: int
    predictors: tuple[str, ...]
    judgements: tuple[str, ...]
    left_out: dict[str, str]
    warnings: list[str]
    deviation: float
    in_sample: dict[str, InSampleFit]
    by: dict[Grouping, dict[Kind, PredictionScores] | None]
    weights: list[PredictorWeight]
    signature: str


def evaluate(
    dataset: Dataset,
    target: str,
    predictors: Sequence[str] | None = None,
    *,
    judgements: bool = False,
    kinds: Sequence[Kind] | None = None,
    seed: int = 1,
    progress: Progress | None = None,
) -> QualityEvaluation:
    """Every model, cross-validated by participant and by system.

    Empty   a target that is not in whole codes has no ordinal model
    Note    R2 is 1 - SSE / SST with SST about the mean of the training dialogues, so the model `mean` has 0;
            negative is worse than that. Intervals: bootstrap over participants. Leaving a system out does not
            leave its participants out, who may have talked to others
    """
    table = prediction_table(dataset, target, predictors, judgements=judgements)
    model_kinds = tuple(kinds) if kinds is not None else kinds_for(table.answers)
    linear = [kind for kind in model_kinds if kind in LINEAR] or ["elastic_net"]
    full_models = {kind: fit(kind, table.values, table.answers, table.participants) for kind in linear}  # type: ignore[arg-type]
    by = _held_out(table, model_kinds, seed, progress)
    return QualityEvaluation(
        target=target,
        n=len(table.answers),
        participants=len(set(table.participants)),
        systems=len(set(table.systems)),
        predictors=table.predictors,
        judgements=table.judgements,
        left_out=dict(table.left_out),
        warnings=table.warnings,
        deviation=float(table.answers.std(ddof=1)),
        in_sample={kind: _in_sample(model, table, seed) for kind, model in full_models.items()},
        by=by,
        weights=_weights(full_models[linear[-1]], table),
        signature=signature(
            "prediction", unit="dialogue", n=len(table.answers), data=dataset.hash, target=target, seed=seed
        ),
    )


class HeldOutFold(NamedTuple):
    """A model of one kind that is fitted on some dialogues, and tried on others."""

    kind: Kind
    train: Mask
    test: Mask


class Tried(NamedTuple):
    """Predictions of such a model for the others; `chosen` is None if its training answers have no codes."""

    said: Numbers
    naive: float
    chosen: Numbers | None


def _held_out(
    table: PredictionTable, kinds: Sequence[Kind], seed: int, progress: Progress | None
) -> dict[Grouping, dict[Kind, PredictionScores] | None]:
    """Every kind on every fold of participants, and of systems: all folds first, then all scores."""
    groups: dict[Grouping, Sequence[str]] = {"participant": table.participants, "system": table.systems}
    split: dict[Grouping, list[tuple[Mask, Mask]]] = {
        by: folds(members, FOLDS if by == "participant" else len(set(members)), seed)
        for by, members in groups.items()
        if len(set(members)) > 1
    }
    requests: list[tuple[Grouping, Kind]] = [(by, kind) for by in split for kind in kinds]
    pieces = [HeldOutFold(kind, *fold) for by, kind in requests for fold in split[by]]
    tried = iter(_counted(try_folds(table, pieces), len(pieces), progress))
    predictions = [_joined(table, split[by], [next(tried) for _ in split[by]]) for by, _ in requests]
    scores_by_grouping: dict[Grouping, dict[Kind, PredictionScores] | None] = {
        by: {} if by in split else None for by in groups
    }
    for (by, kind), prediction_scores in zip(
        requests, in_pieces(partial(scores, seed=seed), predictions), strict=True
    ):
        if kind == "mean":  # what differs between its folds' means says nothing of dialogues
            prediction_scores = replace(
                prediction_scores, spearman=None, spearman_low=None, spearman_high=None
            )
        scores_by_grouping[by] = {**(scores_by_grouping[by] or {}), kind: prediction_scores}
    return scores_by_grouping


def _counted(items: Iterable[Tried], total: int, progress: Progress | None) -> Iterator[Tried]:
    for number, item in enumerate(items, start=1):
        if progress is not None:
            progress(number, total)
        yield item


def held_out(table: PredictionTable, kind: Kind, groups: Sequence[str], number: int, seed: int) -> HeldOut:
    """Every dialogue predicted by a model that has not seen its group."""
    split = folds(groups, number, seed)
    return _joined(table, split, list(try_folds(table, [HeldOutFold(kind, *fold) for fold in split])))


def try_folds(table: PredictionTable, pieces: Sequence[HeldOutFold]) -> Iterator[Tried]:
    """Models fitted and tried, each fold a piece of work."""
    return in_pieces(partial(_tried, table), pieces)


def _tried(table: PredictionTable, fold: HeldOutFold) -> Tried:
    kind, train, test = fold
    model = fit_on(table, kind, train)
    values = table.values[test]
    chosen = model.choose(values) if model.codes else None
    return Tried(model.predict(values), float(table.answers[train].mean()), chosen)


def _joined(table: PredictionTable, split: Sequence[tuple[Mask, Mask]], tried: Sequence[Tried]) -> HeldOut:
    predicted, naive, chosen = (np.zeros_like(table.answers) for _ in range(3))
    for (_, test), fold in zip(split, tried, strict=True):
        predicted[test], naive[test] = fold.said, fold.naive
        chosen[test] = np.nan if fold.chosen is None else fold.chosen
    codes = all(fold_result.chosen is not None for fold_result in tried)
    return HeldOut(table.answers, predicted, naive, chosen if codes else None, table.participants)


def fit_on(table: PredictionTable, kind: Kind, train: Mask) -> Fitted:
    """A model of some dialogues of the table."""
    people = [who for who, inside in zip(table.participants, train, strict=True) if inside]
    return fit(kind, table.values[train], table.answers[train], people)


def _in_sample(model: Fitted, table: PredictionTable, seed: int) -> InSampleFit:
    """Fit of the model on the dialogues that made it, no measure of its accuracy on others."""
    mean = np.full_like(table.answers, table.answers.mean())
    fitted = HeldOut(table.answers, model.predict(table.values), mean, None, table.participants)
    fit_scores = scores(fitted, seed=seed)
    weights: Numbers = model.weights if model.weights is not None else np.array([])
    n, p, r2 = len(table.answers), int((weights != 0).sum()), fit_scores.r2
    adjusted = 1 - (1 - r2) * (n - 1) / (n - p - 1) if r2 is not None and n > p + 1 else None
    return InSampleFit(r2, fit_scores.r2_low, fit_scores.r2_high, adjusted, p)


def _weights(model: Fitted, table: PredictionTable) -> list[PredictorWeight]:
    weights = model.weights if model.weights is not None else np.array([])
    pairs = sorted(zip(table.predictors, weights, strict=True), key=lambda pair: -abs(pair[1]))
    return [PredictorWeight(name, float(weight)) for name, weight in pairs if weight]
