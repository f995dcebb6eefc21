"""Every interaction parameter with every judgement, by rank, participants as the unit of the interval."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from vivavoce.analysis.prediction.table import JUDGEMENTS, column_of, parameters, people_of, targets
from vivavoce.core.result import spread
from vivavoce.dataset.reader import Dataset
from vivavoce.measures import MEASURES
from vivavoce.stats.prediction.scores import LEVEL, rank_correlation

Numbers = NDArray[np.float64]
FEWEST: Final = 10
MOST_BLOCKS: Final = 100


@dataclass(frozen=True, slots=True)
class SpearmanRho:
    """rho over n dialogues; its interval, and p, are over participants (None with fewer than three)."""

    rho: float
    low: float | None
    high: float | None
    p: float | None
    n: int
    participants: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterCorrelation:
    """A parameter with a target; `judgement`: the parameter is itself a judgement of the user."""

    target: str
    measure: str
    symbol: str | None
    found: SpearmanRho = spread()
    judgement: bool


def correlate(dataset: Dataset, target: str | None = None) -> list[ParameterCorrelation]:
    """Every parameter with every target (or one): Spearman's rho with interval, strongest first.

    Empty   fewer than ten dialogues with both, or one of them never varies: no row
    Note    intervals leave one participant out at a time (of many, one block of them), so dialogues of one
            person do not count as independent; p belongs to that interval and is not adjusted
    Raises  UnknownName: no such target
    Source  Miller 1974 on the jackknife, on Fisher's z
    """
    answered, all_parameters = targets(dataset), parameters(dataset, every=True)
    people = people_of(dataset)
    parameter_correlations: list[ParameterCorrelation] = []
    for goal in list(answered.columns) if target is None else [column_of(target, answered, dataset)]:
        judgement = answered[goal].reindex(all_parameters.index).to_numpy(dtype="float64")
        for name in all_parameters.columns:
            parameter = all_parameters[name].to_numpy(dtype="float64")
            complete = ~np.isnan(judgement) & ~np.isnan(parameter)
            if (
                complete.sum() < FEWEST
                or np.ptp(judgement[complete]) == 0
                or np.ptp(parameter[complete]) == 0
            ):
                continue
            who = [
                people[key]
                for key, is_complete in zip(all_parameters.index, complete, strict=True)
                if is_complete
            ]
            rho = _rho(judgement[complete], parameter[complete], who)
            parameter_correlations.append(
                ParameterCorrelation(
                    target=goal,
                    measure=str(name),
                    symbol=MEASURES.get(str(name)).symbol,
                    found=rho,
                    judgement=name in JUDGEMENTS,
                )
            )
    return sorted(parameter_correlations, key=lambda row: (row.target, -abs(row.found.rho)))


def _rho(first: Numbers, second: Numbers, people: Sequence[str]) -> SpearmanRho:
    names, who = np.unique(np.asarray(people), return_inverse=True)
    rho = float(rank_correlation(first, second, np.ones((1, len(first))))[0])
    alone = SpearmanRho(rho, None, None, None, len(first), len(names))
    blocks = min(len(names), MOST_BLOCKS)
    if blocks < 3 or abs(rho) >= 1:
        return alone
    left_out = np.arange(blocks)[:, None] != (who % blocks)[None, :]
    without = rank_correlation(first, second, left_out.astype("float64"))
    if not np.isfinite(without).all() or (np.abs(without) >= 1).any():
        return alone
    z, spread = np.arctanh(rho), np.arctanh(without)
    error = float(np.sqrt((blocks - 1) / blocks * ((spread - spread.mean()) ** 2).sum()))
    reach: Any = stats.t.ppf((1 + LEVEL) / 2, blocks - 1)
    low, high = np.tanh([z - reach * error, z + reach * error])
    p: Any = 2 * stats.t.sf(abs(z) / error, blocks - 1) if error > 0 else None
    return replace(alone, low=float(low), high=float(high), p=None if p is None else float(p))
