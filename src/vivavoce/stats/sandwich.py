"""Errors of ratios of sums over participants: a sandwich whose bias and degrees of freedom are worked out.

Every participant's residual total says how far participants scatter. How much each of them says follows from
a working model, an exchangeable correlation of the cases of one participant, which is estimated and not
trusted: it weighs the squares and corrects their bias, but their scale is what was seen.
"""

import math
from typing import Any, Final, NamedTuple

import numpy as np

Floats = np.ndarray[Any, np.dtype[np.float64]]
FLOOR: Final = 0.02
ALIKE: Final = 1e-12
NONE: Final = 1e-9


class Residuals(NamedTuple):
    """Deviations of each participant's cases with one system from the ratio, participants in one order.

    totals   residuals summed over a participant's cases
    squares  squared residuals summed
    cases    how many: dialogues, or cases of 0 and 1
    shares   of the ratio's denominator; all 0 where a participant has no case
    size     the ratio's denominator
    """

    totals: Floats
    squares: Floats
    cases: Floats
    shares: Floats
    size: float


def has_cases(tops: Floats, bottoms: Floats) -> np.ndarray:
    """True where there is something to count: also what was spent where nothing came of it."""
    return (bottoms > 0) | (tops != 0)


class Alike(NamedTuple):
    """Correlation of two cases of one participant: with the same system, and with different ones."""

    within: float
    across: float


class Error(NamedTuple):
    """Standard error with the degrees of freedom of its t."""

    se: float
    df: float


def residuals(
    codes: np.ndarray, people: int, tops: Floats, bottoms: Floats, *, counted: bool = False
) -> Residuals:
    """Residuals of dialogues about the ratio of their sums.

    Input   participant of each dialogue as 0 to people - 1; its numerator and denominator, both 0 where
            it has no case; `counted`: successes among cases, each of which counts as one
    """
    size = float(bottoms.sum())
    ratio = float(tops.sum()) / size
    used = has_cases(tops, bottoms)
    deviations = np.where(used, tops - ratio * bottoms, 0.0)
    squares = ((1 - 2 * ratio) * tops + ratio**2 * bottoms).clip(0) if counted else deviations**2
    cases = bottoms if counted else used.astype(float)
    totals, squares, cases, shares = (
        np.bincount(codes, values, people).astype(float)
        for values in (deviations, squares, cases, bottoms / size)
    )
    return Residuals(totals, squares, cases, shares, size)


def correlations(*sides: Residuals) -> Alike:
    """Correlations of the cases of one participant: at least 0, and across systems at most as within one.

    Source  one-way analysis of variance of participants within systems; products of participants' two totals
    """
    between = within = apart = scattered = spread = 0.0
    for side in sides:
        met, n = side.cases > 0, side.cases.sum()
        means = float((side.totals[met] ** 2 / side.cases[met]).sum())
        between, apart = between + means, apart + met.sum() - 1
        within, scattered = within + float(side.squares.sum()) - means, scattered + n - met.sum()
        spread += n - float((side.cases**2).sum()) / n
    noise = within / scattered if scattered > 0 else 0.0
    common = max((between - apart * noise) / spread, 0.0) if spread > 0 else 0.0
    variance = max(noise + common, ALIKE)
    return Alike(common / variance, min(max(_crossed(*sides) / variance, 0.0), common / variance))


def _crossed(a: Residuals, b: Residuals | None = None) -> float:
    """Covariance of a case with one system and a case with the other, of the same participant."""
    in_both = (a.cases > 0) & (b.cases > 0) if b is not None else np.zeros(1, dtype=bool)
    if b is None or not in_both.any():
        return 0.0
    root = np.sqrt(a.cases[in_both] * b.cases[in_both])
    parts = a.cases / a.cases.sum(), b.cases / b.cases.sum()
    lost = 1 - parts[0][in_both] - parts[1][in_both] + float((parts[0] * parts[1]).sum())
    expected = float((root * lost).sum())
    return float((a.totals[in_both] * b.totals[in_both] / root).sum()) / expected if expected > NONE else 0.0


