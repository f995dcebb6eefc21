"""Understanding: concepts and turns understood, and how economically they came across."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from vivavoce.core.extras import later
from vivavoce.measures.base import Direction, Measure, Pair, Pairs, Tables
from vivavoce.measures.columns import Floats, Places, places_of, sum_rows
from vivavoce.measures.concepts import concepts, new_and_mentioned
from vivavoce.measures.counting import labels, turns_of

if TYPE_CHECKING:
    import numpy as np
else:
    np = later("numpy")

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
        meaning="1 less substituted, inserted and deleted concepts over those expressed; it may be negative.",
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
        meaning="Substituted, inserted and deleted concepts over those expressed: 1 - CA.",
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
        meaning="Share of the user turns understood in part that the system answered appropriately.",
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
        meaning="Mean over dialogues of the concepts newly understood per user turn.",
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
