"""Stimuli: what a participant sees before each command, in the order of a recipe."""

from pydantic import BaseModel, ConfigDict


class Stimulus(BaseModel):
    """One frame of a recipe: a picture, a film, or words.

    file   picture or film, relative to the study; None for words alone
    shows  what is to be seen, for those who cannot see it, by language
    text   words to read, by language
    say    what simulated participants say here, by language
    """

    model_config = ConfigDict(frozen=True)

    recipe: str
    stimulus_id: str
    title: dict[str, str]
    file: str | None = None
    media_type: str | None = None
    shows: dict[str, str] = {}
    text: dict[str, str] = {}
    say: dict[str, tuple[str, ...]] = {}

    @property
    def film(self) -> bool:
        return self.media_type is not None and self.media_type.startswith("video/")
