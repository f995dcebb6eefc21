"""Mixed logistic regression with random participants, tasks and participant-by-system effects, by Laplace.

Written out because statsmodels has no frequentist one: its Bayesian approximation needs minutes and its
errors are too small. Data are counts by cell, so that a participant costs one row a system.
"""

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from scipy.sparse.linalg import splu
from scipy.special import expit

Floats = np.ndarray[Any, np.dtype[np.float64]]
MOST_EFFECTS: Final = 20_000
SMALLEST_LARGEST: Final = (-3.0, 2.0)
STEPS: Final = 50
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(40)


class MixedLogistic(NamedTuple):
    """Fixed effects on the logit scale with their covariance, deviations of the random effects, and fit."""

    effects: Floats
    covariance: Floats
    deviations: Floats
    log_likelihood: float

    def averaged(self, row: Floats) -> tuple[float, Floats]:
        """The rate averaged over participants and tasks, and its slope in the fixed effects."""
        spread = math.sqrt(float((self.deviations**2).sum()))
        rates = expit(float(row @ self.effects) + spread * _NODES)
        share = _WEIGHTS / _WEIGHTS.sum()
        return float(rates @ share), float((rates * (1 - rates)) @ share) * row


def fit_mixed_logistic(
    successes: Floats, cases: Floats, fixed: Floats, grouping: Sequence[np.ndarray]
) -> MixedLogistic | None:
    """Fit by Laplace's approximation; fixed effects at the joint mode.

    Input   one row a cell: successes, cases, fixed-effect columns; one code array a random effect
    Empty   more than 20,000 random effects, or no convergence: None
    Source  Breslow and Clayton 1993; Bates et al. 2015 describe the same approximation
    """
    codes = [np.unique(one, return_inverse=True)[1] for one in grouping]
    sizes = [int(one.max()) + 1 for one in codes]
    if sum(sizes) > MOST_EFFECTS:
        return None
    rows = np.arange(len(fixed))
    effects = [
        sparse.csr_array((np.ones(len(rows)), (rows, one)), shape=(len(rows), size))
        for one, size in zip(codes, sizes, strict=True)
    ]
    design = sparse.hstack([sparse.csr_array(fixed), *effects]).tocsr()
    problem = _Problem(successes, cases, design, fixed.shape[1], sizes)
    try:
        found = minimize(
            lambda logs: -problem.fit(np.exp(logs)).log_likelihood,
            np.full(len(sizes), -0.5),
            method="Nelder-Mead",
            bounds=[SMALLEST_LARGEST] * len(sizes),
            options={"xatol": 0.02, "fatol": 1e-3, "maxiter": 40 * len(sizes)},
        )
        best = problem.fit(np.exp(found.x))
    except (RuntimeError, np.linalg.LinAlgError):  # a singular matrix
        return None
    usable = np.isfinite(best.effects).all() and (np.diag(best.covariance) > 0).all()
    return best if usable else None


class _Problem:
    """The penalised likelihood for given deviations; the last mode is where the next search starts."""

    def __init__(self, successes: Floats, cases: Floats, design: Any, fixed: int, sizes: list[int]) -> None:
        self._successes, self._cases, self._design = successes, cases, design
        self._across = design.T.tocsr()
        self._fixed, self._sizes = fixed, sizes
        self._mode = np.zeros(design.shape[1])

    def fit(self, deviations: Floats) -> MixedLogistic:
        each = [np.full(size, one**-2.0) for size, one in zip(self._sizes, deviations, strict=True)]
        precision = np.concatenate([np.zeros(self._fixed), *each])
        self._mode = self._solve(precision)
        likelihood = self._value(self._mode, np.zeros_like(precision))
        hessian = self._hessian(self._mode, precision)
        random = splu(hessian[self._fixed :, self._fixed :].tocsc())
        penalty = float((precision * self._mode**2).sum() - np.log(precision[self._fixed :]).sum())
        value = likelihood - 0.5 * penalty - 0.5 * float(np.log(np.abs(random.U.diagonal())).sum())
        inverse = splu(hessian).solve(np.eye(len(precision), self._fixed))
        return MixedLogistic(self._mode[: self._fixed], inverse[: self._fixed], deviations, value)

    def _solve(self, precision: Floats) -> Floats:
        """Newton's method to the joint mode, halving steps that overshoot."""
        mode, value = self._mode, self._value(self._mode, precision)
        for _ in range(STEPS):
            rate = expit(self._design @ mode)
            gradient = self._across @ (self._successes - self._cases * rate) - precision * mode
            step = splu(self._hessian(mode, precision)).solve(gradient)
            after = self._value(mode + step, precision)
            while after < value - 1e-10 and np.abs(step).max() > 1e-8:
                step = step / 2
                after = self._value(mode + step, precision)
            mode, gained, value = mode + step, after - value, after
            if abs(gained) < 1e-8:
                break
        return mode

    def _value(self, mode: Floats, precision: Floats) -> float:
        eta = self._design @ mode
        likelihood = float((self._successes * eta - self._cases * np.logaddexp(0, eta)).sum())
        return likelihood - 0.5 * float((precision * mode**2).sum())

    def _hessian(self, mode: Floats, precision: Floats) -> Any:
        rate = expit(self._design @ mode)
        weighted = sparse.diags_array(self._cases * rate * (1 - rate)) @ self._design
        return (self._across @ weighted + sparse.diags_array(precision + 1e-9)).tocsc()
