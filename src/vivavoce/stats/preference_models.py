"""Tie models, levels and combinations of strategies over the table `preferences`, people as clusters."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Final

import numpy as np
from scipy.special import expit

from vivavoce.stats.paired_models import FittedPairs, Floats, Ties, fit
from vivavoce.stats.preferences import (
    CombinedStrategies,
    NamedWorth,
    RankedLevels,
    StrategyEffect,
    TieModel,
)

Choice = Mapping[str, Any]
OUTCOMES: Final = {"experimental": 1.0, "tie": 0.0, "control": -1.0}
MODELS: Final[tuple[Ties, ...]] = ("decided", "davidson", "rao_kupper")
JOINT: Final = "/"
MOST_PRINTED: Final = 36


def people_of(rows: Sequence[Choice]) -> np.ndarray:
    """The people who chose: the participant; without one, the visit is the person."""
    return np.array([row["participant_id"] or row["visit_id"] for row in rows])


def _outcomes(rows: Sequence[Choice]) -> Floats:
    return np.array([OUTCOMES[row["choice"]] for row in rows])


def tie_models(rows: Sequence[Choice], level: float = 0.95) -> list[TieModel]:
    """Each variable with ties by three models: decided choices only, Davidson, Rao and Kupper.

    Output  one entry a variable, question (None: all of them together) and model
    Empty   variables without a tie are left out, and so are questions without one
    Note    with one pair of versions a variable Davidson's log odds are those of the decided choices; their
            errors differ from Rao and Kupper's, which reads ties as nearness
    Source  Davidson 1970; Rao and Kupper 1967
    """
    models: list[TieModel] = []
    for variable in sorted({row["variable"] for row in rows}):
        variable_rows = [row for row in rows if row["variable"] == variable]
        models += _three_models(variable_rows, variable, None, level)
        questions = list(dict.fromkeys(row.get("question") for row in variable_rows))
        for question in questions if len(questions) > 1 else ():
            question_rows = [row for row in variable_rows if row["question"] == question]
            models += _three_models(question_rows, variable, question, level)
    return models


def few_tie_models(models: Sequence[TieModel]) -> list[TieModel]:
    """The part of `tie_models` to print: all if a table holds it, else only all questions together."""
    return (
        list(models) if len(models) <= MOST_PRINTED else [model for model in models if model.question is None]
    )


def _three_models(
    rows: Sequence[Choice], variable: str, question: str | None, level: float
) -> list[TieModel]:
    outcomes, people = _outcomes(rows), people_of(rows)
    if not (outcomes == 0).any():
        return []
    unfitted = TieModel(
        variable=variable, question=question, model="", choices=len(rows), ties=int((outcomes == 0).sum())
    )
    return [
        _of_model(
            replace(unfitted, model=name), fit(np.ones((len(rows), 1)), outcomes, people, name), name, level
        )
        for name in MODELS
    ]


def _of_model(model: TieModel, fitted: FittedPairs | None, name: Ties, level: float) -> TieModel:
    if fitted is None:
        return model
    won, lost, tied = chances(float(fitted.estimates[0]), name, fitted.readiness)
    return replace(
        model,
        **fitted.interval([1.0], level)._asdict(),
        share=won / (won + lost),
        tied=tied if name != "decided" else None,
        readiness=fitted.readiness,
        log_likelihood=fitted.log_likelihood if name != "decided" else None,
        participants=fitted.clusters,
    )


def chances(eta: float, ties: Ties, readiness: float | None) -> tuple[float, float, float]:
    """Chances that the first, the second, neither is preferred at these log odds."""
    if readiness is None:
        return float(expit(eta)), float(expit(-eta)), 0.0
    if ties == "davidson":
        total = np.exp(eta / 2) + np.exp(-eta / 2) + readiness
        return float(np.exp(eta / 2) / total), float(np.exp(-eta / 2) / total), float(readiness / total)
    won, lost = float(expit(eta - np.log(readiness))), float(expit(-eta - np.log(readiness)))
    return won, lost, 1 - won - lost


def worths(names: Sequence[str], fitted: FittedPairs, level: float = 0.95) -> list[NamedWorth]:
    """Worth of each name with its limits, best first.

    Input   a model whose first columns are all names but the last, each against the last (`differences`)
    """
    size = len(names)
    spread = np.zeros((size, len(fitted.estimates)))
    spread[: size - 1, : size - 1] = np.eye(size - 1)
    spread[:, : size - 1] -= 1 / size
    logs = spread @ fitted.estimates
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    estimates = [
        NamedWorth(name=name, share=float(shares[place]), **fitted.interval(spread[place], level)._asdict())
        for place, name in enumerate(names)
    ]
    return sorted(estimates, key=lambda estimate: -estimate.estimate)


def differences(names: Sequence[str], first: Sequence[str], second: Sequence[str]) -> Floats:
    """Columns for all names but the last: 1 where it is the first of two, -1 where it is the second."""
    design = np.zeros((len(first), len(names) - 1))
    for place, (a, b) in enumerate(zip(first, second, strict=True)):
        for name, sign in ((a, 1.0), (b, -1.0)):
            if (column := list(names).index(name)) < len(names) - 1:
                design[place, column] += sign
    return design


def levels(rows: Sequence[Choice], level: float = 0.95) -> list[RankedLevels]:
    """The levels of every variable that has more than two, ranked by Davidson's worths.

    Note    `levels` is None where a level has no finite worth or was never compared with the others
    """
    ranked_levelses: list[RankedLevels] = []
    for variable in sorted({row["variable"] for row in rows}):
        variable_rows = [row for row in rows if row["variable"] == variable]
        names = _level_names(variable_rows)
        if len(names) < 3:
            continue
        first, second = (
            [row[f"{kind}_level"] for row in variable_rows] for kind in ("experimental", "control")
        )
        fitted = fit(differences(names, first, second), _outcomes(variable_rows), people_of(variable_rows))
        ranked = worths(names, fitted, level) if fitted else None
        ranked_levelses.append(
            RankedLevels(
                variable=variable,
                levels=ranked,
                choices=len(variable_rows),
                participants=len(set(people_of(variable_rows))),
                best=ranked[0].name if ranked else None,
            )
        )
    return ranked_levelses


def _level_names(rows: Sequence[Choice]) -> list[str]:
    return sorted({row[kind] for row in rows for kind in ("control_level", "experimental_level")})


def combined(rows: Sequence[Choice], level: float = 0.95) -> list[CombinedStrategies]:
    """Effects of strategies that were combined: variable `formality/empathy`, levels such as `formal/warm`.

    Empty   variables without a slash, or whose levels have not as many parts as their name, are left out
    """
    combined_strategieses: list[CombinedStrategies] = []
    for variable in sorted({row["variable"] for row in rows}):
        variable_rows = [row for row in rows if row["variable"] == variable]
        factors = variable.split(JOINT)
        parts = {name: name.split(JOINT) for name in _level_names(variable_rows)}
        if len(factors) < 2 or any(len(part) != len(factors) for part in parts.values()):
            continue
        terms = _terms(factors, parts)
        fitted, fitted_terms = _largest_fit(variable_rows, terms)
        combined_strategieses.append(
            CombinedStrategies(
                variable=variable,
                choices=len(variable_rows),
                participants=len(set(people_of(variable_rows))),
                interactions=any(" x " in name for name in fitted_terms),
                terms=[
                    StrategyEffect(
                        term=name, **fitted.interval(np.eye(len(fitted_terms))[place], level)._asdict()
                    )
                    for place, name in enumerate(fitted_terms)
                ]
                if fitted
                else [],
            )
        )
    return combined_strategieses


def _terms(factors: Sequence[str], parts: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    """Level counts by term: main effects against a factor's first level, then products."""
    main: dict[str, dict[str, float]] = {}
    place_of: dict[str, int] = {}
    for place, factor in enumerate(factors):
        for value in sorted({part[place] for part in parts.values()})[1:]:
            name = f"{factor}={value}"
            main[name] = {level: float(part[place] == value) for level, part in parts.items()}
            place_of[name] = place
    products = {
        f"{level_a} x {level_b}": {level: main[level_a][level] * main[level_b][level] for level in parts}
        for level_a, level_b in combinations(main, 2)
        if place_of[level_a] != place_of[level_b]
    }
    return main | products


def _largest_fit(
    rows: Sequence[Choice], terms: dict[str, dict[str, float]]
) -> tuple[FittedPairs | None, list[str]]:
    """The model with interactions, else the one with main effects only."""
    main_terms = [name for name in terms if " x " not in name]
    for candidates in (list(terms), main_terms):
        design = np.array(
            [
                [
                    terms[name][row["experimental_level"]] - terms[name][row["control_level"]]
                    for name in candidates
                ]
                for row in rows
            ]
        )
        if (fitted := fit(design, _outcomes(rows), people_of(rows))) is not None:
            return fitted, candidates
    return None, main_terms
