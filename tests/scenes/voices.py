"""Two parties who speak at known times: synthetic voices, or shaped noise, one channel a party."""

import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vivavoce.audio.files import Tracks, pcm16, read_sound

RATE = 16000
SYSTEM_SAYS = (
    "Hello, which part of town do you have in mind?",
    "What kind of food would you like?",
    "Sorry, I did not understand that.",
    "The phone number is four seven one two.",
    "Thank you, good bye.",
)
USER_SAYS = (
    "I want a cheap restaurant in the north.",
    "Chinese food, please.",
    "Could you give me the phone number?",
    "No, something else.",
    "Thank you, bye.",
)


@dataclass(frozen=True)
class Spoken:
    """What one party says, and from when to when."""

    party: Literal["system", "user"]
    onset_s: float
    offset_s: float


@cache
def voice(text: str, name: str = "slt") -> NDArray[np.float64]:
    """A sentence spoken by flite, cut to where it sounds, values from -1 to 1 at 16 kHz."""
    with TemporaryDirectory(prefix="vivavoce-voice-") as folder:
        path = Path(folder) / "said.wav"
        subprocess.run(["flite", "-voice", name, "-t", text, "-o", str(path)], check=True, timeout=120)
        sound = read_sound(path)
    assert sound.rate_hz == RATE, f"flite's voice {name} has {sound.rate_hz} Hz"
    values = sound.samples / 32768
    loud = np.flatnonzero(np.convolve(values**2, np.ones(160) / 160, "same") > 1e-4 * np.max(values**2) / 4)
    cut = values[loud[0] : loud[-1] + 1]
    return 0.5 * cut / np.max(np.abs(cut))


def babble(seconds: float, seed: int) -> NDArray[np.float64]:
    """Noise with the rhythm and the band of speech; no word in it."""
    random = np.random.default_rng(seed)
    count = round(seconds * RATE)
    spectrum = np.fft.rfft(random.normal(size=count))
    hertz = np.fft.rfftfreq(count, 1 / RATE)
    spectrum *= (hertz > 200) / (1 + (hertz / 800) ** 2)
    band = np.fft.irfft(spectrum, count)
    rhythm = 0.6 + 0.4 * np.cos(2 * np.pi * 4 * np.arange(count) / RATE)
    return 0.5 * band * rhythm / np.max(np.abs(band))


def with_noise(sound: Tracks, decibels: float, seed: int = 5) -> Tracks:
    """White noise on every channel, so many decibels below the speech in it."""
    random = np.random.default_rng(seed)
    values = sound.samples / 32768
    speech = np.mean(values[np.abs(values).max(axis=1) > 0.01] ** 2)
    noise = random.normal(size=values.shape) * np.sqrt(speech / 10 ** (decibels / 10))
    return Tracks(pcm16(values + noise), sound.rate_hz)


def conversation(gaps_s: list[float]) -> tuple[Tracks, list[Spoken]]:
    """System and user in turn, each so long after the other's end; a negative gap overlaps.

    Output  channel 0 the system, channel 1 the user; what they said, in the order of onsets
    """
    clips = [
        (("system", "slt", SYSTEM_SAYS), ("user", "rms", USER_SAYS))[number % 2]
        for number in range(len(gaps_s))
    ]
    at, spoken, placed = 0.0, [], []
    for number, ((party, name, texts), gap) in enumerate(zip(clips, gaps_s, strict=True)):
        said = voice(texts[number // 2 % len(texts)], name)
        onset = at + gap
        at = onset + len(said) / RATE
        spoken.append(Spoken(party, onset, at))  # type: ignore[arg-type]
        placed.append(said)
    length = round((max(one.offset_s for one in spoken) + 1.0) * RATE)
    channels = np.zeros((length, 2))
    for one, said in zip(spoken, placed, strict=True):
        start = round(one.onset_s * RATE)
        channels[start : start + len(said), 0 if one.party == "system" else 1] = said
    return Tracks(pcm16(channels), RATE), spoken
