"""Import of OpenTelemetry spans of generative AI (`gen_ai.*`): calls of models and tools, as dialogues.

Source  OpenTelemetry, semantic conventions for generative AI; OTLP in JSON (read November 2026)
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from vivavoce.core.i18n import N_
from vivavoce.core.validation import shown_value
from vivavoce.importers.base import Importer
from vivavoce.importers.fields import Fields, replaced
from vivavoce.importers.items import LogItem, as_text, maybe, need
from vivavoce.importers.log_files import REPEATED, LogFiles, read_json
from vivavoce.importers.model_calls import NOTES, ModelCall, ToolSpan, Trace, read_trace

ROLES: Final = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    "gen_ai.choice": "assistant",
}


def plain(value: Any) -> Any:
    """A value of OTLP as JSON has it.

    Raises  ValueError: it is of no kind that there is
    """
    if not isinstance(value, Mapping):
        return value
    if "arrayValue" in value:
        return [plain(entry) for entry in maybe(value["arrayValue"], "values", list) or []]
    if "kvlistValue" in value:
        listed = maybe(value["kvlistValue"], "values", list) or []
        return {need(entry, "key", str): plain(entry.get("value")) for entry in listed}
    if "intValue" in value:
        return int(value["intValue"])
    kinds = ("stringValue", "doubleValue", "boolValue", "bytesValue")
    return next((value[kind] for kind in kinds if kind in value), None)


def messages_of(content: Any) -> list[Any]:
    """Messages of an attribute, which is JSON as text or the list itself.

    Raises  ValueError: it is neither
    """
    if content is None:
        return []
    messages, problem = read_json(content) if isinstance(content, str) else (content, None)
    if problem is not None or not isinstance(messages, list):
        raise ValueError(f"messages are {shown_value(content)}, not a JSON list")
    return [converted for message in messages for converted in _message(message)]


def _message(message: Any) -> list[dict[str, Any]]:
    """A message with parts, as one of the API, and one for each result of a tool in it."""
    role, parts = need(message, "role", str), maybe(message, "parts", list)
    if parts is None:
        return [dict(message)]
    content: list[dict[str, Any]] = []
    calls: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    for part in parts:
        match need(part, "type", str):
            case "text":
                content.append({"type": "text", "text": need(part, "content", str)})
            case "tool_call":
                calls.append({key: part.get(key) for key in ("id", "name", "arguments")})
            case "tool_call_response":
                response = part.get("response", part.get("result"))
                results.append({"role": "tool", "tool_call_id": part.get("id"), "content": as_text(response)})
            case other:
                content.append({"type": other})
    if not content and not calls:
        return results
    return [{"role": role, "content": content, "tool_calls": calls}, *results]


def event_message(name: str, attributes: Mapping[str, Any], body: Any) -> dict[str, Any]:
    """A message that is an event of its own, with its parts as attributes or in its body."""
    fields: dict[str, Any] = {**attributes, **(body if isinstance(body, Mapping) else {})}
    if isinstance(inside := fields.get("gen_ai.event.content"), str):
        read, _ = read_json(inside)
        fields |= read if isinstance(read, Mapping) else {}
    if isinstance(inside := fields.get("message"), str):
        read, _ = read_json(inside)
        fields["message"] = read if isinstance(read, Mapping) else {"content": inside}
    if isinstance(fields.get("message"), Mapping):
        fields |= fields["message"]
    calls = fields.get("tool_calls")
    if isinstance(calls, str):
        calls, problem = read_json(calls)
        if problem is not None:
            raise ValueError(f"'tool_calls' is {problem}")
    content = fields.get("content")
    key = fields.get("id") or fields.get("tool_call_id")
    return {
        "role": ROLES[name],
        "tool_calls": calls,
        "tool_call_id": key,
        "content": content if isinstance(content, str | list) or content is None else json.dumps(content),
    }


CHATS: Final = ("chat", "text_completion", "generate_content")
AGENTS: Final = ("invoke_agent", "create_agent")
OTHER_SPANS: Final = N_("{n} spans other than model or tool calls were left out.")
MESSAGE_EVENTS: Final = (
    "gen_ai.system.message",
    "gen_ai.user.message",
    "gen_ai.assistant.message",
    "gen_ai.tool.message",
    "gen_ai.choice",
)
Span = dict[str, Any]


def read_opentelemetry(files: LogFiles) -> Iterator[LogItem]:
    """One dialogue a conversation, else a trace."""
    spans: list[tuple[str, Span]] = []
    logs: dict[str, list[Span]] = defaultdict(list)
    for record in files.records():
        problem = record.problem
        if problem is None:
            try:
                for span in list(_spans(record.content)):
                    key = span.get("spanId")
                    name = f"span {key!r} of trace {span['traceId']!r}"
                    if key is None or not files.is_repeat(record.place, name, span):
                        spans.append((record.place, span))
                for log in _logs(record.content):
                    of_span = logs[str(log["spanId"])]
                    if log["at"] and log in of_span:
                        files.counts[REPEATED] += 1
                    else:
                        of_span.append(log)
            except (ValueError, TypeError, AttributeError, RecursionError) as error:
                problem = f"no OTLP spans: {error}"
        if problem is not None:
            yield LogItem(record.place, problem=problem)
    for key, place, thread_spans in _conversations(spans):
        yield LogItem(place, partial(_dialogue, key=key, spans=thread_spans, logs=logs))


def _spans(content: Any) -> Iterator[Span]:
    is_export = isinstance(content, Mapping) and ("resourceSpans" in content or "resourceLogs" in content)
    for resource in (maybe(content, "resourceSpans", list) or []) if is_export else [{"spans": [content]}]:
        attributes = Fields(_attributes(maybe(resource, "resource", dict) or {}))
        for scope in maybe(resource, "scopeSpans", list) or [resource]:
            for span in maybe(scope, "spans", list) or []:
                need(span, "traceId", str)
                started = _nanoseconds(span, "startTimeUnixNano")
                more = {"attributes": Fields(_attributes(span)), "resource": attributes, "started": started}
                yield replaced(span, {**dict(dict.items(span)), **more})


def _logs(content: Any) -> Iterator[Span]:
    """Messages that stand in log records of their own."""
    for resource in maybe(content, "resourceLogs", list) or []:
        for scope in maybe(resource, "scopeLogs", list) or []:
            for log in maybe(scope, "logRecords", list) or []:
                attributes = _attributes(log)
                name = log.get("eventName") or attributes.get("event.name")
                yield {
                    "spanId": log.get("spanId"),
                    "name": name,
                    "at": log.get("timeUnixNano"),
                    "told": attributes,
                    "body": plain(log.get("body")),
                }


def _attributes(holder: Any) -> dict[str, Any]:
    listed = maybe(holder, "attributes", list) or []
    return {need(entry, "key", str): plain(entry.get("value")) for entry in listed}


def _nanoseconds(holder: Any, key: str) -> int:
    number = need(holder, key, (str, int), word="time in nanoseconds")
    return int(number)


def _conversations(spans: Iterable[tuple[str, Span]]) -> Iterator[tuple[str, str, list[Span]]]:
    """Spans by conversation: all of a trace belong to that which one of them names."""
    traces: dict[str, list[tuple[str, Span]]] = defaultdict(list)
    for place, span in spans:
        traces[span["traceId"]].append((place, span))
    by_conversation: dict[str, list[tuple[str, Span]]] = defaultdict(list)
    for trace, placed_spans in traces.items():
        names = (span["attributes"].get("gen_ai.conversation.id") for _, span in placed_spans)
        by_conversation[next((str(name) for name in names if name), trace)] += placed_spans
    for key, placed_spans in by_conversation.items():
        yield key, placed_spans[0][0], [span for _, span in placed_spans]


def _dialogue(rows: Any, *, key: str, spans: list[Span], logs: Mapping[str, list[Span]]) -> None:
    by_id = {span.get("spanId"): span for span in spans}
    calls: list[ModelCall] = []
    tools: list[ToolSpan] = []
    agents: list[ModelCall] = []
    for span in sorted(spans, key=lambda span: span["started"]):
        kind = _operation(span)
        if kind == "execute_tool":
            tools.append(_tool(span))
        elif kind in CHATS:
            inner = any(_operation(above) == "execute_tool" for above in _above(span, by_id))
            calls.append(_model_call(span, logs, inner=inner))
        elif kind in AGENTS:
            agents.append(_model_call(span, logs, inner=False, usage=False))
        else:
            rows.lose(OTHER_SPANS)
    spoken = any(call.given or call.made for call in calls)
    model_calls = [*calls, *([] if spoken else agents)]
    read_trace(rows, Trace(key, "otel", _system(spans), model_calls, tools, user=_user(spans)))


def _above(span: Span, by_id: Mapping[Any, Span]) -> Iterator[Span]:
    """The spans within which this one was, from the inside."""
    seen: set[int] = set()
    while (span := by_id.get(span.get("parentSpanId"), {})) and id(span) not in seen:
        seen.add(id(span))
        yield span


def _operation(span: Span) -> str:
    operation = span["attributes"].get("gen_ai.operation.name")
    return str(operation) if operation else "chat" if "gen_ai.request.model" in span["attributes"] else ""


def _model_call(span: Span, logs: Mapping[str, list[Span]], *, inner: bool, usage: bool = True) -> ModelCall:
    attributes = span["attributes"]
    events = [
        {"name": event.get("name"), "told": _attributes(event), "body": None}
        for event in maybe(span, "events", list) or []
    ] + logs.get(str(span.get("spanId")), [])
    inputs, outputs = _messages(attributes)
    for event in events:
        if event["name"] in MESSAGE_EVENTS:
            message = event_message(event["name"], event["told"], event["body"])
            (outputs if event["name"] == "gen_ai.choice" else inputs).append(message)
        else:
            more = _messages({**event["told"], **(event["body"] if isinstance(event["body"], dict) else {})})
            inputs, outputs = inputs + more[0], outputs + more[1]
    tokens = {
        "input_tokens": attributes.get(
            "gen_ai.usage.input_tokens", attributes.get("gen_ai.usage.prompt_tokens")
        ),
        "cached_tokens": attributes.get("gen_ai.usage.cache_read.input_tokens"),
        "output_tokens": attributes.get(
            "gen_ai.usage.output_tokens", attributes.get("gen_ai.usage.completion_tokens")
        ),
        "reasoning_tokens": attributes.get("gen_ai.usage.reasoning.output_tokens"),
    }
    return ModelCall(
        span["started"] / 1e9,
        _end(span),
        inputs,
        outputs,
        inner=inner,
        tokens=tokens if usage else {},
        model=attributes.get("gen_ai.response.model") or attributes.get("gen_ai.request.model"),
    )


def _messages(attributes: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    return messages_of(attributes.get("gen_ai.input.messages")), messages_of(
        attributes.get("gen_ai.output.messages")
    )


def _tool(span: Span) -> ToolSpan:
    attributes, status = span["attributes"], maybe(span, "status", dict) or {}
    failed = status.get("code") in (2, "STATUS_CODE_ERROR") or "error.type" in attributes
    error = status.get("message") or attributes.get("error.type")
    return ToolSpan(
        span["started"] / 1e9,
        _end(span),
        need(attributes, "gen_ai.tool.name", str),
        failed=failed,
        key=maybe(attributes, "gen_ai.tool.call.id", str),
        arguments=attributes.get("gen_ai.tool.call.arguments"),
        result=attributes.get("gen_ai.tool.call.result"),
        error=None if error is None else str(error),
    )


def _end(span: Span) -> float | None:
    return _nanoseconds(span, "endTimeUnixNano") / 1e9 if span.get("endTimeUnixNano") else None


def _system(spans: Iterable[Span]) -> str:
    """The agent that answers, else the service, else the model."""
    for name in ("gen_ai.agent.name", "service.name", "gen_ai.response.model", "gen_ai.request.model"):
        for span in spans:
            name_value = span["attributes"].get(name) or span["resource"].get(name)
            if name_value and not str(name_value).startswith("unknown_service"):
                return str(name_value)
    return "system"


def _user(spans: Iterable[Span]) -> str | None:
    names = ("user.id", "enduser.id")
    users = (span["attributes"].get(name) for span in spans for name in names)
    return next((str(user) for user in users if user), None)


OPENTELEMETRY: Final = Importer(
    name="otel",
    title="OpenTelemetry spans of generative AI",
    layout="OTLP as JSON or JSON Lines: resourceSpans with gen_ai attributes, and resourceLogs",
    rows=read_opentelemetry,
    notes=NOTES,
)
