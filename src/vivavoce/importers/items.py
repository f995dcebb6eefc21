"""Items of a foreign log, one by one: what each becomes in the tables of the dataset."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

import pyarrow as pa

from vivavoce.core.errors import UnknownName
from vivavoce.core.validation import shown_value
from vivavoce.dataset.columns import FACTOR_PREFIX, LABEL
from vivavoce.dataset.schema import TABLES
from vivavoce.importers.log_files import LogRecord
from vivavoce.study.channel import TEXT

Row = dict[str, Any]
UNKNOWN_LANGUAGE: Final = "und"
FIRST: Final = ("onset_s", "first_output_s")
LAST: Final = ("offset_s", "sent_s", "complete_s")


@dataclass(slots=True)
class ItemRows:
    """Rows of one item by table, and the number of losses by a sentence with `{n}`."""

    tables: dict[str, list[Row]] = field(default_factory=dict)
    lost: Counter[str] = field(default_factory=Counter)

    def add(self, table: str, **row: Any) -> None:
        self.tables.setdefault(table, []).append(row)

    def lose(self, told: str, many: int = 1) -> None:
        """Note that something has no place in the dataset, such as `{n} pictures were left out.`"""
        if many:
            self.lost[told] += many


@dataclass(frozen=True, slots=True)
class LogItem:
    """One dialogue, or other unit, of a log.

    read     adds its rows; raises what it likes where the item is broken
    problem  why it cannot be read at all
    """

    place: str
    read: Callable[[ItemRows], None] = lambda _: None
    problem: str | None = None

    @classmethod
    def of(cls, record: LogRecord, read: Callable[[ItemRows, LogRecord], None]) -> Self:
        return cls(record.place, lambda rows: read(rows, record), record.problem)


class ForeignDialogue:
    """One dialogue of a log, turn by turn. Messages of one party in a row are one turn.

    Empty  what the log does not say is null; a language that it does not tell is `und`
    """

    def __init__(
        self,
        rows: ItemRows,
        dialogue_id: str,
        *,
        study: str,
        system: str,
        simulated: bool = False,
        language: str | None = None,
        channel: str = TEXT,
        spoken: bool | None = None,
        condition: str | None = None,
        **facts: Any,
    ) -> None:
        self._rows, self.key = rows, dialogue_id
        self._spoken = spoken is not False and channel != TEXT
        self.row: Row = {
            "dialogue_id": dialogue_id,
            "study": study,
            "system": system,
            "condition": condition or system,
            "simulated": simulated,
            "language": language or UNKNOWN_LANGUAGE,
            "channel": channel,
            "spoken": spoken,
            **facts,
        }
        self.turns: list[Row] = rows.tables.setdefault("turns", [])
        self._first = len(self.turns)
        self._calls: dict[str, Row] = {}
        self._counts: Counter[str] = Counter()
        rows.tables.setdefault("dialogues", []).append(self.row)

    @property
    def own(self) -> list[Row]:
        """The turns of this dialogue."""
        return self.turns[self._first :]

    @property
    def latest_call(self) -> Row:
        """The call of a tool that came last."""
        return self._rows.tables["tool_calls"][-1]

    @property
    def last(self) -> Row | None:
        """The turn that goes on."""
        return self.turns[-1] if len(self.turns) > self._first else None

    def say(self, party: str, text: str | None, **facts: Any) -> int:
        """One message, as a turn or the end of one; the turn's index. Times are seconds of the dialogue."""
        if text is not None and not isinstance(text, str):
            raise TypeError(f"the message of the {party} is {shown_value(text)}, not text")
        turn = self.turn(party)
        if text is not None:
            turn["text"] = text if turn["text"] is None else f"{turn['text']}\n{text}"
            if not self._spoken:
                turn["reference"] = turn["text"]
        for name, value in facts.items():
            if value is not None and not (name in FIRST and turn.get(name) is not None):
                turn[name] = value
        return turn["turn_index"]

    def turn(self, party: str) -> Row:
        """The turn of this party that goes on, or a new one without words."""
        index, last = len(self.turns) - self._first, self.last
        if last is None or last["party"] != party:
            last = {"dialogue_id": self.key, "turn_index": index, "party": party, "text": None}
            self.turns.append(last)
        return last

    def act(self, turn: int, layer: str, source: str, acts: list[Row], **facts: Any) -> None:
        """Act items of a turn: `act`, and where there are any `slot`, `op`, `value`."""
        for position, act in enumerate(acts):
            place = {"dialogue_id": self.key, "turn_index": turn, "layer": layer, "source": source}
            self._rows.add("acts", **place, **{"rank": 0, "position": position, **facts, **act})

    def goal(self, kind: str, slot: str | None = None, value: str | None = None, index: int = 0) -> None:
        self._rows.add(
            "goals",
            dialogue_id=self.key,
            goal_index=index,
            origin="assigned",
            kind=kind,
            slot=slot,
            op="=" if value is not None else None,
            value=value,
        )

    def call_tool(self, call_id: str | None, name: str, arguments: Any, **facts: Any) -> None:
        """A call of a tool in the system's turn; `call_id` is what its result names."""
        if not isinstance(name, str):
            raise TypeError(f"the name of a tool is {shown_value(name)}, not text")
        row = {
            "dialogue_id": self.key,
            "turn_index": self.turn("system")["turn_index"],
            "name": name,
            "call_index": self._next("tool_calls"),
            "arguments": as_text(arguments),
            **facts,
        }
        self._rows.tables.setdefault("tool_calls", []).append(row)
        if call_id is not None:
            self._calls[call_id] = row

    def end_tool(self, call_id: str | None, result: str | None, *, failed: bool | None = None) -> bool:
        """End a call with its result; False without such a call."""
        row = self.call(call_id)
        if row is not None:
            row |= {"failed": row.get("failed") if failed is None else failed}
            row["error" if row["failed"] else "result"] = result
        return row is not None

    def call(self, call_id: str | None) -> Row | None:
        """The latest call of this key."""
        return self._calls.get(call_id) if call_id is not None else None

    def use(self, model: str | None, turn: int | None, **tokens: int | None) -> None:
        """Record the usage of a model call."""
        if any(token is not None for token in tokens.values()):
            index = {"usage_index": self._next("usage"), "turn_index": turn, "model": model}
            self._rows.add("usage", dialogue_id=self.key, **index, **tokens)

    def rate(
        self, instrument: str, item: str, value: float | None, answer: str | None = None, **more: Any
    ) -> None:
        self._rows.add(
            "ratings",
            dialogue_id=self.key,
            participant_id=self.row.get("participant_id"),
            wording="corpus",
            instrument=instrument,
            item_id=item,
            value=value,
            answer=answer,
            **more,
        )

    def end(self) -> None:
        """The dialogue is whole: it has turns, and lasted from its first time to its last."""
        turns = self.own
        if not turns:
            raise ValueError(f"dialogue {self.key} has no turns")
        times = [turn[name] for turn in turns for name in (*FIRST, *LAST) if turn.get(name) is not None]
        if times:
            self.row.setdefault("duration_s", max(times) - min(times))

    def _next(self, what: str) -> int:
        self._counts[what] += 1
        return self._counts[what] - 1


