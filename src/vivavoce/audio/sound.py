"""A piece of sound in memory, as recognisers, synthesisers and telephone legs hand it on."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vivavoce.core.extras import later

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.int16]
else:
    np = later("numpy", "speech")
    Samples = Any


@dataclass(frozen=True, slots=True, eq=False)
class Sound:
    """Samples of one channel, 16-bit signed, at a rate in hertz."""

    samples: Samples
    rate_hz: int

    @property
    def duration_s(self) -> float:
        return len(self.samples) / self.rate_hz

    @property
    def pcm(self) -> bytes:
        """The samples as little-endian bytes."""
        return self.samples.astype("<i2").tobytes()

    @classmethod
    def of_pcm(cls, pcm: bytes, rate_hz: int) -> "Sound":
        """From little-endian bytes; half a sample at the end is dropped."""
        return cls(np.frombuffer(pcm[: len(pcm) // 2 * 2], "<i2").astype(np.int16), rate_hz)

    def at(self, rate_hz: int) -> "Sound":
        """Resample the sound, its band limited to match. Empty stays empty.

        Note  computed with floating point: of whole numbers soxr makes other ones each time, by its dither
        """
        if rate_hz == self.rate_hz or not len(self.samples):
            return Sound(self.samples, rate_hz)
        import soxr

        values = soxr.resample(self.samples.astype(np.float32), self.rate_hz, rate_hz)
        return Sound(np.clip(np.rint(values), -32768, 32767).astype(np.int16), rate_hz)


def silence(duration_s: float, rate_hz: int) -> Sound:
    return Sound(np.zeros(round(duration_s * rate_hz), np.int16), rate_hz)


def joined(sounds: list[Sound], rate_hz: int) -> Sound:
    """Sounds one after another, brought to one rate."""
    parts = [sound.at(rate_hz).samples for sound in sounds]
    return Sound(np.concatenate(parts) if parts else np.zeros(0, np.int16), rate_hz)
