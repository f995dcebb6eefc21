"""Relabelling of participants: which of them could as well have met the other system, and how often that
would have parted two ratios as far as what was seen."""

import math
from itertools import combinations, product
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from scipy.optimize import brentq

from vivavoce.stats.distributions import t_quantile, t_tail
from vivavoce.stats.interval import Interval
from vivavoce.stats.sandwich import has_cases

DIGITS: Final = 12
DRAWS: Final = 4999
SEED: Final = 1
HALF: Final = 0.5
EXCEEDING: Final = 10
TIED: Final = 1e-7
NOTHING: Final = 1e-12
NEARER: Final = 1e-9
WIDENINGS: Final = 60
Floats = np.ndarray[Any, np.dtype[np.float64]]
Side = Literal["two", "greater", "less"]


class Cells(NamedTuple):
    """Sums per participant with one system; zeros where a participant did not meet it."""

    tops: Floats
    bottoms: Floats

    @property
    def met(self) -> np.ndarray:
        """Participants with something to count with the system."""
        return has_cases(self.tops, self.bottoms)


class Relabelling(NamedTuple):
    """Relabellings, the observed one first: 1 where a participant's labels are kept, 0 where swapped.

    every  whether these are all that the design allows, not a draw of them
    """

    kept: Floats
    every: bool


class Parts(NamedTuple):
    """One quantity summed over those labelled a and those labelled b, a row a relabelling."""

    a: Floats
    b: Floats


def relabellings(
    met_a: np.ndarray, met_b: np.ndarray, *, draws: int = DRAWS, seed: int = SEED
) -> Relabelling:
    """Alternative labellings of participants.

    Input   who met a, who met b
    Output  participants who met both swap what the two systems gave them; those who met one change sides as
            wholes, as many on each side as there were; all relabellings where they are no more than `draws`
    """
    in_both, first = met_a & met_b, met_a & ~met_b
    in_one = np.flatnonzero(met_a ^ met_b)
    ways = 2.0 ** int(in_both.sum()) * math.comb(len(in_one), int(first.sum()))
    if ways <= draws + 1:
        return Relabelling(_every(in_both, first, in_one), True)
    rng = np.random.default_rng(seed)
    labels = np.ones((draws + 1, len(met_a)))
    labels[1:, in_both] = rng.random((draws, int(in_both.sum())), dtype=np.float32) < HALF
    sides = rng.permuted(np.tile(first[in_one], (draws, 1)), axis=1)
    labels[1:, in_one] = sides == first[in_one]
    return Relabelling(labels, False)


def _every(in_both: np.ndarray, first: np.ndarray, in_one: np.ndarray) -> Floats:
    swaps = list(product((1.0, 0.0), repeat=int(in_both.sum())))
    splits = list(combinations(range(len(in_one)), int(first[in_one].sum())))
    labels = np.ones((len(swaps) * len(splits), len(in_both)))
    labels[:, in_both] = np.repeat(np.array(swaps).reshape(len(swaps), -1), len(splits), axis=0)
    sides = np.zeros((len(splits), len(in_one)), dtype=bool)
    for row, chosen in enumerate(splits):
        sides[row, list(chosen)] = True
    labels[:, in_one] = np.tile(sides == first[in_one], (len(swaps), 1))
    seen = int(np.flatnonzero((labels == 1).all(axis=1))[0])
    labels[[0, seen]] = labels[[seen, 0]]
    return labels


