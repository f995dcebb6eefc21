"""The step `rate`."""

from vivavoce.steps.base import (
    ANSWERED,
    WORDS_A_MINUTE,
    Information,
    Message,
    SimulatedParticipant,
    StepKind,
    form_minutes,
    listed,
)
from vivavoce.study.model import Study
from vivavoce.study.pairs import length
from vivavoce.study.steps import RateStep


class TranscriptRating(StepKind[RateStep]):
    """Simulated participants rate as their habits are: their ratings say nothing of the transcripts."""

    name = "rate"

    def transcripts(self, step: RateStep, study: Study) -> int:
        """How many transcripts a participant reads."""
        broken = sum(pair.attention == "broken" for pair in study.pairs)
        return len(step.variables) * (2 if step.versions == "both" else 1) + broken * step.attention

    def minutes(self, step: RateStep, study: Study) -> float:
        texts = [text for pair in study.pairs for text in pair.text.values()]
        words = sum(length(text.control) for text in texts) / len(texts)
        return self.transcripts(step, study) * (words / WORDS_A_MINUTE + form_minutes(step.name, study))

    def told(self, step: RateStep, study: Study) -> Information:
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

    def course(self, step: RateStep, study: Study) -> str:
        which = "both versions of a pair" if step.versions == "both" else "one version of a pair"
        return (
            f"transcripts read one at a time, each rated on {step.name}: {which} for each of "
            f"{listed(list(step.variables))}"
        )

    async def simulate(self, step: RateStep, participant: SimulatedParticipant) -> None:
        state = participant.state
        wording, ratings = participant.ratings(step.name, f"rate {state.step} {state.position}")
        await participant.engine.forms.rate(
            participant.visit_id, step=state.step, position=state.position, wording=wording, ratings=ratings
        )
