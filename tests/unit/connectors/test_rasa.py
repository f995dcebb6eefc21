"""What a real Rasa does and a guess would not: sessions that begin twice, turns that are acknowledged."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from scenes.connecting import said, texts, within
from scenes.counterparts import Counterparts
from vivavoce.connectors.base import Choice, Connector, Conversation, PastTurn, SystemOutput
from vivavoce.connectors.factory import make_connector
from vivavoce.core.errors import SystemUnderTestError

WELCOME = {"start": "/session_start", "metadata": {"welcome": True}}
ENDLESS_S = 60.0  # a silence that nobody waits for
BRIEF_S = 0.3
ANSWERED_S = 4.0  # an honest answer takes a thousandth of it


@pytest.fixture(scope="module")
def counterparts() -> Iterator[Counterparts]:
    running = Counterparts()
    yield running
    running.stop()


@pytest.fixture
def rest(counterparts: Counterparts) -> dict[str, Any]:
    return {"connect": "rasa", "url": f"http://{counterparts.server('chat_server.py')}"}


@pytest.fixture
def socketio(counterparts: Counterparts) -> dict[str, Any]:
    server = counterparts.server("rasa_socketio_server.py")
    return {"connect": "rasa-socketio", "url": f"http://{server}", "idle_s": ENDLESS_S}


@pytest.fixture
def persistent(counterparts: Counterparts) -> dict[str, Any]:
    server = counterparts.server("rasa_socketio_server.py", "persistent", "renamed")
    named = {"user_event": "said_user", "bot_event": "said_bot", "session_persistence": True}
    return {"connect": "rasa-socketio", "url": f"http://{server}", "idle_s": ENDLESS_S, **named}


@pytest.mark.parametrize("channel", ["rest", "socketio"])
def test_a_bot_that_welcomes_at_each_start_of_a_session_is_heard_to_welcome_once(
    channel: str, request: pytest.FixtureRequest
) -> None:
    async def talk(connector: Connector) -> list[list[str]]:
        conversation = Conversation(f"welcome-{channel}")
        opened = [output async for output in connector.open(conversation)]
        assert [output.kind for output in opened] == ["message", "extras"]
        conversation.history = (PastTurn("system", "Welcome."),)
        assert [output async for output in connector.open(conversation)] == []
        return [texts(opened), texts(await said(connector, conversation, "one"))]

    settings = request.getfixturevalue(channel) | WELCOME
    assert within(settings, talk) == [["Welcome."], ["first was one"]]


def test_how_long_was_waited_for_the_end_of_a_greeting_is_told(socketio: dict[str, Any]) -> None:
    async def talk(connector: Connector) -> list[SystemOutput]:
        return [output async for output in connector.open(Conversation("hasty-start"))]

    *greeting, waited = within(socketio | {"start": "hasty", "idle_s": BRIEF_S}, talk)
    assert texts(greeting) == ["there you are"] and waited.held_s >= BRIEF_S


def test_another_start_that_is_answered_twice_is_heard_twice(rest: dict[str, Any]) -> None:
    async def talk(connector: Connector) -> list[str]:
        return texts([output async for output in connector.open(Conversation("twice"))])

    assert within(rest | {"start": "menu"}, talk) == ["Well?", ""]


def test_a_turn_is_complete_when_rasa_acknowledges_it_and_nobody_waits(socketio: dict[str, Any]) -> None:
    async def talk(connector: Connector) -> list[SystemOutput]:
        return await said(connector, Conversation("acknowledged"), "one")

    outputs = within(socketio, talk)
    assert [output.kind for output in outputs] == ["message", "extras"]
    assert {output.held_s for output in outputs} == {0.0}


@pytest.mark.parametrize("channel", ["rest", "socketio"])
def test_a_bot_that_says_nothing_is_silent_and_has_not_failed(
    channel: str, request: pytest.FixtureRequest
) -> None:
    async def talk(connector: Connector) -> list[list[SystemOutput]]:
        conversation = Conversation(f"silent-{channel}")
        return [await said(connector, conversation, text) for text in ("hush", "one")]

    settings = request.getfixturevalue(channel)
    settings |= {"idle_s": BRIEF_S} if channel == "socketio" else {}
    silence, answer = within(settings, talk)
    assert (silence, texts(answer)) == ([], ["first was one"])


def test_a_server_that_acknowledges_before_it_speaks_is_heard(socketio: dict[str, Any]) -> None:
    async def talk(connector: Connector) -> list[SystemOutput]:
        return await said(connector, Conversation("hasty"), "hasty")

    outputs = within(socketio | {"idle_s": 2.0}, talk)
    assert texts(outputs) == ["there you are"]
    assert outputs[-1].held_s >= 2.0


def test_a_turn_that_is_acknowledged_after_its_silence_does_not_end_the_next(
    socketio: dict[str, Any],
) -> None:
    async def talk(connector: Connector) -> list[list[str]]:
        conversation = Conversation("tardy")
        tardy = texts(await said(connector, conversation, "tardy"))
        await asyncio.sleep(1.5)
        return [tardy, texts(await said(connector, conversation, "one"))]

    assert within(socketio | {"idle_s": BRIEF_S}, talk) == [["here you are"], ["first was one"]]


async def failing_then_again(connector: Connector) -> list[str]:
    conversation = Conversation("lost")
    before = texts(await said(connector, conversation, "one"))
    with pytest.raises(SystemUnderTestError, match="closed"):
        await said(connector, conversation, "closed")
    return before + texts(await said(connector, conversation, "two"))


def test_a_bot_with_session_persistence_goes_on_after_a_broken_connection(
    persistent: dict[str, Any],
) -> None:
    assert within(persistent, failing_then_again) == ["first was one", "first was one"]


def test_a_bot_that_forgot_with_its_connection_does_not_go_on_as_if_it_knew(socketio: dict[str, Any]) -> None:
    with pytest.raises(SystemUnderTestError, match="memory of the conversation"):
        within(socketio, failing_then_again)


def test_who_cannot_be_reached_and_who_does_not_confirm_are_told_apart(
    socketio: dict[str, Any], counterparts: Counterparts
) -> None:
    async def begin(connector: Connector) -> list[str]:
        return texts(await said(connector, Conversation("nobody"), "one"))

    no_socketio = socketio | {"url": f"http://{counterparts.server('chat_server.py')}"}
    with pytest.raises(SystemUnderTestError) as refused:
        within(no_socketio, begin)
    unconfirmed = {"url": f"http://{counterparts.server('rasa_socketio_server.py', 'mute')}"}
    with pytest.raises(SystemUnderTestError, match="did not confirm the session in time"):
        within(socketio | unconfirmed | {"connect_timeout_s": BRIEF_S}, begin)
    assert "confirm" not in str(refused.value)


def test_where_the_memory_of_a_bot_is_decides_what_is_said_after_a_restart_of_ours(
    socketio: dict[str, Any], persistent: dict[str, Any]
) -> None:
    memories = [
        make_connector(one | {"allow_private": True}, {}).capabilities.memory
        for one in (socketio, persistent)
    ]
    assert memories == ["process", "system"]


def test_what_a_bot_says_too_late_is_not_its_next_answer(persistent: dict[str, Any]) -> None:
    async def talk(connector: Connector) -> list[str]:
        conversation = Conversation("late")
        with pytest.raises(SystemUnderTestError, match="not complete"):
            await said(connector, conversation, "slow")
        await connector.reset(conversation)
        return texts(await said(connector, conversation, "one"))

    assert within(persistent | {"turn_timeout_s": ANSWERED_S}, talk) == ["first was one"]


def test_metadata_and_cards_of_a_carousel_go_over_socketio(persistent: dict[str, Any]) -> None:
    async def talk(connector: Connector) -> list[list[SystemOutput]]:
        conversation = Conversation("cards")
        return [await said(connector, conversation, text) for text in ("metadata", "cards")]

    metadata, cards = within(persistent | {"metadata": {"group": "a"}}, talk)
    assert texts(metadata) == ["{'group': 'a'}"]
    assert (cards[0].text, cards[0].images) == ("Margherita\n5 euro", ("https://example.org/m.png",))
    assert cards[0].choices == (Choice("Take it", "/take"),)
