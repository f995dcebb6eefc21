"""Any bot that streams its answer: server-sent events, or a line of JSON for each piece.

Wire    one request a turn made by a template, and one that opens a conversation where the study says so;
        events come back until one is named `end_event`, until the data is [DONE], or until the stream ends;
        an event that brings nothing for us is passed over
Memory  in the system, under the conversation's key (a reset takes another); in the caller by `{{ messages }}`
Retry   when the connection was never made
"""

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Final, Literal

import httpx
from httpx_sse import ServerSentEvent
from pydantic import Field

from vivavoce.connectors.agent_work import joined
from vivavoce.connectors.answer_paths import AnswerPaths, AnswerReader, says_nothing
from vivavoce.connectors.answers import bad_answer, clean_text, read_json
from vivavoce.connectors.base import (
    Capabilities,
    ConnectorSettings,
    Conversation,
    ModelUsage,
    SystemOutput,
    UserTurn,
)
from vivavoce.connectors.deadlines import in_time
from vivavoce.connectors.event_streams import ACCEPTED, Events, EventStreams
from vivavoce.connectors.expressions import Expression, Path
from vivavoce.connectors.messages import MessageShape, asks_for_history
from vivavoce.connectors.request import Prepared, Request
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.system_connector import VARIABLES, SystemConnector
from vivavoce.connectors.urls import WebAddress

_NOTHING: Final = "`null`"


def _of(kind: str, path: str, key: str = "type") -> str:
    """Value in events of one kind, in a list; an empty list for other events."""
    return f"[@][?{key}=='{kind}'].{path}"


def _all(*parts: str) -> str:
    return f"[{', '.join(parts)}][]"


_ANTHROPIC_USAGE: Final = (
    "message.{model: model, input_tokens: usage.input_tokens, output_tokens: usage.output_tokens, "
    "cache_read_input_tokens: usage.cache_read_input_tokens, "
    "cache_creation_input_tokens: usage.cache_creation_input_tokens}"
)
_UPDATED: Final = "[@][?type(@)=='object'].*[].messages[]"  # what the nodes of a graph add
_PARTS: Final = "[@][?!partial].content.parts[]"  # an event that is whole, not a piece of a later one
_RESPONSES_USAGE: Final = (
    "response.{model: model, input_tokens: usage.input_tokens, output_tokens: usage.output_tokens, "
    "input_tokens_details: usage.input_tokens_details, output_tokens_details: usage.output_tokens_details}"
)
FORMATS: Final[dict[str, dict[str, str]]] = {
    "openai-responses": {
        "delta": _of("response.output_text.delta", "delta | [0]"),
        "tools": "[@][?type=='response.output_item.done' && item.type=='function_call'].item",
        "usage": _of("response.completed", _RESPONSES_USAGE),
    },
    "anthropic": {
        "delta": "[@][?type=='content_block_delta' && delta.type=='text_delta'].delta.text | [0]",
        "tools": _all(
            "[@][?type=='content_block_start' && contains(['tool_use', 'server_tool_use'], "
            "content_block.type)].{id: to_string(index), name: content_block.name}",
            "[@][?type=='content_block_delta' && delta.type=='input_json_delta']"
            ".{id: to_string(index), partial_json: delta.partial_json}",
        ),
        "usage": _all(_of("message_start", _ANTHROPIC_USAGE), _of("message_delta", "usage")),
    },
    "vercel-ai": {
        "delta": _of("text-delta", "delta | [0]"),
        "tools": _all(
            _of("tool-input-available", "{id: toolCallId, name: toolName, input: input}"),
            _of("tool-output-available", "{id: toolCallId, output: output, failed: `false`}"),
            _of("tool-output-error", "{id: toolCallId, error: errorText}"),
        ),
        "usage": _NOTHING,
        "retrievals": _of("source-url", "{source: url, text: title}"),
    },
    "dify": {
        "delta": "[@][?event=='message' || event=='agent_message'].answer | [0]",
        "tools": "[@][?event=='agent_thought' && tool]"
        ".{id: id, name: tool, arguments: tool_input, result: observation}",
        "usage": _of("message_end", "metadata.usage", "event"),
        "retrievals": _of("message_end", "metadata.retriever_resources[]", "event") + " | []",
    },
    "ag-ui": {
        "delta": "[@][?type=='TEXT_MESSAGE_CONTENT' || type=='TEXT_MESSAGE_CHUNK'].delta | [0]",
        "tools": _all(
            _of("TOOL_CALL_START", "{id: toolCallId, name: toolCallName}"),
            _of("TOOL_CALL_ARGS", "{id: toolCallId, delta: delta}"),
            _of("TOOL_CALL_RESULT", "{id: toolCallId, content: content}"),
        ),
        "usage": _NOTHING,
    },
    "ollama": {
        "delta": "message.content",
        "tools": "message.tool_calls || `[]`",
        "usage": "[@][?done].{model: model, prompt_eval_count: prompt_eval_count, eval_count: eval_count}",
    },
    "langgraph": {
        "delta": "[?type=='ai' || type=='AIMessageChunk'] | [0] "
        "| type(content)=='array' && join('', content[?type=='text'].text) || content",
        "tools": _all(
            f"{_UPDATED}.tool_calls[].{{id: id, name: name, args: args}}",
            f"{_UPDATED} | [?type=='tool'].{{id: tool_call_id, content: content, failed: status=='error'}}",
        ),
        "usage": f"{_UPDATED} | [?usage_metadata].{{model: response_metadata.model_name, "
        "input_tokens: usage_metadata.input_tokens, output_tokens: usage_metadata.output_tokens, "
        "input_token_details: usage_metadata.input_token_details, "
        "output_token_details: usage_metadata.output_token_details}",
        "retrievals": f"{_UPDATED} | [?type=='tool'].artifact[] | [?page_content]"
        ".{text: page_content, source: metadata.source}",
    },
    "adk": {
        "delta": _NOTHING,
        "text": f"{_PARTS} | [?text && !thought].text",
        "tools": _all(
            f"{_PARTS}.functionCall.{{id: id, name: name, args: args}}",
            f"{_PARTS}.functionResponse.{{id: id, name: name, response: response, "
            "error: response.error || response.error_message, "
            "failed: (response.error || response.error_message) != `null`}",
        ),
        "usage": "[@][?usageMetadata && !partial].{model: modelVersion, "
        "promptTokenCount: usageMetadata.promptTokenCount, "
        "candidatesTokenCount: usageMetadata.candidatesTokenCount, "
        "thoughtsTokenCount: usageMetadata.thoughtsTokenCount, "
        "cachedContentTokenCount: usageMetadata.cachedContentTokenCount}",
        "retrievals": "[@][].groundingMetadata.groundingChunks[].[web, retrievedContext][]"
        ".{source: uri, text: text || title}",
    },
}
TOLD_ONCE: Final = ("langgraph", "adk")  # tokens are told once for each call of a model


