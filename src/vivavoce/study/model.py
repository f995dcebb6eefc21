"""A study, checked and complete: what the session engine runs and the log describes."""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny

from vivavoce.core.errors import InputError, UnknownName
from vivavoce.questionnaires.instrument import INSTRUMENTS, Instrument, Wording
from vivavoce.study.analysis_file import Analysis, Primary, Stopping
from vivavoce.study.degradation import DamagePlan
from vivavoce.study.file import Allocation, Identity, Limits
from vivavoce.study.flags import FlagRules
from vivavoce.study.judgement_kind import AnnotationPlan, JudgementKind
from vivavoce.study.ontology import Ontology, Venue
from vivavoce.study.pairs import Pair
from vivavoce.study.pairs_check import Balance
from vivavoce.study.quality import Quality
from vivavoce.study.quotas import Quotas
from vivavoce.study.recordings import Recordings
from vivavoce.study.retention import RetentionRules
from vivavoce.study.session_link import FollowUp
from vivavoce.study.steps import (
    ConsentStep,
    DebriefStep,
    DialogueStep,
    Gate,
    InstructionsStep,
    Nontrivial,
    QuestionnaireStep,
    Range,
    Step,
)
from vivavoce.study.task import DONTCARE, Alternative, Task
from vivavoce.study.telephone import Telephone
from vivavoce.study.voice import Voice

__all__ = [
    "DONTCARE",
    "Allocation",
    "Alternative",
    "Analysis",
    "ConsentStep",
    "DebriefStep",
    "DialogueStep",
    "Gate",
    "Identity",
    "InstructionsStep",
    "Limits",
    "Nontrivial",
    "Ontology",
    "Primary",
    "QuestionnaireStep",
    "Range",
    "Step",
    "Stopping",
    "Study",
    "Task",
    "Venue",
]


class Study(BaseModel):
    """Everything that is planned.

    languages  the first is the default
    systems    settings of each system's connector as written: `connect` and the rest
    factors    cell of the design by system; empty where the study has no factors
    annotation what experts say of the dialogues; None where they say nothing
    telephone  how dialogues by telephone are held; None where there are none
    degradation  what speech goes through on its way to who hears it, by factor; None: nothing
    recordings what becomes of the sound; None where nothing is said of it, and it is kept
    follow_up  the earlier study whose participants come again; None: they come for the first time
    retention  for how many days what is kept of people; None: for ever
    pairs      pairs of transcripts that steps present; `balance`: how far those of one may be apart
    documents  Markdown by file name and language
    wordings   by instrument and language
    revision   12 hexadecimal digits over the study file and everything it reads
    """

    model_config = ConfigDict(frozen=True)

    name: str
    protocol: str | None
    languages: tuple[str, ...]
    title: dict[str, str]
    systems: dict[str, dict[str, Any]]
    system_titles: dict[str, str] = {}
    factors: dict[str, dict[str, str]] = {}
    ontology: Ontology | None = None
    tasks: tuple[Task, ...] = ()
    visit: tuple[Step, ...]
    pairs: tuple[Pair, ...] = Field(default=(), repr=False)
    balance: Balance = Balance()  # pyright: ignore[reportCallIssue]
    flags: dict[str, FlagRules] = {}
    voice: Voice | None = None
    parser: str = "rules"
    allocation: Allocation
    limits: Limits
    quotas: Quotas | None = None
    identity: Identity
    annotation: AnnotationPlan | None = None
    telephone: Telephone | None = None
    degradation: DamagePlan | None = None
    recordings: Recordings | None = None
    retention: RetentionRules | None = None
    follow_up: FollowUp | None = None
    recruitment: dict[str, SerializeAsAny[BaseModel]] = {}
    quality: Quality = Quality()  # pyright: ignore[reportCallIssue]
    analysis: Analysis
    documents: dict[str, dict[str, str]] = Field(default={}, repr=False)
    wordings: dict[str, dict[str, Wording]] = Field(default={}, repr=False)
    folder: Path
    file_text: str = Field(default="", repr=False)
    revision: str

    @property
    def judgement_kinds(self) -> list[JudgementKind]:
        """Kinds of judgement for annotators."""
        return self.annotation.kinds if self.annotation is not None else []

    @property
    def default_language(self) -> str:
        return self.languages[0]

    def language(self, wanted: str | None) -> str:
        """The study's language closest to the wanted one: same tag, same language, else the default."""
        if wanted in self.languages:
            return str(wanted)
        stem = (wanted or "").split("-")[0].lower()
        return next((tag for tag in self.languages if tag.split("-")[0] == stem), self.default_language)

    def entities(self) -> list[dict[str, str]]:
        """The domain's venues as rows of the dataset's table `entities`; none without an ontology."""
        venues = self.ontology.venues if self.ontology else ()
        return [
            {
                "entity_id": venue.venue_id,
                "name": venue.name,
                "slot": slot,
                "value": value,
                "source": "database",
                "match": self._match(slot),
            }
            for venue in venues
            for slot, value in {"name": venue.name, "type": venue.type, **venue.slots}.items()
        ]

    def _match(self, slot: str) -> str:
        known = self.ontology.slots.get(slot) if self.ontology else None
        return known.match if known else "exact"

    def condition(self, system: str) -> str:
        """The cell of the design: the factors' values joined by a slash; else the system's name."""
        return "/".join(self.factors.get(system, {}).values()) or system

    def pair(self, pair_id: str) -> Pair:
        """A pair of transcripts of this study's comparisons."""
        for pair in self.pairs:
            if pair.pair_id == pair_id:
                return pair
        raise UnknownName("pair of transcripts", pair_id, [pair.pair_id for pair in self.pairs])

    def document(self, file: str, language: str) -> str:
        """The Markdown of a file in this language, else in the default language."""
        variants = self.documents.get(file)
        if not variants:
            raise InputError(f"no text {file!r}", place=f"study {self.name}", hint="name it in a step")
        return variants.get(self.language(language)) or variants[self.default_language]

    def text(self, step: Step, language: str) -> str:
        """The Markdown that is read in a step; "" where it has none."""
        return self.document(step.document, language) if step.document is not None else ""

    def instrument(self, name: str) -> Instrument:
        return INSTRUMENTS.get(name)

    def wording(self, name: str, language: str) -> Wording:
        """The sentences of a questionnaire of this study."""
        variants = self.wordings.get(name, {})
        if not variants:
            raise UnknownName("questionnaire of this study", name, sorted(self.wordings))
        return variants.get(self.language(language)) or variants[self.default_language]
