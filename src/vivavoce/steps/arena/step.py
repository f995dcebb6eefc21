"""The step `arena`."""

from vivavoce.core.errors import InputError
from vivavoce.steps.base import ANSWERED, TYPED, Information, Message, SimulatedParticipant, StepKind
from vivavoce.study.model import Study
from vivavoce.study.steps import ArenaStep


class Arena(StepKind[ArenaStep]):
    """Nobody is simulated here: what a program would write to two systems at once is nobody's question."""

    name = "arena"

    def minutes(self, step: ArenaStep, study: Study) -> float:
        return 3.0 * step.bouts

    def told(self, step: ArenaStep, study: Study) -> Information:
        return Information(
            Message(
                "Thank you for your interest. In this study two computer programs answer you side by "
                "side, and "
                "you say which one is better."
            ),
            (
                Message(
                    "You write to two programs at once, read both answers, and vote.",
                    "You write to two programs at once, read both answers, and vote; %(num)s times with "
                    "other "
                    "programs.",
                    step.bouts,
                ),
            ),
            keeps=(TYPED, ANSWERED),
        )

    def course(self, step: ArenaStep, study: Study) -> str:
        times = "1 battle" if step.bouts == 1 else f"{step.bouts} battles"
        bad = " or that both are bad" if step.both_bad else ""
        return (
            f"{times} of two anonymous systems that answer the same messages, at most {step.turns} each; "
            f"after each answer a vote for one of them, a tie{bad}"
        )

    def check_simulation(self, step: ArenaStep, study: Study, language: str) -> None:
        raise InputError(
            "simulated callers take no part in a step 'arena'", place=f"study {study.name}",
            hint="simulate a copy of the study without it: people must write to two systems, and vote",
        )  # fmt: skip

    async def simulate(self, step: ArenaStep, participant: SimulatedParticipant) -> None:
        self.check_simulation(step, participant.study, participant.study.default_language)
