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


class CommandsFinished(Event):
    """Every stimulus has its command."""

    kind = "commands_finished"
    step: int


ELICITATION_EVENTS: Final[tuple[type[Event], ...]] = (StimuliAssigned, CommandGiven, CommandsFinished)
