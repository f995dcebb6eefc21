"""Which power calculation a question, or a study file, asks for."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.analysis import power as formulas
from vivavoce.analysis.simulation_of_power import simulate_two_rates
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.study.model import Study

Facts = dict[str, Any]
QUESTIONS: Final = {"two-rates": (2, 2), "one-rate": (1, 2), "preference": (1, 1), "likert": (2, 2)}
FORMS: Final = {
    "two-rates": "two-rates .45 .50",
    "one-rate": "one-rate .6 .5",
    "preference": "preference .6",
    "likert": "likert 0.5 1.2",
}
ASSUMED_RATES: Final = (0.45, 0.50)
ASSUMED_ICC: Final = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a study file says about its size."""

    study: str
    measure: str
    compare: tuple[str, ...]
    alpha: float
    calls: float
    design: formulas.Design
    assumptions: tuple[str, ...]


def plan_of_study(study: Study) -> Plan:
    """Read the primary comparison and the dialogues of a visit.

    Raises  InputError: the study names no primary comparison
    """
    primary = study.analysis.primary
    if primary is None:
        raise InputError(
            f"study {study.name!r} names no primary comparison",
            cure="add `analysis: {primary: {measure: ..., compare: [...]}}` to the study file",
        )
    repeats = [step.repeat for step in study.visit if step.kind == "dialogue"]
    calls = sum(repeat.min for repeat in repeats) or 1
    within = calls > 1 and study.allocation != "random"
    assumptions = [f"Every participant holds the fewest dialogues that a visit asks for, {calls}."]
    if calls > 1:
        assumptions.append(
            f"Allocation {study.allocation!r}: "
            + (
                "everybody meets the systems evenly, so participants are their own control."
                if within
                else "counted as if everybody met one system, the cautious reading."
            )
        )
    return Plan(
        study=study.name,
        measure=primary.measure,
        compare=tuple(primary.compare),
        alpha=float(primary.alpha),
        calls=calls,
        design="within" if within else "between",
        assumptions=tuple(assumptions),
    )


def answer(
    question: str,
    values: Sequence[float],
    *,
    plan: Plan | None = None,
    power: float = 0.8,
    alpha: float | None = None,
    calls: float | None = None,
    icc: float | None = None,
    interaction: float = 0.0,
    design: str | None = None,
    ties: float = 0.0,
    half_width: float | None = None,
    seed: int | None = None,
) -> Facts:
    """Answer a question about power; options win over the study's plan, and that over what is assumed.

    Input   `seed` asks for a simulation too
    Raises  UnknownName: a question or design that there is not; InputError: too few or many numbers
    """
    question, values, said = _question(question, values, plan)
    chosen = design or (plan.design if plan else "between")
    if chosen not in ("between", "within"):
        raise UnknownName("design", chosen, ["between", "within"])
    level = alpha if alpha is not None else plan.alpha if plan else 0.05
    _check_level(level, "alpha")
    _check_level(power, "power")
    own_calls = calls if calls is not None else plan.calls if plan else 1
    own_icc = icc if icc is not None else ASSUMED_ICC if own_calls > 1 else 0.0
    nested = formulas.Nested(calls=own_calls, icc=own_icc, interaction=interaction, design=chosen)
    if own_calls > 1 and icc is None:
        said.append(f"Dialogues of one participant are alike by an ICC of {ASSUMED_ICC}; say --icc.")
    facts = _formula(question, values, power, level, nested, ties, half_width, plan)
    if plan is not None:
        facts |= {"study": plan.study, "measure": plan.measure, "compare": list(plan.compare)}
        said = [*plan.assumptions, *said]
    facts["assumptions"] = said
    if seed is not None:
        facts["simulated"] = _simulated(question, values, level, nested, facts, seed)
    return facts


def _question(
    question: str, values: Sequence[float], plan: Plan | None
) -> tuple[str, list[float], list[str]]:
    said: list[str] = []
    if question == "study":
        if plan is None:
            raise InputError(
                "no question given", cure=f"ask for example `{FORMS['two-rates']}`, or give --study"
            )
        question = "two-rates"
        if not values:
            values = ASSUMED_RATES
            said.append("Rates of .45 and .50 are to be told apart; say `two-rates A B` for others.")
    if question not in QUESTIONS:
        raise UnknownName("question", question, list(QUESTIONS))
    least, most = QUESTIONS[question]
    if not least <= len(values) <= most:
        raise InputError(f"{len(values)} numbers after {question}", cure=f"write `{FORMS[question]}`")
    return question, list(values), said


def _formula(
    question: str,
    values: Sequence[float],
    power: float,
    alpha: float,
    nested: formulas.Nested,
    ties: float,
    half_width: float | None,
    plan: Plan | None,
) -> Facts:
    systems = len(plan.compare) if plan else 2
    common = {"power": power, "alpha": alpha, "nested": nested}
    if question == "two-rates":
        pairs = math.comb(systems, 2)
        facts = formulas.two_rates(
            values[0], values[1], **{**common, "alpha": alpha / pairs}, systems=systems
        )
        return {**facts, "comparisons": pairs}
    if question == "one-rate":
        return formulas.one_rate(*values, **common, half_width=half_width)
    if question == "preference":
        return formulas.preference(values[0], **common, ties=ties)
    return formulas.likert(values[0], values[1], **common, systems=systems)


def _simulated(
    question: str, values: Sequence[float], alpha: float, nested: formulas.Nested, facts: Facts, seed: int
) -> Facts:
    if question != "two-rates":
        raise InputError(f"no simulation of {question}", cure="simulate two-rates, or leave --simulate out")
    people = facts["clustered"]["participants"]
    found = simulate_two_rates(values[0], values[1], people, nested, alpha=alpha, seed=seed)
    none = simulate_two_rates(values[0], values[0], people, nested, alpha=alpha, seed=seed + 1)
    return {
        "participants": people,
        "power": found.share,
        "power_error": found.error,
        "type_one_error": none.share,
        "type_one_error_error": none.error,
        "draws": found.draws,
        "seed": seed,
        "test": "cluster_jackknife",
    }


def _check_level(value: float, name: str) -> None:
    if not 0 < value < 1:
        raise InputError(f"{name} {value:g}", cure=f"{name} lies between 0 and 1, such as 0.05 or 0.8")
