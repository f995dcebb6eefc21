"""Concepts of user turns: what the user meant, laid beside what the system understood.

A concept is an attribute with a value: `food=thai` of an inform or a confirm, `not thai` of a deny, and
`request=phone` of a request. Within a turn, values of one attribute are paired: equal ones are correct, then
unequal ones are substitutions, what is left over is deleted or inserted.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, Final, NamedTuple

from vivavoce.core.text import normalise_value
from vivavoce.measures.base import Tables, field_of
from vivavoce.measures.columns import memoized
from vivavoce.measures.counting import labels, turns_of

TRUSTED: Final = ("label", "annotator", "simulator", "parser")
REQUEST: Final = "request"
STATING: Final = ("inform", "confirm", "deny")


class Concept(NamedTuple):
    """An attribute and its value."""

    attribute: str
    value: str


@dataclass(frozen=True, slots=True)
class TurnConcepts:
    """One user turn: its concepts, those of them understood, and how many went which way."""

    turn_index: int
    meant: tuple[Concept, ...]
    understood: frozenset[Concept]
    correct: int
    substituted: int
    inserted: int
    deleted: int
    not_set: int = 0

    @property
    def number(self) -> int:
        return self.correct + self.substituted + self.deleted

    @property
    def parsed(self) -> str:
        """CO all, PA some, IC none understood; without concepts CO, unless some were inserted."""
        if not self.number:
            return "IC" if self.inserted else "CO"
        if self.correct == self.number:
            return "CO"
        return "PA" if self.correct else "IC"


def align_concepts(
    turn_index: int,
    meant_concepts: Iterable[Concept],
    understood: Iterable[Concept],
    attributes: Iterable[str] = (),
) -> TurnConcepts:
    """Lay what was meant beside what was understood; `attributes` are all that the domain has."""
    meant_counts, understood_counts = Counter(meant_concepts), Counter(understood)
    if meant_counts == understood_counts:
        meant_attributes = {concept.attribute for concept in meant_counts}
        return TurnConcepts(
            turn_index=turn_index,
            meant=tuple(meant_counts.elements()),
            understood=frozenset(meant_counts),
            correct=meant_counts.total(),
            substituted=0,
            inserted=0,
            deleted=0,
            not_set=len(set(attributes) - meant_attributes),
        )
    correct = meant_counts & understood_counts
    missed: Counter[str] = Counter()
    extra: Counter[str] = Counter()
    for concept, count in (meant_counts - correct).items():
        missed[concept.attribute] += count
    for concept, count in (understood_counts - correct).items():
        extra[concept.attribute] += count
    substituted = (missed & extra).total()
    touched = {concept.attribute for concept in (*meant_counts, *understood_counts)}
    return TurnConcepts(
        turn_index=turn_index,
        meant=tuple(meant_counts.elements()),
        understood=frozenset(correct),
        correct=correct.total(),
        substituted=substituted,
        inserted=extra.total() - substituted,
        deleted=missed.total() - substituted,
        not_set=len(set(attributes) - touched),
    )


def concepts(tables: Tables) -> Mapping[str, list[TurnConcepts]]:
    """The user turns of each dialogue whose concepts are known, in order.

    From layer `avp` where the dialogue is annotated in it, else from the acts `reference` (the most trusted
    source) and `understood` (first hypothesis).
    Empty   a dialogue whose system never logs what it understands, or whose user turns nobody has read, is
            not there; a single turn that nobody has read is left out
    """
    return tables.remember(concepts, lambda: {**_from_acts(tables), **_from_labels(tables)})


def new_and_mentioned(turns: Iterable[TurnConcepts]) -> tuple[int, int]:
    """Concepts understood for the first time, and mentions of concepts not understood before."""
    understood: set[Concept] = set()
    mentions = 0
    for turn in turns:
        fresh = [concept for concept in turn.meant if concept not in understood]
        mentions += len(fresh)
        understood |= turn.understood
    return len(understood), mentions


@dataclass(slots=True)
class _Acts:
    understood: dict[int, list[Concept]] = field(default_factory=lambda: defaultdict(list))
    reference: dict[str, dict[int, list[Concept]]] = field(default_factory=dict)


def _from_acts(tables: Tables) -> Mapping[str, list[TurnConcepts]]:
    dialogues = tables.read("dialogues").select(["dialogue_id", "system"]).to_pydict()
    system_of = dict(zip(dialogues["dialogue_id"], dialogues["system"], strict=True))
    acts = _read(tables)
    logging, attributes = tables.overall(_domain, _domain_of_all)
    aligned = cache(partial(align_concepts, attributes=attributes))  # most turns are like others
    turns_of_dialogue: dict[str, list[TurnConcepts]] = {}
    for dialogue_id, dialogue_acts in acts.items():
        reference = next(
            (
                dialogue_acts.reference[name]
                for name in (*TRUSTED, *sorted(dialogue_acts.reference))
                if name in dialogue_acts.reference
            ),
            None,
        )
        if reference is None or system_of.get(dialogue_id) not in logging:
            continue
        understood = dialogue_acts.understood
        turns_of_dialogue[dialogue_id] = [
            aligned(index, tuple(reference[index]), tuple(understood.get(index, ())))
            for index in sorted(reference)
        ]
    return turns_of_dialogue


def _domain(tables: Tables) -> tuple[frozenset[str | None], frozenset[str]]:
    """The systems that log what they understand, and the attributes of the domain."""
    columns = ["dialogue_id", "layer", "rank", "act", "slot", "value"]
    first = tables.read("acts").select(columns).filter(_of_users())
    logged = first.filter(field_of("layer") == "understood")["dialogue_id"].unique()
    logging = tables.read("dialogues").filter(field_of("dialogue_id").isin(logged))["system"].unique()
    slots = (field_of("slot").is_valid()) & (field_of("slot") != "")
    stated = first.filter(slots & field_of("act").isin(list(STATING)) & field_of("value").is_valid())
    requested = first.filter(slots & (field_of("act") == REQUEST)).num_rows > 0
    attributes: list[str] = stated["slot"].unique().to_pylist()
    return frozenset(logging.to_pylist()), frozenset([*attributes, *([REQUEST] if requested else [])])


def _domain_of_all(
    parts: Sequence[tuple[frozenset[str | None], frozenset[str]]],
) -> tuple[frozenset[str | None], frozenset[str]]:
    systems = frozenset[str | None]().union(*(part_systems for part_systems, _ in parts))
    return systems, frozenset[str]().union(*(part_attributes for _, part_attributes in parts))


def _of_users() -> Any:
    return field_of("layer").isin(["reference", "understood"]) & (field_of("rank") == 0)


def _read(tables: Tables) -> Mapping[str, _Acts]:
    """Acts of users by dialogue."""
    table = tables.read("acts")
    selected = ["dialogue_id", "turn_index", "layer", "source", "rank", "act", "slot", "op", "value"]
    rows = table.select(selected).filter(_of_users())
    concept_column = memoized(rows, ["act", "slot", "op", "value"], _concept)
    columns = (rows[name].to_pylist() for name in ("dialogue_id", "turn_index", "layer", "source"))
    acts: dict[str, _Acts] = defaultdict(_Acts)
    for dialogue_id, index, layer, source, concept in zip(*columns, concept_column, strict=True):
        dialogue_acts = acts[dialogue_id]
        if layer == "understood":
            turn = dialogue_acts.understood[index]
        else:
            turn = dialogue_acts.reference.setdefault(source, {}).setdefault(index, [])
        if concept is not None:
            turn.append(concept)
    return acts


def _concept(act: str, slot: str | None, op: str | None, value: str | None) -> Concept | None:
    if not slot:
        return None
    if act == REQUEST:
        return Concept(REQUEST, slot)
    if act not in STATING or value is None:
        return None
    denied = "not " if act == "deny" or op == "!=" else ""
    return Concept(slot, denied + normalise_value(value))


def _from_labels(tables: Tables) -> Mapping[str, list[TurnConcepts]]:
    """Every user turn of a dialogue annotated in layer `avp`; those without label have no concepts."""
    turns_of_dialogue: dict[str, list[TurnConcepts]] = {}
    avp_labels = labels(tables).of("avp")
    user_turns = turns_of(tables, "user") if avp_labels else {}
    for dialogue_id, standing in avp_labels.items():
        by_turn: dict[int, list[tuple[str, Concept]]] = defaultdict(list)
        for avp in standing:
            attribute, _, value = (avp.value or "").partition("=")
            by_turn[avp.turn_index or 0].append((avp.label, Concept(attribute, value)))
        indices = sorted({*user_turns.get(dialogue_id, ()), *by_turn})
        turns_of_dialogue[dialogue_id] = [_labelled(index, by_turn.get(index, [])) for index in indices]
    return turns_of_dialogue


def _labelled(turn_index: int, avps: list[tuple[str, Concept]]) -> TurnConcepts:
    counts = Counter(label for label, _ in avps)
    return TurnConcepts(
        turn_index=turn_index,
        meant=tuple(concept for label, concept in avps if label in ("c", "s", "d")),
        understood=frozenset(concept for label, concept in avps if label == "c"),
        correct=counts["c"],
        substituted=counts["s"],
        inserted=counts["i"],
        deleted=counts["d"],
        not_set=counts["not"],
    )
