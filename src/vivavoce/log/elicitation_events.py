"""Events of elicitation: which stimuli a participant saw, and the command that he gave to each."""

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from vivavoce.log.event import Event


class LoggedStimulus(BaseModel):
    """One frame of a recipe."""

    model_config = ConfigDict(frozen=True)
    recipe: str
    stimulus_id: str


class StimuliAssigned(Event):
    """The stimuli of one participant's step, in order."""

    kind = "stimuli_assigned"
    step: int
    stimuli: list[LoggedStimulus]


class CommandGiven(Event):
    """A command was given to a stimulus; a later one to the same stimulus stands instead of it.

    text          as typed; null for a spoken one
    recording_id  of a spoken one
    cut_from      recording of many commands that it was cut out of, from onset_s to offset_s
    takes         recordings that its speaker made; all but the last were discarded before they were sent
    response_s    since the stimulus was due, breaks included
    """

    kind = "command_given"
    step: int
    position: int
    stimulus: LoggedStimulus
    by: Literal["speech", "text"]
    language: str
    text: str | None = None
    recording_id: str | None = None
    takes: int = 1
    response_s: float
    cut_from: str | None = None
    onset_s: float | None = None
    offset_s: float | None = None


class LoggedSegment(BaseModel):
    """A stretch of a recording, in seconds from its start."""

    model_config = ConfigDict(frozen=True)
    onset_s: float
    offset_s: float


class CommandsCut(Event):
    """A recording of many commands is there; this is where voice activity would cut it.

    Its speaker corrects the cuts; what he gives out are commands with `cut_from` and their own borders.
    """

    kind = "commands_cut"
    step: int
    recording_id: str
    proposed: list[LoggedSegment]


class CommandsFinished(Event):
    """Every stimulus has its command."""

    kind = "commands_finished"
    step: int


ELICITATION_EVENTS: Final[tuple[type[Event], ...]] = (
    StimuliAssigned, CommandGiven, CommandsCut, CommandsFinished,
)  # fmt: skip
