"""What connectors say to OpenAI's services, and what our stand-in for them says, by OpenAI's own definitions.

The services themselves need a key. `make counterparts` installs the definitions and runs these tests.
"""

import asyncio
import json
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from scenes.counterparts import FOLDER, Counterparts
from scenes.installed import installed
from vivavoce.connectors.base import Audio, Conversation, PastTurn, UserTurn, heard_on_the_wire
from vivavoce.connectors.factory import make_connector

pytestmark = [pytest.mark.counterpart, pytest.mark.long]

SOUND = Audio(b"\x01\x02" * 24_000, 24_000)
PAST = (PastTurn("user", "hello"), PastTurn("system", "hello to you"))


@pytest.fixture(scope="module")
def counterparts() -> Iterator[Counterparts]:
    running = Counterparts()
    yield running
    running.stop()


def exchanged(settings: dict[str, Any], *turns: UserTurn, history: tuple[PastTurn, ...] = ()) -> list[Any]:
    """What went over the wire in one conversation."""

    async def run() -> list[Any]:
        connector = make_connector({"allow_private": True, **settings}, {"KEY": "k"})
        conversation = Conversation("judged", history=history)
        with heard_on_the_wire([]) as frames:
            async for _ in connector.open(conversation):
                pass
            for turn in turns:
                async for _ in connector.send(conversation, turn):
                    pass
        await connector.shut_down()
        return frames

    return asyncio.run(run())


def problems(lines: list[dict[str, Any]]) -> list[str]:
    python = str(installed("openai", "bin", "python"))
    judged = subprocess.run(
        [python, str(FOLDER / "openai_judge.py")],
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        check=True,
    )
    return judged.stdout.splitlines()


def realtime(frames: list[Any]) -> list[dict[str, Any]]:
    return [
        {"way": next(iter(frame)), "what": "realtime", "body": json.loads(frame["body"])} for frame in frames
    ]


@pytest.mark.parametrize("speech", [True, False])
def test_every_event_of_a_realtime_conversation_is_as_defined(
    speech: bool, counterparts: Counterparts
) -> None:
    server = counterparts.server("realtime_server.py")
    settings = {"connect": "openai-realtime", "url": f"ws://{server}/v1/realtime", "model": "m"}
    settings |= {"transcribe": "t", "voice": "v"} if speech else {}
    settings |= {"speech": speech, "system": "Be brief.", "greets": True}
    turns = [
        UserTurn(key=f"k{number}", number=number, text="hello", audio=SOUND if speech else None)
        for number in (1, 2)
    ]
    lines = realtime(exchanged(settings, *turns, history=PAST))
    assert {line["way"] for line in lines} == {"sent", "received"}
    assert problems(lines) == []


def test_a_chat_completion_is_asked_for_as_defined(counterparts: Counterparts) -> None:
    settings = {
        "connect": "openai",
        "url": f"http://{counterparts.server('chat_server.py')}/v1",
        "model": "m",
        "key": "${KEY}",
        "system": "Be brief.",
        "parameters": {"temperature": 0.2, "max_tokens": 300},
    }
    frames = exchanged(settings, UserTurn(key="k", number=1, text="hello"), history=PAST)
    (asked,) = [json.loads(frame["body"]) for frame in frames if "sent" in frame]
    assert asked["stream"] is True and len(asked["messages"]) == 4
    assert problems([{"way": "sent", "what": "chat", "body": asked}]) == []


def test_what_is_not_defined_would_be_noticed() -> None:
    commit = {"type": "input_audio_buffer.commit", "sound": 1}
    done = {"type": "response.done", "event_id": "e"}
    told = problems(
        [
            {"way": "sent", "what": "realtime", "body": commit},
            {"way": "received", "what": "realtime", "body": done},
            {"way": "sent", "what": "chat", "body": {"model": "m", "messages": [], "stream": True, "q": 1}},
        ]
    )
    for word in ("sound", "ResponseDoneEvent.response", "q Extra"):
        assert any(word in line for line in told), word
