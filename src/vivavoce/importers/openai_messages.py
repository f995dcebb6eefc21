"""Import of chats as the OpenAI API has them: one object with `messages` a line, tool calls included.

Source  API reference of OpenAI, chat completions: messages, tool calls, usage (read November 2026)
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from vivavoce.core.i18n import N_
from vivavoce.core.validation import shown_value
from vivavoce.importers.base import Importer
from vivavoce.importers.items import ForeignDialogue, ItemRows, LogItem, as_text, maybe, need
from vivavoce.importers.log_files import LogFiles, LogRecord

NOTES: Final = (
    "Consecutive messages of one party form one turn; system prompts are not turns.",
    "The log does not show failed tool calls.",
    "The log does not contain the language.",
    "The log does not contain the kind of users; human users are assumed.",
)
PROMPTS: Final = N_("{n} system prompts were left out.")
PARTS: Final = N_("{n} non-text message parts were left out.")
RESULTS: Final = N_("{n} tool results without a matching call were left out.")
TEXT_PARTS: Final = ("text", "input_text", "output_text", "refusal")


def read_openai(files: LogFiles) -> Iterable[LogItem]:
    """One dialogue an object."""
    return [LogItem.of(record, _dialogue) for record in files.records()]


def _dialogue(rows: ItemRows, record: LogRecord) -> None:
    messages = need(record.content, "messages", list)
    model = maybe(record.content, "model", str)
    dialogue = ForeignDialogue(
        rows, record.key, study="openai", system=model or "assistant", tools_logged=True
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
                dialogue.say("user", content_text(rows, message.get("content")))
            case "assistant":
                text = content_text(rows, message.get("content")) or maybe(message, "refusal", str)
                dialogue.say("system", text or None)
                for call in tool_calls_of(message):
                    dialogue.call_tool(*call)
            case "tool" | "function":
                key = message.get("tool_call_id") or message.get("name")
                if not dialogue.end_tool(key, as_text(message.get("content"))):
                    rows.lose(RESULTS)
            case _:
                raise ValueError(f"message {number} has the unknown role {shown_value(role)}")


def tool_calls_of(message: Mapping[str, Any]) -> Iterable[tuple[str | None, str, Any]]:
    """Key, name and arguments of each call in a message of the assistant."""
    for call in maybe(message, "tool_calls", list) or []:
        function = call if isinstance(call, Mapping) and "name" in call else need(call, "function", dict)
        yield maybe(call, "id", str), need(function, "name", str), function.get("arguments")
    if (function := maybe(message, "function_call", dict)) is not None:
        name = need(function, "name", str)
        yield name, name, function.get("arguments")


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
        else:
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
