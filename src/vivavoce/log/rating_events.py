"""Events of third-party rating: a participant reads transcripts one at a time and rates each."""

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from vivavoce.log.event import Event, LoggedRating


class LoggedReading(BaseModel):
    """One transcript that a participant will read: a version of a pair; role attention: a broken one."""

    model_config = ConfigDict(frozen=True)
    pair_id: str
    variable: str
    change: str
    version: Literal["control", "experimental"]
    level: str
    role: Literal["main", "attention"] = "main"


class TranscriptsAssigned(Event):
    """The transcripts of one participant in their order, drawn by the balanced plan's slot number."""

    kind = "transcripts_assigned"
    step: int
    slot: int
    seed: int
    transcripts: list[LoggedReading]


class TranscriptRated(Event):
    """One transcript was read and rated.

    response_s  seconds since it was due, breaks included
    digest      of both transcripts of its pair, with the length in tokens of the one that was read
    """

    kind = "transcript_rated"
    step: int
    position: int
    pair_id: str
    shown: Literal["control", "experimental"]
    language: str
    digest: str
    tokens: int
    instrument: str
    wording: str
    response_s: float
    ratings: list[LoggedRating]


class TranscriptsFinished(Event):
    """All transcripts were rated: how long the whole took."""

    kind = "transcripts_finished"
    step: int
    total_s: float
    accepted: bool = True


READING_EVENTS: Final[tuple[type[Event], ...]] = (TranscriptsAssigned, TranscriptRated, TranscriptsFinished)
