"""Listening tests: mean opinion scores by condition, and which of two conditions is preferred.

Source  ITU-T P.800 (1996): absolute category rating, 1 to 5; intervals over participants, who rate many clips
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from vivavoce.analysis.clusters import clustered_rate, sum_by_participant
from vivavoce.core.errors import InputError
from vivavoce.core.signature import installed_version, signature
from vivavoce.log.dataset import Dataset

Facts = dict[str, Any]


def has_listening(dataset: Dataset) -> bool:
    """Whether anybody judged clips."""
    return dataset.read("listening").num_rows > 0


def listening_results(dataset: Dataset, level: float = 0.95) -> Facts:
    """Mean opinion scores and preferences between conditions.

    Output  opinions: condition, mean (1 to 5), low, high, ratings, participants, clips, icc;
            pairs: a, b (conditions by name), share of a (a tie counts half to each), low, high, a_better,
            b_better, ties, participants
    Note    who counted the tones wrong to the last is left out, and counted in `left_out`
    Raises  InputError: no clip was judged by anybody whose hearing was right
    """
    every = dataset.read("listening").to_pylist()
    rows = [row for row in every if row["hearing"] is not False]
    if not rows:
        raise InputError(
            f"{len(every)} judgements of clips, none by people who counted the tones right",
            place=str(dataset.folder), cure="export a study with a step `listen` that people went through",
        )  # fmt: skip
    rated = [row for row in rows if row["value"] is not None]
    compared = [row for row in rows if row["choice"] is not None]
    people, deaf = len(set(_people(rows))), [row for row in every if row["hearing"] is False]
    return {
        "study": dataset.study, "data": dataset.hash, "vivavoce": installed_version(), "level": level,
        "simulated": any(row["simulated"] for row in rows), "participants": people, "judgements": len(rows),
        "left_out": len(set(_people(deaf))),
        "opinions": [
            _opinion(one, [row for row in rated if row["condition"] == one], level)
            for one in sorted({row["condition"] for row in rated})
        ],
        "pairs": [
            _preference(one, [row for row in compared if _couple(row) == one], level)
            for one in sorted({_couple(row) for row in compared})
        ],
        "signature": signature(
            "listening", unit="judgement", n=len(rows), data=dataset.hash,
            interval=f"cluster_jackknife_t {level}",
        ),
    }  # fmt: skip


def _people(rows: Sequence[Facts]) -> list[str]:
    return [row["participant_id"] or row["visit_id"] for row in rows]


def _couple(row: Facts) -> tuple[str, str]:
    first, second = sorted((row["condition"], row["other_condition"] or ""))
    return first, second


def _interval(
    rows: Sequence[Facts], values: Sequence[float], level: float, *, least: float, most: float
) -> Facts:
    """Interval of a mean over participants, held within the scale; none where only one took part.

    Shares without ties are rates, whose interval is never a point.
    """
    numbers = np.array(values, dtype=float)
    _, codes = np.unique(_people(rows), return_inverse=True)
    sums = sum_by_participant(codes, numbers, np.ones(len(numbers)))
    counted = most == 1 and not (numbers % 1).any()
    squares = None if counted else np.bincount(codes, numbers**2).astype(float)
    found = clustered_rate(sums, level, squares)
    low = None if found.low is None else max(least, found.low)
    high = None if found.high is None else min(most, found.high)
    return {"low": low, "high": high, "icc": found.icc, "participants": found.clusters}


def _opinion(condition: str, rows: Sequence[Facts], level: float) -> Facts:
    values = [row["value"] for row in rows]
    facts = _interval(rows, values, level, least=1, most=5)
    shares: dict[int, int] = defaultdict(int)
    for value in values:
        shares[int(value)] += 1
    return {
        "condition": condition, "mean": float(np.mean(values)), **facts, "ratings": len(rows),
        "clips": len({row["clip"] for row in rows}), "counts": [shares[code] for code in range(1, 6)],
    }  # fmt: skip


def _preference(couple: tuple[str, str], rows: Sequence[Facts], level: float) -> Facts:
    """How often the first condition by name is preferred; a tie counts half."""
    a, b = couple
    won = [_won(row, a) for row in rows]
    facts = _interval(rows, won, level, least=0, most=1)
    return {
        "a": a, "b": b, "share": float(np.mean(won)), **facts, "judgements": len(rows),
        "a_better": won.count(1.0), "b_better": won.count(0.0), "ties": won.count(0.5),
    }  # fmt: skip


def _won(row: Facts, condition: str) -> float:
    if row["choice"] == "tie":
        return 0.5
    chosen = row["condition"] if row["choice"] == "first" else row["other_condition"]
    return 1.0 if chosen == condition else 0.0
