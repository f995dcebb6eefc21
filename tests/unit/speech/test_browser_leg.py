"""The page's end of a spoken dialogue: both channels as the participant knew them, over all connections."""

import asyncio
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenes.open_page import Page
from vivavoce.audio.sound import Sound
from vivavoce.core.clock import ManualClock
from vivavoce_speech.browser.browser_leg import BURST_FRAMES, FRAME, FRAME_S, RATE_HZ, BrowserLeg, TooFast


class Desk:
    """A leg, its recording, and a clock that a test moves."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.pairs: list[tuple[np.ndarray, np.ndarray]] = []
        self.gaps: list[tuple[float, float]] = []
        self.leg = BrowserLeg(
            self.clock,
            lambda system, user: self.pairs.append((system, user)),
            on_gap=lambda at_s, lost_s: self.gaps.append((round(at_s, 2), round(lost_s, 2))),
        )

    def connected(self) -> Page:
        page = Page()
        self.leg.attach(page)
        return page

    def hear(self, page: Page, frames: int, value: int = 0) -> None:
        for _ in range(frames):
            self.clock.advance(FRAME_S)
            self.leg.take(page.frame(np.full(FRAME, value, np.int16)))

    def channel(self, number: int) -> list[int]:
        return np.concatenate([pair[number] for pair in self.pairs]).tolist() if self.pairs else []


def run(test: Callable[[Desk], None]) -> None:
    async def inside() -> None:
        test(Desk())

    asyncio.run(inside())


def ramp(count: int, start: int = 1) -> Sound:
    return Sound((np.arange(start, start + count) % 30_000).astype(np.int16), RATE_HZ)


def test_the_recording_holds_what_was_played_while_each_frame_was_said() -> None:
    def test(desk: Desk) -> None:
        page = desk.connected()
        desk.hear(page, 2, value=3)
        desk.leg.play(ramp(FRAME + 100))
        desk.hear(page, 3, value=4)
        sounded = ramp(FRAME + 100).samples.tolist()
        assert desk.channel(0) == [0] * 2 * FRAME + sounded + [0] * (2 * FRAME - 100)
        assert desk.channel(1) == [3] * 2 * FRAME + [4] * 3 * FRAME

    run(test)


def test_it_sounds_until_the_page_says_that_it_was_played() -> None:
    def test(desk: Desk) -> None:
        page = desk.connected()
        assert not desk.leg.playing
        desk.leg.play(ramp(2 * FRAME))
        assert desk.leg.waiting_s == pytest.approx(2 * FRAME_S)
        desk.hear(page, 1)
        assert desk.leg.playing
        assert desk.leg.waiting_s == pytest.approx(FRAME_S)
        desk.hear(page, 1)
        assert not desk.leg.playing

    run(test)


def test_falling_silent_empties_the_page_and_later_words_begin_behind_it() -> None:
    def test(desk: Desk) -> None:
        page = desk.connected()
        desk.leg.play(ramp(10 * FRAME))
        desk.hear(page, 2)
        assert desk.leg.stop_playing()
        assert not desk.leg.stop_playing()
        assert page.waiting.size == 0
        desk.hear(page, 2)
        desk.leg.play(ramp(FRAME, 900))
        desk.hear(page, 2)
        assert desk.channel(0) == (
            ramp(2 * FRAME).samples.tolist()
            + [0] * 2 * FRAME
            + ramp(FRAME, 900).samples.tolist()
            + [0] * FRAME
        )

    run(test)


def test_long_sound_is_handed_over_as_the_page_plays_it() -> None:
    def test(desk: Desk) -> None:
        page = desk.connected()
        desk.leg.play(ramp(60 * RATE_HZ))
        assert len(page.waiting) == 3 * RATE_HZ
        desk.hear(page, 60 * 50)
        assert np.array_equal(np.concatenate(page.played), ramp(60 * RATE_HZ).samples)
        assert not desk.leg.playing

    run(test)


def test_a_new_connection_goes_on_where_the_last_one_broke_off() -> None:
    def test(desk: Desk) -> None:
        page = desk.connected()
        desk.leg.play(ramp(10 * FRAME))
        desk.hear(page, 4, value=5)
        desk.leg.detach(page)
        assert desk.leg.playing, "who is away is not silent"
        desk.clock.advance(2.0)
        again = Page()
        assert desk.leg.attach(again) == pytest.approx(2.0)
        assert again.kinds() == ["hello"]
        desk.hear(again, 6, value=6)
        assert np.array_equal(np.concatenate(again.played), ramp(10 * FRAME).samples[4 * FRAME :])
        assert desk.channel(0) == (
            ramp(4 * FRAME).samples.tolist()
            + [0] * 2 * RATE_HZ
            + ramp(10 * FRAME).samples[4 * FRAME :].tolist()
        )
        assert desk.channel(1) == [5] * 4 * FRAME + [0] * 2 * RATE_HZ + [6] * 6 * FRAME
        assert desk.leg.lost_s == pytest.approx(2.0)

    run(test)


@given(gap_s=st.floats(0, 30), settles=st.booleans())
def test_the_recording_is_as_long_as_the_time_that_passed_over_a_gap(gap_s: float, settles: bool) -> None:
    def test(desk: Desk) -> None:
        page = desk.connected()
        desk.hear(page, 10)
        desk.leg.detach(page)
        if settles and gap_s > desk.leg.settle_s:
            desk.leg.settle()
        desk.clock.advance(gap_s)
        desk.hear(desk.connected(), 10)
        assert desk.leg.seconds == pytest.approx(0.4 + gap_s, abs=FRAME_S)
        assert len(desk.channel(0)) == round(desk.leg.seconds * RATE_HZ)

    run(test)


def test_what_was_being_said_when_the_connection_broke_ends_in_silence() -> None:
    async def inside() -> None:
        desk = Desk()
        page = desk.connected()
        desk.hear(page, 1, value=9)
        desk.leg.detach(page)
        desk.leg.settle()
        desk.leg.settle()
        heard = [await desk.leg.hear() for _ in range(1 + round(desk.leg.settle_s / FRAME_S))]
        assert heard[0].samples.max() == 9
        assert all(one.samples.max() == 0 and one.gap for one in heard[1:])
        desk.leg.leave()
        assert (await desk.leg.hear()).kind == "end"

    asyncio.run(inside())


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5)), max_size=12))
def test_frames_that_are_missing_are_silence_of_the_right_length(steps: list[tuple[int, int]]) -> None:
    def test(desk: Desk) -> None:
        page = desk.connected()
        for missing, coming in steps:
            page.lose(missing)
            desk.hear(page, coming, value=2)
        missing, coming = (sum(step[part] for step in steps) for part in (0, 1))
        assert len(desk.channel(1)) == (missing + coming) * FRAME
        assert sum(desk.channel(1)) == 2 * coming * FRAME
        assert desk.leg.lost_s == pytest.approx(missing * FRAME_S)

    run(test)


def test_a_frame_that_comes_twice_counts_once() -> None:
    def test(desk: Desk) -> None:
        page = desk.connected()
        message = page.frame()
        desk.leg.take(message)
        desk.leg.take(message)
        assert desk.leg.seconds == pytest.approx(FRAME_S)

    run(test)


def test_more_sound_than_time_is_refused() -> None:
    def test(desk: Desk) -> None:
        page = desk.connected()
        for _ in range(BURST_FRAMES + 1):
            desk.leg.take(page.frame())
        with pytest.raises(TooFast):
            desk.leg.take(page.frame())

    run(test)


@given(st.binary(max_size=700))
def test_whatever_a_page_sends_is_a_frame_or_refused(message: bytes) -> None:
    def test(desk: Desk) -> None:
        desk.connected()
        desk.leg.play(ramp(5 * FRAME))
        for sent in (message, message[:12].ljust(12, b"\xff") + bytes(2 * FRAME)):
            try:
                desk.leg.take(sent)
            except (ValueError, TooFast):
                continue
        assert len(desk.channel(0)) == len(desk.channel(1))

    run(test)


def test_sound_that_a_busy_page_never_got_is_silence_where_it_is_missing_and_counts_as_lost() -> None:
    def test(desk: Desk) -> None:
        page = desk.connected()
        desk.hear(page, 10, value=3)
        desk.clock.advance(2.5)
        page.stall(2_500)
        desk.hear(page, 40, value=4)
        assert desk.channel(1) == [3] * 10 * FRAME + [0] * 125 * FRAME + [4] * 40 * FRAME
        assert desk.gaps == [(0.2, 2.5)]
        assert desk.leg.lost_s == pytest.approx(2.5)
        assert desk.leg.seconds == pytest.approx(desk.clock.monotonic_s())

    run(test)


def test_frames_that_were_late_and_caught_up_leave_no_gap() -> None:
    def test(desk: Desk) -> None:
        page = desk.connected()
        desk.hear(page, 10, value=3)
        desk.clock.advance(0.3)
        page.stall(300)
        for late in range(15):  # handed over all at once: each is less late than the one before
            page.stall(-20)
            desk.leg.take(page.frame(np.full(FRAME, 4, np.int16)))
            assert late == 14 or desk.leg.frames < 25
        desk.hear(page, 40, value=5)
        assert desk.channel(1) == [3] * 10 * FRAME + [4] * 15 * FRAME + [5] * 40 * FRAME
        assert desk.gaps == [] and desk.leg.lost_s == 0.0

    run(test)


@pytest.mark.parametrize("step_ms", [-3_600_000, 3_600_000])
def test_a_page_whose_clock_is_set_anew_has_lost_nothing(step_ms: int) -> None:
    def test(desk: Desk) -> None:
        page = desk.connected()
        page.stall(4_000_000)
        desk.hear(page, 10, value=3)
        page.stall(step_ms)
        desk.hear(page, 100, value=4)
        assert desk.channel(1) == [3] * 10 * FRAME + [4] * 100 * FRAME
        assert desk.gaps == []

    run(test)


def test_a_page_that_has_stopped_sending_before_the_end_is_silent_until_it() -> None:
    def test(desk: Desk) -> None:
        page = desk.connected()
        desk.hear(page, 10, value=3)
        desk.clock.advance(2.5)
        desk.leg.leave()
        assert desk.leg.seconds == pytest.approx(2.7)
        assert desk.leg.lost_s == pytest.approx(2.5)

    run(test)


@given(
    st.lists(st.tuples(st.integers(1, 60), st.integers(0, 200)), min_size=1, max_size=6),
    st.integers(0, 1_000_000),
)
def test_whatever_is_lost_the_recording_is_as_long_as_the_clock_says(
    parts: list[tuple[int, int]], began_ms: int
) -> None:
    def test(desk: Desk) -> None:
        page = desk.connected()
        page.stall(began_ms)
        for frames, stalled in parts:
            desk.hear(page, frames, value=3)
            desk.clock.advance(stalled * FRAME_S)
            page.stall(stalled * 20)
        desk.hear(page, 60, value=3)
        shorter_s = desk.clock.monotonic_s() - desk.leg.seconds
        assert -FRAME_S / 2 < shorter_s <= 0.06 + FRAME_S / 2
        assert desk.channel(1).count(3) == FRAME * (60 + sum(frames for frames, _ in parts))

    run(test)
