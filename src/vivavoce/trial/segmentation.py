"""Many commands in one recording: cut by voice activity, corrected by their speaker, stored one by one."""

import asyncio
import io
import wave
from collections.abc import Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Final

from vivavoce.audio.sound import Sound as Samples
from vivavoce.audio.voice_activity import SpeechInterval, speech_intervals
from vivavoce.log.elicitation_events import CommandGiven, CommandsCut, CommandsFinished, LoggedSegment
from vivavoce.log.recording_events import RecordingRemoved, RecordingStored
from vivavoce.log.recordings import RecordedSound, RecordingFolder, folder_of
from vivavoce.log.store import Log
from vivavoce.trial.battles import Move, VisitOf
from vivavoce.trial.command_sound import MARGIN_S, sound_of
from vivavoce.trial.errors import Refused, Stale
from vivavoce.trial.state import VisitState
from vivavoce.trial.visits import Draft, MoveRules, Visit

PAUSE_S: Final = 0.5
SHORTEST_S: Final = 0.1


def proposed(audio: bytes, commands: int) -> list[LoggedSegment]:
    """Where somebody speaks, in at most so many stretches: those with the shortest pauses are joined.

    Empty  nobody speaks: []
    """
    with wave.open(io.BytesIO(audio)) as file:
        samples = Samples.of_pcm(file.readframes(file.getnframes()), file.getframerate())
    found: list[SpeechInterval] = speech_intervals(samples, pause_s=PAUSE_S)
    while len(found) > commands:
        pauses = [later.onset_s - earlier.offset_s for earlier, later in pairwise(found)]
        place = pauses.index(min(pauses))
        found[place : place + 2] = [SpeechInterval(found[place].onset_s, found[place + 1].offset_s)]
    return [LoggedSegment(onset_s=round(one.onset_s, 3), offset_s=round(one.offset_s, 3)) for one in found]


def cut_out(audio: bytes, segment: LoggedSegment) -> bytes:
    """A stretch of a WAV file as a file of its own, to the frame."""
    into = io.BytesIO()
    with wave.open(io.BytesIO(audio)) as file, wave.open(into, "wb") as piece:
        rate = file.getframerate()
        begin, end = round(segment.onset_s * rate), round(segment.offset_s * rate)
        piece.setparams(file.getparams())
        file.setpos(min(begin, file.getnframes()))
        piece.writeframes(file.readframes(max(0, end - begin)))
    return into.getvalue()


class Cutting:
    """The moves of a step `elicit` in which all commands are recorded at once."""

    def __init__(self, visit_of: VisitOf, move: Move, rules: MoveRules, log: Log) -> None:
        self._visit_of, self._move, self.rules, self.log = visit_of, move, rules, log

    async def record(self, visit_id: str, *, step: int, key: str, audio: bytes) -> int:
        """Store the recording of all commands, and where it would be cut; its seq. Replaces an earlier one.

        Raises  Stale: no such recording is wanted now; Refused: `bad_audio`, `empty`, `too_long`
        """
        visit = await self._visit_of(visit_id)
        async with visit.lock:
            if (seq := seq_of(visit, key)) is not None:
                return seq
            state = visit.state
            _expect(state, step)
            sound = sound_of(audio)
            if sound.duration_s > state.elicit_step.seconds + MARGIN_S:
                raise Refused("too_long", f"{sound.duration_s:.1f} of {state.elicit_step.seconds} s")
            segments = await asyncio.to_thread(proposed, audio, len(state.stimuli))
            recording = await self._kept(visit, key, audio, sound, "commands", None)
            before = state.cut.recording_id if state.cut is not None else None

            def write(draft: Draft) -> None:
                draft.add(recording)
                cut = CommandsCut(step=step, recording_id=recording.recording_id, proposed=segments)
                draft.add(cut, client_key=key)
                if before in draft.state.recordings:
                    draft.add(RecordingRemoved(recording_id=before, reason="redone"))

            await self._move(visit, write)
            return seq_of(visit, key) or visit.state.seq

    async def divide(
        self, visit_id: str, *, step: int, recording_id: str, segments: Sequence[LoggedSegment | None]
    ) -> None:
        """Cut the recording into commands, one a stimulus; None where nothing was said. Ends the step.

        Raises  Stale: another recording is to be cut; Refused: `bad_cut`
        """
        visit = await self._visit_of(visit_id)
        async with visit.lock:
            state = visit.state
            _expect(state, step)
            if state.cut is None or state.cut.recording_id != recording_id:
                raise Stale("another recording is to be cut")
            audio = await asyncio.to_thread(self._audio, state.recordings[recording_id])
            _check(segments, len(state.stimuli), sound_of(audio).duration_s)
            since = max(0.0, (self.rules.clock.now() - state.eliciting[-1].at).total_seconds())
            given: list[tuple[RecordingStored, CommandGiven]] = []
            for position, segment in enumerate(segments):
                if segment is None:
                    continue
                piece = cut_out(audio, segment)
                key = f"{recording_id} {position} {segment.onset_s} {segment.offset_s}"
                kept = await self._kept(visit, key, piece, sound_of(piece), "command", position)
                given.append((kept, CommandGiven(
                    step=step, position=position, stimulus=state.stimuli[position], by="speech",
                    language=state.language, recording_id=kept.recording_id, response_s=since,
                    cut_from=recording_id, onset_s=segment.onset_s, offset_s=segment.offset_s,
                )))  # fmt: skip

            def write(draft: Draft) -> None:
                for kept, command in given:
                    draft.add(kept)
                    draft.add(command)
                if draft.state.position < len(draft.state.stimuli):
                    draft.add(CommandsFinished(step=step))

            await self._move(visit, write)

    def _audio(self, name: str) -> bytes:
        return folder_of(self.log).file(name).read_bytes()

    async def _kept(
        self, visit: Visit, key: str, audio: bytes, sound: RecordedSound, content: str, position: int | None
    ) -> RecordingStored:
        recording_id = "recording-" + sha256(f"{visit.state.visit_id} {key}".encode()).hexdigest()[:16]
        folder: RecordingFolder = folder_of(self.log)
        kept = await asyncio.to_thread(folder.keep, recording_id, audio, sound.media_type)
        return kept.event(
            recording_id, sound, "commands" if content == "commands" else "command", ["user"],
            step=visit.state.step, position=position,
            microphone_distance_m=visit.state.elicit_step.microphone_distance_m,
        )  # fmt: skip


def seq_of(visit: Visit, key: str) -> int | None:
    """The event that a request with this key has already written."""
    return next((stored.seq for stored in visit.events if stored.client_key == key), None)


def _expect(state: VisitState, step: int) -> None:
    wanted = state.phase == "elicit" and state.step == step and state.elicit_step.at_once
    if not wanted or state.position:
        raise Stale("no recording of all commands is wanted")


def _check(segments: Sequence[LoggedSegment | None], stimuli: int, duration_s: float) -> None:
    there = [one for one in segments if one is not None]
    if len(segments) != stimuli or not there:
        raise Refused("bad_cut", f"{len(there)} commands in {len(segments)} places for {stimuli} stimuli")
    for one in there:
        if not 0 <= one.onset_s <= one.offset_s - SHORTEST_S or one.offset_s > duration_s + 0.001:
            raise Refused("bad_cut", f"{one.onset_s} to {one.offset_s} of {duration_s} s")
