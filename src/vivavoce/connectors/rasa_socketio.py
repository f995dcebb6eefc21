"""A Rasa bot over its Socket.IO channel.

Wire    `session_request` once, which the bot confirms, then `user_uttered` {"message", "session_id",
        "metadata"}; `bot_uttered` for each message that comes back. The turn is complete when Rasa
        acknowledges `user_uttered`, which it does when it has said everything. Where a server acknowledges
        nothing, or before it speaks, the turn is complete when nothing came for `idle_s`
Memory  in the bot's tracker: under the session id where the bot has `session_persistence: true`, else under
        the connection, and then it is lost with it; a reset takes another of both
Retry   when the connection was never made
"""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, ClassVar
from urllib.parse import urlsplit

import httpx
from pydantic import Field

from vivavoce.connectors.answers import clean, clean_text
from vivavoce.connectors.base import Capabilities, ConnectorSettings, Conversation, SystemOutput, UserTurn
from vivavoce.connectors.idle_timeout import Item, until_idle
from vivavoce.connectors.rasa_messages import greeting_once, read_message
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.system_connector import HoldingConnector, name_of
from vivavoce.connectors.transport import checked_addresses
from vivavoce.connectors.urls import WebAddress
from vivavoce.core.errors import SystemUnderTestError
from vivavoce.core.extras import require


class RasaSocketSettings(ConnectorSettings):
    """Settings of a system with `connect: rasa-socketio`."""

    url: WebAddress = Field(description="Rasa server address")
    path: str = Field("/socket.io", description="socketio_path of the bot's credentials.yml")
    token: str | None = Field(None, description="${NAME} of a token signed with its jwt_key, sent as auth")
    start: str | None = Field(None, description="message that starts a conversation, such as /session_start")
    metadata: dict[str, Any] = Field(default_factory=dict, description="metadata of every message")
    session_persistence: bool = Field(False, description="as in the bot's credentials.yml")
    user_event: str = Field("user_uttered", description="user_message_evt of the bot's credentials.yml")
    bot_event: str = Field("bot_uttered", description="bot_message_evt of the bot's credentials.yml")
    idle_s: float = Field(1.0, gt=0, le=60, description="silence that ends an unacknowledged turn")


class RasaSocketConnector(HoldingConnector[RasaSocketSettings, "_Client"]):
    """A Rasa bot behind its Socket.IO channel."""

    name: ClassVar[str] = "rasa-socketio"
    summary: ClassVar[str] = "a Rasa bot over its Socket.IO channel"
    settings: ClassVar[type[ConnectorSettings]] = RasaSocketSettings

    @staticmethod
    def check_installed() -> object:
        return _socketio()

    def __init__(self, settings: RasaSocketSettings, vault: Vault) -> None:
        super().__init__(settings, vault)

    @property
    def capabilities(self) -> Capabilities:
        greets = self._settings.start is not None
        memory = "system" if self._settings.session_persistence else "process"
        return Capabilities(choices=True, memory=memory, greets=greets)

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        await self._client(conversation)
        start = self._settings.start
        if start is not None and not conversation.history:
            outputs = [output async for output in self._exchange(conversation, start)]
            for message in greeting_once([output.raw for output in outputs if output.raw is not None], start):
                for output in read_message(message):
                    yield output
            if outputs and outputs[-1].held_s:
                yield outputs[-1]

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        async for output in self._exchange(conversation, turn.message):
            yield output

    async def _exchange(self, conversation: Conversation, text: str) -> AsyncIterator[SystemOutput]:
        client = await self._client(conversation)
        payload: dict[str, Any] = {"message": clean_text(text), "session_id": name_of(conversation)}
        if self._settings.metadata:
            payload["metadata"] = self._settings.metadata
        self._wire.sent(self._settings.user_event, json.dumps(payload, ensure_ascii=False))
        client.raw.clear()
        complete = False
        try:
            await client.say(payload)
            incoming = until_idle(client.arriving, self._settings, self._settings.idle_s)
            async with aclosing(incoming) as outputs:
                async for output in outputs:
                    yield output
            complete = True
        finally:
            for message in client.raw:
                self._wire.received(self._settings.bot_event, json.dumps(message, ensure_ascii=False))
            if not complete:
                await client.close()  # what it says late would be taken for its next answer

    async def _client(self, conversation: Conversation) -> "_Client":
        client = self._held.get(conversation.key)
        if client is not None and client.alive:
            return client
        if client is not None and client.spoken and not self._settings.session_persistence:
            problem = "the connection was lost, and with it the bot's memory of the conversation"
            raise SystemUnderTestError("closed", f"{problem} (it has no session_persistence)", reached=False)
        client = self._held[conversation.key] = _Client(self._settings, self._vault)
        await client.connect(name_of(conversation))
        return client


