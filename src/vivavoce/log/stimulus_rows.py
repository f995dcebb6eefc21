"""Responses to stimuli, from the events of one visit: rows of the tables that the kinds of steps declare."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Generic, TypeVar

from pydantic import BaseModel

from vivavoce.dataset.responded_kinds import RespondedKind, responded_kinds
from vivavoce.dataset.schema_steps import RECORDINGS
from vivavoce.log.history import VisitHistory
from vivavoce.log.recording_events import RecordingStored
from vivavoce.log.stimulus_events import ResponseGiven, StepFinished

Row = dict[str, Any]
_OF_CHECKS: Final = ("participant_id", "simulated", "visit_id", "number", "answered_at")
Stimulus = TypeVar("Stimulus", bound=BaseModel)
Response = TypeVar("Response", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class StimulusResponse(Generic[Stimulus, Response]):
    """One response in its visit.

    place      of the step in the visit, from 0
    finished   how the step ended; None while it goes on
    qualified  whether the check before the stimuli was passed; None where there was none
    recorded   its recording, which may be removed since; None: it has none
    file       of the recording, relative to the dataset; None: there is none any more
    """

    participant_id: str
    simulated: bool
    visit_id: str
    place: int
    position: int
    stimulus: Stimulus
    response: Response
    response_s: float
    language: str | None
    answered_at: datetime
    finished: StepFinished | None = None
    qualified: bool | None = None
    recorded: RecordingStored | None = None
    file: str | None = None

    def row(self, number: str) -> Row:
        """The columns that all tables of responses share.

        number  the column that holds the 1-based place of the stimulus
        """
        return {
            "participant_id": self.participant_id,
            "simulated": self.simulated,
            "visit_id": self.visit_id,
            number: self.position + 1,
            "language": self.language,
            "response_s": self.response_s,
            "answered_at": self.answered_at,
        }


def response_rows(visit: VisitHistory, table: str | None = None) -> Iterator[tuple[str, list[Row]]]:
    """Rows by table, for every kind of step whose stimuli the visit answered.

    table  the only one that is wanted; None: all
    Note  responses to a step that no package offers any more have no rows: their events stay in the log
    """
    step_names = {event.name for event in visit.of(ResponseGiven)}
    for kind in responded_kinds() if step_names else ():
        if kind.name in step_names and kind.table is not None and table in (None, kind.table.name):
            yield (
                kind.table.name,
                [row for stimulus_response in _given(visit, kind) for row in kind.rows(stimulus_response)],
            )


def check_rows(visit: VisitHistory) -> Iterator[Row]:
    """Rows of the table `checks`: how stimuli were answered whose right answer is known beforehand."""
    step_names = {event.name for event in visit.of(ResponseGiven)}
    for kind in responded_kinds() if step_names else ():
        steps: dict[int, list[StimulusResponse[Any, Any]]] = {}
        for stimulus_response in _given(visit, kind) if kind.name in step_names else ():
            steps.setdefault(stimulus_response.place, []).append(stimulus_response)
        for answered in steps.values():
            place_credits = kind.credits([(pair.stimulus, pair.response) for pair in answered])
            for place, credit in place_credits.items():
                shared = answered[place].row("number")
                yield {name: shared[name] for name in _OF_CHECKS} | {"step": kind.name, "credit": credit}


def _given(visit: VisitHistory, kind: RespondedKind) -> Iterator[StimulusResponse[Any, Any]]:
    """The response to each stimulus, the last one where it was given anew."""
    sounds: dict[str | None, RecordingStored] = {
        event.recording_id: event for event in visit.of(RecordingStored)
    }
    for place, step in visit.stimulus_steps.items():
        standing = {event.position: (stored, event) for stored, event in step.stored(ResponseGiven)}
        for stored, event in standing.values() if step.planned.name == kind.name else ():
            response = kind.response.model_validate(event.response)
            sound = sounds.get(getattr(response, "recording_id", None))
            is_stored = sound is not None and sound.recording_id in visit.recordings
            yield StimulusResponse(
                visit.participant_id,
                visit.simulated,
                stored.visit_id,
                place,
                event.position,
                kind.stimulus.model_validate(step.planned.stimuli[event.position]),
                response,
                event.response_s,
                event.language,
                stored.at,
                step.finished,
                step.qualified,
                sound,
                f"{RECORDINGS.name}/{sound.file}" if sound is not None and is_stored else None,
            )
