"""The step `elicit`: frames of recipes, each with a command to a robot, spoken or typed."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from vivavoce.core.errors import InputError
from vivavoce.dataset.columns import (
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
from vivavoce.log.events import ResponseGiven, StepFinished, StimuliPlanned, WholeRecorded
from vivavoce.steps.base import (
    EMPTY,
    SPOKEN,
    TOO_LONG,
    TYPED,
    Information,
    Message,
    OfferedStep,
    SimulatedParticipant,
    StepFiles,
)
from vivavoce.steps.stimulus import (
    Outcome,
    PlanContext,
    RecordedResponse,
    Rejected,
    Row,
    SoundPlan,
    StimulusResponse,
    StimulusStep,
    StimulusView,
)
from vivavoce.study.model import Study
from vivavoce_commands.elicitation.pointing import (
    FIELD,
    MOST_POINTS,
    PointedAt,
    ShownThing,
    read_pointed,
    write_pointed,
)
from vivavoce_commands.elicitation.stimuli_file import ElicitSettings, StimuliFile, Stimulus, read_stimuli

COMMANDS: Final = Table(
    "commands",
    "one spoken or typed command with its predicates",
    (
        Column("command_id", KEY, "key of the command", True),
        PARTICIPANT,
        Column("recipe", LABEL, "recipe or other sequence; its earlier commands are context"),
        Column("utterance", INTEGER, "number within the recipe, or of the speaker"),
        Column("frame", LABEL, "stimulus that elicited the command"),
        Column("language", LABEL, "BCP 47 language tag"),
        Column("text", WORDS, "typed or transcribed text"),
        Column(
            "pointed",
            WORDS,
            ("items pointed at, in order: things, or places in per cent; null: pointing was not possible"),
        ),
        Column("recording", SOUND, "audio file, relative to the dataset"),
        Column("duration_s", REAL, "length of the recording"),
        Column("microphone_distance_m", REAL, "distance between mouth and microphone"),
        Column("annotation", WORDS, "predicates in the final notation; null: none, or unreadable"),
        Column("annotation_written", WORDS, "original annotation, if it differs"),
        Column("annotator_id", KEY, 'pseudonymous key; "adjudicated" after a disagreement'),
        Column("given_at", INSTANT, "UTC"),
        Column("simulated", FLAG, "true for commands of a program", True),
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


LONGEST_COMMAND: Final = 500


Due = StimulusView[OfferedStep, FrameKey]


class Elicitation(StimulusStep[OfferedStep, FrameKey, GivenCommand]):
    """Simulated participants command in writing, and say what the study's stimuli propose."""

    name, settings, file_models = "elicit", ElicitSettings, {"stimuli.yaml": StimuliFile}
    stimulus, response, table = FrameKey, GivenCommand, COMMANDS
    activity_label, item_label = "commanding a robot", "stimuli"
    earlier_events = {
        "stimuli_assigned": StimuliPlanned,
        "command_given": ResponseGiven,
        "commands_cut": WholeRecorded,
        "commands_finished": StepFinished,
    }
    earlier_addresses = {
        "/elicit/typed": "/respond",
        "/elicit/recording": "/respond/recording",
        "/elicit/whole": "/respond/recording",
        "/elicit/cut": "/respond/cut",
    }

    def materials(self, settings: ElicitSettings, files: StepFiles) -> tuple[Stimulus, ...]:
        """The stimuli in their order; in revisions their file is `stimuli`, a picture `stimulus`."""
        hint, known_as = (
            "write recipes and frames; see the example of `vivavoce init`",
            f"stimuli/{settings.stimuli}",
        )
        path = files.path(settings.stimuli, "stimuli", hint=hint, known_as=known_as)
        if path is None:
            return ()
        stimuli, source = read_stimuli(path, files.folder, files.languages)
        for problem in source.problems:
            files.report("", problem.problem, problem.hint, file=problem.place)
        for stimulus in stimuli if not source.problems else ():
            if stimulus.file is not None:
                files.keep(files.folder / stimulus.file, f"stimulus/{stimulus.file}", "stimuli")
        return stimuli

    def minutes(self, step: OfferedStep, study: Study) -> float:
        return len(step.material) / 2

    def participant_info(self, step: OfferedStep, study: Study) -> Information:
        spoken = step.settings.by == "speech"
        commands = len(step.material)
        does = (
            Message(
                "You see one picture and give the robot a command: by voice where your device has a "
                "microphone, "
                "else in writing.",
                "You see %(num)s pictures, one after another, and give the robot a command for each: by "
                "voice "
                "where your device has a microphone, else in writing.",
                commands,
            )
            if spoken
            else Message(
                "You see one picture and write the robot a command.",
                "You see %(num)s pictures, one after another, and write the robot a command for each.",
                commands,
            )
        )
        return Information(
            Message(
                "Thank you for your interest. In this study you tell a robot what to do, and help it "
                "learn to "
                "understand people."
            ),
            (does,),
            (Message("A microphone, if you like to speak."),) if spoken else (),
            (SPOKEN, TYPED) if spoken else (TYPED,),
        )

    def preregistration_line(self, step: OfferedStep, study: Study) -> str:
        how = "by voice, or in writing without a microphone" if step.settings.by == "speech" else "in writing"
        return f"{len(step.material)} commands to a robot, one per stimulus, {how}"

    def check_simulation(self, step: OfferedStep, study: Study, language: str) -> None:
        for frame in step.material:
            if not frame.say.get(language):
                raise InputError(
                    f"frame {frame.stimulus_id!r} has no example commands in {language!r}",
                    place=step.settings.stimuli,
                    hint=f"add `say: {{{language}: [...]}}` to the frame",
                )

    def plan(self, step: OfferedStep, study: Study, draw: PlanContext) -> list[FrameKey]:
        """Every frame, in the order of the file: earlier commands are the context of later ones."""
        return [FrameKey(recipe=frame.recipe, stimulus_id=frame.stimulus_id) for frame in step.material]

    def redo(self, step: OfferedStep) -> bool:
        return step.settings.redo

    def sound_plan(self, step: OfferedStep) -> SoundPlan | None:
        if step.settings.by != "speech":
            return None
        return SoundPlan(
            step.settings.seconds,
            step.settings.single_take,
            step.settings.microphone_distance_m,
            "command",
            "commands",
        )

    def files(self, shown: Due) -> Mapping[str, Path]:
        folder = shown.study.folder
        return {frame.file: folder / frame.file for frame in _frames(shown) if frame.file is not None}

    def facts(self, shown: Due, entered: Mapping[str, str] | None) -> Mapping[str, object]:
        frames_of_step = _frames(shown)
        frames, frame = (
            [_shown(item, shown.language) for item in frames_of_step],
            frames_of_step[shown.position],
        )
        return {
            "frames": frames,
            "frame": frames[shown.position],
            "longest": LONGEST_COMMAND,
            "understood": shown.position > 0 and not shown.again and shown.step.settings.answer != "none",
            "aloud": shown.step.settings.answer == "voice",
            "pointing": shown.step.settings.pointing,
            "things": _things(frame, shown.language),
            "most_points": MOST_POINTS,
        }

    def read(self, shown: Due, entered: Mapping[str, str]) -> GivenCommand:
        text = " ".join(entered.get("text", "").split())
        return GivenCommand(by="text", text=text, pointed=_pointed(shown, entered))

    def spoken(self, shown: Due) -> GivenCommand:
        return GivenCommand(by="speech")

    def spoken_with(self, shown: Due, beside: Mapping[str, str]) -> GivenCommand:
        return GivenCommand(by="speech", pointed=_pointed(shown, beside))

    def check(self, shown: Due, response: GivenCommand, elapsed_s: float | None) -> None:
        if response.text == "":
            raise Rejected(EMPTY, "text")
        if len(response.text or "") > LONGEST_COMMAND:
            raise Rejected(TOO_LONG, "text")

    def over(self, step: OfferedStep, study: Study, given: Sequence[tuple[FrameKey, GivenCommand]]) -> bool:
        """True if all was recorded at once and cut: silent parts stay without a command."""
        return any(command.cut_from is not None for _, command in given)

    def finish(self, step: OfferedStep, study: Study, given: Sequence[object], total_s: float) -> Outcome:
        return Outcome()

    def rows(self, given: StimulusResponse[FrameKey, GivenCommand]) -> Iterator[Row]:
        """One row; a command whose recording was removed keeps its duration, without the file."""
        recorded = given.recorded
        yield {
            "command_id": f"{given.visit_id}-{given.place}-{given.position}",
            "participant_id": given.participant_id,
            "recipe": given.stimulus.recipe,
            "utterance": given.position + 1,
            "frame": given.stimulus.stimulus_id,
            "language": given.language,
            "text": given.response.text,
            "pointed": write_pointed(given.response.pointed),
            "recording": given.file,
            "duration_s": recorded.duration_s if recorded else None,
            "microphone_distance_m": recorded.microphone_distance_m if recorded else None,
            "given_at": given.answered_at,
            "simulated": given.simulated,
        }

    def about(self, stimulus: FrameKey) -> str:
        return stimulus.stimulus_id

    def respond(self, shown: Due, participant: SimulatedParticipant) -> GivenCommand:
        proposed = _frames(shown)[shown.position].say[shown.language]
        chance = participant.chance(f"elicit {shown.place} {shown.position}")
        return GivenCommand(by="text", text=chance.choice(proposed))


