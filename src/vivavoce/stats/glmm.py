"""Linear (REML) and generalised (maximum likelihood) mixed models with random intercepts, nested or crossed.

Generalised models with one grouping: adaptive Gauss-Hermite quadrature; several groupings: Laplace's
approximation. That is lme4's own rule; estimates, errors and log-likelihoods are held to its `glmer`, those
of ordered answers to ordinal's `clmm`. Linear models use the profiled criterion of `lmer`. They are
implemented here because statsmodels has no frequentist ones.

With deviations t and standard normal effects u, the matrix to solve is M = T Z' W Z T + I. The grouping with
the most levels makes a diagonal block, which is eliminated (Schur complement); the rest is as large as all
other groupings together. Likelihoods give the log-likelihood of a row, its slope and its (negated)
curvature in the predictor; all are log-concave, so Newton's method finds the mode of random effects from
anywhere.

Source  Bates, Maechler, Bolker and Walker 2015; Pinheiro and Chao 2006 for the quadrature; Christensen 2019
        for ordered answers
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.special import expit, gammaln, log_expit

Floats = np.ndarray[Any, np.dtype[np.float64]]
EXPONENT: Final = 500.0  # beyond which exp overflows on the way to an answer


class Likelihood(Protocol):
    """A response given its linear predictor (eta); `extra` are parameters of its own, such as thresholds."""

    def logs(self, eta: Floats, extra: Floats) -> Floats:
        """Log-likelihood, shaped like eta, whose first axis is the rows."""
        ...

    def slopes(self, eta: Floats, extra: Floats) -> tuple[Floats, Floats]:
        """First derivative, and minus the second, of each row."""
        ...

    def mean(self, eta: Floats, extra: Floats) -> Floats:
        """Expected value of any row with this predictor."""
        ...


class Binomial(NamedTuple):
    """Successes among cases, by logit."""

    successes: Floats
    cases: Floats

    def logs(self, eta: Floats, extra: Floats) -> Floats:
        """Without the binomial coefficient, as if cases were rows of their own."""
        return _down(self.successes, eta) * eta - _down(self.cases, eta) * np.logaddexp(0, eta)

    def slopes(self, eta: Floats, extra: Floats) -> tuple[Floats, Floats]:
        """By the rate that the predictor stands for."""
        rate = expit(eta)
        return self.successes - self.cases * rate, self.cases * rate * (1 - rate)

    def mean(self, eta: Floats, extra: Floats) -> Floats:
        """The rate."""
        return expit(eta)


class Poisson(NamedTuple):
    """Counts, by log."""

    counts: Floats

    def logs(self, eta: Floats, extra: Floats) -> Floats:
        """With the factorial."""
        counts = _down(self.counts, eta)
        return counts * eta - np.exp(np.minimum(eta, EXPONENT)) - gammaln(counts + 1)

    def slopes(self, eta: Floats, extra: Floats) -> tuple[Floats, Floats]:
        """By the count that the predictor stands for."""
        expected = np.exp(np.minimum(eta, EXPONENT))
        return self.counts - expected, expected

    def mean(self, eta: Floats, extra: Floats) -> Floats:
        """The expected count."""
        return np.exp(np.minimum(eta, EXPONENT))


class Cumulative(NamedTuple):
    """Ordered answers by thresholds on the logit scale: P(answer <= j) = expit(threshold_j - eta).

    answers  0 to levels - 1; `extra` are the levels - 1 thresholds, ascending
    scale    the number that stands for each answer, for the mean
    """

    answers: np.ndarray
    scale: Floats

    def logs(self, eta: Floats, extra: Floats) -> Floats:
        """Log of the share of the logistic between the answer's two thresholds."""
        above, below = self._ends(eta, extra)
        with np.errstate(invalid="ignore", divide="ignore"):
            gap = np.log1p(-np.exp(below - above))
        return log_expit(above) + log_expit(-below) + gap

    def slopes(self, eta: Floats, extra: Floats) -> tuple[Floats, Floats]:
        """The logistic's density over its distribution is plain in both ends."""
        above, below = (expit(end) for end in self._ends(eta, extra))
        return above + below - 1, above * (1 - above) + below * (1 - below)

    def mean(self, eta: Floats, extra: Floats) -> Floats:
        """The expected answer, in the scale's own numbers."""
        over = 1 - expit(extra - eta[..., None])
        return self.scale[0] + over @ np.diff(self.scale)

    def _ends(self, eta: Floats, extra: Floats) -> tuple[Floats, Floats]:
        ends = np.concatenate([[-np.inf], extra, [np.inf]])
        return _down(ends[self.answers + 1], eta) - eta, _down(ends[self.answers], eta) - eta


