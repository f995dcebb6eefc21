"""Exact tests of small tables, and tests of answers that the same people gave twice or more."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from vivavoce.stats.proportions import Interval


class ChiSquare(NamedTuple):
    """Pearson's statistic, its degrees of freedom and p."""

    chi2: float
    df: int
    p: float


class Paired(NamedTuple):
    """McNemar's exact p, and the difference of the two rates with Wald's interval."""

    p: float
    difference: float
    interval: Interval


def chi_square(counts: Sequence[Sequence[int]], *, continuity: bool = False) -> ChiSquare | None:
    """Pearson's chi-square of a table of counts, one row a group.

    Empty   a row or column of zeros: None
    """
    from scipy.stats import chi2_contingency

    table = np.asarray(counts, dtype=float)
    if not (table.sum(axis=0).all() and table.sum(axis=1).all()):
        return None
    outcome: Any = chi2_contingency(table, correction=continuity)
    return ChiSquare(float(outcome.statistic), int(outcome.dof), float(outcome.pvalue))


def fisher(successes_a: int, n_a: int, successes_b: int, n_b: int) -> float:
    """Two-tailed exact p given both margins; never too small, often too large.

    Source  Fisher 1935; tests/golden/statistics-counts.json
    """
    from scipy.stats import fisher_exact

    outcome: Any = fisher_exact([[successes_a, n_a - successes_a], [successes_b, n_b - successes_b]])
    return float(outcome.pvalue)


def mcnemar(
    both_true: int, only_a: int, only_b: int, neither: int, z: float = 1.959963984540054
) -> Paired | None:
    """Two yes-or-no answers of the same people: only those who changed their mind count.

    Empty   nobody: None
    Source  McNemar 1947, exact
    """
    from statsmodels.stats import contingency_tables

    people = both_true + only_a + only_b + neither
    if not people:
        return None
    outcome: Any = contingency_tables.mcnemar([[both_true, only_a], [only_b, neither]], exact=True)
    difference = (only_a - only_b) / people
    error = max(0.0, (only_a + only_b) / people - difference**2) / people
    return Paired(
        float(outcome.pvalue), difference, Interval(difference - z * error**0.5, difference + z * error**0.5)
    )


def cochran_q(answers: Sequence[Sequence[int]]) -> ChiSquare | None:
    """Several yes-or-no answers of the same people: do the rates differ at all?

    Input   one row a person, one column a system, 0 and 1
    Empty   nobody's answers differ: None
    Source  Cochran 1950
    """
    from statsmodels.stats.contingency_tables import cochrans_q

    table = np.asarray(answers, dtype=float)
    if table.ndim != 2 or table.shape[1] < 2 or not np.ptp(table, axis=1).any():
        return None
    outcome: Any = cochrans_q(table)
    return ChiSquare(float(outcome.statistic), table.shape[1] - 1, float(outcome.pvalue))
