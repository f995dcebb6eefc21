"""The step `compare`."""

from typing import NamedTuple

from vivavoce.steps.base import (
    ANSWERED,
    ITEMS_A_MINUTE,
    WORDS_A_MINUTE,
    Information,
    Message,
    SimulatedParticipant,
    StepKind,
    listed,
)
from vivavoce.study.model import Study
from vivavoce.study.pairs import length
from vivavoce.study.steps import CompareStep


class Chosen(NamedTuple):
    """A side, or a tie, for one question, and how strongly."""

    side: str
    strength: int | None = None


class PairwisePreference(StepKind[CompareStep]):
    """Simulated participants choose by chance: their choices say nothing of the transcripts."""

    name = "compare"

    def pairs(self, step: CompareStep, study: Study) -> int:
        """How many pairs a participant compares."""
        extra = sum(pair.attention is not None for pair in study.pairs)
        return len(step.variables) + step.repeats + extra * step.attention

    def minutes(self, step: CompareStep, study: Study) -> float:
        """A typical pair is read whole in both versions, and its questions are answered."""
        texts = [text for pair in study.pairs for text in pair.text.values()]
        words = sum(length(text.control) + length(text.experimental) for text in texts) / len(texts)
        return self.pairs(step, study) * (words / WORDS_A_MINUTE + len(step.questions) / ITEMS_A_MINUTE)

    def told(self, step: CompareStep, study: Study) -> Information:
        return Information(
            Message(
                "Thank you for your interest. In this study you read conversations between a person and a "
                "computer program, and say what you think of them."
            ),
            (
                Message(
                    "You read one pair of conversations and choose between its two versions.",
                    "You read %(num)s pairs of conversations, one after another, and choose between the two "
                    "versions of each.",
                    self.pairs(step, study),
                ),
            ),
            keeps=(ANSWERED,),
        )

    def course(self, step: CompareStep, study: Study) -> str:
        return f"one pair of transcripts for each of {listed(list(step.variables))}" + (
            f", {step.repeats} of them once more with the sides changed" if step.repeats else ""
        )

    async def simulate(self, step: CompareStep, participant: SimulatedParticipant) -> None:
        state = participant.state
        chance = participant.chance(f"compare {state.step} {state.position}")
        sides = ["left", "right", *(["tie"] if step.ties else [])]
        answers = {
            question.question_id: Chosen(
                chance.choice(sides), chance.randint(1, 3) if step.strength else None
            )
            for question in participant.study.questions
        }
        await participant.engine.forms.compare(
            participant.visit_id, step=state.step, position=state.position, answers=answers
        )
