"""IDIAL report on one system's users: aspects, items, times, intents, entities, modules.

Unit of analysis is the user for the questionnaire, the dialogue for times, the entity for entities.
Source  Cutugno and others 2018 (IDIAL), sections 2.1, 5 and 6
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median, stdev
from typing import Any, Final

import numpy as np

from vivavoce.analysis.summary import summarise
from vivavoce.core.result import signature, spread
from vivavoce.core.text import normalise_value
from vivavoce.dataset.reader import Dataset
from vivavoce.questionnaires.instrument import INSTRUMENTS
from vivavoce.stats.clusters import ClusterSums, clustered_rate
from vivavoce.stats.distributions import t_quantile
from vivavoce.stats.proportions import wilson
from vivavoce.stats.summary_results import MeasuredTotal

TableRow = Mapping[str, Any]  # of a table of the dataset
IDIAL: Final = INSTRUMENTS.get("idial")
BACKGROUND: Final = "idial_background"
FEEDBACK: Final = "idial_feedback"
ASPECTS: Final = {
    "published": ("task_completion", "effectiveness", "satisfaction"),
    "definition": ("task_completion", "effectiveness_by_definition", "satisfaction_by_definition"),
}
CONCEPTS: Final = ("concept_accuracy", "understanding_accuracy")
MODULES: Final = {
    "recognition": ("word_error_rate", "sentence_error_rate", "recognition_rejections"),
    "understanding": (*CONCEPTS, "fallback_prompts"),
    "answering": ("system_response_delay", "words_per_system_turn"),
    "synthesis": ("system_turn_duration",),
}


@dataclass(frozen=True, slots=True)
class IdialAspect:
    """Mean of an aspect, 0 to 4, over the `n` users whose items are all answered; limits by t over users.

    Empty  nobody answered all items: mean None, n 0; fewer than 2 users: no limits
    """

    name: str
    items: tuple[str, ...]
    n: int
    mean: float | None
    low: float | None
    high: float | None
    signature: str


@dataclass(frozen=True, slots=True)
class IdialItem:
    """Counts of each code (0 to 4, as answered), `n` in all; labels of codes where known."""

    item_id: str
    low: int
    high: int
    reverse: bool
    counts: dict[int, int]
    labels: dict[int, str]
    n: int


@dataclass(frozen=True, slots=True)
class PartTimes:
    """Seconds by the wall clock of a part of `n` visits. Empty: no visit, no mean, no longest."""

    n: int
    mean_s: float | None
    longest_s: float | None


@dataclass(frozen=True, slots=True)
class IdialPeople:
    """Users of the system, and the time of each part.

    finished, screened_out, left  people
    background  how many gave each answer, by item
    parts       briefing (all before the first dialogue), tasks, questionnaire (all after the last), of
                finished visits; `whole`: all of it
    feedback    comments in people's own words
    word_error_rate  expected mean of the noise between simulated users and the system, 0: none. Empty: the
                users are people, or nobody noted it: None
    """

    finished: int
    screened_out: int
    left: int
    simulated: bool
    background: dict[str, dict[str, int]]
    parts: dict[str, PartTimes]
    whole: PartTimes
    feedback: int
    word_error_rate: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentTimes:
    """A declared intent: how often it was tried and reached, and how long that took.

    dialogues   of `users` people; of `known` of them it is known whether the goal was reached (`reached`)
    timed       dialogues whose duration counts: those that reached the goal; where of none is known whether
                they did, all
    within      timed dialogues no longer than `expected_s`; low and high: interval of their share over users
    success_low, success_high  the same of reached among known, as `GoalsReached` has it of all intents
    Empty       never tried, or never reached: times and limits None; fewer than 2 users: no limits
    """

    id: str
    expected_s: float
    dialogues: int
    users: int
    known: int
    reached: int
    success_low: float | None
    success_high: float | None
    timed: int
    median_s: float | None
    longest_s: float | None
    within: int
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalsReached:
    """Dialogues about all intents of which it is known whether they reached their goal.

    low, high  interval of reached among known, over the users who held them. Empty: fewer than 2 users: None
    """

    dialogues: int
    known: int
    reached: int
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class EntitiesTaken:
    """Entities of utterances that held so many (3: three and more), and how many were taken in.

    low, high  Wilson's interval of the share of entities understood (0 to 1)
    """

    held: int
    utterances: int
    entities: int
    understood: int
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class ModuleFigure:
    """A measure that says something of one module of the system."""

    measure: str
    found: MeasuredTotal = spread()


def aspects(
    dataset: Dataset, *, mapping: str = "published", reverse_item_4: bool = True, level: float = 0.95
) -> list[IdialAspect]:
    """Task completion, effectiveness, satisfaction: means of 0 to 4 over users, from raw answers."""
    forms = _forms(dataset)
    unreversed = () if reverse_item_4 else ("q4",)
    idial_aspects: list[IdialAspect] = []
    for name, score in zip(
        ("task_completion", "effectiveness", "satisfaction"), ASPECTS[mapping], strict=True
    ):
        figures = [IDIAL.score(form, mapping=mapping, unreversed=unreversed).get(score) for form in forms]
        values = [value for value in figures if value is not None]
        line = signature(
            f"idial_{name}",
            unit="participant",
            n=len(values),
            data=dataset.hash,
            mapping=mapping,
            reverse_item_4=reverse_item_4,
        )
        average = mean(values) if values else None
        items = IDIAL.scores[score].items
        idial_aspects.append(IdialAspect(name, items, len(values), average, *_ends(values, level), line))
    return idial_aspects


def items(dataset: Dataset) -> list[IdialItem]:
    """Counts of each answer of each item, raw codes, with the wording's labels where known."""
    counts: dict[str, dict[int, int]] = {item.item_id: dict.fromkeys(range(5), 0) for item in IDIAL.items}
    labels: dict[int, str] = {}
    for row in _rows(dataset, "idial"):
        if row["value"] is not None and row["item_id"] in counts:
            counts[row["item_id"]][int(row["value"])] += 1
            labels[int(row["value"])] = row["answer"] or labels.get(int(row["value"]), "")
    return [
        IdialItem(
            item.item_id, 0, 4, item.reverse, counts[item.item_id], labels, sum(counts[item.item_id].values())
        )
        for item in IDIAL.items
    ]


