"""An unmodified Slack bot: Vivavoce is Slack, and the bot's Web API address points at it.

Wire    events are posted to the bot's request address, signed, or go over the connection that it opened
        (Socket Mode); it calls chat.postMessage and the like at http://HOST:PORT/api/METHOD
Memory  in the bot, under a chat that is new for each conversation; a reset takes another
Turn    complete when the bot has been idle for `idle_s`, is not typing, and streams nothing
Source  https://docs.slack.dev: Events API, verifying requests, Socket Mode
"""

import asyncio
import json
import time
from typing import Any, ClassVar, Final
from urllib.parse import urlencode

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from vivavoce.connectors.answers import read_json
from vivavoce.connectors.base import ConnectorSettings
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.signing import Signature, Signer
from vivavoce.connectors.transport import check_status, reported
from vivavoce.connectors.urls import WebAddress
from vivavoce.core.errors import SystemUnderTestError
from vivavoce_platforms.platform import COME, PlatformConnector, WebhookSettings
from vivavoce_platforms.platform_chat import Chat
from vivavoce_platforms.platform_requests import UnreadableCall, parameters
from vivavoce_platforms.slack_api import WebApi
from vivavoce_platforms.slack_messages import (
    APP,
    LONGEST_TEXT,
    SlackError,
    command_event,
    message_event,
    press_event,
)

_ENVELOPES: Final = {"event": "events_api", "payload": "interactive", "command": "slash_commands"}


class SlackSettings(WebhookSettings):
    """Settings of a system with `connect: slack`."""

    url: WebAddress | None = Field(
        None, description="the bot's request address (default: the bot connects by Socket Mode)"
    )
    port: int = Field(8082, ge=0, le=65535, description="port that the bot connects to")
    signing_secret: str | None = Field(
        None, description="${NAME} of the secret that signs requests (default: unsigned)"
    )
    token: str | None = Field(None, description="${NAME} of the bot's token (default: any token is accepted)")
    mention: bool = Field(False, description="talk in a channel, where each message mentions the bot")
    commands: bool = Field(True, description="treat a turn that begins with / as a slash command")
    verify: bool = Field(True, description="verify the request address by a challenge first, as Slack does")


