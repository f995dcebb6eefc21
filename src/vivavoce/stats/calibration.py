"""What real calls tell of the habits of their callers, for simulated ones; and how far those are from them.

`fit` gives the content of a population file, which `simulation` reads; nothing else passes between the two
wings.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from vivavoce.core.errors import InputError
from vivavoce.core.result import unless_none
from vivavoce.core.text import normalise_value, words
from vivavoce.log.dataset import Dataset
from vivavoce.measures.compute import components
from vivavoce.stats.distances import cramer, kullback_leibler
from vivavoce.stats.sayings import CallerTurn, Saying, read_sayings

FEATURES: Final = {
    "user_turns": "user turns of a dialogue",
    "words_per_user_turn": "words of a user turn",
    "acts_per_user_turn": "dialogue act items of a user turn",
    "kind_of_act": "kinds of user acts",
    "unhelpful_turns": "system turns of a dialogue that did not help",
    "word_error_rate": "word error rate of a dialogue, in tenths",
}
_UNHELPFUL: Final = ("canthelp", "canthelp.exception", "repeat")
_MOST_PATIENCE: Final = 20
_MOST_DIALOGUES: Final = 60
_DONTCARE: Final = "dontcare"
_HABITS: Final = (
    "patience", "forgetfulness", "over_informing", "carefulness", "curiosity", "optimism", "fickleness"
)  # fmt: skip


@dataclass
class Call:
    """One dialogue as it is looked at here.

    said       of each user turn, in order: its words, and how many (`words`)
    acts       of each user turn, in order: (act, slot, value), what was meant
    helpful    of each system turn, in order: its index, and whether it helped
    stated     of each system turn: the values that it stated or asked to confirm, by slot
    told       of each system turn: its acts
    """

    dialogue_id: str
    participant_id: str
    language: str = ""
    said: list[str] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    acts: list[list[tuple[str, str | None, str | None]]] = field(default_factory=list)
    helpful: list[tuple[int, bool]] = field(default_factory=list)
    stated: dict[int, dict[str, str]] = field(default_factory=dict)
    told: dict[int, set[str]] = field(default_factory=dict)
    turn_of_acts: list[int] = field(default_factory=list)
    satisfied: bool | None = None
    served: bool | None = None
    error_rate: float | None = None
    constraints: set[str] = field(default_factory=set)

    @property
    def unhelpful(self) -> int:
        return sum(not helped for _, helped in self.helpful)


def calls_of(dataset: Dataset) -> list[Call]:
    """The dialogues of a dataset, with what the habits of their callers are read from.

    Raises  InputError: there are no annotated user turns, so that nothing can be said of what was meant
    """
    found = {
        row["dialogue_id"]: Call(
            row["dialogue_id"], row["participant_id"] or row["dialogue_id"], row["language"] or ""
        )
        for row in dataset.read("dialogues").to_pylist()
    }
    _read_turns(dataset, found)
    _read_goals(dataset, found)
    for row in dataset.read("ratings").to_pylist():
        call = found.get(row["dialogue_id"] or "")
        if call is not None and row["role"] == "subjective_success" and row["value"] is not None:
            call.satisfied = row["value"] > 0
    parts = components(dataset, ["word_error_rate", "objective_success_inferred"])
    for row in parts.to_dict("records"):
        call = found.get(str(row["dialogue_id"]))
        if call is None or not row["denominator"]:
            continue
        share = float(row["numerator"]) / float(row["denominator"])
        if row["measure"] == "word_error_rate":
            call.error_rate = share
        else:
            call.served = share >= 1
    return [call for call in found.values() if call.words]


def _read_turns(dataset: Dataset, found: dict[str, Call]) -> None:
    meant: dict[tuple[str, int], list[tuple[str, str | None, str | None]]] = {}
    told: dict[tuple[str, int], set[str]] = {}
    stated: dict[tuple[str, int], dict[str, str]] = {}
    acts = dataset.read("acts").to_pylist()
    for row in acts:
        place = row["dialogue_id"], row["turn_index"]
        if row["layer"] == "reference" and row["rank"] == 0:
            meant.setdefault(place, []).append((row["act"], row["slot"], row["value"]))
        elif row["layer"] == "system":
            told.setdefault(place, set()).add(row["act"])
            if row["act"] in ("inform", "confirm") and row["slot"] and row["value"]:
                stated.setdefault(place, {})[row["slot"]] = row["value"]
    if not meant:
        raise InputError(
            "no user turn says what was meant", place=str(dataset.folder),
            hint="take a dataset with acts of the layer `reference`",
        )  # fmt: skip
    for row in (
        dataset.read("turns").sort_by([("dialogue_id", "ascending"), ("turn_index", "ascending")]).to_pylist()
    ):
        call, place = found.get(row["dialogue_id"]), (row["dialogue_id"], row["turn_index"])
        if call is None:
            continue
        if row["party"] == "user":
            said = row["reference"] if row["reference"] is not None else row["text"]
            if said is None:  # it went to the system as sound, and nobody knows its words
                del found[row["dialogue_id"]]
                continue
            call.said.append(said)
            call.words.append(len(words(said)))
            call.acts.append(meant.get(place, []))
            call.turn_of_acts.append(row["turn_index"])
        else:
            kinds = told.get(place, set())
            call.stated[row["turn_index"]] = stated.get(place, {})
            call.told[row["turn_index"]] = kinds
            call.helpful.append((row["turn_index"], not kinds & set(_UNHELPFUL) or "offer" in kinds))


def _read_goals(dataset: Dataset, found: dict[str, Call]) -> None:
    for row in dataset.read("goals").to_pylist():
        call = found.get(row["dialogue_id"])
        wanted = row["origin"] == "assigned" and row["kind"] == "constraint" and row["goal_index"] == 0
        if call is not None and wanted and row["slot"] and normalise_value(row["value"]) != _DONTCARE:
            call.constraints.add(row["slot"])


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
    """How many cases tell of a habit; `unit` where they are no turns."""

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
    told: dict[str, HabitEvidence] = {}
    for habit, (share, n) in {
        "forgetfulness": _forgetfulness(calls),
        "over_informing": _over_informing(calls),
        "opens_in_full": _opens_in_full(calls),
        "carefulness": _carefulness(calls),
        "denies": _denial(calls),
        "terseness": _terseness(calls),
        "fragments": _in_place_of_answers(calls, "null"),
        "fragments_first": _share([{act for act, _, _ in call.acts[0]} == {"null"} for call in calls]),
        "breaks_off_again": _again(calls, "null"),
        "asks_back": _in_place_of_answers(calls, "repeat"),
        "two_at_once": _two_at_once(calls),
        "curiosity": _share([_has(call, "reqalts") for call in calls]),
        "fickleness": _share([_changed_mind(call) for call in calls]),
        "optimism": _share(
            [bool(call.satisfied) for call in calls if call.served is False and call.satisfied is not None]
        ),
    }.items():
        if share is not None:
            habits[habit] = round(share, 4)
            told[habit] = HabitEvidence(n)
    patience = kaplan_meier(
        [(call.unhelpful, call.satisfied is False) for call in calls if call.satisfied is not None]
    )
    if patience:
        habits["patience"] = HabitValues(patience)
        left = sum(call.satisfied is False for call in calls)
        told["patience"] = HabitEvidence(left, "dialogues left in vain")
    habits["dialogues"] = HabitValues(_dialogues(calls))
    callers = len({call.participant_id for call in calls})
    not_told = [habit for habit in _HABITS if habit not in habits]
    return FittedPopulation(
        population=name, word_error_rate=_error_rates(calls), habits=habits, sayings=_sayings(calls),
        source=PopulationSource(dataset.study, dataset.hash, len(calls), callers, told, not_told),
    )  # fmt: skip


def kaplan_meier(left: Sequence[tuple[int, bool]]) -> dict[int, float]:
    """Shares of patience: how many unhelpful turns are borne before the next one ends the dialogue.

    Input   unhelpful turns of each dialogue, and whether it was left in vain (else it is censored)
    Output  share by patience, 0 to 20, summing to 1; what nobody lived to see is put one above the last
    Empty   nobody left in vain: {}
    Source  Kaplan and Meier (1958), Journal of the American Statistical Association 53
    """
    events = Counter(min(turns, _MOST_PATIENCE) for turns, vain in left if vain)
    if not events:
        return {}
    surviving, shares = 1.0, dict[int, float]()
    for turns in sorted(events):
        at_risk = sum(min(one, _MOST_PATIENCE) >= turns for one, _ in left)
        leaving = surviving * events[turns] / at_risk
        shares[max(0, turns - 1)] = shares.get(max(0, turns - 1), 0.0) + leaving
        surviving -= leaving
    if surviving > 1e-9:
        beyond = max(events)
        shares[beyond] = shares.get(beyond, 0.0) + surviving
    return {turns: round(share, 4) for turns, share in sorted(shares.items())}


def _share(flags: Sequence[bool]) -> tuple[float | None, int]:
    return (sum(flags) / len(flags) if flags else None), len(flags)


def _has(call: Call, act: str) -> bool:
    return any(kind == act for turn in call.acts for kind, _, _ in turn)


def _forgetfulness(calls: Sequence[Call]) -> tuple[float | None, int]:
    """Of the assigned constraints, the share whose slot was never spoken of; unit: constraints."""
    spoken = {call.dialogue_id: {slot for turn in call.acts for _, slot, _ in turn} for call in calls}
    return _share([slot not in spoken[call.dialogue_id] for call in calls for slot in call.constraints])


def _over_informing(calls: Sequence[Call]) -> tuple[float | None, int]:
    """Of the user turns that state or ask, the share that does so for two slots or more; unit: turns."""
    slots = [
        {slot for act, slot, _ in turn if act in ("inform", "request") and slot}
        for call in calls
        for turn in call.acts
    ]
    return _share([len(one) > 1 for one in slots if one])


def _opens_in_full(calls: Sequence[Call]) -> tuple[float | None, int]:
    """Of the first user turns that state something, the share that does so for two slots or more."""
    first = [
        next((turn for turn in call.acts if any(act == "inform" for act, _, _ in turn)), []) for call in calls
    ]
    return _share([len({slot for act, slot, _ in turn if act == "inform"}) > 1 for turn in first if turn])


def _in_place_of_answers(calls: Sequence[Call], act: str) -> tuple[float | None, int]:
    """Of the user turns that follow none of this act alone, the share of this act alone; unit: turns."""
    alone = [[{kind for kind, _, _ in turn} == {act} for turn in call.acts] for call in calls]
    return _share([
        flag for flags in alone for before, flag in pairwise([False, *flags]) if not before
    ])  # fmt: skip


def _again(calls: Sequence[Call], act: str) -> tuple[float | None, int]:
    """Of the user turns that follow one of this act alone, the share of this act alone; unit: turns."""
    alone = [[{kind for kind, _, _ in turn} == {act} for turn in call.acts] for call in calls]
    return _share([flag for flags in alone for before, flag in pairwise(flags) if before])


def _sayings(calls: Sequence[Call]) -> dict[str, list[Saying]]:
    """What callers say in common, by language."""
    said: dict[str, list[CallerTurn]] = {}
    for call in calls:
        turns = said.setdefault(call.language.split("-")[0].lower(), [])
        for turn, text, acts in zip(call.turn_of_acts, call.said, call.acts, strict=True):
            turns.append(CallerTurn(call.participant_id, text, acts, call.told.get(turn - 1, ())))
    found = {language: read_sayings(turns) for language, turns in sorted(said.items()) if language}
    return {language: sayings for language, sayings in found.items() if sayings}


def _two_at_once(calls: Sequence[Call]) -> tuple[float | None, int]:
    """Of the user turns that state or ask, the share that does both; unit: turns."""
    kinds = [{act for act, _, _ in turn} & {"inform", "request"} for call in calls for turn in call.acts]
    return _share([len(one) > 1 for one in kinds if one])


def _carefulness(calls: Sequence[Call]) -> tuple[float | None, int]:
    """Of the system turns that state another value than was meant, the share answered by a correction.

    A correction denies, or says the slot again; unit: system turns.
    """
    return _share([corrected for corrected, _ in _corrections(calls)])


def _denial(calls: Sequence[Call]) -> tuple[float | None, int]:
    """Of the corrections, the share that denies; unit: corrections."""
    return _share([denied for corrected, denied in _corrections(calls) if corrected])


def _corrections(calls: Sequence[Call]) -> list[tuple[bool, bool]]:
    """Of each system turn that states another value than was meant: was it corrected, was it denied."""
    found: list[tuple[bool, bool]] = []
    for call in calls:
        held: dict[str, str] = {}
        for turn, acts in zip(call.turn_of_acts, call.acts, strict=True):
            stated = call.stated.get(turn - 1, {})
            wrong = {
                slot for slot, value in stated.items() if held.get(slot, value) not in (value, _DONTCARE)
            }
            said = {slot for act, slot, _ in acts if act == "inform"}
            if wrong:
                denied = any(act in ("negate", "deny") for act, _, _ in acts)
                found.append((denied or bool(wrong & said), denied))
            held.update({slot: value for act, slot, value in acts if act == "inform" and slot and value})
    return found


def _terseness(calls: Sequence[Call]) -> tuple[float | None, int]:
    """Of the user turns that only state values, the share with two words a value or fewer; unit: turns."""
    stating = [
        (count, len({slot for _, slot, _ in acts}))
        for call in calls
        for count, acts in zip(call.words, call.acts, strict=True)
        if acts and all(act == "inform" for act, _, _ in acts)
    ]
    return _share([count <= 2 * slots for count, slots in stating])


def _changed_mind(call: Call) -> bool:
    """Whether a slot got another value though the system turn before had not said that nothing matches."""
    held: dict[str, str] = {}
    for turn, acts in zip(call.turn_of_acts, call.acts, strict=True):
        before = [helped for index, helped in call.helpful if index < turn]
        for act, slot, value in acts:
            if act != "inform" or not slot or not value or value == _DONTCARE:
                continue
            if slot in held and held[slot] != value and (not before or before[-1]):
                return True
            held[slot] = value
    return False


def _dialogues(calls: Sequence[Call]) -> dict[int, float]:
    counts = Counter(min(n, _MOST_DIALOGUES) for n in Counter(call.participant_id for call in calls).values())
    whole = sum(counts.values())
    return {n: round(count / whole, 4) for n, count in sorted(counts.items())}


def _error_rates(calls: Sequence[Call]) -> BetaRate | float | None:
    """How the word error rate is spread over callers: a beta distribution by the method of moments."""
    by_caller: dict[str, list[float]] = {}
    for call in calls:
        if call.error_rate is not None:
            by_caller.setdefault(call.participant_id, []).append(min(0.9, call.error_rate))
    rates = [sum(one) / len(one) for one in by_caller.values()]
    if not rates:
        return None
    mean = sum(rates) / len(rates)
    variance = sum((rate - mean) ** 2 for rate in rates) / max(1, len(rates) - 1)
    if not 0 < variance < mean * (1 - mean):
        return round(mean, 4)
    size = mean * (1 - mean) / variance - 1
    return BetaRate([round(mean * size, 3), round((1 - mean) * size, 3)])


def observations(dataset: Dataset) -> dict[str, list[Any]]:
    """What is compared, by feature: one value a dialogue, a turn, or an act."""
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
    for dataset, wanted in ((real, False), (simulated, True)):
        if dataset.simulated != wanted:
            kind = "simulated" if wanted else "real"
            raise InputError(f"holds no {kind} dialogues alone", place=str(dataset.folder),
                             hint="name the real dataset first, then the simulated one")  # fmt: skip
    one, other = observations(real), observations(simulated)
    return [_compared(feature, one[feature], other[feature]) for feature in FEATURES]


def _compared(feature: str, real: list[Any], simulated: list[Any]) -> ComparedFeature:
    ordered = feature != "kind_of_act"
    return ComparedFeature(
        feature=feature, meaning=FEATURES[feature], n_real=len(real), n_simulated=len(simulated),
        mean_real=_mean(real) if ordered else None, mean_simulated=_mean(simulated) if ordered else None,
        kullback_leibler_bits=_rounded(kullback_leibler(real, simulated)),
        cramer=_rounded(cramer(real, simulated)) if ordered else None,
        real=_distribution(real), simulated=_distribution(simulated),
    )  # fmt: skip


def _distribution(values: Sequence[Any]) -> dict[str, float]:
    counts = Counter(values)
    return {str(value): round(counts[value] / len(values), 5) for value in sorted(counts)}


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
