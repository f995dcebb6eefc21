"""Who listens and speaks in tests of calls."""

import numpy as np

from scenes.voices import voice
from scenes.whispering import LOUD, Hummed, Whispered, register
from vivavoce.audio.files import pcm16
from vivavoce.audio.sound import Sound

SPEECH = Sound(pcm16(voice("Hello, this is a test of speech.", "rms")), 16_000)


class Told(Whispered):
    name = "told"
    words: list[str] = []
    sounds: list[Sound] = []


class Written(Hummed):
    """As a telephone has it: eight thousand samples a second."""

    name = "written"
    texts: list[str] = []
    hum = Sound(np.full(8000, LOUD, np.int16), 8000)


register(Told, Written)