def paths_of(name: str, paths: AnswerPaths) -> AnswerPaths:
    """The paths of a format, under what the study wrote."""
    preset: dict[str, Any] = {key: path for key, path in FORMATS[name].items() if key != "delta"}
    overrides = paths.model_dump(include=paths.model_fields_set)
    return AnswerPaths.model_validate({"text": _NOTHING, "end": _NOTHING, **preset, **overrides})


_VARIABLES: Final = VARIABLES | {"history", "messages", "state"}
Format = Literal["openai-responses", "anthropic", "vercel-ai", "dify", "ag-ui", "ollama", "langgraph", "adk"]


class EventStreamSettings(ConnectorSettings):
    """Settings of a system with `connect: sse`."""

    url: WebAddress = Field(description="address for turns; may contain {{ conversation }}")
    open: Request | None = Field(
        None, description=("request that starts a conversation, before the first turn")
    )
    headers: dict[str, str] = Field(default_factory=dict, description="may contain ${SECRET}")
    body: Any = Field(
        default_factory=lambda: {"conversation": "{{ conversation }}", "text": "{{ text }}"},
        description="template of the JSON body; null: a GET without body",
    )
    query: dict[str, str] = Field(default_factory=dict, description="query parameters")
    messages: MessageShape = Field(
        default=MessageShape(),
        description=("format of {{ messages }}: the conversation so far, including this turn"),
    )
    plain: bool = Field(False, description="event data is plain text, not JSON")
    format: Format | None = Field(None, description="a published format that sets `delta` and `response`")
    delta: Path = Field("delta", description="path to a piece of the message in an event")
    keep: dict[str, Path] = Field(default_factory=dict, description="values to remember as state.NAME")
    response: AnswerPaths = Field(default=AnswerPaths(), description="paths in a complete event")
    end_event: str = Field("end", description="name of the event that ends the turn")
    longest_answer_bytes: int = Field(
        2_000_000, gt=0, le=50_000_000, description="longer answers are rejected"
    )


