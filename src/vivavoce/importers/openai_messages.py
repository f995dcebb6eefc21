"""Import of chats as the OpenAI API has them: one object with `messages` a line, tool calls included.

Source  API reference of OpenAI, chat completions: messages, tool calls, usage; of Anthropic, messages: blocks
        of tools (read November 2026)
"""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final

from vivavoce.core.i18n import N_
from vivavoce.core.validation import shown_value
from vivavoce.importers.base import Importer
from vivavoce.importers.items import ForeignDialogue, ItemRows, LogItem, as_text, maybe, need
from vivavoce.importers.log_files import LogFiles, LogRecord

NOTES: Final = (
    "Consecutive messages of one party form one turn; system prompts are not turns.",
    "Tool calls count as failed where the log says so: OpenAI's does not, Anthropic's does.",
    "The log does not contain the language.",
    "The log does not contain the kind of users; human users are assumed.",
)
PROMPTS: Final = N_("{n} system prompts were left out.")
PARTS: Final = N_("{n} non-text message parts were left out.")
RESULTS: Final = N_("{n} tool results without a matching call were left out.")
CALL, RESULT = "tool_use", "tool_result"
"""Endings of the kinds of Anthropic's blocks for tools, such as `server_tool_use`."""
TEXT_PARTS: Final = ("text", "input_text", "output_text", "refusal")


def read_openai(files: LogFiles) -> Iterable[LogItem]:
    """One dialogue an object. Tool calls are logged where one of them has or could have any."""
    records = list(files.records("id"))
    logged = any(_has_tools(record.content) for record in records) or None
    return [LogItem.of(record, partial(_dialogue, tools_logged=logged)) for record in records]


def _has_tools(content: Any) -> bool:
    """True if a chat defines tools, or has a message with a place for calls or a call."""
    if not isinstance(content, dict):
        return False
    messages = content.get("messages")
    return bool(content.get("tools") or content.get("functions")) or any(
        "tool_calls" in message or "function_call" in message or blocks_of(message, CALL)
        for message in (messages if isinstance(messages, list) else [])
        if isinstance(message, dict)
    )


def _dialogue(rows: ItemRows, record: LogRecord, *, tools_logged: bool | None) -> None:
    messages = need(record.content, "messages", list)
    model, who = maybe(record.content, "model", str), maybe(record.content, "user", (str, int))
    if record.content.get("system"):
        rows.lose(PROMPTS)
    dialogue = ForeignDialogue(
        rows,
        record.key,
        study="openai",
        system=model or "assistant",
        participant_id=None if who is None else str(who),
        tools_logged=tools_logged,
    )
    add_messages(rows, dialogue, messages)
    if (usage := maybe(record.content, "usage", dict)) is not None:
        dialogue.use(model, None, **usage_of(usage))
    dialogue.end()


def add_messages(rows: ItemRows, dialogue: ForeignDialogue, messages: list[Any]) -> None:
    """Messages of an API as turns and calls of tools.

    Raises  ValueError, TypeError: one is broken, or of a role that nobody knows
    """
    for number, message in enumerate(messages, start=1):
        role = need(message, "role", str)
        match role:
            case "system" | "developer":
                rows.lose(PROMPTS)
            case "user":
                text = content_text(rows, message.get("content"))
                results = blocks_of(message, RESULT)
                for result in results:
                    _end_block(rows, dialogue, result)
                if text is not None or not results:
                    dialogue.say("user", text)
            case "assistant":
                text = content_text(rows, message.get("content")) or maybe(message, "refusal", str)
                dialogue.say("system", text or None)
                for call in tool_calls_of(message):
                    dialogue.call_tool(*call)
                for result in blocks_of(message, RESULT):
                    _end_block(rows, dialogue, result)
            case "tool" | "function":
                key = message.get("tool_call_id") or message.get("name")
                if not dialogue.end_tool(key, as_text(message.get("content"))):
                    rows.lose(RESULTS)
            case _:
                raise ValueError(f"message {number} has the unknown role {shown_value(role)}")


def blocks_of(message: Mapping[str, Any], ending: str) -> list[Mapping[str, Any]]:
    """Parts of a message whose kind ends so."""
    if not isinstance(content := message.get("content"), list):
        return []
    parts = (part for part in content if isinstance(part, dict))
    return [part for part in parts if str(part.get("type")).endswith(ending)]


def _end_block(rows: ItemRows, dialogue: ForeignDialogue, block: Mapping[str, Any]) -> None:
    """End a call with its result; what tools of the API itself give is kept as JSON."""
    content, failed = block.get("content"), bool(maybe(block, "is_error", bool))
    result = content_text(rows, content) if block["type"] == RESULT else as_text(content)
    if not dialogue.end_tool(maybe(block, "tool_use_id", str), result, failed=failed):
        rows.lose(RESULTS)


def tool_calls_of(message: Mapping[str, Any]) -> Iterable[tuple[str | None, str, Any]]:
    """Key, name and arguments of each call in a message of the assistant."""
    for call in maybe(message, "tool_calls", list) or []:
        function = call if isinstance(call, Mapping) and "name" in call else need(call, "function", dict)
        yield maybe(call, "id", str), need(function, "name", str), function.get("arguments")
    if (function := maybe(message, "function_call", dict)) is not None:
        name = need(function, "name", str)
        yield name, name, function.get("arguments")
    for block in blocks_of(message, CALL):
        yield maybe(block, "id", str), need(block, "name", str), block.get("input")


def content_text(rows: ItemRows, content: Any) -> str | None:
    """The words of a message, whose content is text, nothing, or a list of parts."""
    if content is None or isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise ValueError(f"'content' is {shown_value(content)}, neither text nor a list of parts")
    texts: list[str] = []
    for part in content:
        kind = part if isinstance(part, str) else need(part, "type", str)
        if isinstance(part, str):
            texts.append(part)
        elif kind in TEXT_PARTS:
            texts.append(need(part, "refusal" if kind == "refusal" else "text", str))
        elif not kind.endswith((CALL, RESULT)):
            rows.lose(PARTS)
    return "\n".join(texts) or None


def usage_of(usage: Mapping[str, Any]) -> dict[str, int | None]:
    """Tokens as the API tells them, by the names of the chat interface or of its successor."""
    read = usage.get("prompt_tokens_details") or usage.get("input_tokens_details")
    wrote = usage.get("completion_tokens_details") or usage.get("output_tokens_details")
    return {
        "input_tokens": _either(usage, "prompt_tokens", "input_tokens"),
        "cached_tokens": maybe(read, "cached_tokens", int) if read else None,
        "output_tokens": _either(usage, "completion_tokens", "output_tokens"),
        "reasoning_tokens": maybe(wrote, "reasoning_tokens", int) if wrote else None,
    }


def _either(usage: Mapping[str, Any], *names: str) -> int | None:
    return next((count for name in names if (count := maybe(usage, name, int)) is not None), None)


OPENAI: Final = Importer(
    name="openai",
    title="OpenAI messages, with calls of tools",
    layout='JSON Lines, each line {"messages": [{"role": ..., "content": ...}, ...]}',
    rows=read_openai,
    notes=NOTES,
)
