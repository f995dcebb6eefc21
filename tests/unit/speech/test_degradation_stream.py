"""Damage of sound that comes in pieces: the same however it is cut, and as strong as was asked for."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenes.speaking import SPEECH
from vivavoce.audio.degradation import Degradation, damaged, speech_power
from vivavoce.audio.sound import Sound
from vivavoce_speech.dialogue.degradation_stream import DamageStream


def streamed(sound: Sound, damage: Degradation, seed: int, cuts: list[int]) -> np.ndarray:
    stream = DamageStream(damage, sound.rate_hz, seed)
    places = [0, *sorted(min(cut, len(sound.samples)) for cut in cuts), len(sound.samples)]
    parts = [sound.samples[a:b] for a, b in pairwise(places)]
    return np.concatenate([*(stream.feed(part) for part in parts), stream.feed(parts[0][:0], last=True)])


damages = st.builds(
    Degradation,
    snr_db=st.none() | st.integers(0, 30),
    noise=st.sampled_from(["white", "babble"]),
    telephone=st.booleans(),
    loss=st.floats(0, 0.5),
    conceal=st.sampled_from(["silence", "repetition"]),
    packet_ms=st.integers(10, 60),
)


@settings(max_examples=15, deadline=None)
@given(
    damage=damages, rate_hz=st.sampled_from([8000, 16_000]), cuts=st.lists(st.integers(0, 30_000), max_size=5)
)
def test_the_pieces_do_not_matter_and_the_length_stays(
    damage: Degradation, rate_hz: int, cuts: list[int]
) -> None:
    sound = Sound(SPEECH.samples[:20_000], 16_000).at(rate_hz)
    found, whole = streamed(sound, damage, 5, cuts), streamed(sound, damage, 5, [])
    assert len(found) == len(sound.samples)
    assert np.array_equal(found, whole)
    if damage.nothing:
        assert np.array_equal(found, sound.samples)


@pytest.mark.parametrize("snr_db", [0, 10, 20])
def test_from_its_second_second_on_the_noise_is_at_its_distance(snr_db: int) -> None:
    sound = Sound(np.tile(SPEECH.samples, 2), SPEECH.rate_hz)
    found = streamed(sound, Degradation(snr_db=snr_db), 1, [3000])
    noise = (found.astype(float) - sound.samples)[SPEECH.rate_hz :]
    level = speech_power(sound)
    assert level is not None
    assert 10 * np.log10(level / np.mean(noise**2)) == pytest.approx(snr_db, abs=1.5)


@pytest.mark.parametrize("rate_hz", [8000, 16_000])
def test_the_telephones_band_is_that_of_a_whole_sound_and_comes_no_later(rate_hz: int) -> None:
    sound = SPEECH.at(rate_hz)
    found = Sound(streamed(sound, Degradation(telephone=True), 1, [1000, 1001, 9000]), rate_hz)
    whole = damaged(sound, Degradation(telephone=True), 1).sound.at(rate_hz)
    size = min(len(found.samples), len(whole.samples))
    at = lambda lag: np.corrcoef(np.roll(found.samples, lag)[:size], whole.samples[:size])[0, 1]  # noqa: E731
    assert max(range(-40, 41), key=at) == 0
    assert at(0) > 0.97


def test_packets_are_lost_and_counted_and_others_by_another_seed() -> None:
    damage, sound = Degradation(loss=0.3, packet_ms=20), Sound(np.full(16_000 * 20, 900, np.int16), 16_000)
    stream = DamageStream(damage, 16_000, 3)
    found = np.concatenate([stream.feed(sound.samples), stream.feed(sound.samples[:0], last=True)])
    silent = (found.reshape(-1, 320) == 0).all(axis=1)
    assert stream.facts() == {"packets": 1000, "packets_lost": int(silent.sum())}
    assert 0.25 < silent.mean() < 0.35
    assert not np.array_equal(found, streamed(sound, damage, 4, []))
    assert np.array_equal(found, streamed(sound, damage, 3, []))


def test_a_lost_packet_may_be_the_last_one_again_but_softer() -> None:
    sound = Sound(np.full(3200, 1000, np.int16), 16_000)
    found = streamed(sound, Degradation(loss=0.5, conceal="repetition"), 2, []).reshape(-1, 320)
    values = {int(value) for value in found[:, 0]}
    assert {1000, 500} <= values
    assert 0 not in values or found[0, 0] == 0, "nothing comes before the first"
