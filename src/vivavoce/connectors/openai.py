"""OpenAI-compatible chat completions, streamed.

Wire    POST {url}/chat/completions with `stream: true`; server-sent events until [DONE]; a server that does
        not stream is understood too
Memory  in the caller: the conversation so far is sent with each turn
Retry   when the connection was never made
"""

import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import asdict, replace
from typing import Any, ClassVar, Final

import httpx
from pydantic import Field, field_validator

from vivavoce.connectors.agent_work import model_usage, read_tools
from vivavoce.connectors.answers import bad_answer, clean_text, read_json
from vivavoce.connectors.base import (
    Capabilities,
    ConnectorSettings,
    Conversation,
    SystemOutput,
    ToolCall,
    UserTurn,
)
from vivavoce.connectors.deadlines import in_time
from vivavoce.connectors.event_streams import ACCEPTED, Events, EventStreams
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.system_connector import SystemConnector
from vivavoce.connectors.templates import compile_template
from vivavoce.connectors.urls import WebAddress
from vivavoce.core.validation import mistake

_OURS: Final = ("messages", "model", "stream", "stream_options", "n")


class OpenAISettings(ConnectorSettings):
    """Settings of a system with `connect: openai`."""

    url: WebAddress = Field(description="base address, such as https://host/v1")
    model: str = Field(min_length=1, description="model name")
    key: str | None = Field(None, description="${NAME} of the environment variable with the key")
    system: str | None = Field(None, description="system prompt; may contain {{ language }}")
    greeting: str | None = Field(
        None, description=("first message from the system; may contain {{ language }}")
    )
    parameters: dict[str, Any] = Field(default_factory=dict, description="temperature, max_tokens, ...")
    headers: dict[str, str] = Field(default_factory=dict, description="may contain ${SECRET}")
    usage: bool = Field(False, description="request token counts from the server")
    tells_tools: bool = Field(
        False, description="answers list all tool calls: an answer without any made none"
    )
    longest_answer_bytes: int = Field(
        2_000_000, gt=0, le=50_000_000, description="longer answers are rejected"
    )

    @field_validator("parameters")
    @classmethod
    def _not_ours(cls, parameters: dict[str, Any]) -> dict[str, Any]:
        reserved = sorted(set(parameters) & set(_OURS))
        if reserved:
            raise mistake(f"parameter {reserved[0]!r} is reserved for the connector", "leave it out")
        return parameters


