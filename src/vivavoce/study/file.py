"""The study file as a researcher writes it: every key with its type, default and meaning."""

import re
from typing import Any, ClassVar, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    field_validator,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from vivavoce.core.errors import nearest
from vivavoce.core.validation import mistake, shown_value
from vivavoce.questionnaires.instrument import About
from vivavoce.study.flags import FlagRules
from vivavoce.study.listening import Listen
from vivavoce.study.settings import Flag, Number, Settings, Whole
from vivavoce.study.steps import LATER_STEPS, STEPS, Channel, Gate, Presentation, Range, Versions
from vivavoce.study.stimuli_file import Elicit
from vivavoce.study.telephone import Telephone
from vivavoce.study.voice import Voice

Correction = Literal["holm", "benjamini_hochberg", "bonferroni", "none"]
StoppingRule = Literal["obrien_fleming", "pocock", "anytime"]
Allocation = Literal["random", "least-used-by-participant", "balanced"]

_RANGE = re.compile(r"(\d{1,9})\s*\.\.\s*(\d{1,9})")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
NAME_CURE = "use letters, digits, dot, dash, underscore; begin with a letter or digit; at most 64"
_FACTOR = re.compile(r"[a-z][a-z0-9_]{0,40}")
_PARSER = re.compile(r"https?://\S+|[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")


def is_name(text: str) -> bool:
    """Whether a study or a system may be called so."""
    return _NAME.fullmatch(text) is not None


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


class TextFile(Settings):
    """A Markdown file; `consent.it.md` beside `consent.md` is its Italian."""

    shorthand = "file"

    file: str = Field(description="Markdown file beside the study file")


class NontrivialTurns(Settings):
    """What makes a dialogue count."""

    user_turns: Whole = Field(1, ge=0, le=1000, description="fewest user turns that earn a code")


class Dialogue(Settings):
    """Dialogues with systems under test, one task each."""

    repeat: WrittenRange = Field(WrittenRange.model_validate(1), description="dialogues of one visit")
    gate: Gate = Field(
        "dialogue",
        description="what opens the form: an earned code, a dialogue that was not trivial, nothing",
    )
    nontrivial: NontrivialTurns = Field(
        NontrivialTurns(user_turns=1), description="what makes a dialogue count"
    )
    channel: Channel = Field("text", description="how participants talk")
    elsewhere: str | None = Field(
        None,
        description="Markdown file that says how to reach a system outside the page; the code is typed in",
    )

    @model_validator(mode="after")
    def _repeatable(self) -> "Dialogue":
        if self.repeat.max < 1:
            raise mistake("no dialogue at all (repeat: 0)", "write repeat: 1 or more, or remove the step")
        return self


class Questionnaire(Settings):
    """One questionnaire."""

    shorthand = "use"

    use: str = Field(description="name of the instrument: cambridge, idial, sus")
    about: About | None = Field(
        None, description="dialogue: asked after each one; visit: asked once; else as the instrument says"
    )


class Screen(Settings):
    """A form before the tasks that decides who takes part."""

    use: str = Field(description="name of the questionnaire, such as idial_background")
    admit: dict[str, WrittenRange] = Field(
        min_length=1, description="codes by item with which one goes on, such as {knowledge: 1..3}"
    )


class PairBalance(Settings):
    """How far the two transcripts of a pair may be apart."""

    tokens: Number = Field(
        0.25, ge=0, description="difference of their lengths, share of the control's tokens"
    )
    turns: Whole = Field(0, ge=0, description="difference in number of turns")
    changed: Number = Field(
        0.6, gt=0, le=1, description="tokens removed or added, share of what the system says"
    )


class Compare(Settings):
    """Pairs of transcripts of which participants choose one, one pair of every variable."""

    shorthand = "pairs"

    pairs: str = Field(description="YAML file of pairs, or folder of text files")
    variables: list[str] | None = Field(None, min_length=1, description="variables to use; all when left out")
    questions: str | None = Field(None, description="YAML file of questions; ours when left out")
    ties: Flag = Field(False, description="`no difference` may be chosen, too")
    strength: Flag = Field(False, description="ask how strong each preference is")
    presentation: Presentation = Field(
        "together", description="together: both transcripts at once; in-turn: one after the other, then both"
    )
    minimum_minutes: Number = Field(
        3, ge=0, le=600, description="a whole response that is shorter is flagged and counted"
    )
    accept_fast: Flag = Field(True, description="whether such a response is accepted all the same")
    attention: Flag = Field(False, description="mix in the pairs that are marked as attention pairs")
    repeats: Whole = Field(0, ge=0, le=20, description="pairs shown once more at the end with sides changed")
    balance: PairBalance = Field(PairBalance(), description="how far the transcripts may be apart")  # pyright: ignore[reportCallIssue]
    seed: Whole = Field(1, ge=0, description="the same seed gives the same plan of orders and sides")