def as_text(value: Any) -> str | None:
    """A value as the dataset keeps it: text as it is, else JSON; null stays null."""
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def need(holder: Any, key: str, kind: type | tuple[type, ...], *, word: str = "") -> Any:
    """Value of a key. Raises ValueError: it is missing, or of another kind"""
    if not isinstance(holder, Mapping):
        raise ValueError(f"expected {key!r}, not {shown_value(holder)}")
    value = holder.get(key)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        expected = word or getattr(kind, "__name__", "a value")
        raise ValueError(f"{key!r} is {shown_value(value)}, not a {_WORDS.get(expected, expected)}")
    return value


def maybe(holder: Any, key: str, kind: type | tuple[type, ...]) -> Any:
    """Value of a key, or None. Raises ValueError: it is of another kind"""
    return None if isinstance(holder, Mapping) and holder.get(key) is None else need(holder, key, kind)


_WORDS: Final = {"str": "text", "dict": "group of keys", "list": "list", "int": "whole number"}


def check_rows(name: str, rows: list[Row]) -> None:
    """Raise what `columns_of` raises where a row does not fit the table."""
    columns_of(name, rows)


def columns_of(name: str, rows: list[Row]) -> pa.Table:
    """Rows as the columns that they fill, in the order of the table's; columns of factors come last.

    Raises  UnknownName: a column that the table does not have
            ValueError, TypeError, OverflowError: a cell of another type, or null where the table has a value
    """
    keys, cells = {key for row in rows for key in row}, dict[str, pa.Array]()
    for column in TABLES[name].columns:
        if column.name in keys:
            keys.discard(column.name)
            cells[column.name] = _cells(rows, column.name, column.type)
        if column.required and rows and (column.name not in cells or cells[column.name].null_count):
            raise ValueError(f"{name}.{column.name} is null")
    for factor in sorted(key for key in keys if key.startswith(FACTOR_PREFIX)):
        keys.discard(factor)
        cells[factor] = _cells(rows, factor, LABEL.type)
    if keys:
        columns = sorted(column.name for column in TABLES[name].columns)
        raise UnknownName("column", min(keys), columns, place=f"table {name}")
    return pa.table(cells)


def _cells(rows: list[Row], name: str, kind: pa.DataType) -> pa.Array:
    return pa.array([row.get(name) for row in rows], kind)
