"""Clips on a common time line: each lies where it was said to, with silence between."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.audio.sound import Sound
from vivavoce_speech.browser.time_line import PlacedClip, beginning_s, merge_clips

RATE = 100


def sound(value: int, frames: int, rate_hz: int = RATE) -> Sound:
    return Sound(np.full(frames, value, np.int16), rate_hz)


def whole(*clips: PlacedClip) -> np.ndarray:
    return np.concatenate(list(merge_clips(clips, 2, RATE)))


def test_clips_lie_on_their_channels_with_silence_between_them() -> None:
    made = whole(PlacedClip(sound(7, 20), 0, 3.0), PlacedClip(sound(5, 10), 1, 2.5))
    assert len(made) == 70
    assert np.flatnonzero(made[:, 1]).tolist() == list(range(10))
    assert np.flatnonzero(made[:, 0]).tolist() == list(range(50, 70))


def test_of_two_that_overlap_on_a_channel_the_later_one_is_heard() -> None:
    made = whole(PlacedClip(sound(9, 10), 0, 0.05), PlacedClip(sound(7, 30), 0, 0.0))
    assert made[:, 0].tolist() == [7] * 5 + [9] * 10 + [7] * 15


def test_no_clips_give_nothing() -> None:
    assert list(merge_clips([], 2, RATE)) == []


@given(
    st.lists(
        st.tuples(st.integers(1, 99), st.integers(1, 400), st.integers(0, 1), st.integers(0, 500_000)),
        min_size=1,
        max_size=4,
    )
)
def test_every_sample_is_that_of_the_latest_clip_there_or_silence(drawn: list) -> None:
    clips = [PlacedClip(sound(value, frames), channel, at / RATE) for value, frames, channel, at in drawn]
    made, first = whole(*clips), round(beginning_s(clips) * RATE)
    wanted = np.zeros((max(at + frames for _, frames, _, at in drawn) - first, 2), np.int16)
    for value, frames, channel, at in sorted(drawn, key=lambda one: one[3]):
        wanted[at - first : at - first + frames, channel] = value
    assert np.array_equal(made, wanted)
