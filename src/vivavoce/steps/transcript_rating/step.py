"""The step `rate`: transcripts of pairs, read one at a time and rated on a questionnaire."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from statistics import fmean
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.dataset.columns import (
    ANSWERED_AT,
    FLAG,
    INTEGER,
    LABEL,
    PARTICIPANT,
    REAL,
    VISIT,
    WORDS,
    Column,
    Table,
)
from vivavoce.log.event import LoggedRating
from vivavoce.log.events import ResponseGiven, StepFinished, StimuliPlanned
from vivavoce.questionnaires.instrument import INSTRUMENTS
from vivavoce.steps.base import (
    ANSWERED,
    OPEN,
    WORDS_A_MINUTE,
    Information,
    Message,
    OfferedStep,
    SimulatedParticipant,
    StepFiles,
    form_minutes,
    listed,
)
from vivavoce.steps.form import Form, blank_form, filled_form
from vivavoce.steps.stimulus import (
    Outcome,
    PlanContext,
    Rejected,
    Row,
    StimulusResponse,
    StimulusStep,
    StimulusView,
)
from vivavoce.study.model import Study
from vivavoce.study.pairs import Pair, Version, length
from vivavoce.study.pairs_plan import PairsDraw, plan
from vivavoce.study.pairs_study import PairsSettings, TranscriptPairs, transcript_pairs, variables_of
from vivavoce.study.settings import Flag

ReadingRole = Literal["main", "attention"]


class RateSettings(PairsSettings):
    """Transcripts rated one at a time with a questionnaire."""

    use: str = Field("reading", description="questionnaire for each transcript")
    versions: Literal["both", "one"] = Field(
        "both", description="both: each participant reads both versions of a pair; one: only one of them"
    )
    attention: Flag = Field(
        False, description="mix in the broken versions of pairs marked `attention: broken`"
    )


class PlannedReading(NamedTuple):
    """One transcript to be read."""

    pair: Pair
    version: Version
    role: ReadingRole = "main"

    @property
    def level(self) -> str:
        pair = self.pair
        return pair.control_level if self.version == "control" else pair.experimental_level


def reading_plan(step: OfferedStep, pairs: Sequence[Pair], slot: int) -> tuple[PlannedReading, ...]:
    """The transcripts of one participant; the same slot gives the same plan.

    Note  where a comparison shows the experimental version on the left, it is read first here: balanced in
          the same way. With both versions, one of every variable comes before the other of any. Broken
          transcripts come in between, never first.
    """
    settings = step.settings
    planned = plan(PairsDraw(variables_of(pairs, settings.variables), settings.seed), pairs, slot)
    first = [
        PlannedReading(
            planned_pair.pair, "experimental" if planned_pair.experimental_side == "left" else "control"
        )
        for planned_pair in planned
    ]
    other_version: dict[Version, Version] = {"control": "experimental", "experimental": "control"}
    second = [PlannedReading(reading.pair, other_version[reading.version]) for reading in first]
    readings = first + second if settings.versions == "both" else first
    chance = Random(f"{settings.seed}:attention:{slot}")
    for pair in (pair for pair in pairs if settings.attention and pair.attention == "broken"):
        readings.insert(chance.randint(1, len(readings)), PlannedReading(pair, "experimental", "attention"))
    return tuple(readings)


READINGS = Table(
    "readings",
    "answer to one item about one transcript",
    (
        PARTICIPANT,
        VISIT,
        Column("reading_number", INTEGER, "1-based position of the transcript for this participant", True),
        Column("pair_id", LABEL, "its pair of transcripts", True),
        Column("variable", LABEL, "interaction strategy under test", True),
        Column("change", LABEL, "substitution or insertion"),
        Column("version", LABEL, "control or experimental", True),
        Column("level", LABEL, "level of the strategy in it", True),
        Column("role", LABEL, "main, or attention: a broken transcript; null in older datasets: main"),
        Column("instrument", LABEL, "questionnaire", True),
        Column("wording", LABEL, "wording shown: project, package, or file (the study's own)"),
        Column("language", LABEL, "BCP 47 tag"),
        Column("item_id", LABEL, "item", True),
        Column("value", REAL, "raw code as answered, never recoded; null for free text"),
        Column("answer", WORDS, "chosen label, or free text"),
        Column("tokens", INTEGER, "length of the transcript"),
        Column("response_s", REAL, "seconds from the presentation of the transcript to its answers"),
        ANSWERED_AT,
        Column("simulated", FLAG, "simulated participant", True),
    ),
    counted="transcript rating",
    unit=("visit_id", "reading_number"),
)


class Reading(BaseModel):
    """One transcript that a participant will read: a version of a pair; role attention: a broken one."""

    model_config = ConfigDict(frozen=True)
    pair_id: str
    variable: str
    change: str
    version: Literal["control", "experimental"]
    level: str
    role: Literal["main", "attention"] = "main"


class RatedTranscript(BaseModel):
    """Answers about one transcript.

    digest  of both transcripts of its pair, with the length in tokens of the one that was read
    """

    model_config = ConfigDict(frozen=True)
    pair_id: str
    shown: Literal["control", "experimental"]
    digest: str
    tokens: int
    instrument: str
    wording: str
    ratings: list[LoggedRating]


Due = StimulusView[OfferedStep, Reading]


class TranscriptRating(StimulusStep[OfferedStep, Reading, RatedTranscript]):
    """Simulated participants rate as their habits are: their ratings say nothing of the transcripts."""

    name, settings, once = "rate", RateSettings, "keep one of the steps"
    stimulus, response, table = Reading, RatedTranscript, READINGS
    activity_label, item_label = "rating transcripts", "transcripts"
    earlier_events = {
        "transcripts_assigned": StimuliPlanned,
        "transcript_rated": ResponseGiven,
        "transcripts_finished": StepFinished,
    }
    earlier_addresses = {"/rated": "/respond"}

    def materials(self, settings: RateSettings, files: StepFiles) -> TranscriptPairs:
        return transcript_pairs(settings, files)

    def transcript_pairs(self, step: OfferedStep) -> TranscriptPairs:
        return step.material

    def forms(self, step: OfferedStep) -> Sequence[str]:
        return (step.settings.use,)

    def transcripts(self, step: OfferedStep, study: Study) -> int:
        """Number of transcripts per participant."""
        settings, broken = step.settings, sum(pair.attention == "broken" for pair in study.pairs)
        per_variable = 2 if settings.versions == "both" else 1
        return len(variables_of(study.pairs, settings.variables)) * per_variable + broken * settings.attention

    def minutes(self, step: OfferedStep, study: Study) -> float:
        texts = [text for pair in study.pairs for text in pair.text.values()]
        words = sum(length(text.control) for text in texts) / len(texts)
        return self.transcripts(step, study) * (
            words / WORDS_A_MINUTE + form_minutes(step.settings.use, study)
        )

    def participant_info(self, step: OfferedStep, study: Study) -> Information:
        return Information(
            Message(
                "Thank you for your interest. In this study you read conversations between a person and a "
                "computer program, and say what you think of them."
            ),
            (
                Message(
                    "You read one conversation and answer a few questions about it.",
                    "You read %(num)s conversations, one after another, and answer a few questions about "
                    "each.",
                    self.transcripts(step, study),
                ),
            ),
            keeps=(ANSWERED,),
        )

    def preregistration_line(self, step: OfferedStep, study: Study) -> str:
        settings = step.settings
        which = "both versions of a pair" if settings.versions == "both" else "one version of a pair"
        return (
            f"transcripts read one at a time, each rated on {settings.use}: {which} for each of "
            f"{listed(list(variables_of(study.pairs, settings.variables)))}"
        )

    def plan(self, step: OfferedStep, study: Study, draw: PlanContext) -> Sequence[Reading]:
        return [
            Reading(
                pair_id=planned.pair.pair_id,
                variable=planned.pair.variable,
                change=planned.pair.change,
                version=planned.version,
                level=planned.level,
                role=planned.role,
            )
            for planned in reading_plan(step, study.pairs, draw.slot)
        ]

    def facts(self, shown: Due, entered: Mapping[str, str] | None) -> dict[str, Any]:
        read, form = shown.stimulus, _form(shown)
        return {
            "form": form if entered is None else filled_form(form, entered),
            "entries": [],
            "turns": shown.study.pair(read.pair_id).text[shown.language].version(read.version),
        }

    def read(self, shown: Due, entered: Mapping[str, str]) -> RatedTranscript:
        form = filled_form(_form(shown), entered)
        if form.missing:
            raise Rejected(
                OPEN._replace(number=len(form.missing)), *(question.field for question in form.missing)
            )
        return self.rated(shown, form.wording.origin, form.ratings)

    def check(self, shown: Due, response: RatedTranscript, elapsed_s: float | None) -> None:
        """Accept any speed: the dataset has the time taken."""

    def finish(self, step: OfferedStep, study: Study, given: Sequence[object], total_s: float) -> Outcome:
        return Outcome()

    def rows(self, given: StimulusResponse[Reading, RatedTranscript]) -> Iterator[Row]:
        common = {
            **given.row("reading_number"),
            **given.stimulus.model_dump(),
            **given.response.model_dump(include={"instrument", "wording", "tokens"}),
        }
        for rating in given.response.ratings:
            yield {**common, **rating.model_dump(include={"item_id", "value", "answer"})}

    def credits(self, given: Sequence[tuple[Reading, RatedTranscript]]) -> Mapping[int, float]:
        """1 for a broken transcript that was rated below the reader's mean of the others, else 0."""
        means = [_mean_rating(rated) for _, rated in given]
        other_means = [
            mean
            for (read, _), mean in zip(given, means, strict=True)
            if read.role != "attention" and mean is not None
        ]
        return {
            place: float(mean < fmean(other_means))
            for place, ((read, _), mean) in enumerate(zip(given, means, strict=True))
            if read.role == "attention" and mean is not None and other_means
        }

    def about(self, stimulus: Reading) -> str:
        return f"{stimulus.pair_id}/{stimulus.version}"

    def respond(self, shown: Due, participant: SimulatedParticipant) -> RatedTranscript:
        purpose = f"rate {participant.state.step} {shown.position}"
        return self.rated(shown, *participant.ratings(shown.step.settings.use, purpose))

    def rated(self, shown: Due, wording: str, ratings: list[LoggedRating]) -> RatedTranscript:
        """The ratings of the transcript that is due; wording: where its sentences come from."""
        read = shown.stimulus
        text = shown.study.pair(read.pair_id).text[shown.language]
        return RatedTranscript(
            pair_id=read.pair_id,
            shown=read.version,
            digest=text.digest,
            tokens=length(text.version(read.version)),
            instrument=shown.step.settings.use,
            wording=wording,
            ratings=ratings,
        )


def _mean_rating(rated: RatedTranscript) -> float | None:
    """The mean code, those of items that are worded negatively turned round; None: no item has a code."""
    items = {}
    if rated.instrument in INSTRUMENTS:
        instrument = INSTRUMENTS.get(rated.instrument)
        items = {item.item_id: instrument.scale_of(item) for item in instrument.items if item.reverse}
    codes = [
        scale.reversed(rating.value) if (scale := items.get(rating.item_id)) is not None else rating.value
        for rating in rated.ratings
        if rating.value is not None
    ]
    return fmean(codes) if codes else None


def _form(view: Due) -> Form:
    return blank_form(
        view.study,
        view.step.settings.use,
        view.language,
        step=view.place,
        round=None,
        position=view.position,
    )
