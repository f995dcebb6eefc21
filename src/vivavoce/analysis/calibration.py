"""Habits of real callers, for simulated ones; and the distance between simulated and real habits.

`fit` gives the content of a population file, which `simulation` reads; nothing else passes between the two
wings.
"""

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from vivavoce.analysis.annotated_calls import Call, calls_of
from vivavoce.analysis.caller_habits import habit_shares
from vivavoce.analysis.utterance_templates import CallerTurn, Saying, read_sayings
from vivavoce.core.errors import InputError
from vivavoce.core.result import unless_none
from vivavoce.dataset.reader import Dataset

_SMOOTHING: Final = 0.5


def kullback_leibler(real: Sequence[Hashable], simulated: Sequence[Hashable]) -> float | None:
    """Kullback-Leibler divergence of the second from the first, in bits: what is lost by taking it for the
    first.

    Input   observations; half an observation is added to every value that either has, so that it is finite
    Empty   either has none: missing
    Source  Kullback and Leibler (1951), Annals of Mathematical Statistics 22
    """
    if not real or not simulated:
        return None
    counts, other_counts = Counter(real), Counter(simulated)
    support = set(counts) | set(other_counts)
    n = len(real) + _SMOOTHING * len(support)
    m = len(simulated) + _SMOOTHING * len(support)
    return sum(
        (counts[value] + _SMOOTHING)
        / n
        * math.log2((counts[value] + _SMOOTHING) / n / ((other_counts[value] + _SMOOTHING) / m))
        for value in support
    )


def cramer(real: Sequence[float], simulated: Sequence[float]) -> float | None:
    """Cramér distance: the integral of the squared difference of the two distribution functions.

    Input   numbers; the unit of the distance is theirs
    Empty   either has none: missing
    Source  Cramér (1928), Skandinavisk Aktuarietidskrift 11; Székely and Rizzo (2013)
    """
    if not real or not simulated:
        return None
    counts, other_counts = Counter(real), Counter(simulated)
    points = sorted(set(counts) | set(other_counts))
    total = below = beside = 0.0
    for at, following in pairwise(points):
        below += counts[at] / len(real)
        beside += other_counts[at] / len(simulated)
        total += (below - beside) ** 2 * (following - at)
    return total


FEATURES: Final = {
    "user_turns": "user turns of a dialogue",
    "words_per_user_turn": "words of a user turn",
    "acts_per_user_turn": "dialogue act items of a user turn",
    "kind_of_act": "kinds of user acts",
    "unhelpful_turns": "system turns of a dialogue that did not help",
    "word_error_rate": "word error rate of a dialogue, in tenths",
}
_MOST_PATIENCE: Final = 20
_MOST_DIALOGUES: Final = 60
_HABITS: Final = (
    "patience",
    "forgetfulness",
    "over_informing",
    "carefulness",
    "curiosity",
    "optimism",
    "fickleness",
)


@dataclass(frozen=True, slots=True)
class HabitValues:
    """A habit that differs between callers: the share of callers (or dialogues) with each value."""

    values: dict[int, float]


@dataclass(frozen=True, slots=True)
class BetaRate:
    """A rate (0 to 1) that is beta distributed over callers: alpha and beta."""

    beta: list[float]


@dataclass(frozen=True, slots=True)
class HabitEvidence:
    """Number of cases behind a habit; `unit` where they are no turns."""

    n: int
    unit: str | None = unless_none()


@dataclass(frozen=True, slots=True)
class PopulationSource:
    """The calls that a population was fitted to; `data`: their hash, `told`: what told of each habit."""

    dataset: str
    data: str
    dialogues: int
    callers: int
    told: dict[str, HabitEvidence]
    not_told: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedPopulation:
    """The content of a population file; a habit that the calls do not tell is left out, and in `not_told`."""

    population: str
    simulated: bool = True
    seed: int = 1
    word_error_rate: BetaRate | float | None = unless_none()
    habits: dict[str, float | HabitValues]
    sayings: dict[str, list[Saying]]
    source: PopulationSource


def fit(dataset: Dataset, name: str) -> FittedPopulation:
    """A population whose habits are those of the callers of a dataset.

    Note    patience is estimated by Kaplan and Meier: callers who were served left for another reason
    """
    calls = calls_of(dataset)
    habits: dict[str, float | HabitValues] = {}
    evidence: dict[str, HabitEvidence] = {}
    for habit, (share, n) in habit_shares(calls).items():
        if share is not None:
            habits[habit] = round(share, 4)
            evidence[habit] = HabitEvidence(n)
    patience = kaplan_meier(
        [(call.unhelpful, call.left_in_vain) for call in calls if call.satisfied is not None]
    )
    if patience:
        habits["patience"] = HabitValues(patience)
        n_left = sum(call.left_in_vain for call in calls)
        evidence["patience"] = HabitEvidence(n_left, "dialogues left in vain")
    habits["dialogues"] = HabitValues(_dialogues(calls))
    callers = len({call.participant_id for call in calls})
    not_told = [habit for habit in _HABITS if habit not in habits]
    return FittedPopulation(
        population=name,
        word_error_rate=_error_rates(calls),
        habits=habits,
        sayings=_sayings(calls),
        source=PopulationSource(dataset.study, dataset.hash, len(calls), callers, evidence, not_told),
    )


