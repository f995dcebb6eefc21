"""The steps of a visit as a researcher writes them, one class each."""

import re
from typing import Any, ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from vivavoce.core.errors import nearest
from vivavoce.core.shelf import offers
from vivavoce.core.validation import mistake, shown_value
from vivavoce.questionnaires.instrument import About
from vivavoce.study.settings import Flag, Settings, Whole

Gate = Literal["code", "dialogue", "none"]
AgentView = Literal["tools", "details", "documents"]
Answers = Literal["whole", "streamed"]

LATER_STEPS: Final = ("annotate",)
_RANGE = re.compile(r"(\d{1,9})\s*\.\.\s*(\d{1,9})")


class Range(BaseModel):
    """From min to max, both included."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    min: int
    max: int

    def __str__(self) -> str:
        return str(self.min) if self.min == self.max else f"{self.min}..{self.max}"

    def within(self, most: int) -> "Range":
        """No more than so many, but as many as there must be."""
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
            raise mistake(f"the range {low}..{high} runs backwards", f"write {high}..{low}")
        if low < 0:
            raise mistake(f"the range begins below zero ({low})", "begin at 0 or above")
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

    file: str = Field(description="Markdown file beside the study file")


class ConsentFile(TextFile):
    """A text that the participant must agree to."""

    recording: Flag = Field(False, description="the text says that what participants say is recorded")


class Nontrivial(Settings):
    """What makes a dialogue count."""

    user_turns: Whole = Field(1, ge=0, le=1000, description="fewest user turns that earn a code")


class DialogueSettings(Settings):
    """Dialogues with systems under test, one task each."""

    repeat: WrittenRange = Field(WrittenRange.model_validate(1), description="dialogues of one visit")
    gate: Gate = Field(
        "dialogue",
        description="what opens the form: an earned code, a dialogue that was not trivial, nothing",
    )
    nontrivial: Nontrivial = Field(Nontrivial(user_turns=1), description="what makes a dialogue count")
    channel: str = Field(
        "text", description="how participants talk: text, voice, phone, or another one that a package offers"
    )
    elsewhere: str | None = Field(
        None,
        description="Markdown file that says how to reach a system outside the page; the code is typed in",
    )
    shows: list[AgentView] = Field(
        [],
        description="what participants see of what an agent did for a turn: tools (their names), details "
        "(arguments and results, too), documents that it looked up; nothing when left out",
    )
    answers: Answers = Field(
        "whole", description="when answers are seen: whole, or streamed, as their words come (in writing)"
    )

    @model_validator(mode="after")
    def _repeatable(self) -> "DialogueSettings":
        if self.repeat.max < 1:
            raise mistake("no dialogue at all (repeat: 0)", "write repeat: 1 or more, or remove the step")
        return self

    @model_validator(mode="after")
    def _streams_in_the_page(self) -> "DialogueSettings":
        if self.answers == "streamed" and (self.channel != "text" or self.elsewhere is not None):
            where = f"by {self.channel}" if self.channel != "text" else "outside the page"
            raise mistake(
                f"answers are streamed in the page's chat alone, not {where}",
                "write answers: whole, or remove the line",
            )
        return self


class FormSettings(Settings):
    """One questionnaire."""

    shorthand = "use"

    use: str = Field(description="name of the instrument: cambridge, idial, sus")
    about: About | None = Field(
        None, description="dialogue: asked after each one; visit: asked once; else as the instrument says"
    )


class ScreenSettings(Settings):
    """A form before the tasks that decides who takes part."""

    use: str = Field(description="name of the questionnaire, such as idial_background")
    admit: dict[str, WrittenRange] = Field(
        min_length=1, description="codes by item with which one goes on, such as {knowledge: 1..3}"
    )
    quotas: dict[str, dict[int, Whole]] = Field(
        {}, description="how many people of each code take part, such as {native: {1: 25, 3: 25}}"
    )


class BattlePlan(Settings):
    """Two anonymous systems answer the same messages side by side, and participants vote."""

    bouts: Whole = Field(1, ge=1, le=100, description="bouts of one participant, each with two systems")
    turns: Whole = Field(6, ge=1, le=100, description="most messages of a bout; then it ends")
    both_bad: Flag = Field(True, description="`both are bad` may be voted, too")
    mask: list[str] = Field([], description="words to mask in answers beside names of systems and models")
    meet: Literal["balanced", "widest"] = Field(
        "balanced", description="who meets: all equally often, or those whose difference is least known"
    )
    leaderboard: Literal["private", "public"] = Field(
        "private", description="the dashboard's leaderboard: for accounts, or for anybody at its address"
    )
    answers: Answers = Field(
        "whole", description="when answers are seen: both whole at once, or streamed, as their words come"
    )
    pace: Literal["same", "own"] = Field(
        "same", description="of streamed answers: both grow equally long, or each as its system gives it out"
    )


class StepEntry(Settings):
    """One step of a visit: exactly one key, of these or of what stands below as `visit: ...`."""

    model_config = ConfigDict(extra="allow", json_schema_extra={"minProperties": 1, "maxProperties": 1})

    consent: ConsentFile | None = Field(None, description="text that the participant must agree to")
    screen: ScreenSettings | None = Field(None, description="a form that decides who takes part")
    instructions: TextFile | None = Field(None, description="text to read")
    dialogue: DialogueSettings | None = Field(None, description="dialogues with systems under test")
    questionnaire: FormSettings | None = Field(None, description="a form")
    debrief: TextFile | None = Field(None, description="text to read at the end")

    @model_validator(mode="before")
    @classmethod
    def _one_step(cls, value: Any) -> Any:
        known = list(dict.fromkeys((*cls.model_fields, *(one.name for one in offers("vivavoce.steps")))))
        if isinstance(value, str):
            value = {value: {}}
        if not isinstance(value, dict):
            raise mistake(f"{shown_value(value)} is not a step", f"write one of: {', '.join(known)}")
        for name in value:
            if name in LATER_STEPS:
                raise mistake(f"step {name!r} is not available in this version", f"known: {', '.join(known)}")
            if name not in known:
                raise mistake(f"unknown step {name!r}", nearest(str(name), known))
        if len(value) != 1:
            raise mistake(f"a step has one key, not {len(value)}", f"write one of: {', '.join(known)}")
        return {name: {} if settings is None else settings for name, settings in value.items()}

    @property
    def written(self) -> tuple[str, Any]:
        """The key, and the settings: checked of a step of ours, as written of one of another package."""
        return next((name, settings) for name, settings in self if settings is not None)
