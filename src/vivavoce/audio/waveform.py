"""The outline of a recording: the loudest sample of each short stretch, channel by channel."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vivavoce.audio.files import FULL_SCALE, blocks_of, probe_sound
from vivavoce.core.extras import later

if TYPE_CHECKING:
    import numpy as np
else:
    np = later("numpy", "speech")

PEAKS_A_SECOND: Final = 20
MOST_PEAKS: Final = 12_000
_STRETCHES_AT_ONCE: Final = 512


@dataclass(frozen=True, slots=True)
class Waveform:
    """Waveform of a recording.

    peaks   a tuple for each channel; from 0 to 32768, full scale
    """

    duration_s: float
    peaks: tuple[tuple[int, ...], ...]


def waveform(path: Path, *, peaks_a_second: int = PEAKS_A_SECOND, most: int = MOST_PEAKS) -> Waveform:
    """Peaks of a sound file, which is read piece by piece.

    Note    all stretches are of one length, but the last may be shorter; a long recording has longer ones,
            so that there are at most `most`
    Empty   no samples: duration 0, no peaks in any channel
    Raises  InputError: no such file, or no sound that can be read
    """
    facts = probe_sound(path)
    stretch = max(1, facts.rate_hz // peaks_a_second, -(-facts.frames // most))
    channels: list[list[int]] = [[] for _ in range(facts.channels)]
    for block in blocks_of(path, stretch * _STRETCHES_AT_ONCE):
        loud = np.abs(block.astype(np.int32))
        padded = np.pad(loud, ((0, -len(loud) % stretch), (0, 0)))
        highest = padded.reshape(-1, stretch, facts.channels).max(axis=1)
        for channel, values in enumerate(highest.T.tolist()):
            channels[channel] += [min(value, FULL_SCALE) for value in values]
    return Waveform(facts.duration_s, tuple(tuple(values) for values in channels))
