"""The step `triage`: enquiries at a library, each to be sent to one of several desks."""

from collections.abc import Iterator, Mapping, Sequence

from pydantic import BaseModel, Field

from vivavoce.dataset.columns import FLAG, INSTANT, INTEGER, KEY, LABEL, PARTICIPANT, REAL, Column, Table
from vivavoce.steps.base import ANSWERED, Information, Message, OfferedStep, SimulatedParticipant, StepFiles
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
from vivavoce.study.settings import Settings

SECONDS_EACH = 10
LEAST_S = 0.5
ENQUIRIES = Table(
    "triage",
    "one enquiry that was sent to a desk",
    (
        PARTICIPANT,
        Column("visit_id", KEY, "visit", True),
        Column("enquiry_number", INTEGER, "1-based position of the transcript for this participant", True),
        Column("enquiry", LABEL, "what was asked", True),
        Column("desk", LABEL, "where it was sent", True),
        Column("sure", FLAG, "the participant was sure of it", True),
        Column("language", LABEL, "BCP 47 tag of the page"),
        Column("response_s", REAL, "from when the enquiry was due to its answer"),
        Column("answered_at", INSTANT, "UTC"),
        Column("simulated", FLAG, "simulated participant", True),
    ),
    counted="enquiry",
)


class TriageSettings(Settings):
    """What stands in the study file."""

    enquiries: str = Field(description="text file, one enquiry a line")
    desks: list[str] = Field(min_length=2, description="where enquiries can be sent")
    each: int = Field(3, ge=1, description="enquiries of one participant")


class Enquiry(BaseModel):
    text: str


class Sent(BaseModel):
    desk: str
    sure: bool


Due = StimulusView[OfferedStep, Enquiry]


class Triage(StimulusStep[OfferedStep, Enquiry, Sent]):
    """Simulated participants send every enquiry to a desk by chance."""

    name = "triage"
    settings = TriageSettings
    stimulus, response, table = Enquiry, Sent, ENQUIRIES
    activity_label, item_label = "sending enquiries to desks", "enquiries"

    def materials(self, settings: TriageSettings, files: StepFiles) -> tuple[str, ...]:
        lines = files.text(settings.enquiries, "enquiries").splitlines()
        for number, line in enumerate(lines, 1):
            if not line.strip():
                files.report("", "an empty line", "remove it", file=settings.enquiries, line=number)
        return tuple(lines)

    def minutes(self, step: OfferedStep, study: Study) -> float:
        return step.settings.each * SECONDS_EACH / 60

    def participant_info(self, step: OfferedStep, study: Study) -> Information:
        does = Message(
            "You read one enquiry at a library and say which desk should answer it.",
            "You read %(num)s enquiries at a library and say which desk should answer each.",
            step.settings.each,
        )
        lead = Message("In this study you help a library to find out where enquiries belong.")
        return Information(lead, (does,), keeps=(ANSWERED,))

    def preregistration_line(self, step: OfferedStep, study: Study) -> str:
        return f"{step.settings.each} enquiries, each sent to one of {len(step.settings.desks)} desks"

    def plan(self, step: OfferedStep, study: Study, draw: PlanContext) -> list[Enquiry]:
        every = list(step.material)
        draw.chance.shuffle(every)
        return [Enquiry(text=one) for one in every[: step.settings.each]]

    def read(self, shown: Due, entered: Mapping[str, str]) -> Sent:
        if (desk := entered.get("desk", "")) not in shown.step.settings.desks:
            raise Rejected(Message("Please choose a desk."), "desk")
        return Sent(desk=desk, sure="sure" in entered)

    def check(self, shown: Due, response: Sent, elapsed_s: float | None) -> None:
        if elapsed_s is not None and elapsed_s < LEAST_S:
            raise Rejected(Message("Please read the enquiry first."))

    def finish(
        self, step: OfferedStep, study: Study, given: Sequence[tuple[Enquiry, Sent]], total_s: float
    ) -> Outcome:
        desks = {sent.desk for _, sent in given}
        return Outcome(flags=("one_desk",) if len(given) > 2 and len(desks) == 1 else ())

    def rows(self, given: StimulusResponse[Enquiry, Sent]) -> Iterator[Row]:
        yield {
            **given.row("enquiry_number"),
            "enquiry": given.stimulus.text,
            "desk": given.response.desk,
            "sure": given.response.sure,
        }

    def about(self, stimulus: Enquiry) -> str:
        return stimulus.text

    def respond(self, shown: Due, participant: SimulatedParticipant) -> Sent:
        chance = participant.chance(f"triage {shown.position}")
        return Sent(desk=chance.choice(shown.step.settings.desks), sure=chance.random() < 0.5)
