"""A recogniser and a synthesiser that do as a test says, and how fast calls in tests go.

They stand here and not in a test, because a registry knows each name once and a test file may be read twice.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from scenes.voices import voice
from vivavoce.audio.files import pcm16
from vivavoce.audio.recognition import RECOGNISERS, Hypothesis, RecogniserSettings
from vivavoce.audio.sound import Sound
from vivavoce.audio.synthesis import SYNTHESISERS, SynthesiserSettings

FAST_S = 0.001  # a beat of 20 ms passes in so long
SPEECH = Sound(pcm16(voice("Hello, this is a test of speech.", "rms")), 16_000)


class Told:
    """A recogniser that hears what the test has whispered to it."""

    name, summary, settings = "told", "for tests", RecogniserSettings
    words: list[str] = []
    sounds: list[Sound] = []

    @classmethod
    def make(cls, settings: Any, secrets: Mapping[str, str]) -> "Told":
        return cls()

    async def recognise(self, sound: Sound, *, language: str) -> tuple[Hypothesis, ...]:
        text = Told.words.pop(0)
        Told.sounds.append(sound)
        return (Hypothesis(text, 0.8), Hypothesis(f"{text} please", 0.2)) if text else ()

    async def close(self) -> None: ...


class Written:
    """A synthesiser whose sound is short, and that keeps what it was to say."""

    name, summary, settings = "written", "for tests", SynthesiserSettings
    texts: list[str] = []

    @classmethod
    def make(cls, settings: Any, secrets: Mapping[str, str]) -> "Written":
        return cls()

    async def speak(self, text: str, *, language: str) -> Sound:
        Written.texts.append(text)
        return Sound(np.full(8000, 50, np.int16), 8000)

    async def close(self) -> None: ...


RECOGNISERS.add(Told.name, Told)  # type: ignore[arg-type]
SYNTHESISERS.add(Written.name, Written)  # type: ignore[arg-type]
