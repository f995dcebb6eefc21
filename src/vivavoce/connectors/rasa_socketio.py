"""A Rasa bot over its Socket.IO channel.

Wire    `session_request` once, then `user_uttered` {"message", "session_id"}; `bot_uttered` for each message
        that comes back, until none came for `idle_s`
Memory  in the bot's tracker, under the session id; a reset takes another
Retry   when the connection was never made
"""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from typing import Any, ClassVar
from urllib.parse import urlsplit

import httpx
from pydantic import Field

from vivavoce.connectors.answers import clean, clean_text
from vivavoce.connectors.base import Capabilities, ConnectorSettings, Conversation, SystemOutput, UserTurn
from vivavoce.connectors.listening_for_more import Item, until_idle
from vivavoce.connectors.naming import name_of, renamed
from vivavoce.connectors.rasa_messages import read_message
from vivavoce.connectors.secrets import Vault, names_in
from vivavoce.connectors.transport import checked_addresses
from vivavoce.connectors.urls import WebAddress, check_address
from vivavoce.connectors.wire import Wire
from vivavoce.core.errors import InputError, SystemUnderTestError


class RasaSocketSettings(ConnectorSettings):
    """Settings of a system with `connect: rasa-socketio`."""

    url: WebAddress = Field(description="base address of the Rasa server")
    path: str = Field("/socket.io", description="path of the Socket.IO channel")
    token: str | None = Field(None, description="${NAME} of a token, sent as auth")
    start: str | None = Field(None, description="message that opens a conversation, such as /session_start")
    idle_s: float = Field(1.0, gt=0, le=60, description="silence that ends the bot's turn")


class RasaSocketConnector:
    """A Rasa bot behind its Socket.IO channel."""

    name: ClassVar[str] = "rasa-socketio"
    summary: ClassVar[str] = "a Rasa bot over its Socket.IO channel"
    settings: ClassVar[type[ConnectorSettings]] = RasaSocketSettings

    def __init__(self, settings: RasaSocketSettings, vault: Vault) -> None:
        check_address(settings.url, allow_private=settings.allow_private, place="url")
        self._settings, self._vault, self._wire = settings, vault, Wire(settings, vault)
        self._clients: dict[str, _Client] = {}

    @classmethod
    def make(cls, settings: Any, secrets: Mapping[str, str]) -> "RasaSocketConnector":
        _socketio()
        return cls(settings, Vault(names_in(settings.model_dump()), secrets))

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(choices=True, memory="system", greets=self._settings.start is not None)

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        await self._client(conversation)
        if self._settings.start is not None and not conversation.history:
            async for output in self._exchange(conversation, self._settings.start):
                yield output

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        async for output in self._exchange(conversation, turn.message):
            yield output

    async def _exchange(self, conversation: Conversation, text: str) -> AsyncIterator[SystemOutput]:
        client = await self._client(conversation)
        said = {"message": clean_text(text), "session_id": name_of(conversation)}
        self._wire.sent("user_uttered", json.dumps(said, ensure_ascii=False))
        client.raw.clear()
        await client.emit("user_uttered", said)
        try:
            async with aclosing(
                until_idle(client.arriving, self._settings, self._settings.idle_s)
            ) as outputs:
                async for output in outputs:
                    yield output
        finally:
            for message in client.raw:
                self._wire.received("bot_uttered", json.dumps(message, ensure_ascii=False))

    async def _client(self, conversation: Conversation) -> "_Client":
        client = self._clients.get(conversation.key)
        if client is None or not client.alive:
            client = self._clients[conversation.key] = _Client(self._settings, self._vault)
            await client.connect(name_of(conversation))
        return client

    async def reset(self, conversation: Conversation) -> None:
        await self.close(conversation)
        renamed(conversation)

    async def close(self, conversation: Conversation) -> None:
        client = self._clients.pop(conversation.key, None)
        if client is not None:
            await client.close()

    async def shut_down(self) -> None:
        clients, self._clients = list(self._clients.values()), {}
        await asyncio.gather(*(client.close() for client in clients), return_exceptions=True)


class _Client:
    """One Socket.IO connection."""

    def __init__(self, settings: RasaSocketSettings, vault: Vault) -> None:
        self._settings, self._vault = settings, vault
        self.arriving: asyncio.Queue[Item] = asyncio.Queue()
        self.raw: list[Any] = []
        self._closing = False
        self._io = _socketio().AsyncClient(
            reconnection=False, request_timeout=settings.connect_timeout_s, http_session=_session(settings)
        )
        self._io.on("bot_uttered", self._heard)
        self._io.on("disconnect", self._ended)

    @property
    def alive(self) -> bool:
        return self._io.connected

    async def connect(self, session: str) -> None:
        settings, parts = self._settings, urlsplit(self._settings.url)
        try:
            port = parts.port or (443 if parts.scheme == "https" else 80)
            await checked_addresses(parts.hostname or "", port, allow_private=settings.allow_private)
            auth = {"token": self._vault.expand(settings.token)} if settings.token else None
            await self._io.connect(
                self._vault.expand(settings.url), auth=auth, socketio_path=settings.path.strip("/"),
                wait_timeout=settings.connect_timeout_s, transports=["websocket"],
            )  # fmt: skip
        except (_socketio().exceptions.SocketIOError, httpx.ConnectError, OSError, TimeoutError) as error:
            await self.close()
            problem = self._vault.redact(str(error)) or "the connection was not made in time"
            raise SystemUnderTestError("unreachable", problem, reached=False) from None
        await self.emit("session_request", {"session_id": session})

    async def emit(self, event: str, content: dict[str, Any]) -> None:
        try:
            await self._io.emit(event, content)
        except _socketio().exceptions.SocketIOError as error:
            raise SystemUnderTestError("closed", self._vault.redact(str(error))) from None

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
            addresses = await checked_addresses(host, port, allow_private=settings.allow_private)
            return [
                {
                    "hostname": host, "host": address, "port": port, "proto": 0,
                    "family": socket.AF_INET6 if ":" in address else socket.AF_INET,
                    "flags": socket.AI_NUMERICHOST,
                }
                for address in addresses
            ]  # fmt: skip

        async def close(self) -> None:
            """Nothing is held."""

    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(resolver=Resolver()))


def _socketio() -> Any:
    try:
        import aiohttp  # noqa: F401
        import socketio
    except ImportError:
        cure = "pip install 'vivavoce[socketio]'"
        raise InputError("python-socketio is not installed", place="connect", cure=cure) from None
    return socketio
