"""Shared parts of message platforms: Vivavoce acts as the platform for an unmodified bot.

The bot receives each turn as an event, and answers at any time by calls to the platform's interface.
A kind of platform brings the interface (`_routes`), its events (`_event`) and their delivery (`_give`).

Turn    complete when the bot has written, has been idle for `idle_s`, and neither types nor handles the event
Late    messages after the end of a turn are shown with the next one
Retry   an unacknowledged event is delivered again, under the same number, as platforms do
"""

import asyncio
import json
import ssl
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, ClassVar, Final, Generic, TypeVar

import httpx
from pydantic import Field
from starlette.applications import Starlette
from starlette.routing import BaseRoute

from vivavoce.connectors.base import Capabilities, ConnectorSettings, Conversation, SystemOutput, UserTurn
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.system_connector import SystemConnector
from vivavoce.connectors.transport import make_client
from vivavoce.core.errors import SystemUnderTestError, sentences
from vivavoce.core.extras import require
from vivavoce_platforms.callback_server import CallbackServer, not_free
from vivavoce_platforms.platform_chat import BotMessage, Chat


class Proxy:
    """A proxy for one host, which it answers itself from a plain port of this machine."""

    def __init__(self, real_host: str, host: str, port: int, plain_port: int) -> None:
        self._real_host = real_host
        self._host, self.port, self._plain_port = host, port, plain_port
        self._server: asyncio.Server | None = None
        self._context: ssl.SSLContext | None = None
        self._piping: set[asyncio.Task[None]] = set()

    async def start(self, certificate: Path) -> None:
        """Listen; the certificate that the bot must trust is written into the file."""
        self._context = _context(self._real_host, certificate)
        try:
            self._server = await asyncio.start_server(self._connected, self._host, self.port)
        except OSError as error:
            problem = not_free(self._host, self.port, error)
            raise SystemUnderTestError("unreachable", problem, reached=False) from None
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in self._piping:
            task.cancel()
        await asyncio.gather(*self._piping, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._piping.add(task)
        task.add_done_callback(self._piping.discard)
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            if not head.startswith(f"CONNECT {self._real_host}:443 ".encode()):
                writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
                return
            writer.write(b"HTTP/1.1 200 Connection Established\r\n\r\n")
            await writer.drain()
            assert self._context is not None
            await writer.start_tls(self._context)
            inner = await asyncio.open_connection(self._host, self._plain_port)
            try:
                await asyncio.gather(_pipe(reader, inner[1]), _pipe(inner[0], writer))
            finally:
                inner[1].close()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        except asyncio.CancelledError:  # by `stop`; asyncio would report it as an error of this connection
            pass
        finally:
            writer.close()


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while piece := await reader.read(65_536):
            writer.write(piece)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


def _context(real_host: str, certificate: Path) -> ssl.SSLContext:
    require("trustme", extra="platforms", place="proxy_port")
    import trustme

    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(certificate))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(real_host).configure_cert(context)
    return context


KNOCK_PAUSE_S: Final = 0.2
COME: Final = "start it while we listen, with this address"


class PlatformSettings(ConnectorSettings):
    """Settings of a system that takes us for its message platform."""

    folders: ClassVar[tuple[str, ...]] = ("certificate_folder",)
    family: ClassVar[str] = "message platforms"

    connect_timeout_s: float = Field(
        60.0, gt=0, le=120, description="timeout for the bot to connect to us, or to listen"
    )
    host: str = Field("127.0.0.1", description="address that the bot connects to")
    port: int = Field(8081, ge=0, le=65535, description="port that the bot connects to")
    start: str | None = Field(None, description="first event of a conversation; null: none")
    greeting_s: float = Field(5.0, gt=0, le=120, description="seconds to wait for its answer")
    idle_s: float = Field(1.0, gt=0, le=60, description="silence that ends the bot's turn")
    typing_s: float = Field(6.0, gt=0, le=60, description="time for which `typing` extends its turn")
    proxy_port: int | None = Field(
        None, ge=0, le=65535, description="also serve as its HTTPS proxy on this port"
    )
    certificate_folder: str | None = Field(
        None, description="folder for the proxy's certificate (default: the study's folder)"
    )
    longest_answer_bytes: int = Field(
        2_000_000, gt=0, le=50_000_000, description="longer messages are rejected"
    )


class WebhookSettings(PlatformSettings):
    """Settings of a system that is sent its events."""

    retries: int = Field(1, ge=0, le=10, description="number of retries of an unacknowledged event")
    duplicates: int = Field(0, ge=0, le=10, description="number of repeats of each acknowledged event")


Settings = TypeVar("Settings", bound=PlatformSettings)