class ShownFrame(NamedTuple):
    """A frame in the language of the page."""

    file: str | None
    film: bool
    title: str
    shows: str
    words: str


def _pointed(due: Due, entered: Mapping[str, str]) -> tuple[PointedAt, ...] | None:
    if not due.step.settings.pointing:
        return None
    return read_pointed(entered.get(FIELD, ""), _frames(due)[due.position].things)


def _things(frame: Stimulus, language: str) -> list[ShownThing]:
    return [ShownThing(_words(thing.name, language) or key, *thing.at) for key, thing in frame.things.items()]


def _shown(frame: Stimulus, language: str) -> ShownFrame:
    title, shows, words = (_words(text, language) for text in (frame.title, frame.shows, frame.text))
    return ShownFrame(frame.file, frame.film, title, shows, words)


def _frames(due: Due) -> list[Stimulus]:
    """The frames as the study has them now; one that it no longer has is shown as its key."""
    by_key = {(item.recipe, item.stimulus_id): item for item in due.step.material}
    return [
        by_key.get((stimulus.recipe, stimulus.stimulus_id)) or _gone(stimulus, due.study)
        for stimulus in due.stimuli
    ]


def _gone(frame: FrameKey, study: Study) -> Stimulus:
    title = dict.fromkeys(study.languages, frame.recipe)
    text = dict.fromkeys(study.languages, frame.stimulus_id)
    return Stimulus(recipe=frame.recipe, stimulus_id=frame.stimulus_id, title=title, text=text)


def _words(words: dict[str, str], language: str) -> str:
    return words.get(language) or next(iter(words.values()), "")
