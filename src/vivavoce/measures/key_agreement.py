"""PARADISE's kappa: how far the values that a dialogue exchanged agree with those of its task.

The cells of all dialogues go into one confusion matrix with the values of the task's key as columns. What
agreement chance would give, P(E), comes from the columns alone, that is, from the keys; Cohen's kappa would
use the rows too, and give another number.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from vivavoce.core.text import normalise_value
from vivavoce.dataset.vocabulary import DONTCARE, TYPE
from vivavoce.measures.base import Measure, Pairs, Tables, field_of, memoized
from vivavoce.measures.counting import labels
from vivavoce.measures.success import counting_goals

SOURCE: Final = (
    "Walker, M., Litman, D., Kamm, C., Abella, A. (1997). PARADISE: a framework for evaluating spoken "
    "dialogue agents. ACL"
)
EMPTY: Final = (
    "no constraint was assigned, or neither layer `avm` is annotated nor does the system log what it "
    "understands: missing"
)
NONE: Final = "<none>"
AttributeValue = tuple[str, str]


@dataclass(slots=True)
class KeyAgreement:
    """Cells of one dialogue: how many, and how many of them agree."""

    cells: int = 0
    agreeing: int = 0


def chance_agreement(key: Mapping[AttributeValue, int]) -> float:
    """P(E): sum of the squared shares of the key's columns; `key` counts the cells of each column."""
    total = sum(key.values())
    return sum((count / total) ** 2 for count in key.values()) if total else 0.0


def kappa_components(cells: float, agreeing: float, chance: float) -> tuple[float, float]:
    """Numerator and denominator whose sums over dialogues divide to (P(A) - P(E)) / (1 - P(E)).

    Output  the denominator counts cells, so that it is the n of what is reported
    Empty   P(E) of 1, where every key is the same: denominator 0
    """
    return ((agreeing - chance * cells) / (1 - chance), cells) if chance < 1 else (0.0, 0.0)


@dataclass(slots=True)
class _Matrix:
    by_dialogue: dict[str, KeyAgreement] = field(default_factory=lambda: defaultdict(KeyAgreement))
    key: Counter[AttributeValue] = field(default_factory=Counter)


def _matrix(tables: Tables) -> _Matrix:
    """Every constrained slot of every assigned goal beside the value exchanged for it."""

    def make() -> _Matrix:
        matrix = _Matrix()
        exchanged = _exchanged(tables)
        for dialogue_id, slot, value in _keys(tables):
            if dialogue_id not in exchanged:
                continue
            row_matrix = matrix.by_dialogue[dialogue_id]
            row_matrix.cells += 1
            row_matrix.agreeing += exchanged[dialogue_id].get(slot, NONE) == value
            matrix.key[slot, value] += 1
        return matrix

    return tables.remember(_matrix, make)


def _keys(tables: Tables) -> Iterator[tuple[str, str, str]]:
    """Dialogue, slot and value of the assigned goal; a slot that does not matter is no cell.

    Of a task with alternatives the goal that counts for objective success, where that can be scored.
    """
    counting = counting_goals(tables)
    for dialogue_id, goal in counting.items():
        for slot, value in goal.constraints.items():
            if slot != TYPE and value != DONTCARE:
                yield dialogue_id, slot, normalise_value(value)
    row_filter = (field_of("origin") == "assigned") & (field_of("kind") == "constraint")
    rows = tables.read("goals").filter(row_filter & (field_of("goal_index") == 0))
    columns = rows.select(["dialogue_id", "slot", "value"]).to_pydict().values()
    for dialogue_id, slot, value in zip(*columns, strict=True):
        if dialogue_id not in counting and value not in (None, DONTCARE):
            yield dialogue_id, slot, normalise_value(value)


def _exchanged(tables: Tables) -> Mapping[str, Mapping[str, str]]:
    """Slot and value that each dialogue arrived at: the experts', else what was understood last."""
    row_filter = (field_of("layer") == "understood") & (field_of("rank") == 0)
    order = [("dialogue_id", "ascending"), ("turn_index", "ascending"), ("position", "ascending")]
    facts = ["act", "slot", "op", "value"]
    columns = ["dialogue_id", "turn_index", "position", "layer", "rank", *facts]
    rows = tables.read("acts").select(columns).filter(row_filter).sort_by(order)
    slot_values: dict[str, dict[str, str]] = defaultdict(dict)
    slot_pairs = memoized(rows, facts, _told)
    for dialogue_id, pair in zip(rows["dialogue_id"].to_pylist(), slot_pairs, strict=True):
        values = slot_values[dialogue_id]
        if pair is not None:
            values[pair[0]] = pair[1]
    judged = labels(tables).of("avm").items()
    return slot_values | {
        key: {avp.label: normalise_value(avp.value) for avp in avp_labels if avp.value}
        for key, avp_labels in judged
    }


def _told(act: str, slot: str | None, op: str | None, value: str | None) -> AttributeValue | None:
    if act == "inform" and slot and value is not None and op != "!=":
        return slot, normalise_value(value)
    return None


def _kappa(tables: Tables) -> Pairs:
    matrix = _matrix(tables)
    chance = chance_agreement(tables.overall(_key, _key_of_all))
    return {
        key: kappa_components(counts.cells, counts.agreeing, chance)
        for key, counts in matrix.by_dialogue.items()
    }


def _key(tables: Tables) -> Counter[AttributeValue]:
    return _matrix(tables).key


def _key_of_all(parts: Sequence[Counter[AttributeValue]]) -> Counter[AttributeValue]:
    total: Counter[AttributeValue] = Counter()
    for part in parts:
        total.update(part)
    return total


def _agreement(tables: Tables) -> Pairs:
    return {key: (counts.agreeing, counts.cells) for key, counts in _matrix(tables).by_dialogue.items()}


def _measures() -> Iterable[Measure]:
    common = partial(
        Measure,
        family="task_success",
        origin="instrumental",
        source=SOURCE,
        level="dialogue",
        direction="higher",
        analysis_unit="attribute",
        empty=EMPTY,
        needs=(("tasks", "understood"), ("tasks", "layer:avm")),
        parameters={"key": "assigned constraints", "exchanged": "layer avm, else understood last"},
    )
    yield common(
        name="attribute_agreement",
        title="Agreement with the task's key",
        symbol="P(A)",
        unit="ratio",
        meaning="Share of the assigned constraints with the correct value at the end of the dialogue.",
        components=_agreement,
    )
    yield common(
        name="attribute_kappa",
        title="PARADISE kappa",
        symbol="kappa",
        unit="points",
        meaning="The same agreement beyond chance: (P(A) - P(E)) / (1 - P(E)), with P(E) from the keys of "
        "the whole dataset alone. Tasks of different difficulty may be compared by it.",
        components=_kappa,
    )


FAMILY: Final[tuple[Measure, ...]] = tuple(_measures())
