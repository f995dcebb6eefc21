"""Stimuli and responses of steps: rows of the tables of their kinds, state in all visits, transcriptions."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Generic, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict
from sqlalchemy import Connection, and_, or_, select

from vivavoce.dataset.responded_kinds import RespondedKind, responded_kinds
from vivavoce.dataset.schema_steps import RECORDINGS
from vivavoce.log.events import (
    STIMULUS_EVENTS,
    ResponseGiven,
    StepFinished,
    StimuliPlanned,
    earlier_kinds,
    read_event,
)
from vivavoce.log.history import VisitHistory
from vivavoce.log.recording_events import RecordingStored
from vivavoce.log.tables import events, visits
from vivavoce.study.step_kind import STEPS

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


class Answered(NamedTuple, Generic[Stimulus, Response]):
    """One stimulus that was answered."""

    stimulus: Stimulus
    response: Response
    at: datetime


@dataclass
class StimulusVisit(Generic[Stimulus, Response]):
    """One visit's part.

    held      its participant is still at it
    accepted  whether the whole counts; None: not decided
    at        where in `answered` the response to a stimulus stands, by its place in `stimuli`
    """

    participant_id: str
    language: str
    held: bool
    stimuli: Sequence[Stimulus] = ()
    answered: list[Answered[Stimulus, Response]] = field(default_factory=list)
    accepted: bool | None = None
    at: dict[int, int] = field(default_factory=dict, repr=False)


def stimulus_visits(
    connection: Connection,
    name: str,
    stimulus: type[Stimulus],
    response: type[Response],
    *,
    study: str | None = None,
    since: datetime | None = None,
    simulated: bool | None = None,
) -> list[StimulusVisit[Stimulus, Response]]:
    """Every visit that was given stimuli of a kind of step, in the order of the log; a step twice is two.

    name       of the kind; stimulus, response: its models
    study      None: of all studies of the log
    since      whoever did nothing since then is not at it any more
    simulated  of programs, or of people, alone
    """
    earlier = [kind for kind, (_, step) in earlier_kinds().items() if step == name]
    shared = events.c.kind.in_([kind.kind for kind in STIMULUS_EVENTS])
    query = (
        select(
            events.c.visit_id,
            events.c.kind,
            events.c.payload,
            events.c.at,
            visits.c.participant_id,
            visits.c.language,
            visits.c.outcome,
            visits.c.last_at,
        )
        .join(visits, visits.c.visit_id == events.c.visit_id)
        .where(
            or_(events.c.kind.in_(earlier), and_(shared, events.c.payload["name"].as_string() == name)),
            *([visits.c.study == study] if study is not None else []),
            *([visits.c.simulated == simulated] if simulated is not None else []),
        )
        .order_by(events.c.position)
    )
    by_visit: dict[tuple[str, int], StimulusVisit[Stimulus, Response]] = {}
    for visit_id, kind, payload, at, participant_id, language, outcome, last_at in connection.execute(query):
        event: Any = read_event(kind, payload)
        running = outcome is None and (since is None or last_at >= since)
        visit = by_visit.setdefault((visit_id, event.step), StimulusVisit(participant_id, language, running))
        _take(visit, event, at, stimulus, response)
    return list(by_visit.values())


def _take(
    visit: StimulusVisit[Any, Any],
    event: Any,
    at: datetime,
    stimulus: type[BaseModel],
    response: type[BaseModel],
) -> None:
    if isinstance(event, StimuliPlanned):
        visit.stimuli = [stimulus.model_validate(stimulus_fields) for stimulus_fields in event.stimuli]
    elif isinstance(event, ResponseGiven):
        parsed = response.model_validate(event.response)
        answer = Answered(visit.stimuli[event.position], parsed, at)
        if visit.at.setdefault(event.position, len(visit.answered)) == len(visit.answered):
            visit.answered.append(answer)
        else:  # given anew
            visit.answered[visit.at[event.position]] = answer
    elif isinstance(event, StepFinished):
        visit.accepted = event.accepted


class LoggedItem(BaseModel):
    """One recording to be written down; dialogue and turn where it is one of a dialogue.

    gold  its transcript is known; it looks like all others
    """

    model_config = ConfigDict(frozen=True)
    audio: str
    dialogue_id: str | None = None
    turn_index: int | None = None
    gold: bool = False


class WrittenTranscript(BaseModel):
    """Transcript of a recording; text is null where no word could be made out.

    errors, words  of a recording with a known transcript: word errors, and words of the known one
    prefilled      what the recogniser heard stood in the field
    """

    model_config = ConfigDict(frozen=True)
    text: str | None
    errors: int | None = None
    words: int | None = None
    prefilled: bool = False


class AcceptedTranscript(NamedTuple):
    """One transcript that counts, or may come to count."""

    item: LoggedItem
    text: str | None
    participant_id: str
    language: str
    at: datetime


TranscribedVisit = StimulusVisit[LoggedItem, WrittenTranscript]


def word_accuracy(transcripts: Iterable[WrittenTranscript]) -> float | None:
    """1 - word errors over words, of all recordings with known transcript; None without any."""
    checked = [text for text in transcripts if text.errors is not None]
    words = sum(text.words or 0 for text in checked)
    return 1 - sum(text.errors or 0 for text in checked) / words if words else None


@dataclass
class Transcriptions:
    """All visits that wrote something down, in the order of the log."""

    visits: list[TranscribedVisit] = field(default_factory=list)

    @property
    def refused(self) -> set[str]:
        """Participants whose accuracy was too low; nothing of theirs counts."""
        return {visit.participant_id for visit in self.visits if visit.accepted is False}

    def accepted(self) -> list[AcceptedTranscript]:
        """Every transcript that counts, the first of each recording; known ones are none."""
        refused, transcripts = self.refused, dict[str, AcceptedTranscript]()
        for visit in self.visits:
            if not visit.accepted or visit.participant_id in refused:
                continue
            for item, transcript, at in visit.answered:
                if not item.gold:
                    accepted = AcceptedTranscript(
                        item, transcript.text, visit.participant_id, visit.language, at
                    )
                    transcripts.setdefault(item.audio, accepted)
        return list(transcripts.values())

    def taken(self) -> set[str]:
        """Recordings that need nobody else: accepted, or in the hands of somebody who is still at it."""
        audio_files = {
            item.audio
            for visit in self.visits
            if visit.held and visit.accepted is None and visit.participant_id not in self.refused
            for item in visit.stimuli
            if not item.gold
        }
        return audio_files | {accepted.item.audio for accepted in self.accepted()}

    def seen_by(self, participant_id: str) -> set[str]:
        """Recordings that a participant was given before, known ones included."""
        mine = [visit for visit in self.visits if visit.participant_id == participant_id]
        return {item.audio for visit in mine for item in visit.stimuli}


def transcriptions(
    connection: Connection, study: str | None = None, *, simulated: bool | None = False
) -> Transcriptions:
    """Everything that was written down for a study, or in the whole log.

    simulated  by programs alone, or by people alone; None: by all. What programs write stands for no words
    """
    names = [name for name, kind in STEPS if issubclass(getattr(kind, "response", object), WrittenTranscript)]
    by_step = (
        stimulus_visits(connection, name, LoggedItem, WrittenTranscript, study=study, simulated=simulated)
        for name in names
    )
    return Transcriptions([visit for visits in by_step for visit in visits])


def references(connection: Connection) -> dict[tuple[str, int], str]:
    """The accepted transcript of every turn that has one, of all studies of the log."""
    return {
        (accepted.item.dialogue_id, accepted.item.turn_index): accepted.text
        for accepted in transcriptions(connection).accepted()
        if accepted.item.dialogue_id is not None
        and accepted.item.turn_index is not None
        and accepted.text is not None
    }


def with_texts(connection: Connection, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows, spoken ones with the accepted transcript of their recording as text, where there is one.

    Note  a recording goes by the name of its file without ending, which may change when it is transcribed
    """
    texts = {
        Path(accepted.item.audio).stem: accepted.text
        for accepted in transcriptions(connection).accepted()
        if accepted.item.dialogue_id is None and accepted.text is not None
    }
    return [
        row if row["text"] is not None else {**row, "text": texts.get(Path(row["recording"] or "").stem)}
        for row in rows
    ]
