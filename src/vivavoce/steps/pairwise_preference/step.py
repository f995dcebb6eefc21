"""The step `compare`: pairs of transcripts of which one is chosen, for each of several questions."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vivavoce.steps.base import (
    ANSWERED,
    ITEMS_A_MINUTE,
    OPEN,
    WORDS_A_MINUTE,
    Information,
    Message,
    SimulatedParticipant,
    listed,
)
from vivavoce.steps.pairwise_preference.form import STRENGTHS, Due, Preferred, Side, asked_pair
from vivavoce.steps.pairwise_preference.models import PREFERENCES, PairChoice, PairChoices, PresentedPair
from vivavoce.steps.pairwise_preference.quality import odd
from vivavoce.steps.stimulus import Draw, Given, Outcome, Rejected, Row, StimulusStep
from vivavoce.study.model import Study
from vivavoce.study.pairs import ComparisonQuestion, length
from vivavoce.study.pairs_plan import plan
from vivavoce.study.steps import CompareStep


class PairwisePreference(StimulusStep[CompareStep, PresentedPair, PairChoices]):
    """Simulated participants choose by chance: their choices say nothing of the transcripts."""

    name = "compare"
    stimulus, response, table = PresentedPair, PairChoices, PREFERENCES
    doing, things = "comparing transcripts", "pairs of transcripts"

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

    def plan(self, step: CompareStep, study: Study, draw: Draw) -> Sequence[PresentedPair]:
        return [
            PresentedPair(
                pair_id=one.pair.pair_id, variable=one.pair.variable, role=one.role, change=one.pair.change,
                attention=one.pair.attention, experimental_side=one.experimental_side,
                control_level=one.pair.control_level, experimental_level=one.pair.experimental_level,
            )
            for one in plan(step, study.pairs, draw.slot)
        ]  # fmt: skip

    def facts(self, shown: Due, entered: Mapping[str, str] | None) -> dict[str, Any]:
        """`view`: the transcript on the page, where they are shown in turn; `both` with the questions."""
        together = shown.step.presentation == "together" or entered is not None
        view = shown.view if shown.view in ("right", "both") else "left"
        return {"form": asked_pair(shown, entered), "view": "both" if together else view}

    def read(self, shown: Due, entered: Mapping[str, str]) -> PairChoices:
        form = asked_pair(shown, entered)
        if form.missing:
            raise Rejected(OPEN._replace(number=len(form.missing)), *(one.field for one in form.missing))
        return self.chosen(shown, form.answers)

    def chosen(self, shown: Due, answers: Mapping[str, Preferred]) -> PairChoices:
        """The choices about the pair that is due, one a question. Raises Rejected: one is missing."""
        text = shown.study.pair(shown.stimulus.pair_id).text[shown.language]
        return PairChoices(
            pair_id=shown.stimulus.pair_id, digest=text.digest, control_tokens=length(text.control),
            experimental_tokens=length(text.experimental), presentation=shown.step.presentation,
            choices=[_choice(shown, question, answers) for question in shown.study.questions],
        )  # fmt: skip

    def check(self, shown: Due, response: PairChoices, elapsed_s: float | None) -> None:
        """However fast it was: the whole is judged at its end."""

    def finish(
        self,
        step: CompareStep,
        study: Study,
        given: Sequence[tuple[PresentedPair, PairChoices]],
        total_s: float,
    ) -> Outcome:
        fast = total_s < step.minimum_s
        flags = (*(("fast",) if fast else ()), *odd(given))
        return Outcome(accepted=step.accept_fast or not fast, flags=flags)

    def paid(self, step: CompareStep) -> bool:
        return step.code_if_not_accepted

    def rows(self, given: Given[PresentedPair, PairChoices]) -> Iterator[Row]:
        whole = given.finished
        common = {
            **given.row("comparison_number"), **given.stimulus.model_dump(exclude={"attention"}),
            **given.response.model_dump(include={"presentation", "control_tokens", "experimental_tokens"}),
            "total_s": whole.total_s if whole else None, "accepted": whole.accepted if whole else None,
            "flags": " ".join(whole.flags) if whole else None,
        }  # fmt: skip
        for choice in given.response.choices:
            yield {**common, **choice.model_dump()}

    def about(self, stimulus: PresentedPair) -> str:
        return stimulus.pair_id

    def pieces(self, response: PairChoices) -> int:
        return len(response.choices)

    def respond(self, shown: Due, participant: SimulatedParticipant) -> PairChoices:
        step, chance = shown.step, participant.chance(f"compare {shown.place} {shown.position}")
        sides: tuple[Side, ...] = ("left", "right", "tie") if step.ties else ("left", "right")
        answers = {
            question.question_id: Preferred(
                chance.choice(sides), chance.randint(1, 3) if step.strength else None
            )
            for question in shown.study.questions
        }
        return self.chosen(shown, answers)


def _choice(shown: Due, question: ComparisonQuestion, answers: Mapping[str, Preferred]) -> PairChoice:
    step, name = shown.step, question.question_id
    given = answers.get(name)
    if given is None or given.side not in ("left", "right", "tie") or (given.side == "tie" and not step.ties):
        raise Rejected(OPEN, name)
    if given.side == "tie":
        return PairChoice(question=name, quality=question.quality, choice="tie", side=None)
    if step.strength and given.strength not in STRENGTHS:
        raise Rejected(OPEN, f"{name}: strength")
    on_side = given.side == shown.stimulus.experimental_side
    return PairChoice(
        question=name, quality=question.quality, choice="experimental" if on_side else "control",
        side=given.side, strength=given.strength if step.strength else None,
    )  # fmt: skip
