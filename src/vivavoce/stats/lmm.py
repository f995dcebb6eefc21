"""Linear mixed models with random intercepts, nested or crossed, by restricted maximum likelihood.

Source  Bates, Maechler, Bolker and Walker 2015: the profiled criterion of `lmer`
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import minimize

from vivavoce.stats.glmm import NOTHING, FittedGlmm, NotFitted
from vivavoce.stats.random_effects import Groupings

Floats = np.ndarray[Any, np.dtype[np.float64]]


def fit_mixed_linear(
    values: Floats, fixed: Floats, grouping: Sequence[np.ndarray], *, restricted: bool = True
) -> FittedGlmm:
    """Fit by REML, or by maximum likelihood where two models of other fixed effects are compared.

    Input   one row a value: fixed-effect columns with the constant, and one code array a grouping
    Raises  NotFitted: too many random effects, nothing left to estimate, or no convergence
    """
    groupings = Groupings(grouping)
    n, width = fixed.shape
    if not groupings.solvable:
        raise NotFitted("Too many levels of crossed groupings for this method.")
    if n <= width or np.linalg.matrix_rank(fixed) < width:
        raise NotFitted("Columns of the design cannot be told apart.")
    if min(groupings.sizes) < 2 or max(groupings.sizes) >= n:
        raise NotFitted("A grouping needs at least 2 levels, and fewer than there are values.")
    problem = _Profile(values, fixed, groupings, n - width if restricted else n)
    scale = np.ones(len(groupings.sizes))
    optimum = minimize(
        lambda logs: problem.criterion(logs),
        scale,
        method="Nelder-Mead",
        options={"xatol": 1e-7, "fatol": 1e-10, "maxiter": 1000 * len(scale)},
    )
    relative = np.abs(optimum.x)
    relative[relative < NOTHING] = 0.0
    effects, inverse, rss, _ = problem.solve(relative)
    residual = math.sqrt(rss / problem.df)
    covariance = np.zeros((width + len(relative),) * 2)
    covariance[:width, :width] = residual**2 * inverse
    if not np.isfinite(effects).all() or residual == 0:
        raise NotFitted("Nothing is left over to estimate errors from.")
    return FittedGlmm(
        effects=effects,
        extra=np.empty(0),
        deviations=relative * residual,
        covariance=covariance,
        log_likelihood=-0.5 * problem.criterion(relative),
        method="reml" if restricted else "ml",
        residual=residual,
    )


class _Profile:
    """The criterion as a function of deviations relative to the residual's."""

    def __init__(self, values: Floats, fixed: Floats, groupings: Groupings, df: int) -> None:
        self.df, self.restricted = df, df < len(values)
        self._groupings = groupings
        self._columns = np.column_stack([fixed, values])
        self._products = self._columns.T @ self._columns
        self._ones = np.ones(len(values))

    def solve(self, relative: Floats) -> tuple[Floats, Floats, float, float]:
        """Effects, the inverse of their information, the squares left over, and the log determinants."""
        factor = self._groupings.factor(relative, self._ones)
        across = self._groupings.up(relative, self._columns)
        reduced = self._products - across.T @ factor.solve(across)
        inverse: Floats = np.linalg.inv(reduced[:-1, :-1]).astype(float)
        effects = inverse @ reduced[:-1, -1]
        logs = factor.log_determinant
        if self.restricted:
            logs += float(np.linalg.slogdet(reduced[:-1, :-1])[1])
        return effects, inverse, float(reduced[-1, -1] - reduced[:-1, -1] @ effects), logs

    def criterion(self, relative: Floats) -> float:
        """Minus twice the (restricted) log-likelihood."""
        _, _, rss, logs = self.solve(relative)
        if rss <= 0:
            return 1e10
        return logs + self.df * (1 + math.log(2 * math.pi * rss / self.df))
