"""Half and twice the rate, piece by piece: nothing is held back, and what belongs there comes through."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.audio.sound import Samples
from vivavoce_speech.dialogue.bridge import TAPS, ByTwo


def tone(hertz: float, rate_hz: int) -> Samples:
    return np.rint(8000 * np.sin(2 * np.pi * hertz * np.arange(rate_hz // 4) / rate_hz)).astype(np.int16)


def changed(samples: Samples, size: int, *, up: bool) -> Samples:
    change = ByTwo(up=up)
    return np.concatenate([change.feed(samples[at : at + size]) for at in range(0, len(samples), size)])


@settings(max_examples=20, deadline=None)
@given(up=st.booleans(), size=st.integers(1, 700))
def test_the_pieces_do_not_matter_and_all_comes_out_at_once(up: bool, size: int) -> None:
    samples = tone(440, 8000 if up else 16_000)
    found = changed(samples, size, up=up)
    assert len(found) == (2 * len(samples) if up else len(samples) // 2)
    assert np.array_equal(found, changed(samples, len(samples), up=up))


def test_a_tone_comes_through_at_the_other_rate() -> None:
    for up in [True, False]:
        for hertz in [200, 1000, 3300]:
            found = changed(tone(hertz, 8000 if up else 16_000), 160, up=up)
            wanted = tone(hertz, 16_000 if up else 8000)
            late = TAPS // 2 / (1 if up else 2)  # in samples of what comes out
            spectrum = np.fft.rfft(wanted) * np.exp(-2j * np.pi * np.fft.rfftfreq(len(wanted)) * late)
            shifted = np.fft.irfft(spectrum, len(wanted))
            inside = slice(TAPS, -TAPS)
            assert np.abs(found[inside] - shifted[inside]).max() < 160, "2 %"


def test_what_the_lower_rate_cannot_hold_is_left_out() -> None:
    assert np.abs(changed(tone(5000, 16_000), 320, up=False)[TAPS:]).max() < 60
