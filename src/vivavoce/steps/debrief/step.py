"""The step `debrief`."""

from vivavoce.steps.base import Information, SimulatedParticipant, StepKind, read_page, reading_minutes
from vivavoce.study.model import Study
from vivavoce.study.steps import DebriefStep


class Debrief(StepKind[DebriefStep]):
    """It is read, and gone on from."""

    name, title = "debrief", "Thank you"

    def minutes(self, step: DebriefStep, study: Study) -> float:
        return reading_minutes(step, study)

    def participant_info(self, step: DebriefStep, study: Study) -> Information:
        return Information()

    def preregistration_line(self, step: DebriefStep, study: Study) -> str:
        return "debriefing"

    async def simulate(self, step: DebriefStep, participant: SimulatedParticipant) -> None:
        await read_page(participant)
