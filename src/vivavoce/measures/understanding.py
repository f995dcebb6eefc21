"""Understanding: concepts and turns understood, and how economically they came across.

A concept is an attribute with a value: `food=thai` of an inform or a confirm, `not thai` of a deny, and
`request=phone` of a request. Within a turn, values of one attribute are paired: equal ones are correct, then
unequal ones are substitutions, what is left over is deleted or inserted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vivavoce.core.extras import later
from vivavoce.core.text import normalise_value
from vivavoce.measures.base import (
    Direction,
    Floats,
    Measure,
    Pair,
    Pairs,
    Places,
    Tables,
    field_of,
    memoized,
    places_of,
    sum_rows,
)
from vivavoce.measures.counting import labels, turns_of

if TYPE_CHECKING:
    import numpy as np
else:
    np = later("numpy")


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
    concept_column = memoized(rows, ["act", "slot", "op", "value"], _read_concept)
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


def _read_concept(act: str, slot: str | None, op: str | None, value: str | None) -> Concept | None:
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


SOURCE: Final = "ITU-T Suppl. 24 to P-series (2005), speech-input-related parameters"
GLASS: Final = (
    "Glass, J., Polifroni, J., Seneff, S., Zue, V. (2000). Data collection and performance evaluation of "
    "spoken dialogue systems. ICSLP"
)
SIMPSON: Final = (
    "Simpson, A., Fraser, N. (1993). Black box and glass box evaluation of the SUNDIAL system. Eurospeech"
)
EMPTY: Final = (
    "needs what the user meant (acts `reference`) and what the system understood (acts `understood`), "
    "or layer `avp`"
)
CONCEPTS: Final = {"concepts": "slots stated, denied or requested", "understood": "first hypothesis"}
KINDS: Final[tuple[tuple[str, str, str, Direction | None], ...]] = (
    ("number", "n", "that the user expressed", None),
    ("correct", "c", "that the system understood", "higher"),
    ("substituted", "s", "that the system took for another value", "lower"),
    ("inserted", "i", "that the system took although the user did not express them", "lower"),
    ("deleted", "d", "that the system missed", "lower"),
    ("not_set", "not", "of the domain that the user did not express and the system did not take", None),
)
PARSED: Final[tuple[tuple[str, str, str, Direction | None], ...]] = (
    ("CO", "turns_understood", "all", "higher"),
    ("PA", "turns_understood_in_part", "some, not all", None),
    ("IC", "turns_misunderstood", "none", "lower"),
)
COUNTED: Final = tuple(name for name, *_ in KINDS)

NEEDS: Final = (("understood", "meant"), ("layer:avp",))
_concept = partial(
    Measure, family="understanding", origin="expert", source=SOURCE, parameters=CONCEPTS, needs=NEEDS
)


@dataclass(frozen=True, slots=True)
class ConceptCounts:
    """Counts in user turns with known concepts, one entry a turn.

    known     the dialogues whose turns are known, also those that have none
    dialogue  its place among those of the tables
    counts    by kind; number is what was expressed, wrong what was substituted, inserted or deleted
    """

    tables: Tables
    known: Places
    dialogue: Places
    counts: Mapping[str, Floats]

    def total(self, name: str) -> Pairs:
        return sum_rows(self.tables, self.dialogue, self.counts[name], also=self.known).over_dialogues()

    def share(self, name: str) -> Pairs:
        return sum_rows(self.tables, self.dialogue, self.counts[name], self.counts["number"])

    def accuracy(self) -> Pairs:
        number = self.counts["number"]
        return sum_rows(self.tables, self.dialogue, number - self.counts["wrong"], number)


def _counts(tables: Tables) -> ConceptCounts:
    def make() -> ConceptCounts:
        concept_turns = concepts(tables)
        turns = [turn for dialogue_turns in concept_turns.values() for turn in dialogue_turns]
        kinds = {id(turn): turn for turn in turns}  # turns that are alike are one object
        rows = {kind: row for row, kind in enumerate(kinds)}
        kind_of_turn = np.array([rows[id(turn)] for turn in turns], dtype=np.int64)
        counts = {
            name: np.array([getattr(turn, name) for turn in kinds.values()], dtype=float)[kind_of_turn]
            for name in COUNTED
        }
        counts["wrong"] = counts["substituted"] + counts["inserted"] + counts["deleted"]
        return ConceptCounts(tables, *places_of(tables, concept_turns), counts)

    return tables.remember(_counts, make)


def query_density(understood: int, queries: int) -> Pair:
    """New concepts understood in a query of this dialogue; the dialogue counts once."""
    return (understood / queries, 1) if queries else (0, 0)


def concept_efficiency(understood: int, mentions: int) -> Pair:
    """Concepts understood over their mentions in this dialogue; the dialogue counts once."""
    return (understood / mentions, 1) if mentions else (0, 0)


def _economy_of(figure: Callable[[int, int, int], Pair]) -> Callable[[Tables], Pairs]:
    """Input  figure: of concepts understood for the first time, mentions, and user turns of a dialogue"""
    return lambda tables: {key: figure(*counts) for key, counts in _novelty(tables).items()}


def _novelty(tables: Tables) -> Mapping[str, tuple[int, int, int]]:
    def make() -> Mapping[str, tuple[int, int, int]]:
        return {key: (*new_and_mentioned(turns), len(turns)) for key, turns in concepts(tables).items()}

    return tables.remember(_novelty, make)


def _from(figure: Callable[[ConceptCounts], Pairs]) -> Callable[[Tables], Pairs]:
    return lambda tables: figure(_counts(tables))


def parse_labels(tables: Tables) -> Mapping[str, Mapping[int, str]]:
    """CO, PA or IC of each user turn by dialogue: the experts', else from the concepts."""

    def make() -> Mapping[str, Mapping[int, str]]:
        judged = labels(tables).of("parse").items()
        labels_of = {
            key: {turn.turn_index: turn.parsed for turn in turns} for key, turns in concepts(tables).items()
        }
        return labels_of | {
            key: {standing.turn_index or 0: standing.label for standing in standing_labels}
            for key, standing_labels in judged
        }

    return tables.remember(parse_labels, make)