def people(dataset: Dataset) -> IdialPeople:
    """Users of the system, and the time of each part."""
    rows = dataset.read("participants").to_pylist()
    outcomes = [row["outcome"] for row in rows]
    done = {row["participant_id"] for row in rows if row["outcome"] == "completed"}
    background: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in _rows(dataset, BACKGROUND):
        if row["participant_id"] in done:
            background[row["item_id"]][row["answer"] or ""] += 1
    visits = [_parts(steps) for steps in _steps(dataset, done).values()]
    return IdialPeople(
        finished=len(done),
        screened_out=outcomes.count("screened_out"),
        left=len(rows) - len(done) - outcomes.count("screened_out") - outcomes.count("no_place"),
        simulated=any(row["simulated"] for row in rows),
        background={item: dict(answers) for item, answers in background.items()},
        parts={
            name: _times([visit[name] for visit in visits]) for name in ("briefing", "tasks", "questionnaire")
        },
        whole=_times([sum(visit.values()) for visit in visits]),
        feedback=sum(bool((row["answer"] or "").strip()) for row in _rows(dataset, FEEDBACK)),
        word_error_rate=_noise(rows),
    )


def _noise(rows: Sequence[TableRow]) -> float | None:
    attributes = [json.loads(row["attributes"]) for row in rows if row["simulated"] and row.get("attributes")]
    rates = [caller["word_error_rate"] for caller in attributes if caller.get("word_error_rate") is not None]
    return mean(rates) if rates else None


def intents_assigned(dataset: Dataset) -> dict[str, str]:
    """The intent of each dialogue: the kind of its first assigned goal."""
    return {
        row["dialogue_id"]: row["value"]
        for row in dataset.read("goals").to_pylist()
        if row["kind"] == "type" and row["origin"] == "assigned" and row["goal_index"] == 0
    }


