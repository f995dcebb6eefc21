"""The step `elicit` as written, and its file of stimuli: recipes, each a row of frames."""

from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from vivavoce.core.validation import mistake, read_model
from vivavoce.core.yaml_source import KeyPath, Source, read_yaml
from vivavoce.steps.stimulus import PICTURE_TYPES
from vivavoce.study.settings import Flag, Number, Settings
from vivavoce_commands.elicitation.pointing import ThingInPicture
from vivavoce_commands.notation import NotationError, read_predicates

By = Literal["speech", "text"]
Acknowledgement = Literal["text", "voice", "none"]
LONGEST_S: Final = 300


class Stimulus(BaseModel):
    """One frame of a recipe: a picture, a film, or words.

    file   picture or film, relative to the study; None for words alone
    shows  what is to be seen, for those who cannot see it, by language
    text   words to read, by language
    say    what simulated participants say here, by language
    things what can be pointed at in the picture, by key
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
    things: dict[str, ThingInPicture] = {}

    @property
    def film(self) -> bool:
        return self.media_type is not None and self.media_type.startswith("video/")


class ElicitSettings(Settings):
    """Commands to a robot, one for each stimulus: spoken into the browser, or typed."""

    shorthand = "stimuli"

    stimuli: str = Field(description="YAML file of recipes and their frames")
    by: By = Field("speech", description="speech: spoken, or typed without a microphone; text: typed")
    redo: Flag = Field(True, description="allow repeated commands, even after sending")
    seconds: Number = Field(60, ge=1, le=LONGEST_S, description="maximum length of a recording in seconds")
    single_take: Flag = Field(
        False,
        description="one recording of all commands, split by voice activity and checked by its speaker",
    )
    microphone_distance_m: Number | None = Field(
        None, gt=0, le=20, description="distance from mouth to microphone in metres, if prescribed"
    )
    answer: Acknowledgement = Field(
        "text", description="confirmation by the robot: in writing, also by voice, or none"
    )
    pointing: Flag = Field(
        False,
        description="allow pointing at the picture by click, touch or keyboard; not with single_take",
    )

    @model_validator(mode="after")
    def _one_picture_to_point_at(self) -> "ElicitSettings":
        if self.pointing and self.single_take:
            raise mistake("`pointing` and `single_take` together", "remove one of these settings")
        return self


class WrittenThing(Settings):
    """Something in a picture that can be pointed at."""

    at: list[Number] = Field(
        min_length=4, max_length=4, description="left, top, width and height, in per cent of the picture"
    )
    name: dict[str, str] = Field({}, description="name by language, for screen readers (default: the key)")


class WrittenFrame(Settings):
    """A frame as written."""

    stimulus_id: str = Field(alias="id", min_length=1, description="key within the recipe")
    file: str | None = Field(
        None, description="picture or film next to the study file: .svg, .png, .mp4, ..."
    )
    shows: dict[str, str] = Field({}, description="description by language, for screen readers")
    text: dict[str, str] = Field({}, description="text to display, by language")
    does: dict[str, str] = Field(
        {}, description="content as predicates, by language; for people who read the study file"
    )
    things: dict[str, WrittenThing] = Field(
        {}, description="things that can be pointed at, by key; front ones last"
    )
    say: dict[str, list[str]] = Field({}, description="commands of simulated participants, by language")

    @model_validator(mode="after")
    def _something_to_see(self) -> "WrittenFrame":
        if self.file is None and not self.text:
            raise mistake("the frame has no content", "add `file: FRAME.svg`, or `text: {en: ...}`")
        if self.file is not None and Path(self.file).suffix.lower() not in PICTURE_TYPES:
            raise mistake(
                f"{self.file!r} is not a picture or film", f"use a file of type {', '.join(PICTURE_TYPES)}"
            )
        return self


class WrittenRecipe(Settings):
    """A recipe as written: frames in their order; earlier commands are the context of later ones."""

    recipe: str = Field(min_length=1, description="key of the recipe")
    title: dict[str, str] = Field(description="title by language")
    frames: list[WrittenFrame] = Field(min_length=1, description="frames of the recipe")


class StimuliFile(Settings):
    """Recipes, each a row of frames. Pictures and films lie beside the study file. What `shows` says is read
    to those who cannot see them; keep it free of the words that you hope to hear.
    """

    recipes: list[WrittenRecipe] = Field(min_length=1, description="recipes in the order of the visit")


def read_stimuli(path: Path, folder: Path, languages: tuple[str, ...]) -> tuple[tuple[Stimulus, ...], Source]:
    """The stimuli of a file in their order, and the file with whatever is wrong in it.

    folder  where pictures and films lie: the study's
    """
    source = read_yaml(path)
    model = read_model(source, StimuliFile)
    if model is None:
        return (), source
    stimuli: dict[tuple[str, str], Stimulus] = {}
    for number, recipe in enumerate(model.recipes):
        _titled(recipe, ("recipes", number, "title"), languages, source)
        for place, frame in enumerate(recipe.frames):
            at: KeyPath = ("recipes", number, "frames", place)
            if (recipe.recipe, frame.stimulus_id) in stimuli:
                problem = f"duplicate frame {frame.stimulus_id!r} in {recipe.recipe!r}"
                source.report(at, problem, "give one frame another id")
            _check(frame, at, folder, languages, source)
            stimuli[recipe.recipe, frame.stimulus_id] = _stimulus(recipe, frame)
    return tuple(stimuli.values()), source


def _stimulus(recipe: WrittenRecipe, frame: WrittenFrame) -> Stimulus:
    kind = PICTURE_TYPES.get(Path(frame.file).suffix.lower()) if frame.file is not None else None
    return Stimulus(
        recipe=recipe.recipe,
        stimulus_id=frame.stimulus_id,
        title=recipe.title,
        file=frame.file,
        media_type=kind,
        shows=frame.shows,
        text=frame.text,
        say={language: tuple(phrases) for language, phrases in frame.say.items()},
        things={
            key: ThingInPicture(at=(thing.at[0], thing.at[1], thing.at[2], thing.at[3]), name=thing.name)
            for key, thing in frame.things.items()
        },
    )


def _titled(recipe: WrittenRecipe, at: KeyPath, languages: tuple[str, ...], source: Source) -> None:
    for language in languages:
        if language not in recipe.title:
            source.report(
                at, f"recipe {recipe.recipe!r} has no title in {language!r}", f"add `{language}: ...`"
            )


def _check(
    frame: WrittenFrame, at: KeyPath, folder: Path, languages: tuple[str, ...], source: Source
) -> None:
    """Files lie in the study's folder, and everybody is told what is to be seen in their language."""
    if frame.file is not None:
        path = (folder / frame.file).resolve()
        if not path.is_relative_to(folder.resolve()):
            source.report(
                (*at, "file"), f"{frame.file!r} lies outside the study", "copy it into the study folder"
            )
        elif not path.is_file():
            source.report((*at, "file"), f"file {frame.file!r} not found", "copy it into the study folder")
    for language, does in frame.does.items():
        try:
            read_predicates(does)
        except NotationError as error:
            source.report((*at, "does", language), f"cannot read {does!r}: {error}", "write predicates")
    words, key = (frame.shows, "shows") if frame.file is not None else (frame.text, "text")
    for language in languages:
        if not words.get(language, "").strip():
            problem = f"frame {frame.stimulus_id!r} has no text in {language!r}"
            source.report((*at, key), problem, f"add `{key}: {{{language}: ...}}`")
