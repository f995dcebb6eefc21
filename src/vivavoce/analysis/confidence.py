"""Calibration of a recogniser's confidences: does what it is 80 % sure of turn out right in 80 % of cases?

Confidences and outcomes come from `measures.recognition`; intervals are taken over participants.

Source  Brier 1950; Guo et al. 2017, On calibration of modern neural networks (expected calibration error);
        Hanley and McNeil 1982 (area under the curve as a probability)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from vivavoce.core.errors import InputError
from vivavoce.core.executor import in_pieces
from vivavoce.core.result import installed_version, signature, spread
from vivavoce.dataset.reader import Dataset
from vivavoce.measures.base import Tables
from vivavoce.measures.compute import group_keys
from vivavoce.measures.recognition import LIVE, Ranks, SureHypothesis, sure_hypotheses
from vivavoce.stats.bootstrap import CHUNK, DRAWS
from vivavoce.stats.clusters import clustered_rate, sum_by_participant

Values = np.ndarray[Any, np.dtype[np.float64]]
BINS: Final = 10
UNIT: Final = "hypothesis"


@dataclass(frozen=True, slots=True)
class ConfidenceBin:
    """Hypotheses whose confidence lies between low and high: mean confidence, share right with its limits.

    Empty  n 0: no mean, no share; hypotheses of one participant: no limits
    """

    low: float
    high: float
    n: int
    confidence: float | None = None
    right: float | None = None
    right_low: float | None = None
    right_high: float | None = None


@dataclass(frozen=True, slots=True)
class Calibration:
    """Calibration of the confidences of `n` hypotheses; shares and scores from 0 to 1.

    right, confidence           share right, mean confidence
    brier                       mean squared distance from the outcome; brier_constant: of who always says
                                the share right
    expected_calibration_error  share-weighted distance of confidence and share right over the bins
    auc                         chance that a right hypothesis is surer than a wrong one, ties half
    Empty  all right, or all wrong: auc None; fewer than 2 participants: no limits
    """

    n: int
    participants: int
    right: float
    confidence: float
    brier: float
    expected_calibration_error: float
    auc: float | None
    brier_low: float | None
    brier_high: float | None
    expected_calibration_error_low: float | None
    expected_calibration_error_high: float | None
    auc_low: float | None
    auc_high: float | None
    brier_constant: float
    bins: tuple[ConfidenceBin, ...]

    def limits(self, name: str) -> tuple[float | None, float | None]:
        """The limits of brier, expected_calibration_error or auc."""
        return getattr(self, f"{name}_low"), getattr(self, f"{name}_high")


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupCalibration:
    """The calibration of one group; its key None: of all, or of dialogues without the group's fact."""

    key: str | None
    found: Calibration = spread()
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceResults:
    """Calibration of one recogniser or pass (`source`) over all hypotheses, and by group.

    noisy  how many of the `dialogues` that these hypotheses are of were typed by simulated users: no
           recogniser listened there, and the hypotheses are those of the noise between them and the system
    """

    study: str
    data: str
    vivavoce: str
    level: float
    simulated: bool
    source: str
    ranks: Ranks
    by_what: str | None
    unit: str
    dialogues: int
    noisy: int
    all: GroupCalibration
    by: tuple[GroupCalibration, ...]


def has_confidences(dataset: Dataset) -> bool:
    """True if any first hypothesis has a confidence and a transcript."""
    return bool(sure_hypotheses(Tables(dataset)))


def confidence_results(
    dataset: Dataset,
    by: str | None = "system",
    *,
    source: str = LIVE,
    ranks: Ranks = "first",
    bins: int = BINS,
    level: float = 0.95,
    draws: int = DRAWS,
) -> ConfidenceResults:
    """Calibration of one recogniser or pass, over everything and by group.

    Input   ranks: the first hypothesis of each turn, or all; bins: of equal width, for the diagram
    Raises  InputError: no hypothesis of this source has a confidence and a transcript
    """
    hypotheses = sure_hypotheses(Tables(dataset), source, ranks)
    if not hypotheses:
        raise InputError(
            f"no hypothesis of {source!r} has both a confidence and a transcript of its turn",
            place=str(dataset.folder),
            hint="use a transcribed dataset with recognition confidences",
        )
    rows = dataset.read("dialogues").to_pylist()
    people = {row["dialogue_id"]: row["participant_id"] or row["dialogue_id"] for row in rows}
    keys = dict(zip((row["dialogue_id"] for row in rows), group_keys(dataset, by), strict=True))

    def group(of: Sequence[SureHypothesis], key: str | None, figures: Calibration) -> GroupCalibration:
        line = signature(
            "confidence_calibration",
            unit=UNIT,
            n=len(of),
            data=dataset.hash,
            source=source,
            ranks=ranks,
            bins=bins,
            right="every word",
            interval=f"cluster_bootstrap {draws} {level}",
        )
        return GroupCalibration(key=key, found=figures, signature=line)

    used = {hypothesis.dialogue_id for hypothesis in hypotheses}
    typed = {row["dialogue_id"] for row in rows if row["simulated"] and not row["spoken"]}
    order = sorted(
        {keys[hypothesis.dialogue_id] for hypothesis in hypotheses}, key=lambda key: (key is None, str(key))
    )
    parts = [
        (None, hypotheses),
        *(
            (key, [hypothesis for hypothesis in hypotheses if keys[hypothesis.dialogue_id] == key])
            for key in order
        ),
    ]
    pieces = [(of, [people[hypothesis.dialogue_id] for hypothesis in of]) for _, of in parts]
    calibrated = in_pieces(partial(_calibrated, bins, level, draws), pieces)
    overall, *groups = [
        group(of, key, part_calibration)
        for (key, of), part_calibration in zip(parts, calibrated, strict=True)
    ]
    return ConfidenceResults(
        study=dataset.study,
        data=dataset.hash,
        vivavoce=installed_version(),
        level=level,
        simulated=dataset.simulated,
        source=source,
        ranks=ranks,
        by_what=by,
        unit=UNIT,
        dialogues=len(used),
        noisy=len(used & typed),
        all=overall,
        by=tuple(groups),
    )