class Relabelled:
    """The studentised difference of two ratios of sums under relabelling, for any supposed difference.

    Input   sums per participant with a and with b; `spread`: what the variance of each participant's total is
            taken to be proportional to (it steers power, not validity); `mid`: ties count half
    Note    supposing that a exceeds b by some value, that is taken from every case of a before labels change.
            Supposing 0 nothing but labels change, so that the test is exact where participants could as well
            have met the other system
    Source  Janssen 1997, Chung and Romano 2013 for studentising; Lancaster 1961 for mid-p; Phipson and Smyth
            2010: what was seen is one of the draws
    """

    def __init__(self, a: Cells, b: Cells, spread: Floats, labels: Relabelling, *, mid: bool) -> None:
        self._a, self._b, self._mid = a, b, mid
        self._every, self._ways = labels.every, len(labels.kept)  # labels themselves are many, and shared
        in_both = a.met & b.met
        self._strata = [
            _Stratum(labels.kept[:, who], _only(a, who), _only(b, who), spread[who])
            for who in (in_both, ~in_both)
            if who.any()
        ]
        self.estimate = float(a.tops.sum() / a.bottoms.sum() - b.tops.sum() / b.bottoms.sum())
        self._sizes = _sum([stratum.sizes for stratum in self._strata])

    @property
    def smallest_p(self) -> float:
        """The smallest p that this design can give, where no two participants are alike."""
        if not self._every:
            return 0.0
        a, b = self._a.met, self._b.met
        mirrored = (a & ~b).sum() == (b & ~a).sum()
        return (2 if mirrored else 1) / self._ways * (0.5 if self._mid else 1.0)

    def p(self, supposed: float = 0.0, side: Side = "two") -> float:
        """Share of relabellings whose studentised difference is as extreme as the one seen.

        Note  drawn relabellings of which no more than 10 are as extreme: the tail goes on as that of
              Student's t through their 5 % and 0.5 % points (after Knijnenburg and others 2009)
        """
        statistics = self._studentised(supposed)
        statistics = np.abs(statistics) if side == "two" else -statistics if side == "less" else statistics
        seen = statistics[0]
        near = TIED * (1 + abs(seen))
        beyond, tied = int((statistics > seen + near).sum()), int((np.abs(statistics - seen) <= near).sum())
        p = (beyond + (0.5 if self._mid else 1.0) * tied) / len(statistics)
        return p if self._every or beyond + tied > EXCEEDING else min(p, _tail(statistics[1:], float(seen)))

    def interval(self, level: float, limits: Interval | None = None) -> Interval | None:
        """All differences that the test does not reject at 1 - level.

        Input   `limits` that a difference cannot exceed
        Empty   no difference far away is ever rejected, and there are no limits: None
        Note    0 lies within it if, and only if, p is at least 1 - level
        """
        alpha = round(1 - level, DIGITS)
        if limits is None and self.smallest_p >= alpha:
            return None
        accepted = self.p() >= alpha
        ends = []
        for sign in (-1.0, 1.0):
            inner = 0.0 if accepted and -self.estimate * sign > 0 else self.estimate
            far = self._far(inner, sign, alpha, limits, accepted)
            if far is None:
                return None
            ends.append(self._edge(inner, far, alpha))
        return Interval(*ends)

    def _far(
        self, inner: float, sign: float, alpha: float, limits: Interval | None, accepted: bool
    ) -> float | None:
        """A difference on this side of `inner` that is rejected, or the limit."""
        if not accepted and -inner * sign > 0:
            return 0.0
        if limits is not None:
            return limits.low if sign < 0 else limits.high
        step = 4 / max(abs(float(self._studentised(inner + sign)[0])), NOTHING)
        for _ in range(WIDENINGS):
            if self.p(inner + sign * step) < alpha:
                return inner + sign * step
            step *= 2
        return None

    def _edge(self, inner: float, far: float, alpha: float) -> float:
        """Border between accepted and rejected differences."""
        if self.p(far) >= alpha:
            return far
        near = 1e-4 * abs(far - inner) + NOTHING
        edge: Any = brentq(lambda at: math.log(self.p(at) / alpha) + NOTHING, inner, far, xtol=near)
        return edge + NEARER * (inner - edge)

    def _studentised(self, supposed: float) -> Floats:
        """The difference beyond what is supposed over its error, a row a relabelling."""
        totals = _sum([stratum.totals(supposed) for stratum in self._strata])
        means = Parts(totals.a / self._sizes.a, totals.b / self._sizes.b)
        error = sum(stratum.error(supposed, means, self._sizes) for stratum in self._strata)
        return (means.a - means.b) / np.sqrt(np.maximum(error, NOTHING))


