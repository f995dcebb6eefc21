"""What all message platforms do alike: retries, duplicates, answers that come too late or never."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from websockets.asyncio.client import connect

from scenes.patience import PATIENCE_S
from scenes.platform_bots import texts, told
from vivavoce.connectors.base import Conversation, PastTurn
from vivavoce.connectors.factory import make_connector
from vivavoce.core.errors import SystemUnderTestError
from vivavoce_platforms import platform
from vivavoce_platforms.callback_server import CallbackServer
from vivavoce_platforms.platform_chat import Chat
from vivavoce_platforms.slack import SlackConnector

Say = Callable[[str], Awaitable[Any]]
Handler = Callable[[str, int, Say], Awaitable[int]]


@asynccontextmanager
async def bot(handle: Handler, challenged: Callable[[str], str] = str, **settings: Any) -> AsyncIterator[Any]:
    """A connector, and a bot in this process: what is said, which try it is, and how to say something."""
    connector: Any = None

    async def serve(request: Request) -> Response:
        event = json.loads(await request.body())
        if "challenge" in event:
            return Response(challenged(event["challenge"]))
        again = int(request.headers.get("X-Slack-Retry-Num", "0"))

        async def say(text: str) -> None:
            address = f"{connector.inner.address}/api/chat.postMessage"
            body = {"channel": event["event"]["channel"], "text": text}
            async with httpx.AsyncClient(trust_env=False) as client:
                await client.post(address, json=body)

        status = await handle(event["event"]["text"], again, say)
        return Response("ok" if status == 200 else "", status_code=status)  # which is no message

    server = CallbackServer(Starlette(routes=[Route("/", serve, methods=["POST"])]), "127.0.0.1", 0)
    await server.start()
    url = f"http://127.0.0.1:{server.port}/"
    chosen = {"connect": "slack", "url": url, "port": 0, "idle_s": 0.3, "allow_private": True, **settings}
    connector = make_connector(chosen, {})
    try:
        yield connector
    finally:
        await connector.shut_down()
        await server.stop()


def answers(handle: Handler, *said: str, **settings: Any) -> list[list[str]]:
    """What is shown after each turn; a failure stands as its text."""

    async def run() -> list[list[str]]:
        async with bot(handle, **settings) as connector:
            here, shown = Conversation("here"), []
            for text in said:
                try:
                    shown.append(texts(await told(connector, here, text)))
                except SystemUnderTestError as error:
                    shown.append([str(error)])
            return shown

    return asyncio.run(run())


async def echoes(text: str, again: int, say: Say) -> int:
    await say(f"{text} {again}")
    return 200


async def fails_once(text: str, again: int, say: Say) -> int:
    return 503 if again == 0 else await echoes(text, again, say)


class AcknowledgesLate:
    """A bot that works before it acknowledges: the first time it waits for the second, or for a while."""

    def __init__(self) -> None:
        self.again = asyncio.Event()

    async def __call__(self, text: str, again: int, say: Say) -> int:
        await say(f"{text} {again}")
        if again:
            self.again.set()
        else:
            await asyncio.wait({asyncio.create_task(self.again.wait())}, timeout=self.patience_s)
        return 200

    patience_s = PATIENCE_S


class AcknowledgesInTime(AcknowledgesLate):
    patience_s = 0.5


async def says_nothing(text: str, again: int, say: Say) -> int:
    return 200


def test_an_event_that_failed_is_given_again() -> None:
    assert answers(fails_once, "hello") == [["hello 1"]]
    assert answers(fails_once, "hello", retries=0) == [["bad_answer: HTTP 503"]]


def test_an_event_that_is_acknowledged_too_late_is_given_again_and_a_bot_may_answer_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(SlackConnector, "acknowledge_s", 0.2)
    assert answers(AcknowledgesLate(), "hello") == [["hello 0", "hello 1"]]
    assert answers(AcknowledgesInTime(), "hello", retries=0) == [["hello 0"]]


async def fails_after_it_was_asked_to_hurry(text: str, again: int, say: Say) -> int:
    await asyncio.sleep(0.3)
    return 503


def test_an_event_that_fails_when_it_would_be_given_again_has_failed_where_it_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(SlackConnector, "acknowledge_s", 0.1)
    shown = answers(fails_after_it_was_asked_to_hurry, "hello", retries=0)
    assert shown == [["bad_answer: HTTP 503"]]


class FailsTheSecondTime(AcknowledgesLate):
    """Works on the first event until it has refused the second."""

    async def __call__(self, text: str, again: int, say: Say) -> int:
        if again:
            self.again.set()
            return 503
        await asyncio.wait_for(self.again.wait(), PATIENCE_S)
        await asyncio.sleep(0.1)
        await say(f"{text} {again}")
        return 200


def test_an_event_that_was_acknowledged_once_was_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SlackConnector, "acknowledge_s", 0.2)
    assert answers(FailsTheSecondTime(), "hello") == [["hello 0"]]


@pytest.mark.parametrize(
    ("text", "shown"),
    [("12345", "12345 0"), ("123456", "refused: the turn exceeds Slack's 5 characters")],
)
def test_a_turn_may_be_as_long_as_the_platform_permits(
    text: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SlackConnector, "longest_text", 5)
    assert answers(echoes, text) == [[shown]]


def test_a_button_that_the_bot_never_offered_is_said_in_words_and_a_chat_ends_with_its_dialogue() -> None:
    async def run() -> None:
        async with bot(echoes) as connector:
            here = Conversation("here")
            await connector.close(here)  # before anything was said
            assert texts(await told(connector, here, "North", payload="north")) == ["north 0"]
            assert list(connector.inner._chats) == [here.state["chat"]]
            await connector.close(here)
            assert connector.inner._chats == {}

    asyncio.run(run())


@pytest.mark.parametrize(
    ("start", "history", "shown"),
    [
        ("hi", (), ["hi 0"]),
        ("hi", (PastTurn("user", "before"),), []),
        (None, (), []),
    ],
)
def test_a_bot_is_greeted_where_its_dialogue_begins(
    start: str | None, history: tuple[PastTurn, ...], shown: list[str]
) -> None:
    async def run() -> list[str]:
        async with bot(echoes, start=start) as connector:
            assert connector.capabilities.greets == (start is not None)
            conversation = Conversation("here", history=history)
            return texts([output async for output in connector.open(conversation)])

    assert asyncio.run(run()) == shown


def test_who_asks_for_no_proxy_gets_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        async with bot(echoes) as connector:
            await connector.start()
            assert connector.inner._proxy is None

    monkeypatch.chdir(tmp_path)
    asyncio.run(run())
    assert list(tmp_path.iterdir()) == [], "a certificate of a proxy"


@pytest.mark.parametrize("folder", [None, "certificates"])
def test_a_proxy_is_started_once_and_leaves_its_certificate_where_the_study_says(
    folder: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        place = {} if folder is None else {"certificate_folder": str(tmp_path / folder)}
        async with bot(echoes, proxy_port=0, **place) as connector:
            await connector.start()
            proxy = connector.inner._proxy
            await connector.start()
            assert proxy is not None and connector.inner._proxy is proxy

    monkeypatch.chdir(tmp_path)
    (tmp_path / "certificates").mkdir()
    asyncio.run(run())
    assert [one.name for one in (tmp_path / (folder or ".")).glob("*.pem")] == ["slack-ca.pem"]
    assert len(list(tmp_path.rglob("*.pem"))) == 1


def test_a_button_that_the_bot_offered_is_pressed_and_another_is_said() -> None:
    async def run() -> list[str | None]:
        async with bot(echoes) as connector:
            here, pressed = Conversation("here"), list[str | None]()
            inner = connector.inner
            event = inner._event

            def watched(chat: Chat, text: str, payload: str | None) -> dict[str, Any]:
                pressed.append(payload)
                return event(chat, text, None)

            inner._event = watched
            await told(connector, here, "hello")
            inner._chats[here.state["chat"]].buttons["n"] = {"message": "1.2", "action": {}}
            for payload in ("n", "s", None):
                await told(connector, here, "North", payload=payload)
            return pressed

    assert asyncio.run(run()) == [None, "n", None, None]


@pytest.mark.parametrize(("fails", "tries"), [(0, 1), (2, 3), (9, 3)])
def test_who_is_not_there_yet_is_knocked_for_as_long_as_one_waits_for_a_connection(
    monkeypatch: pytest.MonkeyPatch, fails: int, tries: int
) -> None:
    """By a clock that a knock moves on by half a second; one waits for one second."""
    now, knocks = [100.0], list[float]()

    async def send(request: httpx.Request) -> httpx.Response:
        knocks.append(now[0])
        now[0] += 0.5
        if len(knocks) <= fails:
            raise httpx.ConnectError("nobody")
        return httpx.Response(200)

    async def run() -> None:
        settings = {"connect": "slack", "url": "http://bot.example/", "connect_timeout_s": 1.0}
        inner: Any = make_connector(settings, {}).inner
        client, inner._client = inner._client, SimpleNamespace(send=send)
        monkeypatch.setattr(platform, "time", SimpleNamespace(monotonic=lambda: now[0]))
        monkeypatch.setattr(platform, "KNOCK_PAUSE_S", 0.0)
        try:
            await inner._knock(httpx.Request("POST", "http://bot.example/"))
        finally:
            await client.aclose()

    failed = pytest.raises(SystemUnderTestError, match=r"within 1 s \(nobody\). Start the bot")
    with failed if fails > 2 else nullcontext():
        asyncio.run(run())
    assert len(knocks) == tries


NOT_GIVEN_BACK = "refused: it did not return the challenge of url_verification"


@pytest.mark.parametrize(
    ("challenged", "settings", "shown"),
    [
        (lambda text: json.dumps({"challenge": text}), {}, "hello 0"),
        (lambda text: json.dumps({"challenge": "no", "text": text}), {}, f"{NOT_GIVEN_BACK}; verify: false"),
        (lambda _: "no", {}, f"{NOT_GIVEN_BACK}; verify: false"),
        (lambda _: "no", {"verify": False}, "hello 0"),
    ],
)
def test_a_slack_bot_is_known_by_the_challenge_that_it_gives_back(
    challenged: Callable[[str], str], settings: dict[str, Any], shown: str
) -> None:
    ((said,),) = answers(echoes, "hello", challenged=challenged, **settings)
    assert said.startswith(shown)


def test_a_bot_that_does_not_come_by_socket_mode_is_unreachable() -> None:
    async def run() -> None:
        settings = {"connect": "slack", "port": 0, "connect_timeout_s": 0.05}
        connector = make_connector(settings, {})
        try:
            await told(connector, Conversation("here"), "hello")
        finally:
            await connector.shut_down()

    with pytest.raises(SystemUnderTestError, match=r"by Socket Mode .* within 0\.05 s") as caught:
        asyncio.run(run())
    assert not caught.value.reached


def test_a_bot_of_socket_mode_may_acknowledge_twice_and_what_it_was_never_given() -> None:
    async def run() -> list[str]:
        connector: Any = make_connector(
            {"connect": "slack", "port": 0, "idle_s": 0.05, "connect_timeout_s": PATIENCE_S}, {}
        )
        try:
            await connector.start()
            address = connector.inner.address
            async with (
                connect(f"{address.replace('http', 'ws', 1)}/link") as socket,
                httpx.AsyncClient() as web,
            ):
                assert json.loads(await socket.recv())["type"] == "hello"
                said: list[str] = []
                for text in ("one", "two"):
                    turn = asyncio.create_task(
                        told(connector, Conversation("here", state={"chat": "D1"}), text)
                    )
                    envelope = json.loads(await socket.recv())
                    for name in ("unknown", envelope["envelope_id"], envelope["envelope_id"]):
                        await socket.send(json.dumps({"envelope_id": name}))
                    heard = envelope["payload"]["event"]["text"]
                    await web.post(
                        f"{address}/api/chat.postMessage", json={"channel": "D1", "text": f"heard {heard}"}
                    )
                    said += texts(await turn)
                return said
        finally:
            await connector.shut_down()

    assert asyncio.run(run()) == ["heard one", "heard two"]


@pytest.mark.parametrize(
    ("text", "commands", "kind"),
    [
        ("/weather Rome", True, "command"),
        ("/weather Rome", False, "event"),
        ("weather", True, "event"),
        ("/ or not", True, "event"),
        ("/", True, "event"),
    ],
)
def test_a_slash_and_a_word_are_a_command_of_slack(text: str, commands: bool, kind: str) -> None:
    settings = {"connect": "slack", "url": "http://bot.example/", "commands": commands}
    inner: Any = make_connector(settings, {}).inner
    assert list(inner._event(Chat("D1", "en"), text, None)) == [kind]


def test_numbers_of_messages_are_whole_and_follow_each_other() -> None:
    inner: Any = make_connector({"connect": "whatsapp", "url": "http://bot.example/"}, {}).inner
    first = inner._number()
    assert (type(first), inner._number()) == (int, first + 1)


def test_duplicates_are_delivered_where_the_settings_say_so() -> None:
    assert answers(echoes, "hello", duplicates=2) == [["hello 0", "hello 1", "hello 2"]]


def test_a_bot_that_says_nothing_ends_in_a_time_out_that_tells_what_it_did() -> None:
    shown = answers(says_nothing, "hello", first_output_timeout_s=3)
    assert shown == [["timeout: no output after 3 s; it acknowledged the event"]]


def test_what_comes_after_its_turn_is_shown_with_the_next_one_and_does_not_end_it() -> None:
    speaking: dict[str, Say] = {}
    later: set[asyncio.Task[None]] = set()

    async def speaks_after(pause_s: float, say: Say, text: str) -> None:
        await asyncio.sleep(pause_s)
        await say(text)

    async def handle(text: str, again: int, say: Say) -> int:
        speaking[text] = say
        pause_s = 0.0 if text == "one" else 0.6  # the second is idle for longer than ends a turn
        later.add(asyncio.create_task(speaks_after(pause_s, say, f"to {text}")))
        return 200

    async def run() -> list[list[str]]:
        async with bot(handle) as connector:
            here = Conversation("here")
            first = texts(await told(connector, here, "one"))
            await speaking["one"]("one more thing")
            return [first, texts(await told(connector, here, "two"))]

    assert asyncio.run(run()) == [["to one"], ["one more thing", "to two"]]