def _down(values: Floats, eta: Floats) -> Floats:
    """Values of rows, shaped so that they go with a predictor of further columns."""
    return values if values.ndim == eta.ndim else values[:, None]


MOST_CROSSED: Final = 3_000


class Groupings:
    """Level of each row in each grouping; effects stand in the order of the groupings."""

    def __init__(self, codes: Sequence[np.ndarray]) -> None:
        self.codes = [np.unique(code, return_inverse=True)[1].ravel() for code in codes]
        self.sizes = [int(code.max()) + 1 for code in self.codes]
        self.count = sum(self.sizes)
        self._starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(int)
        self._large = int(np.argmax(self.sizes))
        self._others = [place for place in range(len(self.sizes)) if place != self._large]
        rows = np.arange(len(self.codes[0]))
        self._indicators = [
            sparse.csr_array((np.ones(len(rows)), (rows, group_codes)), shape=(len(rows), size))
            for group_codes, size in zip(self.codes, self.sizes, strict=True)
        ]

    @property
    def solvable(self) -> bool:
        """True if what is left after elimination is small enough."""
        return self.count - self.sizes[self._large] <= MOST_CROSSED

    def down(self, deviations: Floats, effects: Floats) -> Floats:
        """Z T u: what the effects add to each row."""
        parts = self._split(effects)
        return sum(
            (
                deviation * part[codes]
                for deviation, part, codes in zip(deviations, parts, self.codes, strict=True)
            ),
            start=np.zeros(len(self.codes[0])),
        )

    def up(self, deviations: Floats, rows: Floats) -> Floats:
        """T Z' r: sums of rows (or of each of their columns) over levels."""
        if rows.ndim == 2:
            return np.column_stack([self.up(deviations, column) for column in rows.T])
        return np.concatenate(
            [
                deviation * np.bincount(codes, rows, size)
                for deviation, codes, size in zip(deviations, self.codes, self.sizes, strict=True)
            ]
        )

    def factor(self, deviations: Floats, weights: Floats) -> "Factor":
        """M, ready to solve with."""
        large = self._large
        diagonal = 1 + deviations[large] ** 2 * np.bincount(self.codes[large], weights, self.sizes[large])
        if not self._others:
            return Factor(self, large, diagonal, None, None)
        scaled = [self._indicators[place] * deviations[place] for place in self._others]
        small_groups = sparse.hstack(scaled).tocsr()
        weighted = sparse.diags_array(weights) @ small_groups
        cross = (deviations[large] * self._indicators[large].T @ weighted).tocsr()
        schur = (small_groups.T @ weighted - cross.T @ sparse.diags_array(1 / diagonal) @ cross).toarray()
        schur[np.diag_indices_from(schur)] += 1
        return Factor(self, large, diagonal, cross, cho_factor(schur, lower=True))

    def slots(self, place: int) -> slice:
        """Positions of the effects of a grouping."""
        return slice(int(self._starts[place]), int(self._starts[place]) + self.sizes[place])

    def _split(self, effects: Floats) -> list[Floats]:
        return [effects[self.slots(place)] for place in range(len(self.sizes))]


class Factor:
    """M factored: its log determinant, and solutions."""

    def __init__(self, groupings: Groupings, large: int, diagonal: Floats, cross: Any, schur: Any) -> None:
        self.diagonal = diagonal
        self._large = groupings.slots(large)
        self._rest = np.ones(groupings.count, dtype=bool)
        self._rest[self._large] = False
        self._cross, self._left = cross, schur
        self.log_determinant = float(np.log(diagonal).sum())
        if schur is not None:
            self.log_determinant += 2 * float(np.log(np.diag(schur[0])).sum())

    def solve(self, right: Floats) -> Floats:
        """The x with M x = right; columns are solved together."""
        spread = self.diagonal if right.ndim == 1 else self.diagonal[:, None]
        solution = np.empty_like(right)
        if self._left is None:
            solution[self._large] = right[self._large] / spread
            return solution
        eliminated = right[self._large] / spread
        solution[self._rest] = cho_solve(self._left, right[self._rest] - self._cross.T @ eliminated)
        solution[self._large] = eliminated - (self._cross @ solution[self._rest]) / spread
        return solution


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
        raise NotFitted("Columns of the design cannot be separated.")
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
        raise NotFitted("Columns of the design cannot be separated.")
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
