"""Sound damaged on purpose: noise at a known distance, the telephone's band, lost packets.

Damage comes in the order in which a call meets it: noise in the room, then the telephone, then the network.
Same sound, settings and seed: same result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from vivavoce.audio.sound import Samples, Sound
from vivavoce.core.extras import later
from vivavoce.core.validation import mistake

if TYPE_CHECKING:
    import numpy as np
    import soundfile
    from numpy.typing import NDArray

    Values = NDArray[np.float64]
else:
    np = later("numpy", "speech")
    Values = Any
    soundfile = later("soundfile")

Noise = Literal["white", "babble"]
Concealment = Literal["silence", "repetition"]

TELEPHONE_HZ: Final = 8000
BAND_HZ: Final = (300.0, 3400.0)
FRAME_S: Final = 0.02
ACTIVE_DB: Final = 30.0  # a frame so far below the loudest is a pause
TALKERS: Final = 6
FADING: Final = 0.5  # of a packet that is repeated, each time
_LOUDEST: Final = 32767.0
_EDGE_HZ: Final = (100.0, 300.0)  # how far outside of the band the filter goes to nothing
_SYLLABLES_HZ: Final = 4.0


class Degradation(BaseModel):
    """What happens to a sound between a mouth and an ear, or a recogniser; nothing where nothing is set."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    snr_db: float | None = Field(
        None, ge=-30, le=80, description="speech over noise in decibels, pauses of the speech left out"
    )
    noise: Noise = Field("white", description="white, or babble: shaped and modulated like six talkers")
    telephone: bool = Field(False, description="300 to 3400 Hz, 8 kHz, mu-law")
    loss: float = Field(0.0, ge=0, le=0.9, description="share of packets that are lost")
    burst: float | None = Field(
        None, ge=1, le=1000, description="mean packets lost in a row; none: each is lost by itself"
    )
    packet_ms: int = Field(20, ge=5, le=200, description="length of a packet in milliseconds")
    conceal: Concealment = Field("silence", description="what is heard instead: silence, or repetition")

    @model_validator(mode="after")
    def _bursts_long_enough(self) -> Degradation:
        if self.burst is not None and self.loss > self.burst / (1 + self.burst):
            least = self.loss / (1 - self.loss)
            raise mistake(f"{self.loss} cannot be lost in bursts of {self.burst:g}", f"burst: {least:.2f}")
        return self

    @property
    def nothing(self) -> bool:
        """True if the sound stays unchanged."""
        return self.snr_db is None and not self.telephone and self.loss == 0

    @property
    def name(self) -> str:
        """Name of this condition: `babble 10 dB, telephone, loss 0.05`."""
        parts: list[str] = [] if self.snr_db is None else [f"{self.noise} {self.snr_db:g} dB"]
        parts += ["telephone"] if self.telephone else []
        if self.loss:
            in_bursts = "" if self.burst is None else f" in bursts of {self.burst:g}"
            parts.append(f"loss {self.loss:g}{in_bursts}, {self.conceal}")
        return ", ".join(parts) or "clean"


@dataclass(frozen=True, slots=True, eq=False)
class Damaged:
    """A damaged sound, and what became of its packets; none were counted where none could be lost."""

    sound: Sound
    lost: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))

    def facts(self) -> dict[str, int]:
        """Number of packets, and number of lost ones."""
        return {"packets": len(self.lost), "packets_lost": int(self.lost.sum())}


