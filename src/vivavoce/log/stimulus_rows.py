"""Responses to stimuli, from the events of one visit: rows of the tables that the kinds of steps declare."""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel

from vivavoce.log.columns import Table
from vivavoce.log.events import VisitOpened
from vivavoce.log.models import StoredEvent
from vivavoce.log.recording_events import RecordingRemoved, RecordingStored
from vivavoce.log.schema_steps import COMMANDS, RECORDINGS
from vivavoce.log.stimulus_events import QualificationTried, ResponseGiven, StepFinished, StimuliPlanned
from vivavoce.study.step_kind import STEPS

Row = dict[str, Any]
Stimulus = TypeVar("Stimulus", bound=BaseModel)
Response = TypeVar("Response", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Given(Generic[Stimulus, Response]):
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
            "participant_id": self.participant_id, "simulated": self.simulated, "visit_id": self.visit_id,
            number: self.position + 1, "language": self.language, "response_s": self.response_s,
            "answered_at": self.answered_at,
        }  # fmt: skip


class RespondedKind(Protocol):
    """What a kind of step says of its responses."""

    name: str
    table: Table | None
    stimulus: type[BaseModel]
    response: type[BaseModel]

    def rows(self, given: Any) -> Iterable[Row]: ...
    def without(
        self, stimulus: Any, response: Any, dialogues: AbstractSet[str], recordings: AbstractSet[str]
    ) -> Any: ...


def responded_kinds() -> list[RespondedKind]:
    """The kinds of steps that present stimuli, of ours and of installed packages."""
    kinds: list[Any] = [STEPS.get(name) for name in STEPS.names()]
    return [kind for kind in kinds if hasattr(kind, "table")]


def response_rows(visit: Sequence[StoredEvent], table: str | None = None) -> Iterator[tuple[str, list[Row]]]:
    """Rows by table, for every kind of step whose stimuli the visit answered.

    table  the only one that is wanted; None: all
    Note  responses to a step that no package offers any more have no rows: their events stay in the log
    """
    named = {one.event.name for one in visit if isinstance(one.event, ResponseGiven)}
    for kind in responded_kinds() if named else ():
        if kind.name in named and kind.table is not None and table in (None, kind.table.name):
            yield kind.table.name, [row for given in _given(visit, kind) for row in kind.rows(given)]


def command_rows(visit: Sequence[StoredEvent]) -> list[Row]:
    """Rows of the table `commands`, as far as one visit knows them: without transcripts and annotation."""
    return [row for _, rows in response_rows(visit, COMMANDS.name) for row in rows]


def _given(visit: Sequence[StoredEvent], kind: RespondedKind) -> Iterator[Given[Any, Any]]:
    """The response to each stimulus, the last one where it was given anew."""
    opened = next((one.event for one in visit if isinstance(one.event, VisitOpened)), None)
    planned: dict[int, StimuliPlanned] = {}
    qualified: dict[int, bool | None] = {}
    finished: dict[int, StepFinished] = {}
    sounds: dict[str | None, RecordingStored] = {}
    removed: set[str] = set()
    standing: dict[tuple[int, int], tuple[StoredEvent, ResponseGiven]] = {}
    for stored in visit:
        match stored.event:
            case StimuliPlanned() as event:
                planned[event.step] = event
                qualified[event.step] = False if event.tries else None
            case QualificationTried() as event:
                qualified[event.step] = qualified[event.step] or event.passed
            case ResponseGiven() as event if event.name == kind.name:
                standing[event.step, event.position] = stored, event
            case StepFinished() as event:
                finished[event.step] = event
            case RecordingStored() as event:
                sounds[event.recording_id] = event
            case RecordingRemoved() as event:
                removed.add(event.recording_id)
            case _:
                pass
    if opened is None:
        return
    for stored, event in standing.values():
        response = kind.response.model_validate(event.response)
        sound = sounds.get(getattr(response, "recording_id", None))
        there = sound is not None and sound.recording_id not in removed
        yield Given(
            opened.participant_id, opened.simulated, stored.visit_id, event.step, event.position,
            kind.stimulus.model_validate(planned[event.step].stimuli[event.position]),
            response, event.response_s, event.language, stored.at,
            finished.get(event.step), qualified[event.step], sound,
            f"{RECORDINGS.name}/{sound.file}" if sound is not None and there else None,
        )  # fmt: skip