def _calibrated(
    bins: int, level: float, draws: int, piece: tuple[Sequence[SureHypothesis], Sequence[str]]
) -> Calibration:
    return calibration(*piece, bins=bins, level=level, draws=draws)


def calibration(
    hypotheses: Sequence[SureHypothesis],
    people: Sequence[str],
    *,
    bins: int = BINS,
    level: float = 0.95,
    draws: int = DRAWS,
) -> Calibration:
    """Calibration of confidences against outcomes.

    Input   hypotheses, and who said each (the cluster)
    Note    the calibration error of a finite sample is above 0 even for a perfect recogniser
    """
    sure = np.array([hypothesis.confidence for hypothesis in hypotheses], float)
    right = np.array([hypothesis.right for hypothesis in hypotheses], float)
    _, who = np.unique(people, return_inverse=True)
    place = np.minimum((sure * bins).astype(int), bins - 1)
    _, rank = np.unique(sure, return_inverse=True)
    speakers = int(who.max()) + 1
    figures = _Figures(
        np.bincount(who, (sure - right) ** 2).astype(float),
        np.bincount(who).astype(float),
        np.bincount(who * bins + place, sure - right, speakers * bins).reshape(speakers, bins).astype(float),
        rank,
        right,
        who,
    )
    brier, error, auc = (float(figure[0]) for figure in figures.of(np.ones((1, speakers))))
    intervals = _intervals(figures, speakers, level, draws)
    share = float(right.mean())
    return Calibration(
        len(hypotheses),
        speakers,
        share,
        float(sure.mean()),
        brier,
        error,
        _number(auc),
        *intervals[0],
        *intervals[1],
        *intervals[2],
        share * (1 - share),
        tuple(_bin(number, bins, sure, right, who, place, level) for number in range(bins)),
    )


def _bin(
    number: int, bins: int, sure: Values, right: Values, who: np.ndarray, place: np.ndarray, level: float
) -> ConfidenceBin:
    in_bin = place == number
    low, high, n = number / bins, (number + 1) / bins, int(in_bin.sum())
    if not n:
        return ConfidenceBin(low, high, n)
    interval = clustered_rate(sum_by_participant(who[in_bin], right[in_bin], np.ones(n)), level)
    return ConfidenceBin(
        low, high, n, float(sure[in_bin].mean()), float(right[in_bin].mean()), interval.low, interval.high
    )


class _Figures(NamedTuple):
    """Sums by participant, which draws only weigh; and values by hypothesis for the AUC.

    squares, cases  by participant: squared distance of confidence and outcome, hypotheses
    gaps            by participant and bin: confidence less outcome
    rank            of each hypothesis' confidence among all that there are, from 0: sorting is what costs
    """

    squares: Values
    cases: Values
    gaps: Values
    rank: np.ndarray
    right: Values
    who: np.ndarray

    def of(self, weights: Values) -> tuple[Values, Values, Values]:
        """Brier score, calibration error, AUC of each draw: how often each participant counts, a row each."""
        cases = weights @ self.cases
        error = np.abs(weights @ self.gaps).sum(axis=1) / cases
        return weights @ self.squares / cases, error, np.array([self._auc(row[self.who]) for row in weights])

    def _auc(self, weights: Values) -> float:
        """Chance that a right one is surer than a wrong one; nan where there is no wrong or no right one."""
        good = np.bincount(self.rank, weights * self.right)
        bad = np.bincount(self.rank, weights) - good
        below = np.cumsum(bad) - bad / 2  # ties count half
        pairs = good.sum() * bad.sum()
        return float((good * below).sum() / pairs) if pairs else float("nan")


def _intervals(
    figures: _Figures, people: int, level: float, draws: int
) -> list[tuple[float | None, float | None]]:
    """Percentile intervals of the three figures, whole participants drawn.

    Source  Field and Welsh 2007
    """
    if people < 2:
        return [(None, None)] * 3
    rng, figure_draws, at_once = np.random.default_rng(1), list[tuple[Values, ...]](), max(1, CHUNK // people)
    for start in range(0, draws, at_once):
        number = min(at_once, draws - start)
        picked = rng.integers(0, people, (number, people)) + people * np.arange(number)[:, None]
        weights = np.bincount(picked.ravel(), minlength=number * people).reshape(number, people)
        figure_draws.append(figures.of(weights.astype(float)))
    tails = [(1 - level) / 2, (1 + level) / 2]
    limits: list[tuple[float | None, float | None]] = []
    for values in map(np.concatenate, zip(*figure_draws, strict=True)):
        valid = values[~np.isnan(values)]
        low, high = np.quantile(valid, tails) if len(valid) else (np.nan, np.nan)
        limits.append((_number(float(low)), _number(float(high))))
    return limits


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value
