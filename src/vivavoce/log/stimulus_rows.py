"""Responses to stimuli, from the events of one visit: rows of the tables that the kinds of steps declare."""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel

from vivavoce.log.columns import Table
from vivavoce.log.history import VisitHistory
from vivavoce.log.stimulus_events import ResponseGiven, StepFinished
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


def response_rows(visit: VisitHistory) -> Iterator[tuple[str, list[Row]]]:
    """Rows by table, for every kind of step whose stimuli the visit answered.

    Note  responses to a step that no package offers any more have no rows: their events stay in the log
    """
    named = {one.name for one in visit.of(ResponseGiven)}
    for kind in responded_kinds() if named else ():
        if kind.name in named and kind.table is not None:
            yield kind.table.name, [row for given in _given(visit, kind) for row in kind.rows(given)]


def _given(visit: VisitHistory, kind: RespondedKind) -> Iterator[Given[Any, Any]]:
    for step in visit.stimulus_steps.values():
        for stored, event in step.stored(ResponseGiven):
            if event.name == kind.name:
                yield Given(
                    visit.participant_id, visit.simulated, stored.visit_id, event.position,
                    kind.stimulus.model_validate(step.planned.stimuli[event.position]),
                    kind.response.model_validate(event.response), event.response_s, event.language, stored.at,
                    step.finished, step.qualified,
                )  # fmt: skip
