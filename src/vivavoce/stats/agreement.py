"""Agreement of judges: Cohen's and Fleiss' kappa, Krippendorff's alpha with missing judgements."""

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from vivavoce.core.errors import InputError, UnknownName
from vivavoce.stats.bootstrap import ends
from vivavoce.stats.distributions import normal_quantile
from vivavoce.stats.proportions import Interval

Scale = Literal["nominal", "ordinal", "interval", "ratio"]
Floats = np.ndarray[Any, np.dtype[np.float64]]
DRAWS: Final = 1000
ALIKE: Final = 1e-12


class Agreement(NamedTuple):
    """A coefficient with its interval; None where it is undefined.

    Where all agreed, nothing tells how far that would hold: there is a value of 1 and no interval.
    """

    value: float | None
    interval: Interval | None


def cohen(
    table: Sequence[Sequence[int]], weights: Literal["linear", "quadratic"] | None = None, level: float = 0.95
) -> Agreement:
    """Agreement of two judges beyond chance, from their confusion matrix.

    Input   `weights` for ordered categories
    Empty   no judgement, or both always chose the same single category: None
    Source  Cohen 1960, interval by Fleiss, Cohen and Everitt 1969 (statsmodels);
            tests/golden/statistics-agreement.json
    """
    from statsmodels.stats.inter_rater import cohens_kappa

    counts = np.asarray(table, dtype=float)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        shape = " x ".join(map(str, counts.shape))
        raise InputError(f"a confusion matrix of {shape}", hint="same categories for both judges")
    if ((counts.sum(axis=0) + counts.sum(axis=1)) > 0).sum() < 2:
        return Agreement(None, None)
    with np.errstate(
        divide="ignore", invalid="ignore"
    ):  # its test of kappa = 0 divides by the standard error
        kappa: Any = cohens_kappa(counts, wt=weights)
    value, reach = float(kappa.kappa), normal_quantile((1 - level) / 2) * float(kappa.std_kappa)
    if not reach > ALIKE:
        return Agreement(value, None)
    return Agreement(value, Interval(max(-1.0, value - reach), min(1.0, value + reach)))


def fleiss(
    counts: Sequence[Sequence[int]], *, level: float = 0.95, draws: int = DRAWS, seed: int = 1
) -> Agreement:
    """Agreement of the same number of judges on every item, beyond chance; interval by drawing items.

    Input   one row an item, one column a category: how many judges chose it
    Empty   no item, or one category only: None
    Raises  InputError: items with different numbers of judges; use `krippendorff`
    Source  Fleiss 1971 (statsmodels); tests/golden/statistics-agreement.json
    """
    from statsmodels.stats.inter_rater import fleiss_kappa

    table = np.asarray(counts, dtype=float)
    if not table.size or (table.sum(axis=0) > 0).sum() < 2:
        return Agreement(None, None)
    if np.ptp(table.sum(axis=1)):
        raise InputError("items have different numbers of judges", hint="use Krippendorff's alpha")
    rng = np.random.default_rng(seed)
    judges, items = table[0].sum(), len(table)
    agreed = ((table**2).sum(axis=1) - judges) / (judges * (judges - 1))
    weights = rng.multinomial(items, np.full(items, 1 / items), size=draws) / items
    expected = ((weights @ table / judges) ** 2).sum(axis=1)
    estimates = (weights @ agreed - expected) / np.where(expected < 1, 1 - expected, np.nan)
    return Agreement(float(fleiss_kappa(table)), _interval(estimates, level, items))


def _distance(scale: Scale, values: Floats, totals: Floats) -> Floats:
    """Squared distance of every two values on a scale."""
    a, b = values[:, None], values[None, :]
    if scale == "nominal":
        return (a != b).astype(float)
    if scale == "interval":
        return (a - b) ** 2
    if scale == "ratio":
        return np.divide(a - b, a + b, out=np.zeros((len(values),) * 2), where=(a + b) != 0) ** 2
    middles = np.cumsum(totals) - totals / 2
    return (middles[:, None] - middles[None, :]) ** 2


SCALES: Final = ("nominal", "ordinal", "interval", "ratio")


def krippendorff(
    judgements: Sequence[Sequence[float | None]],
    scale: Scale = "nominal",
    *,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 1,
) -> Agreement:
    """One minus observed over expected disagreement; judgements may be missing. Interval by drawing units.

    Input   one row a judge, one column a unit; None where a judge gave none
    Empty   fewer than 2 values in use among units with 2 judgements: None
    Note    .80 counts as good, .667 as tentative (Krippendorff 2004)
    Source  Krippendorff 2011; golden case 20 in tests/golden/statistics-agreement.json
    """
    if scale not in SCALES:
        raise UnknownName("scale", scale, list(SCALES))
    table = np.array(
        [[np.nan if judgement is None else judgement for judgement in row] for row in judgements], dtype=float
    )
    values = np.unique(table[~np.isnan(table)])
    counts = np.array(
        [[(table[:, unit] == value).sum() for value in values] for unit in range(table.shape[1])]
    )
    counts = counts[counts.sum(axis=1) > 1].astype(float) if counts.size else counts
    if not counts.size or (counts.sum(axis=0) > 0).sum() < 2:
        return Agreement(None, None)
    pairs = counts[:, :, None] * counts[:, None, :]
    pairs[:, range(len(values)), range(len(values))] -= counts
    pairs /= (counts.sum(axis=1) - 1)[:, None, None]
    rng = np.random.default_rng(seed)
    weights = rng.multinomial(len(counts), np.full(len(counts), 1 / len(counts)), size=draws)
    flat = pairs.reshape(len(counts), -1)
    measure = _alpha(scale, values)
    estimates = np.array([measure((weight @ flat).reshape(len(values), -1)) for weight in weights])
    return Agreement(measure(pairs.sum(axis=0)), _interval(estimates, level, len(counts)))


def _alpha(scale: Scale, values: Floats) -> Callable[[Floats], float]:
    """Alpha of a coincidence matrix."""

    def alpha(coincidences: Floats) -> float:
        totals = coincidences.sum(axis=1)
        distance = _distance(scale, values, totals)
        n = totals.sum()
        expected = float((np.outer(totals, totals) * distance).sum() / (n - 1))
        return float(1 - (coincidences * distance).sum() / expected) if expected else np.nan

    return alpha


def _interval(estimates: Floats, level: float, units: int) -> Interval | None:
    valid = estimates[~np.isnan(estimates)]
    if not len(valid) or units < 2:
        return None
    low, high = np.quantile(valid, ends(level, units))
    return Interval(float(low), float(high)) if np.ptp(valid) > ALIKE else None
