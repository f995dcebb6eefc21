"""Participants' input: questionnaires, responses to stimuli, in writing or as sound.

As everywhere in a session: a repeated request changes nothing, one of an earlier page raises `Stale`, and
whatever a method has returned is on disk, its recording included.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from pydantic import BaseModel

from vivavoce.log import events as log_events
from vivavoce.log.event import Event
from vivavoce.log.events import LoggedSegment, QualificationTried, ResponseGiven, WholeRecorded
from vivavoce.log.recording_events import Content, RecordingRemoved, RecordingStored
from vivavoce.log.recordings import RecordedSound, folder_of
from vivavoce.log.store import Log
from vivavoce.steps.stimulus import Qualification, SoundPlan
from vivavoce.study.model import Step
from vivavoce.study.step_kind import form_of
from vivavoce.trial.battles import Move, VisitOf
from vivavoce.trial.errors import Refused, Stale
from vivavoce.trial.response_sound import MARGIN_S, check_borders, cut_out, proposed, sound_of
from vivavoce.trial.state import VisitState
from vivavoce.trial.visits import Draft, MoveRules, Visit

MOST_TAKES: Final = 1000


def expect_page(state: VisitState, step: int, fits: Callable[[Step | None], bool]) -> None:
    """Raises  Stale: the visit is not at the page of this step, or the page asks for something else"""
    if state.phase != "page" or state.step != step or not fits(state.current_step):
        raise Stale(f"the visit is not at step {step}")


class Forms:
    """The forms of a visit, on the visits of a session engine."""

    def __init__(self, visit_of: VisitOf, move: Move, rules: MoveRules, log: Log) -> None:
        self._visit_of, self._move, self.rules, self.log = visit_of, move, rules, log

    async def answer(
        self,
        visit_id: str,
        *,
        step: int,
        round: int | None,
        position: int,
        instrument: str,
        wording: str,
        ratings: list[log_events.LoggedRating],
    ) -> None:
        """Store one answered questionnaire. Raises Stale when another one is being asked."""
        visit = await self._visit_of(visit_id)
        async with visit.lock:
            state = visit.state
            if round is None:
                expect_page(state, step, lambda due: form_of(due) is not None)
            elif (state.phase, state.step, state.round, state.position) != (
                "feedback",
                step,
                round,
                position,
            ):
                raise Stale(f"questionnaire {position} of round {round} is not being asked")
            dialogue = state.dialogue if round is not None else None
            answered = log_events.QuestionnaireAnswered(
                step=step,
                round=round,
                position=position,
                instrument=instrument,
                wording=wording,
                dialogue_id=dialogue.dialogue_id if dialogue else None,
                language=state.language,
                ratings=ratings,
            )
            await self._move(visit, lambda d: self.rules.answer(d, answered))

    async def respond(
        self,
        visit_id: str,
        *,
        step: int,
        position: int,
        response: BaseModel,
        attempt: int | None = None,
        key: str | None = None,
    ) -> int:
        """Store the response to the stimulus that is due, or to a try of the check before the first; its seq.

        position  that of the last response where the step allows to give it anew
        key       of the page: the same again writes nothing, whatever it brings
        Raises    Stale: another stimulus is due, or another try, or none
                  Rejected: the step cannot take the response yet
        """
        visit = await self._visit_of(visit_id)
        async with visit.lock:
            if (seq := _seq_of(visit, key)) is not None:
                return seq
            state = visit.state
            _expect_due(state, step, position, attempt)
            check = state.asking
            if isinstance(check, Qualification):
                event: Event = QualificationTried(
                    step=step,
                    name=state.stimulus_kind.name,
                    attempt=state.shown.position,
                    response=response.model_dump(mode="json"),
                    passed=check.passed(state.shown.stimulus, response),
                )
            else:
                event = self._given(state, position, response)
            await self._move(visit, lambda draft: _write(draft, event, None, key))
            return _seq_of(visit, key) or visit.state.seq

    async def record(
        self,
        visit_id: str,
        *,
        step: int,
        position: int,
        key: str,
        audio: bytes,
        takes: int = 1,
        beside: Mapping[str, str] | None = None,
    ) -> int:
        """Store a response that was spoken, or all of them in one recording that is to be cut; its seq.

        audio   a WAV file; takes: how often it was recorded
        beside  what was entered beside the recorder, by field
        Note    the same key again writes nothing; a recording takes the place of one that it replaces
        Raises  Stale: the stimulus is not due, or not to be answered aloud
                Refused: `bad_audio`, `empty`, or `too_long` for what the study allows
                Rejected: the step cannot take the response yet
        """
        visit = await self._visit_of(visit_id)
        async with visit.lock:
            if (seq := _seq_of(visit, key)) is not None:
                return seq
            state = visit.state
            _expect_due(state, step, position, None)
            if (plan := state.sound_plan) is None:
                raise Stale("nothing is to be recorded")
            sound = sound_of(audio)
            if sound.duration_s > plan.longest_s + MARGIN_S:
                raise Refused("too_long", f"{sound.duration_s:.1f} of {plan.longest_s} s")
            recording_id = _recording_id(visit, key)
            if state.single_take:
                plan_view = state.shown
                segments = await asyncio.to_thread(proposed, audio, plan_view.total)
                event: Event = WholeRecorded(
                    step=step, name=state.stimulus_kind.name, recording_id=recording_id, proposed=segments
                )
                stored = await self._kept(state, plan, recording_id, audio, sound, plan.many, None)
            else:
                spoken = state.stimulus_kind.spoken_with(state.presented(position), beside or {})
                facts = {"recording_id": recording_id, "takes": max(1, min(takes, MOST_TAKES))}
                event = self._given(state, position, spoken.model_copy(update=facts))
                stored = await self._kept(state, plan, recording_id, audio, sound, plan.one, position)
            await self._move(visit, lambda draft: _write(draft, event, stored, key))
            return _seq_of(visit, key) or visit.state.seq

    async def cut(
        self, visit_id: str, *, step: int, recording_id: str, borders: Sequence[LoggedSegment | None]
    ) -> None:
        """Cut the recording of all responses, one piece a stimulus; None where nothing was said.

        Raises  Stale: another recording is to be cut; Rejected: it cannot be cut so
        """
        visit = await self._visit_of(visit_id)
        async with visit.lock:
            state = visit.state
            _expect_due(state, step, 0, None)
            plan, sound, file = state.sound_plan, state.whole, state.recordings.get(recording_id)
            due = sound.recording_id if state.single_take and sound is not None else None
            if plan is None or file is None or due != recording_id:
                raise Stale("another recording is to be cut")
            path = folder_of(self.log).file(file)
            audio = await asyncio.to_thread(path.read_bytes)
            check_borders(borders, state.shown.total, sound_of(audio).duration_s)
            stored_pairs: list[tuple[ResponseGiven, RecordingStored]] = []
            for position, segment in enumerate(borders):
                if segment is None:
                    continue
                piece = cut_out(audio, segment)
                name = f"{recording_id} {position} {segment.onset_s} {segment.offset_s}"
                facts = {
                    "recording_id": _recording_id(visit, name),
                    "cut_from": recording_id,
                    **segment.model_dump(),
                }
                response = state.stimulus_kind.spoken(state.presented(position)).model_copy(update=facts)
                response_event = self._given(state, position, response, at_once=bool(stored_pairs))
                recording_event = await self._kept(
                    state, plan, facts["recording_id"], piece, sound_of(piece), plan.one, position
                )
                stored_pairs.append((response_event, recording_event))

            def write(draft: Draft) -> None:
                for pair_response, pair_recording in stored_pairs:
                    _write(draft, pair_response, pair_recording, None)

            await self._move(visit, write)

    def _given(
        self, state: VisitState, position: int, response: BaseModel, *, at_once: bool = False
    ) -> ResponseGiven:
        """The event of a response, if its step takes it; at_once: with the one before it.

        Raises  Rejected
        """
        since = max(0.0, (self.rules.clock.now() - state.given[-1].at).total_seconds())
        kind, stimulus = state.stimulus_kind, state.presented(position)
        kind.check(stimulus, response, None if state.simulated else since)
        return ResponseGiven(
            step=state.step,
            name=kind.name,
            position=position,
            language=state.language,
            response=response.model_dump(mode="json"),
            response_s=0.0 if at_once else since,
        )

    async def _kept(
        self,
        state: VisitState,
        plan: SoundPlan,
        recording_id: str,
        audio: bytes,
        sound: RecordedSound,
        content: Content,
        position: int | None,
    ) -> RecordingStored:
        """The event of a recording that is on disk for good."""
        folder = folder_of(self.log)
        stored_file = await asyncio.to_thread(folder.keep, recording_id, audio, sound.media_type)
        return stored_file.event(
            recording_id,
            sound,
            content,
            ["user"],
            step=state.step,
            position=position,
            microphone_distance_m=plan.microphone_distance_m,
        )


def _recording_id(visit: Visit, key: str) -> str:
    return "recording-" + sha256(f"{visit.state.visit_id} {key}".encode()).hexdigest()[:16]


def _seq_of(visit: Visit, key: str | None) -> int | None:
    """The event that a request with this key has already written."""
    stored = visit.state.with_key(key) if key is not None else None
    return stored.seq if stored is not None else None


def _expect_due(state: VisitState, step: int, position: int, attempt: int | None) -> None:
    """The stimulus is the one that is due, or the one just before it where that may be done again."""
    if (state.phase, state.step) != ("stimulus", step) or state.attempt != attempt:
        raise Stale(f"stimulus {position} is not due")
    if position != state.position and not (state.may_redo and position == state.position - 1):
        raise Stale(f"stimulus {position} is not due")


def _write(draft: Draft, event: Event, recording: RecordingStored | None, key: str | None) -> None:
    """The recording first, then what it makes visible; a recording that it replaces is removed."""
    replaced = _sound_of(draft.state, event)
    if recording is not None:
        draft.add(recording)
    draft.add(event, client_key=key)
    if replaced in draft.state.recordings:
        draft.add(RecordingRemoved(recording_id=replaced, reason="redone"))


def _sound_of(state: VisitState, event: Event) -> Any:
    """The recording of what an event stands instead of; None: it has none, or there is nothing."""
    if isinstance(event, WholeRecorded):
        return state.whole.recording_id if state.whole is not None else None
    before = state.answered.get(event.position) if isinstance(event, ResponseGiven) else None
    return before.response.get("recording_id") if before is not None else None