def spread_of_totals(a: Residuals, b: Residuals) -> Floats:
    """Factor of the variance of a participant's difference of totals in the working model."""
    alike, cases = correlations(a, b), a.cases + b.cases
    same = a.cases * (a.cases - 1) + b.cases * (b.cases - 1)
    spread = cases + alike.within * same - 2 * alike.across * a.cases * b.cases
    return np.maximum(spread, FLOOR * cases)


def robust_error(a: Residuals, b: Residuals | None = None, *, even: bool = True) -> Error | None:
    """Standard error of a ratio, or of the difference of two, over participants.

    Input   b: residuals with the other system, the same participants in the same order; even: dialogues weigh
            alike
    Output  squared residual totals, each of the leverage-adjusted kind (CR2), weighed by the inverse root of
            their variance under the working model, together unbiased under it; Satterthwaite's df. Where
            dialogues weigh by chances that go with doubt, the spread goes with the weights, which no working
            model of equal cases knows: squares are then summed as they are
    Empty   a system that fewer than 2 participants met: None
    Source  Bell and McCaffrey 2002; Pustejovsky and Tipton 2018 (bias and df under a working model);
            Imbens and Kolesar 2016 (which is estimated); the weights: docs/explanation/inference-bench.md
    """
    if any((side.cases > 0).sum() < 2 for side in (a, b) if side is not None):
        return None
    comparison = b or Residuals(*(np.zeros_like(a.totals) for _ in range(4)), size=1.0)
    adjust = [np.where(side.shares < 1, 1 - side.shares, 1.0) ** -0.5 for side in (a, comparison)]
    seen = adjust[0] * a.totals / a.size - adjust[1] * comparison.totals / comparison.size
    model = _Model(a, comparison, adjust, correlations(a, b) if b is not None else correlations(a))
    chosen = model.own > NONE * model.own.max(initial=0.0)
    weights = np.where(chosen, np.where(chosen & even, model.own, 1.0) ** -0.5, 0.0)
    expected = float((weights * model.own).sum())
    if expected <= 0:
        return Error(0.0, 1.0)
    square = float((weights * seen**2).sum()) * (model.variance / expected if even else 1.0)
    return Error(math.sqrt(square), max(1.0, expected**2 / model.twice_spread(weights)))


class _Model:
    """Variances and covariances of adjusted residual totals under the working model.

    The covariance matrix is diagonal + factors @ middle @ factors.T, so that nothing grows with its square.
    """

    def __init__(self, a: Residuals, b: Residuals, adjust: list[Floats], alike: Alike) -> None:
        squares = [float(side.squares.sum() / max(side.cases.sum(), 1.0)) for side in (a, b)]
        least = FLOOR * sum(squares) / 2
        scales = [
            (mean_square + least) / part.size**2 for mean_square, part in zip(squares, (a, b), strict=True)
        ]
        variances = [
            scale * side.cases * (1 + (side.cases - 1) * alike.within)
            for scale, side in zip(scales, (a, b), strict=True)
        ]
        shared = math.sqrt(scales[0] * scales[1]) * alike.across * a.cases * b.cases
        sums = [float(variance.sum()) for variance in (*variances, shared)]
        self.variance = sums[0] + sums[1] - 2 * sums[2]
        self.diagonal = (
            adjust[0] ** 2 * variances[0] + adjust[1] ** 2 * variances[1] - 2 * adjust[0] * adjust[1] * shared
        )
        self.factors = np.column_stack(
            [
                adjust[0] * variances[0] - adjust[1] * shared,
                adjust[0] * a.shares,
                adjust[0] * shared - adjust[1] * variances[1],
                adjust[1] * b.shares,
            ]
        )
        self.middle = np.array(
            [
                [0, -1, 0, 0],
                [-1, sums[0], 0, -sums[2]],
                [0, 0, 0, 1],
                [0, -sums[2], 1, sums[1]],
            ]
        )
        self.rest = ((self.factors @ self.middle) * self.factors).sum(axis=1)
        self.own = np.maximum(self.diagonal + self.rest, 0.0)

    def twice_spread(self, weights: Floats) -> float:
        """Half the variance of the weighted sum of squares: the trace of (weights x covariance) squared."""
        inner = self.middle @ (self.factors.T @ (weights[:, None] * self.factors))
        straight = weights**2 * self.diagonal * (self.diagonal + 2 * self.rest)
        return float(straight.sum() + np.trace(inner @ inner))
