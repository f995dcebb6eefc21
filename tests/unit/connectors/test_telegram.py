"""Real Telegram bots, written with three libraries, take us for Telegram."""

import asyncio
import itertools
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from scenes.patience import PATIENCE_S, eventually_there
from scenes.processes import free_port
from vivavoce.connectors.base import Conversation, SystemOutput, UserTurn, heard_on_the_wire
from vivavoce.core.errors import SystemUnderTestError
from vivavoce_platforms import telegram
from vivavoce_platforms.platform_chat import Chat
from vivavoce_platforms.telegram import TelegramConnector, TelegramSettings
from vivavoce_platforms.telegram_api import BotApi

PATIENT = {"connect_timeout_s": PATIENCE_S, "first_output_timeout_s": PATIENCE_S, "greeting_s": PATIENCE_S}
COUNTERPARTS = Path(__file__).resolve().parents[2] / "plugins" / "counterparts"
LONG = pytest.mark.long
LIBRARIES = ("ptb", "aiogram", "telebot")
Talk = Callable[[TelegramConnector], Awaitable[Any]]


@asynccontextmanager
async def bot(library: str, *more: str, **settings: Any) -> AsyncIterator[TelegramConnector]:
    """A connector with a running bot; the bot is there when the block begins."""
    chosen = {"port": 0, "idle_s": 0.2, **PATIENT, "allow_private": True, **settings}
    connector = TelegramConnector.make(TelegramSettings(connect="telegram", **chosen), {})
    await connector.start()
    script = str(COUNTERPARTS / f"telegram_{library}.py")
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    command = [sys.executable, script, connector.address, *more]
    process = subprocess.Popen(command, env=environment)
    try:
        yield connector
    finally:
        process.kill()
        process.wait()
        await connector.shut_down()


async def webhook(client: httpx.AsyncClient, address: str) -> str:
    """Where the bot wants its updates; "" while it has not said."""
    return (await client.get(f"{address}/bot4242:TEST/getWebhookInfo")).json()["result"]["url"]


def turn(text: str, payload: str | None = None, number: int = 1) -> UserTurn:
    return UserTurn(key=f"k-{number}", number=number, text=text, payload=payload)


async def all_of(outputs: AsyncIterator[SystemOutput]) -> list[SystemOutput]:
    return [output async for output in outputs]


def texts(outputs: list[SystemOutput]) -> list[str]:
    return [output.text for output in outputs if output.kind == "message"]


@pytest.mark.parametrize("library", [LIBRARIES[0], *(pytest.param(one, marks=LONG) for one in LIBRARIES[1:])])
def test_an_unmodified_bot_greets_with_buttons_edits_and_keeps_chats_apart(library: str) -> None:
    async def run() -> None:
        async with bot(library) as connector:
            here, there = Conversation("here"), Conversation("there")
            greeting = await all_of(connector.open(here))
            assert texts(greeting) == ["Where to?"]
            assert [(one.title, one.payload) for one in greeting[0].choices] == [
                ("North", "n"),
                ("South", "s"),
            ]
            assert texts(await all_of(connector.send(here, turn("South", "s")))) == ["picked s"]
            await all_of(connector.open(there))
            both = await asyncio.gather(
                all_of(connector.send(here, turn("one"))), all_of(connector.send(there, turn("two")))
            )
            assert [texts(outputs) for outputs in both] == [["first was one"], ["first was two"]]
            assert texts(await all_of(connector.send(here, turn("again")))) == ["first was one"]
            await connector.reset(here)
            assert texts(await all_of(connector.send(here, turn("anew")))) == ["first was anew"]

    asyncio.run(run())


def test_photos_typing_and_silence_are_understood() -> None:
    async def run() -> None:
        async with bot("ptb", first_output_timeout_s=6) as connector:
            here = Conversation("here")
            await all_of(connector.open(here))
            frames: list[dict[str, Any]] = []
            with heard_on_the_wire(frames):
                photo = await all_of(connector.send(here, turn("photo")))
            assert photo[0].text == "a pixel"
            assert photo[0].images[0].startswith("data:image/png;base64,iVBOR")
            assert [next(iter(frame.values())) for frame in frames] == ["update", "sendPhoto"]
            assert texts(await all_of(connector.send(here, turn("slow")))) == ["first was slow"]
            with pytest.raises(SystemUnderTestError, match="timeout: no output after"):
                await all_of(connector.send(here, turn("mute")))
            assert texts(await all_of(connector.send(here, turn("still there?")))) == ["first was slow"]

    asyncio.run(run())


def test_a_message_that_is_edited_is_the_last_that_was_written() -> None:
    async def run() -> None:
        async with bot("ptb", idle_s=3.0) as connector:
            edited = await all_of(connector.send(Conversation("here"), turn("edit")))
            assert texts(edited) == ["thought & done"]
            assert edited[0].held_s > edited[-1].held_s >= 3.0

    asyncio.run(run())


