"""Every bot on every channel, as a process of its own, spoken to through the platform's connectors."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from scenes.connecting import PATIENT
from scenes.processes import free_port, wait_for_port
from vivavoce.connectors.base import Connector, Conversation, UserTurn
from vivavoce.connectors.factory import make_connector
from vivavoce.core.errors import SystemUnderTestError
from vivavoce_bots.catalogue import BOTS

SAYS = {
    "restaurant": ("a cheap pub in the north", "pub"),
    "boris": ("a cheap pub", "cheap"),
    "carbs": ("80 g of rice", "Anything else"),
    "callsteering": ("Anna", "surname"),
    "telco": ("what is my credit", "14 euros"),
    "house": ("switch on the kitchen lamp", "is on now"),
    "chef": ("take the pan", "take(pan)"),
}


@contextmanager
def running(*arguments: str, port: int | None = None) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-m", "vivavoce_bots", *arguments])
    try:
        if port is not None:
            wait_for_port(port, process)
        yield process
    finally:
        process.kill()
        process.wait()


async def converse(connector: Connector, said: str, conversation: Conversation) -> tuple[str, str]:
    """What the bot says first, and what it answers."""

    async def heard(outputs: Any) -> str:
        return " ".join([one.text async for one in outputs if one.kind == "message"])

    greeting = await heard(connector.open(conversation))
    answer = await heard(connector.send(conversation, UserTurn(key="1", number=1, text=said)))
    await connector.close(conversation)
    return greeting, answer


def both_ways(settings: dict[str, Any], said: str) -> tuple[str, str]:
    async def run() -> tuple[str, str]:
        connector = make_connector({"allow_private": True, **PATIENT, **settings})
        try:
            return await converse(connector, said, Conversation(key="c1", language="en"))
        finally:
            await connector.shut_down()

    return asyncio.run(run())


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=() if one == "restaurant" else pytest.mark.long) for one in sorted(BOTS)]
)
def test_every_bot_converses_on_all_its_servers_channels(name: str) -> None:
    port, (said, expected) = free_port(), SAYS[name]
    channels = {
        "http": {"connect": "http", "url": f"http://127.0.0.1:{port}/chat", "open": True},
        "openai": {"connect": "openai", "url": f"http://127.0.0.1:{port}/v1", "model": name},
        "rasa": {"connect": "rasa", "url": f"http://127.0.0.1:{port}"},
        "websocket": {
            "connect": "websocket",
            "url": f"ws://127.0.0.1:{port}/ws?greeting=1",
            "greets": True,
            "turn_end": "turn_end",
        },
    }
    with running(name, "--port", str(port), port=port):
        for channel, settings in channels.items():
            greeting, answer = both_ways(settings, said)
            assert expected in answer, (channel, answer)
            assert greeting or channel == "openai"


def test_a_named_channel_is_the_only_one() -> None:
    port = free_port()
    with running("chef", "--channel", "rasa", "--port", str(port), port=port):
        assert (
            "take(pan)"
            in both_ways({"connect": "rasa", "url": f"http://127.0.0.1:{port}"}, "take the pan")[1]
        )
        with pytest.raises(SystemUnderTestError, match="404"):
            both_ways({"connect": "http", "url": f"http://127.0.0.1:{port}/chat"}, "take the pan")


def test_known_failures_hold_on_every_channel() -> None:
    port = free_port()
    with running("telco", "--fail-rate", "1", "--port", str(port), port=port):
        for settings in (
            {"connect": "http", "url": f"http://127.0.0.1:{port}/chat"},
            {"connect": "openai", "url": f"http://127.0.0.1:{port}/v1", "model": "m"},
            {"connect": "rasa", "url": f"http://127.0.0.1:{port}", "start": None},
            {"connect": "websocket", "url": f"ws://127.0.0.1:{port}/ws", "turn_end": "turn_end"},
        ):
            with pytest.raises(SystemUnderTestError, match=r"500|closed|1011"):
                both_ways(settings, "what is my credit")
