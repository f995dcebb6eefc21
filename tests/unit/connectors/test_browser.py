"""A widget on a page, as it stands there: open, behind a button, framed, in a web component."""

import asyncio
import shutil
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from playwright.async_api import Error, TimeoutError

from scenes.connecting import talked
from scenes.counterparts import Counterparts
from vivavoce.connectors import browser
from vivavoce.connectors.base import Conversation, Frames, PastTurn, SystemOutput, UserTurn, heard_on_the_wire
from vivavoce.connectors.browser import BrowserSettings
from vivavoce.connectors.browser_pages import Browser, Page, Seen
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.secrets import Vault
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
        pytest.param("/closed", {"click": ["#launch"], "send": "#chat .send"}, marks=pytest.mark.long),
        ("/framed", {"frame": "#help"}),
        pytest.param("/shadow", {}, marks=pytest.mark.long),
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
        assert messages(await taken(connector.send(conversation, told("what")))) == [
            "before was pressed South"
        ]
        await taken(connector.send(conversation, told("South", 2, payload="South")))
        gone = await taken(connector.send(conversation, told("what")))
        assert messages(gone) == ["before was South"], "a button that is gone is typed"
        photo = await taken(connector.send(conversation, told("photo", 3)))
        assert [image for one in photo for image in one.images] == [f"{site}/pixel.png"]
        both = await taken(connector.send(conversation, told("both", 4)))
        assert messages(both) == ["one thing", "another"]
        over = await taken(connector.send(conversation, told("bye", 5)))
        assert over[-1].kind == "end"

    within(site, talk, choices="#chat .offer", end="#chat .over")


@pytest.mark.long
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


@pytest.mark.long
def test_who_comes_back_to_a_dialogue_is_not_greeted_and_a_page_that_was_lost_is_opened_again(
    site: str,
) -> None:
    async def talk(connector: Any, conversation: Conversation) -> None:
        conversation.history = (PastTurn("user", "before"),)
        assert await taken(connector.open(conversation)) == []
        assert messages(await taken(connector.send(conversation, told("one")))) == ["first was one"]
        await connector.inner._held["one"]._page.close()
        assert messages(await taken(connector.send(conversation, told("two", 2)))) == ["first was two"]

    within(site, talk, greeting_s=LOOKED_FOR_S)


def test_what_was_typed_and_shown_is_noted(site: str) -> None:
    wire: Frames = []

    async def talk(connector: Any, conversation: Conversation) -> None:
        with heard_on_the_wire(wire):
            await taken(connector.send(conversation, told("hello")))
            await taken(connector.send(conversation, told("South", 2, payload="South")))

    within(site, talk)
    shown = {"received": "shown", "body": "first was hello"}
    assert wire == [
        {"sent": "typed", "body": "hello"},
        shown,
        {"sent": "pressed", "body": "South"},
        shown,
    ]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"input": "#nobody"}, "no message field matches '#nobody'"),
        pytest.param({"click": [".nothing"]}, "nothing to click matches '.nothing'", marks=pytest.mark.long),
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


@pytest.mark.parametrize(
    ("status", "failure"),
    [pytest.param(499, "refused", marks=pytest.mark.long), (500, "bad_answer")],
)
def test_a_page_that_is_an_error_says_so(site: str, status: int, failure: str) -> None:
    async def talk(connector: Any, conversation: Conversation) -> None:
        await taken(connector.send(conversation, told("hello")))

    with pytest.raises(SystemUnderTestError, match=f"HTTP {status}") as caught:
        within(f"{site}/status/{status}", talk)
    assert caught.value.failure == failure


class Asked:
    """A request of a page to somewhere, as the browser hands it to us, and what becomes of it."""

    def __init__(self, url: str) -> None:
        self.request, self.url, self.went = self, url, ""

    async def abort(self, why: str) -> None:
        self.went = why

    async def continue_(self) -> None:
        self.went = "on"


@pytest.mark.parametrize(
    ("url", "goes"),
    [
        ("https://93.184.216.34/chat.js", True),
        ("ws://93.184.216.34:8080/", True),
        ("data:text/plain,x", True),
        ("blob:http://127.0.0.1/1", True),
        ("http://127.0.0.1/", False),
        ("https://10.0.0.1:8443/x", False),
        ("ws://[::1]:9/", False),
        ("wss://192.168.0.1/", False),
    ],
)
def test_what_a_page_loads_may_come_from_everywhere_but_from_private_addresses(url: str, goes: bool) -> None:
    asked = Asked(url)
    asyncio.run(Browser(None, allow_private=False)._checked(asked))
    assert asked.went == ("on" if goes else "addressunreachable")


