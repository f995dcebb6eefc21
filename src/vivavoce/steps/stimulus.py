"""Steps that present stimuli and collect responses: events, state, page, refusals and export are shared."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Generic, NamedTuple

from pydantic import BaseModel

from vivavoce.log.columns import Table
from vivavoce.log.stimulus_rows import Given, Response, Row, Stimulus
from vivavoce.study.model import Study
from vivavoce.study.step_kind import Message, SimulatedParticipant, StepKind, Written

__all__ = ["Draw", "Given", "Outcome", "Presented", "Rejected", "Response", "Row", "Stimulus", "StimulusStep"]


class Draw(NamedTuple):
    """What a participant's plan is drawn with.

    slot    number of the plan: the first that nobody of the same scope holds, so that plans can be balanced
    chance  of this participant and step; in a simulation the same for the same seed
    """

    participant_id: str
    slot: int
    chance: Random


@dataclass(frozen=True, slots=True)
class Presented(Generic[Written, Stimulus]):
    """The stimulus that is due, as the step's page shows it; position and number count from 0 and 1.

    place  of the step in the visit, from 0
    view   what of the stimulus is asked for, where the page shows it in parts: `?view=` of its address
    """

    place: int
    step: Written
    study: Study
    stimulus: Stimulus
    language: str
    position: int
    total: int
    view: str = ""

    @property
    def number(self) -> int:
        return self.position + 1


class Outcome(NamedTuple):
    """How the whole of a participant's responses is judged.

    accepted  whoever is not gets no completion code, unless the step pays all the same
    flags     what is odd about them, one word each; they delete nothing by themselves
    """

    accepted: bool = True
    flags: tuple[str, ...] = ()


class Rejected(Exception):
    """A response that cannot be taken yet; the participant is told why, and what they entered is kept.

    fields  of the page that are concerned
    """

    def __init__(self, message: Message, *fields: str) -> None:
        self.message, self.fields = message, fields
        super().__init__(message.one)


class StimulusStep(StepKind[Written], Generic[Written, Stimulus, Response]):
    """One kind of step of this sort; `page.html` beside its module shows a stimulus and asks for a response.

    stimulus, response  models of what is logged of each
    table               of the dataset, a row or more for each response
    doing               what a participant is doing, as the dashboard says it: `rating transcripts`
    things              what the stimuli are called there, in the plural
    """

    stimulus: ClassVar[type[BaseModel]]
    response: ClassVar[type[BaseModel]]
    table: ClassVar[Table]
    doing: ClassVar[str]
    things: ClassVar[str]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        lacking = [name for name in StimulusStep.__annotations__ if not hasattr(cls, name)]
        if lacking:
            raise TypeError(f"{cls.__name__} does not say its {' and '.join(lacking)}")

    @abstractmethod
    def plan(self, step: Written, study: Study, draw: Draw) -> Sequence[Stimulus]:
        """The stimuli of one participant, in order; none ends the step at once."""

    @abstractmethod
    def read(self, shown: Presented[Written, Stimulus], entered: Mapping[str, str]) -> Response:
        """The response in the fields of the page. Raises Rejected: something is missing or cannot be."""

    @abstractmethod
    def check(self, shown: Presented[Written, Stimulus], response: Response, elapsed_s: float | None) -> None:
        """Look at a response before it is stored, whoever gives it.

        elapsed_s  since the stimulus was due, breaks included; None of a program
        Raises     Rejected, such as for an answer before all of a clip can have been heard
        """

    @abstractmethod
    def finish(
        self, step: Written, study: Study, given: Sequence[tuple[Stimulus, Response]], total_s: float
    ) -> Outcome:
        """Judge the whole, when the last stimulus was answered; total_s: of all, breaks included."""

    def paid(self, step: Written) -> bool:
        """Whether whoever is not accepted gets a completion code all the same."""
        return False

    @abstractmethod
    def rows(self, given: Given[Stimulus, Response]) -> Iterable[Row]:
        """The rows of `table` for one response; `given.row(...)` has the columns that all share."""

    @abstractmethod
    def respond(self, shown: Presented[Written, Stimulus], participant: SimulatedParticipant) -> Response:
        """What a simulated participant answers; marked as simulated wherever it goes."""

    def about(self, stimulus: Stimulus) -> str:
        """The stimulus in a few characters, by which the dashboard counts those that were answered."""
        return stimulus.model_dump_json()

    def pieces(self, response: Response) -> int:
        """How many of what `table` counts one response brings."""
        return 1

    def facts(self, shown: Presented[Written, Stimulus], entered: Mapping[str, str] | None) -> dict[str, Any]:
        """What `page.html` knows beside `shown` and `entered`.

        entered  what came back rejected; None where nothing did
        """
        return {}

    def files(self, shown: Presented[Written, Stimulus]) -> Mapping[str, Path]:
        """Files of the stimulus that is due, by the name by which the page asks for their address."""
        return {}

    async def simulate(self, step: Written, participant: SimulatedParticipant) -> None:
        state = participant.state
        response = self.respond(state.shown, participant)
        await participant.engine.forms.respond(
            participant.visit_id, step=state.step, position=state.position, response=response
        )
