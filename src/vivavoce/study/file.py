"""The study file as a researcher writes it: every key with its type, default and meaning."""

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from vivavoce.core.i18n import N_
from vivavoce.core.validation import Fits, mistake, shown_value
from vivavoce.languages.base import check_installed
from vivavoce.study.analysis_file import Analysis
from vivavoce.study.degradation import DamagePlan
from vivavoce.study.flags import FlagRules
from vivavoce.study.judgement_kind import JUDGEMENTS, kinds_in_order
from vivavoce.study.populations import PopulationName, PopulationPlan
from vivavoce.study.prices import Prices
from vivavoce.study.quality import Quality
from vivavoce.study.quotas import Quotas
from vivavoce.study.recordings import Recordings
from vivavoce.study.retention import RetentionRules
from vivavoce.study.session_link import FollowUp
from vivavoce.study.settings import Flag, Number, Settings, Whole
from vivavoce.study.steps import StepEntry, WrittenRange
from vivavoce.study.telephone import Telephone
from vivavoce.study.voice import Voice

Allocation = Literal["random", "least-used-by-participant", "balanced"]

_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
NAME_CURE = N_(
    "use letters, digits, dot, dash, underscore; start with a letter or digit; at most 64 characters"
)
StudyName = Annotated[str, Fits(_NAME, "{value} is not a valid study name", NAME_CURE)]
SystemName = Annotated[str, Fits(_NAME, "{value} is not a valid system name", NAME_CURE)]
Factor = Annotated[
    str,
    Fits(
        "[a-z][a-z0-9_]{0,40}",
        "{value} is not a valid factor name",
        "use lower-case letters, digits and underscores",
    ),
]
Parser = Annotated[
    str,
    Fits(
        r"rules|https?://\S+|[A-Za-z_][\w.]*:[A-Za-z_][\w.]*",
        "{value} is not a parser",
        "write rules, package.module:function, or https://...",
    ),
]
LanguageTag = Annotated[
    str,
    Fits("[a-z]{2,3}(-[A-Za-z0-9]{2,8})*", "{value} is not a language tag", "write en, it, de-CH, ..."),
]


def is_name(text: str) -> bool:
    """Check the name of a study or a system."""
    return re.fullmatch(_NAME, text) is not None


class System(BaseModel):
    """One system under test; keys beside these belong to its connector."""

    model_config = ConfigDict(frozen=True, extra="allow")

    connect: str = Field(description="connector: http, openai, python, stdio, ...")
    title: str | None = Field(None, description="name for researchers; hidden from participants")
    factors: dict[Factor, str] = Field(
        {}, description="cell of the design by factor, such as {nlg: template}"
    )
    flags: FlagRules | None = Field(
        None, description="marks of its turns as questions, help, errors, rejections or time-outs"
    )


class Tasks(Settings):
    """Tasks generated from the ontology, or read from a file."""

    shorthand = "file"

    file: str | None = Field(None, description="YAML file of tasks, used in place of generated ones")
    generate: Whole | None = Field(None, ge=1, le=5_000, description="number of tasks to generate")
    constraints: WrittenRange = Field(
        WrittenRange.model_validate("2..3"), description="number of constraints per task"
    )
    requests: WrittenRange = Field(
        WrittenRange.model_validate("1..2"), description="number of slots to ask about"
    )
    dontcare: Number = Field(0.1, ge=0, le=1, description="share of constraints with any value allowed")
    unsatisfiable: Number = Field(
        0.0, ge=0, le=1, description="share of tasks without a matching venue; these name an alternative"
    )
    types: list[str] | None = Field(None, description="kinds of venue to use (default: all)")
    seed: Whole = Field(1, ge=0, description="random seed; the same seed gives the same tasks")


class Limits(Settings):
    """Limits of a visit."""

    max_chars: Whole = Field(
        2000, ge=1, le=100_000, description="maximum length of a user turn, in characters"
    )
    user_turns: Whole = Field(60, ge=1, le=10_000, description="maximum user turns of a dialogue")
    dialogue_minutes: Number = Field(
        30, gt=0, le=1440, description="maximum length of a dialogue; a turn in progress is completed"
    )
    idle_minutes: Number = Field(30, gt=0, le=1440, description="idle time after which a dialogue ends")
    visit_minutes: Number = Field(
        240, gt=0, le=100_000, description="idle time after which a visit cannot be resumed"
    )
    visits_per_hour: Whole = Field(
        60,
        ge=1,
        le=100_000,
        description="maximum new visits per hour from one network address; a classroom shares one",
    )
    code_digits: Whole = Field(4, ge=4, le=9, description="digits of an earned code, which a bot tells")
    code_attempts: Whole = Field(
        10, ge=1, le=1000, description="wrong codes allowed before a visit must wait"
    )


class Identity(Settings):
    """Identification of participants."""

    anonymous: Flag = Field(True, description="allow the plain invite link, without an identifier")
    parameter: str = Field("participant", description="link parameter with the participant's identifier")
    several_visits: Flag = Field(
        True,
        description=(
            "allow a participant to return; otherwise only the browser that began a visit can continue it"
        ),
    )


