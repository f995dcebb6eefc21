"""Shared parts of Meta's platforms (WhatsApp, Messenger): signed webhooks, and the Graph API for bots.

Wire    events are posted to the bot's webhook, signed in X-Hub-Signature-256; before the first one the
webhook must return a challenge. The bot calls http://HOST:PORT/vNN.N/...
Source  https://developers.facebook.com/docs/graph-api/webhooks/getting-started
"""

import asyncio
import json
import re
import time
from abc import abstractmethod
from typing import Any, ClassVar, Final, Generic, TypeVar

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.signing import Signature, Signer
from vivavoce.connectors.transport import check_status, reported
from vivavoce.connectors.urls import WebAddress
from vivavoce.core.errors import SystemUnderTestError
from vivavoce_platforms.platform import PlatformConnector, WebhookSettings
from vivavoce_platforms.platform_chat import BotMessage, Chat
from vivavoce_platforms.platform_requests import UnreadableCall, Upload, parameters

_VERSION: Final = re.compile(r"v\d+(\.\d+)?")


class GraphError(Exception):
    """Errors of the Graph API for rejected calls."""

    def __init__(self, code: int, message: str, status: int = 400) -> None:
        self.code, self.message, self.status = code, message, status
        super().__init__(message)


class GraphSettings(WebhookSettings):
    """Settings of a bot on one of Meta's platforms."""

    url: WebAddress = Field(description="the bot's webhook")
    app_secret: str | None = Field(
        None, description="${NAME} of the secret that signs events (default: unsigned)"
    )
    verify_token: str | None = Field(
        None,
        description="${NAME} of the webhook's verify token (default: no challenge)",
    )
    token: str | None = Field(None, description="${NAME} of the bot's token (default: any token is accepted)")


Settings = TypeVar("Settings", bound=GraphSettings)


class GraphConnector(PlatformConnector[Settings], Generic[Settings]):
    """A bot on one of Meta's platforms."""

    real_host: ClassVar[str] = "graph.facebook.com"

    def __init__(self, settings: Settings, vault: Vault) -> None:
        super().__init__(settings, vault)
        self._url = vault.expand(settings.url)
        self._token = vault.expand(settings.token) if settings.token else None
        self._signer = _signer(settings.app_secret, vault)
        self._verified: asyncio.Task[None] | None = None
        self._numbers = time.time_ns() // 1000
        self._files: dict[str, Upload] = {}

    async def shut_down(self) -> None:
        if self._verified is not None:
            self._verified.cancel()
        await super().shut_down()

    @abstractmethod
    def _call(self, method: str, path: list[str], params: dict[str, Any]) -> dict[str, Any]:
        """Answer one call of the bot. Raises GraphError for what the platform would refuse."""

    def _number(self) -> int:
        self._numbers += 1
        return self._numbers

    # --- what the bot is told -------------------------------------------------------------------------

    async def _give(self, chat: Chat, event: dict[str, Any], again: int, reason: str) -> None:
        await self._verify()
        body = json.dumps(event, ensure_ascii=False)
        with reported(self._vault):
            headers = {"content-type": "application/json"}
            request = self._client.build_request("POST", self._url, content=body, headers=headers)
            if self._signer is not None:
                self._signer.sign(request)
            response = await self._knock(request)
            check_status(response, response.content)

    async def _verify(self) -> None:
        """Once, before the first event: the webhook gives back what it is challenged with."""
        if self._settings.verify_token is None:
            return
        if self._verified is None:
            self._verified = asyncio.create_task(
                self._challenge(self._vault.expand(self._settings.verify_token))
            )
        try:
            await asyncio.shield(self._verified)
        except SystemUnderTestError:
            self._verified = None
            raise

    async def _challenge(self, token: str) -> None:
        challenge = str(self._number())
        query = {"hub.mode": "subscribe", "hub.verify_token": token, "hub.challenge": challenge}
        with reported(self._vault):
            response = await self._knock(self._client.build_request("GET", self._url, params=query))
            if response.status_code != 200 or response.text.strip() != challenge:
                problem = f"its webhook did not return the challenge (HTTP {response.status_code})"
                raise SystemUnderTestError("refused", problem, reached=False)

    # --- the server -----------------------------------------------------------------------------------

    def _routes(self) -> list[BaseRoute]:
        return [Route("/{path:path}", self._serve, methods=["GET", "POST", "DELETE"])]

    async def _serve(self, request: Request) -> Response:
        path = [part for part in request.path_params["path"].split("/") if part]
        if path and _VERSION.fullmatch(path[0]):
            path = path[1:]
        try:
            params = await parameters(request, self._settings.longest_answer_bytes)
            bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
            if self._token is not None and (bearer or params.get("access_token")) != self._token:
                raise GraphError(190, "Invalid OAuth access token.", 401)
            return JSONResponse(self._call(request.method, path, params))
        except UnreadableCall as problem:
            return _refused(GraphError(100, f"Invalid parameter: the body is {problem}"))
        except GraphError as problem:
            return _refused(problem)

    def _wrote(self, chat: Chat, method: str, params: dict[str, Any], message: BotMessage) -> None:
        """The bot wrote a message."""
        message.at_s = time.monotonic()
        chat.texts[message.message_id] = message.text
        chat.messages.append(message)
        chat.stirred(method, params, message.at_s)


def _refused(problem: GraphError) -> Response:
    error = {
        "message": problem.message,
        "type": "OAuthException",
        "code": problem.code,
        "fbtrace_id": "vivavoce",
    }
    return JSONResponse({"error": error}, status_code=problem.status)


def _signer(secret: str | None, vault: Vault) -> Signer | None:
    if secret is None:
        return None
    signed = Signature.model_validate({"key": secret, "header": "X-Hub-Signature-256", "prefix": "sha256="})
    return Signer(signed, vault, time.time, "app_secret")
