"""One suite that every registered connector must pass, each against a real counterpart.

A new connector adds how to reach its counterpart to SYSTEMS, or this suite fails.
"""

import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from vivavoce.connectors import CONNECTORS
from vivavoce.connectors.base import Connector, Conversation, PastTurn, UserTurn
from vivavoce.connectors.make import make_connector
from vivavoce.connectors.probe import hello
from vivavoce.core.errors import InputError, SystemUnderTestError

COUNTERPARTS = Path(__file__).resolve().parent / "counterparts"
SYSTEMS: dict[str, Callable[[str], dict[str, Any]]] = {
    "http": lambda server: {"url": f"{server}/chat", "allow_private": True},
    "openai": lambda server: {"url": f"{server}/v1", "model": "m", "allow_private": True},
    "python": lambda _: {"call": "python_bots:remembers", "path": str(COUNTERPARTS)},
    "stdio": lambda _: {"command": [sys.executable, str(COUNTERPARTS / "line_bot.py")]},
}
NOBODY: dict[str, dict[str, Any]] = {
    "http": {"url": "http://127.0.0.1:1/chat", "allow_private": True},
    "openai": {"url": "http://127.0.0.1:1/v1", "model": "m", "allow_private": True},
    "python": {"call": "nobody:bot", "path": str(COUNTERPARTS)},
    "stdio": {"command": ["/nobody/here"]},
}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([sys.executable, str(COUNTERPARTS / "chat_server.py"), str(port)])
    try:
        for _ in range(400):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.025)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def within(settings: dict[str, Any], talk: Callable[[Connector], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        connector = make_connector(settings, {})
        try:
            return await talk(connector)
        finally:
            await connector.shut_down()

    return asyncio.run(run())


async def say(connector: Connector, conversation: Conversation, text: str, number: int = 1) -> str:
    """One turn; the history is kept as a session keeps it."""
    turn = UserTurn(key=f"{conversation.key}-{number}", number=number, text=text)
    outputs = [output async for output in connector.send(conversation, turn)]
    answer = "\n".join(output.text for output in outputs if output.kind == "message")
    conversation.history += (PastTurn("user", text), PastTurn("system", answer))
    return answer


@pytest.fixture(params=CONNECTORS.names())
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def settings(name: str, server: str) -> dict[str, Any]:
    return {"connect": name, **SYSTEMS[name](server)}


def test_every_connector_tells_its_facts(name: str) -> None:
    kind = CONNECTORS.get(name)
    assert kind.name == name
    assert kind.summary
    fields = kind.settings.model_fields.items()
    assert not [field for field, facts in fields if not facts.description]


def test_a_conversation_goes_on_from_turn_to_turn(settings: dict[str, Any]) -> None:
    async def talk(connector: Connector) -> list[str]:
        conversation = Conversation("going-on")
        async for _ in connector.open(conversation):
            pass
        answers = [
            await say(connector, conversation, text, n) for n, text in enumerate(("one", "two", "three"), 1)
        ]
        await connector.close(conversation)
        return answers

    assert within(settings, talk) == ["first was one"] * 3


def test_a_reset_makes_the_system_forget(settings: dict[str, Any]) -> None:
    async def talk(connector: Connector) -> list[str]:
        conversation = Conversation("forgetting")
        before = await say(connector, conversation, "one")
        await connector.reset(conversation)
        return [before, await say(connector, conversation, "two", 2)]

    assert within(settings, talk) == ["first was one", "first was two"]


def test_many_conversations_at_once_do_not_mix(settings: dict[str, Any]) -> None:
    count = 8 if settings["connect"] == "stdio" else 200

    async def one(connector: Connector, number: int) -> tuple[str, str]:
        conversation = Conversation(f"many-{number}")
        await say(connector, conversation, f"word-{number}")
        answer = await say(connector, conversation, "again", 2)
        await connector.close(conversation)
        return answer, f"first was word-{number}"

    async def talk(connector: Connector) -> list[tuple[str, str]]:
        return await asyncio.gather(*(one(connector, number) for number in range(count)))

    assert all(answer == expected for answer, expected in within(settings, talk))


@pytest.mark.parametrize(
    "text", ['"quoted" \\ {{ text }} {% x %}', "two\nlines", "città ✓ \U0001f600", "${HOME}"]
)
def test_what_a_participant_writes_arrives_as_it_is(settings: dict[str, Any], text: str) -> None:
    async def talk(connector: Connector) -> str:
        return await say(connector, Conversation(f"exact-{text}"), text)

    assert within(settings, talk) == f"first was {text}"


def test_a_turn_that_is_given_up_leaves_the_connector_usable(settings: dict[str, Any]) -> None:
    async def talk(connector: Connector) -> str:
        turn = UserTurn(key="given-up", number=1, text="one")
        async with aclosing(connector.send(Conversation("given-up"), turn)) as outputs:  # type: ignore[type-var]
            await anext(outputs)
        return await say(connector, Conversation("afterwards"), "two")

    assert within(settings, talk) == "first was two"


def test_nobody_there_is_unreachable_and_was_not_reached(name: str) -> None:
    async def talk(connector: Connector) -> None:
        with pytest.raises(SystemUnderTestError) as caught:
            await say(connector, Conversation("nobody"), "one")
        assert (caught.value.failure, caught.value.reached) == ("unreachable", False)
        await connector.close(Conversation("nobody"))

    within({"connect": name, **NOBODY[name]}, talk)


def test_one_hello_tells_whether_the_system_answers(settings: dict[str, Any], name: str) -> None:
    good = within(settings, hello)
    assert (good.ok, good.text, good.problem) == (True, "first was Hello", None)
    assert 0 < good.seconds < 5
    bad = within({"connect": name, **NOBODY[name]}, hello)
    assert (bad.ok, bad.text) == (False, "")
    assert bad.problem.startswith("unreachable: ")


def test_an_unknown_setting_is_answered_with_the_nearest(name: str) -> None:
    with pytest.raises(InputError, match="did you mean 'turn_timeout_s'"):
        make_connector({"connect": name, "turn_timeouts": 3}, {})
