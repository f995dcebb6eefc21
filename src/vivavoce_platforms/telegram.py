"""An unmodified Telegram bot: Vivavoce is the Bot API server, and the bot is pointed at it.

Wire    the bot fetches updates (getUpdates) or is sent them (setWebhook), and calls sendMessage and the like
        at http://HOST:PORT/botTOKEN/METHOD
Memory  in the bot, under a chat id that is new for each conversation; a reset takes another
Turn    complete when the bot has been idle for `idle_s` and is not typing
"""

import asyncio
import json
import time
from typing import Any, ClassVar, Final

import httpx
from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from vivavoce.connectors.base import ConnectorSettings, Conversation
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.transport import check_status, reported
from vivavoce.core.errors import SystemUnderTestError
from vivavoce_platforms.platform import COME, PlatformConnector, PlatformSettings
from vivavoce_platforms.platform_chat import Chat
from vivavoce_platforms.platform_requests import UnreadableCall, parameters
from vivavoce_platforms.telegram_api import BotApi
from vivavoce_platforms.telegram_messages import LONGEST_TEXT, BotApiError

_ALIVE_S: Final = 60.0


class TelegramSettings(PlatformSettings):
    """Settings of a system with `connect: telegram`."""

    token: str | None = Field(None, description="${NAME} of the bot's token (default: any token is accepted)")
    start: str | None = Field("/start", description="first message of a conversation; null: none")


class TelegramConnector(PlatformConnector[TelegramSettings]):
    """A Telegram bot that takes us for Telegram."""

    name: ClassVar[str] = "telegram"
    summary: ClassVar[str] = "an unmodified Telegram bot; Vivavoce acts as its Bot API server"
    settings: ClassVar[type[ConnectorSettings]] = TelegramSettings
    platform: ClassVar[str] = "Telegram"
    real_host: ClassVar[str] = "api.telegram.org"
    longest_text: ClassVar[int] = LONGEST_TEXT

    def __init__(self, settings: TelegramSettings, vault: Vault) -> None:
        super().__init__(settings, vault)
        self._token = vault.expand(settings.token) if settings.token else None
        self._api = BotApi(time.monotonic, self._chats, typing_s=settings.typing_s)

    async def close(self, conversation: Conversation) -> None:
        await super().close(conversation)
        self._api.forget(conversation.state.get("chat"))

    async def shut_down(self) -> None:
        self._api.stop()
        await super().shut_down()

    # --- a turn -------------------------------------------------------------------------------------

    def _new_chat_id(self) -> int:
        return self._api.new_chat_id()

    def _event(self, chat: Chat, text: str, payload: str | None) -> dict[str, Any]:
        api = self._api
        update = api.pressed(chat, payload) if payload is not None else api.said(chat, text)
        self._wire.sent("update", json.dumps(update, ensure_ascii=False))
        return update

    async def _deliver(self, chat: Chat, event: dict[str, Any], greeting_s: float | None) -> None:
        if self._api.webhook:
            await super()._deliver(chat, event, greeting_s)
        else:
            await self._fetched(self._api, event)
            await self._until_idle(chat, greeting_s, None)

    async def _fetched(self, api: BotApi, update: dict[str, Any]) -> None:
        """Wait until the bot has fetched the update; one that was not is taken back."""
        clock = time.monotonic
        api.offer(update)
        started = clock()
        alive = api.seen_s is not None and started - api.seen_s < _ALIVE_S
        settings = self._settings
        limit_s = settings.first_output_timeout_s if alive else settings.connect_timeout_s
        while not api.taken(update):
            if clock() - started > limit_s:
                api.withdraw(update)
                problem = f"no bot has fetched the message at {self.address} within {limit_s:g} s; {COME}"
                raise SystemUnderTestError("unreachable", problem, reached=False)
            await asyncio.sleep(0.005)

    async def _give(self, chat: Chat, event: dict[str, Any], again: int, reason: str) -> None:
        """Send an update to the bot's webhook; its answer may itself be a call."""
        api = self._api
        secret = api.webhook.get("secret")
        headers = {"X-Telegram-Bot-Api-Secret-Token": str(secret)} if secret else {}
        with reported(self._vault):
            request = self._client.build_request("POST", api.webhook["url"], json=event, headers=headers)
            response = await self._knock(request)
            check_status(response, response.content)
            called = _called(response)
        if called is not None:
            try:
                await api.call(self._token or "1", called.pop("method"), called)
            except BotApiError as error:
                raise SystemUnderTestError("bad_answer", error.description) from None

    # --- the server ---------------------------------------------------------------------------------

    def _routes(self) -> list[BaseRoute]:
        return [
            Route("/bot{token}/{method}", self._serve, methods=["GET", "POST"]),
            Route("/file/bot{token}/{path:path}", self._serve_file, methods=["GET"]),
        ]

    async def _serve(self, request: Request) -> Response:
        token, method = request.path_params["token"], request.path_params["method"]
        try:
            if self._token is not None and token != self._token:
                raise BotApiError(401, "Unauthorized")
            params = await parameters(request, self._settings.longest_answer_bytes)
            return JSONResponse({"ok": True, "result": await self._api.call(token, method, params)})
        except (BotApiError, UnreadableCall) as problem:
            error = _refusal(problem)
            refused = {"ok": False, "error_code": error.code, "description": error.description}
            return JSONResponse(refused, status_code=error.code)

    async def _serve_file(self, request: Request) -> Response:
        file = self._api.file(request.path_params["path"])
        authorised = self._token is None or request.path_params["token"] == self._token
        if file is None or not authorised:
            return JSONResponse({"ok": False, "error_code": 404, "description": "Not Found"}, status_code=404)
        return Response(file.data, media_type="application/octet-stream")


def _refusal(problem: BotApiError | UnreadableCall) -> BotApiError:
    if isinstance(problem, BotApiError):
        return problem
    if problem.too_large:
        return BotApiError(413, "Request Entity Too Large")
    return BotApiError(400, "Bad Request: can't parse the request")


def _called(response: httpx.Response) -> dict[str, Any] | None:
    """The call in a webhook's answer, if it is one."""
    try:
        answer = response.json()
    except ValueError:
        return None
    return answer if isinstance(answer, dict) and isinstance(answer.get("method"), str) else None