class SlackConnector(PlatformConnector[SlackSettings]):
    """A Slack bot that takes us for Slack."""

    name: ClassVar[str] = "slack"
    summary: ClassVar[str] = "an unmodified Slack bot; Vivavoce acts as Slack"
    settings: ClassVar[type[ConnectorSettings]] = SlackSettings
    platform: ClassVar[str] = "Slack"
    real_host: ClassVar[str] = "slack.com"
    longest_text: ClassVar[int] = LONGEST_TEXT
    acknowledge_s: ClassVar[float] = 3.0

    def __init__(self, settings: SlackSettings, vault: Vault) -> None:
        super().__init__(settings, vault)
        self._url = vault.expand(settings.url) if settings.url else None
        self._token = vault.expand(settings.token) if settings.token else None
        self._signer = _signer(settings, vault)
        self._api = WebApi(time.monotonic, self._chats, typing_s=settings.typing_s)
        self._verified: asyncio.Task[None] | None = None
        self._socket: WebSocket | None = None
        self._acknowledged: dict[str, asyncio.Future[Any]] = {}

    async def shut_down(self) -> None:
        if self._verified is not None:
            self._verified.cancel()
        if self._socket is not None:
            await self._socket.close()
        await super().shut_down()

    # --- what the bot is told -------------------------------------------------------------------------

    def _new_chat_id(self) -> str:
        return self._api.new_chat_id(channel=self._settings.mention)

    def _event(self, chat: Chat, text: str, payload: str | None) -> dict[str, Any]:
        ts = self._api.ts()
        if payload is not None:
            button = chat.buttons[payload]
            hook = self._hook(chat, button["message"])
            return {"payload": press_event(chat, button, ts, f"t.{ts}", hook)}
        if self._settings.commands and text.startswith("/") and text[1:2].isalnum():
            return {"command": command_event(chat, text, f"t.{ts}", self._hook(chat))}
        return {"event": message_event(chat, text, ts, mention=self._settings.mention)}

    def _hook(self, chat: Chat, message_ts: str = "") -> str:
        return f"{self.address}/actions/{self._api.hook(chat, message_ts)}"

    async def _give(self, chat: Chat, event: dict[str, Any], again: int, reason: str) -> None:
        ((kind, content),) = event.items()
        if self._url is None:
            answer = await self._sent_over_socket(_ENVELOPES[kind], content, again, reason)
        else:
            await self._verify(self._url)
            headers = {"X-Slack-Retry-Num": str(again), "X-Slack-Retry-Reason": reason} if again else {}
            answer = await self._posted(self._url, kind, content, headers)
        if kind == "command" and answer:
            reply = {"text": answer} if isinstance(answer, str) else answer
            self._api.call("chat.postMessage", {**reply, "channel": chat.chat_id})

    async def _verify(self, url: str) -> None:
        """Once, before the first event: the bot gives back what it is challenged with."""
        if self._verified is None:
            self._verified = asyncio.create_task(self._challenge(url))
        try:
            await asyncio.shield(self._verified)
        except SystemUnderTestError:
            self._verified = None
            raise

    async def _challenge(self, url: str) -> None:
        if not self._settings.verify:
            return
        challenge = f"c{self._api.ts()}"
        query = {"token": "unused", "challenge": challenge, "type": "url_verification"}
        answer = await self._posted(url, "event", query, {})
        echo = answer.get("challenge") if isinstance(answer, dict) else answer
        if echo != challenge:
            problem = "it did not return the challenge of url_verification; verify: false skips it"
            raise SystemUnderTestError("refused", problem, reached=False)

    async def _posted(self, url: str, kind: str, content: dict[str, Any], headers: dict[str, str]) -> Any:
        """Post what the bot is told to its request address; its answer, as JSON or as text."""
        if kind == "event":
            body, media = json.dumps(content, ensure_ascii=False), "application/json"
        else:
            form = {"payload": json.dumps(content)} if kind == "payload" else content
            body, media = urlencode(form), "application/x-www-form-urlencoded"
        headers = {"content-type": media, **headers}
        with reported(self._vault):
            request = self._client.build_request("POST", url, content=body, headers=headers)
            if self._signer is not None:
                self._signer.sign(request)
            response = await self._knock(request)
            check_status(response, response.content)
        text = response.content.decode("utf-8", "replace").strip()
        return read_json(text) if text.startswith("{") else text

    # --- Socket Mode ----------------------------------------------------------------------------------

    async def _sent_over_socket(self, kind: str, content: dict[str, Any], again: int, reason: str) -> Any:
        """Send an envelope over the bot's connection, and wait until it is acknowledged."""
        until = time.monotonic() + self._settings.connect_timeout_s
        while self._socket is None:
            if time.monotonic() > until:
                limit = self._settings.connect_timeout_s
                problem = f"no bot has connected by Socket Mode to {self.address}/api/ within {limit:g} s"
                raise SystemUnderTestError("unreachable", f"{problem}; {COME}", reached=False)
            await asyncio.sleep(0.005)
        name = f"e-{self._api.ts()}"
        envelope: dict[str, Any] = {"envelope_id": name, "type": kind, "payload": content}
        envelope |= {"accepts_response_payload": kind != "events_api"}
        if kind == "events_api":
            envelope |= {"retry_attempt": again, "retry_reason": reason}
        text = json.dumps(envelope, ensure_ascii=False)
        self._wire.sent("envelope", text)
        waiting = self._acknowledged[name] = asyncio.get_running_loop().create_future()
        try:
            await self._socket.send_text(text)
            return await waiting
        except (WebSocketDisconnect, RuntimeError):
            raise SystemUnderTestError("closed", "the bot closed its connection") from None
        finally:
            self._acknowledged.pop(name, None)

    async def _serve_socket(self, socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_json(
            {"type": "hello", "num_connections": 1, "connection_info": {"app_id": APP}, "debug_info": {}}
        )
        self._socket = socket
        try:
            while True:
                envelope = json.loads(await socket.receive_text())
                waiting = self._acknowledged.get(envelope.get("envelope_id"))
                if waiting is not None and not waiting.done():
                    waiting.set_result(envelope.get("payload"))
        except (WebSocketDisconnect, ValueError, AttributeError, KeyError):
            pass
        finally:
            if self._socket is socket:
                self._socket = None
                for waiting in self._acknowledged.values():
                    if not waiting.done():
                        waiting.set_exception(RuntimeError("closed"))

    # --- the server -----------------------------------------------------------------------------------

    def _routes(self) -> list[BaseRoute]:
        return [
            Route("/api/{method}", self._serve, methods=["GET", "POST"]),
            Route("/actions/{name}", self._serve_hook, methods=["POST"]),
            WebSocketRoute("/link", self._serve_socket),
        ]

    async def _serve(self, request: Request) -> Response:
        method = request.path_params["method"]
        try:
            params = await parameters(request, self._settings.longest_answer_bytes)
            token = request.headers.get("authorization", "").removeprefix("Bearer ") or params.pop(
                "token", ""
            )
            if method == "apps.connections.open":  # by a token of another kind
                return JSONResponse({"ok": True, "url": f"{self.address.replace('http', 'ws', 1)}/link"})
            if self._token is not None and token != self._token:
                raise SlackError("invalid_auth")
            return JSONResponse({"ok": True, **self._api.call(method, params)})
        except UnreadableCall as problem:
            error = "request_too_large" if problem.too_large else "invalid_json"
            return JSONResponse({"ok": False, "error": error})
        except SlackError as problem:
            return JSONResponse({"ok": False, "error": problem.error})

    async def _serve_hook(self, request: Request) -> Response:
        try:
            params = await parameters(request, self._settings.longest_answer_bytes)
            self._api.respond(request.path_params["name"], params)
        except (SlackError, UnreadableCall) as problem:
            return Response(str(problem), status_code=404)
        return Response("ok")


def _signer(settings: SlackSettings, vault: Vault) -> Signer | None:
    if settings.signing_secret is None:
        return None
    signed = Signature.model_validate(
        {
            "key": settings.signing_secret,
            "header": "X-Slack-Signature",
            "prefix": "v0=",
            "text": "v0:{{ timestamp }}:{{ body }}",
            "timestamp": "X-Slack-Request-Timestamp",
        }
    )
    return Signer(signed, vault, time.time, "signing_secret")
