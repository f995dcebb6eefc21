"""Choice of the power calculation for a question, or a study file."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any, Final

from vivavoce.analysis.clustered_summary import ClusteredSummary
from vivavoce.analysis.simulation_of_power import (
    SEARCHED,
    Effect,
    Means,
    Rates,
    check_attainable,
    find_participants,
    simulate,
)
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.dataset.reader import Dataset
from vivavoce.measures import MEASURES
from vivavoce.measures.compute import Group, groups, sums
from vivavoce.stats import power as formulas
from vivavoce.stats.declared_results import HEADLINES
from vivavoce.study.model import Study
from vivavoce.study.step_kind import dialogues_in

QUESTIONS: Final = {"two-rates": (2, 2), "one-rate": (1, 2), "preference": (1, 1), "likert": (2, 2)}
FORMS: Final = {
    "two-rates": "two-rates .45 .50",
    "one-rate": "one-rate .6 .5",
    "preference": "preference .6",
    "likert": "likert 0.5 1.2",
}
ASSUMED_RATES: Final = (0.45, 0.50)
ASSUMED_ICC: Final = 0.2
SAVED: Final = (
    "Labels with a judge: by formula, with those by people a random sample spread over the participants; the "
    "correlation is that within a system, which `judge calibrate` tells."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pilot:
    """Facts about dialogues to come, from those of a pilot.

    profile  dialogues of each participant
    icc      of the measure; None where the pilot cannot say
    simulated  its participants were programs
    """

    profile: tuple[int, ...]
    icc: float | None
    said: tuple[str, ...]
    simulated: bool = False


def read_pilot(dataset: Dataset, measure: str | None = None) -> Pilot:
    """Dialogues a participant, and how alike they are, of a dataset.

    Input   measure: what is to be compared; the first success rate of which the dataset has cases if None
    Raises  InputError: no participant is known; UnknownName: no such measure
    """
    everybody = Group("all")
    for group in groups(dataset, "system"):
        everybody.dialogue_ids += group.dialogue_ids
        everybody.participants += group.participants
    counts = Counter(person for person in everybody.participants if person is not None)
    if not counts:
        raise InputError("participants are unknown", place="--pilot", hint="name a dataset with participants")
    nested = ClusteredSummary(sums(dataset), [everybody])
    name = MEASURES.get(measure).name if measure else None
    measures = [name] if name else list(HEADLINES)
    correlations = ((measure, nested.rate(measure, 0, level=0.95).icc) for measure in measures)
    name, icc = next(((measure, icc) for measure, icc in correlations if icc is not None), (name, None))
    profile = tuple(sorted(counts.values()))
    volume = f"{sum(profile)} dialogues (median {median(profile):g}, most {profile[-1]})"
    notes = [
        f"{len(profile)} participants of the pilot held {volume}; participants to come are drawn from them."
    ]
    if dataset.simulated:
        notes.append("SIMULATED: the pilot's participants were programs, not people, who may differ more.")
    if icc is not None:
        notes.append(f"Their dialogues are alike by an ICC of {icc:.3f} in {name}.")
    return Pilot(
        profile=profile,
        icc=None if icc is None else min(max(icc, 0.0), 0.95),
        said=tuple(notes),
        simulated=dataset.simulated,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerPlan:
    """Size settings of a study file.

    family  declared comparisons whose p are adjusted together; 1 where nothing is adjusted
    """

    study: str
    measure: str
    compare: tuple[str, ...]
    alpha: float
    family: int
    calls: float
    design: formulas.Design
    assumptions: tuple[str, ...]


def plan_of_study(study: Study) -> PowerPlan:
    """Read the primary comparison and the dialogues of a visit.

    Raises  InputError: the study names no primary comparison
    """
    primary = study.analysis.primary
    if primary is None and study.analysis.preferences is not None:
        raise InputError(
            f"study {study.name!r} compares transcripts, not systems",
            hint=f"ask `vivavoce power {FORMS['preference']}`: the share that is to prefer one version",
        )
    if primary is None:
        raise InputError(
            f"study {study.name!r} names no primary comparison",
            hint="add `analysis: {primary: {measure: ..., compare: [...]}}` to the study file",
        )
    repeats = [plan.repeat for plan in dialogues_in(study.visit)]
    calls = sum(repeat.min for repeat in repeats) or 1
    within = calls > 1 and study.allocation != "random"
    assumptions = [f"Every participant holds the fewest dialogues that a visit asks for, {calls}."]
    if calls > 1:
        assumptions.append(
            f"Allocation {study.allocation!r}: "
            + (
                "everybody meets the systems as evenly as so many dialogues allow, so participants are their "
                "own control."
                if within
                else "counted as if everybody met one system, the cautious reading."
            )
        )
    return PowerPlan(
        study=study.name,
        measure=primary.measure,
        compare=tuple(primary.compare),
        alpha=float(primary.alpha),
        family=_family(study),
        calls=calls,
        design="within" if within else "between",
        assumptions=tuple(assumptions),
    )


def _family(study: Study) -> int:
    declared = study.analysis
    if declared.correction == "none":
        return 1
    questions = [*([declared.primary] if declared.primary else []), *declared.secondary]
    return sum(math.comb(len(question.compare), 2) for question in questions)


def _weakest_pair(participants: int, systems: int) -> int:
    """Participants of the two smallest groups, where all are divided evenly over the systems."""
    per_system, remainder = divmod(participants, systems)
    return 2 * per_system + max(0, remainder - (systems - 2))


def doubt_size(study: Study, participants: int) -> str | None:
    """Reason why the primary comparison could not be significant with so many participants, or None."""
    plan = plan_of_study(study)
    systems = len(plan.compare)
    nested = formulas.Nested(calls=plan.calls, design=plan.design)
    people = _weakest_pair(participants, systems) if plan.design == "between" else participants
    try:
        check_attainable(people, nested, alpha=plan.alpha / plan.family, systems=systems)
    except InputError as error:
        return str(error)
    return None


def answer(
    question: str,
    values: Sequence[float],
    *,
    plan: PowerPlan | None = None,
    power: float = 0.8,
    alpha: float | None = None,
    calls: float | None = None,
    icc: float | None = None,
    interaction: float = 0.0,
    design: str | None = None,
    ties: float = 0.0,
    half_width: float | None = None,
    pilot: Pilot | None = None,
    participants: int | None = None,
    seed: int = 1,
    agreement: float | None = None,
) -> formulas.RequiredSample:
    """Answer a question about power; options win over the pilot, it over the study's plan, and that over what
    is assumed.

    Input   participants: say the power of so many, instead of how many the power takes; agreement: of a judge
            with people, for the labels that it saves
    Output  the formulas' answer for independent dialogues; `clustered`: what the trial takes, with two
            systems or more found by simulation (`simulated`), else by the design effect
    Raises  UnknownName: a question or design that there is not; InputError: too few or many numbers, or
            participants of whom no result could be significant
    """
    question, values, notes = _question(question, values, plan)
    chosen = design or (plan.design if plan else "between")
    if chosen not in ("between", "within"):
        raise UnknownName("design", chosen, ["between", "within"])
    level = alpha if alpha is not None else plan.alpha if plan else 0.05
    _check_level(level, "alpha")
    _check_level(power, "power")
    profile = pilot.profile if pilot and calls is None else ()
    own_calls = calls if calls is not None else plan.calls if plan else 1
    own_icc = icc if icc is not None else pilot.icc if pilot else None
    assumed = ASSUMED_ICC if max(profile, default=own_calls) > 1 else 0.0
    nested = formulas.Nested(
        calls=own_calls,
        icc=assumed if own_icc is None else own_icc,
        interaction=interaction,
        design=chosen,
        profile=profile,
    )
    if pilot:
        notes += pilot.said
    if assumed and own_icc is None:
        notes.append(f"Assumed: dialogues of one participant are alike by an ICC of {ASSUMED_ICC}.")
    systems, comparisons = (len(plan.compare), plan.family) if plan else (2, 1)
    effect = _effect(question, values)
    strictest = level / comparisons if effect is not None else level
    required = _formula(question, values, power, strictest, nested, ties, half_width, systems)
    if plan is not None:
        required = replace(required, study=plan.study, measure=plan.measure, compare=plan.compare)
        notes = [*(() if profile or calls is not None else plan.assumptions), *notes]
    if comparisons > 1 and effect is not None:
        notes.append(
            f"The study declares {comparisons} comparisons, whose p are adjusted together: planned with the "
            f"strictest level, {level:g} / {comparisons} = {strictest:.2g}."
        )
    if effect is not None:
        required = _simulate(
            required, effect, nested, systems, power=power, alpha=strictest, asked=participants, seed=seed
        )
    elif participants is not None:
        raise InputError(f"{question} is not simulated", place="--participants", hint="leave it out")
    elif nested.calls > 1:
        notes.append("By formula with the design effect; only comparisons of two systems are simulated.")
    if question == "two-rates":
        required = replace(required, comparisons=comparisons)
    if agreement is not None:
        saved = formulas.labels_with_judge(required.clustered.size.per_group, agreement)
        required = replace(required, judge_agreement=agreement, with_judge=saved)
        notes.append(SAVED)
    return replace(required, assumptions=tuple(notes))


def _question(
    question: str, values: Sequence[float], plan: PowerPlan | None
) -> tuple[str, list[float], list[str]]:
    notes: list[str] = []
    if question == "study":
        if plan is None:
            raise InputError(
                "no question given", hint=f"ask for example `{FORMS['two-rates']}`, or give --study"
            )
        question = "two-rates"
        if not values:
            values = ASSUMED_RATES
            notes.append("Rates of .45 and .50 are to be told apart; say `two-rates A B` for others.")
    if question not in QUESTIONS:
        raise UnknownName("question", question, list(QUESTIONS))
    least, most = QUESTIONS[question]
    if not least <= len(values) <= most:
        raise InputError(f"{len(values)} numbers after {question}", hint=f"write `{FORMS[question]}`")
    return question, list(values), notes


def _formula(
    question: str,
    values: Sequence[float],
    power: float,
    alpha: float,
    nested: formulas.Nested,
    ties: float,
    half_width: float | None,
    systems: int,
) -> formulas.RequiredSample:
    common = {"power": power, "alpha": alpha, "nested": nested}
    if question == "two-rates":
        return formulas.two_rates(values[0], values[1], **common, systems=systems)
    if question == "one-rate":
        return formulas.one_rate(*values, **common, half_width=half_width)
    if question == "preference":
        return formulas.preference(values[0], **common, ties=ties)
    return formulas.likert(values[0], values[1], **common, systems=systems)


def _effect(question: str, values: Sequence[float]) -> Effect | None:
    if question == "two-rates":
        return Rates(values[0], values[1])
    return Means(values[0], values[1]) if question == "likert" else None


def _simulate(
    required: formulas.RequiredSample,
    effect: Effect,
    nested: formulas.Nested,
    systems: int,
    *,
    power: float,
    alpha: float,
    asked: int | None,
    seed: int,
) -> formulas.RequiredSample:
    """Simulated answer in place of the formula's, which is kept beside it."""
    size = required.clustered.size
    between = nested.design == "between"
    options: dict[str, Any] = {"alpha": alpha, "systems": systems, "seed": seed}
    if asked is None:
        guess = size.participants * 2 // systems if between else size.participants
        people, trials = find_participants(effect, nested, power=power, guess=guess, **options)
    else:
        if asked < 2 * systems and (between or asked < 2):
            raise InputError(f"{asked} participants", place="--participants", hint="each system takes two")
        people = _weakest_pair(asked, systems) if between else asked
        check_attainable(people, nested, alpha=alpha, systems=systems)
        trials = simulate(effect, people, nested, **options)
    none = simulate(effect.same(), people, nested, draws=SEARCHED, **{**options, "seed": seed + 2})
    total = asked or (people // 2 * systems if between else people)
    dialogues = round(total * nested.calls)
    trial_size = formulas.TrialSize(
        per_group=math.ceil(dialogues / systems), dialogues=dialogues, participants=total
    )
    simulated = formulas.SimulatedPower(
        participants=people,
        power=trials.share,
        power_error=trials.error,
        type_one_error=none.share,
        type_one_error_error=none.error,
        draws=trials.draws,
        type_one_draws=none.draws,
        seed=seed,
        test=trials.methods,
    )
    return replace(
        required, clustered=replace(required.clustered, size=trial_size, formula=size), simulated=simulated
    )


def _check_level(value: float, name: str) -> None:
    if not 0 < value < 1:
        raise InputError(f"{name} {value:g}", hint=f"{name} lies between 0 and 1, such as 0.05 or 0.8")
