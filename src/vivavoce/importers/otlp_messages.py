"""Values and messages as OTLP has them, brought to the shape of the OpenAI API."""

import json
from collections.abc import Mapping
from typing import Any, Final

from vivavoce.core.validation import shown_value
from vivavoce.importers.items import as_text, maybe, need
from vivavoce.importers.log_files import read_json

ROLES: Final = {
    "gen_ai.system.message": "system", "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant", "gen_ai.tool.message": "tool", "gen_ai.choice": "assistant",
}  # fmt: skip


def plain(value: Any) -> Any:
    """A value of OTLP as JSON has it.

    Raises  ValueError: it is of no kind that there is
    """
    if not isinstance(value, Mapping):
        return value
    if "arrayValue" in value:
        return [plain(one) for one in maybe(value["arrayValue"], "values", list) or []]
    if "kvlistValue" in value:
        listed = maybe(value["kvlistValue"], "values", list) or []
        return {need(one, "key", str): plain(one.get("value")) for one in listed}
    if "intValue" in value:
        return int(value["intValue"])
    kinds = ("stringValue", "doubleValue", "boolValue", "bytesValue")
    return next((value[kind] for kind in kinds if kind in value), None)


def messages_of(written: Any) -> list[Any]:
    """Messages of an attribute, which is JSON as text or the list itself.

    Raises  ValueError: it is neither
    """
    if written is None:
        return []
    found, problem = read_json(written) if isinstance(written, str) else (written, None)
    if problem is not None or not isinstance(found, list):
        raise ValueError(f"messages are {shown_value(written)}, not a list in JSON")
    return [made for message in found for made in _message(message)]


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
                given = part.get("response", part.get("result"))
                results.append({"role": "tool", "tool_call_id": part.get("id"), "content": as_text(given)})
            case other:
                content.append({"type": other})
    if not content and not calls:
        return results
    return [{"role": role, "content": content, "tool_calls": calls}, *results]


def event_message(name: str, told: Mapping[str, Any], body: Any) -> dict[str, Any]:
    """A message that is an event of its own, with its parts as attributes or in its body."""
    held: dict[str, Any] = {**told, **(body if isinstance(body, Mapping) else {})}
    if isinstance(inside := held.get("gen_ai.event.content"), str):
        read, _ = read_json(inside)
        held |= read if isinstance(read, Mapping) else {}
    if isinstance(inside := held.get("message"), str):
        read, _ = read_json(inside)
        held["message"] = read if isinstance(read, Mapping) else {"content": inside}
    if isinstance(held.get("message"), Mapping):
        held |= held["message"]
    calls = held.get("tool_calls")
    if isinstance(calls, str):
        calls, problem = read_json(calls)
        if problem is not None:
            raise ValueError(f"'tool_calls' is {problem}")
    content = held.get("content")
    key = held.get("id") or held.get("tool_call_id")
    return {
        "role": ROLES[name], "tool_calls": calls, "tool_call_id": key,
        "content": content if isinstance(content, str | list) or content is None else json.dumps(content),
    }  # fmt: skip
