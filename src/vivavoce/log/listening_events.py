"""Events of listening tests: what a participant was given to hear, his hearing, and what he said of it."""

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from vivavoce.log.event import Event

Choice = Literal["first", "second", "tie"]


class LoggedClip(BaseModel):
    """One clip and its condition."""

    model_config = ConfigDict(frozen=True)
    audio: str
    condition: str


class LoggedTrial(BaseModel):
    """One clip to be rated, or two to be compared in this order."""

    model_config = ConfigDict(frozen=True)
    first: LoggedClip
    second: LoggedClip | None = None
    pair_id: str | None = None


class ClipsAssigned(Event):
    """The trials of one participant in their order, and how many tones each hearing check plays."""

    kind = "clips_assigned"
    step: int
    seed: int
    trials: list[LoggedTrial]
    tones: list[int]


class HearingChecked(Event):
    """A participant counted the tones that were played."""

    kind = "hearing_checked"
    step: int
    attempt: int
    tones: int
    counted: int

    @property
    def right(self) -> bool:
        """Whether he counted them all."""
        return self.tones == self.counted


class ClipJudged(Event):
    """A trial was judged after all of it was heard.

    value       of one clip: 1 bad, 2 poor, 3 fair, 4 good, 5 excellent
    choice      between two clips
    plays       how often clips were played to their end, as the page says
    response_s  since the trial was due, breaks included
    """

    kind = "clip_judged"
    step: int
    position: int
    trial: LoggedTrial
    language: str
    value: int | None = None
    choice: Choice | None = None
    plays: int
    response_s: float


class ListeningFinished(Event):
    """All trials were judged; hearing: the tones were counted right, null where there were none."""

    kind = "listening_finished"
    step: int
    hearing: bool | None


LISTENING_EVENTS: Final[tuple[type[Event], ...]] = (
    ClipsAssigned, HearingChecked, ClipJudged, ListeningFinished,
)  # fmt: skip
