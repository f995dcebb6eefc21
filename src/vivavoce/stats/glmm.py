"""Generalised linear mixed models with random intercepts, by maximum likelihood.

One grouping: adaptive Gauss-Hermite quadrature. Several: Laplace's approximation. That is lme4's own rule;
estimates, errors and log-likelihoods are held to its `glmer`, those of ordered answers to ordinal's `clmm`.

Written out because statsmodels has no frequentist ones.

Source  Bates et al. 2015; Pinheiro and Chao 2006 for the quadrature; Christensen 2019 for ordered answers
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from scipy.optimize import minimize

from vivavoce.stats.likelihoods import Binomial, Cumulative, Likelihood
from vivavoce.stats.random_effects import Groupings

Floats = np.ndarray[Any, np.dtype[np.float64]]
NODES: Final = 25
STEPS: Final = 100
NOTHING: Final = 1e-3  # a deviation below this is none: the data ask for no such effect
FARTHEST: Final = 20.0  # log odds beyond which an estimate is running away
_PLACES, _WEIGHTS = np.polynomial.hermite.hermgauss(NODES)
_AVERAGED, _SHARES = np.polynomial.hermite_e.hermegauss(40)


class NotFitted(ValueError):
    """Reason why a model has no estimates, in a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedGlmm:
    """A fitted model.

    effects         of the columns of the design
    extra           further parameters: thresholds of ordered answers; empty for others
    deviations      of each grouping's random intercepts, on the scale of the predictor
    covariance      of effects, extra and deviations together; 0 where a deviation is 0
    log_likelihood  of the data, without binomial coefficients
    residual        deviation of the residuals; None where the response has none of its own
    method          how the random effects were integrated
    """

    effects: Floats
    extra: Floats
    deviations: Floats
    covariance: Floats
    log_likelihood: float
    method: str
    likelihood: Likelihood | None = None
    residual: float | None = None

    @property
    def errors(self) -> Floats:
        """Standard errors of the effects."""
        return np.sqrt(np.diag(self.covariance)[: len(self.effects)])

    def marginal(self, rows: Floats) -> float:
        """Mean response over rows of a design, averaged over everybody the random effects stand for."""
        return self.marginal_at(rows, np.concatenate([self.effects, self.extra, self.deviations]))

    def marginal_at(self, rows: Floats, parameters: Floats) -> float:
        """Means with other parameters, for the slope in them."""
        width, places = len(self.effects), len(self.effects) + len(self.extra)
        eta = rows @ parameters[:width]
        if self.likelihood is None:
            return float(eta.mean())
        spread = float(np.sqrt((parameters[places:] ** 2).sum()))
        predictors = eta[:, None] + spread * _AVERAGED
        means = self.likelihood.mean(predictors, parameters[width:places])
        return float((means @ (_SHARES / _SHARES.sum())).mean())


def fit_mixed(likelihood: Likelihood, fixed: Floats, grouping: Sequence[np.ndarray]) -> FittedGlmm:
    """Fit by maximum likelihood.

    Input   one row a cell: fixed-effect columns (without a constant for ordered answers), and one code array
            a grouping
    Raises  NotFitted: too many random effects, estimates that run away, or no convergence
    """
    groupings = Groupings(grouping)
    if not groupings.solvable:
        raise NotFitted("Too many levels of crossed groupings for this method.")
    centre, turn = _well_conditioned(fixed, shift=isinstance(likelihood, Cumulative))
    problem = _Problem(likelihood, (fixed - centre) @ turn, groupings)
    best = _maximise(problem)
    if np.abs(turn @ best[: fixed.shape[1]]).max(initial=0) > FARTHEST:
        raise NotFitted("An effect runs away: in some cell everything went the same way.")
    return _reported(problem, best, centre, turn)


def _well_conditioned(fixed: Floats, *, shift: bool) -> tuple[Floats, Floats]:
    """Columns of equal size at right angles: (fixed - centre) @ turn; thresholds take up the shift."""
    centre = fixed.mean(axis=0) if shift else np.zeros(fixed.shape[1])
    if not fixed.shape[1]:
        return centre, np.zeros((0, 0))
    triangle = np.linalg.qr(fixed - centre, mode="r")
    if np.abs(np.diag(triangle)).min() < 1e-9 * np.abs(triangle).max():
        raise NotFitted("Columns of the design cannot be told apart.")
    return centre, np.linalg.inv(triangle) * np.sqrt(len(fixed))


