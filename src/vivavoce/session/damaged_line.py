"""The way from a participant's mouth to a system's ear, where the study damages it.

The damage is drawn from the dialogue and the clean sound itself: the same recording of the same dialogue can
be damaged again, and sounds as the system heard it.
"""

import asyncio
from hashlib import sha256

from vivavoce.audio.damage import Damage, damaged
from vivavoce.audio.recognition import Hypothesis, Recogniser
from vivavoce.audio.sound import Sound
from vivavoce.session.dialogue_state import DialogueState
from vivavoce.study.model import Study


def as_heard(sound: Sound, study: Study, dialogue: DialogueState | None) -> Sound:
    """A participant's speech as the dialogue's system hears it; as it was where nothing happens to it."""
    damage = _damage(study, dialogue)
    return sound if damage is None or dialogue is None else _damaged(sound, damage, dialogue.dialogue_id)


def ears(recogniser: Recogniser, study: Study, dialogue: DialogueState | None) -> Recogniser:
    """The recogniser as it listens in this dialogue."""
    damage = _damage(study, dialogue)
    if damage is None or dialogue is None:
        return recogniser
    return DamagedEars(recogniser, damage, dialogue.dialogue_id)


class DamagedEars:
    """A recogniser that hears everything after its damage."""

    def __init__(self, recogniser: Recogniser, damage: Damage, dialogue_id: str) -> None:
        self._recogniser, self._damage, self._dialogue_id = recogniser, damage, dialogue_id

    async def recognise(self, sound: Sound, *, language: str) -> tuple[Hypothesis, ...]:
        heard = await asyncio.to_thread(_damaged, sound, self._damage, self._dialogue_id)
        return await self._recogniser.recognise(heard, language=language)

    async def close(self) -> None:
        """Nothing is held: the recogniser is somebody else's."""


def _damage(study: Study, dialogue: DialogueState | None) -> Damage | None:
    if study.damage is None or dialogue is None:
        return None
    return study.damage.of(study.factors.get(dialogue.system, {}))


def _damaged(sound: Sound, damage: Damage, dialogue_id: str) -> Sound:
    drawn = f"{dialogue_id}:{sound.rate_hz}:{sha256(sound.pcm).hexdigest()}"
    return damaged(sound, damage, drawn).sound
