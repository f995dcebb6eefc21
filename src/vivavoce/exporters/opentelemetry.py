"""Export as OpenTelemetry spans of generative AI: a trace a dialogue, a span each answer and call of a tool.

Source  OpenTelemetry, semantic conventions for generative AI; OTLP in JSON (read November 2026)
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from vivavoce.core.statement import LocalizedText, statement
from vivavoce.dataset.reader import Dataset
from vivavoce.exporters.base import Exporter, ExportResult, begun_s, rows_by_dialogue

TAKEN: Final = frozenset({"dialogues", "turns", "tool_calls", "usage"})
_INTERNAL, _CLIENT, _ERROR = 1, 3, 2
_TOKENS: Final = {
    "input_tokens": "gen_ai.usage.input_tokens",
    "cached_tokens": "gen_ai.usage.cache_read.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
    "reasoning_tokens": "gen_ai.usage.reasoning.output_tokens",
}
_STEP_S: Final = 1e-6
_FACTS: Final = ("study", "condition", "task_id", "language", "channel", "end_reason", "reward", "simulated")
Row = dict[str, Any]
Span = dict[str, Any]


def write_opentelemetry(dataset: Dataset, into: Path) -> ExportResult:
    """A line a dialogue, as collectors write traces into files."""
    parts = {name: rows_by_dialogue(dataset, name) for name in ("turns", "tool_calls", "usage")}
    untimed = undated = 0
    with (into / "spans.jsonl").open("w", encoding="utf-8") as file:
        for row in dataset.read("dialogues").to_pylist():
            trace = _Trace(row, *(parts[name].get(row["dialogue_id"], []) for name in parts))
            spans = list(trace.spans())
            undated += row["started_at"] is None
            untimed += trace.untimed
            file.write(json.dumps(_resource(row, spans), ensure_ascii=False) + "\n")
    return ExportResult(TAKEN, tuple(_lost(untimed, undated)))


def _lost(untimed: int, undated: int) -> Iterator[LocalizedText]:
    yield statement("Of turns it holds words, when a user's turn was sent, and when the answer was whole.")
    if untimed:
        yield statement("{n} times are a microsecond after what came before: nobody noted them.", n=untimed)
    if undated:
        yield statement("{n} dialogues begin in 1970: nobody noted when they did.", n=undated)


class _Trace:
    """One dialogue as spans below one that is the whole."""

    def __init__(self, dialogue: Row, turns: list[Row], tools: list[Row], usage: list[Row]) -> None:
        self._row, self._turns, self._tools, self._usage = dialogue, turns, tools, usage
        started_at = dialogue["started_at"]
        self._begun_ns = (
            0 if started_at is None else int(started_at.timestamp()) * 10**9 + started_at.microsecond * 1000
        )
        self.untimed, self._last_s = 0, 0.0
        self._trace = _number(dialogue["dialogue_id"], 32)

    def spans(self) -> Iterator[Span]:
        """The dialogue, then what the system did in it, in order."""
        inside = list(self._inside())
        ends = [int(span["endTimeUnixNano"]) for span in inside]
        attributes = {"gen_ai.operation.name": "invoke_agent", **self._named()}
        attributes |= {f"vivavoce.{name}": self._row[name] for name in _FACTS}
        root = self._span("dialogue", f"invoke_agent {self._row['system']}", attributes, 0.0, 0.0, _INTERNAL)
        yield {**root, "endTimeUnixNano": str(max([self._begun_ns, *ends])), "parentSpanId": ""}
        yield from inside

    def _inside(self) -> Iterator[Span]:
        rows: list[Row] = []
        asked_s: float | None = None
        for turn in self._turns:
            start_s = begun_s(turn)
            if turn["party"] == "user":
                rows.append(_message("user", turn["text"]))
                asked_s = self._at(start_s) if asked_s is None else asked_s
                continue
            done = self._at(turn["complete_s"] if turn["complete_s"] is not None else start_s)
            tools = [tool for tool in self._tools if tool["turn_index"] == turn["turn_index"]]
            if asked_s is None:  # it spoke unasked
                times = [start_s, *(tool["started_s"] for tool in tools)]
                asked_s = min([done, *(time_s for time_s in times if time_s is not None)])
            yield self._chat(turn, rows, asked_s, done)
            yield from map(self._tool, tools)
            rows.append(_message("assistant", turn["text"]))
            asked_s = None
        if asked_s is not None:  # it went unanswered
            yield self._chat(None, rows, asked_s, asked_s)
        yield from (self._tool(tool) for tool in self._tools if tool["turn_index"] is None)
        yield from self._more_usage()

    def _chat(self, turn: Row | None, messages: list[Row], begun_s: float, done_s: float) -> Span:
        attributes: Row = {
            "gen_ai.operation.name": "chat",
            **self._named(),
            "gen_ai.input.messages": _json(messages),
        }
        key = "unanswered"
        if turn is not None:
            key = f"turn {turn['turn_index']}"
            answer = {**_message("assistant", turn["text"]), "finish_reason": "stop"}
            attributes |= {
                "gen_ai.output.messages": _json([answer]),
                **_used(self._first_usage(turn["turn_index"])),
            }
        return self._span(key, f"chat {self._row['system']}", attributes, begun_s, done_s, _CLIENT)

    def _first_usage(self, turn: int) -> Row:
        return next((usage for usage in self._usage if usage["turn_index"] == turn), {})

    def _more_usage(self) -> Iterator[Span]:
        """Calls of models of which nothing was said in the dialogue: further ones of a turn, or of none."""
        turns = {turn["turn_index"]: turn for turn in self._turns}
        seen: set[int] = set()
        for usage in self._usage:
            turn = usage["turn_index"]
            if turn in turns and turn not in seen:
                seen.add(turn)
                continue
            attributes = {"gen_ai.operation.name": "chat", **self._named(), **_used(usage)}
            at = turns[turn]["complete_s"] if turn in turns else None
            at = self._last_s if at is None else at
            yield self._span(
                f"usage {usage['usage_index']}", f"chat {usage['model']}", attributes, at, at, _CLIENT
            )

    def _tool(self, call: Row) -> Span:
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            **self._named(),
            "gen_ai.tool.name": call["name"],
            "gen_ai.tool.call.arguments": call["arguments"],
            "gen_ai.tool.call.result": call["result"],
            "error.type": (call["error"] or "_OTHER") if call["failed"] else None,
        }
        start = self._at(call["started_s"])
        done = start + (call["duration_s"] or 0.0)
        span = self._span(
            f"tool {call['call_index']}", f"execute_tool {call['name']}", attributes, start, done, _INTERNAL
        )
        return span | ({"status": {"code": _ERROR}} if call["failed"] else {})

    def _at(self, second: float | None) -> float:
        """A time, or just after what came before where nobody noted it: by times readers know the order."""
        self.untimed += second is None
        self._last_s = self._last_s + _STEP_S if second is None else second
        return self._last_s

    def _named(self) -> Row:
        row = self._row
        ids = {"gen_ai.conversation.id": row["dialogue_id"], "gen_ai.agent.name": row["system"]}
        return {**ids, "user.id": row["participant_id"], "gen_ai.provider.name": "vivavoce"}

    def _span(self, key: str, name: str, attributes: Row, begun_s: float, done_s: float, kind: int) -> Span:
        return {
            "traceId": self._trace,
            "spanId": _number(f"{self._row['dialogue_id']} {key}", 16),
            "parentSpanId": _number(f"{self._row['dialogue_id']} dialogue", 16),
            "name": name,
            "kind": kind,
            "startTimeUnixNano": str(self._begun_ns + round(begun_s * 1e9)),
            "endTimeUnixNano": str(self._begun_ns + round(max(begun_s, done_s) * 1e9)),
            "attributes": [_attribute(key, value) for key, value in attributes.items() if value is not None],
            "status": {},
        }


def _used(usage: Row) -> Row:
    tokens = {name: usage.get(column) for column, name in _TOKENS.items()}
    return {**tokens, "gen_ai.response.model": usage.get("model")}


def _message(role: str, text: str | None) -> Row:
    return {"role": role, "parts": [{"type": "text", "content": text or ""}]}


def _json(messages: list[Row]) -> str:
    return json.dumps(messages, ensure_ascii=False)


def _attribute(key: str, value: Any) -> Row:
    kinds = {bool: "boolValue", int: "intValue", float: "doubleValue"}
    kind = kinds.get(type(value), "stringValue")
    return {"key": key, "value": {kind: str(value) if kind in ("intValue", "stringValue") else value}}


def _number(key: str, digits: int) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:digits]


def _resource(dialogue: Row, spans: list[Span]) -> Row:
    about = {"attributes": [_attribute("service.name", dialogue["system"])]}
    return {
        "resourceSpans": [
            {"resource": about, "scopeSpans": [{"scope": {"name": "vivavoce"}, "spans": spans}]}
        ]
    }


OPENTELEMETRY: Final = Exporter(
    name="otel",
    title="OpenTelemetry spans of generative AI",
    layout="spans.jsonl, OTLP as JSON, one trace of gen_ai spans a line",
    write=write_opentelemetry,
)
