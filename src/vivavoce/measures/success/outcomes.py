"""Outcomes of every dialogue of a dataset, and dialogues in which the participant and the acts disagree."""

import random
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol

from vivavoce.dataset.vocabulary import REFERENCE_SOURCES, TYPE
from vivavoce.measures.base import field_of, memoized
from vivavoce.measures.success.inferred import (
    AssignedOutcome,
    InferredOutcome,
    assigned_outcome,
    counting_goal,
    inferred_components,
    inferred_outcomes,
)
from vivavoce.measures.success.model import Goal, ScoredAct, ScoredTurn, Venues

if TYPE_CHECKING:
    import pyarrow as pa


NOT_A_WIZARDS_WORDS: Final = ("proposal", "silence", "greeting")


class ScoredSource(Protocol):
    """Source of tables: a dataset, or one with its tables in memory."""

    def read(self, table: str, /) -> "pa.Table": ...


@dataclass(frozen=True, slots=True)
class ScoringOptions:
    """Options of goal scoring.

    verify_values  a value that is not the venue's is not information; False scores slots by name only
    sources        who may say what the user meant, most trusted first; others come after them
    only           nobody but these sources
    """

    verify_values: bool = True
    sources: tuple[str, ...] = REFERENCE_SOURCES
    only: bool = False


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Outcomes by dialogue; a dialogue that cannot be scored is not there.

    reasons   why dialogues are missing: a sentence each, with how many
    """

    assigned: dict[str, AssignedOutcome] = field(default_factory=dict)
    inferred: dict[str, list[InferredOutcome]] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)


def outcomes(dataset: ScoredSource, options: ScoringOptions = ScoringOptions()) -> Outcomes:
    """Score every dialogue against its assigned goal and against the goals inferred from its user turns.

    Input   acts of the layers `system` and `reference` (never `understood`), goals, entities
    Empty   no entities: nothing can be scored. A dialogue without acts of the system, or in which a wizard
            said in its place what nobody put into acts, is not scored at all; without assigned goal or
            without reference acts it lacks that kind of outcome
    """
    dialogues = dataset.read("dialogues").column("dialogue_id").to_pylist()
    venues = Venues.from_rows(dataset.read("entities").to_pylist())
    if not venues:
        return Outcomes(
            reasons=[f"no venue database: objective success of {len(dialogues)} dialogues is missing"]
        )
    goals = _assigned_goals(dataset)
    turns, by_wizards = _turns(dataset, options), _said_by_wizards(dataset)
    all_outcomes = Outcomes()
    lacking: dict[str, int] = defaultdict(int)
    for dialogue_id in dialogues:
        dialogue_turns = turns.get(dialogue_id, _Turns())
        if not dialogue_turns.system:
            lacking["no acts of the system are logged"] += 1
            continue
        if by_wizards.get(dialogue_id, set()) - dialogue_turns.system.keys():
            lacking["system turns played by a wizard have no acts"] += 1
            continue
        ordered = dialogue_turns.ordered()
        if task := goals.get(dialogue_id):
            all_outcomes.assigned[dialogue_id] = assigned_outcome(
                dialogue_id, task, ordered, venues, verify_values=options.verify_values
            )
        else:
            lacking["no goal was assigned"] += 1
        if dialogue_turns.user:
            all_outcomes.inferred[dialogue_id] = inferred_outcomes(
                dialogue_id, ordered, venues, verify_values=options.verify_values
            )
        else:
            lacking["the user's meaning is not labelled"] += 1
    all_outcomes.reasons.extend(
        f"{reason}: {count} of {len(dialogues)} dialogues" for reason, count in lacking.items()
    )
    return all_outcomes


def counting_goals(dataset: ScoredSource) -> dict[str, Goal]:
    """The goal that counts of each dialogue that `outcomes` scores against its assigned one."""
    venues = Venues.from_rows(dataset.read("entities").to_pylist())
    if not venues:
        return {}
    row_filter = (field_of("layer") == "system") & (field_of("rank") == 0)
    columns = ["dialogue_id", "turn_index", "layer", "rank"]
    acts = dataset.read("acts").select(columns).filter(row_filter)
    acting = set(acts["dialogue_id"].unique().to_pylist())
    if by_wizards := _said_by_wizards(dataset):
        pairs = set(zip(acts["dialogue_id"].to_pylist(), acts["turn_index"].to_pylist(), strict=True))
        acting -= {
            dialogue_id
            for dialogue_id, wizard_turns in by_wizards.items()
            if any((dialogue_id, turn) not in pairs for turn in wizard_turns)
        }
    goals = _assigned_goals(dataset)
    return {
        dialogue_id: goals[dialogue_id][counting_goal(goals[dialogue_id], venues)]
        for dialogue_id in dataset.read("dialogues")["dialogue_id"].to_pylist()
        if dialogue_id in acting and dialogue_id in goals
    }


def scored_turns(
    dataset: ScoredSource, dialogue_id: str, options: ScoringOptions = ScoringOptions()
) -> list[ScoredTurn]:
    """The turns of one dialogue by which its goals are scored, in order."""
    turns = _turns(dataset, options)
    return turns[dialogue_id].ordered() if dialogue_id in turns else []


@dataclass(slots=True)
class _Turns:
    """One dialogue's acts by turn; of several sources of reference acts the most trusted."""

    system: dict[int, list[ScoredAct]] = field(default_factory=dict)
    by_source: dict[str, dict[int, list[ScoredAct]]] = field(default_factory=dict)
    sources: tuple[str, ...] = REFERENCE_SOURCES

    @property
    def user(self) -> dict[int, list[ScoredAct]]:
        for source in (*self.sources, *sorted(self.by_source)):
            if source in self.by_source:
                return self.by_source[source]
        return {}

    def ordered(self) -> list[ScoredTurn]:
        all_turns = [ScoredTurn(index, "system", tuple(acts)) for index, acts in self.system.items()]
        all_turns += [ScoredTurn(index, "user", tuple(acts)) for index, acts in self.user.items()]
        return sorted(all_turns, key=lambda turn: turn.index)