class _Problem:
    """Minus the log-likelihood of parameters: effects, extra as they are searched, deviations.

    Thresholds are searched as the first and the logs of the gaps, so that they ascend. The last mode is where
    the next search begins.
    """

    def __init__(self, likelihood: Likelihood, fixed: Floats, groupings: Groupings) -> None:
        self.likelihood, self.fixed, self.groupings = likelihood, fixed, groupings
        self.nodes = NODES if len(groupings.sizes) == 1 else 1
        self.width = fixed.shape[1]
        self.thresholds = len(likelihood.scale) - 1 if isinstance(likelihood, Cumulative) else 0
        self._mode = np.zeros(groupings.count)

    def start(self) -> Floats:
        """No effect at all, the answers' own shares, and deviations of 1."""
        extra = np.empty(0)
        if isinstance(self.likelihood, Cumulative):
            shares = np.bincount(self.likelihood.answers, minlength=self.thresholds + 1) + 0.5
            below = np.cumsum(shares)[:-1] / shares.sum()
            extra = np.log(below / (1 - below))
        effects = np.zeros(self.width)
        return np.concatenate([effects, self.searched(extra), np.ones(len(self.groupings.sizes))])

    def searched(self, extra: Floats) -> Floats:
        return np.concatenate([extra[:1], np.log(np.diff(extra))])

    def plain(self, searched: Floats) -> Floats:
        return np.cumsum(np.concatenate([searched[:1], np.exp(np.minimum(searched[1:], 50))]))

    def split(self, parameters: Floats) -> tuple[Floats, Floats, Floats]:
        end = self.width + self.thresholds
        return parameters[: self.width], parameters[self.width : end], parameters[end:]

    def loss(self, parameters: Floats) -> float:
        effects, searched, deviations = self.split(parameters)
        value = -self.log_likelihood(effects, self.plain(searched), deviations)
        return value if np.isfinite(value) else 1e10

    def log_likelihood(self, effects: Floats, extra: Floats, deviations: Floats) -> float:
        """Integrated over the random effects."""
        base = self.fixed @ effects
        self._mode, factor = self._find_mode(base, extra, deviations)
        if self.nodes == 1:
            height = self._height(base, extra, deviations, self._mode)
            return height - 0.5 * factor.log_determinant
        return self._quadrature(base, extra, float(deviations[0]), factor.diagonal)

    def _quadrature(self, base: Floats, extra: Floats, deviation: float, diagonal: Floats) -> float:
        """Each level's integral at nodes around its mode, spread as its curvature asks for."""
        codes, size = self.groupings.codes[0], self.groupings.sizes[0]
        at = self._mode[:, None] + np.sqrt(2 / diagonal)[:, None] * _PLACES
        logs: Floats = self.likelihood.logs(base[:, None] + deviation * at[codes], extra)
        sums = np.column_stack([np.bincount(codes, column, size) for column in logs.T])
        terms = sums - 0.5 * at**2 + _PLACES**2 + np.log(_WEIGHTS)
        return float((np.logaddexp.reduce(terms, axis=1) - 0.5 * np.log(np.pi * diagonal)).sum())

    def _height(self, base: Floats, extra: Floats, deviations: Floats, mode: Floats) -> float:
        eta = base + self.groupings.down(deviations, mode)
        return float(self.likelihood.logs(eta, extra).sum()) - 0.5 * float(mode @ mode)

    def _find_mode(self, base: Floats, extra: Floats, deviations: Floats) -> tuple[Floats, Any]:
        """Newton's method, halving steps that overshoot; to the last digits, so that slopes are smooth."""
        mode = self._mode
        height = self._height(base, extra, deviations, mode)
        if not np.isfinite(height):
            mode = np.zeros_like(mode)
            height = self._height(base, extra, deviations, mode)
        moved = np.inf
        for _ in range(STEPS):
            first, second = self.likelihood.slopes(base + self.groupings.down(deviations, mode), extra)
            factor = self.groupings.factor(deviations, second)
            if moved < 1e-6:  # the next step would be its square
                return mode, factor
            step = factor.solve(self.groupings.up(deviations, first) - mode)
            after = self._height(base, extra, deviations, mode + step)
            while not after >= height - 1e-9 * abs(height) and np.abs(step).max() > 1e-10:
                step = step / 2
                after = self._height(base, extra, deviations, mode + step)
            mode, height, moved = mode + step, after, np.abs(step).max()
        raise NotFitted("The modes of the random effects were not found.")


