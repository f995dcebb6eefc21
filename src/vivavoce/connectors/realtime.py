"""A model behind OpenAI's Realtime interface, in text or in speech.

Wire    one WebSocket for each conversation; `session.update`, then for each turn `conversation.item.create`
        (or the audio buffer, appended and committed) and `response.create`; events until `response.done`
Memory  in the caller: a new connection is told the conversation so far, as text
Retry   when the connection was never made
"""

import asyncio
import base64
import json
import time
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import Any, ClassVar, Final
from urllib.parse import quote

from pydantic import Field, field_validator
from websockets.asyncio.client import ClientConnection

from vivavoce.connectors.answers import bad_answer, clean_text, read_json
from vivavoce.connectors.base import Capabilities, ConnectorSettings, Conversation, SystemOutput, UserTurn
from vivavoce.connectors.deadlines import in_time
from vivavoce.connectors.realtime_events import RATE_HZ, RealtimeAnswer, without_audio
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.sockets import SocketConnector, socket_reported
from vivavoce.connectors.templates import compile_template
from vivavoce.connectors.urls import SocketAddress
from vivavoce.core.errors import SystemUnderTestError
from vivavoce.core.validation import mistake

_OURS: Final = ("type", "model", "instructions", "output_modalities", "audio")
_PIECE_BYTES: Final = RATE_HZ * 2  # a second of speech
_WRITING_DOWN_S: Final = 5.0
_FORMAT: Final = {"type": "audio/pcm", "rate": RATE_HZ}


class RealtimeSettings(ConnectorSettings):
    """Settings of a system with `connect: openai-realtime`."""

    url: SocketAddress = Field("wss://api.openai.com/v1/realtime", description="socket address")
    model: str = Field(min_length=1, description="model name")
    key: str | None = Field(None, description="${NAME} of the environment variable with the key")
    headers: dict[str, str] = Field(default_factory=dict, description="may contain ${SECRET}")
    system: str | None = Field(None, description="instructions; may contain {{ language }}")
    greets: bool = Field(False, description="the model sends the first message")
    speech: bool = Field(False, description="answer in speech, with its transcript as text")
    listens: bool | None = Field(None, description="send speech to the model itself (default: as `speech`)")
    voice: str | None = Field(None, description="voice name, with speech: true")
    transcribe: str | None = Field(None, description="model for the transcript of the participant's speech")
    session: dict[str, Any] = Field(default_factory=dict, description="tools, max_output_tokens, ...")
    longest_answer_bytes: int = Field(4_000_000, gt=0, le=50_000_000, description="longest event")

    @field_validator("session")
    @classmethod
    def _not_ours(cls, session: dict[str, Any]) -> dict[str, Any]:
        reserved = sorted(set(session) & set(_OURS))
        if reserved:
            raise mistake(f"session.{reserved[0]} is reserved for the connector", "leave it out")
        return session