class OpenAIConnector(SystemConnector[OpenAISettings]):
    """A model behind an OpenAI-compatible endpoint."""

    name: ClassVar[str] = "openai"
    summary: ClassVar[str] = "OpenAI-compatible chat completions, streaming"
    settings: ClassVar[type[ConnectorSettings]] = OpenAISettings
    knows_names: ClassVar[bool] = False

    def __init__(self, settings: OpenAISettings, vault: Vault) -> None:
        super().__init__(settings, vault)
        self._prompt = compile_template(settings.system, {"language"}, place="system")
        self._greeting = compile_template(settings.greeting, {"language"}, place="greeting")
        self._headers = compile_template(settings.headers, set(), place="headers")
        self._streams = EventStreams(settings, vault, settings.longest_answer_bytes)
        self._address = vault.expand(settings.url).rstrip("/") + "/chat/completions"

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(streaming=True, memory="caller", greets=self._settings.greeting is not None)

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        if self._settings.greeting is not None and not conversation.history:
            yield SystemOutput(kind="message", text=self._greeting(self._variables(conversation)))

    def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        return in_time(self._outputs(conversation, turn), self._settings)

    async def shut_down(self) -> None:
        await self._streams.close()

    def _request(self, conversation: Conversation, turn: UserTurn) -> httpx.Request:
        settings, variables = self._settings, self._variables(conversation)
        messages = [{"role": "system", "content": self._prompt(variables)}] if settings.system else []
        for past in conversation.history:
            role = "user" if past.party == "user" else "assistant"
            messages.append({"role": role, "content": clean_text(past.text)})
        messages.append({"role": "user", "content": clean_text(turn.message)})
        body = {**settings.parameters, "model": settings.model, "messages": messages, "stream": True}
        if settings.usage:
            body["stream_options"] = {"include_usage": True}
        headers = {**ACCEPTED, **self._headers(variables)}
        if settings.key:
            headers["authorization"] = f"Bearer {self._vault.expand(settings.key)}"
        return self._streams.client.build_request("POST", self._address, headers=headers, json=body)

    async def _outputs(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        request = self._request(conversation, turn)
        stream = self._streams.ask(request, self._streamed, self._whole)
        async with aclosing(stream):
            async for output in stream:
                yield output

    async def _streamed(self, events: Events) -> AsyncIterator[SystemOutput]:
        answer = _Answer()
        try:
            async for event in events:
                if event.data.strip() == "[DONE]":
                    answer.finished = True
                    break
                piece = answer.take(self._vault.redact(_chunk(event.data)))
                if piece:
                    yield SystemOutput(kind="delta", text=piece)
                if tools := answer.news(self._vault):
                    yield SystemOutput(kind="extras", tools=tools)
        except httpx.RemoteProtocolError:
            answer.finished = False
        if not answer.finished:
            raise bad_answer(f"the stream ended in the middle, after {answer.text[-200:]!r}")
        for output in answer.outputs(self._vault):
            yield replace(output, tools=self._none_told) if output.kind == "extras" else output

    @property
    def _none_told(self) -> tuple[ToolCall, ...] | None:
        """Tool facts of an answer without tool calls."""
        return () if self._settings.tells_tools or "tools" in self._settings.parameters else None

    def _whole(self, answer: Any) -> list[SystemOutput]:
        outputs = _read_whole(self._vault.redact(answer))
        extras = outputs[-1]
        return [*outputs[:-1], replace(extras, tools=extras.tools or self._none_told)]


class _Answer:
    """A streamed answer as it grows."""

    def __init__(self) -> None:
        self.text = ""
        self.finished = False
        self._facts: dict[str, Any] = {}
        self._role, self._result_of = "assistant", ""
        self._results: dict[str, str] = {}
        self._tool_calls: list[dict[str, Any]] = []
        self._open: dict[int, dict[str, Any]] = {}
        self._news: list[ToolCall] = []

    def take(self, chunk: dict[str, Any]) -> str:
        """Add one chunk; returns the text that it brings."""
        self._facts.update(
            {key: chunk[key] for key in ("id", "model", "usage") if chunk.get(key) is not None}
        )
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices:
            return ""
        if not isinstance(choices[0], dict):
            raise bad_answer("a choice of the stream is not a mapping")
        if choices[0].get("finish_reason"):
            self.finished = True
            self._facts["finish_reason"] = choices[0]["finish_reason"]
        delta = choices[0].get("delta") or {}
        if not isinstance(delta, dict):
            raise bad_answer("a delta of the stream is not a mapping")
        self._take_calls(delta.get("tool_calls"))
        piece = _content(delta.get("content"))
        if self._is_result(delta):
            self._take_result(piece)
            return ""
        self.text += piece
        return piece

    def news(self, vault: Vault) -> tuple[ToolCall, ...]:
        """Tool results since the previous request."""
        news, self._news = self._news, []
        return tuple(ToolCall(**vault.redact(asdict(call))) for call in news)

    def _is_result(self, delta: dict[str, Any]) -> bool:
        """True for a tool result in the stream: some servers call tools themselves."""
        role = delta.get("role")
        self._role = role if isinstance(role, str) and role else self._role
        self._result_of = str(delta.get("tool_call_id") or self._result_of)
        return self._role == "tool"

    def _take_result(self, piece: str) -> None:
        result = self._results[self._result_of] = self._results.get(self._result_of, "") + piece
        self._news.append(ToolCall(key=self._result_of, result=result, live=True))

    def _take_calls(self, pieces: Any) -> None:
        """Add pieces of tool calls: a name once, the arguments bit by bit."""
        for piece in pieces if isinstance(pieces, list) else []:
            if not isinstance(piece, dict):
                raise bad_answer("a tool call of the stream is not a mapping")
            call = self._call_of(piece)
            description = piece.get("function")
            function = description if isinstance(description, dict) else {}
            for part, text in (("id", piece.get("id")), ("name", function.get("name"))):
                if isinstance(text, str) and text:
                    call[part] = text
            if isinstance(function.get("arguments"), str):
                call["arguments"] = call.get("arguments", "") + function["arguments"]
            if "name" in call:
                key = call.get("id") or f"call {self._tool_calls.index(call)}"
                self._news.append(
                    ToolCall(key=key, name=call["name"], arguments=call.get("arguments"), live=True)
                )

    def _call_of(self, piece: dict[str, Any]) -> dict[str, Any]:
        """The call that a piece belongs to: an agent counts from 0 again in each message of its stream."""
        at, key = piece.get("index"), piece.get("id")
        place = at if isinstance(at, int) else len(self._tool_calls)
        call = self._open.get(place)
        if call is None or (key and call.get("id", key) != key):
            call = self._open[place] = {}
            self._tool_calls.append(call)
        return call

    def outputs(self, vault: Vault) -> list[SystemOutput]:
        if not self.text.strip() and not self._tool_calls:
            raise bad_answer(f"the reply contains no text ({json.dumps(self._facts)})")
        if self._tool_calls:
            self._facts["tool_calls"] = self._tool_calls
        if self._results:
            self._facts["tool_results"] = self._results
        return _whole(vault.redact(self.text), vault.redact(self._facts))


def _whole(text: str, facts: dict[str, Any]) -> list[SystemOutput]:
    """The message, and the facts of the answer; an answer that only calls tools is silent."""
    message = [SystemOutput(kind="message", text=text)] if text.strip() else []
    return [*message, SystemOutput(kind="extras", raw=facts, usage=model_usage(facts))]


def _chunk(data: str) -> dict[str, Any]:
    chunk = read_json(data)
    if not isinstance(chunk, dict):
        raise bad_answer("an event of the stream is not a mapping")
    _check_error(chunk)
    return chunk


def _check_error(answer: dict[str, Any]) -> None:
    error = answer.get("error")
    if error:
        message = error.get("message") if isinstance(error, dict) else error
        raise bad_answer(f"the server reports: {message}")


def _content(content: Any) -> str:
    """The text of a message: plain, or in parts."""
    if content is None:
        return ""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    if not isinstance(content, str):
        raise bad_answer("the content of the answer is not text")
    return content


def _calls(message: Any) -> list[dict[str, Any]]:
    """The tool calls of a whole message."""
    listed = message.get("tool_calls") if isinstance(message, dict) else None
    calls = [call for call in listed if isinstance(call, dict)] if isinstance(listed, list) else []
    functions = [
        (call.get("id"), call["function"]) for call in calls if isinstance(call.get("function"), dict)
    ]
    return [
        {"id": key, "name": function.get("name"), "arguments": function.get("arguments")}
        for key, function in functions
    ]


def _read_whole(answer: Any) -> list[SystemOutput]:
    """The answer of a server that does not stream."""
    if not isinstance(answer, dict):
        raise bad_answer("the answer is not a mapping")
    _check_error(answer)
    choices = answer.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    text = _content(message.get("content")) if isinstance(message, dict) else ""
    calls = _calls(message)
    if not isinstance(first, dict) or not (text.strip() or calls):
        raise bad_answer("the reply contains no text")
    facts = {key: answer[key] for key in ("id", "model", "usage") if key in answer}
    facts |= {"tool_calls": calls} if calls else {}
    outputs = _whole(text, {**facts, "finish_reason": first.get("finish_reason")})
    return [*outputs[:-1], replace(outputs[-1], tools=read_tools(calls or None))]
