"""Calibration of a recogniser's confidences: does what it is 80 % sure of turn out right in 80 % of cases?

Confidences and outcomes come from `measures.confidence`; intervals are taken over participants.

Source  Brier 1950; Guo et al. 2017, On calibration of modern neural networks (expected calibration error);
        Hanley and McNeil 1982 (area under the curve as a probability)
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from vivavoce.core.errors import InputError
from vivavoce.core.signature import installed_version, signature
from vivavoce.log.dataset import Dataset
from vivavoce.measures.base import Tables
from vivavoce.measures.compute import group_keys
from vivavoce.measures.confidence import Ranks, SureHypothesis, sure_hypotheses
from vivavoce.measures.recognition import LIVE
from vivavoce.stats.bootstrap import DRAWS
from vivavoce.stats.clusters import clustered_rate, sum_by_participant

Facts = dict[str, Any]
Values = np.ndarray[Any, np.dtype[np.float64]]
BINS: Final = 10
UNIT: Final = "hypothesis"


def has_confidences(dataset: Dataset) -> bool:
    """Whether any first hypothesis has a confidence and a transcript."""
    return bool(sure_hypotheses(Tables(dataset)))


def confidence_results(
    dataset: Dataset, by: str | None = "system", *, source: str = LIVE, ranks: Ranks = "first",
    bins: int = BINS, level: float = 0.95, draws: int = DRAWS,
) -> Facts:  # fmt: skip
    """Calibration of one recogniser or pass, over everything and by group.

    Input   ranks: the first hypothesis of each turn, or all; bins: of equal width, for the diagram
    Output  all, and by: key, and what `calibration` gives; and what the figures rest on
    Raises  InputError: no hypothesis of this source has a confidence and a transcript
    """
    found = sure_hypotheses(Tables(dataset), source, ranks)
    if not found:
        raise InputError(
            f"no hypothesis of {source!r} with a confidence, of a turn with a transcript",
            place=str(dataset.folder), hint="take a dataset whose recogniser told confidences, transcribed",
        )  # fmt: skip
    rows = dataset.read("dialogues").to_pylist()
    people = {row["dialogue_id"]: row["participant_id"] or row["dialogue_id"] for row in rows}
    keys = dict(zip((row["dialogue_id"] for row in rows), group_keys(dataset, by), strict=True))

    def facts(of: Sequence[SureHypothesis], key: str | None) -> Facts:
        line = signature(
            "confidence_calibration", unit=UNIT, n=len(of), data=dataset.hash, source=source, ranks=ranks,
            bins=bins, right="every word", interval=f"cluster_bootstrap {draws} {level}",
        )  # fmt: skip
        whole = calibration(of, [people[one.dialogue_id] for one in of], bins=bins, level=level, draws=draws)
        return {"key": key, **whole, "signature": line}

    order = sorted({keys[one.dialogue_id] for one in found}, key=lambda key: (key is None, str(key)))
    return {
        "study": dataset.study, "data": dataset.hash, "vivavoce": installed_version(), "level": level,
        "simulated": dataset.simulated, "source": source, "ranks": ranks, "by_what": by, "unit": UNIT,
        "all": facts(found, None),
        "by": [facts([one for one in found if keys[one.dialogue_id] == key], key) for key in order],
    }  # fmt: skip


def calibration(
    found: Sequence[SureHypothesis], people: Sequence[str], *, bins: int = BINS, level: float = 0.95,
    draws: int = DRAWS,
) -> Facts:  # fmt: skip
    """How confidences and outcomes go together.

    Input   hypotheses, and who said each (the cluster)
    Output  n, participants, right (share), confidence (mean);
            brier, expected_calibration_error (share-weighted distance of confidence and share right over the
            bins), auc (chance that a right hypothesis is surer than a wrong one, ties half), each with low
            and high; brier_constant: of who always says the share right; bins: low, high, n, confidence,
            right, right_low, right_high
    Empty   all right, or all wrong: auc missing; fewer than 2 participants: no intervals
    Note    the calibration error of a finite sample is above 0 even for a perfect recogniser
    """
    sure = np.array([one.confidence for one in found], float)
    right = np.array([one.right for one in found], float)
    _, who = np.unique(people, return_inverse=True)
    place = np.minimum((sure * bins).astype(int), bins - 1)

    def brier(weights: Values) -> float:
        return float(np.average((sure - right) ** 2, weights=weights))

    def error(weights: Values) -> float:
        gaps = np.bincount(place, weights * (sure - right), bins)
        return float(np.abs(gaps).sum() / weights.sum())

    def auc(weights: Values) -> float:
        return _auc(sure, right, weights)

    measured = {"brier": brier, "expected_calibration_error": error, "auc": auc}
    intervals = _intervals(measured, who, level, draws)
    ones, share = np.ones(len(found)), float(right.mean())
    return {
        "n": len(found), "participants": int(who.max()) + 1, "right": share, "confidence": float(sure.mean()),
        **{name: _number(make(ones)) for name, make in measured.items()},
        **{f"{name}_{end}": value for name, both in intervals.items() for end, value in both.items()},
        "brier_constant": share * (1 - share),
        "bins": [_bin(number, bins, sure, right, who, place, level) for number in range(bins)],
    }  # fmt: skip


def _bin(
    number: int, bins: int, sure: Values, right: Values, who: np.ndarray, place: np.ndarray, level: float
) -> Facts:
    here = place == number
    facts: Facts = {"low": number / bins, "high": (number + 1) / bins, "n": int(here.sum())}
    if not here.any():
        return facts | dict.fromkeys(("confidence", "right", "right_low", "right_high"))
    interval = clustered_rate(sum_by_participant(who[here], right[here], np.ones(here.sum())), level)
    return facts | {
        "confidence": float(sure[here].mean()), "right": float(right[here].mean()),
        "right_low": interval.low, "right_high": interval.high,
    }  # fmt: skip


def _auc(sure: Values, right: Values, weights: Values) -> float:
    """Chance that a right one is surer than a wrong one; nan where there is no wrong or no right one."""
    _, level = np.unique(sure, return_inverse=True)
    good, bad = np.bincount(level, weights * right), np.bincount(level, weights * (1 - right))
    below = np.cumsum(bad) - bad
    pairs = good.sum() * bad.sum()
    return float((good * (below + bad / 2)).sum() / pairs) if pairs else float("nan")


def _intervals(
    measured: dict[str, Callable[[Values], float]], who: np.ndarray, level: float, draws: int
) -> dict[str, dict[str, float | None]]:
    """Percentile intervals, whole participants drawn.

    Source  Field and Welsh 2007
    """
    people = int(who.max()) + 1
    if people < 2:
        return {name: {"low": None, "high": None} for name in measured}
    rng, drawn = np.random.default_rng(1), {name: list[float]() for name in measured}
    for _ in range(draws):
        weights = np.bincount(rng.integers(0, people, people), minlength=people).astype(float)[who]
        for name, make in measured.items():
            drawn[name].append(make(weights))
    tails = [(1 - level) / 2, (1 + level) / 2]
    found: dict[str, dict[str, float | None]] = {}
    for name, values in drawn.items():
        known = np.array(values)[~np.isnan(values)]
        low, high = np.quantile(known, tails) if len(known) else (np.nan, np.nan)
        found[name] = {"low": _number(float(low)), "high": _number(float(high))}
    return found


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value
