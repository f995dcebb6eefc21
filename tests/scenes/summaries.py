"""Summaries as `vivavoce.analysis.summary` gives them, made by hand."""

from collections.abc import Mapping, Sequence
from typing import Any

from vivavoce.core.statement import NOTHING
from vivavoce.stats.declared_results import DeclaredFamily, Family
from vivavoce.stats.summary_results import (
    ClusteredDifference,
    GroupSummary,
    GroupTest,
    Model,
    SignedInterval,
    SuccessRate,
    Summary,
)
from vivavoce.stats.usage_skew import concentration

TOTALS = (
    "dialogue_duration_s",
    "word_error_rate",
    "turns",
    "user_turns",
    "system_turns",
    "user_words",
    "system_words",
)


def no_interval() -> SignedInterval:
    return SignedInterval(
        low=None,
        high=None,
        se=None,
        design_effect=None,
        icc=None,
        clusters=0,
        n_effective=None,
        method="none",
        signature=None,
    )


def made_rate(
    ratio: float | None,
    low: float | None = 0.0,
    high: float | None = 1.0,
    *,
    n: int = 20,
    unit: str = "dialogue",
) -> SuccessRate:
    """A rate with Wilson's interval alone."""
    return SuccessRate(
        unit=unit,
        successes=1,
        n=n,
        ratio=ratio,
        low=low,
        high=high,
        method="wilson",
        signature="s",
        clustered=no_interval(),
    )


def made_group(
    key: str, rates: Mapping[str, SuccessRate], *, dialogues: int = 20, participants: int = 10
) -> GroupSummary:
    """A group of which nothing is known but its rates."""
    return GroupSummary(
        key=key,
        dialogues=dialogues,
        participants=participants,
        dialogues_per_participant=concentration([]),
        rates=rates,
        measures={},
        **dict.fromkeys(TOTALS),
    )


def made_test(
    measure: str, a: str, b: str, difference: float, p: float | None, *, reach: float = 0.1, **changes: Any
) -> GroupTest:
    """A test of two groups, its naive and its clustered side alike."""
    low, high = difference - reach, difference + reach
    told = {"unit": "participant", "signature": "s", "alpha": 0.05, "family": "explored", **changes}
    return GroupTest(
        measure=measure,
        a=a,
        b=b,
        difference=difference,
        low=low,
        high=high,
        z=0.0,
        p=p,
        p_adjusted=None,
        method="z_pooled",
        interval="newcombe",
        clustered=ClusteredDifference(difference=difference, low=low, high=high, p=p),
        **told,
    )


def made_summary(
    groups: Sequence[GroupSummary],
    whole: GroupSummary,
    tests: Sequence[GroupTest] = (),
    families: Sequence[Family] = (),
    declared: DeclaredFamily | None = None,
    **changes: Any,
) -> Summary:
    told: dict[str, Any] = {
        "study": "s",
        "simulated": False,
        "by_what": "system",
        "data": "d",
        "excluded": {"dialogues": 0},
        "vivavoce": "v",
        "level": 0.95,
        "model": Model(name="permutation", why=NOTHING),
        "shared_participants": 0,
        "out_of_reach": (),
        "warnings": (),
        **changes,
    }
    return Summary(by=groups, all=whole, tests=tests, families=families, declared=declared, **told)