class EventStreamConnector(SystemConnector[EventStreamSettings]):
    """A system under test that answers with server-sent events."""

    name: ClassVar[str] = "sse"
    summary: ClassVar[str] = "any HTTP interface that streams server-sent events"
    settings: ClassVar[type[ConnectorSettings]] = EventStreamSettings

    def __init__(self, settings: EventStreamSettings, vault: Vault) -> None:
        super().__init__(settings, vault)
        method = "POST" if settings.body is not None else "GET"
        turn = Request(url=settings.url, method=method, body=settings.body)
        self._turn = Prepared(turn, settings, _VARIABLES)
        self._opening = Prepared(settings.open, settings, _VARIABLES, "open.") if settings.open else None
        published, paths = settings.format, settings.response
        is_custom = published is None or "delta" in settings.model_fields_set
        self._delta = Expression(settings.delta if is_custom else FORMATS[str(published)]["delta"])
        self._reader = AnswerReader(paths if published is None else paths_of(published, paths))
        self._keep = {name: Expression(path) for name, path in settings.keep.items()}
        self._streams = EventStreams(settings, vault, settings.longest_answer_bytes)

    @property
    def capabilities(self) -> Capabilities:
        memory = "caller" if asks_for_history(self._settings.body) else "system"
        return Capabilities(streaming=True, choices=True, memory=memory, greets=False)

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        if self._opening is None or (conversation.history and self._keep.keys() <= conversation.state.keys()):
            return
        request = self._opening.request(self._streams.client, self._known(conversation, None))
        self._remember(conversation, await self._streams.ask_whole(request))
        return
        yield

    def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        return in_time(self._outputs(conversation, turn), self._settings)

    async def shut_down(self) -> None:
        await self._streams.close()

    async def _outputs(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        request = self._request(conversation, turn)
        stream = self._streams.ask(request, partial(self._streamed, conversation), self._whole)
        async with aclosing(stream):
            async for output in stream:
                yield output

    def _whole(self, answer: Any) -> list[SystemOutput]:
        return self._reader.read(self._vault.redact(answer))

    async def _streamed(self, conversation: Conversation, events: Events) -> AsyncIterator[SystemOutput]:
        streamed, has_output = "", False
        used: dict[Any, ModelUsage] = {}
        async for event in events:
            if event.event == self._settings.end_event or event.data.strip() == "[DONE]":
                break
            for output in self._read(conversation, event):
                streamed += output.text if output.kind == "delta" else ""
                has_output = has_output or not (output.kind == "delta" or says_nothing(output))
                _add(used, output.usage, apart=self._settings.format in TOLD_ONCE)
                tools = output.tools and tuple(replace(call, live=True) for call in output.tools)
                yield replace(output, usage=(), tools=tools)
        if not streamed.strip() and not has_output:
            raise bad_answer("the reply contains no text")
        if streamed:
            yield SystemOutput(kind="message", text=streamed)
        if used:
            yield SystemOutput(kind="extras", usage=tuple(used.values()))

    def _read(self, conversation: Conversation, event: ServerSentEvent) -> list[SystemOutput]:
        """Outputs of an event; most events of most formats have none, such as a ping."""
        if self._settings.plain:
            return [SystemOutput(kind="delta", text=self._vault.redact(clean_text(event.data)))]
        if not event.data.strip():
            return []
        answer = self._vault.redact(read_json(event.data))
        _check_error(event.event, answer)
        self._remember(conversation, answer)
        piece = self._delta.search(answer)
        outputs = [] if not isinstance(piece, str) or not piece else [SystemOutput(kind="delta", text=piece)]
        if isinstance(piece, str) and self._settings.format is None:
            return outputs
        read = self._reader.read(answer, silent_ok=True)
        if all(says_nothing(output) for output in read):
            read = [replace(output, raw=None) for output in read if output.tools is not None]
        return outputs + read

    def _request(self, conversation: Conversation, turn: UserTurn) -> httpx.Request:
        request = self._turn.request(self._streams.client, self._known(conversation, turn))
        if "accept" not in {name.lower() for name in self._settings.headers}:
            request.headers.update(ACCEPTED)
        return request

    def _known(self, conversation: Conversation, turn: UserTurn | None) -> dict[str, Any]:
        return self._variables(conversation, turn) | {"state": dict(conversation.state)}

    def _remember(self, conversation: Conversation, answer: Any) -> None:
        values = {name: path.search(answer) for name, path in self._keep.items()}
        conversation.state.update({name: value for name, value in values.items() if value is not None})


def _add(used: dict[Any, ModelUsage], usages: tuple[ModelUsage, ...], *, apart: bool) -> None:
    """Streams tell a call's tokens again and again, and what comes later stands; or each call's once."""
    for usage in usages:
        if apart:
            used[len(used)] = usage
            continue
        model = usage.model if usage.model is not None else next(iter(reversed(used)), None)
        used[model] = joined(used.get(model, ModelUsage()), usage)


def _check_error(event: str, answer: Any) -> None:
    """Raises  SystemUnderTestError("bad_answer"): the event tells of an error, in any of the usual ways"""
    body = answer if isinstance(answer, dict) else {}
    kinds = (event, body.get("type"), body.get("event"))
    is_error = any(isinstance(kind, str) and kind.lower() in _ERRORS for kind in kinds)
    inner = body.get("error") or (body.get("response") or {}).get("error") if is_error else None
    if not is_error and not (set(body) == {"error"} and body["error"]):
        return
    error = inner or body.get("errorText") or body.get("message") or body.get("error") or answer
    message = error.get("message") or error if isinstance(error, dict) else error
    raise bad_answer(f"the server reports: {message}")


_ERRORS: Final = {"error", "run_error", "response.failed"}
