"""Check of the default comparison by other models: GEE, mixed models, bootstrap."""

import math
import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from vivavoce.stats.bootstrap import bootstrap_difference
from vivavoce.stats.clusters import FEW, SMALL
from vivavoce.stats.distributions import t_quantile, t_tail
from vivavoce.stats.glmm import NotFitted, fit_mixed_linear, fit_mixed_logistic
from vivavoce.stats.summary_results import ModelDifference

Floats = np.ndarray[Any, np.dtype[np.float64]]


class Cases(NamedTuple):
    """Dialogues of two groups: components, participant and task codes, and which belong to the first."""

    numerators: Floats
    denominators: Floats
    people: np.ndarray
    tasks: np.ndarray
    is_a: np.ndarray

    @property
    def counted(self) -> bool:
        """True if these are successes among whole numbers of cases."""
        integral = np.isin(self.numerators % 1, 0).all() and np.isin(self.denominators % 1, 0).all()
        return bool(
            integral and (self.numerators >= 0).all() and (self.numerators <= self.denominators).all()
        )

    def known(self) -> "Cases":
        """Only the dialogues with cases."""
        used = self.denominators > 0
        return Cases(*(column[used] for column in self))


def check_models(cases: Cases, level: float = 0.95, seed: int = 1) -> dict[str, ModelDifference]:
    """Bootstrap, GEE and mixed model of one difference, a minus b."""
    cases = cases.known()
    if cases.is_a.all() or not cases.is_a.any() or np.ptp(cases.numerators / cases.denominators) == 0:
        return no_models("A group has no case, or nothing varied.")
    return {
        "bootstrap": _bootstrap(cases, level, seed),
        "gee": _guarded(gee, cases, level),
        "mixed": _guarded(mixed_logistic if cases.counted else mixed_linear, cases, level),
    }


def no_models(why: str) -> dict[str, ModelDifference]:
    """Result of `check_models` where no model is fitted."""
    return dict.fromkeys(("bootstrap", "gee", "mixed"), ModelDifference(method="none", why=why))


