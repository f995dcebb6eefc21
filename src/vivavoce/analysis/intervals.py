"""Intervals over participants for a table of measures, and what signatures cite of intervals and tests."""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final

from vivavoce.analysis.clustered_summary import ClusteredSummary
from vivavoce.analysis.groups import groups
from vivavoce.core.signature import signature
from vivavoce.dataset.reader import Dataset
from vivavoce.measures import MEASURES
from vivavoce.measures.compute import sums
from vivavoce.stats.clusters import ClusteredRate

if TYPE_CHECKING:
    import pandas as pd

LEVEL: Final = 0.95


def with_intervals(
    dataset: Dataset, values: "pd.DataFrame", by: str, *, keywords: Collection[str] | None = None
) -> "pd.DataFrame":
    """The result of `measures.values.values`, with 95% intervals; participants are the unit.

    Input   the frame as it was computed with this grouping and these keywords
    Output  the same with low, high, interval (the method), participants; the signature cites the interval
    Empty   fewer than 2 participants, or nothing varied between them: low and high missing, and the method
            says so
    """
    names = list(dict.fromkeys(values["measure"]))
    parts = sums(dataset, names, keywords=keywords)
    members = groups(dataset, by)
    nested = ClusteredSummary(parts, members)
    places: dict[Any, int] = {group.key: place for place, group in enumerate(members)}
    rows = zip(values["measure"], values["key"], values["whole"], strict=True)
    intervals = [
        nested.rate(name, None if is_overall else places[key], level=LEVEL) for name, key, is_overall in rows
    ]
    signed = [
        line if interval.low is None else f"{line}|{cited(interval)}"
        for line, interval in zip(values["signature"], intervals, strict=True)
    ]
    return values.assign(
        low=[interval.low for interval in intervals],
        high=[interval.high for interval in intervals],
        interval=[interval.method for interval in intervals],
        participants=[interval.clusters for interval in intervals],
        signature=signed,
    ).astype({"low": "float64", "high": "float64"})


def cited(interval: ClusteredRate) -> str:
    """The part of a signature that cites an interval over participants."""
    return f"interval:{interval.method} {LEVEL}|participants:{interval.clusters}"


def signed_difference(
    measure: str,
    a: str | None,
    b: str | None,
    *,
    method: str,
    clusters: int | None,
    by: str,
    n: int,
    data: str,
) -> str:
    """The signature of a difference: of participants where they could be told apart, else of cases.

    Input   method, clusters (None or 0: cases) of the side that counts; `n` cases
    """
    people = clusters if method != "none" else 0
    counted = MEASURES.get(measure).counted if measure in MEASURES else "participant"
    return signature(
        f"{measure}_difference",
        unit="participant" if people else counted,
        n=people or n,
        data=data,
        by=by,
        a=a,
        b=b,
        test=method,
    )
