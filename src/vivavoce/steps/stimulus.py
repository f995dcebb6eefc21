"""Steps that present stimuli and collect responses: events, state, page, refusals and export are shared."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, NamedTuple

from pydantic import BaseModel, ConfigDict

from vivavoce.audio.sound import Sound
from vivavoce.dataset.columns import Table
from vivavoce.log.event import Event
from vivavoce.log.recording_events import Content
from vivavoce.log.stimulus_rows import Response, Row, Stimulus, StimulusResponse
from vivavoce.study.model import Study
from vivavoce.study.step_kind import Message, SimulatedParticipant, StepKind, Written

if TYPE_CHECKING:
    from vivavoce.log.stimulus_rows import StimulusVisit

__all__ = [
    "Outcome",
    "PlanContext",
    "Qualification",
    "RecordedResponse",
    "Rejected",
    "Response",
    "Row",
    "SoundPlan",
    "Stimulus",
    "StimulusResponse",
    "StimulusStep",
    "StimulusView",
]


PICTURE_TYPES: Final = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".gif": "image/gif",
    ".mp4": "video/mp4",
    ".webm": "video/webm",
}
"""Pictures and films that the page of a step may show, by the ending of their file."""


class PlanContext(NamedTuple):
    """Inputs of a participant's plan.

    slot    number of the plan: the first that nobody of the same scope holds, so that plans can be balanced
    chance  of this participant and step; in a simulation the same for the same seed
    place   of the step in the visit, from 0
    others  every visit to the study that was given stimuli of this kind of step, of people or of programs as
            this one; whoever did nothing for the time given is not at it any more
    """

    participant_id: str
    slot: int
    chance: Random
    place: int
    others: Callable[[timedelta], "Sequence[StimulusVisit[Any, Any]]"] = lambda _: ()


@dataclass(frozen=True, slots=True)
class StimulusView(Generic[Written, Stimulus]):
    """The stimulus that is due, as the step's page shows it; position and number count from 0 and 1.

    place    of the step in the visit, from 0
    view     what of the stimulus is asked for, where the page shows it in parts: `?view=` of its address
    again    it was answered, and is answered anew
    planned  all that this participant is presented, as it is logged
    """

    place: int
    step: Written
    study: Study
    stimulus: Stimulus
    language: str
    position: int
    total: int
    view: str = ""
    again: bool = False
    planned: Sequence[Mapping[str, Any]] = ()

    @property
    def number(self) -> int:
        return self.position + 1

    @property
    def stimuli(self) -> list[Stimulus]:
        """All that this participant is presented, in order."""
        return [type(self.stimulus).model_validate(stimulus) for stimulus in self.planned]


class Outcome(NamedTuple):
    """Judgement of a participant's whole set of responses.

    accepted  participants who are not accepted get no completion code, unless the step pays all
    flags     quality flags, one word each; they delete nothing
    """

    accepted: bool = True
    flags: tuple[str, ...] = ()


class SoundPlan(NamedTuple):
    """Recording settings of responses.

    longest_s              of a recording; the page stops there
    single_take            all stimuli are answered in one recording, which its speaker then cuts;
                           whoever answers the first with a form goes on one by one
    microphone_distance_m  between mouth and microphone, where the study prescribes it
    one, many              what a recording holds, as the table `recordings` says it
    """

    longest_s: float
    single_take: bool = False
    microphone_distance_m: float | None = None
    one: Content = "response"
    many: Content = "responses"


class RecordedResponse(BaseModel):
    """Facts about a response's sound, filled in by the service. Null: answered with a form.

    takes     recordings made; all but the last were discarded before upload
    cut_from  recording of several responses that contains this one, from onset_s to offset_s
    """

    model_config = ConfigDict(frozen=True)
    recording_id: str | None = None
    takes: int = 1
    cut_from: str | None = None
    onset_s: float | None = None
    offset_s: float | None = None


class Rejected(Exception):
    """A response that cannot be taken yet; the participant is told why, and what they entered is kept.

    fields  of the page that are concerned
    """

    def __init__(self, message: Message, *fields: str) -> None:
        self.message, self.fields = message, fields
        super().__init__(message.one)


class _Asking(ABC, Generic[Written, Stimulus, Response]):
    """Step that shows stimuli one after another and collects a response to each.

    stimulus, response  models of their log entries
    page                template beside the step's module, without its ending, that shows a stimulus
    """

    stimulus: ClassVar[type[BaseModel]]
    response: ClassVar[type[BaseModel]]
    page: ClassVar[str]

    @abstractmethod
    def read(self, shown: StimulusView[Written, Stimulus], entered: Mapping[str, str]) -> Response:
        """The response in the fields of the page. Raises Rejected: something is missing or cannot be."""

    @abstractmethod
    def respond(self, shown: StimulusView[Written, Stimulus], participant: SimulatedParticipant) -> Response:
        """Response of a simulated participant; marked as simulated everywhere."""

    def facts(
        self, shown: StimulusView[Written, Stimulus], entered: Mapping[str, str] | None
    ) -> Mapping[str, object]:
        """Variables of the page beside `shown` and `entered`.

        entered  rejected input; None without any
        """
        return {}

    def files(self, shown: StimulusView[Written, Stimulus]) -> Mapping[str, Path | Sound]:
        """Sounds, and files of sounds and of `PICTURE_TYPES`, by the name by which the page asks for them."""
        return {}


class Qualification(_Asking[Written, Stimulus, Response]):
    """A check that comes before the stimuli, such as of hearing; `qualification.html` shows one try of it.

    Who passes a try, or fails the last, goes on to the stimuli; `StimulusResponse.qualified` says which.

    stimulus, response  models of what a try presents, and of what was answered
    """

    page = "qualification"

    @abstractmethod
    def tries(self, step: Written, study: Study, draw: PlanContext) -> Sequence[Stimulus]:
        """Items of each try, in order; none: the stimuli come at once."""

    @abstractmethod
    def passed(self, presented: Stimulus, response: Response) -> bool:
        """Check the answer to a try."""


class StimulusStep(
    _Asking[Written, Stimulus, Response], StepKind[Written], Generic[Written, Stimulus, Response]
):
    """One kind of step of this sort; `page.html` beside its module shows a stimulus and asks for a response.

    stimulus, response  models of what is logged of each
    table               of the dataset, a row or more for each response; None: responses are no rows. One that
                        the dataset has by itself may be filled, too
    counted             one response, or piece of one, as counts are said with it; by default the table's word
    activity_label      activity of a participant on the dashboard: `rating transcripts`
    item_label          plural noun for the stimuli there
    qualification       a check before the stimuli; None: there is none
    earlier_events      its own kinds of events in older logs, with what they are read as now: what they do
                        not share with that is the stimuli, or the response
    earlier_addresses   where pages that are still open send what is sent elsewhere now
    """

    page, done = "page", "response_given"
    whole_page, cutting_page = "whole", "cutting"
    table: ClassVar[Table | None]
    counted: ClassVar[str]
    activity_label: ClassVar[str]
    item_label: ClassVar[str]
    qualification: ClassVar[Qualification[Any, Any, Any] | None] = None
    earlier_events: ClassVar[Mapping[str, type[Event]]] = {}
    earlier_addresses: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if (table := getattr(cls, "table", None)) is not None:
            cls.counted = table.counted
        required = [*_Asking.__annotations__, *StimulusStep.__annotations__]
        lacking = [name for name in required if getattr(cls, name, "") == ""]
        if lacking:
            raise TypeError(f"{cls.__name__} must set {' and '.join(lacking)}")

    @abstractmethod
    def plan(self, step: Written, study: Study, draw: PlanContext) -> Sequence[Stimulus]:
        """The stimuli of one participant, in order; none ends the step at once."""

    @abstractmethod
    def check(
        self, shown: StimulusView[Written, Stimulus], response: Response, elapsed_s: float | None
    ) -> None:
        """Look at a response before it is stored, whoever gives it.

        elapsed_s  since the stimulus was due, breaks included; None of a program
        Raises     Rejected, such as for an answer before all of a clip can have been heard
        """

    def redo(self, step: Written) -> bool:
        """Allow changes to the last response: `?view=again` shows its stimulus. Most are final."""
        return False

    def sound_plan(self, step: Written) -> SoundPlan | None:
        """Recording settings of responses to stimuli; None: forms only.

        The page records with `studio.html`. If all is recorded at once, `whole.html` beside the module
        shows all stimuli, and `cutting.html` cuts the recording.
        """
        return None

    def records(self, step: Written) -> bool:
        return self.sound_plan(step) is not None

    def spoken(self, shown: StimulusView[Written, Stimulus]) -> Response:
        """A response that came as sound, a `RecordedResponse`."""
        raise TypeError(f"{self.name} does not record sound")

    def spoken_with(self, shown: StimulusView[Written, Stimulus], beside: Mapping[str, str]) -> Response:
        """Response with the entries beside the recorder: the page's fields with `data-beside`.

        Note  by default what stands there is not taken; with all in one recording there is no such page
        """
        return self.spoken(shown)

    def over(self, step: Written, study: Study, given: Sequence[tuple[Stimulus, Response]]) -> bool:
        """True to end the step before its last stimulus; most never do."""
        return False

    @abstractmethod
    def finish(
        self, step: Written, study: Study, given: Sequence[tuple[Stimulus, Response]], total_s: float
    ) -> Outcome:
        """Judge the whole, when the last stimulus was answered.

        Input  total_s: of all, breaks included; infinite of a simulated participant, who reads in no time
        """

    def paid(self, step: Written) -> bool:
        """True if participants who are not accepted still get a completion code."""
        return False

    @abstractmethod
    def rows(self, given: StimulusResponse[Stimulus, Response]) -> Iterable[Row]:
        """The rows of `table` for one response; `given.row(...)` has the columns that all share."""

    def credits(self, given: Sequence[tuple[Stimulus, Response]]) -> Mapping[int, float]:
        """Accuracy on stimuli with known answers: 0 wrong, 1 right.

        Output  by their place in `given`; most steps have no known answers: none
        """
        return {}

    def without(
        self,
        stimulus: Stimulus,
        response: Response,
        dialogues: AbstractSet[str],
        recordings: AbstractSet[str],
    ) -> Response:
        """The response without what it says of somebody else who is erased; most say nothing of anybody.

        dialogues, recordings  keys of theirs, and files without their endings
        """
        return response

    def about(self, stimulus: Stimulus) -> str:
        """The stimulus in a few characters, by which the dashboard counts those that were answered."""
        return stimulus.model_dump_json()

    def pieces(self, response: Response) -> int:
        """Number of `table` rows per response."""
        return 1

    async def simulate(self, step: Written, participant: SimulatedParticipant) -> None:
        state = participant.state
        response = state.asking.respond(state.shown, participant)
        await participant.engine.forms.respond(
            participant.visit_id,
            step=state.step,
            attempt=state.attempt,
            position=state.position,
            response=response,
        )
