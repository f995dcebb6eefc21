"""A call's leg: both channels stay together, whatever the network does."""

import asyncio
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.audio.sound import Sound
from vivavoce_speech.telephony import leg as leg_room
from vivavoce_speech.telephony.leg import (
    FRAME,
    FRAME_S,
    MOST_WAITING,
    WAITING_FRAMES,
    WATCHED_S,
    PhoneLeg,
)


class Clock:
    """Time that passes when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._now_s = 100.0
        monkeypatch.setattr(leg_room, "time", SimpleNamespace(monotonic=lambda: self._now_s))

    def passes(self, seconds: float) -> None:
        self._now_s += seconds


def leg() -> PhoneLeg:
    return PhoneLeg("call-1", "4711", "100", "test")


def test_what_goes_out_and_what_comes_in_is_recorded_side_by_side() -> None:
    async def run() -> None:
        one = leg()
        one.play(Sound(np.full(200, 7, np.int16), 8000))
        one.take_sound(np.full(FRAME, 3, np.int16))
        for _ in range(3):
            one.beat()
        recorded = one.recording().samples
        assert recorded.shape == (3 * FRAME, 2)
        assert recorded[:, 0].tolist() == [7] * 200 + [0] * 280
        assert recorded[:, 1].tolist() == [3] * FRAME + [0] * 2 * FRAME

    asyncio.run(run())


@given(st.lists(st.one_of(st.integers(0, 700), st.none()), max_size=40))
def test_the_recording_lasts_as_long_as_the_call_however_sound_arrives(steps: list[int | None]) -> None:
    async def run() -> None:
        one = leg()
        for samples in steps:
            if samples is None:
                one.beat()
            else:
                one.take_sound(np.ones(samples, np.int16))
        beats = steps.count(None)
        assert len(one.recording().samples) == beats * FRAME
        received = sum(samples for samples in steps if samples is not None)
        assert one.recording().samples[:, 1].sum() <= received

    asyncio.run(run())


def test_more_sound_than_any_delay_explains_is_dropped_and_counted() -> None:
    async def run() -> None:
        one = leg()
        for _ in range(MOST_WAITING + 3):
            one.take_sound(np.ones(FRAME, np.int16))
        assert one.dropped_frames == 3

    asyncio.run(run())


def test_sound_that_came_while_the_machine_was_busy_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        clock = Clock(monkeypatch)
        one = leg()
        for _ in range(50):
            clock.passes(FRAME_S)
            one.take_sound(np.ones(FRAME, np.int16))
            one.beat()
        clock.passes(2.0)
        one.take_sound(np.ones(100 * FRAME, np.int16))
        for _ in range(100):
            one.beat()
        assert one.dropped_frames == 0
        assert one.recording().samples[:, 1].all()

    asyncio.run(run())


def test_sound_that_always_waits_is_dropped_so_that_the_caller_is_heard_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def run() -> None:
        clock = Clock(monkeypatch)
        one = leg()
        one.take_sound(np.ones(50 * FRAME, np.int16))
        for _ in range(round(3 * WATCHED_S / FRAME_S)):
            clock.passes(FRAME_S)
            one.take_sound(np.ones(FRAME, np.int16))
            one.beat()
        assert one.dropped_frames == 50 + 1 - WAITING_FRAMES  # one frame comes before each beat

    asyncio.run(run())


def test_falling_silent_takes_effect_with_the_next_frame_and_wakes_who_waits() -> None:
    async def run() -> None:
        one = leg()
        one.play(Sound(np.ones(8000, np.int16), 8000))
        waiting = asyncio.create_task(one.played())
        one.beat()
        assert one.playing
        assert one.stop_playing()
        await waiting
        assert not one.beat().any()
        assert not one.stop_playing()

    asyncio.run(run())


def test_after_the_end_there_is_only_the_end() -> None:
    async def run() -> None:
        one = leg()
        one.take_key("5")
        one.ended("caller")
        one.ended("platform")
        assert [(await one.hear()).kind for _ in range(4)] == ["key", "end", "end", "end"]
        assert one.ended_by == "caller"
        one.play(Sound(np.ones(8000, np.int16), 8000))
        assert not one.playing

    asyncio.run(run())


def test_a_call_is_as_long_as_its_recording_however_long_that_takes_to_be_kept() -> None:
    async def run() -> None:
        one = PhoneLeg("call", "", "100", "test")
        for _ in range(50):
            one.beat()
        one.ended("caller")
        kept = one.recording()
        for _ in range(100):  # the machine is busy, and the clock of all calls goes on
            one.beat()
        assert one.seconds == kept.duration_s == 1.0

    asyncio.run(run())
