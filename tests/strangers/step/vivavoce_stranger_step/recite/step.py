"""The step `recite`: sentences read aloud, one after another; whoever cannot speak types them."""

from collections.abc import Iterator, Mapping, Sequence

from pydantic import BaseModel, Field

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
from vivavoce.log.events import ResponseGiven, StimuliPlanned
from vivavoce.steps.base import EMPTY, SPOKEN, Information, Message, OfferedStep, SimulatedParticipant
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
from vivavoce.study.settings import Settings

LONGEST_S = 10
RECITALS = Table(
    "recitals",
    "one sentence that was read aloud",
    (
        PARTICIPANT,
        Column("visit_id", KEY, "visit", True),
        Column("sentence_number", INTEGER, "1-based position of the transcript for this participant", True),
        Column("sentence", LABEL, "what was to be read", True),
        Column("typed", WORDS, "what was typed instead"),
        Column("recording", SOUND, "audio file, relative to the dataset"),
        Column("duration_s", REAL, "length of the recording"),
        Column("language", LABEL, "BCP 47 tag of the page"),
        Column("response_s", REAL, "from when the sentence was due to its recording"),
        Column("answered_at", INSTANT, "UTC"),
        Column("simulated", FLAG, "simulated participant", True),
    ),
    counted="recital",
)


class ReciteSettings(Settings):
    """What stands in the study file."""

    sentences: list[str] = Field(min_length=1, description="what is read")
    aloud: bool = Field(True, description="by voice; else typed")


class Sentence(BaseModel):
    text: str


class Recital(RecordedResponse):
    typed: str | None = None


Due = StimulusView[OfferedStep, Sentence]


class Recite(StimulusStep[OfferedStep, Sentence, Recital]):
    """Simulated participants type what they read."""

    name = "recite"
    settings = ReciteSettings
    stimulus, response, table = Sentence, Recital, RECITALS
    activity_label, item_label = "reading sentences aloud", "sentences"
    earlier_events = {"sentences_chosen": StimuliPlanned, "sentence_recited": ResponseGiven}
    earlier_addresses = {"/recited": "/respond"}

    def minutes(self, step: OfferedStep, study: Study) -> float:
        return len(step.settings.sentences) / 4

    def participant_info(self, step: OfferedStep, study: Study) -> Information:
        return Information(does=(Message("You read sentences aloud."),), keeps=(SPOKEN,))

    def preregistration_line(self, step: OfferedStep, study: Study) -> str:
        return f"{len(step.settings.sentences)} sentences are read aloud"

    def plan(self, step: OfferedStep, study: Study, draw: PlanContext) -> list[Sentence]:
        return [Sentence(text=one) for one in step.settings.sentences]

    def redo(self, step: OfferedStep) -> bool:
        return True

    def sound_plan(self, step: OfferedStep) -> SoundPlan | None:
        return SoundPlan(LONGEST_S) if step.settings.aloud else None

    def spoken(self, shown: Due) -> Recital:
        return Recital()

    def read(self, shown: Due, entered: Mapping[str, str]) -> Recital:
        return Recital(typed=entered.get("text", "").strip())

    def check(self, shown: Due, response: Recital, elapsed_s: float | None) -> None:
        if response.typed == "":
            raise Rejected(EMPTY, "text")

    def finish(self, step: OfferedStep, study: Study, given: Sequence[object], total_s: float) -> Outcome:
        return Outcome()

    def rows(self, given: StimulusResponse[Sentence, Recital]) -> Iterator[Row]:
        yield {
            **given.row("sentence_number"),
            "sentence": given.stimulus.text,
            "typed": given.response.typed,
            "recording": given.file,
            "duration_s": given.recorded.duration_s if given.recorded else None,
        }

    def about(self, stimulus: Sentence) -> str:
        return stimulus.text

    def respond(self, shown: Due, participant: SimulatedParticipant) -> Recital:
        return Recital(typed=shown.stimulus.text)