class Rate(Settings):
    """Transcripts to be read one at a time, each rated on a questionnaire."""

    shorthand = "pairs"

    pairs: str = Field(description="YAML file of pairs, or folder of text files; as for `compare`")
    use: str = Field("reading", description="questionnaire that each transcript is rated on")
    variables: list[str] | None = Field(None, min_length=1, description="variables to use; all when left out")
    versions: Versions = Field("both", description="both: everybody reads both versions of a pair; one: one")
    balance: PairBalance = Field(PairBalance(), description="how far the transcripts may be apart")  # pyright: ignore[reportCallIssue]
    seed: Whole = Field(1, ge=0, description="the same seed gives the same plan of orders and versions")


class Arena(Settings):
    """Two anonymous systems answer the same messages side by side, and participants vote."""

    bouts: Whole = Field(1, ge=1, le=100, description="bouts of one participant, each with two systems")
    turns: Whole = Field(6, ge=1, le=100, description="most messages of a bout; then it ends")
    both_bad: Flag = Field(True, description="`both are bad` may be voted, too")
    mask: list[str] = Field([], description="words to mask in answers beside names of systems and models")


class Transcribe(Settings):
    """Recordings that participants write down; some have a known transcript, by which they are checked."""

    items: str = Field(description="CSV file: audio, dialogue_id, turn_index, gold, hypothesis")
    audio: str = Field(description="folder of the recordings, .wav or .flac")
    each: Whole = Field(20, ge=1, le=1000, description="recordings of one visit, known ones included")
    gold: Number = Field(0.2, ge=0, le=1, description="share of recordings with a known transcript")
    least_gold: Whole = Field(3, ge=0, le=100, description="known recordings before somebody is judged")
    accuracy: Number = Field(0.8, ge=0, le=1, description="least word accuracy over the known recordings")
    prefill: Flag = Field(False, description="begin with what the recogniser heard; this biases")


