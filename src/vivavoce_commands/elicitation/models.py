"""What is logged of the step `elicit`, and the table of the dataset that it becomes."""

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from vivavoce.log.columns import FLAG, INSTANT, INTEGER, PARTICIPANT, REAL, TEXT, Column, Table
from vivavoce.steps.stimulus import RecordedResponse

COMMANDS: Final = Table(
    "commands",
    "one spoken or typed command with its predicates",
    (
        Column("command_id", TEXT, "key of the command", True),
        PARTICIPANT,
        Column("recipe", TEXT, "recipe, or other sequence, in which earlier commands are context"),
        Column("utterance", INTEGER, "its number within the recipe or speaker"),
        Column("frame", TEXT, "stimulus after which it was given"),
        Column("language", TEXT, "BCP 47 tag"),
        Column("text", TEXT, "what was said: typed, or transcribed"),
        Column("recording", TEXT, "audio file, relative to the dataset"),
        Column("duration_s", REAL, "length of the recording"),
        Column("microphone_distance_m", REAL, "between mouth and microphone"),
        Column("annotation", TEXT, "predicates in the final notation; null when none, or unreadable"),
        Column("annotation_written", TEXT, "the annotation as it was found, where it may differ"),
        Column("annotator_id", TEXT, "pseudonymous key; adjudicated where annotators differed"),
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
    """A command; text is null of a spoken one until it is transcribed."""

    by: Literal["speech", "text"]
    text: str | None = None
