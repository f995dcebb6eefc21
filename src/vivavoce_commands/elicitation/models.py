"""What is logged of the step `elicit`, and the table of the dataset that it becomes."""

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from vivavoce.log.columns import (
    FLAG,
    INSTANT,
    INTEGER,
    KEY,
    LABEL,
    PARTICIPANT,
    REAL,
    SOUND,
    WORDS,
    Column,
    Table,
)
from vivavoce.steps.stimulus import RecordedResponse
from vivavoce_commands.elicitation.pointing import PointedAt

COMMANDS: Final = Table(
    "commands",
    "one spoken or typed command with its predicates",
    (
        Column("command_id", KEY, "key of the command", True),
        PARTICIPANT,
        Column("recipe", LABEL, "recipe, or other sequence, in which earlier commands are context"),
        Column("utterance", INTEGER, "its number within the recipe or speaker"),
        Column("frame", LABEL, "stimulus after which it was given"),
        Column("language", LABEL, "BCP 47 tag"),
        Column("text", WORDS, "what was said: typed, or transcribed"),
        Column(
            "pointed",
            WORDS,
            "what was pointed at, in order: things, or places in per cent; null: nobody could",
        ),
        Column("recording", SOUND, "audio file, relative to the dataset"),
        Column("duration_s", REAL, "length of the recording"),
        Column("microphone_distance_m", REAL, "between mouth and microphone"),
        Column("annotation", WORDS, "predicates in the final notation; null when none, or unreadable"),
        Column("annotation_written", WORDS, "the annotation as it was found, where it may differ"),
        Column("annotator_id", KEY, "pseudonymous key; adjudicated where annotators differed"),
        Column("given_at", INSTANT, "UTC"),
        Column("simulated", FLAG, "given by a program", True),
    ),
    counted="command",
    before="steps",
)


class FrameKey(BaseModel):
    """One frame of a recipe."""

    model_config = ConfigDict(frozen=True)
    recipe: str
    stimulus_id: str


class GivenCommand(RecordedResponse):
    """A command; text is null of a spoken one until it is transcribed, pointed where nobody could point."""

    by: Literal["speech", "text"]
    text: str | None = None
    pointed: tuple[PointedAt, ...] | None = None