def intents(
    dataset: Dataset, minutes: Mapping[str, float], reached: Mapping[str, bool] | None = None
) -> list[IntentTimes]:
    """Each declared intent.

    minutes  that its team expects, by intent
    reached  whether the goal was reached, by dialogue; one of which that is not known is not there
    """
    kinds = intents_assigned(dataset)
    rows_by_intent: dict[str, list[TableRow]] = defaultdict(list)
    for row in dataset.read("dialogues").to_pylist():
        rows_by_intent[kinds.get(row["dialogue_id"]) or ""].append(row)
    return [
        _intent(name, 60.0 * expected, rows_by_intent.get(name, []), reached or {})
        for name, expected in minutes.items()
    ]


def goals(dataset: Dataset, reached: Mapping[str, bool]) -> GoalsReached:
    """Number of goals reached in all; `reached` as for `intents`."""
    return goals_of(dataset.read("dialogues").to_pylist(), reached)


def goals_of(rows: Sequence[TableRow], reached: Mapping[str, bool]) -> GoalsReached:
    """Goals reached in some dialogues: of one intent, or one language."""
    intent_rows = [row for row in rows if row["dialogue_id"] in reached]
    served, low, high = _over_users(intent_rows, lambda row: reached[row["dialogue_id"]])
    return GoalsReached(dialogues=len(rows), known=len(intent_rows), reached=served, low=low, high=high)


def _over_users(
    rows: Sequence[TableRow], holds: Callable[[TableRow], bool]
) -> tuple[int, float | None, float | None]:
    """Number of dialogues where it holds, and the limits of their share over the users who held them."""
    sums: dict[Any, list[int]] = defaultdict(lambda: [0, 0])
    for row in rows:
        user_sums = sums[row["participant_id"] or row["dialogue_id"]]
        user_sums[0] += holds(row)
        user_sums[1] += 1
    table = np.array(list(sums.values()), dtype=float).reshape(-1, 2)
    limits = clustered_rate(ClusterSums(table[:, 0], table[:, 1])) if len(table) > 1 else None
    return int(table[:, 0].sum()), limits and limits.low, limits and limits.high


def _intent(
    name: str, expected_s: float, rows: Sequence[TableRow], reached: Mapping[str, bool]
) -> IntentTimes:
    goal = goals_of(rows, reached)
    served = [row for row in rows if reached.get(row["dialogue_id"], not goal.known)]
    timed = [row for row in served if row["duration_s"] is not None]
    lasted = [row["duration_s"] for row in timed]
    within, low, high = _over_users(timed, lambda row: row["duration_s"] <= expected_s)
    return IntentTimes(
        id=name,
        expected_s=expected_s,
        dialogues=len(rows),
        users=len({row["participant_id"] for row in rows}),
        known=goal.known,
        reached=goal.reached,
        success_low=goal.low,
        success_high=goal.high,
        timed=len(lasted),
        median_s=median(lasted) if lasted else None,
        longest_s=max(lasted, default=None),
        within=within,
        low=low,
        high=high,
    )


def entities(dataset: Dataset) -> list[EntitiesTaken]:
    """Share of the entities of an utterance that the system understood, by their number.

    What users meant is the layer `reference` (simulated users, annotators, a parser); what the system took in
    is its own layer `understood`, first hypothesis. An entity counts when slot and value agree.
    Note    a slot of which the two accounts never share a value is left out: it may be named in other words
    Empty   the system does not tell what it understood, or nobody knows what was meant: []
    """
    meant_pairs: dict[tuple[str, int], set[tuple[str, str]]] = defaultdict(set)
    understood_pairs: dict[tuple[str, int], set[tuple[str, str]]] = defaultdict(set)
    logged_dialogues = set()
    for row in dataset.read("acts").to_pylist():
        key, pair = (row["dialogue_id"], row["turn_index"]), _pair(row)
        if row["layer"] == "understood" and row["rank"] == 0:
            logged_dialogues.add(row["dialogue_id"])
            if pair:
                understood_pairs[key].add(pair)
        elif row["layer"] == "reference" and pair and row["act"] == "inform":
            meant_pairs[key].add(pair)
    groups: dict[int, list[tuple[int, int]]] = defaultdict(list)
    slots = _shared_slots(meant_pairs.values(), understood_pairs.values())
    for key, pairs in meant_pairs.items():
        shared_pairs = {pair for pair in pairs if pair[0] in slots}
        if key[0] in logged_dialogues and shared_pairs:
            groups[min(len(shared_pairs), 3)].append(
                (len(shared_pairs), len(shared_pairs & understood_pairs[key]))
            )
    return [_held(number, counts) for number, counts in sorted(groups.items())]