def _guarded(model: Any, cases: Cases, level: float) -> ModelDifference:
    """A model that cannot be fitted says so instead of failing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return model(cases, level)
    except (Warning, ValueError, ArithmeticError, np.linalg.LinAlgError) as problem:
        why = f"Not fitted: {str(problem).splitlines()[0] if str(problem) else type(problem).__name__}"
        return ModelDifference(method=model.__name__, why=why)


def _bootstrap(cases: Cases, level: float, seed: int) -> ModelDifference:
    """Participants drawn; of fewer than 10 the draws say too little, and nothing is said."""
    people, codes = np.unique(cases.people, return_inverse=True)
    sides = []
    for side in (cases.is_a, ~cases.is_a):
        sides.append(
            tuple(
                np.bincount(codes, np.where(side, values, 0), codes.max() + 1)
                for values in (cases.numerators, cases.denominators)
            )
        )
    enough = len(people) >= FEW
    interval = bootstrap_difference(sides[0], sides[1], level=level, seed=seed) if enough else None
    ratios = [float(top.sum() / bottom.sum()) for top, bottom in sides]
    return ModelDifference(
        difference=ratios[0] - ratios[1],
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        p=None,
        method="cluster_bootstrap_percentile",
        why="Whole participants drawn 2000 times, from sums per participant."
        if enough
        else f"Only {len(people)} participants, fewer than {FEW}: draws of so few make intervals too narrow.",
    )


def gee(cases: Cases, level: float = 0.95) -> ModelDifference:
    """GEE with exchangeable working correlation: logit for rates, identity for means.

    Note    fewer than 40 participants: bias-reduced errors (Mancl and DeRouen 2001)
    Source  Liang and Zeger 1986, by statsmodels
    """
    from statsmodels.genmod.cov_struct import Exchangeable
    from statsmodels.genmod.families import Binomial, Gaussian
    from statsmodels.genmod.generalized_estimating_equations import GEE

    values, rows = _cases_one_by_one(cases)
    people, is_a = cases.people[rows], cases.is_a[rows].astype(float)
    clusters = len(np.unique(people))
    few = clusters < SMALL
    family = Binomial() if cases.counted else Gaussian()
    design = np.column_stack((np.ones(len(is_a)), is_a))
    model = GEE(values, design, groups=people, family=family, cov_struct=Exchangeable())
    fit: Any = model.fit(cov_type="bias_reduced" if few else "robust")
    effects, covariance = np.asarray(fit.params), np.asarray(fit.cov_params())
    method, why = (
        "gee_exchangeable",
        f"{clusters} participants; {'bias-reduced' if few else 'robust'} errors.",
    )
    if not cases.counted:
        return ModelDifference(**_linear(effects, covariance, clusters, level), method=method, why=why)
    with_a, without = expit(effects.sum()), expit(effects[0])
    slope_a, slope_b = with_a * (1 - with_a), without * (1 - without)
    slope = np.array([slope_a - slope_b, slope_a])
    error = math.sqrt(float(slope @ covariance @ slope))
    return ModelDifference(
        **_wald(float(with_a - without), error, clusters, level),
        odds_ratio=math.exp(float(effects[1])),
        method=method,
        why=why,
    )


def mixed_logistic(cases: Cases, level: float = 0.95) -> ModelDifference:
    """Mixed logistic regression; the difference is that of rates averaged over participants and tasks."""
    grouping, names = _random_effects(cases)
    cells, codes = np.unique(
        np.column_stack([cases.is_a.astype(int), *grouping]), axis=0, return_inverse=True
    )
    successes = np.bincount(codes.ravel(), cases.numerators).astype(float)
    sizes = np.bincount(codes.ravel(), cases.denominators).astype(float)
    fixed = np.column_stack([np.ones(len(cells)), cells[:, 0]]).astype(float)
    try:
        fit = fit_mixed_logistic(successes, sizes, fixed, list(cells[:, 1:].T))
    except NotFitted as problem:
        return ModelDifference(method="mixed_logistic", why=str(problem))
    with_a, without = np.array([[1.0, 1.0]]), np.array([[1.0, 0.0]])
    at = np.concatenate([fit.effects, fit.deviations])

    def difference(parameters: Floats) -> float:
        return fit.marginal_at(with_a, parameters) - fit.marginal_at(without, parameters)

    moves = 1e-4 * np.eye(len(at))
    slope = np.array([(difference(at + move) - difference(at - move)) / 2e-4 for move in moves])
    error = math.sqrt(float(slope @ fit.covariance @ slope))
    how = "Laplace's approximation" if fit.method == "laplace" else "adaptive quadrature"
    return ModelDifference(
        **_wald(difference(at), error, len(np.unique(cases.people)), level),
        odds_ratio=math.exp(float(fit.effects[1])),
        deviations=dict(zip(names, fit.deviations.tolist(), strict=True)),
        method="mixed_logistic",
        why=f"Random {', '.join(names)} on the logit scale, by {how}.",
    )


def _random_effects(cases: Cases) -> tuple[list[np.ndarray], list[str]]:
    """Participants always; participant by system where somebody met both; tasks where they recur."""
    _, people = np.unique(cases.people, return_inverse=True)
    grouping, names = [people], ["participant"]
    met = {(person, side) for person, side in zip(people.tolist(), cases.is_a.tolist(), strict=True)}
    if len(met) > people.max() + 1:
        grouping.append(people * 2 + cases.is_a)
        names.append("participant by system")
    _, tasks = np.unique(cases.tasks, return_inverse=True)
    if 1 < tasks.max() + 1 <= len(tasks) / 3:
        grouping.append(tasks)
        names.append("task")
    return grouping, names


def mixed_linear(cases: Cases, level: float = 0.95) -> ModelDifference:
    """Linear mixed model of the values of dialogues, with random participants (REML)."""
    values = cases.numerators / cases.denominators
    fixed = np.column_stack([np.ones(len(values)), cases.is_a.astype(float)])
    try:
        fit = fit_mixed_linear(values, fixed, [cases.people])
    except NotFitted as problem:
        return ModelDifference(method="mixed_linear", why=str(problem))
    return ModelDifference(
        **_linear(fit.effects, fit.covariance, len(np.unique(cases.people)), level),
        method="mixed_linear",
        why="Random participant; every dialogue's own value weighs the same.",
    )


def _cases_one_by_one(cases: Cases) -> tuple[Floats, np.ndarray]:
    """One entry a case (0 or 1) of counted rates, a dialogue of anything else; and its dialogue's place."""
    if not cases.counted:
        return cases.numerators / cases.denominators, np.arange(len(cases.people))
    rows = np.repeat(np.arange(len(cases.people)), cases.denominators.astype(int))
    starts = np.cumsum(cases.denominators) - cases.denominators
    values = (np.arange(len(rows)) - starts[rows]) < cases.numerators[rows]
    return values.astype(float), rows


def _linear(effects: Floats, covariance: Floats, clusters: int, level: float) -> dict[str, Any]:
    error = math.sqrt(float(covariance[1, 1]))
    return _wald(float(effects[1]), error, clusters, level)


def _wald(difference: float, error: float, clusters: int, level: float) -> dict[str, Any]:
    """Interval and p of a difference from one t, so that they agree."""
    df = max(1, clusters - 1)
    reach = t_quantile((1 + level) / 2, df) * error
    return {
        "difference": difference,
        "low": difference - reach,
        "high": difference + reach,
        "p": 2 * t_tail(abs(difference) / error, df),
    }