class RealtimeConnector(SocketConnector[RealtimeSettings]):
    """A model that is spoken to through a socket."""

    name: ClassVar[str] = "openai-realtime"
    summary: ClassVar[str] = "OpenAI Realtime: text and speech over a WebSocket"
    settings: ClassVar[type[ConnectorSettings]] = RealtimeSettings
    knows_names: ClassVar[bool] = False

    def __init__(self, settings: RealtimeSettings, vault: Vault) -> None:
        super().__init__(settings, vault)
        self._listens = settings.speech if settings.listens is None else settings.listens
        self._instructions = compile_template(settings.system, {"language"}, place="system")
        self._headers = compile_template(settings.headers, set(), place="headers")

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(
            streaming=True,
            audio=self._listens,
            audio_rate_hz=RATE_HZ,
            memory="caller",
            greets=self._settings.greets,
        )

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        connection = await self._socket(conversation)
        if self._settings.greets and not conversation.history:
            async for output in self._answer(conversation, connection):
                yield output

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        connection = await self._socket(conversation)
        try:
            for event in self._said(turn):
                await self._tell(connection, event)
        except SystemUnderTestError:
            await self.close(conversation)
            raise
        spoken = turn.audio is not None and self._settings.transcribe is not None
        async for output in self._answer(conversation, connection, written_down=spoken):
            yield output

    def _said(self, turn: UserTurn) -> list[dict[str, Any]]:
        """The events that bring a user turn: as speech where there is some, else as text."""
        if turn.audio is None:
            return [_message("user", clean_text(turn.message))]
        if turn.audio.rate_hz != RATE_HZ:
            problem = f"speech has {turn.audio.rate_hz} samples per second where {RATE_HZ} are expected"
            raise SystemUnderTestError("refused", problem, reached=False)
        samples = turn.audio.samples
        pieces = [samples[start : start + _PIECE_BYTES] for start in range(0, len(samples), _PIECE_BYTES)]
        events: list[dict[str, Any]] = [
            {"type": "input_audio_buffer.append", "audio": base64.b64encode(piece).decode()}
            for piece in pieces
        ]
        return [*events, {"type": "input_audio_buffer.commit"}]

    async def _socket(self, conversation: Conversation) -> ClientConnection:
        """Socket of the conversation; a new one gets the instructions and the previous turns."""
        connection = self._open_one(conversation)
        if connection is None:
            url = f"{self._vault.expand(self._settings.url)}?model={quote(self._settings.model)}"
            headers = dict(self._headers({"secrets": self._vault.values}))
            if self._settings.key:
                headers["Authorization"] = f"Bearer {self._vault.expand(self._settings.key)}"
            connection = await self._connect(conversation, url, headers)
            await self._tell(connection, self._session(conversation))
            for past in conversation.history:
                await self._tell(connection, _message(past.party, clean_text(past.text)))
        return connection

    def _session(self, conversation: Conversation) -> dict[str, Any]:
        settings = self._settings
        variables = {"language": conversation.language, "secrets": self._vault.values}
        listening: dict[str, Any] = {"format": _FORMAT, "turn_detection": None}  # a turn ends when we say so
        if settings.transcribe:
            listening["transcription"] = {"model": settings.transcribe}
        speaking = {"format": _FORMAT, **({"voice": settings.voice} if settings.voice else {})}
        session: dict[str, Any] = {
            "type": "realtime",
            "output_modalities": ["audio" if settings.speech else "text"],
            "audio": {"input": listening, "output": speaking},
            **settings.session,
        }
        if settings.system:
            session["instructions"] = self._instructions(variables)
        return {"type": "session.update", "session": session}

    async def _tell(self, connection: ClientConnection, event: dict[str, Any]) -> None:
        self._wire.sent(event["type"], json.dumps(without_audio(event), ensure_ascii=False))
        with socket_reported(self._vault):
            await connection.send(json.dumps(event, ensure_ascii=False))

    async def _answer(
        self, conversation: Conversation, connection: ClientConnection, *, written_down: bool = False
    ) -> AsyncIterator[SystemOutput]:
        complete = False
        try:
            await self._tell(connection, {"type": "response.create"})
            answer = conversation.state["_answer"] = RealtimeAnswer(awaiting=written_down)
            events = self._events(connection, answer)
            async with aclosing(in_time(events, self._settings)) as outputs:
                async for output in outputs:
                    yield output
            complete = True
        finally:
            if not complete:  # what it says late would be taken for its next answer
                await self.close(conversation)

    async def _events(
        self, connection: ClientConnection, answer: RealtimeAnswer
    ) -> AsyncIterator[SystemOutput]:
        clock = time.monotonic
        while not answer.complete:
            for output in answer.take(await self._event(connection)):
                yield output
        complete_s = clock()
        late: list[SystemOutput] = []
        with suppress(TimeoutError):
            async with asyncio.timeout(_WRITING_DOWN_S):
                while answer.awaiting:
                    late += answer.take(await self._event(connection))
        waited_s = clock() - complete_s
        for output in late:
            yield replace(output, held_s=waited_s)
        yield answer.facts(waited_s)

    async def _event(self, connection: ClientConnection) -> dict[str, Any]:
        with socket_reported(self._vault):
            frame = await connection.recv()
        event = read_json(frame)
        if not isinstance(event, dict):
            raise bad_answer("an event is not a mapping")
        self._wire.received(str(event.get("type")), json.dumps(without_audio(event), ensure_ascii=False))
        return self._vault.redact(event)

    async def interrupt(self, conversation: Conversation, played_s: float) -> None:
        """Cancel the current response and truncate its unheard part."""
        connection, answer = self._open_one(conversation), conversation.state.get("_answer")
        if connection is None or not isinstance(answer, RealtimeAnswer):
            return
        with suppress(SystemUnderTestError):
            for event in answer.interruption(played_s):
                await self._tell(connection, event)


def _message(party: str, text: str) -> dict[str, Any]:
    role, kind = ("user", "input_text") if party == "user" else ("assistant", "output_text")
    item = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
    return {"type": "conversation.item.create", "item": item}