class PlatformConnector(SystemConnector[Settings], ABC, Generic[Settings]):
    """A bot that takes us for its platform.

    platform       what the platform is called
    real_host      where its interface is outside of here, for bots that cannot be pointed elsewhere
    longest_text   characters that a message may have there
    acknowledge_s  seconds after which the platform gives an event again
    """

    knows_names: ClassVar[bool] = False
    platform: ClassVar[str]
    real_host: ClassVar[str]
    longest_text: ClassVar[int]
    acknowledge_s: ClassVar[float] = 20.0

    def __init__(self, settings: Settings, vault: Vault) -> None:
        super().__init__(settings, vault)
        self._client = make_client(settings, settings.longest_answer_bytes, vault)
        self._chats: dict[Any, Chat] = {}
        self._listener: CallbackServer | None = None
        self._proxy: Proxy | None = None

    @property
    def capabilities(self) -> Capabilities:
        greets = self._settings.start is not None
        return Capabilities(choices=True, memory="system", greets=greets, longest_message=self.longest_text)

    async def start(self) -> None:
        """Listen for the bot; without this it is done at the first conversation."""
        if self._listener is None:
            app = Starlette(routes=self._routes())
            self._listener = CallbackServer(app, self._settings.host, self._settings.port)
        await self._listener.start()
        if self._settings.proxy_port is not None and self._proxy is None:
            host, port = self._settings.host, self._settings.proxy_port
            self._proxy = Proxy(self.real_host, host, port, self._listener.port)
            folder = Path(self._settings.certificate_folder or ".")
            await self._proxy.start(folder / f"{self.name}-ca.pem")

    @property
    def address(self) -> str:
        """Address for the bot, once we listen."""
        port = self._listener.port if self._listener else self._settings.port
        return f"http://{self._settings.host}:{port}"

    @property
    def awaited(self) -> str:
        """The address where we wait for the bot to come."""
        return self.address

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
        if "chat" in conversation.state:
            self._chats.pop(conversation.state["chat"], None)

    async def shut_down(self) -> None:
        if self._proxy is not None:
            await self._proxy.stop()
        if self._listener is not None:
            await self._listener.stop()
        await self._client.aclose()

    async def _chat(self, conversation: Conversation) -> Chat:
        """The conversation's chat; after a restart it is the same to the bot."""
        await self.start()
        state = conversation.state
        if "chat" not in state:
            state["chat"] = self._new_chat_id()
        buttons = dict(state.get("buttons") or {})
        return self._chats.setdefault(state["chat"], Chat(state["chat"], conversation.language, buttons))

    def _keep(self, conversation: Conversation, chat: Chat) -> None:
        if chat.buttons:
            conversation.state["buttons"] = dict(chat.buttons)

    # --- what a kind of platform brings ---------------------------------------------------------------

    @abstractmethod
    def _routes(self) -> list[BaseRoute]:
        """The platform's interface, which the bot calls."""

    @abstractmethod
    def _new_chat_id(self) -> Any:
        """A number that no chat has had."""

    @abstractmethod
    def _event(self, chat: Chat, text: str, payload: str | None) -> dict[str, Any]:
        """Event of the turn for the bot; the payload is that of a pressed button of this chat."""

    @abstractmethod
    async def _give(self, chat: Chat, event: dict[str, Any], again: int, reason: str) -> None:
        """Give the bot an event once, and wait until it is acknowledged. Raises SystemUnderTestError."""

    # --- a turn ---------------------------------------------------------------------------------------

    async def _exchange(
        self, chat: Chat, text: str, payload: str | None, greeting_s: float | None
    ) -> AsyncIterator[SystemOutput]:
        """Tell the bot, and gather what it writes until it is idle; a greeting may stay out."""
        if len(text) > self.longest_text:
            problem = f"the turn exceeds {self.platform}'s {self.longest_text} characters"
            raise SystemUnderTestError("refused", problem, reached=False)
        chat.begin_turn(time.monotonic())
        pressed = payload if payload is not None and payload in chat.buttons else None
        event = self._event(chat, text, pressed)
        failure: SystemUnderTestError | None = None
        try:
            await self._deliver(chat, event, greeting_s)
        except SystemUnderTestError as error:
            failure = error
        for method, params in chat.calls:
            self._wire.received(method, json.dumps(params, ensure_ascii=False, default=str))
        for output in self._outputs(chat):
            yield output
        if failure is not None:
            raise failure

    async def _deliver(self, chat: Chat, event: dict[str, Any], greeting_s: float | None) -> None:
        handling = asyncio.create_task(self._handed_over(chat, event))
        try:
            await self._until_idle(chat, greeting_s, handling)
        finally:
            handling.cancel()

    async def _handed_over(self, chat: Chat, event: dict[str, Any]) -> None:
        """Give the bot an event until it acknowledges it, and then as often again as the settings say."""
        retries = getattr(self._settings, "retries", 0)
        giving: set[asyncio.Task[None]] = set()
        failure, reason = None, ""
        try:
            for again in range(1 + retries):
                giving.add(asyncio.create_task(self._give(chat, event, again, reason)))
                limit_s = self.acknowledge_s if again < retries else None
                done, giving = await asyncio.wait(
                    giving, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED
                )
                failures = [task.exception() for task in done]
                if None in failures:
                    break
                failure, reason = (failures or [failure])[0], "http_error" if failures else "http_timeout"
                if isinstance(failure, SystemUnderTestError) and not failure.reached:
                    raise failure
            else:
                while giving:
                    done, giving = await asyncio.wait(giving, return_when=asyncio.FIRST_COMPLETED)
                    if any(task.exception() is None for task in done):
                        break
                else:
                    assert failure is not None
                    raise failure
        finally:
            for delivery in giving:
                delivery.cancel()
        for again in range(getattr(self._settings, "duplicates", 0)):
            await self._give(chat, event, again + 1, "http_timeout")

    async def _knock(self, request: httpx.Request) -> httpx.Response:
        """Send a request; while nobody listens yet, knock again, as platforms do."""
        limit_s = self._settings.connect_timeout_s
        until = time.monotonic() + limit_s
        while True:
            try:
                return await self._client.send(request)
            except httpx.ConnectError as error:
                if time.monotonic() > until:
                    problem = f"nothing listens at the bot's address within {limit_s:g} s ({error})"
                    hint = (
                        f"start the bot while we listen at {self.address}: it may call us before it listens"
                    )
                    detail = sentences(problem, hint)
                    raise SystemUnderTestError("unreachable", detail, reached=False) from None
                await asyncio.sleep(KNOCK_PAUSE_S)

    async def _until_idle(
        self, chat: Chat, greeting_s: float | None, handling: asyncio.Task[None] | None
    ) -> None:
        begun_s = time.monotonic()
        while not self._is_over(chat, greeting_s, handling, begun_s, time.monotonic()):
            chat.stir.clear()
            try:
                await asyncio.wait_for(chat.stir.wait(), 0.05)
            except TimeoutError:
                pass

    def _is_over(
        self,
        chat: Chat,
        greeting_s: float | None,
        handling: "asyncio.Future[None] | None",
        begun_s: float,
        now_s: float,
    ) -> bool:
        """True if the bot's turn is over. Raises SystemUnderTestError: it failed, or timed out."""
        settings, lasts_s = self._settings, now_s - begun_s
        handled = handling is None or handling.done()
        if handling is not None and handled:
            handling.result()
        idle_from_s = max((chat.active_s or now_s) + settings.idle_s, chat.typing_until_s)
        if chat.answered and handled and now_s >= idle_from_s:
            return True
        if lasts_s > settings.turn_timeout_s:
            limit = settings.turn_timeout_s
            raise SystemUnderTestError("timeout", f"its turn was not complete after {limit:g} s")
        first_s = greeting_s or settings.first_output_timeout_s
        if chat.answered or lasts_s <= first_s or now_s <= chat.typing_until_s:
            return False
        if greeting_s is None:
            problem = f"no output after {first_s:g} s{_instead(chat, handling)}"
            raise SystemUnderTestError("timeout", problem)
        return True

    def _outputs(self, chat: Chat) -> list[SystemOutput]:
        """Messages of the bot, with their age."""
        now = time.monotonic()
        messages, chat.messages = chat.messages, []
        outputs = [self._output(message, min(now - message.at_s, now - chat.begun_s)) for message in messages]
        if messages:
            idle_s = max(0.0, now - (chat.active_s or now))
            calls = [method for method, _ in chat.calls]
            outputs.append(SystemOutput(kind="extras", raw={"methods": calls}, held_s=idle_s))
        return outputs

    def _output(self, message: BotMessage, held_s: float) -> SystemOutput:
        text = self._vault.redact(message.text)
        return SystemOutput(
            kind="message",
            text=text,
            choices=tuple(message.choices),
            images=tuple(message.images),
            held_s=max(0.0, held_s),
        )


def _instead(chat: Chat, handling: "asyncio.Future[None] | None") -> str:
    """Actions of a bot that wrote nothing, as an explanation."""
    calls = ", ".join(dict.fromkeys(method for method, _ in chat.calls))
    if calls:
        return f"; it called {calls}"
    return "; it acknowledged the event" if handling is not None and handling.done() else ""
