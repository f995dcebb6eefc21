"""Start and end of speech to a hundredth of a second, near a detector's intervals.

In each of 24 bands the power is compared with that of the noise between the stretches of speech: a weak
consonant at the end of a word stands out in some bands where it does not in the sum of all. What fades away
under the noise is made up for by a time that grows with the noise. Numbers were chosen on the voices slt and
rms; figures on others and on other noise: docs/how-to/time-turns-from-sound.md.

Source  Sohn, Kim and Sung 1999, A statistical model-based voice activity detection (the likelihood ratio)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vivavoce.core.extras import later

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.floating[Any]]
else:
    np = later("numpy", "speech")
    Floats = Any

RATE_HZ: Final = 16_000
WINDOW: Final = 512
HOP: Final = 160
BANDS: Final = 24
_LOWEST_BIN: Final = 3
_BLOCK: Final = 4096  # frames whose spectra are in memory at once
_QUANTILE, _ABOVE_NOISE = 0.99, 1.5
_BELOW_SPEECH: Final = 3e-4
_SMOOTHED: Final = 3
_FEWEST_SILENT: Final = 10
_ROUNDING: Final = (3 / 32768) ** 2 * WINDOW / 32  # of samples of 16 bits, in each bin
_BEFORE_S, _AFTER_S = 0.15, 0.15
_INSIDE_FIRST_S, _INSIDE_LAST_S = 0.3, 0.4
_HALF_S: Final = 0.005
_CLEAR_DB: Final = 30.0
_FADING_S_A_DB, _FADING_NARROW_S_A_DB = 0.0015, 0.003  # 8 kHz hold less of the consonants that words end with


class Span(NamedTuple):
    """From when to when, in seconds."""

    onset_s: float
    offset_s: float


class _Frames(NamedTuple):
    """Frames of a sound: their middles, the power in all bands, and how unlike noise they are."""

    middle_s: Floats
    power: Floats
    unlike_noise: Floats
    threshold: float
    noise: float


def sharpened(spans: Sequence[Span], sound: Floats, *, narrow: bool = False) -> list[Span]:
    """The spans with sharper edges, in order and without overlap.

    Input   sound: values from -1 to 1 at 16 kHz; narrow: it was recorded at 8 kHz
    Empty   no spans: none; no silence between them: edges go by the power alone
    """
    if not spans:
        return []
    frames, fading = _frames(spans, sound), _FADING_NARROW_S_A_DB if narrow else _FADING_S_A_DB
    edges: list[Span] = []
    for span in spans:
        earliest_s = edges[-1].offset_s if edges else 0.0
        edges.append(_sharp(span, frames, earliest_s, len(sound) / RATE_HZ, fading))
    return edges


def _sharp(span: Span, frames: _Frames, earliest_s: float, latest_s: float, fading: float) -> Span:
    at = frames.middle_s
    inside = frames.power[(at >= span.onset_s) & (at <= span.offset_s)]
    level = float(np.quantile(inside, 0.9)) if len(inside) else 0.0
    loud = (frames.unlike_noise > frames.threshold) & (frames.power > level * _BELOW_SPEECH)
    first_s = max(span.onset_s - _BEFORE_S, earliest_s)
    first = at[loud & (at >= first_s) & (at <= min(span.onset_s + _INSIDE_FIRST_S, span.offset_s))]
    last_s = max(span.onset_s, span.offset_s - _INSIDE_LAST_S)
    last = at[loud & (at >= last_s) & (at <= span.offset_s + _AFTER_S)]
    onset_s = max(first_s, float(first[0]) - _HALF_S) if len(first) else span.onset_s
    offset_s = (
        float(last[-1]) + _HALF_S + fading * _drowned_db(level, frames.noise) if len(last) else span.offset_s
    )
    return Span(max(0.0, onset_s), max(onset_s, min(offset_s, latest_s)))


def _drowned_db(level: float, noise: float) -> float:
    """Part of the last 30 dB of fading speech that is under the noise."""
    if noise <= 0 or level <= 0:
        return 0.0
    return min(_CLEAR_DB, max(0.0, _CLEAR_DB - 10 * float(np.log10(level / noise))))


def _frames(spans: Sequence[Span], sound: Floats) -> _Frames:
    bands = _band_powers(sound)
    middle_s = (np.arange(len(bands)) * HOP + WINDOW / 2) / RATE_HZ
    silent = np.ones(len(bands), bool)
    for onset_s, offset_s in spans:
        silent[(middle_s > onset_s - _BEFORE_S - 0.1) & (middle_s < offset_s + _AFTER_S + 0.1)] = False
    has_silence = int(silent.sum()) > _FEWEST_SILENT
    noise = bands[silent].mean(axis=0) if has_silence else np.zeros(BANDS)
    ratio = bands / np.maximum(noise, _ROUNDING * np.diff(_edges()))
    ratio = _smooth(np.maximum(ratio, 1e-12))
    unlike = np.where(ratio > 1, ratio - 1 - np.log(ratio), 0.0).mean(axis=1)
    threshold = _ABOVE_NOISE * float(np.quantile(unlike[silent], _QUANTILE)) if has_silence else 0.0
    return _Frames(middle_s, bands.sum(axis=1), unlike, max(threshold, 1e-9), float(noise.sum()))


def _edges() -> NDArray[np.intp]:
    return np.round(np.linspace(_LOWEST_BIN, WINDOW // 2 + 1, BANDS + 1)).astype(np.intp)


def _band_powers(sound: Floats) -> Floats:
    """Power in each band of each frame, shape (frames, bands); the last part frame is left out."""
    if len(sound) < WINDOW:
        sound = np.pad(sound, (0, WINDOW - len(sound)))
    windows = np.lib.stride_tricks.sliding_window_view(sound, WINDOW)[::HOP]
    shape, starts = np.hanning(WINDOW), _edges()[:-1]
    blocks = [
        np.add.reduceat(np.abs(np.fft.rfft(windows[at : at + _BLOCK] * shape, axis=1)) ** 2, starts, axis=1)
        for at in range(0, len(windows), _BLOCK)
    ]
    return np.concatenate(blocks)


def _smooth(ratio: Floats) -> Floats:
    """The mean over three frames, in each band."""
    padded = np.pad(ratio, ((1, 1), (0, 0)))
    return (padded[:-2] + padded[1:-1] + padded[2:]) / _SMOOTHED
