"""How much of an assigned task a participant pursued in a dialogue, by what they meant."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from vivavoce.core.text import normalise_value
from vivavoce.log.vocabulary import DONTCARE, NAME, REFERENCE_SOURCES, THIS

Row = dict[str, Any]
TASK_TABLES: Final = {
    "goals": ("dialogue_id", "goal_index", "origin", "kind", "slot", "op", "value"),
    "turns": ("dialogue_id", "turn_index", "party"),
    "acts": (
        "dialogue_id", "turn_index", "layer", "source", "rank", "position", "act", "slot", "op", "value",
    ),
}  # fmt: skip
"""What must be read of which table."""


class PursuedDialogue(NamedTuple):
    """How many constraints and requests of the task could be pursued in a dialogue, and how many were."""

    dialogue_id: str
    pursued: int
    wanted: int


def pursued_dialogues(
    dialogues: Mapping[str, Row], tables: Mapping[str, Iterable[Row]]
) -> Iterator[PursuedDialogue]:
    """The dialogues of which something can be said.

    Input   dialogues: by key, with language and end_reason; tables: rows of `TASK_TABLES`
    Output  of the first goal of the task: its constraints, but for those to which all is alike, and its
            requests, these where the system had offered something or the user asked all the same. A
            constraint is pursued when the user stated or confirmed it, a request when they asked or the
            system told it. The type of venue is no constraint: where there is one only, nobody says it
    Empty   no task was assigned, what the user meant is not known of every turn, the system failed, or
            nothing was ever understood in the language of the dialogue
    """
    goals, turns, acts = defaultdict[str, list[Row]](list), defaultdict[str, set[int]](set), _Acts(tables)
    for row in tables["goals"]:
        if row["origin"] == "assigned" and row["goal_index"] == 0 and row["op"] != "!=":
            goals[row["dialogue_id"]].append(row)
    for row in tables["turns"]:
        if row["party"] == "user":
            turns[row["dialogue_id"]].add(row["turn_index"])
    spoken = {dialogues[key]["language"] for key in acts.understood if key in dialogues}
    for key, dialogue in dialogues.items():
        read = acts.of_user(key, turns[key])
        if goals[key] and read and dialogue["end_reason"] != "failure" and dialogue["language"] in spoken:
            made = _pursuit(key, goals[key], read, acts.system[key])
            if made.wanted:
                yield made


class _Acts:
    """Acts by dialogue and turn: of the system, and what the user meant, by who says so."""

    def __init__(self, tables: Mapping[str, Iterable[Row]]) -> None:
        self.system: dict[str, dict[int, list[Row]]] = defaultdict(lambda: defaultdict(list))
        self._meant: dict[str, dict[str, dict[int, list[Row]]]] = defaultdict(
            lambda: defaultdict(lambda: defaultdict(list))
        )
        self.understood: set[str] = set()
        for row in sorted(tables["acts"], key=lambda row: row["position"]):
            key, turn = row["dialogue_id"], row["turn_index"]
            if row["layer"] == "system" and row["rank"] == 0:
                self.system[key][turn].append(row)
            elif row["layer"] == "reference":
                self._meant[key][row["source"]][turn].append(row)
                if row["slot"]:
                    self.understood.add(key)

    def of_user(self, key: str, turns: set[int]) -> Mapping[int, Sequence[Row]]:
        """What was meant, as the most trusted says that read every turn; empty where nobody did."""
        by_source = self._meant.get(key, {})
        for source in (*REFERENCE_SOURCES, *sorted(by_source)):
            if source in by_source and turns <= by_source[source].keys():
                return by_source[source]
        return {}


def _pursuit(
    key: str, goal: Sequence[Row], user: Mapping[int, Sequence[Row]], system: Mapping[int, Sequence[Row]]
) -> PursuedDialogue:
    stated, asked = set[tuple[str, str]](), set[str]()
    for turn, acts in user.items():
        before = system.get(max((one for one in system if one < turn), default=-1), ())
        stated.update(_stated(acts, before))
        asked.update(act["slot"] for act in acts if act["act"] in ("request", "confirm") and act["slot"])
    heard = [act for acts in system.values() for act in acts]
    offered = any(act["slot"] == NAME and act["value"] and act["act"] in ("offer", "inform") for act in heard)
    told = {act["slot"] for act in heard if act["act"] in ("inform", "offer") and act["value"]}
    wanted = [
        (row["slot"], normalise_value(row["value"])) in stated
        for row in goal
        if row["kind"] == "constraint" and row["value"] != DONTCARE
    ]
    requests = {row["slot"] for row in goal if row["kind"] == "request"}
    wanted += [slot in asked or slot in told for slot in requests if offered or slot in asked]
    return PursuedDialogue(key, sum(wanted), len(wanted))


def _stated(acts: Sequence[Row], before: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """Slots and values that a turn states, asks about, or accepts of what the system has just asked."""
    asked = {act["slot"] for act in before if act["act"] in ("request", "select", "confirm") and act["slot"]}
    for act in acts:
        if act["act"] == "affirm":
            yield from ((one["slot"], normalise_value(one["value"])) for one in before
                        if one["act"] == "confirm" and one["slot"] and one["value"])  # fmt: skip
        elif act["act"] in ("inform", "confirm") and act["slot"] and act["value"] and act["op"] != "!=":
            slots = asked if act["slot"] == THIS else {act["slot"]}
            yield from ((slot, normalise_value(act["value"])) for slot in slots)
