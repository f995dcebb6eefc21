"""A widget on a page, as it stands there: open, behind a button, framed, in a web component."""

import shutil
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from scenes.connecting import talked
from scenes.counterparts import Counterparts
from vivavoce.connectors.base import Conversation, SystemOutput, UserTurn
from vivavoce.connectors.wire import Frames, heard_on_the_wire
from vivavoce.core.errors import SystemUnderTestError

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium: make test installs it"),
]
LOOKED_FOR_S = 12.0  # in which an honest page is there, however busy the machine
WIDGET = {"input": "#chat textarea", "message": "#chat .bot", "typing": ".typing", "idle_s": 0.2}


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    counterparts = Counterparts()
    yield f"http://{counterparts.server('widget_page.py')}"
    counterparts.stop()


async def taken(outputs: AsyncIterator[SystemOutput]) -> list[SystemOutput]:
    return [one async for one in outputs]


def told(text: str, number: int = 1, payload: str | None = None) -> UserTurn:
    return UserTurn(key=f"k{number}", number=number, text=text, payload=payload)


def messages(outputs: list[SystemOutput]) -> list[str]:
    return [one.text for one in outputs if one.kind == "message"]


def within(url: str, talk: Callable[[Any, Conversation], Any], **settings: Any) -> Any:
    settings = {"connect": "browser", "url": url, "allow_private": True, **WIDGET, **settings}
    return talked(settings, lambda connector: talk(connector, Conversation("one")))


@pytest.mark.parametrize(
    ("page", "settings"),
    [
        ("/closed", {"click": ["#launch"], "send": "#chat .send"}),
        ("/framed", {"frame": "#help"}),
        ("/shadow", {}),
    ],
)
def test_a_widget_is_found_where_it_stands(site: str, page: str, settings: dict[str, Any]) -> None:
    async def talk(connector: Any, conversation: Conversation) -> list[str]:
        return messages(await taken(connector.send(conversation, told("hello"))))

    assert within(site + page, talk, **settings) == ["first was hello"]


def test_buttons_pictures_and_the_end_are_seen_and_what_is_offered_can_be_pressed(site: str) -> None:
    async def talk(connector: Any, conversation: Conversation) -> None:
        offered = await taken(connector.send(conversation, told("menu")))
        assert [choice.title for one in offered for choice in one.choices] == ["North", "South"]
        pressed = await taken(connector.send(conversation, told("South", 2, payload="South")))
        assert messages(pressed) == ["first was menu"]
        photo = await taken(connector.send(conversation, told("photo", 3)))
        assert [image for one in photo for image in one.images] == [f"{site}/pixel.png"]
        both = await taken(connector.send(conversation, told("both", 4)))
        assert messages(both) == ["one thing", "another"]
        over = await taken(connector.send(conversation, told("bye", 5)))
        assert over[-1].kind == "end"

    within(site, talk, choices="#chat .offer", end="#chat .over")


def test_a_bot_that_writes_slowly_is_waited_for_and_its_begin_and_end_are_timed(site: str) -> None:
    async def talk(connector: Any, conversation: Conversation) -> list[SystemOutput]:
        return await taken(connector.send(conversation, told("slow")))

    outputs = within(site, talk)
    assert messages(outputs) == ["bit by bit"]
    message = next(one for one in outputs if one.kind == "message")
    assert message.held_s - outputs[-1].held_s >= 0.7, "three pieces come 1.5 s apart"


def test_a_greeting_is_waited_for_and_a_second_profile_knows_nothing_of_the_first(site: str) -> None:
    async def talk(connector: Any, conversation: Conversation) -> None:
        assert messages(await taken(connector.open(conversation))) == ["Welcome!"]
        assert messages(await taken(connector.send(conversation, told("one")))) == ["first was one"]
        other = Conversation("two")
        assert messages(await taken(connector.open(other))) == ["Welcome!"]
        assert messages(await taken(connector.send(other, told("two")))) == ["first was two"]

    within(site + "/?greet", talk, greeting_s=5)


def test_what_was_typed_and_shown_is_noted(site: str) -> None:
    wire: Frames = []

    async def talk(connector: Any, conversation: Conversation) -> None:
        with heard_on_the_wire(wire):
            await taken(connector.send(conversation, told("hello")))

    within(site, talk)
    assert wire == [{"sent": "typed", "body": "hello"}, {"received": "shown", "body": "first was hello"}]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"input": "#nobody"}, "no field to type into is found by '#nobody'"),
        ({"click": [".nothing"]}, "nothing to click is found by '.nothing'"),
    ],
)
def test_a_selector_that_finds_nothing_is_named(site: str, settings: dict[str, Any], problem: str) -> None:
    async def talk(connector: Any, conversation: Conversation) -> None:
        await taken(connector.send(conversation, told("hello")))

    with pytest.raises(SystemUnderTestError, match=problem):
        within(site, talk, first_output_timeout_s=LOOKED_FOR_S, **settings)


def test_a_page_reaches_no_private_address_unless_the_study_permits_it(site: str) -> None:
    here = site.replace("127.0.0.1", socket.gethostname())

    async def talk(connector: Any, conversation: Conversation) -> None:
        await taken(connector.send(conversation, told("hello")))

    with pytest.raises(SystemUnderTestError, match="ERR_ADDRESS_UNREACHABLE") as caught:
        within(here, talk, allow_private=False)
    assert not caught.value.reached
