"""Outcomes of every dialogue of a dataset: what the rates are made of, for counting and for inspection."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from vivavoce.dataset.vocabulary import REFERENCE_SOURCES, TYPE
from vivavoce.measures.base import field_of
from vivavoce.measures.columns import memoized
from vivavoce.measures.success.assigned import AssignedOutcome, assigned_outcome, counting_goal
from vivavoce.measures.success.inferred import InferredOutcome, inferred_outcomes
from vivavoce.measures.success.model import Goal, ScoredAct, ScoredTurn, Venues

if TYPE_CHECKING:
    import pyarrow as pa

NOT_A_WIZARDS_WORDS: Final = ("proposal", "silence", "greeting")


class ScoredSource(Protocol):
    """What tables are read from: a dataset, or one whose tables are kept in memory."""

    def read(self, table: str, /) -> "pa.Table": ...


@dataclass(frozen=True, slots=True)
class ScoringOptions:
    """How goals are scored.

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
    found = Outcomes()
    lacking: dict[str, int] = defaultdict(int)
    for dialogue_id in dialogues:
        own = turns.get(dialogue_id, _Turns())
        if not own.system:
            lacking["no acts of the system are logged"] += 1
            continue
        if by_wizards.get(dialogue_id, set()) - own.system.keys():
            lacking["what a wizard said in the place of the system has no acts"] += 1
            continue
        ordered = own.ordered()
        if task := goals.get(dialogue_id):
            found.assigned[dialogue_id] = assigned_outcome(
                dialogue_id, task, ordered, venues, verify_values=options.verify_values
            )
        else:
            lacking["no goal was assigned"] += 1
        if own.user:
            found.inferred[dialogue_id] = inferred_outcomes(
                dialogue_id, ordered, venues, verify_values=options.verify_values
            )
        else:
            lacking["what the user meant is not labelled"] += 1
    found.reasons.extend(
        f"{reason}: {count} of {len(dialogues)} dialogues" for reason, count in lacking.items()
    )
    return found


def counting_goals(dataset: ScoredSource) -> dict[str, Goal]:
    """The goal that counts of each dialogue that `outcomes` scores against its assigned one."""
    venues = Venues.from_rows(dataset.read("entities").to_pylist())
    if not venues:
        return {}
    wanted = (field_of("layer") == "system") & (field_of("rank") == 0)
    named = ["dialogue_id", "turn_index", "layer", "rank"]
    acts = dataset.read("acts").select(named).filter(wanted)
    acting = set(acts["dialogue_id"].unique().to_pylist())
    if by_wizards := _said_by_wizards(dataset):
        pairs = set(zip(acts["dialogue_id"].to_pylist(), acts["turn_index"].to_pylist(), strict=True))
        acting -= {one for one, own in by_wizards.items() if any((one, turn) not in pairs for turn in own)}
    goals = _assigned_goals(dataset)
    return {
        one: goals[one][counting_goal(goals[one], venues)]
        for one in dataset.read("dialogues")["dialogue_id"].to_pylist()
        if one in acting and one in goals
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
        both = [ScoredTurn(index, "system", tuple(acts)) for index, acts in self.system.items()]
        both += [ScoredTurn(index, "user", tuple(acts)) for index, acts in self.user.items()]
        return sorted(both, key=lambda turn: turn.index)


def _turns(dataset: ScoredSource, options: ScoringOptions) -> dict[str, _Turns]:
    names, order = ("dialogue_id", "turn_index", "layer", "source"), ("dialogue_id", "turn_index", "position")
    table = dataset.read("acts").select([*{*names, *order, *ScoredAct._fields, "rank"}])
    wanted = (field_of("layer").isin(["system", "reference"])) & (field_of("rank") == 0)
    rows = table.filter(wanted).sort_by([(name, "ascending") for name in order])
    found: dict[str, _Turns] = defaultdict(lambda: _Turns(sources=options.sources))
    acts = memoized(rows, ScoredAct._fields, ScoredAct)
    columns = (rows.column(name).to_pylist() for name in names)
    for dialogue_id, turn_index, layer, source, act in zip(*columns, acts, strict=True):
        if options.only and layer == "reference" and source not in options.sources:
            continue
        own = found[dialogue_id]
        of_turns = own.system if layer == "system" else own.by_source.setdefault(source, {})
        of_turns.setdefault(turn_index, []).append(act)
    return found


def _said_by_wizards(dataset: ScoredSource) -> dict[str, set[int]]:
    """The turns whose words were a wizard's: what the program behind would have done says nothing of them."""
    found: dict[str, set[int]] = defaultdict(set)
    columns = (
        dataset.read("wizard_turns").column(name)
        for name in ("dialogue_id", "turn_index", "replaces", "source")
    )
    for dialogue_id, turn_index, replaces, source in zip(
        *(column.to_pylist() for column in columns), strict=True
    ):
        if replaces in ("system", "management") and source not in NOT_A_WIZARDS_WORDS:
            found[dialogue_id].add(turn_index)
    return found


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
