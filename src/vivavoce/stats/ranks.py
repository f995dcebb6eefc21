"""Ordinal answers: which of two groups answers higher, naively and with participants as the unit."""

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from vivavoce.stats.clusters import FEW
from vivavoce.stats.distributions import t_quantile, t_tail
from vivavoce.stats.summary_results import OrdinalOdds, Superiority

Answers = Sequence[float] | np.ndarray


class RankTest(NamedTuple):
    """U, two-tailed p, chance that an answer of a is higher than one of b (ties half), Cliff's delta."""

    u: float
    p: float
    superiority: float
    cliff_delta: float


def mann_whitney(a: Answers, b: Answers, *, continuity: bool = True) -> RankTest | None:
    """Mann-Whitney's test, tie-corrected normal approximation, answers taken as independent.

    Empty   a group without answers, or nothing varied: None
    Source  golden case in tests/golden/statistics-ranks.json
    """
    if not len(a) or not len(b) or np.ptp(np.concatenate([a, b])) == 0:
        return None
    from scipy.stats import mannwhitneyu

    test = mannwhitneyu(a, b, method="asymptotic", use_continuity=continuity)
    share = float(test.statistic) / (len(a) * len(b))
    return RankTest(float(test.statistic), float(test.pvalue), share, 2 * share - 1)


def clustered_superiority(
    a: Answers, b: Answers, people_a: Sequence[Any], people_b: Sequence[Any], level: float = 0.95
) -> Superiority:
    """Chance that an answer of a is higher than one of b, tested against one half over participants.

    Note    leave-one-participant-out weights, t with g - 1 degrees
    Empty   a group with answers of fewer than 2 participants: share only
    Source  Obuchowski 1997 (nonparametric, clustered), influence by placements
    """
    scores_a, scores_b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    people, codes = np.unique(np.array([*map(str, people_a), *map(str, people_b)]), return_inverse=True)
    superiority = Superiority(clusters=len(people))
    if not len(scores_a) or not len(scores_b):
        return superiority
    placed_a, placed_b = _placements(scores_a, scores_b), 1 - _placements(scores_b, scores_a)
    share = float(placed_a.mean())
    superiority = replace(superiority, share=share)
    errors = np.zeros(len(people))
    for placed, side_codes in ((placed_a, codes[: len(scores_a)]), (placed_b, codes[len(scores_a) :])):
        weight = np.bincount(side_codes, minlength=len(people)) / len(placed)
        if weight.max() >= 1:
            return superiority
        errors += np.bincount(side_codes, placed - share, len(people)) / len(placed) / (1 - weight)
    error = math.sqrt(float((errors**2).sum()))
    if error < 1e-12:
        return superiority
    df = len(people) - 1
    reach = t_quantile((1 + level) / 2, df) * error
    t = (share - 0.5) / error
    p = 2 * t_tail(abs(t), df)
    return replace(superiority, low=max(0.0, share - reach), high=min(1.0, share + reach), t=t, p=p)


def _placements(scores: np.ndarray, reference_scores: np.ndarray) -> np.ndarray:
    """For each score the share of the others below it, ties half."""
    from scipy.stats import rankdata

    ranks = rankdata(np.concatenate([scores, reference_scores]))[: len(scores)]
    return (ranks - rankdata(scores)) / len(reference_scores)


def ordinal_regression(
    a: Answers, b: Answers, people_a: Sequence[Any], people_b: Sequence[Any], level: float = 0.95
) -> OrdinalOdds:
    """Cumulative logit: odds of a higher answer in a against b, errors clustered by participant.

    Empty   a single answer everywhere, none given twice, or no convergence: values missing; fewer than 10
            participants: odds ratio only; `why` says so
    Source  McCullagh 1980, by statsmodels
    """
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    scores = np.concatenate([np.asarray(a, dtype=float), np.asarray(b, dtype=float)])
    people = np.unique(np.array([*map(str, people_a), *map(str, people_b)]), return_inverse=True)[1]
    if len(np.unique(scores)) < 2 or not len(a) or not len(b) or people.max() < 1:
        return OrdinalOdds(why="Nothing varied, or a group has no answer.")
    levels = np.unique(scores, return_inverse=True)[1]
    if levels.max() + 1 == len(scores):
        return OrdinalOdds(why="No answer was given twice: there are too few for a model.")
    is_a = (np.arange(len(scores)) < len(a)).astype(float)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = OrderedModel(levels, is_a[:, None], distr="logit")
            fit: Any = model.fit(method="bfgs", disp=False, cov_type="cluster", cov_kwds={"groups": people})
            effect, error = float(fit.params[0]), float(fit.bse[0])
    except (Warning, ValueError, np.linalg.LinAlgError) as problem:
        return OrdinalOdds(why=f"Not fitted: {str(problem).splitlines()[0]}")
    df = int(people.max())
    if df + 1 < FEW:
        why = f"Only {df + 1} participants, fewer than {FEW}: no standard error can be trusted."
        return OrdinalOdds(odds_ratio=math.exp(effect), why=why)
    reach = t_quantile((1 + level) / 2, df) * error
    return OrdinalOdds(
        odds_ratio=math.exp(effect),
        low=math.exp(effect - reach),
        high=math.exp(effect + reach),
        p=2 * t_tail(abs(effect / error), df),
        why="Cumulative logit, errors clustered by participant, t over participants.",
    )
