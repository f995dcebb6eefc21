"""Power of a comparison of transcripts, for assumed preferences and the whole plan.

Judges are simulated; nobody was asked. Each trial is tested as the study declares it, over all its cells.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import sqrt

import numpy as np

from vivavoce.analysis.transcripts import cell
from vivavoce.core.errors import InputError
from vivavoce.core.result import signature
from vivavoce.stats.interval import Interval
from vivavoce.stats.multiple_testing import adjusted
from vivavoce.stats.preferences import FEWEST_EXPECTED
from vivavoce.stats.proportions import wilson
from vivavoce.study.planted_preferences import EVEN, NORMAL, PlantedPreferences


@dataclass(frozen=True, slots=True, kw_only=True)
class CellPower:
    """One variable and question: what was planted, and how often trials found it.

    planted  share for the experimental version; None: nothing, judges choose by chance
    pilot    the share that one trial, the first, would have shown; None where nobody decided
    power    share of trials in which the cell is significant after adjustment; limits: 95 % (Wilson), for
             with few trials a share of 0 or 1 is not exact
    """

    variable: str
    question: str
    planted: float | None
    pilot: float | None
    power: float
    limits: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanPower:
    """The power of a plan.

    false_alarm  share of trials in which any cell without a preference is significant; None: there is none
    """

    study: str
    simulated: bool
    judges: int
    trials: int
    alike: float
    test: str
    correction: str
    alpha: float
    cells: Sequence[CellPower]
    false_alarm: float | None
    signature: str


def power_of_plan(
    study: str,
    variables: Sequence[str],
    questions: Sequence[str],
    planted: PlantedPreferences,
    *,
    judges: int,
    tied: float = 0.0,
    test: str = "chi_square",
    correction: str = "holm",
    alpha: float = 0.05,
    trials: int = 500,
    seed: int = 1,
) -> PlanPower:
    """Let simulated judges answer every question about every variable, trial by trial, and test as declared.

    Input   tied: chance that a choice is a tie; test: chi_square or exact
    Raises  InputError: no judge, no trial, or answers that are alike by 1 or more
    """
    if judges < 1 or trials < 1 or not 0 <= planted.alike < 1:
        request = f"{judges} judges, {trials} trials, alike {planted.alike:g}"
        raise InputError(request, hint="use at least 1 of each, and alike from 0 to below 1")
    cells = [(variable, question) for variable in variables for question in questions]
    shares = np.array([planted.share(*cell_key) or EVEN for cell_key in cells])
    chance = np.random.default_rng(seed)
    chosen, decided = _counts(chance, shares, len(questions), planted.alike, judges, tied, trials)
    tested = [
        [_decisive(k, n, test) for k, n in zip(*of_trial, strict=True)]
        for of_trial in zip(chosen.tolist(), decided.tolist(), strict=True)
    ]
    significant = np.array(
        [[p is not None and p < alpha for p in adjusted(of_trial, correction)] for of_trial in tested]
    )
    power = significant.mean(axis=0)
    empty = [at for at, cell_key in enumerate(cells) if planted.share(*cell_key) is None]
    return PlanPower(
        study=study,
        simulated=True,
        judges=judges,
        trials=trials,
        alike=planted.alike,
        test=test,
        correction=correction,
        alpha=alpha,
        cells=[
            CellPower(
                variable=variable,
                question=question,
                planted=planted.share(variable, question),
                pilot=float(chosen[0, at] / decided[0, at]) if decided[0, at] else None,
                power=float(power[at]),
                limits=_limits(int(significant[:, at].sum()), trials),
            )
            for at, (variable, question) in enumerate(cells)
        ],
        false_alarm=float(significant[:, empty].any(axis=1).mean()) if empty else None,
        signature=signature(
            "power_of_plan",
            unit="trial",
            n=trials,
            data=f"simulated, seed {seed}",
            judges=judges,
            test=test,
            correction=correction,
            alpha=alpha,
            alike=planted.alike,
        ),
    )


def _limits(significant: int, trials: int) -> Interval:
    limits = wilson(significant, trials)
    assert limits is not None  # there is a trial
    return limits


def _counts(
    chance: np.random.Generator,
    shares: np.ndarray,
    questions: int,
    alike: float,
    judges: int,
    tied: float,
    trials: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Choices of the experimental version, and decided choices: a row a trial, a column a cell."""
    limits = np.array([NORMAL.inv_cdf(share) for share in shares.tolist()])
    variables = len(shares) // questions
    chosen, decided = (np.zeros((trials, len(shares)), dtype=int) for _ in range(2))
    for trial in range(trials):
        judge = np.repeat(chance.standard_normal((judges, variables)), questions, axis=1)
        noise = chance.standard_normal((judges, len(shares)))
        decides = chance.random((judges, len(shares))) >= tied
        wants = sqrt(alike) * judge + sqrt(1 - alike) * noise < limits
        chosen[trial], decided[trial] = (wants & decides).sum(axis=0), decides.sum(axis=0)
    return chosen, decided


@cache
def _decisive(experimental: int, decided: int, test: str) -> float | None:
    """The p of a cell as a study declares it: exact where few decided, too."""
    tests = cell(experimental, decided - experimental)
    few = decided < 2 * FEWEST_EXPECTED
    return tests.p_exact if few or test == "exact" else tests.p
