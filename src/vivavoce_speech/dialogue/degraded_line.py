"""The way from one party's mouth to the other's ear, where the study damages it.

What a participant says is damaged by a draw from the dialogue and the clean sound itself, what a system says
by one from the dialogue and the turn's number: the same recording of the same dialogue can be damaged again,
and sounds as it was heard.
"""

import asyncio
from typing import Any

from vivavoce.audio.degradation import Degradation, damaged
from vivavoce.audio.recognition import Hypothesis, Recogniser
from vivavoce.audio.sound import Sound
from vivavoce.log.history import DialogueHistory
from vivavoce.log.playback_events import SoundDamaged
from vivavoce.study.model import Study
from vivavoce.trial.system_audio import damage_of, degraded
from vivavoce_speech.dialogue.degradation_stream import DamageStream


def damages(study: Study, dialogue: DialogueHistory) -> bool:
    """True if a participant's speech is degraded in this dialogue."""
    return damage_of(study, dialogue) is not None


def ears(recogniser: Recogniser, study: Study, dialogue: DialogueHistory | None) -> Recogniser:
    """The recogniser as it listens in this dialogue."""
    damage = damage_of(study, dialogue)
    if damage is None or dialogue is None:
        return recogniser
    return DamagedEars(recogniser, damage, dialogue.dialogue_id)


class DamagedEars:
    """A recogniser that hears everything after its damage."""

    def __init__(self, recogniser: Recogniser, damage: Degradation, dialogue_id: str) -> None:
        self._recogniser, self._damage, self._dialogue_id = recogniser, damage, dialogue_id

    async def recognise(self, sound: Sound, *, language: str) -> tuple[Hypothesis, ...]:
        degraded_sound = await asyncio.to_thread(degraded, sound, self._damage, self._dialogue_id)
        return await self._recogniser.recognise(degraded_sound, language=language)

    async def close(self) -> None:
        """Close nothing: the recogniser belongs to another object."""


class Answers:
    """Degradation of the system's speech for the participant; the platform's own words stay clean."""

    def __init__(self, damage: Degradation | None, dialogue_id: str) -> None:
        self.damage, self._dialogue_id = damage, dialogue_id

    async def heard(self, sound: Sound, turn_index: int) -> tuple[Sound, SoundDamaged | None]:
        """A whole turn as it is heard, and what the log says of that; None where it stays clean."""
        if self.damage is None:
            return sound, None
        seed = self._drawn(turn_index)
        degradation = await asyncio.to_thread(damaged, sound, self.damage, seed)
        return degradation.sound, self._event(turn_index, **degradation.facts())

    def stream(self, turn_index: int, rate_hz: int) -> DamageStream | None:
        """For a turn that is heard while it comes; None where it stays clean."""
        return DamageStream(self.damage, rate_hz, self._drawn(turn_index)) if self.damage else None

    def streamed(self, turn_index: int, stream: DamageStream) -> SoundDamaged:
        """Log event of a turn that was heard while it streamed."""
        return self._event(turn_index, streamed=True, **stream.facts())

    def _drawn(self, turn_index: int) -> str:
        return f"{self._dialogue_id}:answer:{turn_index}"

    def _event(self, turn_index: int, **facts: Any) -> SoundDamaged:
        settings = self.damage.model_dump(exclude_defaults=True) if self.damage else {}
        return SoundDamaged(
            dialogue_id=self._dialogue_id,
            turn_index=turn_index,
            damage=settings,
            drawn=self._drawn(turn_index),
            **facts,
        )


def answers(study: Study, dialogue: DialogueHistory) -> Answers:
    """Degradation of this dialogue's system speech."""
    plan = study.degradation
    damage = plan.of_answers(study.factors.get(dialogue.system, {})) if plan is not None else None
    return Answers(damage, dialogue.dialogue_id)
