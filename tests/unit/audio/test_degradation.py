"""Damage: as much noise and loss as was asked for, nothing outside of the telephone's band, by seed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from pydantic import ValidationError

from vivavoce.audio.degradation import Degradation, Noise, damaged, lost_packets, over_telephone
from vivavoce.audio.sound import Sound
from vivavoce_speech.telephony.g711 import PCMU

RATE_HZ = 16_000
levels = st.integers(-5, 30)
noises = st.sampled_from(["white", "babble"])
seeds = st.integers(0, 2**32)


def tone(hertz: float, amplitude: float, duration_s: float = 0.5, rate_hz: int = RATE_HZ) -> Sound:
    at = np.arange(round(duration_s * rate_hz)) / rate_hz
    return Sound(np.rint(amplitude * np.sin(2 * np.pi * hertz * at)).astype(np.int16), rate_hz)


def power(values: NDArray[np.int16]) -> float:
    return float(np.mean(values.astype(np.float64) ** 2))


def decibels(ratio: float) -> float:
    return float(10 * np.log10(ratio))


def sounds() -> st.SearchStrategy[Sound]:
    return st.builds(tone, st.floats(100, 3000), st.integers(500, 30_000), st.floats(0.001, 0.4))


@settings(max_examples=40, deadline=None)
@given(snr_db=levels, noise=noises, pause_s=st.floats(0, 2), seed=seeds)
def test_speech_stands_as_far_above_the_noise_as_was_asked_whatever_its_pauses(
    snr_db: int, noise: Noise, pause_s: float, seed: int
) -> None:
    speech = tone(440, 1500)
    pause = np.zeros(round(pause_s * 50) * RATE_HZ // 50, np.int16)
    said = Sound(np.concatenate([speech.samples, pause]), RATE_HZ)
    found = damaged(said, Degradation(snr_db=snr_db, noise=noise), seed).sound
    disturbance = found.samples.astype(np.int32) - said.samples
    if np.abs(found.samples.astype(np.int32)).max() < 32767:  # else both were made quieter
        assert decibels(power(speech.samples) / power(disturbance)) == pytest.approx(snr_db, abs=0.5)


def test_what_would_be_clipped_keeps_its_distance_from_the_noise() -> None:
    loud = tone(440, 32_000)
    found = damaged(loud, Degradation(snr_db=0), 1).sound.samples.astype(np.float64)
    said = loud.samples.astype(np.float64)
    share = float(found @ said / (said @ said))  # how loud the speech still is
    assert share < 0.9 and np.abs(found).max() <= 32767
    assert decibels(power((share * said).astype(np.int16)) / np.mean((found - share * said) ** 2)) == (
        pytest.approx(0, abs=0.5)
    )


@settings(max_examples=40, deadline=None)
@given(
    sound=sounds(),
    seed=seeds,
    telephone=st.booleans(),
    loss=st.floats(0, 0.5),
    noise=noises,
    conceal=st.sampled_from(["silence", "repetition"]),
    snr_db=st.none() | levels,
)
def test_the_length_stays_and_the_same_seed_gives_the_same_sound(
    sound: Sound, seed: int, telephone: bool, loss: float, noise: str, conceal: str, snr_db: int | None
) -> None:
    damage = Degradation.model_validate(
        {"snr_db": snr_db, "noise": noise, "telephone": telephone, "loss": loss, "conceal": conceal}
    )
    found, again = damaged(sound, damage, seed).sound, damaged(sound, damage, seed).sound
    assert found.duration_s == pytest.approx(sound.duration_s, abs=1 / found.rate_hz)
    assert np.array_equal(found.samples, again.samples)
    if damage.nothing:
        assert np.array_equal(found.samples, sound.samples)


def test_another_seed_gives_other_noise_and_other_losses() -> None:
    said, damage = tone(440, 5000), Degradation(snr_db=10, loss=0.3)
    assert not np.array_equal(damaged(said, damage, 1).sound.samples, damaged(said, damage, 2).sound.samples)


@settings(max_examples=40, deadline=None)
@given(share=st.floats(0.01, 0.5), burst=st.none() | st.floats(1, 12), seed=seeds)
def test_as_many_packets_are_lost_as_was_asked_in_bursts_of_that_length(
    share: float, burst: float | None, seed: int
) -> None:
    count = 6000
    lost = lost_packets(count, share, burst, np.random.default_rng(seed))
    recover = 1 - share if burst is None else 1 / burst
    lose = share if burst is None else recover * share / (1 - share)
    kept = 1 - recover - lose  # correlation of one packet with the next
    deviation = np.sqrt(share * (1 - share) / count * max(0.05, (1 + kept) / (1 - kept)))
    assert abs(lost.mean() - share) < 6 * deviation + 2 / count
    runs = int(np.sum(np.diff(np.concatenate([[0], lost.astype(int)])) == 1))
    if runs > 100:
        assert lost.sum() / runs == pytest.approx(1 / recover, rel=6 / np.sqrt(runs))


def test_lost_packets_are_silent_or_the_last_one_again_but_softer() -> None:
    said = Sound(np.full(16_000, 8000, np.int16), RATE_HZ)
    quiet = damaged(said, Degradation(loss=0.4), 3)
    packets = quiet.sound.samples.reshape(-1, 320)
    assert 5 < quiet.lost.sum() < 40
    assert np.array_equal((packets == 0).all(axis=1), quiet.lost)
    assert (packets[~quiet.lost] == 8000).all()
    again = damaged(said, Degradation(loss=0.4, conceal="repetition"), 3)
    heard, previous = again.sound.samples.reshape(-1, 320)[:, 0], 0
    for one, lost in zip(heard, again.lost, strict=True):
        assert one == (previous // 2 if lost else 8000)
        previous = int(one)
    assert again.facts() == {"packets": 50, "packets_lost": int(again.lost.sum())}


@pytest.mark.parametrize(("hertz", "least", "most"), [(80, -99, -30), (1000, -1, 1), (3000, -1, 1)])
def test_a_telephone_carries_the_middle_of_speech_alone(hertz: float, least: float, most: float) -> None:
    said = tone(hertz, 10_000)
    heard = over_telephone(said)
    assert heard.rate_hz == 8000
    assert least < decibels(power(heard.samples) / power(said.samples)) < most
    assert np.array_equal(PCMU.decode(PCMU.encode(heard.samples)), heard.samples)


def test_a_telephone_carries_nothing_above_its_band() -> None:
    heard = over_telephone(tone(3900, 10_000, rate_hz=8000))
    assert decibels(power(heard.samples) / power(tone(3900, 10_000, rate_hz=8000).samples)) < -30


def test_silence_has_no_level_and_stays_silent() -> None:
    nothing, quiet = Sound(np.zeros(0, np.int16), RATE_HZ), Sound(np.zeros(500, np.int16), RATE_HZ)
    hard = Degradation(snr_db=0, noise="babble", telephone=True, loss=0.5, conceal="repetition")
    assert len(damaged(nothing, hard, 1).sound.samples) == 0
    assert not damaged(quiet, Degradation(snr_db=0), 1).sound.samples.any()


def test_babble_swells_and_is_darker_than_white_noise() -> None:
    speech = tone(440, 3000, 4.0)

    def noise(kind: Noise) -> NDArray[np.int32]:
        found = damaged(speech, Degradation(snr_db=0, noise=kind), 7).sound
        return found.samples.astype(np.int32) - speech.samples

    def high(values: NDArray[np.int32]) -> float:
        spectrum = np.abs(np.fft.rfft(values)) ** 2
        return float(spectrum[len(spectrum) // 2 :].sum() / spectrum.sum())

    def unsteady(values: NDArray[np.int32]) -> float:
        levels = np.sqrt((values.reshape(-1, 1600).astype(float) ** 2).mean(axis=1))
        return float(levels.std() / levels.mean())

    assert high(noise("babble")) < 0.05 < 0.4 < high(noise("white"))
    assert unsteady(noise("babble")) > 0.15 > 0.05 > unsteady(noise("white"))


def test_a_condition_has_a_name_and_what_cannot_be_is_refused_with_a_cure() -> None:
    assert Degradation().name == "clean" and Degradation().nothing
    assert Degradation(snr_db=10, noise="babble", telephone=True, loss=0.05).name == (
        "babble 10 dB, telephone, loss 0.05, silence"
    )
    with pytest.raises(ValidationError, match="cannot be lost in bursts of 1"):
        Degradation(loss=0.6, burst=1)