def kaplan_meier(patience_and_outcome: Sequence[tuple[int, bool]]) -> dict[int, float]:
    """Shares of patience: how many unhelpful turns are borne before the next one ends the dialogue.

    Input   unhelpful turns of each dialogue, and whether it was left in vain (else it is censored)
    Output  share by patience, 0 to 20, summing to 1; what nobody lived to see is put one above the last
    Empty   nobody left in vain: {}
    Source  Kaplan and Meier (1958), Journal of the American Statistical Association 53
    """
    events = Counter(min(turns, _MOST_PATIENCE) for turns, vain in patience_and_outcome if vain)
    if not events:
        return {}
    surviving, shares = 1.0, dict[int, float]()
    for turns in sorted(events):
        at_risk = sum(min(patience, _MOST_PATIENCE) >= turns for patience, _ in patience_and_outcome)
        leaving = surviving * events[turns] / at_risk
        shares[max(0, turns - 1)] = shares.get(max(0, turns - 1), 0.0) + leaving
        surviving -= leaving
    if surviving > 1e-9:
        beyond = max(events)
        shares[beyond] = shares.get(beyond, 0.0) + surviving
    return {turns: round(share, 4) for turns, share in sorted(shares.items())}


def _sayings(calls: Sequence[Call]) -> dict[str, list[Saying]]:
    """Common phrasings of callers, by language."""
    turns_by_language: dict[str, list[CallerTurn]] = {}
    for call in calls:
        turns = turns_by_language.setdefault(call.language.split("-")[0].lower(), [])
        for turn, text, acts in zip(call.turn_of_acts, call.said, call.acts, strict=True):
            turns.append(CallerTurn(call.participant_id, text, acts, call.told.get(turn - 1, ())))
    sayings_by_language = {
        language: read_sayings(turns) for language, turns in sorted(turns_by_language.items()) if language
    }
    return {language: sayings for language, sayings in sayings_by_language.items() if sayings}


def _dialogues(calls: Sequence[Call]) -> dict[int, float]:
    counts = Counter(min(n, _MOST_DIALOGUES) for n in Counter(call.participant_id for call in calls).values())
    n_dialogues = sum(counts.values())
    return {n: round(count / n_dialogues, 4) for n, count in sorted(counts.items())}


def _error_rates(calls: Sequence[Call]) -> BetaRate | float | None:
    """Distribution of the word error rate over callers: a beta distribution by the method of moments."""
    by_caller: dict[str, list[float]] = {}
    for call in calls:
        if call.error_rate is not None:
            by_caller.setdefault(call.participant_id, []).append(min(0.9, call.error_rate))
    rates = [sum(caller_rates) / len(caller_rates) for caller_rates in by_caller.values()]
    if not rates:
        return None
    mean = sum(rates) / len(rates)
    variance = sum((rate - mean) ** 2 for rate in rates) / max(1, len(rates) - 1)
    if not 0 < variance < mean * (1 - mean):
        return round(mean, 4)
    size = mean * (1 - mean) / variance - 1
    return BetaRate([round(mean * size, 3), round((1 - mean) * size, 3)])


def observations(dataset: Dataset) -> dict[str, list[Any]]:
    """Values to compare, by feature: one value a dialogue, a turn, or an act."""
    calls = calls_of(dataset)
    return {
        "user_turns": [len(call.words) for call in calls],
        "words_per_user_turn": [count for call in calls for count in call.words],
        "acts_per_user_turn": [len(acts) for call in calls for acts in call.acts],
        "kind_of_act": [act for call in calls for acts in call.acts for act, _, _ in acts],
        "unhelpful_turns": [call.unhelpful for call in calls],
        "word_error_rate": [
            min(20, round(call.error_rate * 10)) / 10 for call in calls if call.error_rate is not None
        ],
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedFeature:
    """A feature of simulated calls beside that of real ones.

    mean_*, cramer  None for kinds of acts, which have no order; with `kullback_leibler_bits` where either
                    has no case
    real, simulated  share by value
    """

    feature: str
    meaning: str
    n_real: int
    n_simulated: int
    mean_real: float | None
    mean_simulated: float | None
    kullback_leibler_bits: float | None
    cramer: float | None
    real: dict[str, float]
    simulated: dict[str, float]


def compare(real: Dataset, simulated: Dataset) -> list[ComparedFeature]:
    """Each feature of simulated calls beside that of real ones.

    Raises  InputError: the first is simulated, or the second is not
    """
    for dataset, expected in ((real, False), (simulated, True)):
        if dataset.simulated != expected:
            kind = "simulated" if expected else "real"
            raise InputError(
                f"holds no {kind} dialogues alone",
                place=str(dataset.folder),
                hint="name the real dataset first, then the simulated one",
            )
    real_values, simulated_values = observations(real), observations(simulated)
    return [_compared(feature, real_values[feature], simulated_values[feature]) for feature in FEATURES]


def _compared(feature: str, real: list[Any], simulated: list[Any]) -> ComparedFeature:
    ordered = feature != "kind_of_act"
    return ComparedFeature(
        feature=feature,
        meaning=FEATURES[feature],
        n_real=len(real),
        n_simulated=len(simulated),
        mean_real=_mean(real) if ordered else None,
        mean_simulated=_mean(simulated) if ordered else None,
        kullback_leibler_bits=_rounded(kullback_leibler(real, simulated)),
        cramer=_rounded(cramer(real, simulated)) if ordered else None,
        real=_distribution(real),
        simulated=_distribution(simulated),
    )


def _distribution(values: Sequence[Any]) -> dict[str, float]:
    counts = Counter(values)
    return {str(value): round(counts[value] / len(values), 5) for value in sorted(counts)}


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
