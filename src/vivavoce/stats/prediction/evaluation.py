"""How well judgements are predicted for people, or systems, that the model has never seen."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np

from vivavoce.core.signature import signature
from vivavoce.log.dataset import Dataset
from vivavoce.stats.prediction.fitting import Fitted, Kind, fit, kinds_for
from vivavoce.stats.prediction.linear import folds
from vivavoce.stats.prediction.scores import HeldOut, Numbers, PredictionScores, scores
from vivavoce.stats.prediction.table import PredictionTable, prediction_table

Grouping = Literal["participant", "system"]
Progress = Callable[[int, int], None]
FOLDS: Final = 10
LINEAR: Final = ("stepwise", "elastic_net")


@dataclass(frozen=True, slots=True)
class InSampleFit:
    """How a model fits the dialogues that made it; `predictors`: how many have a weight."""

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
    wanted = tuple(kinds) if kinds is not None else kinds_for(table.answers)
    steps = _Steps(2 * len(wanted) + 1, progress)
    linear = [kind for kind in wanted if kind in LINEAR] or ["elastic_net"]
    whole = {kind: fit(kind, table.values, table.answers, table.participants) for kind in linear}  # type: ignore[arg-type]
    steps.done()
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
        in_sample={kind: _in_sample(model, table, seed) for kind, model in whole.items()},
        by={
            "participant": _held_out(table, "participant", wanted, seed, steps),
            "system": _held_out(table, "system", wanted, seed, steps),
        },
        weights=_weights(whole[linear[-1]], table),
        signature=signature(
            "prediction", unit="dialogue", n=len(table.answers), data=dataset.hash, target=target, seed=seed
        ),
    )


class _Steps:
    """Counts what is done."""

    def __init__(self, whole: int, report: Progress | None) -> None:
        self.whole, self.report, self.number = whole, report, 0

    def done(self) -> None:
        self.number += 1
        if self.report is not None:
            self.report(self.number, self.whole)


def _held_out(
    table: PredictionTable, by: Grouping, kinds: Sequence[Kind], seed: int, steps: _Steps
) -> dict[Kind, PredictionScores] | None:
    groups = table.participants if by == "participant" else table.systems
    number = FOLDS if by == "participant" else len(set(groups))
    if len(set(groups)) < 2:
        return None
    found: dict[Kind, PredictionScores] = {}
    for kind in kinds:
        found[kind] = scores(held_out(table, kind, groups, number, seed), seed=seed)
        if kind == "mean":  # what differs between its folds' means says nothing of dialogues
            found[kind] = replace(found[kind], spearman=None, spearman_low=None, spearman_high=None)
        steps.done()
    return found


def held_out(table: PredictionTable, kind: Kind, groups: Sequence[str], number: int, seed: int) -> HeldOut:
    """Every dialogue predicted by a model that has not seen its group."""
    said, naive, chosen = (np.zeros_like(table.answers) for _ in range(3))
    codes = True
    for train, test in folds(groups, number, seed):
        model = _fitted(table, kind, train)
        said[test] = model.predict(table.values[test])
        naive[test] = table.answers[train].mean()
        codes = codes and bool(model.codes)
        chosen[test] = model.choose(table.values[test]) if codes else np.nan
    return HeldOut(table.answers, said, naive, chosen if codes else None, table.participants)


def _fitted(table: PredictionTable, kind: Kind, train: Any) -> Fitted:
    people = [who for who, inside in zip(table.participants, train, strict=True) if inside]
    return fit(kind, table.values[train], table.answers[train], people)


def _in_sample(model: Fitted, table: PredictionTable, seed: int) -> InSampleFit:
    """How the model fits the dialogues that made it: what to promise nobody."""
    mean = np.full_like(table.answers, table.answers.mean())
    held = HeldOut(table.answers, model.predict(table.values), mean, None, table.participants)
    found = scores(held, seed=seed)
    weights: Numbers = model.weights if model.weights is not None else np.array([])
    n, p, r2 = len(table.answers), int((weights != 0).sum()), found.r2
    adjusted = 1 - (1 - r2) * (n - 1) / (n - p - 1) if r2 is not None and n > p + 1 else None
    return InSampleFit(r2, found.r2_low, found.r2_high, adjusted, p)


def _weights(model: Fitted, table: PredictionTable) -> list[PredictorWeight]:
    weights = model.weights if model.weights is not None else np.array([])
    pairs = sorted(zip(table.predictors, weights, strict=True), key=lambda pair: -abs(pair[1]))
    return [PredictorWeight(name, float(weight)) for name, weight in pairs if weight]
