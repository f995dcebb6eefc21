"""Thousands of simulated trials at once: the arithmetic of `stats/prediction_powered`, a row a trial.

What cannot be said of a trial, or has nothing that varies, is left to `prediction_powered` itself. That both
say the same of every trial is tested (tests/unit/stats/test_judged_trials.py).
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from vivavoce.stats.prediction_powered import (
    ALIKE,
    FEWEST,
    NONE,
    JudgedCases,
    PoweredDifference,
    PoweredMean,
    powered_difference,
    powered_mean,
    sums_to_estimates,
)

Floats = np.ndarray[Any, np.dtype[np.float64]]
SUMS = 8


class Trials(NamedTuple):
    """Dialogues of `shape[0]` trials of `shape[1]` callers each, one entry each, those of a trial in a row.

    caller  trial x callers + place of the caller in it
    said    what the judge says; None: nothing
    """

    shape: tuple[int, int]
    caller: np.ndarray
    said: Floats | None
    labels: Floats
    chances: Floats | None = None

    def only(self, kept: np.ndarray) -> "Trials":
        """Some of the dialogues, of all trials."""
        said = None if self.said is None else self.said[kept]
        chances = None if self.chances is None else self.chances[kept]
        return Trials(self.shape, self.caller[kept], said, self.labels[kept], chances)

    def one(self, trial: int) -> JudgedCases:
        """One trial as the package takes it."""
        first, last = np.searchsorted(self.caller, np.array([trial, trial + 1]) * self.shape[1])
        rows = slice(int(first), int(last))
        labels = self.labels[rows]
        said = np.full(len(labels), np.nan) if self.said is None else self.said[rows]
        return JudgedCases(
            self.caller[rows], said, labels, None if self.chances is None else self.chances[rows]
        )


class Found(NamedTuple):
    """Estimates of all trials, one entry each; NaN where nothing can be said."""

    estimate: Floats
    low: Floats
    high: Floats
    se: Floats
    p: Floats


class _Sides(NamedTuple):
    estimate: Floats
    away: Floats
    spread: Floats
    asked: np.ndarray
    even: bool


def means(trials: Trials, *, rate: bool) -> Found:
    """`powered_mean` of every trial."""
    sides = _sides(trials)
    se, df = _errors(sides.away, sides.spread, even=sides.even)
    with np.errstate(all="ignore"):
        reach = stdtrit(df, 0.975) * se
        low, high = sides.estimate - reach, sides.estimate + reach
        inside = (sides.estimate > 0) & (sides.estimate < 1)
        if rate:
            varied = sides.estimate * (1 - sides.estimate)
            square = reach**2 / varied
            middle = (sides.estimate + square / 2) / (1 + square)
            wide = np.sqrt(square * varied + square**2 / 4) / (1 + square)
            low = np.where(inside, middle - wide, np.maximum(low, 0.0))
            high = np.where(inside, middle + wide, np.minimum(high, 1.0))
    found = Found(sides.estimate, low, high, se, np.full(len(se), np.nan))
    for trial in np.flatnonzero((sides.asked < 2) | ~(se > ALIKE)).tolist():
        _write(found, trial, powered_mean(trials.one(trial), rate=rate))
    return found


def differences(a: Trials, b: Trials) -> Found:
    """`powered_difference` of every trial."""
    first, second = _sides(a), _sides(b)
    se, df = _errors(first.away - second.away, first.spread + second.spread, even=first.even)
    estimate = first.estimate - second.estimate
    with np.errstate(all="ignore"):
        reach, p = stdtrit(df, 0.975) * se, 2 * stdtr(df, -np.abs(estimate) / se)
    found = Found(estimate, estimate - reach, estimate + reach, se, p)
    few = (first.asked < 2) | (second.asked < 2)
    fitted = first.even and a.said is not None  # the judge's weight is cross-fitted, trial by trial
    for trial in np.flatnonzero(few | ~(se > ALIKE) | fitted).tolist():
        _write(found, trial, powered_difference(a.one(trial), b.one(trial)))
    return found


def _write(found: Found, trial: int, one: PoweredMean | PoweredDifference) -> None:
    for name, column in zip(Found._fields, found, strict=True):
        value = getattr(one, name, None)
        column[trial] = np.nan if value is None else value


def _totals(trials: Trials, part: np.ndarray) -> Floats:
    found = np.bincount(trials.caller, part, trials.shape[0] * trials.shape[1])
    return found.astype(float).reshape(trials.shape)


def _sides(trials: Trials) -> _Sides:
    asked, whole = ~np.isnan(trials.labels), trials.chances is not None
    said = np.zeros(len(asked)) if trials.said is None else trials.said
    weights = np.where(asked, 1.0 if trials.chances is None else 1 / trials.chances, 0.0)
    pool = np.ones(len(asked)) if whole else (~asked).astype(float)
    labels = np.where(asked, trials.labels, 0.0)
    parts = (
        weights,
        weights * labels,
        weights * said,
        weights * labels * said,
        weights * said**2,
        pool,
        pool * said,
        pool * said**2,
    )
    each = np.stack([_totals(trials, part) for part in parts], axis=-1)
    totals = each.sum(axis=1)
    people = (_totals(trials, asked) > 0).sum(axis=1)
    usable = (people >= FEWEST) & (totals[:, 5] > 0) & (trials.said is not None)
    left = totals[:, None] - each
    left = np.where(left[..., :1] > 0, left, totals[:, None])
    with np.errstate(all="ignore"):
        estimate, weight = _estimates(totals, usable, whole=whole)
        flat = left.reshape(-1, SUMS)
        damped = np.sqrt(1 - each[..., 0] / totals[:, :1])
        without = _estimates(flat, np.repeat(usable, trials.shape[1]), whole=whole)[0]
        away = (estimate[:, None] - without.reshape(trials.shape)) * damped
    told = weight[trials.caller // trials.shape[1]] * said
    spread = _working(trials, weights, np.where(asked, labels - told, 0.0)) + _working(trials, pool, told)
    return _Sides(estimate, away, spread, people, not whole)


def _estimates(sums: Floats, usable: np.ndarray, *, whole: bool) -> tuple[Floats, Floats]:
    tuned, plain = (sums_to_estimates(sums, tuning, whole=whole) for tuning in ("tuned", 0.0))
    return np.where(usable, tuned[0], plain[0]), np.where(usable, tuned[1], 0.0)


def _working(trials: Trials, weights: Floats, values: Floats) -> Floats:
    """What callers add to the variance: `_working` and `sandwich.correlations`, a row a trial."""
    trial, used = trials.caller // trials.shape[1], weights > 0
    sizes = _totals(trials, weights).sum(axis=1)
    with np.errstate(all="ignore"):
        ratios = _totals(trials, weights * values).sum(axis=1) / sizes
        left = np.where(used, weights * (values - ratios[trial]), 0.0)
        totals, squares = _totals(trials, left), _totals(trials, left**2)
        cases = _totals(trials, used.astype(float))
        met, n = (cases > 0).sum(axis=1), cases.sum(axis=1)
        between = np.where(cases > 0, totals**2 / cases, 0.0).sum(axis=1)
        scattered = n - met
        noise = np.where(scattered > 0, (squares.sum(axis=1) - between) / scattered, 0.0)
        spread = n - (cases**2).sum(axis=1) / n
        common = np.where(spread > 0, np.maximum((between - (met - 1) * noise) / spread, 0.0), 0.0)
        alike = common / np.maximum(noise + common, ALIKE)
        mean = squares.sum(axis=1) / n / sizes**2
        found = mean[:, None] * cases * (1 + (cases - 1) * alike[:, None])
    return np.where(np.isfinite(found), found, 0.0)


def _errors(away: Floats, spread: Floats, *, even: bool) -> tuple[Floats, Floats]:
    """`_error`, a row a trial: standard errors and degrees of freedom."""
    told = spread > NONE * spread.max(axis=1, initial=0.0)[:, None]
    own = np.where(told, spread, 1.0)
    weights = np.where(told, own**-0.5 if even else 1.0, 0.0)
    own = np.where(told, spread, 0.0)
    with np.errstate(all="ignore"):
        product = (weights * own).sum(axis=1)
        square = (weights * np.where(told, away, 0.0) ** 2).sum(axis=1) * own.sum(axis=1) / product
        df = np.maximum(1.0, product**2 / ((weights * own) ** 2).sum(axis=1) - 1)
    return np.sqrt(square), df
