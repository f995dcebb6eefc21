"""Steps of a visit: as the study file has them, and as the session walks them."""

import re
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from vivavoce.core.validation import mistake, shown_value
from vivavoce.questionnaires.instrument import About
from vivavoce.study.settings import Flag, Settings, Whole

Gate = Literal["code", "dialogue", "none"]
AgentView = Literal["tools", "details", "documents"]
Answers = Literal["whole", "streamed"]

LATER_STEPS: Final = ("annotate",)
_RANGE = re.compile(r"(\d{1,9})\s*\.\.\s*(\d{1,9})")


class Range(BaseModel):
    """Range from min to max, both included."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    min: int
    max: int

    def __str__(self) -> str:
        return str(self.min) if self.min == self.max else f"{self.min}..{self.max}"

    def within(self, most: int) -> "Range":
        """At most this many, but at least min."""
        return Range(min=self.min, max=max(self.min, min(self.max, most)))


class WrittenRange(Range):
    """`2..3`, or one whole number."""

    documented: ClassVar[str] = "range"

    @model_validator(mode="before")
    @classmethod
    def _parse(cls, value: Any) -> Any:
        if isinstance(value, int) and not isinstance(value, bool):
            low = high = value
        elif isinstance(value, str) and (match := _RANGE.fullmatch(value.strip())):
            low, high = int(match[1]), int(match[2])
        else:
            raise mistake(f"{shown_value(value)} is not a range", "write 2..3, or one whole number")
        if low > high:
            raise mistake(f"the range {low}..{high} is reversed", f"write {high}..{low}")
        if low < 0:
            raise mistake(f"the range starts below zero ({low})", "start at 0 or above")
        return {"min": low, "max": high}

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        pattern = r"^\s*\d{1,9}\s*\.\.\s*\d{1,9}\s*$"
        return {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": pattern}]}


class TextFile(Settings):
    """A Markdown file; `consent.it.md` beside `consent.md` is its Italian."""

    shorthand = "file"

    file: str = Field(description="Markdown file next to the study file")


class ConsentFile(TextFile):
    """A consent text."""

    recording: Flag = Field(False, description="the text says that participants are recorded")


class Nontrivial(Settings):
    """Conditions for a real conversation."""

    user_turns: Whole = Field(1, ge=0, le=1000, description="minimum messages to earn a code")


class DialogueSettings(Settings):
    """Dialogues with systems under test, one task each."""

    repeat: WrittenRange = Field(
        WrittenRange.model_validate(1), description="conversations per participant (default 1)"
    )
    gate: Gate = Field(
        "dialogue",
        description="unlock the questionnaire with: a code, a real conversation (dialogue), always (none)",
    )
    nontrivial: Nontrivial = Field(Nontrivial(user_turns=1), description="conditions for a real conversation")
    channel: str = Field("text", description="channel: text, voice, phone, or one from an installed package")
    external: str | None = Field(
        None,
        description=(
            "Markdown file with instructions for a system outside the page; participants enter the code"
        ),
    )
    shows: list[AgentView] = Field(
        [],
        description=(
            "show agent activity to participants: tools (names), details (with arguments and "
            "results), documents (default: none)"
        ),
    )
    answers: Answers = Field(
        "whole", description="display of answers: whole, or streamed while they arrive (text only)"
    )

    @model_validator(mode="after")
    def _repeatable(self) -> "DialogueSettings":
        if self.repeat.max < 1:
            raise mistake("no dialogue (repeat: 0)", "write repeat: 1 or more, or remove the step")
        return self

    @model_validator(mode="after")
    def _streams_in_the_page(self) -> "DialogueSettings":
        if self.answers == "streamed" and (self.channel != "text" or self.external is not None):
            where = f"by {self.channel}" if self.channel != "text" else "outside the page"
            raise mistake(
                f"only the page's chat can stream answers, not dialogues {where}",
                "write answers: whole, or remove the line",
            )
        return self


class FormSettings(Settings):
    """One questionnaire."""

    shorthand = "use"

    use: str = Field(description="questionnaire: cambridge, idial, sus")
    about: About | None = Field(
        None,
        description=(
            "dialogue: asked after each dialogue; visit: asked once (default: as the questionnaire defines)"
        ),
    )


class ScreenSettings(Settings):
    """A screening questionnaire before the tasks."""

    use: str = Field(description="questionnaire, such as idial_background")
    admit: dict[str, WrittenRange] = Field(
        min_length=1, description="item codes that admit a participant, such as {knowledge: 1..3}"
    )
    quotas: dict[str, dict[int, Whole]] = Field(
        {}, description="quotas by code, such as {native: {1: 25, 3: 25}}"
    )


class BattlePlan(Settings):
    """Two anonymous systems answer the same messages side by side, and participants vote."""

    battles: Whole = Field(1, ge=1, le=100, description="battles per participant, each with two systems")
    turns: Whole = Field(6, ge=1, le=100, description="maximum messages of a battle")
    both_bad: Flag = Field(True, description="offer the vote `both are bad`")
    mask: list[str] = Field([], description="words to mask in answers, besides names of systems and models")
    matchmaking: Literal["balanced", "widest"] = Field(
        "balanced", description="matchmaking: all pairs equally often, or the least certain pairs more often"
    )
    leaderboard: Literal["private", "public"] = Field(
        "private", description="leaderboard access: accounts only, or public"
    )
    answers: Answers = Field("whole", description="display of answers: whole, or streamed while they arrive")
    pace: Literal["same", "own"] = Field(
        "same", description="pace of streamed answers: equal for both, or as each system sends"
    )


class StepEntry(Settings):
    """One step of a visit: exactly one of these keys, or of those listed below as `visit: ...`."""

    model_config = ConfigDict(extra="allow", json_schema_extra={"minProperties": 1, "maxProperties": 1})

    consent: ConsentFile | None = Field(None, description="consent text")
    screen: ScreenSettings | None = Field(None, description="screening questionnaire")
    instructions: TextFile | None = Field(None, description="text to read")
    dialogue: DialogueSettings | None = Field(None, description="dialogues with systems under test")
    questionnaire: FormSettings | None = Field(None, description="a form")
    debrief: TextFile | None = Field(None, description="text to read at the end")

    @model_validator(mode="before")
    @classmethod
    def _one_step(cls, value: Any) -> Any:
        known = ", ".join(cls.model_fields)
        if isinstance(value, str):
            value = {value: {}}
        if not isinstance(value, dict):
            raise mistake(f"{shown_value(value)} is not a step", f"write one of: {known}")
        for name in value:
            if name in LATER_STEPS:
                raise mistake(f"step {name!r} is not available in this version", f"known: {known}")
        if len(value) != 1:
            raise mistake(f"a step has one key, not {len(value)}", f"write one of: {known}")
        return {name: {} if settings is None else settings for name, settings in value.items()}

    @property
    def written(self) -> tuple[str, Any]:
        """Key and settings of the step: checked for a built-in step, as written for another package's."""
        return next((name, settings) for name, settings in self if settings is not None)


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
