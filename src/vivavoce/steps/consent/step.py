"""The step `consent`."""

from vivavoce.steps.base import ConsentPlan, Information, SimulatedParticipant, StepKind, reading_minutes
from vivavoce.study.model import Study
from vivavoce.study.steps import ConsentStep


class Consent(StepKind[ConsentStep]):
    """End the visit of a participant who does not agree."""

    name = "consent"

    def consent(self, step: ConsentStep) -> ConsentPlan:
        return ConsentPlan(step.recording)

    def minutes(self, step: ConsentStep, study: Study) -> float:
        return reading_minutes(step, study)

    def participant_info(self, step: ConsentStep, study: Study) -> Information:
        return Information()

    def preregistration_line(self, step: ConsentStep, study: Study) -> str:
        return "consent"

    async def simulate(self, step: ConsentStep, participant: SimulatedParticipant) -> None:
        await participant.engine.give_consent(
            participant.visit_id, participant.state.step, agreed=True, document="simulated"
        )
