"""A real Slack bot, on Slack Bolt, takes us for Slack: over its request address and by Socket Mode."""

import asyncio
from typing import Any

import httpx
import pytest

from scenes.platform_bots import SECRET, platform_bot, texts, titles, told
from vivavoce.connectors.base import Conversation
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.slack_messages import SlackError, read_message
from vivavoce.connectors.wire import heard_on_the_wire
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


def test_calls_that_slack_refuses_are_refused() -> None:
    async def run() -> None:
        settings = {"connect": "slack", "port": 0, "token": "right", "allow_private": True}
        connector: Any = make_connector(settings, {})
        await connector.start()
        address = f"{connector.inner.address}/api"

        async def error(method: str, token: str = "right", **body: Any) -> str | None:
            headers = {"authorization": f"Bearer {token}"}
            return (await client.post(f"{address}/{method}", json=body, headers=headers)).json().get("error")

        async with httpx.AsyncClient(trust_env=False) as client:
            assert await error("auth.test") is None
            assert await error("auth.test", token="wrong") == "invalid_auth"
            assert await error("chat.postMessage", channel="D1", text="x") == "channel_not_found"
            assert await error("chat.appendStream", channel="D1", ts="1") == "channel_not_found"
            assert await error("views.open", trigger_id="t") == "unknown_method"
            garbage = {"authorization": "Bearer right", "content-type": "application/json"}
            answer = await client.post(f"{address}/auth.test", content=b"\x00{", headers=garbage)
            assert answer.json() == {"ok": False, "error": "invalid_json"}
        await connector.shut_down()

    asyncio.run(run())


def test_blocks_are_read_as_people_see_them() -> None:
    option = {"text": {"type": "plain_text", "text": "Soup"}, "value": "soup"}
    words = [{"type": "text", "text": "and "}, {"type": "emoji", "name": "tea"}]
    rich = {"type": "rich_text_section", "elements": words}
    fields = [{"type": "mrkdwn", "text": "_today_"}, {"type": "mrkdwn", "text": "a_b_c"}]
    menu = {"type": "static_select", "action_id": "eat", "options": [option]}
    blocks = [
        {"type": "header", "text": {"type": "plain_text", "text": "*Menu*"}},
        {"type": "section", "fields": fields},
        {"type": "rich_text", "elements": [rich]},
        {"type": "image", "image_url": "https://x.example/p.png", "alt_text": "p"},
        {"type": "actions", "block_id": "food", "elements": [menu]},
    ]
    message, buttons = read_message({"text": "fallback", "blocks": blocks}, "1.2")
    assert message.text == "*Menu*\ntoday\na_b_c\nand :tea:"
    assert message.images == ["https://x.example/p.png"]
    assert [(one.title, one.payload) for one in message.choices] == [("Soup", "eat=soup")]
    assert buttons["eat=soup"]["action"]["selected_option"] == option
    with pytest.raises(SlackError, match="no_text"):
        read_message({"text": ""}, "1.2")
    with pytest.raises(SlackError, match="invalid_blocks"):
        read_message({"text": "x", "blocks": "{"}, "1.2")
