"""Replays by voice: every user turn is synthesised, damaged where that is asked for, and recognised.

The system under test gets the hypotheses, best first; one that listens by itself gets the sound.
"""

import asyncio
import os
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import ConfigDict, Field

from vivavoce.audio.degradation import Damaged, Degradation, damaged
from vivavoce.audio.recognition import Hypothesis, Recogniser
from vivavoce.audio.sound import Sound
from vivavoce.audio.speech import make_recogniser, make_synthesiser
from vivavoce.audio.synthesis import Synthesiser
from vivavoce.connectors.base import Audio, Heard, UserTurn
from vivavoce.core.secrets import hide_secrets
from vivavoce.core.validation import load_model
from vivavoce.study.model import Study
from vivavoce.study.renamed_keys import RENAMED_KEYS
from vivavoce.study.voice import Speaking, Voice
from vivavoce_stress.replay import SaidTurn, ToSay

TRIES: Final = 2
_KEPT: Final = 500


class Speech(Speaking):
    """How replays are spoken."""

    model_config = ConfigDict(populate_by_name=True)  # stored runs have `damage`

    damage: Degradation = Field(
        Degradation.model_validate({}),
        alias="degradation",
        description="noise, telephone band and packet loss",
    )

    def facts(self) -> dict[str, Any]:
        """Facts to store with a run, without secrets."""
        return hide_secrets(self.model_dump(mode="json"))


def speech_of(study: Study) -> Speech:
    """As the study's dialogues by voice are held, without damage."""
    voice = study.voice or Voice.model_validate({})
    return Speech.model_validate({name: getattr(voice, name) for name in Speaking.model_fields})


def read_speech_file(path: Path) -> Speech:
    """A file with `recogniser`, `synthesiser` and `degradation`.

    Raises  InputError: names the first thing that is wrong, with its line
    """
    return load_model(path, Speech, empty={}, renamed=RENAMED_KEYS)


class SpokenChannel:
    """Says turns by voice. Recognisers and synthesisers are made at once, so that mistakes show at once.

    Raises  InputError: names the wrong setting, or what to install
    """

    def __init__(self, speech: Speech, languages: Sequence[str], folder: Path) -> None:
        self._damage = speech.damage
        self._listeners: dict[str, Recogniser] = {}
        self._speakers: dict[str, Synthesiser] = {}
        for language in dict.fromkeys(languages):
            short = language.split("-")[0]
            self._listeners[language] = make_recogniser(
                speech.recognisers.get(language, speech.listener(short)),
                folder=folder,
                place=f"speech recogniser for {language}",
            )
            self._speakers[language] = make_synthesiser(
                speech.synthesisers.get(language, speech.speaker(short)),
                folder=folder,
                place=f"speech synthesiser for {language}",
            )
        self._spoken: OrderedDict[tuple[str, str], Sound] = OrderedDict()
        self._free = asyncio.Semaphore(os.cpu_count() or 1)

    async def say(self, one: ToSay) -> SaidTurn:
        """A turn by voice. What nobody understood is said once more, where its damage changes by chance.

        Raises  SynthesisError, RecognitionError: a program failed, or does not know the language
        """
        sound = await self._speak(one.text, one.language)
        capabilities = one.connector.capabilities
        if capabilities.audio:
            damaged_sound = await asyncio.to_thread(damaged, sound, self._damage, one.place)
            rate_hz = capabilities.audio_rate_hz
            audio = Audio(damaged_sound.sound.at(rate_hz).pcm, rate_hz)
            turn = UserTurn(key=one.key, number=one.number, text=one.text, audio=audio)
            return SaidTurn(turn, {"heard": None, "speech": _facts(damaged_sound, 1)})
        damaged_sound, hypotheses, tries = Damaged(sound), (), 0
        while not hypotheses and tries < (TRIES if self._by_chance else 1):
            tries += 1
            place = one.place if tries == 1 else f"{one.place}:{tries}"
            damaged_sound = await asyncio.to_thread(damaged, sound, self._damage, place)
            hypotheses = await self._recognise(damaged_sound.sound, one.language)
        facts = {
            "heard": [{"text": hypothesis.text, "score": hypothesis.confidence} for hypothesis in hypotheses],
            "speech": _facts(damaged_sound, tries),
        }
        if not hypotheses:
            return SaidTurn(None, facts)
        heard_texts = tuple(Heard(hypothesis.text, hypothesis.confidence) for hypothesis in hypotheses)
        return SaidTurn(
            UserTurn(key=one.key, number=one.number, text=heard_texts[0].text, heard=heard_texts), facts
        )

    async def close(self) -> None:
        """Free what is held."""
        for resource in (*self._listeners.values(), *self._speakers.values()):
            await resource.close()

    @property
    def _by_chance(self) -> bool:
        return self._damage.snr_db is not None or self._damage.loss > 0

    async def _speak(self, text: str, language: str) -> Sound:
        key = text, language
        if key in self._spoken:
            return self._spoken[key]
        async with self._free:
            sound = await self._speakers[language].speak(text, language=language)
        self._spoken[key] = sound
        while len(self._spoken) > _KEPT:
            self._spoken.popitem(last=False)
        return sound

    async def _recognise(self, sound: Sound, language: str) -> tuple[Hypothesis, ...]:
        async with self._free:
            hypotheses = await self._listeners[language].recognise(sound, language=language)
        return tuple(hypothesis for hypothesis in hypotheses if hypothesis.text.strip())


def _facts(made: Damaged, tries: int) -> dict[str, Any]:
    """Seconds spoken, packets and those lost, and how often it was said."""
    return {"duration_s": round(made.sound.duration_s, 3), "tries": tries, **made.facts()}
