"""Power and type I error of the clustered comparison by simulation, over whole trials at once."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.special import ndtr
from scipy.stats import beta as beta_law
from scipy.stats import t as student

from vivavoce.analysis.power import Nested

DRAWS: Final = 2000
CHUNK: Final = 500
GRID: Final = 4001
Floats = np.ndarray[Any, np.dtype[np.float64]]


class Simulated(NamedTuple):
    """Share of simulated trials that were significant, with its Monte Carlo error."""

    share: float
    error: float
    draws: int
    seed: int


def rejections(
    hits_a: Floats, cases_a: Floats, hits_b: Floats, cases_b: Floats, alpha: float = 0.05
) -> np.ndarray:
    """Whether the clustered test finds a difference, in each of many trials.

    Input   trials x participants: successes and cases with each system
    Note    the same test as `clusters.contrast`, for all trials at once
    """
    influence, difference = np.zeros_like(hits_a, dtype=float), 0.0
    for hits, cases, sign in ((hits_a, cases_a, 1.0), (hits_b, cases_b, -1.0)):
        total = cases.sum(axis=1, keepdims=True)
        ratio = hits.sum(axis=1, keepdims=True) / total
        influence += sign * (hits - ratio * cases) / (total - cases)
        difference = difference + sign * ratio[:, 0]
    error = np.sqrt((influence**2).sum(axis=1))
    people = ((cases_a + cases_b) > 0).sum(axis=1)
    return np.abs(difference) > student.ppf(1 - alpha / 2, people - 1) * np.maximum(error, 1e-12)


def simulate_two_rates(
    a: float,
    b: float,
    participants: int,
    nested: Nested,
    *,
    alpha: float = 0.05,
    draws: int = DRAWS,
    seed: int = 1,
) -> Simulated:
    """Share of trials in which the clustered test finds the difference of two rates.

    Input   participants over both systems; every participant's own rates are Beta distributed with the ICC
            asked for, and rise and fall together where a participant meets both systems
    """
    rng = np.random.default_rng(seed)
    found = 0
    for start in range(0, draws, CHUNK):
        trials = min(CHUNK, draws - start)
        found += int(rejections(*_trial(rng, (a, b), (trials, participants), nested), alpha).sum())
    share = found / draws
    return Simulated(share, (share * (1 - share) / draws) ** 0.5, draws, seed)


def _trial(
    rng: np.random.Generator, rates: tuple[float, float], shape: tuple[int, int], nested: Nested
) -> tuple[Floats, Floats, Floats, Floats]:
    calls = round(nested.calls)
    if nested.design == "within":
        cases = [np.full(shape, calls - calls // 2), np.full(shape, calls // 2)]
        swap = rng.random(shape) < 0.5
        cases = [np.where(swap, cases[1], cases[0]), np.where(swap, cases[0], cases[1])]
    else:
        first = np.arange(shape[1]) < shape[1] // 2
        cases = [np.tile(np.where(side, calls, 0), (shape[0], 1)) for side in (first, ~first)]
    together = nested.icc / (nested.icc + nested.interaction) if nested.icc else 0.0
    common = rng.standard_normal(shape)
    spread = nested.icc + nested.interaction
    hits = []
    for rate, n in zip(rates, cases, strict=True):
        own = np.sqrt(together) * common + np.sqrt(1 - together) * rng.standard_normal(shape)
        hits.append(rng.binomial(n, _own_rates(rate, min(spread, 0.95))(own)))
    return hits[0], cases[0].astype(float), hits[1], cases[1].astype(float)


def _own_rates(rate: float, icc: float) -> Callable[[Floats], Floats]:
    """Participants' own rates from standard normal draws: Beta with this mean and ICC."""
    if icc <= 0:
        return lambda own: np.full_like(own, rate)
    size = 1 / icc - 1
    grid = np.linspace(0, 1, GRID)
    quantiles = beta_law.ppf(grid, rate * size, (1 - rate) * size)
    return lambda own: np.interp(ndtr(own), grid, quantiles)
