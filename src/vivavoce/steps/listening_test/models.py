"""What is logged of a listening test, and its table of the dataset."""

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.log.columns import FLAG, INSTANT, INTEGER, KEY, LABEL, PARTICIPANT, REAL, Column, Table


class PlayedClip(BaseModel):
    """One clip and its condition."""

    model_config = ConfigDict(frozen=True)
    audio: str
    condition: str


class ListeningTrial(BaseModel):
    """One clip to be rated, or two to be compared in this order."""

    model_config = ConfigDict(frozen=True)
    first: PlayedClip
    second: PlayedClip | None = None
    pair_id: str | None = None

    @property
    def clips(self) -> tuple[PlayedClip, ...]:
        return (self.first,) if self.second is None else (self.first, self.second)


class ClipJudgement(BaseModel):
    """What was said of a trial.

    value   of one clip: 1 bad, 2 poor, 3 fair, 4 good, 5 excellent
    choice  between two clips
    plays   how often clips were played to their end, as the page says
    """

    model_config = ConfigDict(frozen=True)
    value: int | None = Field(default=None, ge=1, le=5)
    choice: Literal["first", "second", "tie"] | None = None
    plays: int = 1


LISTENING: Final = Table(
    "listening",
    "one clip that was rated, or one pair of clips that was compared, by ear",
    (
        PARTICIPANT,
        Column("visit_id", KEY, "visit", True),
        Column("trial_number", INTEGER, "1-based place in what this participant judged", True),
        Column("method", LABEL, "opinion (one clip) or pairs (two)", True),
        Column("pair_id", LABEL, "pair of clips; null for one clip"),
        Column("clip", LABEL, "file of the clip, or of the first of two", True),
        Column("condition", LABEL, "its condition", True),
        Column("other_clip", LABEL, "file of the second clip"),
        Column("other_condition", LABEL, "its condition"),
        Column("value", REAL, "of one clip: 1 bad, 2 poor, 3 fair, 4 good, 5 excellent"),
        Column("choice", LABEL, "of two: first, second or tie"),
        Column("plays", INTEGER, "how often clips were played to their end, as the page says"),
        Column("hearing", FLAG, "the participant counted the tones right; null where none were played"),
        Column("language", LABEL, "BCP 47 tag"),
        Column("response_s", REAL, "from when the trial was due to its answer"),
        Column("answered_at", INSTANT, "UTC"),
        Column("simulated", FLAG, "the participant was a program", True),
    ),
    counted="clip judgement",
)