def _parsed(label: str, *, rate: bool) -> Callable[[Tables], Pairs]:
    def components(tables: Tables) -> Pairs:
        dialogue_places, places, label_column = _parse_columns(tables)
        rows = sum_rows(tables, places, (label_column == label).astype(float), also=dialogue_places)
        return rows if rate else rows.over_dialogues()

    return components


def _parse_columns(tables: Tables) -> tuple[Places, Places, np.ndarray]:
    """Dialogues with labels on their turns: the dialogue of each turn, and the label."""

    def make() -> tuple[Places, Places, np.ndarray]:
        labels_of = parse_labels(tables)
        all_labels = [label for turn_labels in labels_of.values() for label in turn_labels.values()]
        return *places_of(tables, labels_of), np.array(all_labels, dtype=object)

    return tables.remember(_parse_columns, make)


def _implicit_recovery(tables: Tables) -> Pairs:
    """Turns understood in part and well answered: layer `recovery`, else `context` of the answer."""
    recovery, judged = labels(tables).of("recovery"), labels(tables).of("context")
    system_turns = turns_of(tables, "system")
    pairs: dict[str, Pair] = {}
    for key, turns in parse_labels(tables).items():
        if key not in recovery and key not in judged:
            continue
        appropriate = {
            standing.turn_index: standing.label == "appropriate" for standing in recovery.get(key, ())
        }
        context = {standing.turn_index: standing.label == "AP" for standing in judged.get(key, ())}
        verdicts = [
            appropriate.get(index, context.get(_answer(index, system_turns.get(key, ()))))
            for index, label in turns.items()
            if label == "PA"
        ]
        decided = [verdict for verdict in verdicts if verdict is not None]
        pairs[key] = (sum(decided), len(decided))
    return pairs


def _answer(index: int, system_turns: Sequence[int]) -> int | None:
    """The system's turn after a user's."""
    return next((turn for turn in system_turns if turn > index), None)


def _numbers() -> Iterator[Measure]:
    for attribute, symbol, meaning, direction in KINDS:
        name = "concepts" if attribute == "number" else f"concepts_{attribute}"
        yield _concept(
            name=name,
            title=name.replace("_", " ").capitalize(),
            symbol=f"{symbol}_AVP",
            unit="concepts",
            level="turn",
            analysis_unit="dialogue",
            direction=direction,
            meaning=f"Concepts {meaning}, over all user turns.",
            empty=f"{EMPTY}: missing",
            components=_from(lambda counts, attribute=attribute: counts.total(attribute)),
        )


