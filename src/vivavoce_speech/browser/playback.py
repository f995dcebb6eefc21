"""Playback of system turns in the browser: sounds offered, and times at which they are played."""

import asyncio
from hashlib import sha256
from typing import Final

from vivavoce.audio.files import encode_sound, probe_sound, read_sound
from vivavoce.log.event import Event
from vivavoce.log.events import SystemTurnReceived
from vivavoce.log.history import DialogueHistory, Turn
from vivavoce.log.playback_events import SoundDamaged, SoundOffered, SoundPlayed
from vivavoce.log.recordings import KeptFile, RecordedSound, folder_of
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.state import VisitState
from vivavoce.trial.visits import Draft
from vivavoce_speech.dialogue.degraded_line import answers

PLAYED_AT_MOST: Final = 20  # times that one turn is noted; who hears it more often is not noted any more


class Playback:
    """Notes the sound of system turns, that a dialogue in turns can be heard as a whole afterwards."""

    def __init__(self, engine: SessionEngine) -> None:
        self._engine, self._relay = engine, engine.relay

    async def clock_s(self, visit_id: str, dialogue_id: str) -> float | None:
        """Seconds since a dialogue was opened; None where it was not, or is none of this visit."""
        state = (await self._engine.visit(visit_id)).state
        times = [
            dialogue
            for dialogue in state.dialogues
            if dialogue.dialogue_id == dialogue_id and dialogue.opened is not None
        ]
        return round(self._relay.elapsed_s(times[0]), 4) if times else None

    async def heard(self, visit_id: str, seq: int, audio: bytes) -> tuple[bytes, SoundDamaged | None]:
        """A system's turn as the participant hears it, and what the log says of that where it is damaged."""
        turn_place = _found((await self._engine.visit(visit_id)).state, seq)
        line = answers(self._engine.study, turn_place[0]) if turn_place is not None else None
        if turn_place is None or line is None or line.damage is None:
            return audio, None
        clean = await asyncio.to_thread(read_sound, audio)
        sound, damaged = await line.heard(clean, turn_place[1].turn_index)
        return await asyncio.to_thread(encode_sound, sound), damaged

    async def offer(
        self, visit_id: str, seq: int, spoken: bytes | None, damaged: SoundDamaged | None = None
    ) -> None:
        """Note that a page got the sound of a system's turn; once, and in the dialogue that goes on only.

        spoken  the WAV file that was spoken for a system that writes: it is kept; None: the system's own
        Raises  LogError: nothing can be logged; InputError: no folder, or a key that is none; Stale
        """
        visit, mark = await self._engine.visit(visit_id), f"offered-{seq}"
        async with visit.lock:
            turn_place = _found(visit.state, seq)
            if turn_place is None or visit.state.with_key(mark) is not None:
                return
            dialogue, turn, event = turn_place
            at_s = round(self._relay.elapsed_s(dialogue), 3)
            events: list[Event] = []
            recording_id = event.sound
            if spoken is not None:
                recording_id = "recording-" + sha256(f"{visit_id} offered {seq}".encode()).hexdigest()[:16]
                stored = await asyncio.to_thread(
                    folder_of(self._engine.log).keep, recording_id, spoken, "audio/wav"
                )
                events.append(_stored(stored, recording_id, spoken, dialogue, turn.turn_index))
            if recording_id is None:
                return
            offered = SoundOffered(
                dialogue_id=dialogue.dialogue_id,
                turn_index=turn.turn_index,
                recording_id=recording_id,
                at_s=at_s,
            )

            def write(draft: Draft) -> None:
                for event in (*events, *([damaged] if damaged else [])):
                    draft.add(event)
                draft.add(offered, client_key=mark)

            await self._engine.move(visit, write)

    async def played(
        self,
        visit_id: str,
        *,
        dialogue_id: str,
        seq: int,
        started_s: float,
        played_s: float,
        again: bool = False,
    ) -> None:
        """Note when a page has played a system's turn. What cannot be, by our clock, is set right.

        Raises  LookupError: no such turn in a dialogue of this visit
        """
        visit = await self._engine.visit(visit_id)
        async with visit.lock:
            turn_place = _found(visit.state, seq)
            if turn_place is None or turn_place[0].dialogue_id != dialogue_id:
                raise LookupError(f"system turn {seq} not found")
            dialogue, turn, _ = turn_place
            before = [sound for sound in dialogue.of(SoundPlayed) if sound.turn_index == turn.turn_index]
            latest_s = max(0.0, self._relay.elapsed_s(dialogue) - played_s)
            event = SoundPlayed(
                dialogue_id=dialogue_id,
                turn_index=turn.turn_index,
                played_s=round(played_s, 3),
                started_s=round(min(started_s, latest_s), 3),
                again=again,
            )
            if event in before or len(before) >= PLAYED_AT_MOST or visit.state.outcome == "withdrew":
                return
            await self._engine.move(visit, lambda draft: draft.add(event))


def _found(state: VisitState, seq: int) -> tuple[DialogueHistory, Turn, SystemTurnReceived] | None:
    for dialogue in reversed(state.dialogues):
        for turn in dialogue.turns:
            if turn.stored.seq == seq and isinstance(turn.event, SystemTurnReceived):
                return dialogue, turn, turn.event
    return None


def _stored(
    file: KeptFile, recording_id: str, spoken: bytes, dialogue: DialogueHistory, turn_index: int
) -> Event:
    facts = probe_sound(spoken)
    sound = RecordedSound("audio/wav", facts.channels, facts.rate_hz, facts.frames)
    return file.event(
        recording_id,
        sound,
        "turn",
        ["system"],
        step=dialogue.step,
        dialogue_id=dialogue.dialogue_id,
        turn_index=turn_index,
    )
