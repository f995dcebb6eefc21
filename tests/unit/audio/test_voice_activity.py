import numpy as np
import pytest

from scenes.voices import RATE, Spoken, conversation, voice, with_noise
from vivavoce.audio.files import Tracks, pcm16
from vivavoce.audio.sound import Sound, silence
from vivavoce.audio.voice_activity import SpeechStream, speech_intervals

GAPS = [0.8, 0.6, 1.1, 0.9, 0.7, 1.4, 0.8, 0.5]


@pytest.fixture(scope="module")
def spoken():
    return conversation(GAPS)


def errors_ms(found, planted):
    assert len(found) == len(planted)
    pairs = list(zip(found, planted, strict=True))
    return (
        [1000 * abs(one.onset_s - known.onset_s) for one, known in pairs],
        [1000 * abs(one.offset_s - known.offset_s) for one, known in pairs],
    )


@pytest.mark.parametrize(("rate", "noise"), [(RATE, None), (RATE, 10), (8000, None), (8000, 10)])
def test_speech_is_found_within_50_ms_in_the_median(spoken, rate, noise):
    sound, planted = spoken
    sound = sound if noise is None else with_noise(sound, noise)
    onsets, offsets = [], []
    for channel, party in enumerate(("system", "user")):
        found = speech_intervals(sound.channel(channel).at(rate))
        onset, offset = errors_ms(found, [one for one in planted if one.party == party])
        onsets, offsets = onsets + onset, offsets + offset
    assert np.median(onsets) <= 50
    assert np.median(offsets) <= 50


def test_edges_hold_for_voices_and_noise_that_nothing_was_tuned_on():
    texts = ("Is it far from the station?", "No, something else.", "Show me three more hotels with parking.")
    onsets, offsets = [], []
    for seed, name in enumerate(("kal16", "awb")):
        parts, planted = [np.zeros(RATE // 2)], []
        for text in texts:
            begins = sum(map(len, parts)) / RATE
            parts += [voice(text, name), np.zeros(RATE)]
            planted.append(Spoken("user", begins, begins + len(parts[-2]) / RATE))
        tracks = Tracks(pcm16(np.concatenate(parts)[:, np.newaxis]), RATE)
        found = speech_intervals(with_noise(tracks, 10, seed=90 + seed).channel(0))
        onset, offset = errors_ms(found, planted)
        onsets, offsets = onsets + onset, offsets + offset
    assert np.median(onsets) <= 50
    assert np.median(offsets) <= 50


def test_silence_and_noise_hold_no_speech():
    random = np.random.default_rng(2)
    assert speech_intervals(silence(0, RATE)) == []
    assert speech_intervals(silence(3, RATE)) == []
    assert speech_intervals(Sound(pcm16(0.05 * random.normal(size=3 * RATE)), RATE)) == []


def test_speech_up_to_the_last_sample_ends_with_the_recording(spoken):
    sound, planted = spoken
    first = planted[0]
    cut = Sound(sound.channel(0).samples[: round((first.onset_s + 1.0) * RATE)], RATE)
    (only,) = speech_intervals(cut)
    assert abs(only.onset_s - first.onset_s) < 0.1
    assert only.offset_s <= cut.duration_s
    assert only.offset_s == pytest.approx(cut.duration_s, abs=0.05)


def test_a_longer_pause_joins_what_a_shorter_one_parts(spoken):
    sound, planted = spoken
    user = [one for one in planted if one.party == "user"]
    assert len(speech_intervals(sound.channel(1))) == len(user)
    assert len(speech_intervals(sound.channel(1), pause_s=60)) == 1


@pytest.mark.parametrize("rate", [RATE, 8000])
def test_a_stream_says_when_speech_begins_and_ends(spoken, rate):
    sound, planted = spoken
    samples, stream = sound.channel(1).at(rate).samples, SpeechStream(rate)
    changes = [change for at in range(0, len(samples), 160) for change in stream.feed(samples[at : at + 160])]
    user = [one for one in planted if one.party == "user"]
    assert [change.kind for change in changes] == ["began", "ended"] * len(user)
    for began, ended, known in zip(changes[::2], changes[1::2], user, strict=True):
        assert abs(began.at_s - known.onset_s) < 0.15
        assert abs(ended.at_s - known.offset_s) < 0.25
    assert not stream.speaking


def test_a_stream_that_stops_in_mid_speech_is_still_speaking(spoken):
    sound, planted = spoken
    stream = SpeechStream(RATE)
    stream.feed(sound.channel(0).samples[: round((planted[0].offset_s - 0.3) * RATE)])
    assert stream.speaking
    assert stream.quiet_s < 0.3
