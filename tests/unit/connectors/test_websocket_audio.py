"""Raw sound over a WebSocket: formats, the ends of both turns, interruptions, what only hears."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from scenes.connecting import talked
from scenes.counterparts import Counterparts
from vivavoce.connectors.base import (
    Audio,
    Conversation,
    Frames,
    Heard,
    SystemOutput,
    UserTurn,
    heard_on_the_wire,
)
from vivavoce.connectors.factory import make_connector
from vivavoce.core.errors import InputError, SystemUnderTestError

SOUND = (np.arange(8000) % 200 + 100).astype("<i2").tobytes()  # half a second at 16 kHz, never silent
DONE = {"turn_done": {"type": "done"}, "turn_end": "done", "response": {"text": "say"}}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    counterparts = Counterparts()
    yield counterparts.server("audio_server.py")
    counterparts.stop()


def spoken(samples: bytes = SOUND, rate_hz: int = 16_000) -> UserTurn:
    return UserTurn(key="k", number=1, text="", audio=Audio(samples, rate_hz))


async def taken(outputs: AsyncIterator[SystemOutput]) -> list[SystemOutput]:
    return [one async for one in outputs]


def within(address: str, path: str, talk: Callable[[Any], Any], **settings: Any) -> Any:
    url = f"ws://{address}/{path}"
    return talked({"connect": "websocket-audio", "url": url, "allow_private": True, **settings}, talk)


def answer(address: str, path: str, turn: UserTurn | None = None, **settings: Any) -> list[SystemOutput]:
    said = turn or spoken()
    return within(address, path, lambda one: taken(one.send(Conversation("c"), said)), **settings)


def sound_of(outputs: list[SystemOutput]) -> bytes:
    return b"".join(one.audio.samples for one in outputs if one.audio is not None)


def test_what_was_said_goes_over_in_binary_frames_and_the_answer_comes_back(address: str) -> None:
    outputs = answer(address, "talk", **DONE, heard="understood")
    assert sound_of(outputs) == SOUND
    assert len([one for one in outputs if one.kind == "audio"]) > 1, "it came piece by piece"
    assert [one.text for one in outputs if one.kind == "message"] == ["that was it"]
    assert [one.heard for one in outputs if one.heard] == [(Heard("16000 bytes, first 640065006600"),)]


def test_sound_goes_over_in_json_where_the_study_says_so(address: str) -> None:
    wire: Frames = []
    with heard_on_the_wire(wire):
        outputs = answer(
            address,
            "base64",
            **DONE,
            sound={"type": "sound", "sound": "{{ sound }}"},
            sound_at="audio.data",
            begin={"type": "begin", "language": "{{ language }}"},
        )
    assert sound_of(outputs) == SOUND
    bodies = [frame["body"] for frame in wire]
    assert "3200 bytes of sound" in bodies and "3201 bytes of sound" in bodies
    assert '{"type": "begin", "language": "en"}' in bodies
    assert max(len(body) for body in bodies) < 200, "no sound in the log of the wire"


def test_a_pause_ends_the_turn_for_who_waits_for_one_and_silence_ends_its_answer(address: str) -> None:
    outputs = answer(address, "pause", silence_s=0.5, idle_s=2.0)
    assert sound_of(outputs)[: len(SOUND)] == SOUND
    assert outputs[-1].held_s >= 2.0, "the wait for more is no part of the answer's time"


def test_closing_the_connection_ends_turn_and_dialogue_where_the_study_says_so(address: str) -> None:
    outputs = answer(address, "closes", **DONE, close_ends=True)
    assert sound_of(outputs) == SOUND
    assert outputs[-1].kind == "end"
    with pytest.raises(SystemUnderTestError) as caught:
        answer(address, "closes", **DONE)
    assert caught.value.failure == "closed"


@pytest.mark.parametrize(
    ("sample_format", "loudest", "quiet"), [("mu-law", (0x80, 32124), "ff"), ("a-law", (0xAA, 32256), "d5")]
)
def test_g711_is_understood(address: str, sample_format: str, loudest: tuple[int, int], quiet: str) -> None:
    code, sample = loudest  # ITU-T G.711, tables 1a and 2a: the largest values
    samples = np.array([sample, -sample, 0], "<i2").tobytes()
    outputs = answer(
        address,
        "talk",
        spoken(samples, 8000),
        **DONE,
        heard="understood",
        rate_hz=8000,
        sample_format=sample_format,
    )
    told = [one.heard[0].text for one in outputs if one.heard]
    assert told == [f"3 bytes, first {code:02x}{code ^ 0x80:02x}{quiet}"]
    assert np.frombuffer(sound_of(outputs), "<i2").tolist() == [sample, -sample, 0 if quiet == "ff" else 8]


def test_who_speaks_into_its_answer_stops_it(address: str) -> None:
    async def talk(connector: Any) -> list[SystemOutput]:
        conversation, found = Conversation("c"), list[SystemOutput]()
        async for output in connector.send(conversation, spoken()):
            found.append(output)
            if len(found) == 3:
                await connector.interrupt(conversation, 0.25)
        return found

    stop = {"type": "stop", "at": "{{ played_ms }}"}
    outputs = within(address, "long", talk, **DONE, interrupt=stop)
    assert [one.text for one in outputs if one.kind == "message"] == ["stopped at 250"]


def test_a_system_that_only_hears_refuses_writing_before_anything_was_sent(address: str) -> None:
    with pytest.raises(SystemUnderTestError, match="only speech") as caught:
        answer(address, "talk", UserTurn(key="k", number=1, text="hello"), **DONE)
    assert (caught.value.failure, caught.value.reached) == ("refused", False)


def test_sound_at_another_rate_is_refused_before_anything_was_sent(address: str) -> None:
    with pytest.raises(SystemUnderTestError, match="8000 samples per second where 16000") as caught:
        answer(address, "talk", spoken(rate_hz=8000), **DONE)
    assert not caught.value.reached


def test_it_says_how_it_wants_sound(address: str) -> None:
    async def talk(connector: Any) -> Any:
        return connector.capabilities

    found = within(address, "talk", talk, rate_hz=24_000)
    assert (found.audio, found.audio_rate_hz, found.writing) == (True, 24_000, False)
    assert within(address, "talk", talk, send={"text": "{{ text }}"}).writing


@pytest.mark.parametrize("begin", [{}, {"begin": {"type": "begin", "language": "en"}}])
def test_a_conversation_is_opened_once_by_its_frame_where_there_is_one(
    address: str, begin: dict[str, Any]
) -> None:
    wire: Frames = []

    async def talk(connector: Any) -> None:
        conversation = Conversation("c")
        with heard_on_the_wire(wire):
            for _ in range(2):
                await taken(connector.send(conversation, spoken(SOUND[:400])))

    within(address, "talk", talk, **begin, **DONE)
    sent = [one["body"] for one in wire if "sent" in one]
    opened = [json.dumps(one) for one in begin.values()]
    assert sent == [*opened, *["400 bytes of sound", '{"type": "done"}'] * 2]


@pytest.mark.parametrize(
    ("close_ends", "failure", "code", "ends"),
    [
        (True, "closed", 1000, True),
        (True, "closed", 1006, False),
        (True, "bad_answer", 1000, False),
        (False, "closed", 1000, False),
    ],
)
def test_only_a_connection_that_is_closed_well_is_an_end(
    close_ends: bool, failure: Any, code: int, ends: bool
) -> None:
    error = SystemUnderTestError(failure, "why")
    settings = {"connect": "websocket-audio", "url": "ws://bot.example/", "close_ends": close_ends}
    inner: Any = make_connector(settings, {}).inner
    found = inner._broken(SimpleNamespace(close_code=code), error)
    assert found == ([SystemOutput(kind="end"), None] if ends else [error])


PIECES = {"delta": "piece"}


@pytest.mark.parametrize("connect", ["websocket", "websocket-audio"])
@pytest.mark.parametrize(
    ("frame", "settings", "said", "ends"),
    [
        ({"text": "hi", "done": True}, {"turn_end": "done"}, [("message", "hi")], True),
        ({"text": "hi", "done": "yes"}, {"turn_end": "done"}, [("message", "hi")], False),
        ({"text": "hi", "done": True}, {}, [("message", "hi")], False),
        ({"done": True}, {"turn_end": "done"}, [], True),
        ({"piece": "h"}, PIECES, [("delta", "h")], False),
        ({"piece": "h", "done": True}, {**PIECES, "turn_end": "done"}, [("delta", "h")], True),
        ({"piece": 3, "text": "hi"}, PIECES, [("message", "hi")], False),
        ({"piece": "h", "text": "hi"}, {}, [("message", "hi")], False),
    ],
)
def test_a_frame_is_a_piece_or_a_message_and_may_end_the_turn(
    connect: str, frame: dict[str, Any], settings: dict[str, Any], said: list[tuple[str, str]], ends: bool
) -> None:
    raw: list[str] = []

    async def run() -> tuple[bool, list[tuple[str, str]]]:
        connector = make_connector({"connect": connect, "url": "ws://bot.example/", **settings}, {})
        if connect == "websocket":
            assert connector.capabilities.streaming == ("delta" in settings)
        arriving: asyncio.Queue[Any] = asyncio.Queue()
        inner: Any = connector.inner
        ended = inner._take(json.dumps(frame), arriving, raw)
        outputs = [arriving.get_nowait() for _ in range(arriving.qsize())]
        return ended, [(one.kind, one.text) for one in outputs if one.kind != "extras"]

    assert asyncio.run(run()) == (ends, said) and raw == [json.dumps(frame)]


def test_sound_that_is_not_base64_is_a_bad_answer(address: str) -> None:
    with pytest.raises(SystemUnderTestError, match="not base64"):
        answer(address, "talk", **DONE, sound_at="say")


def test_a_wrong_template_is_named(address: str) -> None:
    with pytest.raises(InputError, match="unknown variable 'sounds'"):
        within(address, "talk", lambda _: None, sound={"data": "{{ sounds }}"})


@pytest.mark.parametrize("interrupt", [None, {"type": "stop"}])
def test_to_interrupt_where_nothing_is_open_is_no_error(interrupt: dict[str, str] | None) -> None:
    async def talk(connector: Any) -> None:
        await connector.inner.interrupt(Conversation("never"), 1.0)

    within("127.0.0.1:1", "talk", talk, interrupt=interrupt)
