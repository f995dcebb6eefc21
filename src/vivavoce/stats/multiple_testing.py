"""Several tests of one declared family: adjusted p values. A test that gave no p is not counted.

Written out, because statsmodels' `multipletests` collects garbage at every call; tests hold them equal.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

import numpy as np

from vivavoce.core.statement import LocalizedText, PluralCount, statement

PValues = Sequence[float | None]
Tested = TypeVar("Tested", bound=Any)
Floats = np.ndarray[Any, np.dtype[np.float64]]


def holm(p_values: PValues) -> list[float | None]:
    """Holm's adjustment, our default for planned comparisons: the chance of any false alarm is kept.

    Output  adjusted p values in the order given, None where None was given
    Source  Holm 1979; tests/golden/statistics-proportions.json
    """

    def adjust(p_values: Floats) -> Floats:
        order = np.argsort(p_values, kind="stable")
        adjusted = np.empty_like(p_values)
        adjusted[order] = np.maximum.accumulate(p_values[order] * np.arange(len(p_values), 0, -1))
        return np.minimum(adjusted, 1)

    return _adjusted(p_values, adjust)


def with_holm(results: Sequence[Tested]) -> list[Tested]:
    """Results with p adjusted after Holm over all of them, in `p_holm`."""
    adjusted = holm([result.p for result in results])
    return [replace(result, p_holm=p) for result, p in zip(results, adjusted, strict=True)]


def benjamini_hochberg(p_values: PValues) -> list[float | None]:
    """Adjustment for exploring: the share of false alarms among the alarms is kept.

    Output  adjusted p values in the order given, None where None was given
    Source  Benjamini and Hochberg 1995; tests/golden/statistics-counts.json
    """
    from scipy.stats import false_discovery_control

    return _adjusted(p_values, false_discovery_control)


def bonferroni(p_values: PValues) -> list[float | None]:
    """Every p times the number of tests; Holm's is never worse.

    Output  adjusted p values in the order given, None where None was given
    Source  tests/golden/statistics-counts.json
    """
    return _adjusted(p_values, lambda tested: np.minimum(tested * len(tested), 1))


ADJUSTMENTS: Final[dict[str, Callable[[PValues], list[float | None]]]] = {
    "holm": holm,
    "benjamini_hochberg": benjamini_hochberg,
    "bonferroni": bonferroni,
}


NAMES: Final[dict[str, str]] = {
    "holm": "Holm",
    "benjamini_hochberg": "Benjamini and Hochberg",
    "bonferroni": "Bonferroni",
    "none": "none",
}


def adjusted(p_values: PValues, correction: str) -> list[float | None]:
    """The p values of one family after a correction of `ADJUSTMENTS`; `none` leaves them as they are.

    Output  adjusted p values in the order given, None where None was given
    """
    return list(p_values) if correction == "none" else ADJUSTMENTS[correction](p_values)


def adjusted_pairs(pairs: Sequence[tuple[float, float]], correction: str) -> list[tuple[float, float]]:
    """As `adjusted`, of pairs of hypotheses of which at most one is true, such as worse either way.

    Holm's and Bonferroni's factors count those that can be true at once: one of each pair of which any is
    not rejected. Others adjust over all hypotheses.

    Source  Shaffer 1986, Modified sequentially rejective multiple test procedures, JASA 81
    """
    p_values = np.array(pairs, dtype=float).reshape(-1)
    if correction not in ("holm", "bonferroni"):
        adjusted_p = np.array(adjusted(p_values.tolist(), correction), dtype=float)
    elif correction == "bonferroni":
        adjusted_p = np.minimum(p_values * len(pairs), 1)
    else:
        order, remaining = np.argsort(p_values, kind="stable"), np.full(len(pairs), 2)
        adjusted_p, highest = np.empty_like(p_values), 0.0
        for place in order.tolist():
            highest = max(highest, p_values[place] * np.count_nonzero(remaining))
            adjusted_p[place] = min(highest, 1)
            remaining[place // 2] -= 1
    return [(low, high) for low, high in adjusted_p.reshape(-1, 2).tolist()]


def adjustment_words(
    correction: str, number: int, what: str, of: LocalizedText | None = None
) -> LocalizedText:
    """Text on adjustment of p over so many of `what`, such as `declared comparison`; `of`: their group."""
    if number == 0:
        return statement("no tests were possible") + of
    over = PluralCount(number, what)
    places = {"over": statement("{what} {of}", what=over, of=of) if of else over}
    if correction == "none":
        return statement("p is not adjusted over {over}", **places)
    return statement("p is adjusted ({how}) over {over}", how=statement(NAMES[correction]), **places)


def _adjusted(p_values: PValues, adjust: Callable[[Floats], Floats]) -> list[float | None]:
    tested = np.array([p for p in p_values if p is not None], dtype=float)
    adjusted = iter(adjust(tested).tolist() if len(tested) else [])
    return [None if p is None else next(adjusted) for p in p_values]