def _shared_slots(
    meant_sets: Iterable[set[tuple[str, str]]], understood_sets: Iterable[set[tuple[str, str]]]
) -> set[str]:
    """Slots of which both accounts use the same values at least once; others speak different languages."""
    meant_slots, understood_slots = set().union(*meant_sets), set().union(*understood_sets)
    return {slot for slot, _ in meant_slots & understood_slots}


def _held(number: int, counts: Sequence[tuple[int, int]]) -> EntitiesTaken:
    total, right = sum(n_meant for n_meant, _ in counts), sum(n_understood for _, n_understood in counts)
    low, high = wilson(right, total) or (None, None)
    return EntitiesTaken(number, len(counts), total, right, low, high)


def modules(dataset: Dataset, *, comparable: bool) -> dict[str, list[ModuleFigure]]:
    """Figures of single modules, where the log has them: by module the measures with at least one case.

    comparable  what users meant and what the system took in are told in the same words; else nothing is
                said of concepts
    """
    measured = summarise(dataset, "system").all.measures
    spoken = any(dataset.read("dialogues", ["spoken"]).column("spoken").to_pylist())
    left_out = set() if comparable else set(CONCEPTS)
    left_out |= set() if spoken else set(MODULES["synthesis"])
    return {
        module: [
            ModuleFigure(name, measured[name])
            for name in names
            if name in measured and measured[name].denominator and name not in left_out
        ]
        for module, names in MODULES.items()
    }


def _pair(row: TableRow) -> tuple[str, str] | None:
    if not row["slot"] or row["value"] is None:
        return None
    return row["slot"], normalise_value(row["value"])


def _rows(dataset: Dataset, instrument: str) -> list[TableRow]:
    return [row for row in dataset.read("ratings").to_pylist() if row["instrument"] == instrument]


def _forms(dataset: Dataset) -> list[dict[str, float | None]]:
    """The answers of each user, one form a person: who comes again adds nothing."""
    forms: dict[Any, dict[str, float | None]] = defaultdict(dict)
    visit_of: dict[Any, Any] = {}
    for row in sorted(_rows(dataset, "idial"), key=_answered):
        person = row["participant_id"] or row["visit_id"]
        if visit_of.setdefault(person, row["visit_id"]) == row["visit_id"]:
            forms[person][row["item_id"]] = row["value"]
    return list(forms.values())


def _answered(row: TableRow) -> tuple[bool, float, str]:
    at = row["answered_at"]
    return at is None, at.timestamp() if at is not None else 0.0, row["visit_id"] or ""


def _ends(values: Sequence[float], level: float) -> tuple[float | None, float | None]:
    """Student's interval of a mean, held within the scale; None for fewer than two users."""
    if len(values) < 2:
        return None, None
    half = t_quantile((1 + level) / 2, len(values) - 1) * stdev(values) / len(values) ** 0.5
    return max(0.0, mean(values) - half), min(4.0, mean(values) + half)


def _steps(dataset: Dataset, done: set[str]) -> dict[str, list[TableRow]]:
    """Steps of visits of people who finished."""
    rows_by_visit: dict[str, list[TableRow]] = defaultdict(list)
    for row in dataset.read("steps").to_pylist():
        if row["participant_id"] in done:
            rows_by_visit[row["visit_id"]].append(row)
    return rows_by_visit


def _parts(steps: Sequence[TableRow]) -> dict[str, float]:
    """Seconds of one visit before, during and after its dialogues."""
    ordered = sorted(steps, key=lambda row: row["number"])
    places = [place for place, row in enumerate(ordered) if row["kind"] == "dialogue"]
    first, last = (places[0], places[-1]) if places else (len(ordered), len(ordered))

    def seconds(rows: Sequence[TableRow]) -> float:
        return sum(row["duration_s"] or 0.0 for row in rows)

    return {
        "briefing": seconds(ordered[:first]),
        "tasks": seconds(ordered[first : last + 1]),
        "questionnaire": seconds(ordered[last + 1 :]),
    }


def _times(seconds: Sequence[float]) -> PartTimes:
    return PartTimes(len(seconds), mean(seconds) if seconds else None, max(seconds, default=None))
