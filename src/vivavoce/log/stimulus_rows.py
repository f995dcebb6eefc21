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
from vivavoce.log.stimulus_events import QualificationTried, ResponseGiven, StepFinished, StimuliPlanned
from vivavoce.study.step_kind import STEPS

Row = dict[str, Any]
Stimulus = TypeVar("Stimulus", bound=BaseModel)
Response = TypeVar("Response", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Given(Generic[Stimulus, Response]):
    """One response in its visit.

    finished   how the step ended; None while it goes on
    qualified  whether the check before the stimuli was passed; None where there was none
    """

    participant_id: str
    simulated: bool
    visit_id: str
    position: int
    stimulus: Stimulus
    response: Response
    response_s: float
    language: str | None
    answered_at: datetime
    finished: StepFinished | None = None
    qualified: bool | None = None

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


def response_rows(visit: Sequence[StoredEvent]) -> Iterator[tuple[str, list[Row]]]:
    """Rows by table, for every kind of step whose stimuli the visit answered.

    Note  responses to a step that no package offers any more have no rows: their events stay in the log
    """
    named = {one.event.name for one in visit if isinstance(one.event, ResponseGiven)}
    for kind in responded_kinds() if named else ():
        if kind.name in named and kind.table is not None:
            yield kind.table.name, [row for given in _given(visit, kind) for row in kind.rows(given)]


def _given(visit: Sequence[StoredEvent], kind: RespondedKind) -> Iterator[Given[Any, Any]]:
    opened = next((one.event for one in visit if isinstance(one.event, VisitOpened)), None)
    planned: dict[int, StimuliPlanned] = {}
    qualified: dict[int, bool | None] = {}
    finished = {one.event.step: one.event for one in visit if isinstance(one.event, StepFinished)}
    for stored in visit:
        event = stored.event
        if isinstance(event, StimuliPlanned):
            planned[event.step] = event
            qualified[event.step] = False if event.tries else None
        elif isinstance(event, QualificationTried):
            qualified[event.step] = qualified[event.step] or event.passed
        elif isinstance(event, ResponseGiven) and event.name == kind.name and opened is not None:
            yield Given(
                opened.participant_id, opened.simulated, stored.visit_id, event.position,
                kind.stimulus.model_validate(planned[event.step].stimuli[event.position]),
                kind.response.model_validate(event.response), event.response_s, event.language, stored.at,
                finished.get(event.step), qualified[event.step],
            )  # fmt: skip
