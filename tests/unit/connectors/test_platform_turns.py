"""When a message platform's bot has answered, and what of its messages belongs to which turn."""

import asyncio
import time
from typing import Any

import pytest

from scenes.patience import PATIENCE_S
from vivavoce.connectors.base import SystemOutput
from vivavoce.connectors.factory import make_connector
from vivavoce.core.errors import SystemUnderTestError
from vivavoce_platforms.platform_chat import BotMessage, Chat

BEGUN_S = 100.0


ANSWERED: dict[str, Any] = {"messages": [BotMessage(1, "hi", at_s=101.0)], "active_s": 101.0}


NO_OUTPUT = "no output after 30 s"


@pytest.mark.parametrize(
    ("chat", "handled", "greeting_s", "now_s", "over"),
    [
        (ANSWERED, None, None, 101.5, False),
        (ANSWERED, None, None, 102.0, True),
        (ANSWERED, True, None, 102.0, True),
        (ANSWERED, False, None, 110.0, False),
        (ANSWERED, False, None, 220.0, False),
        (ANSWERED, False, None, 220.5, "its turn was not complete after 120 s"),
        (ANSWERED, SystemUnderTestError("closed", "it failed"), None, 102.0, "it failed"),
        ({**ANSWERED, "typing_until_s": 105.0}, None, None, 104.5, False),
        ({**ANSWERED, "typing_until_s": 105.0}, None, None, 105.0, True),
        ({}, None, None, 130.0, False),
        ({}, None, None, 130.5, NO_OUTPUT),
        ({}, True, None, 130.5, f"{NO_OUTPUT}; it acknowledged the event"),
        ({}, False, None, 130.5, NO_OUTPUT),
        (
            {"active_s": 101.0, "calls": [("read", {}), ("read", {})]},
            True,
            None,
            130.5,
            f"{NO_OUTPUT}; it called read",
        ),
        ({"active_s": 101.0, "typing_until_s": 131.0}, None, None, 131.0, False),
        ({"active_s": 101.0, "typing_until_s": 131.0}, None, None, 131.5, NO_OUTPUT),
        ({}, None, 5.0, 105.0, False),
        ({}, None, 5.0, 105.5, True),
        (ANSWERED, False, 5.0, 105.5, False),
    ],
)
def test_a_turn_is_over_when_the_bot_has_written_is_idle_and_has_handled_the_event(
    chat: dict[str, Any],
    handled: bool | Exception | None,
    greeting_s: float | None,
    now_s: float,
    over: bool | str,
) -> None:
    settings = {"connect": "slack", "url": "http://bot.example/", "idle_s": 1.0}

    async def run() -> bool:
        connector: Any = make_connector(settings, {}).inner
        future = asyncio.get_running_loop().create_future()
        if isinstance(handled, Exception):
            future.set_exception(handled)
        elif handled:
            future.set_result(None)
        handling = None if handled is None else future
        try:
            return connector._is_over(
                Chat("1", "en", begun_s=BEGUN_S, **chat), greeting_s, handling, BEGUN_S, now_s
            )
        finally:
            await connector.shut_down()

    if isinstance(over, bool):
        assert asyncio.run(run()) == over
    else:
        with pytest.raises(SystemUnderTestError) as caught:
            asyncio.run(run())
        assert caught.value.detail == over


def test_what_a_bot_wrote_is_told_with_how_long_ago_it_did() -> None:
    settings = {"connect": "slack", "url": "http://bot.example/"}
    ago_s = {"now": 10.0, "before this turn": 2000.0}

    async def run() -> list[SystemOutput]:
        connector: Any = make_connector(settings, {}).inner
        now_s = time.monotonic()
        messages = [BotMessage(name, name, at_s=now_s - since) for name, since in ago_s.items()]
        chat = Chat("1", "en", messages=messages, begun_s=now_s - 1000.0, active_s=now_s - 5.0)
        chat.calls = [("chat.postMessage", {})]
        found = connector._outputs(chat)
        assert chat.messages == [] and connector._outputs(chat) == []
        await connector.shut_down()
        return found

    now, before, extras = asyncio.run(run())
    assert [one.text for one in (now, before)] == list(ago_s)
    assert extras.raw == {"methods": ["chat.postMessage"]}
    for output, held_s in ((now, 10.0), (before, 1000.0), (extras, 5.0)):
        assert 0 <= output.held_s - held_s < PATIENCE_S


def message(number: int, at_s: float, text: str = "hi", **more: Any) -> BotMessage:
    return BotMessage(number, text, at_s=at_s, **more)


@pytest.mark.parametrize(
    ("messages", "acted", "answered"),
    [
        ([], True, False),
        ([message(1, 99.9)], True, False),
        ([message(1, 100.0)], True, True),
        ([message(1, 100.0)], False, False),
        ([message(1, 99.9), message(2, 100.1)], True, True),
        ([message(1, 100.1), message(2, 100.2, streams=True)], True, False),
    ],
)
def test_a_bot_has_answered_when_it_has_written_in_this_turn_and_writes_no_more(
    messages: list[BotMessage], acted: bool, answered: bool
) -> None:
    chat = Chat("1", "en", messages=messages)
    chat.begin_turn(100.0)
    if acted:
        chat.stirred("read", {"token": "secret", "a": 1}, 100.5)
        assert chat.calls == [("read", {"a": 1})]
    assert chat.answered == answered


@pytest.mark.parametrize(("was_s", "is_s"), [(99.9, 101.0), (100.0, 100.0), (100.5, 100.5)])
def test_a_message_that_came_too_late_for_the_last_turn_is_of_this_one_when_it_is_edited(
    was_s: float, is_s: float
) -> None:
    chat = Chat("1", "en", messages=[message(1, was_s)])
    chat.begin_turn(100.0)
    chat.edit(message(1, 101.0, "new"))
    assert [(one.text, one.at_s) for one in chat.messages] == [("new", is_s)]
    chat.edit(message(2, 102.0))
    assert [one.message_id for one in chat.messages] == [1, 2]
    chat.delete(1)
    assert [one.message_id for one in chat.messages] == [2]
