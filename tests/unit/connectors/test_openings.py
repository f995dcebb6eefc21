"""Who opens a conversation: what connectors say of their systems, with and without a greeting."""

import asyncio
from typing import Any

import pytest

from vivavoce.connectors.base import Conversation, PastTurn, SystemOutput
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.messages import asks_for_history

URL = "http://127.0.0.1:1/"
ES, CX = {"agent": "projects/p/agent"}, {"agent": "projects/p/locations/global/agents/a"}
GREETING: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("openai", {"url": URL, "model": "m"}, {"greeting": "Hello."}),
    ("scripted", {}, {"greeting": "Hello."}),
    ("wizard", {}, {"greeting": "Hello."}),
    ("wizard", {}, {"begins": True}),
    ("dialogflow", ES, {"start": "WELCOME"}),
    ("dialogflow", CX, {"start": "WELCOME"}),
    ("rasa", {"url": URL}, {"start": "/greet"}),
    ("rasa-socketio", {"url": URL}, {"start": "/greet"}),
    ("slack", {"url": URL}, {"start": "hello"}),
    ("messenger", {"url": URL}, {"start": "BEGIN"}),
    ("whatsapp", {"url": URL}, {"start": "hello"}),
    ("directline", {"url": URL}, {"greeting_s": 0.1}),
    ("browser", {"url": URL, "input": "#in", "message": ".bot"}, {"greeting_s": 0.1}),
    ("python", {"call": "builtins:str", "in_process": True}, {"greeting": True}),
]


def make(connect: str, **settings: Any) -> Any:
    return make_connector({"connect": connect, "allow_private": True, **settings}, {})


@pytest.mark.parametrize(("connect", "settings", "greeting"), GREETING)
def test_a_system_greets_where_it_is_set_to(connect: str, settings: dict, greeting: dict) -> None:
    async def greets(**more: Any) -> bool:
        connector = make(connect, **settings, **more)
        try:
            return connector.capabilities.greets
        finally:
            await connector.shut_down()

    no: dict[type, Any] = {str: None, bool: False, float: 0.0}
    silent = {name: no[type(value)] for name, value in greeting.items()}
    assert [asyncio.run(greets(**one)) for one in (greeting, silent)] == [True, False]


@pytest.mark.parametrize(
    ("connect", "settings"),
    [
        (connect, settings | greeting)
        for connect, settings, greeting in GREETING
        if connect in ("openai", "scripted", "dialogflow", "slack", "messenger", "whatsapp")
    ],
)
def test_a_conversation_that_goes_on_is_not_opened_again(connect: str, settings: dict[str, Any]) -> None:
    """Nobody listens at these addresses, so that whoever were asked would be missed."""

    async def run() -> list[SystemOutput]:
        connector = make(
            connect, **settings, **({"port": 0} if connect in ("slack", "messenger", "whatsapp") else {})
        )
        history = (PastTurn("system", "Hello."), PastTurn("user", "Hi."))
        try:
            return [one async for one in connector.open(Conversation("c", history=history))]
        finally:
            await connector.shut_down()

    assert asyncio.run(run()) == []


def test_a_longest_turn_is_told_where_there_is_one() -> None:
    async def longest(connect: str, **settings: Any) -> int | None:
        connector = make(connect, **settings)
        try:
            return connector.capabilities.longest_message
        finally:
            await connector.shut_down()

    told = [asyncio.run(longest("dialogflow", **one)) for one in (ES, CX)]
    assert told == [256, None] and asyncio.run(longest("telegram")) == 4096


@pytest.mark.parametrize(
    ("template", "asks"),
    [
        ("{{ messages }}", True),
        ("{{ history }}", True),
        ("the history of {{ text }}", True),
        ("history", False),
        ("{{ text }}", False),
        ({"a": [{"b": "{{ history }}"}]}, True),
        ({"a": [3, None, "{{ text }}"]}, False),
        (None, False),
    ],
)
def test_a_template_that_sends_what_was_said_before_needs_no_memory_of_the_system(
    template: Any, asks: bool
) -> None:
    assert asks_for_history(template) == asks


@pytest.mark.parametrize(
    ("agent", "host"),
    [
        ("projects/p/agent", "dialogflow.googleapis.com"),
        ("projects/p/locations/global/agents/a", "dialogflow.googleapis.com"),
        ("projects/p/locations/eu/agents/a", "eu-dialogflow.googleapis.com"),
    ],
)
def test_an_agent_of_no_region_is_asked_at_the_common_address(agent: str, host: str) -> None:
    async def run() -> str:
        connector = make("dialogflow", agent=agent)
        await connector.shut_down()
        return connector.inner._base

    assert asyncio.run(run()).split("/")[2] == host
