"""Sound over WebRTC: both ways, messages, ends of turns, what is refused. Needs the extra `webrtc`."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from scenes.connecting import talked
from scenes.counterparts import Counterparts
from scenes.speaking import SAME_WORDS, same_words
from scenes.voices import RATE, voice
from vivavoce.audio.files import pcm16
from vivavoce.audio.sound import Sound, joined
from vivavoce.connectors.base import (
    Audio,
    Conversation,
    Frames,
    Heard,
    SystemOutput,
    UserTurn,
    heard_on_the_wire,
)
from vivavoce.connectors.webrtc import WebRTCSettings, _Line
from vivavoce.core.errors import InputError, SystemUnderTestError

pytest.importorskip("aiortc", reason="aiortc is not installed: pip install 'vivavoce[webrtc]'")

SAID = Sound(pcm16(voice("Good morning.")), RATE)
OTHER = Sound(pcm16(voice("A cheap pub.", "rms")), RATE)
DONE = {"turn_done": {"type": "done"}, "turn_end": "done", "response": {"text": "say"}, "heard": "understood"}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    counterparts = Counterparts()
    yield counterparts.server("webrtc_server.py")
    counterparts.stop()


def spoken(number: int = 1) -> UserTurn:
    return UserTurn(key=f"k{number}", number=number, text="", audio=Audio(SAID.at(48_000).pcm, 48_000))


async def taken(outputs: AsyncIterator[SystemOutput]) -> list[SystemOutput]:
    return [one async for one in outputs]


def within(address: str, path: str, talk: Callable[[Any], Any], **settings: Any) -> Any:
    raw = {"connect": "webrtc", "url": f"http://{address}/{path}", "allow_private": True}
    return talked({**raw, **settings}, talk)


def sound_of(outputs: list[SystemOutput]) -> Sound:
    return Sound.of_pcm(b"".join(one.audio.samples for one in outputs if one.audio is not None), 24_000)


def test_a_turn_may_be_heard_while_it_is_spoken_and_is_then_not_said_again(address: str) -> None:
    async def talk(connector: Any) -> tuple[bool, list[SystemOutput]]:
        conversation, pcm = Conversation("c"), SAID.at(48_000).pcm
        unconnected = connector.feed_audio(conversation, Audio(pcm[:2000], 48_000), begins=True)
        await taken(connector.open(conversation))
        for at in range(0, len(pcm), 3002):
            assert connector.feed_audio(conversation, Audio(pcm[at : at + 3002], 48_000), begins=at == 0)
        turn = replace(spoken(), overheard=True)
        return unconnected, await taken(connector.send(conversation, turn))

    unconnected, outputs = within(address, "offer", talk, while_spoken=True, **DONE)
    assert not unconnected
    heard = sound_of(outputs)
    assert same_words(SAID, heard) > SAME_WORDS
    assert heard.duration_s > SAID.duration_s - 0.3  # late frames lengthen it


def test_a_turn_of_which_only_the_beginning_was_overheard_is_said_whole(address: str) -> None:
    async def talk(connector: Any) -> list[SystemOutput]:
        conversation = Conversation("c")
        assert await taken(connector.open(conversation)) == []  # who does not greet is not listened to
        assert connector.feed_audio(conversation, Audio(bytes(9600), 48_000), begins=True)
        return await taken(connector.send(conversation, spoken()))

    heard = sound_of(within(address, "offer", talk, while_spoken=True, **DONE))
    assert same_words(SAID, heard) > SAME_WORDS


@pytest.mark.parametrize(("path", "offer"), [("offer", "json"), ("sdp", "sdp")])
def test_what_was_said_is_heard_and_said_again_with_its_messages(address: str, path: str, offer: str) -> None:
    async def talk(connector: Any) -> list[list[SystemOutput]]:
        conversation = Conversation("c")
        return [await taken(connector.send(conversation, spoken(number))) for number in (1, 2)]

    for outputs in within(address, path, talk, offer=offer, **DONE):
        heard = sound_of(outputs)
        assert same_words(SAID, heard) > SAME_WORDS and same_words(OTHER, heard) < 0.6
        assert heard.duration_s > SAID.duration_s - 0.3
        assert outputs[0].kind == "sent"
        assert [one.text for one in outputs if one.kind == "message"] == ["that was it"]
        (said,) = [one.heard for one in outputs if one.heard]
        assert float(said[0].text.split()[0]) > SAID.duration_s - 0.3  # late frames lengthen it
        assert said == (Heard(said[0].text),)


def test_pauses_end_the_turns_of_both_where_nothing_else_does(address: str) -> None:
    outputs = within(
        address,
        "offer",
        lambda one: taken(one.send(Conversation("p"), spoken())),
        channel="pauses",
        idle_s=2.5,
    )
    assert same_words(SAID, sound_of(outputs)) > SAME_WORDS
    assert outputs[-1].held_s >= 2.5


@pytest.mark.parametrize("begin", [{}, {"begin": {"type": "begin"}}])
def test_writing_goes_by_messages_where_the_study_says_so(address: str, begin: dict[str, Any]) -> None:
    turn = UserTurn(key="k", number=1, text="hello")
    wire: Frames = []

    async def talk(connector: Any) -> list[SystemOutput]:
        assert connector.capabilities.writing
        with heard_on_the_wire(wire):
            return await taken(connector.send(Conversation("w"), turn))

    outputs = within(address, "offer", talk, send={"text": "{{ text }}"}, **begin, **DONE)
    assert [one.text for one in outputs if one.kind == "message"] == ["first was hello"]
    told = [json.loads(one["body"]) for one in wire if one.get("sent") == "message"]
    assert told == [*begin.values(), {"text": "hello"}]
    with pytest.raises(SystemUnderTestError, match="only speech") as caught:
        within(address, "offer", lambda one: taken(one.send(Conversation("w"), turn)), **DONE)
    assert not caught.value.reached


def test_who_speaks_into_its_answer_stops_it(address: str) -> None:
    wire: Frames = []

    async def talk(connector: Any) -> list[SystemOutput]:
        conversation, found = Conversation("i"), list[SystemOutput]()
        long = joined([SAID] * 4, 48_000)
        turn = UserTurn(key="l", number=1, text="", audio=Audio(long.pcm, 48_000))
        async for output in connector.send(conversation, turn):
            found.append(output)
            if len([one for one in found if one.kind == "audio"]) == 1:
                with heard_on_the_wire(wire):
                    await connector.interrupt(conversation, 0.1)
        return found

    stop = {"type": "stop", "heard_ms": "{{ played_ms }}"}
    outputs = within(address, "offer", talk, interrupt=stop, **DONE)
    assert 0 < sound_of(outputs).duration_s < 3.5 * SAID.duration_s, "four times were said"
    assert json.loads(wire[0]["body"]) == {"type": "stop", "heard_ms": 100}


@pytest.mark.parametrize(
    ("path", "problem"),
    [("garbage", "not JSON"), ("nothing", "no `sdp`"), ("nowhere", "no reachable address")],
)
def test_a_wrong_answer_to_the_offer_is_a_bad_answer(address: str, path: str, problem: str) -> None:
    with pytest.raises(SystemUnderTestError, match=problem) as caught:
        within(address, path, lambda one: taken(one.send(Conversation("x"), spoken())), **DONE)
    assert caught.value.failure == "bad_answer"


def test_nobody_there_is_unreachable(address: str) -> None:
    with pytest.raises(SystemUnderTestError) as caught:
        within("127.0.0.1:1", "offer", lambda one: taken(one.send(Conversation("n"), spoken())))
    assert (caught.value.failure, caught.value.reached) == ("unreachable", False)


def test_addresses_that_no_bot_may_be_reached_at_are_left_out() -> None:
    from vivavoce.connectors.webrtc_peer import reachable

    lines = [
        "v=0",
        *(
            f"a=candidate:1 1 udp 1 {address} 9 typ host"
            for address in ("169.254.169.254", "10.0.0.1", "some-name.local", "93.184.216.34")
        ),
    ]
    assert reachable("\r\n".join(lines), allow_private=False).count("a=candidate") == 1
    assert reachable("\r\n".join(lines), allow_private=True).count("a=candidate") == 2
    with pytest.raises(ValueError, match="no reachable address"):
        reachable("\r\n".join(lines[:3]), allow_private=False)


def test_a_wrong_template_is_named(address: str) -> None:
    with pytest.raises(InputError, match="unknown variable 'txt'"):
        within(address, "offer", lambda _: None, send={"data": "{{ txt }}"})


@pytest.mark.parametrize("interrupt", [None, {"type": "stop"}])
def test_to_interrupt_where_nothing_is_connected_is_no_error(interrupt: dict[str, str] | None) -> None:
    async def talk(connector: Any) -> None:
        await connector.inner.interrupt(Conversation("never"), 1.0)
        assert connector.inner.feed_audio(Conversation("never"), Audio(b"", 48_000), begins=True) is False

    within("127.0.0.1:1", "echo", talk, interrupt=interrupt)


LOUD, QUIET = 301, 300
END = "done"
SETTINGS = {"connect": "webrtc", "url": "http://bot.example/"}


def handed_on(*came: tuple[int, int] | str) -> list[int | None]:
    """How many samples a line hands on at a time, None: the turn is over. 20 ms came so loud, so often."""

    async def run() -> list[int | None]:
        line = _Line(WebRTCSettings.model_validate(SETTINGS), lambda _: ([], True))
        for one in came:
            if isinstance(one, str):
                line._take(one)
            else:
                for _ in range(one[1]):
                    line._take(np.full(480, one[0], np.int16))
        found: list[int | None] = []
        while not line.arriving.empty():
            item = line.arriving.get_nowait()
            sound = item.audio if isinstance(item, SystemOutput) else None
            found.append(None if sound is None else len(sound.samples) // 2)
        await line.close()
        return found

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("came", "handed"),
    [
        ([(LOUD, 4)], []),
        ([(LOUD, 5)], [2400]),
        ([(-LOUD, 5)], [2400]),
        ([(QUIET, 40)], []),
        ([(-QUIET, 40)], []),
        ([(QUIET, 12), (LOUD, 1)], [11 * 480]),  # ten of silence before it are kept
        ([(QUIET, 3), (LOUD, 2)], [2400]),
        ([(LOUD, 1), (QUIET, 4)], []),
        ([(LOUD, 1), (QUIET, 5)], [480]),
        ([(LOUD, 1), (QUIET, 3), (LOUD, 1)], [2400]),
        ([(LOUD, 1), (QUIET, 6), (LOUD, 4)], [480, 7 * 480]),
    ],
)
def test_sound_is_handed_on_a_tenth_of_a_second_at_a_time_or_when_it_pauses(
    came: list[tuple[int, int]], handed: list[int | None]
) -> None:
    assert handed_on(*came) == handed


@pytest.mark.parametrize(
    ("came", "handed"),
    [
        ([END, (QUIET, 14)], []),
        ([END, (QUIET, 15)], [None]),
        ([END, (QUIET, 30)], [None]),
        ([(LOUD, 1), END, (QUIET, 4), (LOUD, 1), (QUIET, 10)], [6 * 480, None]),
        ([END, (QUIET, 14), END, (QUIET, 14)], []),
        ([END, (QUIET, 13), (LOUD, 2)], [11 * 480, 480, None]),
    ],
)
def test_a_turn_is_over_when_what_may_follow_its_last_message_has_come(
    came: list[tuple[int, int] | str], handed: list[int | None]
) -> None:
    assert handed_on(*came) == handed
