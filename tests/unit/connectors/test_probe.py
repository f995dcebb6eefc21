"""A hello tells of a system whether it was spoken or written to, and whether it streams."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import numpy as np
import pytest

from scenes.visits import Parrot
from vivavoce.audio.sound import Sound
from vivavoce.connectors.base import Audio, Capabilities, Conversation, SystemOutput, UserTurn
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.probe import Hello, hello
from vivavoce.connectors.speak_turn import said
from vivavoce.core.errors import SystemUnderTestError


async def speak(text: str) -> Sound:
    return Sound(np.zeros(1600, np.int16), 16_000)


def test_only_a_system_that_takes_sound_is_told_to_listen() -> None:
    written = asyncio.run(hello(Parrot(), speak=speak))
    assert (written.ok, written.listens, written.streams) == (True, False, True)
    spoken = Parrot(audio=True)
    assert asyncio.run(hello(spoken, speak=speak)).listens
    assert spoken.sent[0].text == "" and spoken.sent[0].audio is not None
    assert not asyncio.run(hello(Parrot(audio=True))).listens  # nobody can speak, and it takes writing, too


def test_a_system_that_only_hears_cannot_be_asked_where_nobody_speaks() -> None:
    told = asyncio.run(hello(Parrot(audio=True, writing=False)))
    assert (told.ok, told.reachable, told.listens) == (False, False, False)
    assert "the system accepts only speech" in str(told.problem)


class Timed:
    """A clock that a system moves on as it answers: sound of half a second, words, a message held back."""

    capabilities = Capabilities(memory="system", audio=True, audio_rate_hz=16_000)

    def __init__(self, *outputs: tuple[float, SystemOutput]) -> None:
        self.now_s, self.outputs = 100.0, outputs

    def monotonic_s(self) -> float:
        return self.now_s

    def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        return self.send(conversation, None, ())

    async def send(
        self, conversation: Conversation, turn: UserTurn | None, outputs: Any = None
    ) -> AsyncIterator[SystemOutput]:
        for after_s, output in self.outputs if outputs is None else outputs:
            self.now_s += after_s
            yield output

    async def reset(self, conversation: Conversation) -> None: ...
    async def close(self, conversation: Conversation) -> None: ...


def timed(*outputs: tuple[float, SystemOutput]) -> Hello:
    system = Timed(*outputs)
    return asyncio.run(hello(system, clock=system, speak=speak))  # type: ignore[arg-type]


def test_a_hello_is_timed_from_when_it_was_sent_to_the_first_words_and_the_last() -> None:
    half_a_second = SystemOutput(kind="audio", audio=Audio(b"\0\0" * 8_000, 16_000))
    told = timed(
        (2.0, SystemOutput(kind="sent")),
        (0.25, SystemOutput(kind="extras")),
        (0.5, half_a_second),
        (1.0, SystemOutput(kind="message", text="hi")),
        (1.0, SystemOutput(kind="extras", held_s=0.75)),
    )
    assert (told.first_output_s, told.seconds, told.spoken_s) == (0.75, 2.0, 0.5)
    assert told.streams and told.answers and told.text == "hi"


def test_a_first_message_that_was_held_back_came_when_it_was_there() -> None:
    told = timed((2.0, SystemOutput(kind="message", text="hi", held_s=0.5)))
    assert (told.first_output_s, told.seconds, told.streams) == (1.5, 1.5, False)
    assert timed((1.0, SystemOutput(kind="extras"))).first_output_s is None


class Failing(Timed):
    """Takes half a second for everything, and fails where it is told to."""

    def __init__(self, fails_at: str) -> None:
        super().__init__()
        self.fails_at = fails_at

    def _do(self, what: str) -> None:
        self.now_s += 0.5
        if what == self.fails_at:
            raise SystemUnderTestError("closed", "gone", reached=what != "open")

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        self._do("open")
        yield SystemOutput(kind="message", text="Welcome.")

    async def send(
        self, conversation: Conversation, turn: UserTurn | None, outputs: Any = None
    ) -> AsyncIterator[SystemOutput]:
        self._do("send")
        yield SystemOutput(kind="message", text="hi")

    async def reset(self, conversation: Conversation) -> None:
        self._do("reset")


@pytest.mark.parametrize(
    ("fails_at", "reset", "told"),
    [
        ("", False, (True, True, None, 0.5, True, None)),
        ("", True, (True, True, True, 0.5, True, None)),
        ("open", False, (False, False, None, 0.5, False, "closed: gone")),
        ("open", True, (False, False, None, 0.5, False, "closed: gone")),
        ("send", False, (False, False, None, 0.5, True, "closed: gone")),
        ("reset", True, (False, True, False, 0.5, True, "after a reset: closed: gone")),
        ("reset", False, (True, True, None, 0.5, True, None)),
    ],
)
def test_where_a_system_fails_is_told_with_how_long_it_took(
    fails_at: str, reset: bool, told: tuple[Any, ...]
) -> None:
    system = Failing(fails_at)
    came = asyncio.run(hello(system, clock=system, reset=reset))  # type: ignore[arg-type]
    assert (came.ok, came.answers, came.resets, came.seconds, came.reachable, came.problem) == told
    assert came.text == ("hi" if came.answers else "")


class Telephone(Timed):
    """A number that takes a quarter of a second to tell whether it is there."""

    def __init__(self, problem: str | None) -> None:
        super().__init__()
        self.problem = problem

    async def ping(self) -> str:
        self.now_s += 0.25
        if self.problem:
            raise SystemUnderTestError("unreachable", self.problem, reached=False)
        return "it is there"


@pytest.mark.parametrize("problem", [None, "nobody there"])
def test_a_telephone_number_is_timed_and_not_rung(
    problem: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone = Telephone(problem)
    monkeypatch.setattr("vivavoce.connectors.probe.called_system", lambda _: phone)
    told = asyncio.run(hello(phone, clock=phone))  # type: ignore[arg-type]
    assert (told.ok, told.seconds, told.reachable) == (problem is None, 0.25, problem is None)
    assert told.text == ("" if problem else "it is there")


@pytest.mark.parametrize(
    ("audio", "writing", "by_voice", "can_speak", "is_spoken"),
    [
        (False, True, True, True, False),
        (True, True, True, True, True),
        (True, True, False, True, False),
        (True, True, True, False, False),
        (True, False, False, True, True),
    ],
)
def test_a_line_is_spoken_where_a_system_hears_and_somebody_speaks(
    audio: bool, writing: bool, by_voice: bool, can_speak: bool, is_spoken: bool
) -> None:
    takes = Capabilities(memory="system", audio=audio, writing=writing, audio_rate_hz=16_000)
    turn = UserTurn(key="k", number=1, text="hello")
    made = asyncio.run(said(turn, takes, speak if can_speak else None, by_voice=by_voice))
    assert (made.audio is not None) == is_spoken and made.text == ("" if is_spoken else "hello")


def test_an_opening_in_which_no_words_were_found_is_shown() -> None:
    opened = SystemOutput(kind="extras", raw={"greeting": "Good day"})
    spoken = SystemOutput(kind="message", text="Good day")

    class Opened(Timed):
        def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
            return self.send(conversation, None, self.opening)

    system = Opened((0.1, spoken))
    system.opening = [(0.1, opened)]
    assert asyncio.run(hello(system)).unread == '{"greeting": "Good day"}'
    system.opening = [(0.1, spoken), (0.1, opened)]
    assert asyncio.run(hello(system)).unread == ""


def test_a_system_that_knows_only_the_words_of_the_tasks_depends_on_its_input() -> None:
    connector = make_connector({"connect": "scripted", "replies": [{"match": "atlas", "say": "Renewed."}]})
    assert asyncio.run(hello(connector, words=True)).heeds is False
    assert asyncio.run(hello(connector, words=True, tasks=["Renew the atlas."])).heeds is True
