"""How strong preferences are, where that was asked: from -3, the control very much, to 3, a tie being 0."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from vivavoce.core.signature import signature
from vivavoce.stats.bounded import METHOD, bounded_mean
from vivavoce.stats.multiple_testing import holm
from vivavoce.stats.preference_models import OUTCOMES, people_of
from vivavoce.stats.preferences import PreferenceStrength

Row = Mapping[str, Any]
MOST: Final = 3
CODES: Final = range(-MOST, MOST + 1)
FEW: Final = 12


def strengths(rows: Sequence[Row], level: float = 0.95) -> list[PreferenceStrength]:
    """Mean signed strength of every variable, question by question and over all of them.

    Empty   nobody was asked: []; a decided choice without a strength is left out
    Source  Wilcoxon 1945; Pratt 1959 for zeros
    """
    known = [row for row in rows if row["choice"] == "tie" or row.get("strength") is not None]
    asked = {row["variable"] for row in known if row.get("strength") is not None}
    questions, wholes = [], []
    for variable in sorted(asked):
        own = [row for row in known if row["variable"] == variable]
        wholes.append(_strength(own, variable, None, level))
        for question in dict.fromkeys(row["question"] for row in own):
            given = [row for row in own if row["question"] == question]
            questions.append(_strength(given, variable, question, level))
    found = [
        replace(one, p_holm=p)
        for family in (questions, wholes)
        for one, p in zip(family, holm([one.p for one in family]), strict=True)
    ]
    return sorted(found, key=lambda one: one.variable)


def _strength(rows: Sequence[Row], variable: str, question: str | None, level: float) -> PreferenceStrength:
    signed = [OUTCOMES[row["choice"]] * (row.get("strength") or 0) for row in rows]
    people, counted = people_of(rows), Counter(signed)
    found = bounded_mean(people, signed, -MOST, MOST, level)
    return PreferenceStrength(
        variable=variable, question=question, mean=found.mean, low=found.low, high=found.high, p=found.p,
        participants=found.participants, method=found.method, p_signed_rank=_signed_rank(people, signed),
        choices=len(signed), counts={code: counted[code] for code in CODES},
    )  # fmt: skip


def _signed_rank(people: np.ndarray, signed: Sequence[float]) -> float | None:
    """Wilcoxon's test of participants' means, every sign turned where they are few; None where all are 0."""
    from scipy.stats import PermutationMethod, wilcoxon

    _, codes = np.unique(people, return_inverse=True)
    means = np.bincount(codes, np.array(signed)) / np.bincount(codes)
    if len(means) < 2 or not means.any():
        return None
    method: Any = PermutationMethod() if len(means) <= FEW else "asymptotic"
    found: Any = wilcoxon(means, zero_method="pratt", method=method)
    return float(found.pvalue)


def strength_signatures(found: Sequence[PreferenceStrength], data: str, level: float) -> dict[str, str]:
    """The line behind each variable's strength."""
    return {
        f"{one.variable}, strength": signature(
            "preference_strength", unit="participant", n=one.participants, data=data,
            variable=one.variable, interval=f"{METHOD} {level}", scale=f"{-MOST}..{MOST}",
        )
        for one in found
        if one.question is None
    }  # fmt: skip