class _Client:
    """One Socket.IO connection; `spoken`: it has carried a message."""

    def __init__(self, settings: RasaSocketSettings, vault: Vault) -> None:
        self._settings, self._vault = settings, vault
        self.arriving: asyncio.Queue[Item] = asyncio.Queue()
        self.raw: list[Any] = []
        self.spoken = False
        self._turn, self._closing, self._confirmed = object(), False, asyncio.Event()
        self._io = _socketio().AsyncClient(
            reconnection=False, request_timeout=settings.connect_timeout_s, http_session=_session(settings)
        )
        self._io.on("session_confirm", self._confirm)
        self._io.on(settings.bot_event, self._heard)
        self._io.on("disconnect", self._ended)

    @property
    def alive(self) -> bool:
        return self._io.connected and not self._closing

    async def connect(self, session: str) -> None:
        settings = self._settings
        try:
            host = urlsplit(settings.url).hostname or ""
            await checked_addresses(host, allow_private=settings.allow_private)
            auth = {"token": self._vault.expand(settings.token)} if settings.token else None
            await self._io.connect(
                self._vault.expand(settings.url),
                auth=auth,
                socketio_path=settings.path.strip("/"),
                wait_timeout=settings.connect_timeout_s,
                transports=["websocket"],
            )
            await self._io.emit("session_request", {"session_id": session})
            async with asyncio.timeout(settings.connect_timeout_s):
                await self._confirmed.wait()
        except (_socketio().exceptions.SocketIOError, httpx.ConnectError, OSError, TimeoutError) as error:
            await self.close()
            problem = self._vault.redact(str(error)) or "the bot did not confirm the session in time"
            raise SystemUnderTestError("unreachable", problem, reached=False) from None

    async def say(self, content: dict[str, Any]) -> None:
        """Say it; when the bot acknowledges that, its turn is complete."""
        turn, self.spoken = object(), True
        self._turn = turn
        for item in [self.arriving.get_nowait() for _ in range(self.arriving.qsize())]:
            if item is not None:  # the turn before was acknowledged after its silence had ended it
                self.arriving.put_nowait(item)
        try:
            await self._io.emit(
                self._settings.user_event, content, callback=lambda *_: self._acknowledged(turn)
            )
        except _socketio().exceptions.SocketIOError as error:
            raise SystemUnderTestError("closed", self._vault.redact(str(error))) from None

    def _acknowledged(self, turn: object) -> None:
        if turn is not self._turn:
            return
        if self.raw:
            self.arriving.put_nowait(None)
            return

        def silent() -> None:
            if turn is self._turn and not self.raw:
                self.arriving.put_nowait(None)

        asyncio.get_running_loop().call_later(self._settings.idle_s, silent)

    async def _confirm(self, *_: Any) -> None:
        self._confirmed.set()

    async def _heard(self, message: Any = None) -> None:
        message = self._vault.redact(clean(message))
        self.raw.append(message)
        try:
            for output in read_message(message):
                self.arriving.put_nowait(output)
        except SystemUnderTestError as error:
            self.arriving.put_nowait(error)

    async def _ended(self, *_: Any) -> None:
        if not self._closing:
            self.arriving.put_nowait(SystemUnderTestError("closed", "the connection was closed by the bot"))

    async def close(self) -> None:
        self._closing = True
        await self._io.disconnect()
        await self._io.eio.http.close()


def _session(settings: RasaSocketSettings) -> Any:
    """An HTTP session that connects to checked addresses only."""
    import aiohttp
    from aiohttp.abc import AbstractResolver

    class Resolver(AbstractResolver):
        async def resolve(self, host: str, port: int = 0, family: Any = socket.AF_INET) -> Any:
            addresses = await checked_addresses(host, allow_private=settings.allow_private)
            return [
                {
                    "hostname": host,
                    "host": address,
                    "port": port,
                    "proto": 0,
                    "family": socket.AF_INET6 if ":" in address else socket.AF_INET,
                    "flags": socket.AI_NUMERICHOST,
                }
                for address in addresses
            ]

        async def close(self) -> None:
            """Do nothing."""

    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(resolver=Resolver()))


def _socketio() -> Any:
    require("aiohttp", "socketio", extra="socketio", place="connect")
    import socketio

    return socketio