def _concept_rates() -> Iterator[Measure]:
    common = partial(
        _concept,
        unit="ratio",
        level="turn",
        analysis_unit="concept",
        empty=f"no concept, or {EMPTY}: missing",
    )
    yield common(
        name="concept_accuracy",
        title="Concept accuracy",
        symbol="CA",
        direction="higher",
        meaning=(
            "1 minus substituted, inserted and deleted concepts, divided by the expressed "
            "concepts; it can be negative."
        ),
        components=_from(ConceptCounts.accuracy),
    )
    yield common(
        name="information_content",
        title="Information content",
        symbol="IC",
        direction="higher",
        meaning="The same number as concept accuracy, under its older name.",
        source=SIMPSON,
        components=_from(ConceptCounts.accuracy),
    )
    yield common(
        name="concept_error_rate",
        title="Concept error rate",
        symbol="CER",
        direction="lower",
        meaning="Substituted, inserted and deleted concepts, divided by the expressed concepts: 1 - CA.",
        components=_from(lambda counts: counts.share("wrong")),
    )
    yield common(
        name="concept_recall",
        title="Concept recall",
        direction="higher",
        source="project addition to CA",
        meaning="Share of the expressed concepts that the system understood.",
        components=_from(lambda counts: counts.share("correct")),
    )


def _turn_rates() -> Iterator[Measure]:
    empty = f"{EMPTY} or `parse`: missing"
    for label, name, how, direction in PARSED:
        title = name.replace("_", " ").capitalize()
        common = partial(_concept, direction=direction, empty=empty, needs=(*NEEDS, ("layer:parse",)))
        meaning = f"of whose concepts the system understood {how}"
        yield common(
            name=name,
            title=title,
            symbol=f"PA:{label}",
            unit="turns",
            level="turn",
            analysis_unit="dialogue",
            meaning=f"User turns {meaning}.",
            components=_parsed(label, rate=False),
        )
        if label != "CO":
            yield common(
                name=f"{name}_rate",
                title=f"{title}, rate",
                symbol=f"PA:{label} rate",
                unit="ratio",
                level="turn",
                analysis_unit="turn",
                meaning=f"Share of the user turns {meaning}.",
                components=_parsed(label, rate=True),
            )
    yield _concept(
        name="understanding_accuracy",
        title="Understanding accuracy",
        symbol="UA",
        unit="ratio",
        level="turn",
        analysis_unit="turn",
        direction="higher",
        empty=empty,
        needs=(*NEEDS, ("layer:parse",)),
        meaning="Share of the user turns of whose concepts the system understood all. A turn without "
        "concepts counts as understood unless some were inserted.",
        components=_parsed("CO", rate=True),
    )
    yield _concept(
        name="implicit_recovery",
        title="Implicit recovery",
        symbol="IR",
        unit="ratio",
        level="turn",
        family="meta_communication",
        analysis_unit="turn",
        direction="higher",
        needs=(("layer:recovery",), ("layer:context",)),
        source=SOURCE.replace("speech-input", "meta-communication"),
        meaning="Share of partially understood user turns that the system answered appropriately.",
        empty="no turn understood in part, or neither layer `recovery` nor `context` is annotated: missing",
        components=_implicit_recovery,
    )


def _economy() -> Iterator[Measure]:
    common = partial(
        _concept,
        family="communication",
        unit="ratio",
        level="dialogue",
        analysis_unit="dialogue",
        direction="higher",
        source=GLASS,
    )
    yield common(
        name="query_density",
        title="Query density",
        symbol="QD",
        unit="concepts",
        meaning="Mean over dialogues of newly understood concepts per user turn.",
        empty=f"no user turn, or {EMPTY}: missing",
        components=_economy_of(lambda new, _, turns: query_density(new, turns)),
    )
    yield common(
        name="concept_efficiency",
        title="Concept efficiency",
        symbol="CE",
        meaning="Mean over dialogues of concepts understood over their mentions; a mention of what was "
        "understood before does not count. 1: each was understood at once.",
        empty=f"no concept was mentioned, or {EMPTY}: missing",
        components=_economy_of(lambda new, mentions, _: concept_efficiency(new, mentions)),
    )


FAMILY: Final[tuple[Measure, ...]] = (*_numbers(), *_concept_rates(), *_turn_rates(), *_economy())
