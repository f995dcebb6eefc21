"""Scores of predictions, each with an interval from drawing participants with replacement."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vivavoce.stats.bootstrap import ends

Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]
DRAWS: Final = 1000
CHUNK: Final = 4_000_000
LEVEL: Final = 0.95


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Predictions for dialogues that were held out.

    said     expected judgements
    naive    the training mean of whoever predicted the dialogue
    chosen   codes; None where the target has none
    """

    answers: Numbers
    said: Numbers
    naive: Numbers
    chosen: Numbers | None
    people: Sequence[str]


@dataclass(frozen=True, slots=True)
class PredictionScores:
    """Quality of predictions; None where it cannot be computed.

    r2              1 - SSE / SST about the training mean
    rmse            in the unit of the answers
    spearman        Spearman's rho; None for a constant prediction
    weighted_kappa  quadratic; `macro_recall`: mean recall of the codes; None for a target without codes
    """

    r2: float | None
    r2_low: float | None
    r2_high: float | None
    rmse: float | None
    rmse_low: float | None
    rmse_high: float | None
    spearman: float | None
    spearman_low: float | None
    spearman_high: float | None
    weighted_kappa: float | None
    weighted_kappa_low: float | None
    weighted_kappa_high: float | None
    macro_recall: float | None
    macro_recall_low: float | None
    macro_recall_high: float | None


def scores(held_out: HeldOut, *, seed: int = 1, draws: int = DRAWS) -> PredictionScores:
    """Every score with its 95 % interval, from participants drawn with replacement."""
    figures: dict[str, Callable[[Numbers], Numbers]] = {
        "r2": lambda weights: _r2(held_out, weights),
        "rmse": lambda weights: _rmse(held_out, weights),
        "spearman": lambda weights: rank_correlation(held_out.said, held_out.answers, weights),
        "weighted_kappa": lambda weights: _kappa(held_out, weights),
        "macro_recall": lambda weights: _recall(held_out, weights),
    }
    score_values: dict[str, float | None] = {}
    weight_chunks = list(_drawn(held_out.people, draws, seed)) if len(set(held_out.people)) > 1 else []
    for name, figure in figures.items():
        score_values[name] = _number(figure(np.ones((1, len(held_out.answers))))[0])
        values = (
            np.concatenate([figure(weights) for weights in weight_chunks])
            if weight_chunks
            else np.array([np.nan])
        )
        finite = values[np.isfinite(values)] if score_values[name] is not None else np.array([])
        people = len(set(held_out.people))
        limits = np.quantile(finite, ends(LEVEL, people)) if len(finite) else (None, None)
        score_values[f"{name}_low"], score_values[f"{name}_high"] = (
            None if limit is None else float(limit) for limit in limits
        )
    return PredictionScores(**score_values)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _drawn(people: Sequence[str], draws: int, seed: int) -> Iterator[Numbers]:
    """Weight of each dialogue in each draw of participants: draws in rows, some at a time."""
    names, who = np.unique(np.asarray(people), return_inverse=True)
    rng, at_once = np.random.default_rng(seed), max(1, CHUNK // len(who))
    for start in range(0, draws, at_once):
        number = min(at_once, draws - start)
        counts = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=number)
        yield counts[:, who].astype("float64")


def _r2(held_out: HeldOut, weights: Numbers) -> Numbers:
    squared, base = (held_out.answers - held_out.said) ** 2, (held_out.answers - held_out.naive) ** 2
    return 1 - _over(weights @ squared, weights @ base)


def _rmse(held_out: HeldOut, weights: Numbers) -> Numbers:
    return np.sqrt(_over(weights @ (held_out.answers - held_out.said) ** 2, weights.sum(axis=1)))


def rank_correlation(first: Numbers, second: Numbers, weights: Numbers) -> Numbers:
    """Spearman's rho, cases counted as often as their weight says: one value a row of weights."""
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return np.full(len(weights), np.nan)
    x, y = _ranks(first, weights), _ranks(second, weights)
    n = weights.sum(axis=1)
    x -= _over((weights * x).sum(axis=1), n)[:, None]
    y -= _over((weights * y).sum(axis=1), n)[:, None]
    covariance = (weights * x * y).sum(axis=1)
    return _over(covariance, np.sqrt((weights * x**2).sum(axis=1) * (weights * y**2).sum(axis=1)))


def _ranks(values: Numbers, weights: Numbers) -> Numbers:
    """Mid-ranks of the cases when each is there as often as its weight."""
    _, place = np.unique(values, return_inverse=True)
    order = np.argsort(place, kind="stable")
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    sizes = np.add.reduceat(weights[:, order], starts, axis=1)
    middles = np.cumsum(sizes, axis=1) - (sizes - 1) / 2
    return middles[:, place]


def _kappa(held_out: HeldOut, weights: Numbers) -> Numbers:
    """1 - observed over expected squared distance of codes."""
    if held_out.chosen is None:
        return np.full(len(weights), np.nan)
    a, g, n = held_out.answers, held_out.chosen, weights.sum(axis=1)
    observed = (weights @ (a - g) ** 2) / n
    expected = weights @ a**2 / n + weights @ g**2 / n - 2 * (weights @ a / n) * (weights @ g / n)
    return 1 - _over(observed, expected)


def _recall(held_out: HeldOut, weights: Numbers) -> Numbers:
    if held_out.chosen is None:
        return np.full(len(weights), np.nan)
    codes = np.unique(held_out.answers)
    is_code = (held_out.answers[:, None] == codes[None, :]).astype("float64")
    right = is_code * (held_out.chosen[:, None] == codes[None, :])
    recalls = _over(weights @ right, weights @ is_code)
    finite = np.isfinite(recalls)
    return _over(np.where(finite, recalls, 0).sum(axis=1), finite.sum(axis=1).astype("float64"))


def _over(above: Numbers, below: Numbers) -> Numbers:
    """above / below; NaN where below is nothing."""
    return np.divide(above, below, out=np.full(np.shape(above), np.nan), where=below > 0)
