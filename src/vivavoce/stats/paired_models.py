"""Models of choices between two, with ties: what the chance to be preferred depends on.

A choice has a row of a design: what the first has more of than the second. The coefficients are log odds;
their covariance is a sandwich over clusters (people), so that many choices of one person do not pass for many
people. Two systems are a design of ones, several are differences of indicators, a covariate is a difference.

Source  Bradley and Terry 1952; Davidson 1970; Rao and Kupper 1967; sandwich: Liang and Zeger 1986
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from vivavoce.stats.distributions import t_quantile, t_tail

Floats = np.ndarray[Any, np.dtype[np.float64]]
Ties = Literal["davidson", "rao_kupper", "decided"]
Likelihood = Callable[[Floats, Floats, Floats], tuple[Floats, Floats]]
FARTHEST: Final = 12.0  # log odds beyond which an estimate is running away


class LogOdds(NamedTuple):
    """Log odds with standard error, limits and p; all but the estimate None where nothing can be tested."""

    estimate: float
    se: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None


class FittedPairs(NamedTuple):
    """A fitted model.

    estimates   log odds, one a column of the design
    covariance  of the estimates, over clusters
    readiness   Davidson's nu or Rao and Kupper's theta; None where only decided choices are modelled
    """

    estimates: Floats
    covariance: Floats
    readiness: float | None
    log_likelihood: float
    clusters: int
    choices: int

    def interval(self, weights: Sequence[float] | Floats, level: float = 0.95) -> LogOdds:
        """A weighted sum of the estimates with standard error, limits and p by t over clusters."""
        chosen = np.asarray(weights, dtype=float)
        value = float(chosen @ self.estimates)
        se = float(np.sqrt(max(0.0, chosen @ self.covariance @ chosen)))
        df = self.clusters - 1
        if df < 1 or not se:
            return LogOdds(value)
        reach = t_quantile((1 + level) / 2, df) * se
        p = 2 * t_tail(abs(value) / se, df)
        return LogOdds(value, se, value - reach, value + reach, p)


def fit(
    design: Floats, outcomes: Floats, clusters: np.ndarray, ties: Ties = "davidson"
) -> FittedPairs | None:
    """Maximum likelihood with clustered errors.

    Input   design (choices x coefficients); outcomes 1 the first, -1 the second, 0 neither; who chose
    Empty   nothing decided, columns that cannot be told apart, or an estimate without a finite value: None
    Note    `decided` leaves ties out; without any tie the other two are that model
    """
    if ties == "decided" or not (outcomes == 0).any():
        decided = outcomes != 0
        design, outcomes, clusters, ties = design[decided], outcomes[decided], clusters[decided], "decided"
    if not len(outcomes) or np.linalg.matrix_rank(design) < design.shape[1]:
        return None
    terms = _LIKELIHOODS[ties]
    size = design.shape[1] + (ties != "decided")

    def loss(values: Floats) -> tuple[float, Floats]:
        logs, scores = terms(values, design, outcomes)
        return -float(logs.sum()), -scores.sum(axis=0)

    optimum = minimize(loss, np.zeros(size), jac=True, method="BFGS", options={"gtol": 1e-7})
    bread = _inverse(_curvature(loss, optimum.x))
    if bread is None or np.abs(optimum.x).max() > FARTHEST:
        return None
    _, codes = np.unique(clusters, return_inverse=True)
    groups = int(codes.max()) + 1
    scores = terms(optimum.x, design, outcomes)[1]
    sums = np.zeros((groups, size))
    np.add.at(sums, codes, scores)
    meat = sums.T @ sums * groups / max(1, groups - 1)
    width = design.shape[1]
    return FittedPairs(
        optimum.x[:width],
        (bread @ meat @ bread)[:width, :width],
        None if ties == "decided" else _readiness(ties, float(optimum.x[-1])),
        -float(optimum.fun),
        groups,
        len(outcomes),
    )


def _readiness(ties: Ties, value: float) -> float:
    return float(np.exp(value)) if ties == "davidson" else float(np.exp(np.exp(value)))


def _curvature(loss: Callable[[Floats], tuple[float, Floats]], at: Floats) -> Floats:
    """The Hessian by central differences of the exact slope."""
    step = 1e-5
    rows = [(loss(at + step * unit)[1] - loss(at - step * unit)[1]) / (2 * step) for unit in np.eye(len(at))]
    matrix = np.array(rows)
    return (matrix + matrix.T) / 2


def _inverse(matrix: Floats) -> Floats | None:
    try:
        inverse: Floats = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None
    return inverse if np.isfinite(inverse).all() and (np.diag(inverse) > 0).all() else None


def _decided(values: Floats, design: Floats, outcomes: Floats) -> tuple[Floats, Floats]:
    signed = outcomes * (design @ values)
    return log_expit(signed), (outcomes * expit(-signed))[:, None] * design


def davidson_loss(
    design: Floats, outcomes: Floats, offset: Floats
) -> Callable[[Floats], tuple[float, Floats]]:
    """Negative log likelihood and its slope, with an offset of the log odds; the last value is log nu."""

    def loss(values: Floats) -> tuple[float, Floats]:
        logs, scores = _davidson(values, design, outcomes, offset)
        return -float(logs.sum()), -scores.sum(axis=0)

    return loss


def _davidson(
    values: Floats, design: Floats, outcomes: Floats, offset: Floats | float = 0.0
) -> tuple[Floats, Floats]:
    """First e^(eta/2), second e^(-eta/2), tie nu, over their sum."""
    half = (design @ values[:-1] + offset) / 2
    terms = np.column_stack([half, -half, np.full(len(half), values[-1])])
    total = np.logaddexp.reduce(terms, axis=1)
    chances = np.exp(terms - total[:, None])
    observed = np.where(outcomes == 1, half, np.where(outcomes == -1, -half, values[-1]))
    lean = (outcomes - chances[:, 0] + chances[:, 1]) / 2
    tied = (outcomes == 0) - chances[:, 2]
    return observed - total, np.column_stack([lean[:, None] * design, tied])


def _rao_kupper(values: Floats, design: Floats, outcomes: Floats) -> tuple[Floats, Floats]:
    """A threshold: the first is chosen by F(eta - tau), the second by F(-eta - tau), else a tie."""
    eta, tau = design @ values[:-1], float(np.exp(values[-1]))
    width = 2 * tau + np.log(-np.expm1(-2 * tau))  # log(e^2tau - 1), also for a tau far off the solution
    tied = width + eta - np.logaddexp(eta, tau) - np.logaddexp(0.0, tau + eta)
    won, lost = log_expit(eta - tau), log_expit(-eta - tau)
    logs = np.where(outcomes == 1, won, np.where(outcomes == -1, lost, tied))
    above, below = expit(eta + tau), expit(eta - tau)
    steep, flat = above * (1 - above), below * (1 - below)
    chance = np.exp(tied)
    lean = np.where(
        outcomes == 1, expit(tau - eta), np.where(outcomes == -1, -expit(eta + tau), (steep - flat) / chance)
    )
    wide = np.where(
        outcomes == 1, -expit(tau - eta), np.where(outcomes == -1, -expit(eta + tau), (steep + flat) / chance)
    )
    return logs, np.column_stack([lean[:, None] * design, wide * tau])


_LIKELIHOODS: Final[dict[str, Likelihood]] = {
    "decided": _decided,
    "davidson": _davidson,
    "rao_kupper": _rao_kupper,
}
