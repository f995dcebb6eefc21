"""What all message platforms do alike: retries, duplicates, answers that come too late or never."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from scenes.platform_bots import texts, told
from vivavoce.connectors.base import Conversation
from vivavoce.connectors.callback_server import CallbackServer
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.slack import SlackConnector
from vivavoce.core.errors import SystemUnderTestError

Say = Callable[[str], Awaitable[Any]]
Handler = Callable[[str, int, Say], Awaitable[int]]


@asynccontextmanager
async def bot(handle: Handler, **settings: Any) -> AsyncIterator[Any]:
    """A connector, and a bot in this process: what is said, which try it is, and how to say something."""
    connector: Any = None

    async def serve(request: Request) -> Response:
        event = json.loads(await request.body())
        if "challenge" in event:
            return Response(event["challenge"])
        again = int(request.headers.get("X-Slack-Retry-Num", "0"))

        async def say(text: str) -> None:
            address = f"{connector.inner.address}/api/chat.postMessage"
            body = {"channel": event["event"]["channel"], "text": text}
            async with httpx.AsyncClient(trust_env=False) as client:
                await client.post(address, json=body)

        return Response("", status_code=await handle(event["event"]["text"], again, say))

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


async def acknowledges_late(text: str, again: int, say: Say) -> int:
    await say(f"{text} {again}")
    await asyncio.sleep(1.0 if again == 0 else 0)
    return 200


async def says_nothing(text: str, again: int, say: Say) -> int:
    return 200


def test_an_event_that_failed_is_given_again() -> None:
    assert answers(fails_once, "hello") == [["hello 1"]]
    assert answers(fails_once, "hello", retries=0) == [["bad_answer: HTTP 503"]]


def test_an_event_that_is_acknowledged_too_late_is_given_again_and_a_bot_may_answer_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(SlackConnector, "acknowledge_s", 0.2)
    assert answers(acknowledges_late, "hello") == [["hello 0", "hello 1"]]
    assert answers(acknowledges_late, "hello", retries=0) == [["hello 0"]]


def test_duplicates_are_delivered_where_the_settings_say_so() -> None:
    assert answers(echoes, "hello", duplicates=2) == [["hello 0", "hello 1", "hello 2"]]


def test_a_bot_that_says_nothing_ends_in_a_time_out_that_tells_what_it_did() -> None:
    shown = answers(says_nothing, "hello", first_output_timeout_s=0.3)
    assert shown == [["timeout: no output after 0.3 s; it acknowledged the event"]]


def test_what_comes_after_its_turn_is_shown_with_the_next_one_and_does_not_end_it() -> None:
    later: set[asyncio.Task[None]] = set()

    async def handle(text: str, again: int, say: Say) -> int:
        async def speak() -> None:
            await asyncio.sleep(0.6 if text == "one" else 0.9)
            await say(f"to {text}")

        later.add(asyncio.create_task(speak()))
        return 200

    shown = answers(handle, "one", "two", first_output_timeout_s=2.0)
    assert shown == [["to one"], ["to two"]]
    timed_out, both = answers(handle, "one", "two", first_output_timeout_s=0.4)[:2]
    assert timed_out[0].startswith("timeout")
    assert both[0] in ("to one", "timeout: no output after 0.4 s; it called chat.postMessage")
