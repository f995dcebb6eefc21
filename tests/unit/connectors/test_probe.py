"""A hello tells of a system whether it was spoken or written to, and whether it streams."""

import asyncio

import numpy as np

from scenes.visits import Parrot
from vivavoce.audio.sound import Sound
from vivavoce.connectors.probe import hello


async def speak(text: str) -> Sound:
    return Sound(np.zeros(1600, np.int16), 16_000)


def test_only_a_system_that_takes_sound_is_told_to_listen() -> None:
    written = asyncio.run(hello(Parrot(), speak=speak))
    assert (written.ok, written.listens, written.streams) == (True, False, True)
    spoken = Parrot(audio=True)
    assert asyncio.run(hello(spoken, speak=speak)).listens
    assert spoken.sent[0].text == "" and spoken.sent[0].audio is not None
    assert not asyncio.run(hello(Parrot(audio=True))).listens  # nobody can speak, and it takes writing, too


def test_a_system_that_only_hears_cannot_be_asked_where_nobody_speaks() -> None:
    told = asyncio.run(hello(Parrot(audio=True, writing=False)))
    assert (told.ok, told.reachable, told.listens) == (False, False, False)
    assert "it only hears, and nobody here can speak to it" in str(told.problem)
