"""Log entries of a listening test, and its table of the dataset."""

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
    """Answer to a trial.

    value   of one clip: 1 bad, 2 poor, 3 fair, 4 good, 5 excellent
    choice  between two clips
    plays   number of complete plays, as the page reports
    """

    model_config = ConfigDict(frozen=True)
    value: int | None = Field(default=None, ge=1, le=5)
    choice: Literal["first", "second", "tie"] | None = None
    plays: int = 1


LISTENING: Final = Table(
    "listening",
    "one rated clip, or one compared pair of clips",
    (
        PARTICIPANT,
        Column("visit_id", KEY, "visit", True),
        Column("trial_number", INTEGER, "1-based position among this participant's trials", True),
        Column("method", LABEL, "opinion (one clip) or pairs (two)", True),
        Column("pair_id", LABEL, "pair of clips; null for one clip"),
        Column("clip", LABEL, "file of the clip, or of the first of two", True),
        Column("condition", LABEL, "its condition", True),
        Column("other_clip", LABEL, "file of the second clip"),
        Column("other_condition", LABEL, "its condition"),
        Column("value", REAL, "of one clip: 1 bad, 2 poor, 3 fair, 4 good, 5 excellent"),
        Column("choice", LABEL, "of two: first, second or tie"),
        Column("plays", INTEGER, "number of complete plays, as the page reports"),
        Column("hearing", FLAG, "the participant counted the tones correctly; null without tones"),
        Column("language", LABEL, "BCP 47 tag"),
        Column("response_s", REAL, "seconds from the presentation of the trial to its answer"),
        Column("answered_at", INSTANT, "UTC"),
        Column("simulated", FLAG, "simulated participant", True),
    ),
    counted="clip judgement",
)
