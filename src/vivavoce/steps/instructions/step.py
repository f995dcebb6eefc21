"""The step `instructions`."""

from vivavoce.steps.base import Information, SimulatedParticipant, StepKind, read_page, reading_minutes
from vivavoce.study.model import Study
from vivavoce.study.steps import InstructionsStep


class Instructions(StepKind[InstructionsStep]):
    """It is read, and gone on from."""

    name = "instructions"

    def minutes(self, step: InstructionsStep, study: Study) -> float:
        return reading_minutes(step, study)

    def participant_info(self, step: InstructionsStep, study: Study) -> Information:
        return Information()

    def preregistration_line(self, step: InstructionsStep, study: Study) -> str:
        return "instructions"

    async def simulate(self, step: InstructionsStep, participant: SimulatedParticipant) -> None:
        await read_page(participant)
