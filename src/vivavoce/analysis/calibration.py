"""Habits and sentences of real callers for simulated users, and the distance between their habits.

`fit` gives the content of a population file, which `simulation` reads; nothing else passes between the two
wings. A habit is a share and its number of cases, (None, 0) without cases. Values are removed from sentences,
and a sentence is kept only if several callers said it, so that no caller's own words are passed on.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

from scipy.stats import rankdata

from vivavoce.analysis.annotated_calls import Call, calls_of
from vivavoce.core.errors import InputError
from vivavoce.core.result import unless_none
from vivavoce.core.text import spoken_words
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.vocabulary import DONTCARE, leading_act, meaning_without_value

FEWEST_CALLERS: Final = 3

UserAct = tuple[str, str | None, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """A sentence of real callers.

    say    its words, values as `{slot}`
    means  its acts, as `act`, `act slot` or `act slot dontcare`; a value stands in `say`
    after  the act of the system turn before that leads to it; None where that has none of these
    n      number of occurrences; a rarer sentence counts for the one with the same meaning that is nearest
           in length
    """

    say: str
    means: list[str]
    after: str | None = unless_none()
    n: int


class CallerTurn(NamedTuple):
    """A user turn: its caller, words and meaning, and the acts of the system turn before."""

    caller: str
    text: str
    acts: Sequence[UserAct]
    before: Collection[str]


def read_sayings(turns: Sequence[CallerTurn], fewest: int = FEWEST_CALLERS) -> list[Saying]:
    """The sentences that callers share, the most frequent first.

    Input   turns of one language; a value that is not among the words makes a sentence useless
    Empty   no sentence was said by so many callers: []
    """
    counts: Counter[tuple[str, tuple[str, ...], str | None]] = Counter()
    callers: defaultdict[tuple[str, tuple[str, ...]], set[str]] = defaultdict(set)
    for turn in turns:
        template = without_values(" ".join(spoken_words(turn.text)), turn.acts)
        if template and turn.acts:
            means = tuple(meaning_without_value(*act) for act in turn.acts)
            counts[template, means, leading_act(turn.before)] += 1
            callers[template, means].add(turn.caller)
    sayings_by_meaning: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for (say, means), who in sorted(callers.items()):
        if len(who) >= fewest:
            sayings_by_meaning[means].append(say)
    shared: Counter[tuple[str, tuple[str, ...], str | None]] = Counter()
    for (say, means, before), n in counts.items():
        if sayings_by_meaning[means]:
            shared[_stand_in(say, sayings_by_meaning[means]), means, before] += n
    templates = [
        Saying(say=say, means=list(means), after=before, n=n) for (say, means, before), n in shared.items()
    ]
    return sorted(templates, key=lambda template: (-template.n, template.say, template.after or ""))


def _stand_in(say: str, sayings: Sequence[str]) -> str:
    """A sentence itself where it is kept, else the one that is nearest in length."""
    length = len(say.split())
    return (
        say
        if say in sayings
        else min(sayings, key=lambda saying: (abs(len(saying.split()) - length), saying))
    )


def without_values(text: str, acts: Sequence[UserAct]) -> str:
    """A sentence with its values as `{slot}`; `` where a value is not among its words."""
    words = text.split()
    for _, slot, value in acts:
        if slot is None or value is None or value == DONTCARE:
            continue
        value_words = spoken_words(value)
        places = [
            at for at in range(len(words)) if value_words and words[at : at + len(value_words)] == value_words
        ]
        if not places:
            return ""
        for at in reversed(places):
            words[at : at + len(value_words)] = [f"{{{slot}}}"]
    return " ".join(words)


_FEWEST_ALIKE: Final = 10  # turns of one meaning that are enough to rank

Share = tuple[float | None, int]


def habit_shares(calls: Sequence[Call]) -> dict[str, Share]:
    """Each habit that is a share, by its name in population files."""
    return {
        "forgetfulness": _forgetfulness(calls),
        "over_informing": _over_informing(calls),
        "opens_in_full": _opens_in_full(calls),
        "carefulness": _carefulness(calls),
        "denies": _denial(calls),
        "only_denies": _only_denial(calls),
        "gives_up": _giving_up(calls),
        "asks_whether": _share([_has(call, "confirm") for call in calls]),
        "thanks_first": _share([_thanks_first(call) for call in calls]),
        "terseness": _terseness(calls),
        "fragments": _in_place_of_answers(calls, "null"),
        "fragments_first": _share([{act for act, _, _ in call.acts[0]} == {"null"} for call in calls]),
        "breaks_off_again": _again(calls, "null"),
        "asks_back": _in_place_of_answers(calls, "repeat"),
        "steadiness": _steadiness(calls),
        "two_at_once": _two_at_once(calls),
        "curiosity": _share([_has_alone(call, "reqalts") for call in calls]),
        "fickleness": _share([_changed_mind(call) for call in calls]),
        "optimism": _share(
            [bool(call.satisfied) for call in calls if call.served is False and call.satisfied is not None]
        ),
    }


def _share(flags: Sequence[bool]) -> Share:
    return (sum(flags) / len(flags) if flags else None), len(flags)


def _has(call: Call, act: str) -> bool:
    return any(kind == act for turn in call.acts for kind, _, _ in turn)


def _has_alone(call: Call, act: str) -> bool:
    return any({kind for kind, _, _ in turn} == {act} for turn in call.acts)


def _thanks_first(call: Call) -> bool:
    """True if the caller thanked, and took leave with the next turn."""
    kinds = [{kind for kind, _, _ in turn} for turn in call.acts]
    return any(
        kinds_before == {"thankyou"} and "bye" in kinds_after for kinds_before, kinds_after in pairwise(kinds)
    )


def _forgetfulness(calls: Sequence[Call]) -> Share:
    """Share of assigned constraints whose slot was never spoken of; unit: constraints."""
    spoken = {call.dialogue_id: {slot for turn in call.acts for _, slot, _ in turn} for call in calls}
    return _share([slot not in spoken[call.dialogue_id] for call in calls for slot in call.constraints])


def _over_informing(calls: Sequence[Call]) -> Share:
    """Share of user turns with two slots or more, of those that state or ask; unit: turns."""
    slots = [
        {slot for act, slot, _ in turn if act in ("inform", "request") and slot}
        for call in calls
        for turn in call.acts
    ]
    return _share([len(slot) > 1 for slot in slots if slot])


def _opens_in_full(calls: Sequence[Call]) -> Share:
    """Share of first user turns with content that state two slots or more."""
    first = [
        next((turn for turn in call.acts if any(act == "inform" for act, _, _ in turn)), []) for call in calls
    ]
    return _share([len({slot for act, slot, _ in turn if act == "inform"}) > 1 for turn in first if turn])


def _in_place_of_answers(calls: Sequence[Call], act: str) -> Share:
    """Share of this act alone among user turns that follow none of this act alone; unit: turns."""
    alone = [[{kind for kind, _, _ in turn} == {act} for turn in call.acts] for call in calls]
    return _share([flag for flags in alone for before, flag in pairwise([False, *flags]) if not before])


def _again(calls: Sequence[Call], act: str) -> Share:
    """Share of this act alone among user turns that follow one of this act alone; unit: turns."""
    alone = [[{kind for kind, _, _ in turn} == {act} for turn in call.acts] for call in calls]
    return _share([flag for flags in alone for before, flag in pairwise(flags) if before])


def _two_at_once(calls: Sequence[Call]) -> Share:
    """Share of user turns that both state and ask, of those that do either; unit: turns."""
    kinds = [{act for act, _, _ in turn} & {"inform", "request"} for call in calls for turn in call.acts]
    return _share([len(kind) > 1 for kind in kinds if kind])


def _carefulness(calls: Sequence[Call]) -> Share:
    """Share of corrections among the answers to system turns that state another value than was meant.

    A correction denies, or says the slot again; unit: system turns.
    """
    return _share([corrected for corrected, _ in _corrections(calls)])


def _denial(calls: Sequence[Call]) -> Share:
    """Share of denials among corrections; unit: corrections."""
    return _share([denied for corrected, denied in _corrections(calls) if corrected])


def _only_denial(calls: Sequence[Call]) -> Share:
    """Share of mere no among questions for confirmation answered by a no or by a value."""
    answers = [
        {act for act, _, _ in acts}
        for call in calls
        for turn, acts in zip(call.turn_of_acts, call.acts, strict=True)
        if "confirm" in call.told.get(turn - 1, ())
    ]
    corrections = [kinds for kinds in answers if "affirm" not in kinds and kinds & {"negate", "inform"}]
    return _share([kinds == {"negate"} for kinds in corrections])


def _corrections(calls: Sequence[Call]) -> list[tuple[bool, bool]]:
    """Pairs (corrected, denied) of each system turn that states another value than was meant."""
    corrections: list[tuple[bool, bool]] = []
    for call in calls:
        caller_values: dict[str, str] = {}
        for turn, acts in zip(call.turn_of_acts, call.acts, strict=True):
            stated = call.stated.get(turn - 1, {})
            wrong = {
                slot
                for slot, value in stated.items()
                if caller_values.get(slot, value) not in (value, DONTCARE)
            }
            informed_slots = {slot for act, slot, _ in acts if act == "inform"}
            if wrong:
                denied = any(act in ("negate", "deny") for act, _, _ in acts)
                corrections.append((denied or bool(wrong & informed_slots), denied))
            caller_values.update(
                {slot: value for act, slot, value in acts if act == "inform" and slot and value}
            )
    return corrections


def _terseness(calls: Sequence[Call]) -> Share:
    """Share of user turns with two words a value or fewer, of those that only state values; unit: turns."""
    stating = [
        (count, len({slot for _, slot, _ in acts}))
        for call in calls
        for count, acts in zip(call.words, call.acts, strict=True)
        if acts and all(act == "inform" for act, _, _ in acts)
    ]
    return _share([count <= 2 * slots for count, slots in stating])


def _steadiness(calls: Sequence[Call]) -> Share:
    """Chance that a turn is as short or long as others of its call; unit: turns.

    Turns of the same meaning behind the same system act are ranked by their words; the correlation of two
    ranks within a call is the chance that both turns keep to it, which is the square of that of one.
    """
    alike: defaultdict[tuple[object, ...], list[tuple[str, int]]] = defaultdict(list)
    for call in calls:
        for turn, count, acts in zip(call.turn_of_acts, call.words, call.acts, strict=True):
            if any(act in ("inform", "request") for act, _, _ in acts):
                means = tuple(sorted(meaning_without_value(*act) for act in acts))
                alike[means, leading_act(call.told.get(turn - 1, ()))].append((call.dialogue_id, count))
    places: defaultdict[str, list[float]] = defaultdict(list)
    for turns in alike.values():
        if len(turns) >= _FEWEST_ALIKE:
            ranks = (rankdata([count for _, count in turns]) - 0.5) / len(turns) - 0.5
            for (dialogue, _), rank in zip(turns, ranks, strict=True):
                places[dialogue].append(float(rank))
    squares = [place**2 for call_places in places.values() for place in call_places]
    pairs = sum(len(place) * (len(place) - 1) for place in places.values())
    if not pairs or not sum(squares):
        return None, 0
    together = (
        sum(sum(call_places) ** 2 - sum(place**2 for place in call_places) for call_places in places.values())
        / pairs
    )
    return max(0.0, together / (sum(squares) / len(squares))) ** 0.5, len(squares)


def _giving_up(calls: Sequence[Call]) -> Share:
    """Share of "it does not matter" among the answers to a refusal that repeat or give up a value."""
    given_up: list[bool] = []
    for call in calls:
        values_so_far: dict[str, str] = {}
        for turn, acts in zip(call.turn_of_acts, call.acts, strict=True):
            informed = {slot: value for act, slot, value in acts if act == "inform" and slot and value}
            if "canthelp" in call.told.get(turn - 1, ()) and informed:
                if DONTCARE in informed.values():
                    given_up.append(True)
                elif informed.items() <= values_so_far.items():
                    given_up.append(False)
            values_so_far.update(informed)
    return _share(given_up)


def _changed_mind(call: Call) -> bool:
    """True if a slot got another value after the system had not said that nothing matches."""
    value_of: dict[str, str] = {}
    for turn, acts in zip(call.turn_of_acts, call.acts, strict=True):
        before = [helped for index, helped in call.helpful if index < turn]
        for act, slot, value in acts:
            if act != "inform" or not slot or not value or value == DONTCARE:
                continue
            if slot in value_of and value_of[slot] != value and (not before or before[-1]):
                return True
            value_of[slot] = value
    return False


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
        evidence["patience"] = HabitEvidence(n_left, "dialogues abandoned without success")
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
                f"the dataset contains other dialogues than {kind} ones",
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