def _maximise(problem: _Problem) -> Floats:
    """BFGS with central differences; deviations may turn negative, the likelihood does not mind."""
    optimum = minimize(
        problem.loss,
        problem.start(),
        jac=lambda at: _slope(problem.loss, at),
        method="BFGS",
        options={"gtol": 1e-4 * max(1.0, np.sqrt(len(problem.fixed)) / 10), "maxiter": 300},
    )
    if optimum.fun >= 1e10 or not np.isfinite(optimum.x).all() or np.abs(optimum.jac).max() > 0.1:
        raise NotFitted("The search for the best estimates did not converge.")
    best = optimum.x.copy()
    end = problem.width + problem.thresholds
    best[end:] = np.abs(best[end:])
    best[end:][best[end:] < NOTHING] = 0.0
    return best


def _slope(loss: Callable[[Floats], float], at: Floats) -> Floats:
    steps = 1e-5 * np.maximum(1.0, np.abs(at))
    return np.array(
        [
            (loss(at + step * unit) - loss(at - step * unit)) / (2 * step)
            for step, unit in zip(steps, np.eye(len(at)), strict=True)
        ]
    )


def _reported(problem: _Problem, best: Floats, centre: Floats, turn: Floats) -> FittedGlmm:
    """Back to the columns as they were given, with the covariance from the curvature at the best."""
    effects, searched, deviations = problem.split(best)
    natural = np.concatenate([effects, problem.plain(searched), deviations])

    def loss(values: Floats) -> float:
        return -problem.log_likelihood(*problem.split(values))

    free = np.ones(len(natural), dtype=bool)
    free[len(natural) - len(deviations) :] = deviations > 0
    covariance = np.zeros((len(natural), len(natural)))
    inverse = np.linalg.inv(_curvature(loss, natural, np.flatnonzero(free)))
    if not (np.diag(inverse) > 0).all():
        raise NotFitted("The likelihood is flat: the data cannot tell these effects apart.")
    covariance[np.ix_(free, free)] = inverse
    uncentred = np.eye(len(natural))  # effects = turn @ effects, thresholds + centre @ turn @ effects
    uncentred[: problem.width, : problem.width] = turn
    uncentred[problem.width : problem.width + problem.thresholds, : problem.width] = centre @ turn
    final = uncentred @ natural
    final_effects, extra, _ = problem.split(final)
    return FittedGlmm(
        effects=final_effects,
        extra=extra,
        deviations=deviations,
        covariance=uncentred @ covariance @ uncentred.T,
        log_likelihood=-loss(natural),
        method=f"adaptive_quadrature_{problem.nodes}" if problem.nodes > 1 else "laplace",
        likelihood=problem.likelihood,
    )


def _curvature(loss: Callable[[Floats], float], at: Floats, free: np.ndarray) -> Floats:
    """Second derivatives by central differences in the free parameters."""
    steps = 1e-4 * np.maximum(1.0, np.abs(at))
    moves = [step * unit for step, unit in zip(steps, np.eye(len(at)), strict=True)]
    middle = loss(at)
    zeros = np.zeros((len(free), len(free)))
    for i, a in enumerate(free):
        up, down = loss(at + moves[a]), loss(at - moves[a])
        zeros[i, i] = (up - 2 * middle + down) / steps[a] ** 2
        for j, b in enumerate(free[:i]):
            mixed = (
                loss(at + moves[a] + moves[b])
                - loss(at + moves[a] - moves[b])
                - loss(at - moves[a] + moves[b])
                + loss(at - moves[a] - moves[b])
            )
            zeros[i, j] = zeros[j, i] = mixed / (4 * steps[a] * steps[b])
    return zeros


def fit_mixed_logistic(
    successes: Floats, cases: Floats, fixed: Floats, grouping: Sequence[np.ndarray]
) -> FittedGlmm:
    """Successes among cases on fixed effects and random intercepts.

    Raises  NotFitted: see `fit_mixed`
    """
    return fit_mixed(Binomial(successes, cases), fixed, grouping)
