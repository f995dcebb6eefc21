"""The outline of a recording shows every sample that is loud, where it is."""

from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vivavoce.audio.files import Tracks, write_sound
from vivavoce.audio.waveform import waveform
from vivavoce.core.errors import InputError


@pytest.mark.parametrize("kind", ["wav", "flac"])
def test_each_channel_has_the_loudest_sample_of_each_stretch(tmp_path: Path, kind: str) -> None:
    samples = np.zeros((9000, 2), np.int16)
    samples[:4000:2, 0] = -1000
    samples[100, 0] = 1500
    samples[7999, 1] = -32768
    samples[8500, 1] = 7
    path = tmp_path / f"two.{kind}"
    write_sound(Tracks(samples, 8000), path)
    drawn = waveform(path, peaks_a_second=4)
    assert drawn.peaks == ((1500, 1000, 0, 0, 0), (0, 0, 0, 32768, 7))
    assert drawn.duration_s == 9000 / 8000


def test_a_long_recording_has_as_many_peaks_as_fit_and_loses_no_loud_sample(tmp_path: Path) -> None:
    samples = np.zeros((50_001, 1), np.int16)
    samples[-1] = 9000
    path = tmp_path / "long.wav"
    write_sound(Tracks(samples, 1000), path)
    (peaks,) = waveform(path, peaks_a_second=1000, most=100).peaks
    assert len(peaks) <= 100
    assert (max(peaks), peaks[-1]) == (9000, 9000)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(st.integers(-32768, 32767), max_size=300), rate=st.integers(1, 40))
def test_stretches_cover_the_whole_recording_in_order(tmp_path: Path, values: list[int], rate: int) -> None:
    path = tmp_path / "any.wav"
    write_sound(Tracks(np.array(values, np.int16).reshape(-1, 1), 400), path)
    stretch = max(1, 400 // rate)
    expected = [max(map(abs, values[start : start + stretch])) for start in range(0, len(values), stretch)]
    assert waveform(path, peaks_a_second=rate).peaks == (tuple(expected),)


def test_sound_of_other_kinds_is_drawn_and_what_is_none_is_refused(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "float.wav", np.array([0.5, -1.0, 2.0, 0.25]), 4, subtype="FLOAT")
    assert waveform(tmp_path / "float.wav", peaks_a_second=4).peaks == ((16384, 32768, 32767, 8192),)
    (tmp_path / "words.wav").write_text("no sound")
    with pytest.raises(InputError, match=r"words\.wav"):
        waveform(tmp_path / "words.wav")
