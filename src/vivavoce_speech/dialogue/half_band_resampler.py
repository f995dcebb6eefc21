"""Half or twice the rate, frame by frame: for calls, where a resampler that works in blocks comes too late.

`audio.files.StreamResampler` gives out about a tenth of a second at once; this gives every piece at once,
with a delay of 2 ms at 16 kHz, and makes softer what lies within 400 Hz of the lower rate's limit.
"""

from typing import Final

import numpy as np

from vivavoce.audio.degradation import Values
from vivavoce.audio.sound import Samples

TAPS: Final = 63
CUT: Final = 0.2375  # of the higher rate: 3800 Hz of 16 kHz
_AT: Final = np.arange(TAPS) - TAPS // 2
_SHAPE: Final = 2 * CUT * np.sinc(2 * CUT * _AT) * np.hamming(TAPS)
_LOW_PASS: Final = _SHAPE / _SHAPE.sum()


class ByTwo:
    """Changes the rate of one channel that comes piece by piece; `up` doubles it, else it is halved."""

    def __init__(self, *, up: bool) -> None:
        self._up = up
        self._before: Values = np.zeros(TAPS - 1)
        self._odd = 0

    def feed(self, samples: Samples) -> Samples:
        """The piece at the other rate."""
        values = samples.astype(np.float64)
        if self._up:
            values, narrow = np.zeros(2 * len(samples)), values
            values[::2] = 2 * narrow
        if not len(values):
            return np.zeros(0, np.int16)
        whole = np.concatenate([self._before, values])
        self._before = whole[len(whole) - (TAPS - 1) :]
        heard = np.convolve(whole, _LOW_PASS, "valid")
        if not self._up:
            heard, self._odd = heard[self._odd :: 2], (self._odd + len(heard)) % 2
        return np.clip(np.rint(heard), -32768, 32767).astype(np.int16)
