"""What an IDIAL report tells of one system's users: aspects, items, times, intents, entities, modules.

Unit of analysis is the user for the questionnaire, the dialogue for times, the entity for entities.
Source  Cutugno and others 2018 (IDIAL), sections 2.1, 5 and 6
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import mean, median, stdev
from typing import Any, Final

from scipy.stats import t as student

from vivavoce.core.result import as_json
from vivavoce.core.signature import signature
from vivavoce.core.text import normalise_value
from vivavoce.log.dataset import Dataset
from vivavoce.questionnaires.instrument import INSTRUMENTS
from vivavoce.stats.proportions import wilson
from vivavoce.stats.summary import summarise

Facts = dict[str, Any]
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


def aspects(
    dataset: Dataset, *, mapping: str = "published", reverse_item_4: bool = True, level: float = 0.95
) -> list[Facts]:
    """Task completion, effectiveness, satisfaction: means of 0 to 4 over users, from raw answers.

    Output  name, items, n (users whose items are all answered), mean, low and high (t over users), signature
    Empty   nobody answered all items of an aspect: mean None, n 0
    """
    forms = _forms(dataset)
    found = []
    for name, score in zip(
        ("task_completion", "effectiveness", "satisfaction"), ASPECTS[mapping], strict=True
    ):
        unreversed = () if reverse_item_4 else ("q4",)
        figures = [IDIAL.score(form, mapping=mapping, unreversed=unreversed).get(score) for form in forms]
        values = [value for value in figures if value is not None]
        low, high = _ends(values, level)
        found.append(
            {
                "name": name,
                "items": IDIAL.scores[score].items,
                "n": len(values),
                "mean": mean(values) if values else None,
                "low": low,
                "high": high,
                "signature": signature(
                    f"idial_{name}",
                    unit="participant",
                    n=len(values),
                    data=dataset.hash,
                    mapping=mapping,
                    reverse_item_4=reverse_item_4,
                ),
            }
        )
    return found


def items(dataset: Dataset) -> list[Facts]:
    """How often each answer of each item was given, raw codes, with the wording's labels where known."""
    counts: dict[str, dict[int, int]] = {item.item_id: dict.fromkeys(range(5), 0) for item in IDIAL.items}
    labels: dict[int, str] = {}
    for row in _rows(dataset, "idial"):
        if row["value"] is not None and row["item_id"] in counts:
            counts[row["item_id"]][int(row["value"])] += 1
            labels[int(row["value"])] = row["answer"] or labels.get(int(row["value"]), "")
    return [
        {
            "item_id": item.item_id,
            "low": 0,
            "high": 4,
            "reverse": item.reverse,
            "counts": counts[item.item_id],
            "labels": labels,
            "n": sum(counts[item.item_id].values()),
        }
        for item in IDIAL.items
    ]


def people(dataset: Dataset) -> Facts:
    """Who the users were and how long each part took.

    Output  finished, screened_out, left; background: counts by item and answer; parts: for briefing, tasks
            and questionnaire n, mean and longest in seconds; longest_s of a whole visit
    Note    briefing is all before the first dialogue, questionnaire all after the last; wall clock
    """
    rows = dataset.read("participants").to_pylist()
    outcomes = [row["outcome"] for row in rows]
    done = {row["participant_id"] for row in rows if row["outcome"] == "completed"}
    background: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in _rows(dataset, BACKGROUND):
        if row["participant_id"] in done:
            background[row["item_id"]][row["answer"] or ""] += 1
    visits = [_parts(steps) for steps in _steps(dataset).values()]
    parts = {
        name: _times([visit[name] for visit in visits]) for name in ("briefing", "tasks", "questionnaire")
    }
    return {
        "finished": len(done),
        "screened_out": outcomes.count("screened_out"),
        "left": len(rows) - len(done) - outcomes.count("screened_out"),
        "simulated": any(row["simulated"] for row in rows),
        "background": {item: dict(answers) for item, answers in background.items()},
        "parts": parts,
        "whole": _times([sum(visit.values()) for visit in visits]),
        "feedback": sum(bool((row["answer"] or "").strip()) for row in _rows(dataset, FEEDBACK)),
    }


def intents(dataset: Dataset, declared: Sequence[Mapping[str, Any]]) -> list[Facts]:
    """Each declared intent: how often it was tried, how long it took, how often within the expected time.

    Input   declared: `id` and `minutes` of each intent
    Output  id, expected_s, dialogues, users, median_s, longest_s, within (dialogues no longer than expected),
            low and high (Wilson's interval of their share)
    Empty   never tried: dialogues 0, times None
    """
    kinds = {
        row["dialogue_id"]: row["value"]
        for row in dataset.read("goals").to_pylist()
        if row["kind"] == "type" and row["origin"] == "assigned" and row["goal_index"] == 0
    }
    held: dict[str, list[Facts]] = defaultdict(list)
    for row in dataset.read("dialogues").to_pylist():
        held[kinds.get(row["dialogue_id"]) or ""].append(row)
    return [_intent(one, held.get(one["id"], [])) for one in declared]


