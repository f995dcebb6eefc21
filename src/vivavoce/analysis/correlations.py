"""Rank correlations of parameters over dialogues, for exploring."""

from itertools import combinations
from typing import Any, Final, NamedTuple

import numpy as np

from vivavoce.dataset.reader import Dataset
from vivavoce.measures.compute import components

SHOWN: Final = (
    "subjective_success",
    "objective_success_assigned",
    "objective_success_inferred",
    "turns",
    "user_words",
    "words_per_system_turn",
    "dialogue_duration",
    "system_response_delay",
    "user_response_delay",
    "word_error_rate",
)
FEWEST: Final = 10


class RankCorrelation(NamedTuple):
    """Spearman's rho of two measures over the n dialogues that have both."""

    a: str
    b: str
    rho: float
    n: int


def correlations(dataset: Dataset) -> list[RankCorrelation]:
    """Spearman's rho of every pair of parameters over the dialogues that have both.

    Output  in the order of SHOWN
    Empty   fewer than 10 dialogues with both, or one of them never varies: the pair is left out
    """
    parts = components(dataset)
    columns: dict[str, Any] = {}
    for name in SHOWN:
        rows = parts[parts["measure"] == name]
        if len(rows):
            tops, bottoms = (np.asarray(rows[part], dtype=float) for part in ("numerator", "denominator"))
            with np.errstate(divide="ignore", invalid="ignore"):
                columns[name] = np.where(bottoms > 0, tops / bottoms, np.nan)
    rank_correlations: list[RankCorrelation] = []
    for a, b in combinations(columns, 2):
        complete = ~(np.isnan(columns[a]) | np.isnan(columns[b]))
        first, second = columns[a][complete], columns[b][complete]
        if complete.sum() >= FEWEST and np.ptp(first) > 0 and np.ptp(second) > 0:
            from scipy.stats import rankdata

            rho = float(np.corrcoef(rankdata(first), rankdata(second))[0, 1])
            rank_correlations.append(RankCorrelation(a, b, rho, int(complete.sum())))
    return rank_correlations
