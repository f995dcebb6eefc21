"""How well judgements are predicted for people, or systems, that the model has never seen."""

from collections.abc import Sequence
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from vivavoce.analysis.prediction.linear import KINDS, Kind, Linear, fit, folds
from vivavoce.analysis.prediction.table import (
    JUDGEMENTS,
    PredictionTable,
    parameters,
    prediction_table,
    targets,
)
from vivavoce.core.signature import signature
from vivavoce.log.dataset import Dataset

Facts = dict[str, Any]
Numbers = NDArray[np.float64]
Grouping = Literal["participant", "system"]
FOLDS: Final = 10
DRAWS: Final = 1000
LEVEL: Final = 0.95
FEWEST: Final = 10


def evaluate(
    dataset: Dataset,
    target: str,
    predictors: Sequence[str] | None = None,
    *,
    judgements: bool = False,
    seed: int = 1,
) -> Facts:
    """Every model, cross-validated by participant and by system.

    Output  target, n, participants, systems, predictors, judgements, in_sample {r2, adjusted_r2} of the
            elastic net, by: {participant, system: {model: {r2, r2_low, r2_high, rmse, spearman,
            weighted_kappa, macro_recall}}}, weights: the elastic net's, largest first; signature
    Empty   by system is None with fewer than two systems; kappa and recall are None for a target that is not
            in whole numbers
    Note    R2 is 1 - SSE / SST with SST about the mean of the training dialogues, so the model `mean` has 0;
            negative is worse than that. Intervals: bootstrap over participants
    """
    table = prediction_table(dataset, target, predictors, judgements=judgements)
    whole = fit("elastic_net", table.values, table.answers, table.participants)
    return {
        "target": target,
        "n": len(table.answers),
        "participants": len(set(table.participants)),
        "systems": len(set(table.systems)),
        "predictors": list(table.predictors),
        "judgements": list(table.judgements),
        "deviation": float(table.answers.std(ddof=1)),
        "in_sample": _in_sample(whole, table),
        "by": {
            "participant": _held_out(table, "participant", seed),
            "system": _held_out(table, "system", seed),
        },
        "weights": _weights(whole, table),
        "signature": signature(
            "prediction", unit="dialogue", n=len(table.answers), data=dataset.hash, target=target, seed=seed
        ),
    }


def _held_out(table: PredictionTable, by: Grouping, seed: int) -> dict[str, Facts] | None:
    groups = table.participants if by == "participant" else table.systems
    number = FOLDS if by == "participant" else len(set(groups))
    if number < 2 or len(set(groups)) < 2:
        return None
    return {kind: _model(table, kind, groups, number, seed) for kind in KINDS}


def _model(table: PredictionTable, kind: Kind, groups: Sequence[str], number: int, seed: int) -> Facts:
    said = np.zeros_like(table.answers)
    naive = np.zeros_like(table.answers)
    for train, test in folds(groups, number, seed):
        people = [who for who, inside in zip(table.participants, train, strict=True) if inside]
        model = fit(kind, table.values[train], table.answers[train], people)
        said[test] = model.predict(table.values[test])
        naive[test] = table.answers[train].mean()
    squared, base = (table.answers - said) ** 2, (table.answers - naive) ** 2
    low, high = _interval(squared, base, table.participants, seed)
    rho: Any = stats.spearmanr(said, table.answers) if kind != "mean" and np.ptp(said) > 0 else None
    return {
        "r2": _r2(squared, base),
        "r2_low": low,
        "r2_high": high,
        "rmse": float(np.sqrt(squared.mean())),
        "spearman": None if rho is None else float(rho.statistic),
        **_ordinal(table.answers, said),
    }


def _r2(squared: Numbers, base: Numbers) -> float | None:
    return float(1 - squared.sum() / base.sum()) if base.sum() > 0 else None


def _interval(squared: Numbers, base: Numbers, people: Sequence[str], seed: int) -> tuple[float, float]:
    """Percentiles of R2 over draws of participants with replacement."""
    _, who = np.unique(np.asarray(people), return_inverse=True)
    sse, sst = np.bincount(who, squared), np.bincount(who, base)
    drawn = np.random.default_rng(seed).integers(0, len(sse), (DRAWS, len(sse)))
    below = sst[drawn].sum(axis=1)
    values = 1 - sse[drawn].sum(axis=1) / np.where(below > 0, below, np.nan)
    low, high = np.nanquantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def _ordinal(answers: Numbers, said: Numbers) -> dict[str, float | None]:
    """Quadratic weighted kappa and mean recall of the codes, predictions taken to the nearest code."""
    if not (answers == np.round(answers)).all():
        return {"weighted_kappa": None, "macro_recall": None}
    guessed = np.clip(np.round(said), answers.min(), answers.max())
    recalls = [float((guessed[answers == code] == code).mean()) for code in np.unique(answers)]
    apart = ((answers[:, None] - guessed[None, :]) ** 2).mean()
    kappa = 1 - float(((answers - guessed) ** 2).mean() / apart) if apart > 0 else None
    return {"weighted_kappa": kappa, "macro_recall": float(np.mean(recalls))}


def _in_sample(model: Linear, table: PredictionTable) -> Facts:
    squared = (table.answers - model.predict(table.values)) ** 2
    r2 = _r2(squared, (table.answers - table.answers.mean()) ** 2)
    n, p = len(table.answers), int((model.weights != 0).sum())
    adjusted = 1 - (1 - r2) * (n - 1) / (n - p - 1) if r2 is not None and n > p + 1 else None
    return {"r2": r2, "adjusted_r2": adjusted, "predictors": p}


def _weights(model: Linear, table: PredictionTable) -> list[Facts]:
    pairs = sorted(zip(table.predictors, model.weights, strict=True), key=lambda pair: -abs(pair[1]))
    return [{"measure": name, "weight": float(weight)} for name, weight in pairs if weight]


def correlate(dataset: Dataset, target: str | None = None) -> list[Facts]:
    """Every parameter with every target (or one): Spearman's rho, its p value and n, strongest first.

    Note    p takes dialogues as independent; judgements of the user are marked
    """
    answered, known = targets(dataset), parameters(dataset)
    found: list[Facts] = []
    for goal in [target] if target is not None and target in answered else list(answered.columns):
        for name in known.columns:
            one = answered[goal].reindex(known.index).to_numpy(dtype="float64")
            other = known[name].to_numpy(dtype="float64")
            both = ~np.isnan(one) & ~np.isnan(other)
            if both.sum() < FEWEST or np.ptp(one[both]) == 0 or np.ptp(other[both]) == 0:
                continue
            result: Any = stats.spearmanr(one[both], other[both])
            found.append({
                "target": goal, "measure": name, "rho": float(result.statistic), "p": float(result.pvalue),
                "n": int(both.sum()), "judgement": name in JUDGEMENTS,
            })  # fmt: skip
    return sorted(found, key=lambda row: (row["target"], -abs(row["rho"])))