def _intent(one: Mapping[str, Any], rows: Sequence[Facts]) -> Facts:
    expected = 60.0 * one["minutes"]
    lasted = [row["duration_s"] for row in rows if row["duration_s"] is not None]
    within = sum(seconds <= expected for seconds in lasted)
    interval = wilson(within, len(lasted)) if lasted else None
    return {
        "id": one["id"],
        "expected_s": expected,
        "dialogues": len(rows),
        "timed": len(lasted),
        "users": len({row["participant_id"] for row in rows}),
        "median_s": median(lasted) if lasted else None,
        "longest_s": max(lasted, default=None),
        "within": within,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
    }


def entities(dataset: Dataset) -> list[Facts]:
    """How many of the entities of one utterance the system took in, by how many it held.

    What users meant is the layer `reference` (simulated users, annotators, a parser); what the system took in
    is its own layer `understood`, first hypothesis. An entity counts when slot and value agree.
    Note    a slot of which the two accounts never share a value is left out: it may be named in other words
    Output  held (entities in the utterance; 3 stands for three and more), utterances, entities, understood,
            low, high
    Empty   the system does not tell what it understood, or nobody knows what was meant: []
    """
    meant: dict[tuple[str, int], set[tuple[str, str]]] = defaultdict(set)
    taken: dict[tuple[str, int], set[tuple[str, str]]] = defaultdict(set)
    told = set()
    for row in dataset.read("acts").to_pylist():
        key, pair = (row["dialogue_id"], row["turn_index"]), _pair(row)
        if row["layer"] == "understood" and row["rank"] == 0:
            told.add(row["dialogue_id"])
            if pair:
                taken[key].add(pair)
        elif row["layer"] == "reference" and pair and row["act"] == "inform":
            meant[key].add(pair)
    groups: dict[int, list[tuple[int, int]]] = defaultdict(list)
    slots = _shared_slots(meant.values(), taken.values())
    for key, pairs in meant.items():
        known = {pair for pair in pairs if pair[0] in slots}
        if key[0] in told and known:
            groups[min(len(known), 3)].append((len(known), len(known & taken[key])))
    return [_held(number, found) for number, found in sorted(groups.items())]


def _shared_slots(meant: Iterable[set[tuple[str, str]]], taken: Iterable[set[tuple[str, str]]]) -> set[str]:
    """Slots of which both accounts use the same values at least once; others speak different languages."""
    said, heard = set().union(*meant), set().union(*taken)
    return {slot for slot, _ in said & heard}


def _held(number: int, found: Sequence[tuple[int, int]]) -> Facts:
    total, right = sum(one for one, _ in found), sum(one for _, one in found)
    interval = wilson(right, total)
    return {
        "held": number,
        "utterances": len(found),
        "entities": total,
        "understood": right,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
    }


def modules(dataset: Dataset, *, comparable: bool) -> dict[str, list[Facts]]:
    """Figures of single modules, where the log has them: by module the measures with at least one case.

    comparable  what users meant and what the system took in are told in the same words; else nothing is
                said of concepts
    """
    measured = summarise(dataset, "system").all.measures
    channels = set(dataset.read("dialogues").column("channel").to_pylist())
    left_out = set() if comparable else set(CONCEPTS)
    left_out |= set() if channels & {"voice", "phone"} else set(MODULES["synthesis"])
    return {
        module: [
            {"measure": name, **as_json(measured[name])}
            for name in names
            if name in measured and measured[name].denominator and name not in left_out
        ]
        for module, names in MODULES.items()
    }


def _pair(row: Facts) -> tuple[str, str] | None:
    if not row["slot"] or row["value"] is None:
        return None
    return row["slot"], normalise_value(row["value"])


def _rows(dataset: Dataset, instrument: str) -> list[Facts]:
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


def _answered(row: Facts) -> tuple[bool, float, str]:
    at = row["answered_at"]
    return at is None, at.timestamp() if at is not None else 0.0, row["visit_id"] or ""


def _ends(values: Sequence[float], level: float) -> tuple[float | None, float | None]:
    """Student's interval of a mean, held within the scale; None for fewer than two users."""
    if len(values) < 2:
        return None, None
    half = float(student.ppf((1 + level) / 2, len(values) - 1)) * stdev(values) / len(values) ** 0.5
    return max(0.0, mean(values) - half), min(4.0, mean(values) + half)


def _steps(dataset: Dataset) -> dict[str, list[Facts]]:
    """Steps of finished visits."""
    done = {
        row["participant_id"]
        for row in dataset.read("participants").to_pylist()
        if row["outcome"] == "completed"
    }
    found: dict[str, list[Facts]] = defaultdict(list)
    for row in dataset.read("steps").to_pylist():
        if row["participant_id"] in done:
            found[row["visit_id"]].append(row)
    return found


def _parts(steps: Sequence[Facts]) -> dict[str, float]:
    """Seconds of one visit before, during and after its dialogues."""
    ordered = sorted(steps, key=lambda row: row["number"])
    places = [place for place, row in enumerate(ordered) if row["kind"] == "dialogue"]
    first, last = (places[0], places[-1]) if places else (len(ordered), len(ordered))

    def seconds(rows: Sequence[Facts]) -> float:
        return sum(row["duration_s"] or 0.0 for row in rows)

    return {
        "briefing": seconds(ordered[:first]),
        "tasks": seconds(ordered[first : last + 1]),
        "questionnaire": seconds(ordered[last + 1 :]),
    }


def _times(seconds: Sequence[float]) -> Facts:
    return {
        "n": len(seconds),
        "mean_s": mean(seconds) if seconds else None,
        "longest_s": max(seconds, default=None),
    }
