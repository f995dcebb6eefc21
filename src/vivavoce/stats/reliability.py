"""Does a scale measure one thing? Cronbach's alpha and McDonald's omega over complete forms."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from vivavoce.stats.bootstrap import ends
from vivavoce.stats.clusters import ALIKE, FEW
from vivavoce.stats.interval import Interval

DRAWS: Final = 1000
FEWEST_FOR_ALPHA: Final = 3
FEWEST_FOR_OMEGA: Final = 30
LEAST_UNIQUE: Final = 0.005
MOST_STEPS: Final = 5000
Matrix = np.ndarray[Any, np.dtype[np.float64]]


class Reliability(NamedTuple):
    """Alpha with its bootstrap interval over people, omega of one factor, and how many forms and items."""

    alpha: float | None
    interval: Interval | None
    omega: float | None
    n: int
    items: int


def reliability(
    answers: Matrix, people: Sequence[str] | None = None, *, level: float = 0.95, seed: int = 1
) -> Reliability:
    """How reliable the sum of some items is.

    Input   one row a form, one column an item, reversed items turned round; no missing values. Whose each
            form is, where somebody may have filled in several; else every form is a person's own
    Empty   fewer than 3 forms or 2 items, or a sum that never varies: alpha missing; fewer than 10 people, or
            forms that are all alike in it: interval missing; fewer than 30 forms or 3 items, or an item that
            never varies: omega missing
    """
    forms, items = answers.shape
    alpha = cronbach_alpha(answers) if forms >= FEWEST_FOR_ALPHA else None
    _, codes = np.unique(np.arange(forms) if people is None else np.array(people), return_inverse=True)
    enough = alpha is not None and len(set(codes.tolist())) >= FEW
    interval = _bootstrap(answers, codes, level, seed) if enough else None
    return Reliability(alpha, interval, _omega(answers), forms, items)


def cronbach_alpha(answers: Matrix) -> float | None:
    """k / (k - 1) x (1 - sum of item variances / variance of the sum), variances over n - 1.

    Empty   fewer than 2 forms or items, or a sum that never varies: None
    Source  Cronbach 1951; golden case 34 in tests/golden/reliability.json
    """
    forms, items = answers.shape
    total = float(answers.sum(axis=1).var(ddof=1)) if forms > 1 else 0.0
    if items < 2 or total <= 1e-12:
        return None
    return items / (items - 1) * (1 - float(answers.var(axis=0, ddof=1).sum()) / total)


def omega_of_loadings(loadings: Sequence[float]) -> float:
    """(sum of loadings) squared over itself plus the unique variances, loadings standardised.

    Source  McDonald 1999; golden case 34 in tests/golden/reliability.json
    """
    common = sum(loadings) ** 2
    return common / (common + sum(1 - loading**2 for loading in loadings))


def _omega(answers: Matrix) -> float | None:
    """Omega of the one-factor model, fitted by maximum likelihood to the correlations."""
    forms, items = answers.shape
    if forms < FEWEST_FOR_OMEGA or items < 3 or (np.ptp(answers, axis=0) == 0).any():
        return None
    correlations: Matrix = np.asarray(np.corrcoef(answers, rowvar=False), dtype=float)
    if np.linalg.eigvalsh(correlations)[0] < 1e-6:
        return None
    return omega_of_loadings(_one_factor(correlations).tolist())


def _one_factor(correlations: Matrix) -> Matrix:
    """Loadings of the one-factor model by maximum likelihood (expectation maximisation).

    Source  Rubin and Thayer 1982; started from the first principal component, so always the same
    """
    values, vectors = np.linalg.eigh(correlations)
    loadings = vectors[:, -1] * np.sqrt(values[-1])
    unique = np.maximum(1 - loadings**2, LEAST_UNIQUE)
    for _ in range(MOST_STEPS):
        weights = np.linalg.solve(np.outer(loadings, loadings) + np.diag(unique), loadings)
        crossed = correlations @ weights
        updated = crossed / (1 - weights @ loadings + weights @ crossed)
        unique = np.maximum(1 - updated * crossed, LEAST_UNIQUE)
        moved = float(np.abs(updated - loadings).max())
        loadings = updated
        if moved < 1e-9:
            break
    return loadings * np.sign(loadings.sum() or 1)


def _bootstrap(answers: Matrix, codes: np.ndarray, level: float, seed: int) -> Interval | None:
    """Percentile interval over people drawn with all their forms, all draws at once."""
    items, people = answers.shape[1], int(codes.max()) + 1
    drawn = np.random.default_rng(seed).multinomial(people, np.full(people, 1 / people), DRAWS)
    weights = drawn[:, codes].astype(float)
    totals = _variances(weights, answers.sum(axis=1)[:, None])[:, 0]
    parts = _variances(weights, answers).sum(axis=1)
    varied = totals > 1e-12
    if not varied.any():
        return None
    alphas = items / (items - 1) * (1 - parts[varied] / totals[varied])
    low, high = np.quantile(alphas, ends(level, people))
    return Interval(float(low), float(high)) if high - low > ALIKE else None


def _variances(weights: Matrix, values: Matrix) -> Matrix:
    n = weights.sum(axis=1, keepdims=True)
    means = weights @ values / n
    return (weights @ values**2 - n * means**2) / (n - 1)
