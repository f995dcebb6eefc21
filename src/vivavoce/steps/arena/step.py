"""The step `arena`."""

from vivavoce.core.errors import InputError
from vivavoce.steps.base import (
    ANSWERED,
    TYPED,
    BattlePlan,
    Information,
    Message,
    OfferedStep,
    SimulatedParticipant,
    StepKind,
)
from vivavoce.study.model import Study


class Arena(StepKind[OfferedStep]):
    """Reject simulation: messages of a program to two systems at once would mean nothing."""

    name, settings, once = "arena", BattlePlan, "keep one, and raise its `battles`"
    counted, done = "vote", "vote_cast"

    def battles(self, step: OfferedStep) -> BattlePlan:
        return step.settings

    def minutes(self, step: OfferedStep, study: Study) -> float:
        return 3.0 * step.settings.battles

    def participant_info(self, step: OfferedStep, study: Study) -> Information:
        return Information(
            Message(
                "Thank you for your interest. In this study two computer programs answer you side by "
                "side, and "
                "you say which one is better."
            ),
            (
                Message(
                    "You write to two programs at once, read both answers, and vote.",
                    "You write to two programs at once, read both answers, and vote; %(num)s times.",
                    step.settings.battles,
                ),
            ),
            keeps=(TYPED, ANSWERED),
        )

    def preregistration_line(self, step: OfferedStep, study: Study) -> str:
        plan = self.battles(step)
        times = "1 battle" if plan.battles == 1 else f"{plan.battles} battles"
        bad = " or that both are bad" if plan.both_bad else ""
        pace = "each at its own pace" if plan.pace == "own" else "at equal pace"
        seen = f"; answers are streamed, {pace}" if plan.answers == "streamed" else ""
        return (
            f"{times} of two anonymous systems that answer the same messages, at most {plan.turns} each; "
            f"after each pair of answers a vote for one system or a tie{bad}{seen}"
        )

    def check_simulation(self, step: OfferedStep, study: Study, language: str) -> None:
        raise InputError(
            "simulated users cannot do the step 'arena'",
            place=f"study {study.name}",
            hint="simulate a copy of the study without this step",
        )

    async def simulate(self, step: OfferedStep, participant: SimulatedParticipant) -> None:
        self.check_simulation(step, participant.study, participant.study.default_language)
