"""What the step `elicit` logs of each frame and of the command that it got."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from vivavoce.steps.stimulus import RecordedResponse


class FrameKey(BaseModel):
    """One frame of a recipe."""

    model_config = ConfigDict(frozen=True)
    recipe: str
    stimulus_id: str


class GivenCommand(RecordedResponse):
    """A command; text is null of a spoken one until it is transcribed."""

    by: Literal["speech", "text"]
    text: str | None = None
