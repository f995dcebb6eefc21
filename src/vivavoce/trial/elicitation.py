"""Commands to a robot, one for each stimulus: typed, or spoken and stored as recordings.

As everywhere in a session: a repeated request changes nothing, one of an earlier page raises `Stale`, and
whatever a method has returned is on disk, its recording included.
"""

import asyncio
from datetime import datetime
from hashlib import sha256
from typing import Final

from vivavoce.log.elicitation_events import CommandGiven
from vivavoce.log.recording_events import RecordingRemoved, RecordingStored
from vivavoce.log.recordings import folder_of
from vivavoce.log.store import Log
from vivavoce.trial.battles import Move, VisitOf
from vivavoce.trial.command_sound import MARGIN_S, sound_of
from vivavoce.trial.errors import Refused, Stale
from vivavoce.trial.segmentation import Cutting, seq_of
from vivavoce.trial.state import VisitState
from vivavoce.trial.visits import Draft, MoveRules

LONGEST_COMMAND: Final = 500
MOST_TAKES: Final = 1000


class ElicitationMoves:
    """The moves of the step `elicit`, on the visits of a session engine."""

    def __init__(self, visit_of: VisitOf, move: Move, rules: MoveRules, log: Log) -> None:
        self._visit_of, self._move, self.rules, self.log = visit_of, move, rules, log
        self.cutting = Cutting(visit_of, move, rules, log)

    async def type(self, visit_id: str, *, step: int, position: int, key: str, text: str) -> int:
        """Store a typed command; its seq. The same key again writes nothing.

        Raises  Stale: the stimulus is not to be commanded now; Refused: `empty`, `too_long`
        """
        words = " ".join(text.split())
        visit = await self._visit_of(visit_id)
        async with visit.lock:
            if (seq := seq_of(visit, key)) is not None:
                return seq
            _expect(visit.state, step, position)
            if not words:
                raise Refused("empty")
            if len(words) > LONGEST_COMMAND:
                raise Refused("too_long", f"{len(words)} of {LONGEST_COMMAND} characters")
            event = _given(visit.state, position, self.rules.clock.now(), text=words)
            await self._move(visit, lambda draft: _write(draft, event, None, key))
            return seq_of(visit, key) or visit.state.seq

    async def speak(
        self, visit_id: str, *, step: int, position: int, key: str, audio: bytes, takes: int = 1
    ) -> int:
        """Store a spoken command with its recording; its seq. The same key again writes nothing.

        audio   a WAV file; takes: how often it was recorded
        Raises  Stale: the stimulus is not to be commanded now
                Refused: `bad_audio`, `empty`, or `too_long` for what the study allows
        """
        visit = await self._visit_of(visit_id)
        async with visit.lock:
            if (seq := seq_of(visit, key)) is not None:
                return seq
            state = visit.state
            _expect(state, step, position)
            sound = sound_of(audio)
            if sound.duration_s > state.elicit_step.seconds + MARGIN_S:
                raise Refused("too_long", f"{sound.duration_s:.1f} of {state.elicit_step.seconds} s")
            recording_id = "recording-" + sha256(f"{visit_id} {key}".encode()).hexdigest()[:16]
            folder = folder_of(self.log)
            kept = await asyncio.to_thread(folder.keep, recording_id, audio, sound.media_type)
            recording = kept.event(
                recording_id, sound, "command", ["user"], step=step, position=position,
                microphone_distance_m=state.elicit_step.microphone_distance_m,
            )  # fmt: skip
            event = _given(state, position, self.rules.clock.now(), recording_id=recording_id, takes=takes)
            await self._move(visit, lambda draft: _write(draft, event, recording, key))
            return seq_of(visit, key) or visit.state.seq


def _expect(state: VisitState, step: int, position: int) -> None:
    """The stimulus is the one that is due, or the one just before it where that may be done again."""
    again = state.phase == "elicit" and state.elicit_step.redo and position == state.position - 1 >= 0
    if (state.phase, state.step) != ("elicit", step) or not (position == state.position or again):
        raise Stale(f"stimulus {position} is not to be commanded")


def _given(
    state: VisitState, position: int, now: datetime, *, text: str | None = None,
    recording_id: str | None = None, takes: int = 1,
) -> CommandGiven:  # fmt: skip
    since = max(0.0, (now - state.eliciting[-1].at).total_seconds())
    return CommandGiven(
        step=state.step, position=position, stimulus=state.stimuli[position], text=text,
        by="text" if recording_id is None else "speech", language=state.language, response_s=since,
        recording_id=recording_id, takes=max(1, min(takes, MOST_TAKES)),
    )  # fmt: skip


def _write(draft: Draft, event: CommandGiven, recording: RecordingStored | None, key: str) -> None:
    """The recording first, then the command; a recording that it replaces is removed."""
    before = draft.state.commands.get(event.position)
    if recording is not None:
        draft.add(recording)
    draft.add(event, client_key=key)
    if before is not None and before.recording_id in draft.state.recordings:
        draft.add(RecordingRemoved(recording_id=before.recording_id, reason="redone"))
