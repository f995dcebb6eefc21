"""Dialogues judged by the test of `analyse`, without a dataset on disk."""

from collections.abc import Sequence

import numpy as np

from vivavoce.analysis.clustered_summary import ClusteredSummary
from vivavoce.measures.compute import Group, Sums
from vivavoce.stats.summary_results import ClusteredDifference


def judged_often(rows: Sequence[tuple[str, str]], hits: np.ndarray) -> list[ClusteredDifference]:
    """The clustered test of each outcome (trials x dialogues) of dialogues: (system a or b, participant)."""
    ids = [f"d{number}" for number in range(len(rows))]
    names = [f"won{number}" for number in range(len(hits))]
    found = [
        Group(
            name,
            [one for one, row in zip(ids, rows, strict=True) if row[0] == name],
            [person for system, person in rows if system == name],
        )
        for name in ("a", "b")
    ]
    nested = ClusteredSummary(Sums(names, ids, hits.astype(float), np.ones(hits.shape)), found)
    return [nested.test(name, 0, 1, level=0.95) for name in names]


def judged(rows: Sequence[tuple[str, str, bool]]) -> ClusteredDifference:
    """The same of one outcome: (system a or b, participant, success)."""
    return judged_often([row[:2] for row in rows], np.array([[won for *_, won in rows]]))[0]