def damaged(sound: Sound, damage: Degradation, seed: int | str) -> Damaged:
    """A sound after its damage; the duration stays, but for less than a sample where the rate changes.

    Empty   no samples: none
    """
    rng = np.random.default_rng(Random(f"damage:{seed}").getrandbits(128))
    if damage.snr_db is not None:
        sound = with_noise(sound, damage.snr_db, damage.noise, rng)
    if damage.telephone:
        sound = over_telephone(sound)
    if not damage.loss:
        return Damaged(sound)
    size = max(1, round(sound.rate_hz * damage.packet_ms / 1000))
    lost = lost_packets(-(-len(sound.samples) // size), damage.loss, damage.burst, rng)
    return Damaged(concealed(sound, lost, size, damage.conceal), lost)


def with_noise(sound: Sound, snr_db: float, kind: Noise, rng: np.random.Generator) -> Sound:
    """Speech and noise together; where the sum would be clipped, both are made quieter alike.

    Empty   no samples, or silence: as it was, for it has no level to go by
    """
    speech = sound.samples.astype(np.float64)
    level = speech_power(sound)
    if level is None:
        return sound
    noise = noise_of(kind, len(speech), sound.rate_hz, rng)
    noise *= np.sqrt(level / 10 ** (snr_db / 10) / np.mean(noise**2))
    return Sound(_samples(speech + noise), sound.rate_hz)


def speech_power(sound: Sound) -> float | None:
    """Mean square of the samples where somebody speaks; None without any sound.

    Frames of 20 ms count that are at most 30 dB below the loudest, so that pauses do not make speech softer.
    """
    size = max(1, round(sound.rate_hz * FRAME_S))
    values = sound.samples.astype(np.float64) ** 2
    powers = [values[at : at + size].mean() for at in range(0, len(values), size)]
    loudest = max(powers, default=0.0)
    if loudest == 0:
        return None
    return float(np.mean([power for power in powers if power >= loudest / 10 ** (ACTIVE_DB / 10)]))


def over_telephone(sound: Sound) -> Sound:
    """Sound after a telephone of G.711: 300 to 3400 Hz at 8 kHz, through mu-law."""
    narrow = sound.at(TELEPHONE_HZ)
    if not len(narrow.samples):
        return narrow
    filtered = _filtered(narrow.samples.astype(np.float64), band_gains(2 * len(narrow.samples)))
    return Sound(mu_law(_samples(filtered)), TELEPHONE_HZ)


def band_gains(count: int) -> Values:
    """Gains of the telephone's band, at the frequencies of so many samples at 8 kHz."""
    low, high = BAND_HZ
    hertz = np.fft.rfftfreq(count, 1 / TELEPHONE_HZ)
    below = np.clip((hertz - (low - _EDGE_HZ[0])) / _EDGE_HZ[0], 0, 1)
    above = np.clip(((high + _EDGE_HZ[1]) - hertz) / _EDGE_HZ[1], 0, 1)
    return np.minimum(below, above)


def lost_packets(
    count: int, share: float, burst: float | None, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """True for each lost packet; see `losses`."""
    return np.fromiter(islice(losses(share, burst, rng), count), np.bool_, count)


def losses(share: float, burst: float | None, rng: np.random.Generator) -> Iterator[bool]:
    """Loss of each packet, True or False: a chain of two states that begins in its long run.

    burst   mean packets lost in a row; None: each is lost by itself
    Source  Gilbert 1960, Capacity of a burst-noise channel: the state in which everything is lost
    """
    recover = 1 - share if burst is None else 1 / burst
    lose = share if burst is None else recover * share / (1 - share)
    chance = share
    while True:
        bad = bool(rng.random() < chance)
        yield bad
        chance = 1 - recover if bad else lose


def concealed(sound: Sound, lost: NDArray[np.bool_], size: int, how: Concealment) -> Sound:
    """A sound without its lost packets of so many samples: silent there, or the last one again, fading."""
    samples = sound.samples.copy()
    for place in np.flatnonzero(lost):
        start, before = int(place) * size, (int(place) - 1) * size
        gone = samples[start : start + size]
        if how == "silence" or before < 0:
            gone[:] = 0
        else:
            gone[:] = (samples[before : before + len(gone)] * FADING).astype(np.int16)
    return Sound(samples, sound.rate_hz)


def noise_of(kind: Noise, count: int, rate_hz: int, rng: np.random.Generator) -> Values:
    """Noise of this length, at any level."""
    return _white(count, rng) if kind == "white" else _babble(count, rate_hz, rng)


def _white(count: int, rng: np.random.Generator) -> Values:
    return rng.standard_normal(count)


def _babble(count: int, rate_hz: int, rng: np.random.Generator) -> Values:
    """Talkers without words: each noise of speech's long-term spectrum that swells as syllables do.

    Source  the spectrum is flat to 500 Hz and falls by 9 dB an octave above: about the mean of languages
            (Byrne and others 1994)
    """
    hertz = np.fft.rfftfreq(2 * count, 1 / rate_hz)
    spectrum = np.where(hertz < 80, 0.0, np.minimum(1.0, (500 / np.maximum(hertz, 1.0)) ** 1.5))
    slow = (hertz < _SYLLABLES_HZ).astype(np.float64)
    talkers = [
        _filtered(_white(count, rng), spectrum) * np.abs(_filtered(_white(count, rng), slow))
        for _ in range(TALKERS)
    ]
    return np.sum(talkers, axis=0) + 1e-12 * _white(count, rng)


def _filtered(values: Values, gains: Values) -> Values:
    """Filtered by the gains at the frequencies of twice as many samples, so that the end does not wrap."""
    return np.fft.irfft(np.fft.rfft(values, 2 * len(values)) * gains)[: len(values)]


def _samples(values: Values) -> Samples:
    peak = float(np.abs(values).max(initial=0.0))
    return np.rint(values * min(1.0, _LOUDEST / peak) if peak else values).astype(np.int16)


def mu_law(samples: Samples) -> Samples:
    """Through the telephone's eight bits and back."""
    shape: dict[str, Any] = {"format": "RAW", "subtype": "ULAW"}
    coded = BytesIO()
    soundfile.write(coded, samples, TELEPHONE_HZ, **shape)
    coded.seek(0)
    decoded, _ = soundfile.read(coded, dtype="int16", samplerate=TELEPHONE_HZ, channels=1, **shape)
    return np.asarray(decoded, np.int16)
