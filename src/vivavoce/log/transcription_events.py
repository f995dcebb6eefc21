"""Events of transcription: what a participant was given to write down, what he wrote, whether it counts."""

from typing import Final

from pydantic import BaseModel, ConfigDict

from vivavoce.log.event import Event


class LoggedItem(BaseModel):
    """One recording; dialogue and turn where it is one of a dialogue."""

    model_config = ConfigDict(frozen=True)
    audio: str
    dialogue_id: str | None = None
    turn_index: int | None = None
    gold: bool = False


class TranscriptionsAssigned(Event):
    """The recordings of one participant, in order; those with a known transcript look like all others."""

    kind = "transcriptions_assigned"
    step: int
    items: list[LoggedItem]


class TranscriptGiven(Event):
    """A recording was written down; text is null where no word could be made out.

    errors, words  of a recording with a known transcript: word errors, and words of the known one
    response_s     since the recording was due
    """

    kind = "transcript_given"
    step: int
    position: int
    item: LoggedItem
    text: str | None
    errors: int | None = None
    words: int | None = None
    prefilled: bool = False
    response_s: float


class TranscriptionsFinished(Event):
    """The participant is done, or was stopped; only accepted work counts.

    accuracy  1 - word errors over words, of all recordings with known transcript; null when there were none
    """

    kind = "transcriptions_finished"
    step: int
    accuracy: float | None
    gold: int
    accepted: bool


TRANSCRIPTION_EVENTS: Final = (TranscriptionsAssigned, TranscriptGiven, TranscriptionsFinished)