class Choose(Settings):
    """Active selection: annotators judge some dialogues, more often those on which a model of labels is
    unsure.

    The log keeps each dialogue's sampling probability when it ends, so that weighted estimates stay unbiased.
    """

    target: str = Field(
        pattern=r"^[a-z][a-z0-9_]*\.\S+$", description="scheme and label to estimate, such as subtask.S"
    )
    share: Number = Field(0.3, gt=0, le=1, description="expected share of dialogues to judge")
    even: Number = Field(
        0.25, gt=0, le=1, description=("share of the sampling probability that is equal for all dialogues")
    )


class Annotation(Settings):
    """Expert annotation on separate pages; each kind of judgement also has its own key."""

    model_config = ConfigDict(extra="allow")

    double: Number = Field(0.2, ge=0, le=1, description="share of dialogues annotated twice")
    annotators: list[str] = Field([], description="accounts that may annotate (default: all annotators)")
    recordings: str | None = Field(
        None, description="folder of recordings, named `<dialogue_id>.wav`, `.flac`, `.ogg` or `.mp3`"
    )
    seed: Whole = Field(1, ge=0, description="random seed for dialogues annotated twice")
    choose: Choose | None = Field(None, description="selection of dialogues to annotate (default: all)")

    @model_validator(mode="after")
    def _something(self) -> "Annotation":
        if not self.judgements:
            known = (f"`{kind.name}`" for kind in kinds_in_order(JUDGEMENTS.names()))
            raise mistake("nothing to annotate", f"write {', or '.join(known)}")
        return self

    @property
    def judgements(self) -> dict[str, Any]:
        """Kinds of judgement by name, with their settings as written."""
        return {name: one for name, one in (self.model_extra or {}).items() if one is not None and one != []}


def levels_of(systems: dict[str, System]) -> dict[str, list[str]]:
    """Levels of each factor of a design, in alphabetical order."""
    pairs = {pair for system in systems.values() for pair in system.factors.items()}
    levels: dict[str, list[str]] = {}
    for factor, level in sorted(pairs):
        levels.setdefault(factor, []).append(level)
    return levels


class StudyFile(Settings):
    """A study: systems under test, tasks, and the steps of a visit."""

    study: StudyName = Field(description="study name: letters, digits, dot, dash, underscore")
    protocol: str | None = Field(None, description="preset that supplies all keys missing here")
    title: dict[str, str] | str | None = Field(
        None, description="study title for participants, by language or one for all"
    )
    languages: Annotated[list[LanguageTag], AfterValidator(check_installed)] = Field(
        ["en"], min_length=1, description="languages of the pages; the first is the default"
    )
    systems: dict[SystemName, System] = Field(
        {}, description="systems under test by name; none if the study only compares transcripts"
    )
    ontology: str | None = Field(None, description="YAML file of slots, values and venues")
    voice: Voice | None = Field(None, description="speech recognition and synthesis in voice dialogues")
    parser: Parser = Field(
        "rules",
        description="parser of typed turns: rules, package.module:function, or an address",
    )
    tasks: Tasks | None = Field(None, description="tasks, or their file (default: free conversation)")
    visit: list[StepEntry] = Field(min_length=1, description="steps of a visit, in order")
    allocation: Allocation = Field(
        "least-used-by-participant", description="assignment of systems to dialogues"
    )
    limits: Limits = Field(Limits(), description="limits of a visit")  # pyright: ignore[reportCallIssue]
    quotas: Quotas | None = Field(None, description="limits per participant and participants per condition")
    identity: Identity = Field(Identity(), description="identification of participants")  # pyright: ignore[reportCallIssue]
    annotation: Annotation | None = Field(None, description="expert annotation of dialogues")
    telephone: Telephone | None = Field(None, description="settings of telephone dialogues")
    degradation: DamagePlan | None = Field(
        None, description=("degradation of speech between participants and systems")
    )
    recordings: Recordings | None = Field(None, description="consent, retention and encryption of recordings")
    retention: RetentionRules | None = Field(
        None, description="retention of identifiers, free text and visits, in days"
    )
    follow_up: FollowUp | None = Field(None, description="earlier study from which participants return")
    recruitment: dict[str, Any] | None = Field(None, description="recruiters with their settings")
    populations: dict[PopulationName, PopulationPlan] = Field(
        {}, description="populations, each with its recruiters and costs"
    )
    quality: Quality = Field(
        Quality(),  # pyright: ignore[reportCallIssue]
        description="criteria of good work, with thresholds of their marks",
    )
    prices: Prices | None = Field(None, description="prices of models, by model name")
    extensions: list[str] = Field(
        [],
        description="Python files in the study's folder that define measures, steps, sections or importers",
    )
    analysis: Analysis = Field(Analysis(), description="research questions and analysis plan")  # pyright: ignore[reportCallIssue]

    @field_validator("title", mode="before")
    @classmethod
    def _words(cls, title: Any) -> Any:
        texts = title.values() if isinstance(title, dict) else [title]
        if title is not None and not all(isinstance(text, str) for text in texts):
            raise mistake(
                f"{shown_value(title)} is not a title", "write text, or a mapping such as {en: ..., it: ...}"
            )
        return title
