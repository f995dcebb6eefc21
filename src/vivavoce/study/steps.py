"""The steps of a visit, as the session walks them."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from vivavoce.questionnaires.instrument import About
from vivavoce.study.settings import Settings
from vivavoce.study.steps_file import (
    ConsentFile,
    DialogueSettings,
    Range,
    TextFile,
)


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


class ConsentStep(ConsentFile, _TextStep):
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

    admit   codes by item that a participant must answer with to go on; none where everybody may
    quotas  how many people of a code take part, by item and code; of others any number
    """

    kind: Literal["questionnaire"] = "questionnaire"
    name: str
    about: About
    admit: dict[str, Range] = {}
    quotas: dict[str, dict[int, int]] = {}


class DialoguePlan(DialogueSettings):
    """Dialogues with systems under test, one task each, followed by the feedback forms.

    gate      code: the form opens with the earned code; dialogue: it opens when the dialogue was not trivial;
              none: it is open
    channel   how participants talk: text, voice, or one that a package offers, such as phone
    external None when the chat is in the page; else the file that says where the system is reached
    """

    repeat: Range = Range(min=1, max=1)  # pyright: ignore[reportIncompatibleVariableOverride]
    feedback: tuple[QuestionnaireStep, ...] = ()


class DialogueStep(DialoguePlan, _Step):
    """A step of dialogues as `DialoguePlan` has them."""

    kind: Literal["dialogue"] = "dialogue"


class OfferedStep(_Step):
    """A step of another package.

    settings  what is written in the study file, checked by the step's own model
    material  what the step has read of the files that they name
    text      the Markdown file that participants read in the step; None: there is none
    feedback  the forms about each dialogue, where the step holds dialogues
    """

    kind: str
    settings: Any
    material: Any = Field(default=None, repr=False)
    text: str | None = None
    feedback: tuple[QuestionnaireStep, ...] = ()

    @property
    def document(self) -> str | None:
        return self.text


OwnStep: TypeAlias = Annotated[
    ConsentStep | InstructionsStep | DialogueStep | QuestionnaireStep | DebriefStep,
    Field(discriminator="kind"),
]
Step: TypeAlias = OwnStep | OfferedStep
