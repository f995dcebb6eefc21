"""The step `questionnaire`, and `screen`, which is one that admits."""

from collections.abc import Mapping

from vivavoce.steps.base import ANSWERED, Information, SimulatedParticipant, StepKind, form_minutes
from vivavoce.study.model import Study
from vivavoce.study.steps import QuestionnaireStep


class Questionnaire(StepKind[QuestionnaireStep]):
    """Simulated participants answer as their population's model of satisfaction has it."""

    name, counted, item_label = "questionnaire", "form", "questionnaires"
    done = "questionnaire_answered"

    def form(self, step: QuestionnaireStep) -> QuestionnaireStep:
        return step

    def minutes(self, step: QuestionnaireStep, study: Study) -> float:
        return form_minutes(step.name, study)

    def participant_info(self, step: QuestionnaireStep, study: Study) -> Information:
        return Information(keeps=(ANSWERED,))

    def preregistration_line(self, step: QuestionnaireStep, study: Study) -> str:
        if step.admit:
            admitted = ", ".join(f"{item} {codes}" for item, codes in step.admit.items())
            places = "".join(
                f"; quotas for {item}: {', '.join(f'{number} with {code}' for code, number in of.items())}"
                for item, of in step.quotas.items()
            )
            return f"screening by the questionnaire {step.name}: {admitted}{places}"
        return f"questionnaire {step.name}"

    def quotas(self, step: QuestionnaireStep) -> Mapping[str, Mapping[int, int]]:
        return step.quotas

    def admits(self, step: QuestionnaireStep, answers: Mapping[str, float | None]) -> bool:
        codes = {item: answers.get(item) for item in step.admit}
        return all(
            code is not None and step.admit[item].min <= code <= step.admit[item].max
            for item, code in codes.items()
        )

    async def simulate(self, step: QuestionnaireStep, participant: SimulatedParticipant) -> None:
        state = participant.state
        wording, ratings = participant.ratings(step.name, f"form {state.step} None {step.name}", step)
        await participant.engine.forms.answer(
            participant.visit_id,
            step=state.step,
            round=None,
            position=state.position,
            instrument=step.name,
            wording=wording,
            ratings=ratings,
        )
