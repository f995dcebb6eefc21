"""Bots behind a WebSocket that talk in frames of JSON or text: what all connectors to them have in common.

Wire    a frame made by the template `send`; frames come back until `turn_end` is true in one, or until none
        came for `idle_s`
Memory  in the system, as long as the connection lives
Retry   when the connection was never made
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, Generic, TypeVar

from pydantic import Field
from websockets.asyncio.client import ClientConnection

from vivavoce.connectors.answer_paths import AnswerPaths, AnswerReader
from vivavoce.connectors.answers import bad_answer, clean_text, read_json
from vivavoce.connectors.base import Capabilities, ConnectorSettings, Conversation, SystemOutput, UserTurn
from vivavoce.connectors.expressions import Expression, Path
from vivavoce.connectors.idle_timeout import Item, until_idle
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.sockets import SocketConnector, socket_reported
from vivavoce.connectors.system_connector import VARIABLES
from vivavoce.connectors.templates import compile_template
from vivavoce.connectors.urls import SocketAddress
from vivavoce.core.errors import SystemUnderTestError

FramedSettingsOf = TypeVar("FramedSettingsOf", bound="FramedSettings")


class FramedSettings(ConnectorSettings):
    """Settings of a system that talks in frames."""

    url: SocketAddress = Field(description="socket address; may contain {{ conversation }}")
    headers: dict[str, str] = Field(default_factory=dict, description="may contain ${SECRET}")
    send: Any = Field(
        default_factory=lambda: {"conversation": "{{ conversation }}", "text": "{{ text }}"},
        description="frame template; a plain text is sent as text, everything else as JSON",
    )
    response: AnswerPaths = Field(default=AnswerPaths(), description="paths in a frame")
    delta: Path | None = Field(None, description="path to a piece of a message in streamed frames")
    turn_end: Path | None = Field(None, description="path that is true in the frame that ends the turn")
    plain: bool = Field(False, description="frames from the system are text, not JSON")
    greets: bool = Field(False, description="the system sends the first message")
    idle_s: float = Field(1.5, gt=0, le=60, description="without turn_end: silence that ends a turn")
    longest_answer_bytes: int = Field(
        1_000_000, gt=0, le=50_000_000, description="longer answers are rejected"
    )


class FramedSocket(SocketConnector[FramedSettingsOf], Generic[FramedSettingsOf]):
    """A system under test behind a WebSocket, one connection for each conversation."""

    def __init__(self, settings: FramedSettingsOf, vault: Vault) -> None:
        super().__init__(settings, vault)
        self._url = compile_template(settings.url, {"conversation", "language"}, place="url")
        self._headers = compile_template(settings.headers, {"conversation"}, place="headers")
        self._frame = compile_template(settings.send, VARIABLES, place="send")
        self._reader = AnswerReader(settings.response)
        self._delta = Expression(settings.delta) if settings.delta else None
        self._end = Expression(settings.turn_end) if settings.turn_end else None

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(
            streaming=self._delta is not None, choices=True, memory="process", greets=self._settings.greets
        )

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        connection = await self._socket(conversation)
        if self._settings.greets:
            async for output in self._listen(conversation, connection):
                yield output

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        connection = await self._socket(conversation)
        await self._tell(conversation, connection, self._frame(self._variables(conversation, turn)))
        async for output in self._listen(conversation, connection):
            yield output

    async def _tell(self, conversation: Conversation, connection: ClientConnection, frame: Any) -> None:
        """Send one frame; a socket that breaks is given up."""
        text = frame if isinstance(frame, str) else json.dumps(frame, ensure_ascii=False)
        self._wire.sent("frame", text)
        try:
            with socket_reported(self._vault):
                await connection.send(clean_text(text))
        except SystemUnderTestError:
            await self.close(conversation)
            raise

    async def _socket(self, conversation: Conversation) -> ClientConnection:
        connection = self._open_one(conversation)
        if connection is None:
            variables = self._variables(conversation)
            connection = await self._connect(
                conversation, str(self._url(variables)), self._headers(variables)
            )
        return connection

    async def _listen(
        self, conversation: Conversation, connection: ClientConnection
    ) -> AsyncIterator[SystemOutput]:
        arriving: asyncio.Queue[Item] = asyncio.Queue()
        raw: list[str] = []
        reading = asyncio.create_task(self._read(connection, arriving, raw))
        settings = self._settings
        idle_s = settings.turn_timeout_s if self._end is not None else settings.idle_s
        has_ended = False
        try:
            async with aclosing(until_idle(arriving, settings, idle_s)) as outputs:
                async for output in outputs:
                    yield output
            has_ended = True
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
            for frame in raw:
                self._wire.received("frame", frame)
            if not has_ended:
                await self.close(conversation)  # what it says late would be taken for its next answer

    async def _read(
        self, connection: ClientConnection, arriving: "asyncio.Queue[Item]", raw: list[str]
    ) -> None:
        try:
            while True:
                with socket_reported(self._vault):
                    frame = await connection.recv()
                if self._take(frame, arriving, raw):
                    arriving.put_nowait(None)
                    return
        except SystemUnderTestError as error:
            for item in self._broken(connection, error):
                arriving.put_nowait(item)

    def _broken(self, connection: ClientConnection, error: SystemUnderTestError) -> list[Item]:
        """Error for a connection that cannot be read further."""
        return [error]

    def _take(self, came: str | bytes, arriving: "asyncio.Queue[Item]", raw: list[str]) -> bool:
        """Add a frame's outputs, and the frame as it is logged; whether the turn is complete."""
        frame = _decoded(came) if isinstance(came, bytes) else came
        raw.append(frame)
        if self._settings.plain:
            text = self._vault.redact(clean_text(frame))
            if text.strip():
                arriving.put_nowait(SystemOutput(kind="message", text=text))
            return False
        answer = self._vault.redact(read_json(frame))
        piece = self._delta.search(answer) if self._delta is not None else None
        ends = self._end is not None and self._end.search(answer) is True
        if isinstance(piece, str):
            arriving.put_nowait(SystemOutput(kind="delta", text=piece))
            return ends
        for output in self._reader.read(answer, silent_ok=ends):
            arriving.put_nowait(output)
        return ends


def _decoded(frame: bytes) -> str:
    try:
        return frame.decode()
    except UnicodeDecodeError:
        raise bad_answer("the answer is not UTF-8 text") from None
