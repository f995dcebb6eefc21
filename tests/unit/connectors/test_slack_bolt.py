"""A real Slack bot, on Slack Bolt, takes us for Slack: over its request address and by Socket Mode."""

import asyncio
from typing import Any

import pytest

from scenes.platform_bots import SECRET, platform_bot, texts, titles, told
from vivavoce.connectors.base import Conversation, heard_on_the_wire
from vivavoce.connectors.factory import make_connector
from vivavoce.core.errors import SystemUnderTestError

BOLT: dict[str, Any] = {"path": "/slack/events", "signing_secret": "${SECRET}"}


def bolt(way: str, **more: Any) -> Any:
    if way == "socket":
        return platform_bot("slack", "slack_bolt_bot.py", "socket", url=None, **more)
    return platform_bot("slack", "slack_bolt_bot.py", "http", **BOLT, **more)


@pytest.mark.parametrize("way", ["http", "socket"])
def test_an_unmodified_bot_answers_with_buttons_edits_streams_and_commands(way: str) -> None:
    async def run() -> None:
        async with bolt(way, idle_s=1.0) as connector:  # longer than what it waits between two messages
            here, there = Conversation("here"), Conversation("there")
            assert texts(await told(connector, here, "a < b & c")) == ["first was a < b & c"]
            asked = await told(connector, here, "where")
            assert texts(asked) == ["Where to, friend (https://x.example)?"]
            assert titles(asked[0]) == [("North", "go_n=n"), ("South", "go_s=s")]
            assert texts(await told(connector, here, "South", "go_s=s")) == ["picked s"]
            assert texts(await told(connector, here, "several")) == ["one moment & a half", "here it is"]
            assert texts(await told(connector, here, "edit")) == ["thought"]
            assert texts(await told(connector, here, "stream")) == ["piece by piece"]
            assert texts(await told(connector, here, "late")) == ["here at last"]
            weather = texts(await told(connector, here, "/weather Rome"))
            assert sorted(weather) == ["looking for Rome", "sunny"]
            both = await asyncio.gather(told(connector, here, "x"), told(connector, there, "y"))
            assert [texts(outputs) for outputs in both] == [["first was a < b & c"], ["first was y"]]

    asyncio.run(run())


def test_a_restart_in_the_middle_keeps_chat_and_buttons() -> None:
    async def run() -> None:
        async with bolt("http") as before:
            here = Conversation("here")
            await told(before, here, "one")
            await told(before, here, "where")
            settings = {**before.inner._settings.model_dump(), "proxy_port": None}
            await before.inner.shut_down()
            after = make_connector(settings, {"SECRET": SECRET})
            assert texts(await told(after, here, "North", "go_n=n"))[0].startswith("picked n of ")
            assert texts(await told(after, here, "again")) == ["first was one"]
            await after.shut_down()

    asyncio.run(run())


def test_a_bot_in_a_channel_is_told_of_what_mentions_it() -> None:
    async def run() -> list[str]:
        async with bolt("http", mention=True) as connector:
            return texts(await told(connector, Conversation("here"), "hello"))

    assert asyncio.run(run()) == ["you said hello"]


def test_a_wrong_secret_is_a_refusal_and_no_secret_is_noted() -> None:
    async def run() -> None:
        async with bolt("http") as connector:
            with heard_on_the_wire([]) as frames:
                await told(connector, Conversation("here"), "hello")
            assert SECRET not in str(frames) and "xoxb" not in str(frames)
        async with platform_bot(
            "slack", "slack_bolt_bot.py", "http", path="/slack/events", signing_secret="another"
        ) as wrong:
            with pytest.raises(SystemUnderTestError, match="refused: HTTP 401"):
                await told(wrong, Conversation("here"), "hello")

    asyncio.run(run())