@pytest.mark.parametrize(
    ("said", "failure", "reached"),
    [
        ("Page.goto: net::ERR_CONNECTION_REFUSED at http://bot/", "unreachable", False),
        ("net::ERR_NAME_NOT_RESOLVED", "unreachable", False),
        ("net::ERR_EMPTY_RESPONSE", "closed", True),
        ("Page.fill: Target page, context or browser has been closed", "closed", True),
        ("Page.fill: Page crashed", "closed", True),
        ("net::ERR_TOO_MANY_REDIRECTS", "bad_answer", True),
    ],
)
def test_what_the_browser_complains_of_is_said_in_our_words(said: str, failure: str, reached: bool) -> None:
    page = Page(BrowserSettings(connect="browser", url="http://bot.example/", **WIDGET), None, Vault([], {}))
    with pytest.raises(SystemUnderTestError) as caught, page._reported("not found"):
        raise Error(f"{said}\nCall log:\n- much more")
    assert (caught.value.failure, caught.value.reached) == (failure, reached)
    assert caught.value.detail == said


def test_a_page_that_is_not_loaded_in_time_is_told_from_one_that_lacks_something() -> None:
    page = Page(BrowserSettings(connect="browser", url="http://bot.example/", **WIDGET), None, Vault([], {}))
    for what, failure in ((None, "timeout"), ("not found", "bad_answer")):
        with pytest.raises(SystemUnderTestError) as caught, page._reported(what):
            raise TimeoutError("Timeout 30000ms exceeded.")
        assert caught.value.failure == failure


A, B = Seen(texts=("a",), upto=1), Seen(texts=("a", "b"), upto=2)


class Shown:
    """What a page shows at each look, and when that is."""

    def __init__(self, *looks: tuple[float, Seen]) -> None:
        self.looks, self.now_s, self.took = list(looks), 100.0, Seen()

    def monotonic(self) -> float:
        return self.now_s

    async def look(self) -> Seen:
        self.now_s, seen = self.looks.pop(0)
        return seen

    def taken(self, seen: Seen) -> None:
        self.took = seen


@pytest.mark.parametrize(
    ("silent_ok_s", "looks", "outputs"),
    [
        (None, [(101, A), (101.5, A), (102, A)], [("extras", 0), ("message", 1), ("extras", 1)]),
        (
            None,
            [(150, Seen()), (151, A), (151.5, B), (152, B), (152.5, B)],
            [("extras", 0), ("message", 1.5), ("message", 1.5), ("extras", 1)],
        ),
        (
            None,
            [(101, replace(A, typing=True)), (103, replace(A, typing=True)), (104, A), (105, A)],
            [("extras", 0), ("message", 4), ("extras", 1)],
        ),
        (
            None,
            [(101, Seen(typing=True)), (103, A), (104, A)],
            [("extras", 0), ("message", 1), ("extras", 1)],
        ),
        (
            None,
            [(101, Seen(ended=True)), (102, Seen(ended=True))],
            [("extras", 0), ("extras", 1), ("end", 1)],
        ),
        (2.0, [(101.5, Seen()), (102, Seen())], []),
        (2.0, [(101.5, A), (102, A), (102.5, A)], [("extras", 0), ("message", 1), ("extras", 1)]),
    ],
)
def test_a_turn_on_a_page_is_over_when_nothing_changes_and_nobody_types(
    silent_ok_s: float | None,
    looks: list[tuple[float, Seen]],
    outputs: list[tuple[str, float]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By a clock that stands at each look; the turn begins at 100 s."""
    page = Shown(*looks)

    async def run() -> list[tuple[str, float]]:
        settings = {"connect": "browser", "url": "http://bot.example/", **WIDGET, "idle_s": 1.0}
        connector: Any = make_connector(settings, {}).inner
        return [(one.kind, one.held_s) async for one in connector._heard(page, silent_ok_s)]

    monkeypatch.setattr(browser, "time", page)
    monkeypatch.setattr(browser, "_LOOK_EVERY_S", 0)
    assert asyncio.run(run()) == outputs and page.looks == []
    assert page.took == (looks[-1][1] if outputs else Seen())


@pytest.mark.parametrize(
    ("settings", "choices", "greets"),
    [({}, False, False), ({"choices": ".offer", "greeting_s": 0.1}, True, True)],
)
def test_what_a_widget_can_do_is_what_was_found_on_its_page(
    settings: dict[str, Any], choices: bool, greets: bool
) -> None:
    connector = make_connector({"connect": "browser", "url": "http://bot.example/", **WIDGET, **settings}, {})
    assert (connector.capabilities.choices, connector.capabilities.greets) == (choices, greets)
