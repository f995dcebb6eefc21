"""Choice of the power calculation for a question, or a study file.

Simulated power draws trials, each judged by the test that `analyse` would use for it.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from statistics import median
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from scipy.special import ndtr
from scipy.stats import beta as beta_law

from vivavoce.analysis import clustered_summary as analysis
from vivavoce.analysis.clustered_summary import ClusteredSummary
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.core.executor import in_pieces
from vivavoce.dataset.reader import Dataset
from vivavoce.measures import MEASURES
from vivavoce.measures.compute import Group, Sums, groups, sums
from vivavoce.stats import power as formulas
from vivavoce.stats.clusters import FEW
from vivavoce.stats.declared_results import HEADLINES
from vivavoce.stats.power import Nested
from vivavoce.study.model import Study
from vivavoce.study.step_kind import dialogues_in

DRAWS: Final = 2000
SEARCHED: Final = 1000
BATCH: Final = 50
GRID: Final = 4001
MOST_PARTICIPANTS: Final = 50_000
DECIDED: Final = 3.3  # standard errors from the wanted power at which a size needs no further trial
Floats = np.ndarray[Any, np.dtype[np.float64]]


class Simulated(NamedTuple):
    """Share of simulated trials that were significant, its Monte Carlo error, and the tests that judged."""

    share: float
    error: float
    draws: int
    seed: int
    methods: tuple[str, ...] = ()


class Effect(Protocol):
    """Difference between two systems."""

    def same(self) -> "Effect":
        """Copy without a difference, for false alarms."""
        ...

    def outcomes(
        self, rng: np.random.Generator, side: int, tendencies: Floats, sizes: np.ndarray, nested: Nested
    ) -> Floats:
        """Sums of outcomes with one system.

        Input   own: standard normal, one row a cell and one column a trial: its participant's place among
                people; sizes: dialogues of each cell
        """
        ...


@dataclass(frozen=True, slots=True)
class Rates:
    """Success rates of two systems; participants' own rates are Beta distributed with the ICC."""

    a: float
    b: float

    def same(self) -> "Rates":
        """Both systems as good as the first."""
        return Rates(self.a, self.a)

    def outcomes(
        self, rng: np.random.Generator, side: int, tendencies: Floats, sizes: np.ndarray, nested: Nested
    ) -> Floats:
        """Successes of each cell in each trial."""
        spread = min(nested.icc + nested.interaction, 0.95)
        return rng.binomial(sizes[:, None], _own_rates((self.a, self.b)[side], spread)(tendencies)).astype(
            float
        )


@dataclass(frozen=True, slots=True)
class Means:
    """Means of two systems whose values have a deviation, of which participants' own level is a part."""

    difference: float
    deviation: float

    def same(self) -> "Means":
        """No difference."""
        return Means(0.0, self.deviation)

    def outcomes(
        self, rng: np.random.Generator, side: int, tendencies: Floats, sizes: np.ndarray, nested: Nested
    ) -> Floats:
        """Sums of values of each cell in each trial."""
        spread = min(nested.icc + nested.interaction, 0.95)
        level = (self.difference if side == 0 else 0.0) + self.deviation * math.sqrt(spread) * tendencies
        noise = self.deviation * math.sqrt(1 - spread) * rng.standard_normal(tendencies.shape)
        return sizes[:, None] * level + np.sqrt(sizes)[:, None] * noise


