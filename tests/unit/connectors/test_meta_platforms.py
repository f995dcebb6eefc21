"""Bots for WhatsApp and Messenger, on libraries that know one address only, take us for the platform."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from scenes.platform_bots import SECRET, platform_bot, texts, titles, told
from vivavoce.connectors.base import Conversation
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.wire import heard_on_the_wire
from vivavoce.core.errors import SystemUnderTestError


def test_an_unmodified_whatsapp_bot_answers_with_buttons_lists_and_typing(tmp_path: Path) -> None:
    async def run() -> None:
        signed = {"app_secret": "${SECRET}", "verify_token": "verifies", "folder": tmp_path}
        async with platform_bot("whatsapp", "whatsapp_pywa_bot.py", **signed) as connector:
            here, there = Conversation("here"), Conversation("there")
            with heard_on_the_wire([]) as frames:
                assert texts(await told(connector, here, "one")) == ["first was one"]
            assert SECRET not in str(frames) and "TEST" not in str(frames)
            asked = await told(connector, here, "where")
            assert (texts(asked), titles(asked[0])) == (["Where to?"], [("North", "n"), ("South", "s")])
            assert texts(await told(connector, here, "South", "s")) == ["picked s (South)"]
            listed = await told(connector, here, "list")
            assert titles(listed[0]) == [("Soup", "soup"), ("Bread", "bread")]
            assert texts(await told(connector, here, "Soup", "soup")) == ["chosen soup"]
            assert texts(await told(connector, here, "late")) == ["here at last"]
            both = await asyncio.gather(told(connector, here, "x"), told(connector, there, "y"))
            assert [texts(outputs) for outputs in both] == [["first was one"], ["first was y"]]

    asyncio.run(run())


def test_an_unmodified_messenger_bot_answers_with_quick_replies_buttons_and_typing(tmp_path: Path) -> None:
    async def run() -> None:
        signed = {"app_secret": "${SECRET}", "start": "GET_STARTED", "folder": tmp_path}
        async with platform_bot("messenger", "messenger_fb_bot.py", **signed) as connector:
            here = Conversation("here")
            greeting = [output async for output in connector.open(here)]
            assert texts(greeting) == ["chosen GET_STARTED"]
            assert texts(await told(connector, here, "one")) == ["Participant, first was one"]
            asked = await told(connector, here, "where")
            assert (texts(asked), titles(asked[0])) == (["Where to?"], [("North", "n"), ("South", "s")])
            assert texts(await told(connector, here, "North", "n")) == ["picked n (North)"]
            menu = await told(connector, here, "menu")
            assert texts(menu) == ["What to eat?\nCard: https://x.example"]
            assert texts(await told(connector, here, "Soup", "soup")) == ["chosen soup"]
            assert texts(await told(connector, here, "late")) == ["here", "at last"]
            await connector.reset(here)
            assert texts(await told(connector, here, "two")) == ["Participant, first was two"]

    asyncio.run(run())


def test_a_webhook_that_does_not_give_back_the_challenge_is_refused() -> None:
    async def run() -> None:
        async with platform_bot("messenger", "messenger_fb_bot.py", verify_token="verifies") as connector:
            with pytest.raises(SystemUnderTestError, match="did not give back the challenge") as caught:
                await told(connector, Conversation("here"), "one")
            assert not caught.value.reached

    asyncio.run(run())


REFUSED: list[tuple[str, str, dict[str, Any], int]] = [
    ("whatsapp", "1/messages", {"to": "1", "type": "text", "text": {"body": "x"}}, 131030),
    ("whatsapp", "1/messages", {"to": "CHAT", "type": "text", "text": "x"}, 100),
    ("whatsapp", "1/messages", {"to": "CHAT", "type": "text", "text": {"body": "x" * 4097}}, 100),
    ("whatsapp", "1/nothing", {}, 100),
    ("messenger", "me/messages", {"recipient": {"id": "1"}, "message": {"text": "x"}}, 100),
    ("messenger", "me/messages", {"recipient": {"id": "CHAT"}, "message": {}}, 100),
    ("messenger", "me/messages", {"recipient": {"id": "CHAT"}, "message": {"text": "x" * 2001}}, 100),
]


@pytest.mark.parametrize(("platform", "path", "body", "code"), REFUSED)
def test_what_the_platform_refuses_is_refused(
    platform: str, path: str, body: dict[str, Any], code: int
) -> None:
    async def run() -> None:
        settings = {"connect": platform, "port": 0, "url": "http://127.0.0.1:1/", "token": "right"}
        connector: Any = make_connector({**settings, "connect_timeout_s": 0.05, "allow_private": True}, {})
        here = Conversation("here")
        with pytest.raises(SystemUnderTestError, match="unreachable"):
            await told(connector, here, "hello")
        address, number = f"{connector.inner.address}/v26.0/{path}", here.state["chat"]
        if body.get("to") == "CHAT":
            body["to"] = number
        elif body.get("recipient") == {"id": "CHAT"}:
            body["recipient"] = {"id": number}
        async with httpx.AsyncClient(trust_env=False) as client:
            for token, expected in (("wrong", 190), ("right", code)):
                headers = {"authorization": f"Bearer {token}"}
                answer = (await client.post(address, json=body, headers=headers)).json()
                assert answer["error"]["code"] == expected
        await connector.shut_down()

    asyncio.run(run())
