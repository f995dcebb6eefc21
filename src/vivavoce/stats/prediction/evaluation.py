"""How well judgements are predicted for people, or systems, that the model has never seen."""

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

import numpy as np

from vivavoce.core.signature import signature
from vivavoce.log.dataset import Dataset
from vivavoce.stats.prediction.fitting import Fitted, Kind, fit, kinds_for
from vivavoce.stats.prediction.linear import folds
from vivavoce.stats.prediction.scores import HeldOut, Numbers, scores
from vivavoce.stats.prediction.table import PredictionTable, prediction_table

Facts = dict[str, Any]
Grouping = Literal["participant", "system"]
Progress = Callable[[int, int], None]
FOLDS: Final = 10
LINEAR: Final = ("stepwise", "elastic_net")


def evaluate(
    dataset: Dataset,
    target: str,
    predictors: Sequence[str] | None = None,
    *,
    judgements: bool = False,
    kinds: Sequence[Kind] | None = None,
    seed: int = 1,
    progress: Progress | None = None,
) -> Facts:
    """Every model, cross-validated by participant and by system.

    Output  target, n, participants, systems, predictors, judgements, left_out (what was dropped, and
            for which predictor that says the same), warnings (sentences), in_sample: by linear model
            {r2, r2_low, r2_high, adjusted_r2, predictors}, by: {participant, system: {model: what `scores`
            gives}},
            weights: the elastic net's, largest first; signature
    Empty   by system is None with fewer than two systems; kappa and recall are None for a target that is not
            in whole codes, for which there is no ordinal model either
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
    return {
        "target": target,
        "n": len(table.answers),
        "participants": len(set(table.participants)),
        "systems": len(set(table.systems)),
        "predictors": list(table.predictors),
        "judgements": list(table.judgements),
        "left_out": dict(table.left_out),
        "warnings": table.warnings,
        "deviation": float(table.answers.std(ddof=1)),
        "in_sample": {kind: _in_sample(model, table, seed) for kind, model in whole.items()},
        "by": {
            "participant": _held_out(table, "participant", wanted, seed, steps),
            "system": _held_out(table, "system", wanted, seed, steps),
        },
        "weights": _weights(whole[linear[-1]], table),
        "signature": signature(
            "prediction", unit="dialogue", n=len(table.answers), data=dataset.hash, target=target, seed=seed
        ),
    }


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
) -> dict[str, Facts] | None:
    groups = table.participants if by == "participant" else table.systems
    number = FOLDS if by == "participant" else len(set(groups))
    if len(set(groups)) < 2:
        return None
    found: dict[str, Facts] = {}
    for kind in kinds:
        found[kind] = dict(scores(held_out(table, kind, groups, number, seed), seed=seed))
        if kind == "mean":  # what differs between its folds' means says nothing of dialogues
            found[kind] |= {"spearman": None, "spearman_low": None, "spearman_high": None}
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


def _in_sample(model: Fitted, table: PredictionTable, seed: int) -> Facts:
    """How the model fits the dialogues that made it: what to promise nobody."""
    mean = np.full_like(table.answers, table.answers.mean())
    held = HeldOut(table.answers, model.predict(table.values), mean, None, table.participants)
    found = scores(held, seed=seed)
    weights: Numbers = model.weights if model.weights is not None else np.array([])
    n, p, r2 = len(table.answers), int((weights != 0).sum()), found["r2"]
    adjusted = 1 - (1 - r2) * (n - 1) / (n - p - 1) if r2 is not None and n > p + 1 else None
    return {name: found[name] for name in ("r2", "r2_low", "r2_high")} | {
        "adjusted_r2": adjusted, "predictors": p,
    }  # fmt: skip


def _weights(model: Fitted, table: PredictionTable) -> list[Facts]:
    weights = model.weights if model.weights is not None else np.array([])
    pairs = sorted(zip(table.predictors, weights, strict=True), key=lambda pair: -abs(pair[1]))
    return [{"measure": name, "weight": float(weight)} for name, weight in pairs if weight]
