"""Who listens and speaks in tests of spoken dialogues: what is heard was whispered, what is said hummed."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from vivavoce.audio.recognition import RECOGNISERS, Hypothesis, RecogniserSettings
from vivavoce.audio.sound import Sound
from vivavoce.audio.synthesis import SYNTHESISERS, SynthesiserSettings

LOUD: Final = 50


class Whispered:
    """A recogniser that hears what the test has whispered to it, and keeps the sound."""

    name, summary, settings = "whispered", "for tests", RecogniserSettings
    words: list[str] = []
    sounds: list[Sound] = []

    @classmethod
    def make(cls, settings: Any, secrets: Mapping[str, str]) -> "Whispered":
        return cls()

    async def recognise(self, sound: Sound, *, language: str) -> tuple[Hypothesis, ...]:
        text = self.words.pop(0)
        self.sounds.append(sound)
        return (Hypothesis(text, 0.8), Hypothesis(f"{text} please", 0.2)) if text else ()

    async def close(self) -> None: ...


class Hummed:
    """A synthesiser whose sound is one loud second, and that keeps what it was to say."""

    name, summary, settings = "hummed", "for tests", SynthesiserSettings
    texts: list[str] = []
    hum = Sound(np.full(16_000, LOUD, np.int16), 16_000)

    @classmethod
    def make(cls, settings: Any, secrets: Mapping[str, str]) -> "Hummed":
        return cls()

    async def speak(self, text: str, *, language: str) -> Sound:
        self.texts.append(text)
        return self.hum

    async def close(self) -> None: ...


def register(recogniser: type[Whispered], synthesiser: type[Hummed]) -> None:
    """Once: a registry knows each name once, and a file of tests may be read twice."""
    for registry, kind in ((RECOGNISERS, recogniser), (SYNTHESISERS, synthesiser)):
        if kind.name not in registry:
            registry.add(kind.name, kind)  # type: ignore[arg-type]


register(Whispered, Hummed)
