"""Calls of models and tools that a trace holds, put together to a dialogue.

Each call of a model is given what was said before, again and again; what it is given newly was said since.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from vivavoce.core.i18n import N_
from vivavoce.core.validation import shown_value
from vivavoce.importers.items import ForeignDialogue, ItemRows, as_text
from vivavoce.importers.openai_messages import add_messages

NOTES: Final = (
    "Times come from model calls: start of the call for user messages, end of the call for answers.",
    "Repeated model input is recognised and removed; summaries of it count as new.",
    "Model calls within tool calls count as usage; their messages are left out.",
    "The log does not contain the language or the kind of users; human users are assumed.",
)
INNER: Final = N_("{n} messages within tool calls were left out.")


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of a model: when, what it was given and made, as messages of the API.

    inner  within a call of a tool: nobody but the tool sees what is said
    """

    started: float
    ended: float | None
    given: list[Any]
    made: list[Any]
    inner: bool = False
    model: str | None = None
    tokens: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolSpan:
    """One call of a tool, as whoever called it saw it."""

    started: float
    ended: float | None
    name: str
    failed: bool | None
    key: str | None = None
    arguments: Any = None
    result: Any = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """All that is known of one conversation."""

    key: str
    study: str
    system: str
    calls: list[ModelCall]
    tools: list[ToolSpan]
    user: str | None = None
    reward: float | None = None


def read_trace(rows: ItemRows, trace: Trace) -> None:
    """The rows of a conversation.

    Raises  ValueError: nothing of what was said is in it
    """
    if not any(call.given or call.made for call in trace.calls if not call.inner):
        raise ValueError("no messages: the log does not contain the text")
    everything = sorted([*trace.calls, *trace.tools], key=lambda call: call.started)
    start = everything[0].started
    ends = [call.ended for call in everything if call.ended is not None]
    dialogue = ForeignDialogue(
        rows,
        trace.key,
        study=trace.study,
        system=trace.system,
        participant_id=trace.user,
        started_at=datetime.fromtimestamp(start, UTC),
        tools_logged=True,
        reward=trace.reward,
        ended_at=datetime.fromtimestamp(max(ends), UTC) if ends else None,
    )
    messages: list[str] = []
    for event in everything:
        if isinstance(event, ModelCall):
            _add_call(rows, dialogue, event, messages, start)
        else:
            _add_tool(dialogue, event, start)
    dialogue.end()


def _add_call(
    rows: ItemRows, dialogue: ForeignDialogue, call: ModelCall, messages: list[str], start: float
) -> None:
    if call.inner:
        rows.lose(INNER, len(call.given) + len(call.made))
    else:
        news = call.given[_overlap(messages, [*map(_mark, call.given)]) :]
        _say(rows, dialogue, news, sent_s=call.started - start)
        ended_s = None if call.ended is None else call.ended - start
        _say(rows, dialogue, call.made, complete_s=ended_s)
        messages += map(_mark, [*news, *call.made])
    last = dialogue.last
    turn = last["turn_index"] if last is not None and last["party"] == "system" and not call.inner else None
    tokens = {name: _count(name, value) for name, value in call.tokens.items()}
    dialogue.use(call.model, turn, **tokens)


def _say(rows: ItemRows, dialogue: ForeignDialogue, messages: list[Any], **times: float | None) -> None:
    before = len(dialogue.turns)
    add_messages(rows, dialogue, messages)
    of = "user" if "sent_s" in times else "system"
    for turn in dialogue.turns[max(before - 1, 0) :]:
        if turn["party"] == of and (turn is dialogue.last or "sent_s" in times):
            turn |= {name: time for name, time in times.items() if time is not None}


def _overlap(earlier: Sequence[str], messages: Sequence[str]) -> int:
    """Number of first messages that repeat the last known ones."""
    most = min(len(earlier), len(messages))
    return next((n for n in range(most, 0, -1) if list(earlier[-n:]) == list(messages[:n])), 0)


def _mark(message: Any) -> str:
    """A message as the same text wherever it is said again: who, words, calls, results."""
    fields = message if isinstance(message, dict) else {"role": None, "content": message}
    calls = [
        (tool_call.get("id"), (tool_call.get("function") or tool_call).get("name"))
        for tool_call in fields.get("tool_calls") or []
        if isinstance(tool_call, dict) and isinstance(tool_call.get("function") or tool_call, dict)
    ]
    content = fields.get("content")
    parts = content if isinstance(content, list) else [content]
    words = [part.get("text") if isinstance(part, dict) else part for part in parts]
    texts = [word for word in words if word]
    return json.dumps([fields.get("role"), texts, calls, fields.get("tool_call_id")], default=str)


def _count(name: str, value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        raise ValueError(f"{name} is {shown_value(value)}, not a number of tokens")
    return int(value)


def _add_tool(dialogue: ForeignDialogue, tool: ToolSpan, start: float) -> None:
    """Add a tool call from its own record; messages of the model may contain it, too."""
    row = dialogue.call(tool.key)
    if row is None:
        dialogue.call_tool(tool.key, tool.name, tool.arguments)
        row = dialogue.latest_call
    row |= {
        "started_s": tool.started - start,
        "failed": tool.failed,
        "error": tool.error if tool.failed else None,
        "duration_s": None if tool.ended is None else tool.ended - tool.started,
    }
    if tool.result is not None and not tool.failed:
        row["result"] = as_text(tool.result)
