"""The steps of a visit, as the session walks them."""

from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from vivavoce.questionnaires.instrument import About
from vivavoce.study.listening import ListenSettings
from vivavoce.study.settings import Settings
from vivavoce.study.steps_file import (
    ArenaSettings,
    CompareSettings,
    DialogueSettings,
    Range,
    RateSettings,
    TextFile,
    TranscribeSettings,
)
from vivavoce.study.stimuli_file import ElicitSettings


class _Step(Settings):
    @property
    def document(self) -> str | None:
        """The Markdown file that participants read in the step; None: there is none."""
        return None


class _TextStep(TextFile, _Step):
    """A text to read."""

    @property
    def document(self) -> str:
        return self.file


class ConsentStep(_TextStep):
    """A text that the participant must agree to."""

    kind: Literal["consent"] = "consent"


class InstructionsStep(_TextStep):
    """A text to read before the dialogues."""

    kind: Literal["instructions"] = "instructions"


class DebriefStep(_TextStep):
    """A text to read at the end."""

    kind: Literal["debrief"] = "debrief"


class QuestionnaireStep(_Step):
    """A form: after each dialogue where it belongs to a dialogue step's `feedback`, else once.

    admit  codes by item that a participant must answer with to go on; none where everybody may
    """

    kind: Literal["questionnaire"] = "questionnaire"
    name: str
    about: About
    admit: dict[str, Range] = {}


class DialogueStep(DialogueSettings, _Step):
    """Dialogues with systems under test, one task each, followed by the feedback forms.

    gate      code: the form opens with the earned code; dialogue: it opens when the dialogue was not trivial;
              none: it is open
    channel   how participants talk: text, voice, or one that a package offers, such as phone
    elsewhere None when the chat is in the page; else the file that says where the system is reached
    """

    kind: Literal["dialogue"] = "dialogue"
    repeat: Range  # pyright: ignore[reportIncompatibleVariableOverride]
    feedback: tuple[QuestionnaireStep, ...] = ()

    @property
    def document(self) -> str | None:
        return self.elsewhere


class CompareStep(CompareSettings, _Step):
    """Pairs of transcripts, one of every variable, each followed by a choice for every question.

    minimum_s    a whole response shorter than this is flagged, and where `accept_fast` is off not accepted;
                 who is not accepted gets a completion code only with `code_if_not_accepted`
    """

    kind: Literal["compare"] = "compare"
    variables: tuple[str, ...]  # pyright: ignore[reportIncompatibleVariableOverride]
    questions: tuple[str, ...]  # pyright: ignore[reportIncompatibleVariableOverride]

    @property
    def minimum_s(self) -> float:
        return self.minimum_minutes * 60


class RateStep(RateSettings, _Step):
    """Transcripts of the same pairs, read one at a time and rated on the questionnaire `name`.

    versions  both: everybody reads both versions of a pair, first one of every variable, then the others;
              one: only the first
    """

    kind: Literal["rate"] = "rate"
    variables: tuple[str, ...]  # pyright: ignore[reportIncompatibleVariableOverride]

    @property
    def name(self) -> str:
        return self.use


class ArenaStep(ArenaSettings, _Step):
    """Bouts: two anonymous systems answer the same messages side by side, and the participant votes.

    names  what is masked in the answers: names of systems, and what the study adds
    """

    kind: Literal["arena"] = "arena"
    names: tuple[str, ...] = ()


class TranscribeStep(TranscribeSettings, _Step):
    """Recordings to write down, some of them with a known transcript (gold).

    accuracy  least word accuracy over the known ones; below it nothing of the participant's counts, and they
              get a completion code only with `code_if_not_accepted`
    """

    kind: Literal["transcribe"] = "transcribe"
    audio: Path  # pyright: ignore[reportIncompatibleVariableOverride]


class ElicitStep(ElicitSettings, _Step):
    """Commands to a robot, one for each stimulus."""

    kind: Literal["elicit"] = "elicit"


class ListenStep(ListenSettings, _Step):
    """Short clips, each heard whole and then rated, or compared with another."""

    kind: Literal["listen"] = "listen"
    audio: Path  # pyright: ignore[reportIncompatibleVariableOverride]


class OfferedStep(_Step):
    """A step of another package.

    settings  what is written in the study file, checked by the step's own model
    material  what the step has read of the files that they name
    """

    kind: str
    settings: Any
    material: Any = None


OwnStep: TypeAlias = Annotated[
    ConsentStep
    | InstructionsStep
    | DialogueStep
    | CompareStep
    | RateStep
    | ArenaStep
    | ListenStep
    | TranscribeStep
    | ElicitStep
    | QuestionnaireStep
    | DebriefStep,
    Field(discriminator="kind"),
]
Step: TypeAlias = OwnStep | OfferedStep