def simulate(
    effect: Effect,
    participants: int,
    nested: Nested,
    *,
    alpha: float = 0.05,
    systems: int = 2,
    draws: int = DRAWS,
    seed: int = 1,
    wanted: float | None = None,
) -> Simulated:
    """Share of trials in which the test of `analyse` finds the difference of two systems.

    Input   participants over these two systems; systems: of the whole study, between which those who meet
            all of them divide their dialogues; wanted: stop as soon as the share is clearly above or below
    Note    the same seed draws the same people, whatever their number, so that sizes compare
    """
    significant = done = 0
    share = 0.0
    methods: set[str] = set()
    work = partial(_judged, effect, participants, nested, systems, seed)
    for judged in in_pieces(work, range(math.ceil(draws / BATCH))):
        significant += sum(p is not None and p < alpha for p, _ in judged)
        methods |= {method for _, method in judged}
        done += len(judged)
        share = significant / done
        error = math.sqrt(max(share * (1 - share), 1 / done) / done)
        if wanted is not None and abs(share - wanted) > DECIDED * error:
            break
    return Simulated(
        significant / done, math.sqrt(share * (1 - share) / done), done, seed, tuple(sorted(methods))
    )


def find_participants(
    effect: Effect,
    nested: Nested,
    *,
    power: float,
    alpha: float = 0.05,
    systems: int = 2,
    guess: int = 2,
    seed: int = 1,
) -> tuple[int, Simulated]:
    """The fewest participants, over two systems, at which a simulated trial has the power.

    Input   guess: where to begin, such as a formula's answer
    Output  their number, and 2,000 fresh trials of it
    Raises  InputError: 50,000 are not enough
    """
    step = 2 if nested.design == "between" else 1
    least = smallest_participants(nested, alpha=alpha, systems=systems) // step

    def reaches(size: int) -> bool:
        options = {"alpha": alpha, "systems": systems, "draws": SEARCHED, "seed": seed, "wanted": power}
        return simulate(effect, step * size, nested, **options).share >= power

    size = _search(reaches, least, max(least, guess // step), MOST_PARTICIPANTS // step)
    while size is not None and step * size <= MOST_PARTICIPANTS:
        simulated = simulate(effect, step * size, nested, alpha=alpha, systems=systems, seed=seed + 1)
        if simulated.share >= power - simulated.error:
            return step * size, simulated
        size += max(1, round(size * (power - simulated.share) / 2))
    raise InputError(
        f"more than {MOST_PARTICIPANTS} participants are needed",
        hint="plan for a larger difference, or more dialogues per participant",
    )


def _search(reaches: Callable[[int], bool], least: int, guess: int, most: int) -> int | None:
    """Least size that reaches, to one in a hundred; None where `most` does not."""
    low, high, step = None, guess, max(1, guess // 8)
    while not reaches(high):
        if high >= most:
            return None
        low, high, step = high, min(most, high + step), step * 2
    if low is None:
        low = high - step
        while low >= least and reaches(low):
            low, high, step = low - 2 * step, low, step * 2
        low = max(low, least - 1)
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high


def smallest_participants(nested: Nested, *, alpha: float = 0.05, systems: int = 2) -> int:
    """The fewest participants, over two systems, of whom any result at all could be significant."""
    step = 2 if nested.design == "between" else 1
    fewer = range(2, FEW, step)  # who are permuted; t, from there on, has no smallest p
    return next((people for people in fewer if smallest_p(people, nested, systems=systems) < alpha), FEW)


def smallest_p(participants: int, nested: Nested, *, systems: int = 2) -> float:
    """The p of so few participants where one system always succeeds and the other never does."""
    p = _design(participants, nested, systems, (1, 0)).best_p()
    return 1.0 if p is None else p


def check_attainable(participants: int, nested: Nested, *, alpha: float = 0.05, systems: int = 2) -> None:
    """Refuse a number of participants of whom no result could be significant.

    Raises  InputError: names the smallest p they could give, and the smallest number that works
    """
    least = smallest_participants(nested, alpha=alpha, systems=systems)
    if participants >= least:
        return
    best = smallest_p(participants, nested, systems=systems) if participants > 1 else 1.0
    if best < alpha:
        return
    half = participants // 2
    sides = f", {half} against {participants - half}," if nested.design == "between" else ""
    reach = f"the smallest possible p is {best:.2g}" if best < 1 else "no test is possible"
    raise InputError(
        f"{participants} participants with two systems{sides} cannot reach p < {alpha:g}: {reach}",
        hint=f"plan at least {least} for each pair of systems",
    )


class _Design:
    """Number of dialogues of each person with each system; a row is all of a person with one."""

    def __init__(self, people: np.ndarray, sides: np.ndarray, sizes: np.ndarray) -> None:
        self.people, self.sides, self.sizes = people, sides, sizes
        self._ids = [f"{number:06}" for number in range(len(people))]

    def test(self, outcomes: Floats) -> Iterator[tuple[float | None, str]]:
        """p and method of each trial (a column of outcomes), by the test of `analyse`."""
        names = [str(number) for number in range(outcomes.shape[1])]
        sizes = np.broadcast_to(self.sizes.astype(float), outcomes.T.shape)
        judge = analysis.ClusteredSummary(Sums(names, self._ids, outcomes.T, sizes), self._groups())
        for name in names:
            yield judge.p_value(name, 0, 1)

    def best_p(self) -> float | None:
        """p where one system always succeeds and the other never does."""
        best = np.where(self.sides == 0, self.sizes, 0).astype(float)
        return next(self.test(best[:, None]))[0]

    def _groups(self) -> list[Group]:
        return [
            Group(
                key,
                [self._ids[place] for place in np.flatnonzero(self.sides == side)],
                [f"{person:06}" for person in self.people[self.sides == side]],
            )
            for side, key in enumerate("ab")
        ]


def _design(participants: int, nested: Nested, systems: int, seed: tuple[int, int]) -> _Design:
    rng = np.random.default_rng([*seed, 0])
    calls = _calls(rng, participants, nested)
    if nested.design == "between":
        cells = np.zeros((participants, 2), dtype=int)
        cells[np.arange(participants), np.arange(participants) % 2] = calls
    else:
        per_system, remainder = np.divmod(calls, systems)
        # if dialogues do not divide evenly, randomly drawn systems get one more
        ranks = rng.random((participants, systems)).argsort(axis=1).argsort(axis=1)[:, :2]
        cells = per_system[:, None] + (ranks < remainder[:, None])
    people, sides = np.nonzero(cells)
    sizes = cells[people, sides]
    return _Design(people, sides, sizes)


def _calls(rng: np.random.Generator, participants: int, nested: Nested) -> np.ndarray:
    """Dialogues of each participant: from the profile, or the mean, rounded up for as many as it takes."""
    where = rng.random(participants)
    if nested.profile:
        return np.sort(nested.profile)[(where * len(nested.profile)).astype(int)]
    return (math.floor(nested.calls) + (where < nested.calls % 1)).astype(int)


def _judged(
    effect: Effect, participants: int, nested: Nested, systems: int, seed: int, batch: int
) -> list[tuple[float | None, str]]:
    """The trials of one batch, which share who holds how many dialogues; its number is part of its seed."""
    seeds = seed, batch
    design = _design(participants, nested, systems, seeds)
    together = nested.icc / (nested.icc + nested.interaction) if nested.icc else 0.0
    shape = (participants, BATCH)
    common = np.random.default_rng([*seeds, 1]).standard_normal(shape)
    outcomes = np.zeros((len(design.people), BATCH))
    for side in (0, 1):
        rng = np.random.default_rng([*seeds, 2 + side])
        tendencies = math.sqrt(together) * common + math.sqrt(1 - together) * rng.standard_normal(shape)
        rows = np.flatnonzero(design.sides == side)
        rng = np.random.default_rng([*seeds, 4 + side])
        outcomes[rows] = effect.outcomes(
            rng, side, tendencies[design.people[rows]], design.sizes[rows], nested
        )
    return list(design.test(outcomes))


@lru_cache(maxsize=8)
def _own_rates(rate: float, icc: float) -> Callable[[Floats], Floats]:
    """Participants' own rates from standard normal draws: Beta with this mean and ICC."""
    if icc <= 0:
        return lambda tendencies: np.full_like(tendencies, rate)
    size = 1 / icc - 1
    grid = np.linspace(0, 1, GRID)
    quantiles = beta_law.ppf(grid, rate * size, (1 - rate) * size)
    return lambda tendencies: np.interp(ndtr(tendencies), grid, quantiles)


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
    "Labels with a judge: by formula. Assumes that human labels are a random sample over the participants; "
    "the correlation is within a system, as `judge calibrate` shows."
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
        raise InputError(
            "participants are unknown", place="--pilot", hint="use a dataset with participant IDs"
        )
    nested = ClusteredSummary(sums(dataset), [everybody])
    name = MEASURES.get(measure).name if measure else None
    measures = [name] if name else list(HEADLINES)
    correlations = ((measure, nested.rate(measure, 0, level=0.95).icc) for measure in measures)
    name, icc = next(((measure, icc) for measure, icc in correlations if icc is not None), (name, None))
    profile = tuple(sorted(counts.values()))
    volume = f"{sum(profile)} dialogues (median {median(profile):g}, most {profile[-1]})"
    notes = [
        f"{len(profile)} participants of the pilot had {volume}; simulated participants are drawn from them."
    ]
    if dataset.simulated:
        notes.append("SIMULATED: the pilot's participants were programs; people may vary more.")
    if icc is not None:
        notes.append(f"Correlation within a participant: ICC {icc:.3f} for {name}.")
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

    Raises  InputError: the study declares no primary comparison
    """
    primary = study.analysis.primary
    if primary is None and study.analysis.preferences is not None:
        raise InputError(
            f"study {study.name!r} compares transcripts, not systems",
            hint=f"run `vivavoce power {FORMS['preference']}` with the expected share for one version",
        )
    if primary is None:
        raise InputError(
            f"study {study.name!r} declares no primary comparison",
            hint="add `analysis: {primary: {measure: ..., compare: [...]}}` to the study file",
        )
    repeats = [plan.repeat for plan in dialogues_in(study.visit)]
    calls = sum(repeat.min for repeat in repeats) or 1
    within = calls > 1 and study.allocation != "random"
    assumptions = [f"Each participant has the minimum number of dialogues of a visit, {calls}."]
    if calls > 1:
        assumptions.append(
            f"Allocation {study.allocation!r}: "
            + (
                "each participant uses the systems equally often, as far as possible, and is their own "
                "control."
                if within
                else "conservative assumption that each participant uses one system."
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
        notes.append(f"Assumed correlation within a participant: ICC {ASSUMED_ICC}.")
    systems, comparisons = (len(plan.compare), plan.family) if plan else (2, 1)
    effect = _effect(question, values)
    strictest = level / comparisons if effect is not None else level
    required = _formula(question, values, power, strictest, nested, ties, half_width, systems)
    if plan is not None:
        required = replace(required, study=plan.study, measure=plan.measure, compare=plan.compare)
        notes = [*(() if profile or calls is not None else plan.assumptions), *notes]
    if comparisons > 1 and effect is not None:
        notes.append(
            f"The study declares {comparisons} comparisons with adjusted p: planned at the strictest level, "
            f"{level:g} / {comparisons} = {strictest:.2g}."
        )
    if effect is not None:
        required = _simulate(
            required, effect, nested, systems, power=power, alpha=strictest, asked=participants, seed=seed
        )
    elif participants is not None:
        raise InputError(f"{question} is not simulated", place="--participants", hint="remove this option")
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
                "no question given", hint=f"give one, such as `{FORMS['two-rates']}`, or --study"
            )
        question = "two-rates"
        if not values:
            values = ASSUMED_RATES
            notes.append("Assumed rates: .45 and .50; set others with `two-rates A B`.")
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
            raise InputError(
                f"{asked} participants", place="--participants", hint="use at least two per system"
            )
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
        raise InputError(f"{name} {value:g}", hint=f"use a {name} between 0 and 1, such as 0.05 or 0.8")
