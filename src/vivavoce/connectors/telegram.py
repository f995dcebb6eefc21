"""An unmodified Telegram bot: Vivavoce is the Bot API server, and the bot is pointed at it.

Wire    the bot fetches updates (getUpdates) or is sent them (setWebhook), and calls sendMessage and the like
        at http://HOST:PORT/botTOKEN/METHOD
Memory  in the bot, under a chat id that is new for each conversation; a reset takes another
Turn    complete when the bot has been idle for `idle_s` and is not typing
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any, ClassVar, Final

import httpx
from pydantic import Field
from starlette.applications import Starlette
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from vivavoce.connectors.base import Capabilities, ConnectorSettings, Conversation, SystemOutput, UserTurn
from vivavoce.connectors.callback_server import CallbackServer
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.system_connector import SystemConnector
from vivavoce.connectors.telegram_api import BotApi, Chat
from vivavoce.connectors.telegram_messages import LONGEST_TEXT, BotApiError, BotMessage, Upload
from vivavoce.connectors.telegram_proxy import Proxy
from vivavoce.connectors.transport import check_status, make_client, reported
from vivavoce.core.errors import SystemUnderTestError

KNOCK_PAUSE_S: Final = 0.2
_ALIVE_S: Final = 60.0
_PICTURES: Final = {
    b"\x89PNG": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
}


class TelegramSettings(ConnectorSettings):
    """Settings of a system with `connect: telegram`."""

    folders: ClassVar[tuple[str, ...]] = ("certificate_folder",)

    host: str = Field("127.0.0.1", description="address on which the bot finds us")
    port: int = Field(8081, ge=0, le=65535, description="port on which the bot finds us")
    token: str | None = Field(None, description="${NAME} of the bot's token; any is taken when left out")
    start: str | None = Field("/start", description="what opens a conversation; null: nothing")
    greeting_s: float = Field(5.0, gt=0, le=120, description="seconds to wait for an answer to it")
    idle_s: float = Field(1.0, gt=0, le=60, description="silence that ends the bot's turn")
    typing_s: float = Field(6.0, gt=0, le=60, description="how long `typing` keeps its turn open")
    proxy_port: int | None = Field(None, ge=0, le=65535, description="also be its HTTPS proxy on this port")
    certificate_folder: str | None = Field(None, description="where telegram-ca.pem is put; the study's own")
    longest_answer_bytes: int = Field(2_000_000, gt=0, le=50_000_000, description="more is refused")


class TelegramConnector(SystemConnector[TelegramSettings]):
    """A Telegram bot that takes us for Telegram."""

    name: ClassVar[str] = "telegram"
    summary: ClassVar[str] = "an unmodified Telegram bot; Vivavoce is its Bot API server"
    settings: ClassVar[type[ConnectorSettings]] = TelegramSettings
    knows_names: ClassVar[bool] = False

    def __init__(self, settings: TelegramSettings, vault: Vault) -> None:
        super().__init__(settings, vault)
        self._token = vault.expand(settings.token) if settings.token else None
        self._client = make_client(settings, settings.longest_answer_bytes, vault)
        self._api: BotApi | None = None
        self._listener: CallbackServer | None = None
        self._proxy: Proxy | None = None

    @property
    def capabilities(self) -> Capabilities:
        greets = self._settings.start is not None
        return Capabilities(choices=True, memory="system", greets=greets, longest_message=LONGEST_TEXT)

    async def start(self) -> None:
        """Listen for the bot; without this it is done at the first conversation."""
        if self._listener is None:
            self._api = BotApi(time.monotonic, typing_s=self._settings.typing_s)
            self._listener = CallbackServer(self._app(), self._settings.host, self._settings.port)
        await self._listener.start()
        if self._settings.proxy_port is not None and self._proxy is None:
            self._proxy = Proxy(self._settings.host, self._settings.proxy_port, self._listener.port)
            await self._proxy.start(self._settings.certificate_folder or ".")

    @property
    def address(self) -> str:
        """Where the bot finds us, once we listen."""
        port = self._listener.port if self._listener else self._settings.port
        return f"http://{self._settings.host}:{port}"

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        chat = await self._chat(conversation)
        if self._settings.start is None or conversation.history:
            return
        async for output in self._exchange(chat, self._settings.start, None, self._settings.greeting_s):
            yield output
        self._keep(conversation, chat)

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        chat = await self._chat(conversation)
        async for output in self._exchange(chat, turn.message, turn.payload, None):
            yield output
        self._keep(conversation, chat)

    async def close(self, conversation: Conversation) -> None:
        if self._api is not None and "chat" in conversation.state:
            self._api.forget(conversation.state["chat"])

    async def shut_down(self) -> None:
        if self._api is not None:
            self._api.stop()
        if self._proxy is not None:
            await self._proxy.stop()
        if self._listener is not None:
            await self._listener.stop()
        await self._client.aclose()

    async def _chat(self, conversation: Conversation) -> Chat:
        await self.start()
        assert self._api is not None
        if "chat" not in conversation.state:
            conversation.state["chat"] = self._api.new_chat_id()
        buttons = conversation.state.get("buttons")
        return self._api.chat(conversation.state["chat"], conversation.language, buttons)

    def _keep(self, conversation: Conversation, chat: Chat) -> None:
        if chat.buttons:
            conversation.state["buttons"] = dict(chat.buttons)

    # --- a turn -------------------------------------------------------------------------------------

    async def _exchange(
        self, chat: Chat, text: str, payload: str | None, greeting_s: float | None
    ) -> AsyncIterator[SystemOutput]:
        """Tell the bot, and gather what it writes until it is idle; a greeting may stay out."""
        api = self._api
        assert api is not None
        if len(text) > LONGEST_TEXT:
            problem = f"the turn is longer than Telegram's {LONGEST_TEXT} characters"
            raise SystemUnderTestError("refused", problem, reached=False)
        chat.begin_turn()
        pressed = payload is not None and payload in chat.buttons
        update = api.pressed(chat, payload or "") if pressed else api.said(chat, text)
        self._wire.sent("update", json.dumps(update, ensure_ascii=False))
        failure: SystemUnderTestError | None = None
        try:
            await self._deliver(api, update, chat, greeting_s)
        except SystemUnderTestError as error:
            failure = error
        for method, params in chat.calls:
            self._wire.received(method, json.dumps(params, ensure_ascii=False))
        for output in self._outputs(chat):
            yield output
        if failure is not None:
            raise failure

    async def _deliver(
        self, api: BotApi, update: dict[str, Any], chat: Chat, greeting_s: float | None
    ) -> None:
        handling = None
        if api.webhook:
            handling = asyncio.create_task(self._post(api, update))
        else:
            await self._fetched(api, update)
        try:
            await self._until_idle(chat, greeting_s, handling)
        finally:
            if handling is not None:
                handling.cancel()

    async def _fetched(self, api: BotApi, update: dict[str, Any]) -> None:
        """Wait until the bot has fetched the update; one that was not is taken back."""
        clock = time.monotonic
        api.offer(update)
        begun = clock()
        alive = api.seen_s is not None and begun - api.seen_s < _ALIVE_S
        settings = self._settings
        limit_s = settings.first_output_timeout_s if alive else settings.connect_timeout_s
        while not api.taken(update):
            if clock() - begun > limit_s:
                api.withdraw(update)
                problem = f"no bot has fetched the message at {self.address} within {limit_s:g} s"
                raise SystemUnderTestError("unreachable", problem, reached=False)
            await asyncio.sleep(0.005)

    async def _post(self, api: BotApi, update: dict[str, Any]) -> None:
        """Send an update to the bot's webhook; its answer may itself be a call."""
        secret = api.webhook.get("secret")
        headers = {"X-Telegram-Bot-Api-Secret-Token": str(secret)} if secret else {}
        with reported(self._vault):
            response = await self._knock(api.webhook["url"], update, headers)
            check_status(response, response.content)
            called = _called(response)
        if called is not None:
            try:
                await api.call(self._token or "1", called.pop("method"), called)
            except BotApiError as error:
                raise SystemUnderTestError("bad_answer", error.description) from None

    async def _knock(self, url: str, update: dict[str, Any], headers: dict[str, str]) -> httpx.Response:
        """Post an update; while nobody listens yet, knock again, as Telegram does."""
        clock = time.monotonic
        until = clock() + self._settings.connect_timeout_s
        while True:
            try:
                return await self._client.post(url, json=update, headers=headers)
            except httpx.ConnectError:
                if clock() > until:
                    raise
                await asyncio.sleep(KNOCK_PAUSE_S)

    async def _until_idle(
        self, chat: Chat, greeting_s: float | None, handling: asyncio.Task[None] | None
    ) -> None:
        settings, clock = self._settings, time.monotonic
        begun = clock()
        first_s = greeting_s or settings.first_output_timeout_s
        while True:
            now = clock()
            busy = handling is not None and not handling.done()
            if handling is not None and handling.done():
                handling.result()
            idle_from = max(chat.active_s or 0.0, chat.typing_until_s - settings.idle_s)
            if chat.messages and not busy and now - idle_from >= settings.idle_s:
                return
            if now - begun > settings.turn_timeout_s:
                limit = settings.turn_timeout_s
                raise SystemUnderTestError("timeout", f"its turn was not complete after {limit:g} s")
            if not chat.messages and now - begun > first_s and now > chat.typing_until_s:
                if greeting_s is not None:
                    return
                raise SystemUnderTestError("timeout", f"no output after {first_s:g} s")
            chat.stir.clear()
            try:
                await asyncio.wait_for(chat.stir.wait(), 0.05)
            except TimeoutError:
                pass

    def _outputs(self, chat: Chat) -> list[SystemOutput]:
        """What the bot wrote, with how long ago it did."""
        now = time.monotonic()
        written, chat.messages = chat.messages, []
        outputs = [self._output(message, now) for message in written]
        if written:
            idle_s = max(0.0, now - (chat.active_s or now))
            calls = [method for method, _ in chat.calls]
            outputs.append(SystemOutput(kind="extras", raw={"methods": calls}, held_s=idle_s))
        return outputs

    def _output(self, message: BotMessage, now: float) -> SystemOutput:
        text = self._vault.redact(message.text)
        return SystemOutput(
            kind="message", text=text, choices=tuple(message.choices), images=tuple(message.images),
            held_s=max(0.0, now - message.at_s),
        )  # fmt: skip

    # --- the server ---------------------------------------------------------------------------------

    def _app(self) -> Starlette:
        methods = ["GET", "POST"]
        return Starlette(
            routes=[
                Route("/bot{token}/{method}", self._serve, methods=methods),
                Route("/file/bot{token}/{path:path}", self._serve_file, methods=["GET"]),
            ]
        )

    async def _serve(self, request: Request) -> Response:
        token, method = request.path_params["token"], request.path_params["method"]
        assert self._api is not None
        try:
            if self._token is not None and token != self._token:
                raise BotApiError(401, "Unauthorized")
            params = await self._params(request)
            return JSONResponse({"ok": True, "result": await self._api.call(token, method, params)})
        except BotApiError as error:
            refused = {"ok": False, "error_code": error.code, "description": error.description}
            return JSONResponse(refused, status_code=error.code)

    async def _params(self, request: Request) -> dict[str, Any]:
        """The parameters of a call, however they were sent."""
        longest = self._settings.longest_answer_bytes
        params: dict[str, Any] = dict(request.query_params)
        if int(request.headers.get("content-length") or 0) > longest:
            raise BotApiError(413, "Request Entity Too Large")
        kind = request.headers.get("content-type", "").partition(";")[0]
        try:
            if kind == "application/json":
                body = json.loads(await request.body() or b"{}")
                return {**params, **body} if isinstance(body, dict) else params
            if kind in ("multipart/form-data", "application/x-www-form-urlencoded"):
                async with request.form(max_part_size=longest) as form:
                    for name, value in form.items():
                        params[name] = await _upload(value) if isinstance(value, UploadFile) else value
        except (ValueError, AssertionError):
            raise BotApiError(400, "Bad Request: can't parse the request") from None
        return params

    async def _serve_file(self, request: Request) -> Response:
        assert self._api is not None
        file = self._api.file(request.path_params["path"])
        known = self._token is None or request.path_params["token"] == self._token
        if file is None or not known:
            return JSONResponse({"ok": False, "error_code": 404, "description": "Not Found"}, status_code=404)
        return Response(file.data, media_type="application/octet-stream")


async def _upload(file: UploadFile) -> Upload:
    data = await file.read()
    kind = next((kind for start, kind in _PICTURES.items() if data.startswith(start)), file.content_type)
    return Upload(file.filename or "file", kind or "application/octet-stream", data)


def _called(response: httpx.Response) -> dict[str, Any] | None:
    """The call in a webhook's answer, if it is one."""
    try:
        said = response.json()
    except ValueError:
        return None
    return said if isinstance(said, dict) and isinstance(said.get("method"), str) else None
