"""Listening tests: mean opinion scores by condition, and which of two conditions is preferred.

Source  ITU-T P.800 (1996): absolute category rating, 1 to 5; intervals over participants, who rate many clips
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final, TypeVar

import numpy as np

from vivavoce.core.errors import InputError
from vivavoce.core.result import installed_version, signature
from vivavoce.dataset.reader import Dataset
from vivavoce.stats.bounded import bounded_mean, bounded_share
from vivavoce.stats.difference import compare_clusters, interval_facts
from vivavoce.stats.multiple_testing import with_holm

Row = Mapping[str, Any]
WORST: Final = 1
BEST: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionOpinion:
    """The mean opinion score of one condition, from 1 to 5, with limits over participants.

    icc     how alike one participant's scores are
    counts  of the scores 1, 2, 3, 4, 5
    Empty   fewer than 2 participants, or nothing varied: no limits, and `method` says so
    """

    condition: str
    mean: float
    low: float | None
    high: float | None
    icc: float | None
    participants: int
    method: str
    ratings: int
    clips: int
    counts: Sequence[int]
    signature: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionContrast:
    """The score of a minus that of b, from -4 to 4.

    participants  who rated either; both: who rated both
    p_holm        over all contrasts
    Empty         nothing that can be tested: no limits and no p
    """

    a: str
    b: str
    difference: float
    low: float | None
    high: float | None
    p: float | None
    method: str
    participants: int
    both: int
    p_holm: float | None = None
    signature: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipPreference:
    """Share (0 to 1) that prefers a to b, a tie counting half to each; p against one half.

    p_holm  over all pairs
    Empty   nothing that can be tested: no limits and no p
    """

    a: str
    b: str
    share: float
    low: float | None
    high: float | None
    p: float | None
    icc: float | None
    participants: int
    method: str
    judgements: int
    a_better: int
    b_better: int
    ties: int
    p_holm: float | None = None
    signature: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListeningResults:
    """Scores, their differences between conditions by name, and preferences between conditions.

    left_out  who counted the tones wrong to the last
    """

    study: str
    data: str
    vivavoce: str
    level: float
    simulated: bool
    participants: int
    judgements: int
    left_out: int
    opinions: Sequence[ConditionOpinion]
    contrasts: Sequence[ConditionContrast]
    pairs: Sequence[ClipPreference]


Compared = TypeVar("Compared", ConditionContrast, ClipPreference)


def has_listening(dataset: Dataset) -> bool:
    """True if anybody judged clips."""
    return dataset.read("listening").num_rows > 0


def listening_results(dataset: Dataset, level: float = 0.95) -> ListeningResults:
    """Mean opinion scores, their differences between conditions, and preferences between conditions.

    Output  p is adjusted over the contrasts, and apart from them over the pairs
    Note    who counted the tones wrong to the last is left out, and counted in `left_out`
    Raises  InputError: no clip was judged by anybody whose hearing was right
    """
    judgements = dataset.read("listening").to_pylist()
    rows = [row for row in judgements if row["hearing"] is not False]
    if not rows:
        raise InputError(
            f"none of {len(judgements)} clip judgements is from a participant who passed the hearing check",
            place=str(dataset.folder),
            hint="export a study with completed `listen` steps",
        )
    rated = [row for row in rows if row["value"] is not None]
    compared = [row for row in rows if row["choice"] is not None]
    parts = {
        condition: [row for row in rated if row["condition"] == condition]
        for condition in sorted({row["condition"] for row in rated})
    }
    opinions = [_opinion(condition, condition_rows, level) for condition, condition_rows in parts.items()]
    contrasts = with_holm([_contrast(parts, a, b, level) for a, b in combinations(parts, 2)])
    pairs = with_holm(
        [
            _preference(pair, [row for row in compared if _couple(row) == pair], level)
            for pair in sorted({_couple(row) for row in compared})
        ]
    )
    people, deaf = len(set(_people(rows))), [row for row in judgements if row["hearing"] is False]
    return ListeningResults(
        study=dataset.study,
        data=dataset.hash,
        vivavoce=installed_version(),
        level=level,
        simulated=any(row["simulated"] for row in rows),
        participants=people,
        judgements=len(rows),
        left_out=len(set(_people(deaf))),
        opinions=[
            replace(
                opinion,
                signature=_signature("opinion", opinion, dataset.hash, level, condition=opinion.condition),
            )
            for opinion in opinions
        ],
        contrasts=_signed("opinion_difference", contrasts, dataset.hash, level),
        pairs=_signed("clip_pair", pairs, dataset.hash, level),
    )


def _signed(name: str, results: Sequence[Compared], data: str, level: float) -> list[Compared]:
    return [
        replace(result, signature=_signature(name, result, data, level, a=result.a, b=result.b))
        for result in results
    ]


def _signature(
    name: str,
    result: ConditionOpinion | ConditionContrast | ClipPreference,
    data: str,
    level: float,
    **of: str,
) -> str:
    return signature(
        name, unit="participant", n=result.participants, data=data, interval=f"{result.method} {level}", **of
    )


def _people(rows: Sequence[Row]) -> list[str]:
    return [row["participant_id"] or row["visit_id"] for row in rows]


def _couple(row: Row) -> tuple[str, str]:
    first, second = sorted((row["condition"], row["other_condition"] or ""))
    return first, second


def _opinion(condition: str, rows: Sequence[Row], level: float) -> ConditionOpinion:
    values = [row["value"] for row in rows]
    mean = bounded_mean(np.array(_people(rows)), values, WORST, BEST, level)  # its p means nothing here
    shares: dict[int, int] = defaultdict(int)
    for value in values:
        shares[int(value)] += 1
    return ConditionOpinion(
        condition=condition,
        mean=mean.mean,
        low=mean.low,
        high=mean.high,
        icc=mean.icc,
        participants=mean.participants,
        method=mean.method,
        ratings=len(rows),
        clips=len({row["clip"] for row in rows}),
        counts=[shares[code] for code in range(WORST, BEST + 1)],
    )


def _contrast(parts: dict[str, list[Row]], a: str, b: str, level: float) -> ConditionContrast:
    """The score of one condition minus another's; who rated both is in both."""
    people = [_people(parts[condition]) for condition in (a, b)]
    _, codes = np.unique(np.concatenate(people), return_inverse=True)
    who = np.split(codes, [len(people[0])])
    values = [np.array([row["value"] for row in parts[condition]], dtype=float) for condition in (a, b)]
    sides = [(value, np.ones(len(value))) for value in values]
    comparison = compare_clusters(who[0], who[1], sides[0], sides[1], level=level, most=BEST - WORST)
    interval = interval_facts(comparison)
    return ConditionContrast(
        a=a,
        b=b,
        difference=float(values[0].mean() - values[1].mean()),
        low=interval["low"],
        high=interval["high"],
        p=interval["p"],
        method=comparison.method if comparison else "none",
        participants=len(set(codes.tolist())),
        both=len(set(people[0]) & set(people[1])),
    )


def _preference(couple: tuple[str, str], rows: Sequence[Row], level: float) -> ClipPreference:
    """Preference for the first condition by name; a tie counts half."""
    a, b = couple
    won = [_won(row, a) for row in rows]
    share = bounded_share(np.array(_people(rows)), won, level)
    return ClipPreference(
        a=a,
        b=b,
        share=share.mean,
        low=share.low,
        high=share.high,
        p=share.p,
        icc=share.icc,
        participants=share.participants,
        method=share.method,
        judgements=len(rows),
        a_better=won.count(1.0),
        b_better=won.count(0.0),
        ties=won.count(0.5),
    )


def _won(row: Row, condition: str) -> float:
    if row["choice"] == "tie":
        return 0.5
    chosen = row["condition"] if row["choice"] == "first" else row["other_condition"]
    return 1.0 if chosen == condition else 0.0
