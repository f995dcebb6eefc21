"""An unmodified Discord bot: Vivavoce is Discord, its gateway and its interface.

Wire    the bot connects to ws://HOST:PORT/gateway, where it is told of messages and pressed buttons, and
        calls http://HOST:PORT/api/vN
Memory  in the bot, under a direct channel and a user that are new for each conversation; a reset takes others
Turn    complete when the bot has been idle for `idle_s` and is neither typing nor owes a deferred answer
Source  https://discord.com/developers/docs: gateway, gateway events, messages, interactions (version 10)
"""

import asyncio
import json
import time
import zlib
from typing import Any, ClassVar, Final

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from vivavoce.connectors.base import ConnectorSettings
from vivavoce.connectors.secrets import Vault
from vivavoce.core.errors import SystemUnderTestError
from vivavoce_platforms.discord_api import LONGEST_TEXT, DiscordApi, DiscordError
from vivavoce_platforms.platform import COME, PlatformConnector, PlatformSettings
from vivavoce_platforms.platform_chat import Chat
from vivavoce_platforms.platform_requests import UnreadableCall, parameters

_DISPATCH, _HEARTBEAT, _IDENTIFY, _RESUME, _HELLO, _HEARD = 0, 1, 2, 6, 10, 11
_BEAT_MS: Final = 41_250
_WRONG_TOKEN: Final = 4004


class DiscordSettings(PlatformSettings):
    """Settings of a system with `connect: discord`."""

    port: int = Field(8085, ge=0, le=65535, description="port that the bot connects to")
    token: str | None = Field(None, description="${NAME} of the bot's token (default: any token is accepted)")


class DiscordConnector(PlatformConnector[DiscordSettings]):
    """A Discord bot that takes us for Discord."""

    name: ClassVar[str] = "discord"
    summary: ClassVar[str] = "an unmodified Discord bot; Vivavoce acts as Discord"
    settings: ClassVar[type[ConnectorSettings]] = DiscordSettings
    platform: ClassVar[str] = "Discord"
    real_host: ClassVar[str] = "discord.com"
    longest_text: ClassVar[int] = LONGEST_TEXT

    def __init__(self, settings: DiscordSettings, vault: Vault) -> None:
        super().__init__(settings, vault)
        self._token = vault.expand(settings.token) if settings.token else None
        self._api = DiscordApi(self._chats, typing_s=settings.typing_s)
        self._line: _Line | None = None

    # --- what the bot is told -------------------------------------------------------------------------

    def _new_chat_id(self) -> str:
        return self._api.number()

    def _event(self, chat: Chat, text: str, payload: str | None) -> dict[str, Any]:
        if payload is None:
            return {"t": "MESSAGE_CREATE", "d": self._api.said(chat, text)}
        return {"t": "INTERACTION_CREATE", "d": self._api.pressed(chat, payload)}

    async def _give(self, chat: Chat, event: dict[str, Any], again: int, reason: str) -> None:
        until = time.monotonic() + self._settings.connect_timeout_s
        while self._line is None:
            if time.monotonic() > until:
                limit = self._settings.connect_timeout_s
                problem = f"no bot has connected to the gateway of {self.address} within {limit:g} s; {COME}"
                raise SystemUnderTestError("unreachable", problem, reached=False)
            await asyncio.sleep(0.005)
        self._wire.sent(event["t"], json.dumps(event["d"], ensure_ascii=False))
        try:
            await self._line.dispatch(event["t"], event["d"])
        except (WebSocketDisconnect, RuntimeError):
            raise SystemUnderTestError("closed", "the bot closed its connection") from None

    # --- the gateway ----------------------------------------------------------------------------------

    def _routes(self) -> list[BaseRoute]:
        methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
        return [
            Route("/api/{path:path}", self._serve, methods=methods),
            WebSocketRoute("/gateway", self._serve_gateway),
            WebSocketRoute("/gateway/", self._serve_gateway),
        ]

    async def _serve_gateway(self, socket: WebSocket) -> None:
        await socket.accept()
        line = _Line(socket, compressed=socket.query_params.get("compress") == "zlib-stream")
        try:
            await line.send(_HELLO, {"heartbeat_interval": _BEAT_MS, "_trace": []})
            while True:
                frame = await line.heard()
                match frame.get("op"):
                    case 1:  # _HEARTBEAT
                        await line.send(_HEARD, None)
                    case 2 | 6:  # _IDENTIFY, _RESUME
                        frame_data = frame.get("d")
                        await self._let_in(
                            line, socket, frame["op"], frame_data if isinstance(frame_data, dict) else {}
                        )
        except (WebSocketDisconnect, RuntimeError, ValueError, AttributeError):
            pass
        finally:
            if self._line is line:
                self._line = None

    async def _let_in(self, line: "_Line", socket: WebSocket, op: int, data: dict[str, Any]) -> None:
        if self._token is not None and str(data.get("token", "")).removeprefix("Bot ") != self._token:
            await socket.close(_WRONG_TOKEN, "Authentication failed.")
            return
        if op == _RESUME:
            await line.dispatch("RESUMED", {})
        else:
            await line.dispatch("READY", self._api.ready(f"{self.address.replace('http', 'ws', 1)}/gateway"))
        self._line = line

    # --- the interface --------------------------------------------------------------------------------

    async def _serve(self, request: Request) -> Response:
        path = request.path_params["path"].split("/")
        path = path[1:] if path[0].startswith("v") else path
        try:
            token = request.headers.get("authorization", "").removeprefix("Bot ")
            by_their_own = path[0] in ("interactions", "webhooks")  # tokens, which stand in the address
            if self._token not in (None, token) and not by_their_own:
                raise DiscordError(401, 0, "401: Unauthorized")
            params = await parameters(request, self._settings.longest_answer_bytes)
            answer = self._api.call(request.method, path, params, self.address)
        except UnreadableCall:
            return JSONResponse({"code": 50109, "message": "The request body contains invalid JSON."}, 400)
        except DiscordError as problem:
            return JSONResponse({"code": problem.code, "message": problem.message}, problem.status)
        return Response(status_code=204) if answer is None else JSONResponse(answer)


class _Line:
    """A bot's connection to the gateway: what is sent is numbered, and compressed where it asks for that."""

    def __init__(self, socket: WebSocket, *, compressed: bool) -> None:
        self._socket, self._number = socket, 0
        self._pack = zlib.compressobj() if compressed else None

    async def dispatch(self, name: str, data: dict[str, Any]) -> None:
        self._number += 1
        await self.send(_DISPATCH, data, s=self._number, t=name)

    async def send(self, op: int, told: Any, **more: Any) -> None:
        frame = json.dumps({"op": op, "d": told, "s": None, "t": None, **more}, ensure_ascii=False)
        if self._pack is None:
            await self._socket.send_text(frame)
        else:
            data = self._pack.compress(frame.encode()) + self._pack.flush(zlib.Z_SYNC_FLUSH)
            await self._socket.send_bytes(data)

    async def heard(self) -> dict[str, Any]:
        """Next message of the bot, as text or as bytes. Raises WebSocketDisconnect, ValueError."""
        received = await self._socket.receive()
        if received["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(received.get("code", 1005))
        return json.loads(received.get("text") or received.get("bytes") or b"{}")