@pytest.mark.long
@pytest.mark.parametrize("library", ["aiogram", "telebot"])
def test_photos_edits_and_typing_of_the_other_libraries_are_understood(library: str) -> None:
    async def run() -> None:
        async with bot(library, idle_s=2.0, typing_s=60) as connector:
            here = Conversation("here")
            photo = await all_of(connector.send(here, turn("photo")))
            assert photo[0].text == "a pixel"
            assert photo[0].images[0].startswith("data:image/png;base64,iVBOR")
            assert texts(await all_of(connector.send(here, turn("edit")))) == ["thought & done"]
            assert texts(await all_of(connector.send(here, turn("slow")))) == ["here at last"]

    asyncio.run(run())


def test_a_bot_with_a_webhook_is_sent_its_updates() -> None:
    async def run() -> None:
        async with bot("ptb", str(free_port())) as connector:
            async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE_S) as client:
                await eventually_there(lambda: webhook(client, connector.address))
            here = Conversation("here")
            assert texts(await all_of(connector.open(here))) == ["Where to?"]
            assert texts(await all_of(connector.send(here, turn("hello")))) == ["first was hello"]

    asyncio.run(run())


def test_a_bot_that_cannot_be_pointed_elsewhere_is_reached_as_its_proxy(tmp_path: Path) -> None:
    async def run() -> None:
        port = free_port()
        settings = TelegramSettings(
            connect="telegram",
            port=0,
            idle_s=0.2,
            proxy_port=port,
            certificate_folder=str(tmp_path),
            **PATIENT,
        )
        connector = TelegramConnector.make(settings, {})
        await connector.start()
        environment = {
            **os.environ,
            "HTTPS_PROXY": f"http://127.0.0.1:{port}",
            "SSL_CERT_FILE": str(tmp_path / "telegram-ca.pem"),
            "NO_PROXY": "",
            "no_proxy": "",
        }
        process = subprocess.Popen(
            [sys.executable, str(COUNTERPARTS / "telegram_ptb.py"), "unmodified"], env=environment
        )
        try:
            here = Conversation("here")
            assert texts(await all_of(connector.open(here))) == ["Where to?"]
            assert texts(await all_of(connector.send(here, turn("hello")))) == ["first was hello"]
        finally:
            process.kill()
            process.wait()
            await connector.shut_down()

    asyncio.run(run())


def test_nobody_fetching_is_unreachable_and_the_message_is_taken_back() -> None:
    async def run() -> None:
        settings = TelegramSettings(connect="telegram", port=0, connect_timeout_s=0.1)
        connector = TelegramConnector.make(settings, {})
        with pytest.raises(SystemUnderTestError, match="no bot has fetched") as caught:
            await all_of(connector.send(Conversation("here"), turn("hello")))
        assert not caught.value.reached
        async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE_S) as client:
            waiting = await client.get(f"{connector.address}/bot1:x/getUpdates")
        assert waiting.json() == {"ok": True, "result": []}
        await connector.shut_down()

    asyncio.run(run())


