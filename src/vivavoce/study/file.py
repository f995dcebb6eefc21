"""The study file as a researcher writes it: every key with its type, default and meaning."""

import re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from vivavoce.core.i18n import N_
from vivavoce.core.validation import mistake, shown_value
from vivavoce.languages.data import check_installed
from vivavoce.study.analysis_file import Analysis
from vivavoce.study.caps import Caps
from vivavoce.study.degradation import DamagePlan
from vivavoce.study.flags import FlagRules
from vivavoce.study.follow_up import FollowUp
from vivavoce.study.judgement_kind import JUDGEMENTS, kinds_in_order
from vivavoce.study.populations import PopulationPlan, check_population_names
from vivavoce.study.prices import Prices
from vivavoce.study.quality import Quality
from vivavoce.study.recordings import Recordings
from vivavoce.study.retention import RetentionRules
from vivavoce.study.settings import Flag, Number, Settings, Whole
from vivavoce.study.steps_file import StepEntry, WrittenRange
from vivavoce.study.telephone import Telephone
from vivavoce.study.voice import Voice

Allocation = Literal["random", "least-used-by-participant", "balanced"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
NAME_CURE = N_("use letters, digits, dot, dash, underscore; begin with a letter or digit; at most 64")
_FACTOR = re.compile(r"[a-z][a-z0-9_]{0,40}")
_PARSER = re.compile(r"https?://\S+|[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")


def is_name(text: str) -> bool:
    """Whether a study or a system may be called so."""
    return _NAME.fullmatch(text) is not None


class System(BaseModel):
    """One system under test; keys beside these belong to its connector."""

    model_config = ConfigDict(frozen=True, extra="allow")

    connect: str = Field(description="name of the connector: http, openai, python, stdio, ...")
    title: str | None = Field(None, description="name for researchers; participants never see it")
    factors: dict[str, str] = Field({}, description="cell of the design by factor, such as {nlg: template}")
    flags: FlagRules | None = Field(
        None, description="what marks its turns as questions, help, errors, rejections or time-outs"
    )


class Tasks(Settings):
    """Tasks generated from the ontology, or read from a file."""

    shorthand = "file"

    file: str | None = Field(None, description="YAML file of tasks; then nothing is generated")
    generate: Whole | None = Field(None, ge=1, le=5_000, description="how many tasks to generate")
    constraints: WrittenRange = Field(
        WrittenRange.model_validate("2..3"), description="constraints of a task"
    )
    requests: WrittenRange = Field(WrittenRange.model_validate("1..2"), description="slots to ask about")
    dontcare: Number = Field(0.1, ge=0, le=1, description="share of constraints that say: any will do")
    unsatisfiable: Number = Field(
        0.0, ge=0, le=1, description="share of tasks that no venue satisfies; they name an alternative"
    )
    types: list[str] | None = Field(None, description="kinds of venue to use; all when left out")
    seed: Whole = Field(1, ge=0, description="the same seed gives the same tasks")


class Limits(Settings):
    """Bounds that keep a visit within reason."""

    max_chars: Whole = Field(2000, ge=1, le=100_000, description="longest user turn, in characters")
    user_turns: Whole = Field(
        60, ge=1, le=10_000, description="most user turns of one dialogue; then it ends"
    )
    dialogue_minutes: Number = Field(
        30, gt=0, le=1440, description="longest dialogue; then it ends, after the turn in flight"
    )
    idle_minutes: Number = Field(
        30, gt=0, le=1440, description="a dialogue left untouched for so long is ended"
    )
    visit_minutes: Number = Field(
        240, gt=0, le=100_000, description="a visit left for so long cannot be taken up again"
    )
    visits_per_hour: Whole = Field(
        60, ge=1, le=100_000,
        description="visits that may begin from one network address in an hour; a classroom shares one",
    )  # fmt: skip
    code_digits: Whole = Field(4, ge=4, le=9, description="digits of an earned code")
    code_attempts: Whole = Field(
        10, ge=1, le=1000, description="wrong codes of one visit before it must wait"
    )


class Identity(Settings):
    """How participants are told apart."""

    anonymous: Flag = Field(True, description="people may come by the plain link, without an identifier")
    parameter: str = Field("participant", description="parameter of the link that carries the identifier")
    several_visits: Flag = Field(
        True,
        description="the same person may come again; else only the browser in which a visit began goes on",
    )


class Choose(Settings):
    """Annotators judge some dialogues alone, likelier those of which a model of the labels so far is unsure.

    Each dialogue's chance is logged when it ends, so that estimates stay right by weighing labels with it.
    """

    target: str = Field(
        pattern=r"^[a-z][a-z0-9_]*\.\S+$", description="scheme and label to be estimated, such as subtask.S"
    )
    share: Number = Field(0.3, gt=0, le=1, description="expected share of dialogues that annotators judge")
    even: Number = Field(0.25, gt=0, le=1, description="part of the chances that all dialogues have alike")


class Annotation(Settings):
    """What experts say afterwards, on pages of their own; each kind of judgement has its own key, too."""

    model_config = ConfigDict(extra="allow")

    double: Number = Field(0.2, ge=0, le=1, description="share of dialogues that two annotators get")
    annotators: list[str] = Field([], description="accounts that may annotate; all annotators' when left out")
    recordings: str | None = Field(
        None, description="folder of recordings, named `<dialogue_id>.wav`, `.flac`, `.ogg` or `.mp3`"
    )
    seed: Whole = Field(1, ge=0, description="the same seed chooses the same dialogues for two annotators")
    choose: Choose | None = Field(None, description="of which dialogues they are asked; all when left out")

    @model_validator(mode="after")
    def _something(self) -> "Annotation":
        if not self.judgements:
            known = (f"`{kind.name}`" for kind in kinds_in_order(JUDGEMENTS.names()))
            raise mistake("nothing is annotated", f"write {', or '.join(known)}")
        return self

    @property
    def judgements(self) -> dict[str, Any]:
        """Kinds of judgement by name, with their settings as written."""
        return {name: one for name, one in (self.model_extra or {}).items() if one is not None and one != []}


def _check_factors(systems: dict[str, System]) -> None:
    """A factorial design gives every system a level of every factor."""
    every = sorted({factor for system in systems.values() for factor in system.factors})
    for factor in every:
        if not _FACTOR.fullmatch(factor):
            raise mistake(f"{factor!r} cannot name a factor", "use small letters, digits and underscores")
    for name, system in systems.items():
        lacking = [factor for factor in every if factor not in system.factors]
        if lacking:
            hint = f"add factors: {{{lacking[0]}: ...}} to it"
            raise mistake(f"system {name!r} has no level of factor {lacking[0]!r}", hint)


class StudyFile(Settings):
    """A study: systems under test, tasks, and what a participant goes through."""

    study: str = Field(description="name of the study: letters, digits, dot, dash, underscore")
    protocol: str | None = Field(None, description="preset that fills every key left out here")
    title: dict[str, str] | str | None = Field(
        None, description="name that participants read, by language or one for all"
    )
    languages: list[str] = Field(
        ["en"], min_length=1, description="languages of the pages; the first is the default"
    )
    systems: dict[str, System] = Field(
        {}, description="systems under test by name; none where transcripts are compared only"
    )
    ontology: str | None = Field(None, description="YAML file of slots, values and venues")
    voice: Voice | None = Field(None, description="who listens and who speaks in dialogues by voice")
    parser: str = Field(
        "rules",
        description="who reads what typed turns mean: rules, package.module:function, or an address",
    )
    tasks: Tasks | None = Field(
        None, description="tasks, or the file that holds them; none: free conversation"
    )
    visit: list[StepEntry] = Field(min_length=1, description="what a participant goes through, step by step")
    allocation: Allocation = Field("least-used-by-participant", description="which system a dialogue gets")
    limits: Limits = Field(Limits(), description="bounds that keep a visit within reason")  # pyright: ignore[reportCallIssue]
    caps: Caps | None = Field(
        None, description="how much one participant does, and how many participants each condition has"
    )
    identity: Identity = Field(Identity(), description="how participants are told apart")  # pyright: ignore[reportCallIssue]
    annotation: Annotation | None = Field(None, description="what experts say of the dialogues")
    telephone: Telephone | None = Field(None, description="how dialogues by telephone are held")
    damage: DamagePlan | None = Field(None, description="what speech goes through on its way to who hears it")
    recordings: Recordings | None = Field(None, description="consent, retention and locking of sound")
    retention: RetentionRules | None = Field(
        None, description="for how many days identifiers, free text and visits are kept"
    )
    follow_up: FollowUp | None = Field(
        None, description="the earlier study whose participants come again to this one"
    )
    recruitment: dict[str, Any] | None = Field(
        None, description="where participants come from: each recruiter with its settings"
    )
    populations: dict[str, PopulationPlan] = Field(
        {}, description="populations that are told apart, each with its recruiters and what its people cost"
    )
    quality: Quality = Field(
        Quality(),  # pyright: ignore[reportCallIssue]
        description="what is known beforehand of good work, and from where on its signs are marked",
    )
    prices: Prices | None = Field(None, description="what calls of models cost, by the model's name")
    analysis: Analysis = Field(Analysis(), description="what the study wants to know")  # pyright: ignore[reportCallIssue]

    @field_validator("title", mode="before")
    @classmethod
    def _words(cls, title: Any) -> Any:
        texts = title.values() if isinstance(title, dict) else [title]
        if title is not None and not all(isinstance(text, str) for text in texts):
            raise mistake(
                f"{shown_value(title)} is no title", "write text, or a mapping such as {en: ..., it: ...}"
            )
        return title

    @field_validator("study")
    @classmethod
    def _plain_name(cls, name: str) -> str:
        if not is_name(name):
            raise mistake(f"{name!r} cannot name a study", NAME_CURE)
        return name

    @field_validator("systems")
    @classmethod
    def _plain_names(cls, systems: dict[str, System]) -> dict[str, System]:
        for name in systems:
            if not is_name(name):
                raise mistake(f"{name!r} cannot name a system", NAME_CURE)
        _check_factors(systems)
        return systems

    @field_validator("populations")
    @classmethod
    def _sound_populations(cls, populations: dict[str, PopulationPlan]) -> dict[str, PopulationPlan]:
        check_population_names(populations)
        return populations

    @field_validator("parser")
    @classmethod
    def _known_parser(cls, parser: str) -> str:
        if parser != "rules" and not _PARSER.fullmatch(parser):
            raise mistake(f"{parser!r} is no parser", "write rules, package.module:function, or https://...")
        return parser

    @field_validator("languages")
    @classmethod
    def _language_tags(cls, languages: list[str]) -> list[str]:
        for language in languages:
            if not _LANGUAGE.fullmatch(language):
                raise mistake(f"{language!r} is not a language tag", "write en, it, de-CH, ...")
        if len(set(languages)) < len(languages):
            raise mistake("a language is listed twice", "keep one of them")
        check_installed(languages)
        return languages
