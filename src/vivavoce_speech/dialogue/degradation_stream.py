"""Degradation of a sound that arrives in pieces and is played at once.

As `audio.degradation`, in the same order, but without the sound that follows. The level of noise depends on
the speech so far, so it is right from the first second of speech on, and lower before. The result does not
depend on how the sound is cut into pieces.
"""

from collections import deque
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from vivavoce.audio.degradation import (
    ACTIVE_DB,
    FADING,
    FRAME_S,
    TELEPHONE_HZ,
    Degradation,
    Noise,
    Values,
    band_gains,
    losses,
    mu_law,
    noise_of,
)
from vivavoce.audio.sound import Samples
from vivavoce.core.extras import later

if TYPE_CHECKING:
    import soxr
else:
    soxr = later("soxr")

BED_S: Final = 2.0
REMEMBERED: Final = 1500  # frames that say how loud the speech is: half a minute
TAPS: Final = 257
_NONE: Final = np.zeros(0, np.int16)


class _Stage(Protocol):
    def feed(self, samples: Samples, *, last: bool) -> Samples: ...


class DamageStream:
    """One sound on its way; the last piece brings it to the length that it had."""

    def __init__(self, damage: Degradation, rate_hz: int, seed: int | str) -> None:
        bits = Random(f"damage stream:{seed}").getrandbits
        noise, loss = (np.random.default_rng(bits(128)) for _ in range(2))
        self._stages: list[_Stage] = []
        if damage.snr_db is not None:
            self._stages.append(_WithNoise(damage.snr_db, damage.noise, rate_hz, noise))
        if damage.telephone:
            self._stages.append(_OverTelephone(rate_hz))
        self._network = _Network(damage, rate_hz, loss) if damage.loss else None
        if self._network is not None:
            self._stages.append(self._network)
        self._came = self._went = 0

    def feed(self, samples: Samples, *, last: bool = False) -> Samples:
        """Return the sound so far; some milliseconds stay inside until the last piece."""
        self._came += len(samples)
        for stage in self._stages:
            samples = stage.feed(samples, last=last)
        due = self._came - self._went
        samples = samples[:due]
        if last:
            samples = np.pad(samples, (0, due - len(samples)))
        self._went += len(samples)
        return samples

    def facts(self) -> dict[str, int]:
        """Number of packets so far, and number of lost ones."""
        network = self._network
        return {"packets": network.packets if network else 0, "packets_lost": network.lost if network else 0}


class _WithNoise:
    def __init__(self, snr_db: float, kind: Noise, rate_hz: int, rng: np.random.Generator) -> None:
        self._below, self._rate_hz, self._rng = 10 ** (snr_db / 10), rate_hz, rng
        self._kind: Noise = kind
        self._frame = max(1, round(rate_hz * FRAME_S))
        self._rest: Samples = _NONE
        self._bed: Values = np.zeros(0)
        self._powers: deque[float] = deque(maxlen=REMEMBERED)

    def feed(self, samples: Samples, *, last: bool) -> Samples:
        samples = np.concatenate([self._rest, samples])
        ready = len(samples) if last else len(samples) // self._frame * self._frame
        self._rest = samples[ready:]
        frames = [samples[at : at + self._frame] for at in range(0, ready, self._frame)]
        return (
            np.concatenate([self._noisy(frame.astype(np.float64)) for frame in frames]) if frames else _NONE
        )

    def _noisy(self, frame: Values) -> Samples:
        self._powers.append(float(np.mean(frame**2)))
        powers = np.array(self._powers)
        speech = powers[powers >= powers.max() / 10 ** (ACTIVE_DB / 10)].mean()
        noise = self._noise(len(frame)) * np.sqrt(speech / self._below)
        return np.clip(np.rint(frame + noise), -32768, 32767).astype(np.int16)

    def _noise(self, count: int) -> Values:
        """The next samples of a bed whose power is 1."""
        if len(self._bed) < count:
            more = noise_of(self._kind, round(BED_S * self._rate_hz), self._rate_hz, self._rng)
            self._bed = np.concatenate([self._bed, more / np.sqrt(np.mean(more**2))])
        noise, self._bed = self._bed[:count], self._bed[count:]
        return noise


class _OverTelephone:
    """Down to 8 kHz, through the band and mu-law, and up again; the filter's delay is taken out."""

    def __init__(self, rate_hz: int) -> None:
        narrow = rate_hz == TELEPHONE_HZ
        self._down = None if narrow else soxr.ResampleStream(rate_hz, TELEPHONE_HZ, 1, "float32")
        self._up = None if narrow else soxr.ResampleStream(TELEPHONE_HZ, rate_hz, 1, "float32")
        shape = np.roll(np.fft.irfft(band_gains(2 * TAPS - 2)), TAPS // 2)[:TAPS]
        self._taps = shape * np.hanning(TAPS + 2)[1:-1]
        self._before: Values = np.zeros(TAPS - 1)
        self._late = TAPS // 2

    def feed(self, samples: Samples, *, last: bool) -> Samples:
        values = samples.astype(np.float32)
        if self._down is not None:
            values = self._down.resample_chunk(values, last=last)
        narrow = np.concatenate([values, np.zeros(TAPS // 2 if last else 0)]).astype(np.float64)
        if not len(narrow):
            return _NONE
        padded = np.concatenate([self._before, narrow])
        self._before = padded[len(padded) - (TAPS - 1) :]
        filtered = np.convolve(padded, self._taps, "valid")
        early = min(self._late, len(filtered))
        self._late -= early
        encoded = mu_law(_whole_numbers(filtered[early:]))
        if self._up is None:
            return encoded
        return _whole_numbers(self._up.resample_chunk(encoded.astype(np.float32), last=last))


class _Network:
    def __init__(self, damage: Degradation, rate_hz: int, rng: np.random.Generator) -> None:
        self._size = max(1, round(rate_hz * damage.packet_ms / 1000))
        self._losses = losses(damage.loss, damage.burst, rng)
        self._repeat = damage.conceal == "repetition"
        self._rest: Samples = _NONE
        self._heard: Samples = np.zeros(self._size, np.int16)
        self.packets = self.lost = 0

    def feed(self, samples: Samples, *, last: bool) -> Samples:
        samples = np.concatenate([self._rest, samples])
        ready = len(samples) if last else len(samples) // self._size * self._size
        self._rest = samples[ready:]
        packets = [samples[at : at + self._size] for at in range(0, ready, self._size)]
        fates = islice(self._losses, len(packets))
        return np.concatenate(
            [self._carried(*packet) for packet in zip(packets, fates, strict=True)] or [_NONE]
        )

    def _carried(self, packet: Samples, lost: bool) -> Samples:
        self.packets, self.lost = self.packets + 1, self.lost + lost
        if lost:
            packet = (self._heard[: len(packet)] * (FADING if self._repeat else 0.0)).astype(np.int16)
        self._heard = packet
        return packet


def _whole_numbers(values: Values) -> Samples:
    return np.clip(np.rint(values), -32768, 32767).astype(np.int16)