@pytest.mark.parametrize(("seen_ago_s", "limit_s"), [(None, 7), (59.5, 30), (60.0, 7)])
def test_a_bot_that_was_there_a_minute_ago_has_the_time_of_an_answer_and_another_that_of_a_connection(
    seen_ago_s: float | None, limit_s: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a clock that a look moves on by a second."""
    now_s = itertools.count(100)

    async def run() -> None:
        settings = TelegramSettings(connect="telegram", port=0, connect_timeout_s=7)
        connector = TelegramConnector.make(settings, {})
        api = BotApi(lambda: 0.0, {}, typing_s=5)
        api.seen_s = None if seen_ago_s is None else 100 - seen_ago_s
        monkeypatch.setattr(telegram, "time", SimpleNamespace(monotonic=lambda: next(now_s)))
        with pytest.raises(SystemUnderTestError, match=f"within {limit_s} s"):
            await connector._fetched(api, api.said(Chat(10**9, "en"), "hello"))
        await connector.shut_down()

    asyncio.run(run())
    assert next(now_s) == 100 + limit_s + 2, "it gave up a second after its time"


@pytest.mark.parametrize(
    ("method", "body", "code", "said"),
    [
        ("sendMessage", {"chat_id": 5, "text": "x"}, 400, "chat not found"),
        ("sendMessage", {"chat_id": "CHAT", "text": " "}, 400, "text is empty"),
        ("sendMessage", {"chat_id": "CHAT", "text": "x" * 4097}, 400, "too long"),
        ("sendMessage", {"chat_id": "CHAT", "text": "x", "reply_markup": "{"}, 400, "can't parse"),
        ("editMessageText", {"chat_id": "CHAT", "message_id": 3, "text": "x"}, 400, "not found"),
        ("getFile", {"file_id": "none"}, 400, "invalid file_id"),
        ("sendPhoto", {"chat_id": "CHAT"}, 400, "no photo"),
    ],
)
def test_what_the_real_server_refuses_is_refused(method: str, body: dict, code: int, said: str) -> None:
    async def run() -> None:
        connector = TelegramConnector.make(
            TelegramSettings(connect="telegram", port=0, token="1:right", connect_timeout_s=0.05), {}
        )
        here = Conversation("here")
        with pytest.raises(SystemUnderTestError):
            await all_of(connector.send(here, turn("hello")))
        sent = {**body, "chat_id": here.state["chat"]} if body.get("chat_id") == "CHAT" else body
        async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE_S) as client:
            answer = (await client.post(f"{connector.address}/bot1:right/{method}", json=sent)).json()
            assert (answer["ok"], answer["error_code"]) == (False, code)
            assert said in answer["description"]
            wrong = (await client.post(f"{connector.address}/bot1:wrong/getMe")).json()
            assert wrong["error_code"] == 401
        await connector.shut_down()

    asyncio.run(run())


def test_files_are_given_to_the_bot_with_the_token_and_to_nobody_else() -> None:
    async def run() -> None:
        settings = TelegramSettings(connect="telegram", port=0, token="1:right", connect_timeout_s=0.05)
        connector, here = TelegramConnector.make(settings, {}), Conversation("here")
        with pytest.raises(SystemUnderTestError):
            await all_of(connector.send(here, turn("hello")))
        async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE_S) as client:
            sent = await client.post(
                f"{connector.address}/bot1:right/sendPhoto",
                data={"chat_id": here.state["chat"]},
                files={"photo": ("p.png", b"\x89PNG and more")},
            )
            photo = sent.json()["result"]["photo"][-1]["file_id"]
            asked = await client.post(f"{connector.address}/bot1:right/getFile", json={"file_id": photo})
            path = asked.json()["result"]["file_path"]
            mine = await client.get(f"{connector.address}/file/bot1:right/{path}")
            assert (mine.status_code, mine.content) == (200, b"\x89PNG and more")
            assert (await client.get(f"{connector.address}/file/bot1:wrong/{path}")).status_code == 404
            assert (await client.get(f"{connector.address}/file/bot1:right/{path}x")).status_code == 404
            connector._token = None  # as where the settings name none
            assert (await client.get(f"{connector.address}/file/bot1:any/{path}")).status_code == 200
        await connector.shut_down()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("body", "called"),
    [
        ('{"method": "sendMessage", "text": "hi"}', True),
        ('{"method": 3}', False),
        ('{"ok": true}', False),
        ('["method"]', False),
        ("", False),
        ("ok", False),
    ],
)
def test_an_answer_of_a_webhook_may_be_a_call(body: str, called: bool) -> None:
    found = telegram._called(httpx.Response(200, text=body))
    assert found == ({"method": "sendMessage", "text": "hi"} if called else None)


def test_of_a_group_of_pictures_only_what_names_its_kind_and_file_is_shown() -> None:
    async def run() -> None:
        chat_id = 10**9
        chats = {chat_id: Chat(chat_id, "en")}
        api = BotApi(asyncio.get_running_loop().time, chats, typing_s=5)
        whole = {"type": "photo", "media": "https://bot.example/one.png", "caption": "one"}
        media = [whole, {"media": "https://bot.example/two.png"}, {"type": "photo"}, "three"]
        group = {"chat_id": chat_id, "media": media}
        shown = await api.call("4242:TEST", "sendMediaGroup", group)
        assert [one["caption"] for one in shown] == ["one"]

    asyncio.run(run())


def test_a_closed_conversation_is_a_chat_that_the_bot_no_longer_finds() -> None:
    async def run() -> None:
        settings = TelegramSettings(connect="telegram", port=0, token="1:right", connect_timeout_s=0.05)
        connector, here = TelegramConnector.make(settings, {}), Conversation("here")
        await connector.close(here)  # before anything was said
        with pytest.raises(SystemUnderTestError):
            await all_of(connector.send(here, turn("hello")))
        said = {"chat_id": here.state["chat"], "text": "hello"}
        async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE_S) as client:
            address = f"{connector.address}/bot1:right/sendMessage"
            assert (await client.post(address, json=said)).json()["ok"]
            await connector.close(here)
            assert "chat not found" in (await client.post(address, json=said)).json()["description"]
        await connector.shut_down()

    asyncio.run(run())


@pytest.mark.parametrize("ahead", [0, 1, 2, 50])
def test_a_bot_that_counted_on_before_a_restart_still_gets_the_first_message(ahead: int) -> None:
    async def run() -> None:
        api = BotApi(asyncio.get_running_loop().time, {}, typing_s=5)
        update = api.said(Chat(api.new_chat_id(), "en"), "hello")
        api.offer(update)
        offset = update["update_id"] + ahead
        given = await api.call("4242:TEST", "getUpdates", {"offset": offset, "timeout": 0})
        assert [one["message"]["text"] for one in given] == ["hello"] and api.taken(update)
        again = {"offset": given[0]["update_id"] + 1, "timeout": 0}
        assert await api.call("4242:TEST", "getUpdates", again) == []

    asyncio.run(run())
