"""Any bot that streams its answer as server-sent events.

Wire    one request a turn made by a template; events come back until one is named `end_event`, until the data
        is [DONE], or until the stream ends
Memory  in the system, under the conversation's key; a reset takes another
Retry   when the connection was never made
"""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, ClassVar, Final

import httpx
from httpx_sse import ServerSentEvent
from pydantic import Field

from vivavoce.connectors.answer_paths import AnswerPaths, AnswerReader
from vivavoce.connectors.answers import bad_answer, clean_text, read_json
from vivavoce.connectors.base import Capabilities, ConnectorSettings, Conversation, SystemOutput, UserTurn
from vivavoce.connectors.deadlines import in_time
from vivavoce.connectors.event_streams import ACCEPTED, Events, EventStreams
from vivavoce.connectors.expressions import Expression, Path
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.system_connector import VARIABLES, SystemConnector
from vivavoce.connectors.templates import compile_template
from vivavoce.connectors.urls import WebAddress

_VARIABLES: Final = VARIABLES | {"history"}


class EventStreamSettings(ConnectorSettings):
    """Settings of a system with `connect: sse`."""

    url: WebAddress = Field(description="address that takes a turn; may contain {{ conversation }}")
    headers: dict[str, str] = Field(default_factory=dict, description="may contain ${SECRET}")
    body: Any = Field(
        default_factory=lambda: {"conversation": "{{ conversation }}", "text": "{{ text }}"},
        description="template of the JSON body; null: a GET without one",
    )
    query: dict[str, str] = Field(default_factory=dict, description="parameters of the address")
    plain: bool = Field(False, description="the data of an event is a piece of text instead of JSON")
    delta: Path = Field("delta", description="where a piece of the message stands in an event")
    response: AnswerPaths = Field(default=AnswerPaths(), description="where things stand in a whole event")
    end_event: str = Field("end", description="name of the event that ends the turn")
    longest_answer_bytes: int = Field(2_000_000, gt=0, le=50_000_000, description="more is a bad answer")


class EventStreamConnector(SystemConnector[EventStreamSettings]):
    """A system under test that answers with server-sent events."""

    name: ClassVar[str] = "sse"
    summary: ClassVar[str] = "any HTTP interface that streams server-sent events"
    settings: ClassVar[type[ConnectorSettings]] = EventStreamSettings

    def __init__(self, settings: EventStreamSettings, vault: Vault) -> None:
        super().__init__(settings, vault)
        self._url = compile_template(settings.url, {"conversation", "language"}, place="url")
        self._headers = compile_template(settings.headers, {"conversation", "key"}, place="headers")
        self._body = compile_template(settings.body, _VARIABLES, place="body")
        self._query = compile_template(settings.query, _VARIABLES, place="query")
        self._delta = Expression(settings.delta)
        self._reader = AnswerReader(settings.response)
        self._streams = EventStreams(settings, vault, settings.longest_answer_bytes)

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(streaming=True, choices=True, memory="system", greets=False)

    def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        return in_time(self._outputs(conversation, turn), self._settings)

    async def shut_down(self) -> None:
        await self._streams.close()

    async def _outputs(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        request = self._request(conversation, turn)
        asked = self._streams.ask(request, self._streamed, self._whole)
        async with aclosing(asked):
            async for output in asked:
                yield output

    def _whole(self, answer: Any) -> list[SystemOutput]:
        return self._reader.read(self._vault.redact(answer))

    async def _streamed(self, events: Events) -> AsyncIterator[SystemOutput]:
        streamed, said = "", False
        async for event in events:
            if event.event == self._settings.end_event or event.data.strip() == "[DONE]":
                break
            for output in self._read(event):
                streamed += output.text if output.kind == "delta" else ""
                said = said or output.kind != "delta"
                yield output
        if not streamed.strip() and not said:
            raise bad_answer("the answer has no text")
        if streamed:
            yield SystemOutput(kind="message", text=streamed)

    def _read(self, event: ServerSentEvent) -> list[SystemOutput]:
        if self._settings.plain:
            return [SystemOutput(kind="delta", text=self._vault.redact(clean_text(event.data)))]
        answer = self._vault.redact(read_json(event.data))
        piece = self._delta.search(answer)
        if isinstance(piece, str):
            return [SystemOutput(kind="delta", text=piece)]
        return self._reader.read(answer)

    def _request(self, conversation: Conversation, turn: UserTurn) -> httpx.Request:
        variables = self._variables(conversation, turn)
        body = self._body(variables) if self._settings.body is not None else None
        headers = {**ACCEPTED, **self._headers(variables)}
        query = {name: str(value) for name, value in self._query(variables).items()} or None
        method = "POST" if body is not None else "GET"
        return self._streams.client.build_request(
            method, str(self._url(variables)), headers=headers, params=query, json=body
        )
