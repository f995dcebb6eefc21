"""A real Rasa, over REST and over Socket.IO: greeting, buttons, slots, pictures, silence, memory.

`make counterparts` installs it and runs these tests; they are no part of `make test`.
"""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from scenes.connecting import said, texts, within
from scenes.installed import RealRasa, token
from vivavoce.connectors.base import Choice, Connector, Conversation, PastTurn, SystemOutput, UserTurn
from vivavoce.core.errors import SystemUnderTestError

pytestmark = [pytest.mark.counterpart, pytest.mark.long]

WELCOME = {"start": "/session_start", "metadata": {"welcome": True}}
CHANNELS = ("rasa", "rasa-socketio", "rasa-socketio-persistent")


@pytest.fixture(scope="module")
def rasa(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealRasa]:
    running = RealRasa(tmp_path_factory.mktemp("rasa"))
    yield running
    running.stop()


def reached(rasa: RealRasa, channel: str) -> dict[str, Any]:
    if channel == "rasa":
        return {"connect": "rasa", "url": rasa.plain}
    socket = {"connect": "rasa-socketio", "idle_s": 2.0}
    if channel == "rasa-socketio":
        return {**socket, "url": rasa.plain}
    return {**socket, "url": rasa.persistent, "session_persistence": True, "token": token()}


@pytest.fixture(params=CHANNELS)
def settings(request: pytest.FixtureRequest, rasa: RealRasa) -> dict[str, Any]:
    return reached(rasa, request.param)


def test_it_greets_once(settings: dict[str, Any]) -> None:
    async def talk(connector: Connector) -> list[str]:
        return texts([output async for output in connector.open(Conversation("greeted"))])

    assert within(settings | WELCOME, talk) == ["Welcome to the trattoria."]


def test_left_to_itself_it_greets_with_its_first_answer(settings: dict[str, Any]) -> None:
    async def talk(connector: Connector) -> list[str]:
        return texts(await said(connector, Conversation("late greeting"), "one"))

    assert within(settings | WELCOME | {"start": None}, talk) == [
        "Welcome to the trattoria.",
        "first was one",
    ]


def test_a_pressed_button_fills_the_slot_of_its_own_conversation(settings: dict[str, Any]) -> None:
    async def order(connector: Connector, size: str) -> list[str]:
        conversation = Conversation(f"pizza-{size}-{id(connector)}")
        asked = await said(connector, conversation, "pizza please")
        assert [one.title for one in asked[0].choices] == ["Small", "Large"]
        button: Choice = next(one for one in asked[0].choices if one.title == size)
        turn = UserTurn(key="pressed", number=2, text=button.title, payload=button.payload)
        answers = texts([output async for output in connector.send(conversation, turn)])
        return answers + texts(await said(connector, conversation, "what did I order"))

    async def talk(connector: Connector) -> list[list[str]]:
        return await asyncio.gather(order(connector, "Small"), order(connector, "Large"))

    small, large = within(settings, talk)
    assert small == ["Your pizza is small."] * 2
    assert large == ["Your pizza is large."] * 2


def test_several_texts_a_picture_and_something_of_its_own_arrive_in_their_order(
    settings: dict[str, Any],
) -> None:
    async def talk(connector: Connector) -> list[SystemOutput]:
        return await said(connector, Conversation("menu"), "menu")

    outputs = within(settings, talk)
    messages = [(one.text, one.images) for one in outputs if one.kind == "message"]
    assert messages == [("Margherita.", ()), ("Marinara.", ()), ("", ("https://example.org/menu.png",))]
    assert "'oven': 'hot'" in str(outputs[-1].raw)


@pytest.mark.parametrize("text", ["hush", "break down"])
def test_nothing_said_is_a_silence_and_the_dialogue_goes_on(settings: dict[str, Any], text: str) -> None:
    async def talk(connector: Connector) -> tuple[list[SystemOutput], list[str]]:
        conversation = Conversation(f"silence-{text}")
        return await said(connector, conversation, text), texts(await said(connector, conversation, "one"))

    assert within(settings, talk) == ([], [f"first was {text}"])


def test_no_turn_waits_for_a_silence_where_rasa_acknowledges(rasa: RealRasa) -> None:
    async def talk(connector: Connector) -> list[SystemOutput]:
        return await said(connector, Conversation("at once"), "one")

    outputs = within(reached(rasa, "rasa-socketio") | {"idle_s": 60.0}, talk)
    assert {output.held_s for output in outputs} == {0.0}


@pytest.mark.parametrize("channel", ["rasa", "rasa-socketio-persistent"])
def test_after_a_restart_of_ours_it_still_knows(channel: str, rasa: RealRasa) -> None:
    async def begin(connector: Connector) -> str:
        return connector.capabilities.memory if await said(connector, again(), "one") else ""

    async def go_on(connector: Connector) -> list[str]:
        conversation = again()
        conversation.history = (PastTurn("user", "one"), PastTurn("system", "first was one"))
        opened = [output async for output in connector.open(conversation)]
        return texts(opened + await said(connector, conversation, "two"))

    def again() -> Conversation:
        return Conversation(f"restarted-{channel}")

    settings = reached(rasa, channel)
    assert within(settings, begin) == "system"
    assert within(settings, go_on) == ["first was one"]


def test_a_connection_without_a_token_is_refused(rasa: RealRasa) -> None:
    settings = {**reached(rasa, "rasa-socketio-persistent"), "token": None}

    async def talk(connector: Connector) -> None:
        with pytest.raises(SystemUnderTestError, match="unreachable"):
            await said(connector, Conversation("stranger"), "one")

    within(settings, talk)