class StepEntry(Settings):
    """One step of a visit: exactly one key."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})

    consent: TextFile | None = Field(None, description="text that the participant must agree to")
    screen: Screen | None = Field(None, description="a form that decides who takes part")
    instructions: TextFile | None = Field(None, description="text to read")
    dialogue: Dialogue | None = Field(None, description="dialogues with systems under test")
    compare: Compare | None = Field(None, description="pairs of transcripts to choose between")
    rate: Rate | None = Field(None, description="transcripts to read one at a time and to rate")
    arena: Arena | None = Field(None, description="two systems side by side, to vote on")
    listen: Listen | None = Field(None, description="clips to rate, or to compare, by ear")
    transcribe: Transcribe | None = Field(None, description="recordings to write down")
    elicit: Elicit | None = Field(None, description="commands to a robot, one for each picture")
    questionnaire: Questionnaire | None = Field(None, description="a form")
    debrief: TextFile | None = Field(None, description="text to read at the end")

    @model_validator(mode="before")
    @classmethod
    def _one_step(cls, value: Any) -> Any:
        if isinstance(value, str):
            value = {value: {}}
        if not isinstance(value, dict):
            raise mistake(f"{shown_value(value)} is not a step", f"write one of: {', '.join(STEPS)}")
        for name in value:
            if name in LATER_STEPS:
                raise mistake(f"step {name!r} is not available in this version", f"known: {', '.join(STEPS)}")
            if name not in STEPS:
                raise mistake(f"unknown step {name!r}", nearest(str(name), list(STEPS)))
        if len(value) != 1:
            raise mistake(f"a step has one key, not {len(value)}", f"write one of: {', '.join(STEPS)}")
        return {name: {} if settings is None else settings for name, settings in value.items()}


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
    code_digits: Whole = Field(4, ge=4, le=9, description="digits of an earned code")
    code_attempts: Whole = Field(
        10, ge=1, le=1000, description="wrong codes of one visit before it must wait"
    )


class Identity(Settings):
    """How participants are told apart."""

    anonymous: Flag = Field(True, description="people may come by the plain link, without an identifier")
    parameter: str = Field("participant", description="parameter of the link that carries the identifier")
    several_visits: Flag = Field(True, description="the same person may come again")


class CommandAnnotation(Settings):
    """Commands to a robot that annotators turn into predicates."""

    shorthand = "templates"

    templates: str = Field(
        description="what the robot can be told: `kitchen-it`, `kitchen-en`, or a YAML file"
    )
    dataset: str | None = Field(
        None, description="folder of a dataset with commands; those that the study elicits when left out"
    )


class Annotation(Settings):
    """What experts say of the dialogues or commands afterwards, on pages of their own."""

    schemes: list[str] = Field(
        [], description="schemes in their order: names of ours, or YAML files beside the study"
    )
    commands: CommandAnnotation | None = Field(None, description="commands that become predicates")
    double: Number = Field(0.2, ge=0, le=1, description="share of dialogues that two annotators get")
    annotators: list[str] = Field([], description="accounts that may annotate; all annotators' when left out")
    recordings: str | None = Field(
        None, description="folder of recordings, named `<dialogue_id>.wav`, `.flac`, `.ogg` or `.mp3`"
    )
    seed: Whole = Field(1, ge=0, description="the same seed chooses the same dialogues for two annotators")

    @model_validator(mode="after")
    def _something(self) -> "Annotation":
        if not self.schemes and self.commands is None:
            raise mistake("nothing is annotated", "name a scheme in `schemes`, or templates in `commands`")
        return self


class Primary(Settings):
    """The comparison that the study was made for, named before it runs."""

    measure: str = Field(description="name of the measure")
    compare: list[str] = Field([], description="systems to compare; all of the study when left out")
    alpha: Number = Field(0.05, gt=0, lt=1, description="level of significance")

    @field_validator("compare")
    @classmethod
    def _more_than_one(cls, systems: list[str]) -> list[str]:
        if len(systems) == 1:
            raise mistake(
                f"{systems[0]!r} is compared with nothing", "name two systems or more, or none for all"
            )
        return systems


class Stopping(Settings):
    """When collecting ends. With a rule the trial pauses itself once its primary comparison is decided."""

    shorthand = "words"

    words: str | None = Field(None, description="when collecting ends, in a sentence for readers")
    rule: StoppingRule | None = Field(
        None, description="how the dashboard watches the primary comparison; none: nothing pauses by itself"
    )
    participants: Whole | None = Field(
        None, ge=2, le=1_000_000, description="planned participants (finished visits); the trial ends there"
    )
    looks: Whole = Field(
        5, ge=1, le=50, description="planned looks, evenly spaced; `anytime` looks after every visit"
    )
    futility: Flag = Field(True, description="pause also where going on is idle")
    power: Number = Field(
        0.8, gt=0.5, lt=1, description="chance to find the planned difference; what is idle is judged by it"
    )

    @model_validator(mode="after")
    def _planned(self) -> "Stopping":
        if self.rule in ("obrien_fleming", "pocock") and self.participants is None:
            raise mistake(
                f"the rule {self.rule} has no planned number of participants", "add participants: 60, say"
            )
        return self


class Analysis(Settings):
    """What the study wants to know, and how it will be decided; frozen when the first participant comes."""

    primary: Primary | None = Field(None, description="the comparison named in advance")
    secondary: list[Primary] = Field([], description="further comparisons named in advance")
    correction: Correction = Field("holm", description="adjustment of p over the pairs of each question")
    margin: Number | None = Field(
        None, gt=0, description="a difference smaller than this counts as none (equivalence)"
    )
    exclusions: list[str] = Field([], description="who and what is left out, one sentence each")
    stopping: Stopping | None = Field(None, description="when collecting ends: a sentence, or a rule")

    @model_validator(mode="after")
    def _something_to_watch(self) -> "Analysis":
        if self.stopping is not None and self.stopping.rule is not None and self.primary is None:
            raise mistake(
                "a stopping rule without a primary comparison", "add primary: {measure: ..., compare: [a, b]}"
            )
        return self

    def over(self, systems: list[str]) -> "Analysis":
        """This analysis of a study with such systems: a comparison that names none takes them all.

        Empty   a comparison without two systems, as a preset has in a study of one system, falls away
        """
        asked = [one if one.compare else one.model_copy(update={"compare": systems})
                 for one in (*([self.primary] if self.primary else []), *self.secondary)]  # fmt: skip
        possible = [one for one in asked if len(one.compare) > 1]
        first = possible[:1] if self.primary and asked[0] in possible else []
        return self.model_copy(
            update={"primary": first[0] if first else None, "secondary": possible[len(first) :]}
        )


def _check_factors(systems: dict[str, System]) -> None:
    """A factorial design gives every system a level of every factor."""
    every = sorted({factor for system in systems.values() for factor in system.factors})
    for factor in every:
        if not _FACTOR.fullmatch(factor):
            raise mistake(f"{factor!r} cannot name a factor", "use small letters, digits and underscores")
    for name, system in systems.items():
        lacking = [factor for factor in every if factor not in system.factors]
        if lacking:
            cure = f"add factors: {{{lacking[0]}: ...}} to it"
            raise mistake(f"system {name!r} has no level of factor {lacking[0]!r}", cure)


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
    identity: Identity = Field(Identity(), description="how participants are told apart")  # pyright: ignore[reportCallIssue]
    annotation: Annotation | None = Field(None, description="what experts say of the dialogues")
    telephone: Telephone | None = Field(None, description="how dialogues by telephone are held")
    recruitment: dict[str, Any] | None = Field(
        None, description="where participants come from; carried, not used yet"
    )
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
        return languages
