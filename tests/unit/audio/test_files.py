import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.audio.files import (
    StreamResampler,
    Tracks,
    encode_sound,
    pcm16,
    probe_sound,
    read_sound,
    read_tracks,
    side_by_side,
    write_sound,
)
from vivavoce.audio.sound import Sound
from vivavoce.core.errors import InputError


def tone(hertz, seconds, rate):
    return pcm16(0.5 * np.sin(2 * np.pi * hertz * np.arange(round(seconds * rate)) / rate))


def loudest_hertz(samples, rate):
    return np.fft.rfftfreq(len(samples), 1 / rate)[np.argmax(np.abs(np.fft.rfft(samples)))]


@pytest.mark.parametrize("suffix", [".wav", ".flac"])
def test_two_channels_come_back_from_a_file_sample_by_sample(tmp_path, suffix):
    random = np.random.default_rng(3)
    tracks = Tracks(random.integers(-32768, 32768, (4000, 2)).astype(np.int16), 8000)
    path = tmp_path / f"call{suffix}"
    write_sound(tracks, path)
    again = read_tracks(path)
    assert again.rate_hz == 8000
    assert np.array_equal(again.samples, tracks.samples)
    assert probe_sound(path) == (suffix[1:].upper(), 8000, 2, 4000)
    assert probe_sound(path).duration_s == 0.5


def test_a_file_of_floats_is_read_as_16_bits(tmp_path):
    path = tmp_path / "studio.wav"
    soundfile.write(path, np.array([0.0, 0.5, -0.5, -1.0]), 48000, subtype="FLOAT")
    assert np.abs(read_sound(path).samples - np.array([0, 16384, -16384, -32768])).max() <= 1


def test_two_channels_read_as_one_are_their_mean():
    wide = encode_sound(Tracks(np.array([[100, 300], [-50, 50]], np.int16), 8000))
    assert read_sound(wide).samples.tolist() == [200, 0]


@given(st.lists(st.integers(-32768, 32767), min_size=1, max_size=50), st.sampled_from(["wav", "flac"]))
def test_any_sound_comes_back_from_the_bytes_of_a_file(values, kind):
    sound = Sound(np.array(values, np.int16), 16000)
    assert read_sound(encode_sound(sound, kind)).samples.tolist() == values


def test_a_file_that_is_no_sound_names_itself_and_the_cure(tmp_path):
    path = tmp_path / "notes.wav"
    path.write_text("no sound at all")
    for read in (read_sound, read_tracks, probe_sound):
        with pytest.raises(InputError, match=r"notes\.wav: cannot be read as sound .*. Give a WAV or FLAC"):
            read(path)
    with pytest.raises(InputError, match=r"gone\.wav: no such sound file"):
        read_sound(tmp_path / "gone.wav")
    with pytest.raises(InputError, match=r"\.wav or \.flac"):
        write_sound(Sound(np.zeros(1, np.int16), 8000), tmp_path / "x.mp3")
    assert not (tmp_path / "x.mp3").exists()


def test_the_shorter_channel_is_filled_with_silence():
    tracks = side_by_side(Sound(np.array([1, 2, 3], np.int16), 8000), Sound(np.array([9], np.int16), 8000))
    assert tracks.samples.tolist() == [[1, 9], [2, 0], [3, 0]]
    assert tracks.channel(1).samples.tolist() == [9, 0, 0]
    with pytest.raises(InputError, match="no channel 2"):
        tracks.channel(2)
    with pytest.raises(InputError, match="one rate"):
        side_by_side(tracks.channel(0), tracks.channel(1).at(16000))


def test_what_is_too_loud_is_clipped_and_never_wraps():
    assert pcm16(np.array([1.5, -1.5])).tolist() == [32767, -32768]


@pytest.mark.parametrize(("rate", "wanted"), [(8000, 16000), (44100, 16000), (48000, 8000), (8000, 8000)])
def test_pieces_resampled_one_by_one_keep_pitch_and_length(rate, wanted):
    whole, stream = tone(440, 1.0, rate), StreamResampler(rate, wanted)
    ends = range(0, rate, 160)
    joined = np.concatenate([stream.feed(whole[at : at + 160], last=at == ends[-1]) for at in ends])
    assert abs(len(joined) - wanted) <= 2
    assert abs(loudest_hertz(joined, wanted) - 440) <= 1