class _Stratum:
    """Participants who met both systems, or those who met one, with what relabelling makes of their sums.

    Supposing that a exceeds b takes a multiple of a's cases from a's sums, so every sum below is a polynomial
    in what is supposed, whose coefficients are labelled once, by one product.
    """

    def __init__(self, labels: Floats, a: Cells, b: Cells, spread: Floats) -> None:
        w, (x, n_a), (y, n_b), none = spread**-0.5, a, b, np.zeros_like(spread)
        met_a, met_b = (side.met * spread for side in (a, b))
        self._paired = bool((n_a * n_b).any())
        by_label = [
            (n_a, n_b),
            (w * n_a**2, w * n_b**2),
            (met_a, met_b),
            (w * met_a, w * met_b),
            (x, y),
            (n_a, none),
            (w * x**2, w * y**2),
            (w * x * n_a, none),
            (w * n_a**2, none),
            (w * x * n_a, w * y * n_b),
        ]
        if self._paired:
            by_label += [(w * x * n_b, w * y * n_a), (w * n_a * n_b, none)]
        self.sizes, self._own, totals, weighted, *self._sums = _labelled(labels, by_label)
        self._scales = Parts(
            *(
                np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0)
                for top, bottom in zip(totals, weighted, strict=True)
            )
        )
        self._together = float((w * x * y).sum()), float((w * n_a * y).sum()), float((w * n_a * n_b).sum())

    def totals(self, supposed: float) -> Parts:
        return _polynomial(supposed, self._sums[0], self._sums[1])

    def error(self, supposed: float, means: Parts, sizes: Parts) -> Floats:
        """Squared error of the difference that comes from these participants."""
        _, _, squares, cases, own_products, products, *across = self._sums
        squares = _polynomial(supposed, squares, Parts(2 * cases.a, 2 * cases.b), own_products)
        products = _polynomial(supposed, products, own_products)
        variance: Any = 0.0
        for square, cross, weighed, mean, size, scale in zip(
            squares, products, self._own, means, sizes, self._scales, strict=True
        ):
            variance = variance + scale * (square - mean * (2 * cross - mean * weighed)) / size**2
        if self._paired:
            across = _polynomial(supposed, *across)
            joint_tops, of_b, cases = self._together
            together = joint_tops - supposed * of_b - means.b * across.a - means.a * across.b
            together = together + means.a * means.b * cases
            variance = variance - 2 * self._scales.a * together / (sizes.a * sizes.b)
        return variance


def _labelled(labels: Floats, quantities: list[tuple[Floats, Floats]]) -> list[Parts]:
    """Quantities' sums by label, from what each participant has where labels are kept and swapped."""
    sums_a, right = (np.column_stack(side) for side in zip(*quantities, strict=True))
    a = np.ascontiguousarray((labels @ (sums_a - right)).T) + right.sum(axis=0)[:, None]
    return [Parts(*pair) for pair in zip(a, (sums_a + right).sum(axis=0)[:, None] - a, strict=True)]


def _polynomial(supposed: float, *coefficients: Parts) -> Parts:
    """A quantity of which a multiple of a's cases is taken away, with its powers' signs in turn."""
    value = coefficients[0]
    for power, coefficient in enumerate(coefficients[1:] if supposed else (), start=1):
        scale = (-supposed) ** power
        value = Parts(value.a + scale * coefficient.a, value.b + scale * coefficient.b)
    return value


def _only(cells: Cells, who: np.ndarray) -> Cells:
    return Cells(cells.tops[who], cells.bottoms[who])


def _sum(parts: list[Parts]) -> Parts:
    return Parts(np.sum([part.a for part in parts], axis=0), np.sum([part.b for part in parts], axis=0))


def _tail(statistics: Floats, seen: float) -> float:
    """Chance of more than `seen` by Student's t through the 5 % and 0.5 % points of what was drawn."""
    outer, inner = (float(quantile) for quantile in np.quantile(statistics, (0.995, 0.95)))
    if not 0 < inner < outer < seen:
        return 1.0
    low, high = 0.5, 200.0

    def ratio(df: float) -> float:
        return t_quantile(0.995, df) / t_quantile(0.95, df)

    tail_ratio = outer / inner
    if tail_ratio >= ratio(low):
        df = low
    elif tail_ratio <= ratio(high):
        df = high
    else:
        df: Any = brentq(lambda df_guess: ratio(df_guess) - tail_ratio, low, high)
    return 0.005 * t_tail(seen * t_quantile(0.995, df) / outer, df) / t_tail(t_quantile(0.995, df), df)
