"""Listening tests: mean opinion scores by condition, and which of two conditions is preferred.

Source  ITU-T P.800 (1996): absolute category rating, 1 to 5; intervals over participants, who rate many clips
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import Any, Final

import numpy as np

from vivavoce.core.errors import InputError
from vivavoce.core.signature import installed_version, signature
from vivavoce.log.dataset import Dataset
from vivavoce.stats.bounded import bounded_mean, bounded_share
from vivavoce.stats.difference import compare_clusters, interval_facts
from vivavoce.stats.multiple_testing import holm

Facts = dict[str, Any]
WORST: Final = 1
BEST: Final = 5


def has_listening(dataset: Dataset) -> bool:
    """Whether anybody judged clips."""
    return dataset.read("listening").num_rows > 0


def listening_results(dataset: Dataset, level: float = 0.95) -> Facts:
    """Mean opinion scores, their differences between conditions, and preferences between conditions.

    Output  opinions: condition, mean (1 to 5), low, high, ratings, participants, clips, icc, counts;
            contrasts: a, b (conditions by name), difference (a minus b, -4 to 4), low, high, p, p_holm,
            participants (who rated either), both (who rated both); pairs: a, b, share of a (a tie counts half
            to each), low, high, p (against one half), p_holm, a_better, b_better, ties, participants. Every
            row has method and signature; p is adjusted over the contrasts, and apart from them over the pairs
    Note    who counted the tones wrong to the last is left out, and counted in `left_out`
    Raises  InputError: no clip was judged by anybody whose hearing was right
    """
    every = dataset.read("listening").to_pylist()
    rows = [row for row in every if row["hearing"] is not False]
    if not rows:
        raise InputError(
            f"{len(every)} judgements of clips, none by people who counted the tones right",
            place=str(dataset.folder), hint="export a study with a step `listen` that people went through",
        )  # fmt: skip
    rated = [row for row in rows if row["value"] is not None]
    compared = [row for row in rows if row["choice"] is not None]
    parts = {
        one: [row for row in rated if row["condition"] == one]
        for one in sorted({row["condition"] for row in rated})
    }
    opinions = [_opinion(one, own, level) for one, own in parts.items()]
    contrasts = _adjusted([_contrast(parts, a, b, level) for a, b in combinations(parts, 2)])
    pairs = _adjusted([
        _preference(one, [row for row in compared if _couple(row) == one], level)
        for one in sorted({_couple(row) for row in compared})
    ])  # fmt: skip
    for name, found in (("opinion", opinions), ("opinion_difference", contrasts), ("clip_pair", pairs)):
        for one in found:
            one["signature"] = _signature(name, one, dataset.hash, level)
    people, deaf = len(set(_people(rows))), [row for row in every if row["hearing"] is False]
    return {
        "study": dataset.study, "data": dataset.hash, "vivavoce": installed_version(), "level": level,
        "simulated": any(row["simulated"] for row in rows), "participants": people, "judgements": len(rows),
        "left_out": len(set(_people(deaf))), "opinions": opinions, "contrasts": contrasts, "pairs": pairs,
    }  # fmt: skip


def _signature(name: str, one: Facts, data: str, level: float) -> str:
    conditions = {key: one[key] for key in ("condition", "a", "b") if key in one}
    return signature(
        name, unit="participant", n=one["participants"], data=data, interval=f"{one['method']} {level}",
        **conditions,
    )  # fmt: skip


def _adjusted(found: list[Facts]) -> list[Facts]:
    """The same with p adjusted after Holm over all of them."""
    for one, p in zip(found, holm([one["p"] for one in found]), strict=True):
        one["p_holm"] = p
    return found


def _people(rows: Sequence[Facts]) -> list[str]:
    return [row["participant_id"] or row["visit_id"] for row in rows]


def _couple(row: Facts) -> tuple[str, str]:
    first, second = sorted((row["condition"], row["other_condition"] or ""))
    return first, second


def _opinion(condition: str, rows: Sequence[Facts], level: float) -> Facts:
    values = [row["value"] for row in rows]
    found = bounded_mean(np.array(_people(rows)), values, WORST, BEST, level)._asdict()
    del found["p"]  # the middle of the scale means nothing here
    shares: dict[int, int] = defaultdict(int)
    for value in values:
        shares[int(value)] += 1
    return {
        "condition": condition, **found, "ratings": len(rows), "clips": len({row["clip"] for row in rows}),
        "counts": [shares[code] for code in range(WORST, BEST + 1)],
    }  # fmt: skip


def _contrast(parts: dict[str, list[Facts]], a: str, b: str, level: float) -> Facts:
    """The score of one condition minus another's; who rated both is in both."""
    people = [_people(parts[one]) for one in (a, b)]
    _, codes = np.unique(np.concatenate(people), return_inverse=True)
    who = np.split(codes, [len(people[0])])
    values = [np.array([row["value"] for row in parts[one]], dtype=float) for one in (a, b)]
    sides = [(given, np.ones(len(given))) for given in values]
    found = compare_clusters(who[0], who[1], sides[0], sides[1], level=level, most=BEST - WORST)
    interval = interval_facts(found)
    return {
        "a": a, "b": b, "difference": float(values[0].mean() - values[1].mean()), **interval,
        "method": found.method if found else "none",
        "participants": len(set(codes.tolist())), "both": len(set(people[0]) & set(people[1])),
    }  # fmt: skip


def _preference(couple: tuple[str, str], rows: Sequence[Facts], level: float) -> Facts:
    """How often the first condition by name is preferred; a tie counts half."""
    a, b = couple
    won = [_won(row, a) for row in rows]
    found = bounded_share(np.array(_people(rows)), won, level)._asdict()
    return {
        "a": a, "b": b, "share": found.pop("mean"), **found, "judgements": len(rows),
        "a_better": won.count(1.0), "b_better": won.count(0.0), "ties": won.count(0.5),
    }  # fmt: skip


def _won(row: Facts, condition: str) -> float:
    if row["choice"] == "tie":
        return 0.5
    chosen = row["condition"] if row["choice"] == "first" else row["other_condition"]
    return 1.0 if chosen == condition else 0.0
