"""What a model goes by: weights with intervals, what each predictor is worth, its course, and calibration."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from vivavoce.core.signature import signature
from vivavoce.log.dataset import Dataset
from vivavoce.stats.prediction.evaluation import FOLDS, Facts, Progress, held_out
from vivavoce.stats.prediction.fitting import WEIGHING, Fitted, Kind, fit
from vivavoce.stats.prediction.linear import folds
from vivavoce.stats.prediction.scores import HeldOut, Numbers
from vivavoce.stats.prediction.table import PredictionTable, prediction_table

REFITS: Final = 100
SHUFFLES: Final = 5
COURSES: Final = 6
STEPS: Final = 20
BINS: Final = 10
LEVEL: Final = 0.95
COLLINEAR: Final = 5.0


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
) -> Facts:
    """One model of all dialogues, explained.

    Output  coefficients: weight of each normalised predictor with low and high (participants drawn anew, the
            whole choice of predictors and penalty repeated) and kept (share of those draws in which it is not
            0), None for trees; importance: R2 of unseen participants lost when the predictor's values are
            shuffled; collinear: variance inflation above 5; courses: mean prediction over the range of the
            predictors that matter most; calibration: predictions for unseen participants in tenths, beside
            the mean answer with its interval; judgements, signature
    Note    a weight says what a parameter adds beside the others, never what it causes
    """
    table = prediction_table(dataset, target, predictors, judgements=judgements)
    model = fit(kind, table.values, table.answers, table.participants)
    importance = _importance(table, kind, seed)
    return {
        "target": target, "kind": kind, "n": len(table.answers),
        "participants": len(set(table.participants)), "predictors": list(table.predictors),
        "judgements": list(table.judgements), "left_out": dict(table.left_out),
        "warnings": table.warnings,
        "coefficients": _coefficients(table, model, seed, refits, progress) if kind in WEIGHING else None,
        "importance": importance,
        "collinear": _collinear(table, model),
        "courses": [_course(table, model, row["measure"]) for row in importance[:COURSES]],
        "calibration": _calibration(held_out(table, kind, table.participants, FOLDS, seed), seed),
        "signature": signature(
            "explanation", unit="dialogue", n=len(table.answers), data=dataset.hash, target=target, kind=kind,
            seed=seed,
        ),
    }  # fmt: skip


def _coefficients(
    table: PredictionTable, model: Fitted, seed: int, refits: int, progress: Progress | None
) -> list[Facts]:
    weights = _weights(model)
    drawn = np.array(list(_refitted(table, model.kind, seed, refits, progress)))
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    kept = (drawn != 0).mean(axis=0)
    rows = [
        {"measure": name, "weight": float(weights[place]), "low": float(low[place]),
         "high": float(high[place]), "kept": float(kept[place])}
        for place, name in enumerate(table.predictors)
    ]  # fmt: skip
    return sorted(rows, key=lambda row: -abs(row["weight"]))


def _refitted(table: PredictionTable, kind: Kind, seed: int, refits: int, progress: Progress | None) -> Any:
    """The weights of models of participants drawn with replacement."""
    names, who = np.unique(np.asarray(table.participants), return_inverse=True)
    rows = [np.flatnonzero(who == number) for number in range(len(names))]
    rng = np.random.default_rng(seed)
    for number in range(refits):
        picked = rng.integers(0, len(names), len(names))
        chosen = np.concatenate([rows[one] for one in picked])
        people = [str(names[one]) for one in picked for _ in rows[one]]
        yield _weights(fit(kind, table.values[chosen], table.answers[chosen], people))
        if progress is not None:
            progress(number + 1, refits)


def _weights(model: Fitted) -> Numbers:
    return model.weights if model.weights is not None else np.array([])


def _importance(table: PredictionTable, kind: Kind, seed: int) -> list[Facts]:
    """R2 of unseen participants, less R2 with the values of one predictor shuffled among them."""
    rng = np.random.default_rng(seed)
    lost = np.zeros(len(table.predictors))
    base = 0.0
    for train, test in folds(table.participants, FOLDS, seed):
        people = [who for who, inside in zip(table.participants, train, strict=True) if inside]
        model = fit(kind, table.values[train], table.answers[train], people)
        values, answers = table.values[test], table.answers[test]
        error = float(((answers - model.predict(values)) ** 2).sum())
        base += float(((answers - table.answers[train].mean()) ** 2).sum())
        for place in range(len(lost)):
            shuffled = values.copy()
            for _ in range(SHUFFLES):
                shuffled[:, place] = rng.permutation(values[:, place])
                lost[place] += (float(((answers - model.predict(shuffled)) ** 2).sum()) - error) / SHUFFLES
    found = [{"measure": name, "r2_lost": float(loss / base) if base else None}
             for name, loss in zip(table.predictors, lost, strict=True)]  # fmt: skip
    return sorted(found, key=lambda row: -(row["r2_lost"] or 0.0))


def _collinear(table: PredictionTable, model: Fitted) -> list[Facts]:
    """Variance inflation of predictors: 1 / (1 - R2) of each by all others; above 5 is named."""
    inputs = model.scaling.normalised(table.values)
    if inputs.shape[1] < 2:
        return []
    inflation = np.diag(np.linalg.pinv(np.corrcoef(inputs.T), hermitian=True))
    found = [
        {"measure": name, "vif": float(one)} for name, one in zip(table.predictors, inflation, strict=True)
    ]
    return sorted((row for row in found if row["vif"] > COLLINEAR), key=lambda row: -row["vif"])


def _course(table: PredictionTable, model: Fitted, measure: str) -> Facts:
    """The mean prediction when every dialogue had this value: from the 5th to the 95th percentile."""
    place = table.predictors.index(measure)
    column = table.values[:, place]
    known = column[~np.isnan(column)]
    low, high = np.quantile(known, [0.05, 0.95])
    values = table.values.copy()
    points: list[dict[str, float]] = []
    for value in np.unique(np.linspace(low, high, STEPS)):
        values[:, place] = value
        points.append({"value": float(value), "predicted": float(model.predict(values).mean())})
    return {"measure": measure, "points": points}


def _calibration(held: HeldOut, seed: int) -> list[Facts]:
    """Tenths of the predictions, each with the mean answer and its interval (participants drawn anew)."""
    order = np.argsort(held.said, kind="stable")
    _, who = np.unique(np.asarray(held.people), return_inverse=True)
    people = int(who.max()) + 1
    drawn = np.random.default_rng(seed).multinomial(people, np.full(people, 1 / people), size=500)
    found: list[Facts] = []
    for part in np.array_split(order, min(BINS, len(order))):
        sums = np.bincount(who[part], held.answers[part], people)
        counts = np.bincount(who[part], minlength=people)
        below = drawn @ counts
        means = (drawn @ sums)[below > 0] / below[below > 0]
        low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        found.append({
            "predicted": float(held.said[part].mean()), "answered": float(held.answers[part].mean()),
            "low": float(low), "high": float(high), "n": len(part),
        })  # fmt: skip
    return found