def _turns(dataset: ScoredSource, options: ScoringOptions) -> dict[str, _Turns]:
    names, order = ("dialogue_id", "turn_index", "layer", "source"), ("dialogue_id", "turn_index", "position")
    table = dataset.read("acts").select([*{*names, *order, *ScoredAct._fields, "rank"}])
    row_filter = (field_of("layer").isin(["system", "reference"])) & (field_of("rank") == 0)
    rows = table.filter(row_filter).sort_by([(name, "ascending") for name in order])
    turns_of_dialogue: dict[str, _Turns] = defaultdict(lambda: _Turns(sources=options.sources))
    acts = memoized(rows, ScoredAct._fields, ScoredAct)
    columns = (rows.column(name).to_pylist() for name in names)
    for dialogue_id, turn_index, layer, source, act in zip(*columns, acts, strict=True):
        if options.only and layer == "reference" and source not in options.sources:
            continue
        dialogue_turns = turns_of_dialogue[dialogue_id]
        of_turns = (
            dialogue_turns.system if layer == "system" else dialogue_turns.by_source.setdefault(source, {})
        )
        of_turns.setdefault(turn_index, []).append(act)
    return turns_of_dialogue


def _said_by_wizards(dataset: ScoredSource) -> dict[str, set[int]]:
    """Turns spoken by a wizard, which say nothing of the program behind."""
    wizard_turns: dict[str, set[int]] = defaultdict(set)
    columns = (
        dataset.read("wizard_turns").column(name)
        for name in ("dialogue_id", "turn_index", "replaces", "source")
    )
    for dialogue_id, turn_index, replaces, source in zip(
        *(column.to_pylist() for column in columns), strict=True
    ):
        if replaces in ("system", "management") and source not in NOT_A_WIZARDS_WORDS:
            wizard_turns[dialogue_id].add(turn_index)
    return wizard_turns


def _assigned_goals(dataset: ScoredSource) -> dict[str, list[Goal]]:
    """Each dialogue's goals in the order of their index."""
    parts: dict[str, dict[int, list[_GoalItem]]] = defaultdict(lambda: defaultdict(list))
    rows = dataset.read("goals").filter(field_of("origin") == "assigned")
    items = memoized(rows, _GoalItem._fields, _GoalItem)
    columns = (rows.column(name).to_pylist() for name in ("dialogue_id", "goal_index"))
    for dialogue_id, index, item in zip(*columns, items, strict=True):
        parts[dialogue_id][index].append(item)
    return {
        dialogue_id: [_goal(items) for _, items in sorted(by_index.items())]
        for dialogue_id, by_index in parts.items()
    }


class _GoalItem(NamedTuple):
    kind: str
    slot: str | None
    op: str | None
    value: str | None


def _goal(items: list[_GoalItem]) -> Goal:
    constraints: dict[str, str] = {}
    denied: set[tuple[str, str]] = set()
    requests: list[str] = []
    for item in items:
        slot, value = item.slot, item.value
        if item.kind == "type" and value:
            constraints[TYPE] = value
        elif item.kind == "request" and slot:
            requests.append(slot)
        elif item.kind == "exclusion" or item.op == "!=":
            denied.add((slot, value))  # pyright: ignore[reportArgumentType], both are there
        elif item.kind == "constraint" and slot and value:
            constraints[slot] = value
    return Goal(constraints, tuple(dict.fromkeys(requests)), frozenset(denied))


Direction = Literal["rated_success", "rated_failure"]


class Disagreement(NamedTuple):
    """One dialogue: rated a success though some inferred goal failed, or rated a failure though none did."""

    dialogue_id: str
    direction: Direction


def disagreements(
    dataset: ScoredSource, outcomes: Outcomes, *, each: int | None = None, seed: int = 2011
) -> list[Disagreement]:
    """Dialogues whose subjective success differs from objective success (inferred goals, all of the call).

    Input   each: how many to draw of either direction, all when None; the draw depends on the seed alone
    Output  rated successes first, then rated failures, each in the order drawn
    Empty   dialogues without rating or without a goal that counts are not compared
    """
    rows = dataset.read("ratings").to_pylist()
    rated = {row["dialogue_id"]: row["value"] for row in rows if row["role"] == "subjective_success"}
    differing: dict[Direction, list[str]] = {"rated_success": [], "rated_failure": []}
    for dialogue_id in sorted(outcomes.inferred.keys() & rated.keys()):
        served, counted = inferred_components(outcomes.inferred[dialogue_id], "call_all")
        rating = rated[dialogue_id]
        if counted and rating is not None and bool(rating) != bool(served):
            differing["rated_success" if rating else "rated_failure"].append(dialogue_id)
    draw = random.Random(seed)
    return [
        Disagreement(dialogue_id, direction)
        for direction, ids in differing.items()
        for dialogue_id in (ids if each is None else draw.sample(ids, min(each, len(ids))))
    ]
