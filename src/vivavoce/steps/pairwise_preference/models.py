"""Log entries of a comparison of transcripts, and its table of the dataset."""

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from vivavoce.dataset.columns import (
    ANSWERED_AT,
    FLAG,
    INTEGER,
    LABEL,
    PARTICIPANT,
    REAL,
    VISIT,
    Column,
    Table,
)


class PresentedPair(BaseModel):
    """One pair of transcripts that a participant will see, and on which side its experimental one stands."""

    model_config = ConfigDict(frozen=True)
    pair_id: str
    variable: str
    role: Literal["main", "attention", "repeat"]
    change: str
    attention: str | None = None
    experimental_side: Literal["left", "right"]
    control_level: str
    experimental_level: str


class PairChoice(BaseModel):
    """One answered question about a pair: the version preferred and the side on which it stood.

    strength  1 slightly, 2 clearly, 3 very much; null where it was not asked, or for a tie
    """

    model_config = ConfigDict(frozen=True)
    question: str
    quality: str | None = None
    choice: Literal["control", "experimental", "tie"]
    side: Literal["left", "right"] | None
    strength: int | None = None


class PairChoices(BaseModel):
    """Choices about one pair; digest of both transcripts as shown, with their lengths in tokens."""

    model_config = ConfigDict(frozen=True)
    pair_id: str
    digest: str
    control_tokens: int
    experimental_tokens: int
    presentation: str
    choices: list[PairChoice]


PREFERENCES: Final = Table(
    "preferences",
    "answer to one question about one pair of transcripts",
    (
        PARTICIPANT,
        VISIT,
        Column("comparison_number", INTEGER, "1-based position of the pair for this participant"),
        Column("role", LABEL, "main, attention or repeat", True),
        Column("pair_id", LABEL, "pair of transcripts", True),
        Column("variable", LABEL, "interaction strategy under test", True),
        Column("change", LABEL, "substitution or insertion"),
        Column("control_level", LABEL, "level of the control transcript", True),
        Column("experimental_level", LABEL, "level of the experimental transcript", True),
        Column("question", LABEL, "question", True),
        Column("quality", LABEL, "service or experience"),
        Column("choice", LABEL, "control, experimental or tie", True),
        Column("side", LABEL, "preferred side: left (or first), right; null for a tie"),
        Column("experimental_side", LABEL, "side of the experimental transcript; null when not recorded"),
        Column("strength", INTEGER, "1 slightly, 2 clearly, 3 very much; null if not asked, or for a tie"),
        Column("presentation", LABEL, "together or in-turn"),
        Column("language", LABEL, "BCP 47 tag"),
        Column("control_tokens", INTEGER, "length of the control transcript"),
        Column("experimental_tokens", INTEGER, "length of the experimental transcript"),
        Column("response_s", REAL, "seconds from the presentation of the pair to its answers"),
        Column("total_s", REAL, "duration of the participant's whole response; null if unfinished"),
        Column("accepted", FLAG, "the whole response is accepted; null if unfinished"),
        Column("flags", LABEL, "flags of the whole response, joined by spaces"),
        ANSWERED_AT,
        Column("simulated", FLAG, "simulated participant", True),
    ),
    counted="judgement",
)
