"""The step `compare`: pairs of transcripts of which one is chosen, for each of several questions."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from vivavoce.log.events import ResponseGiven, StepFinished, StimuliPlanned
from vivavoce.steps.base import (
    ANSWERED,
    ITEMS_A_MINUTE,
    OPEN,
    WORDS_A_MINUTE,
    Information,
    Message,
    OfferedStep,
    SimulatedParticipant,
    StepFiles,
    listed,
)
from vivavoce.steps.pairwise_preference.form import STRENGTHS, Due, Preferred, Side, asked_pair
from vivavoce.steps.pairwise_preference.material import (
    ComparedTranscripts,
    CompareSettings,
    compared_transcripts,
)
from vivavoce.steps.pairwise_preference.models import PREFERENCES, PairChoice, PairChoices, PresentedPair
from vivavoce.steps.pairwise_preference.quality import attention_credits, odd
from vivavoce.steps.stimulus import Outcome, PlanContext, Rejected, Row, StimulusResponse, StimulusStep
from vivavoce.study.model import Study
from vivavoce.study.pairs import ComparisonQuestion, length
from vivavoce.study.pairs_plan import PairsDraw, plan
from vivavoce.study.pairs_study import TranscriptPairs, variables_of


class PairwisePreference(StimulusStep[OfferedStep, PresentedPair, PairChoices]):
    """Simulated participants choose by chance, or what was planted: that says nothing of the transcripts."""

    name, settings, once = "compare", CompareSettings, "keep one of the steps"
    stimulus, response, table = PresentedPair, PairChoices, PREFERENCES
    activity_label, item_label = "comparing transcripts", "pairs of transcripts"
    earlier_events = {
        "comparisons_assigned": StimuliPlanned,
        "comparison_answered": ResponseGiven,
        "comparisons_finished": StepFinished,
    }
    earlier_addresses = {"/choices": "/respond"}

    def materials(self, settings: CompareSettings, files: StepFiles) -> ComparedTranscripts:
        return compared_transcripts(settings, files)

    def transcript_pairs(self, step: OfferedStep) -> TranscriptPairs:
        return step.material.presented

    def pairs(self, step: OfferedStep, study: Study) -> int:
        """Number of pairs per participant."""
        settings, extra = step.settings, sum(pair.attention is not None for pair in study.pairs)
        return len(_variables(step, study)) + settings.repeats + extra * settings.attention

    def minutes(self, step: OfferedStep, study: Study) -> float:
        """A typical pair is read whole in both versions, and its questions are answered."""
        texts = [text for pair in study.pairs for text in pair.text.values()]
        words = sum(length(text.control) + length(text.experimental) for text in texts) / len(texts)
        question_count = len(step.material.questions)
        return self.pairs(step, study) * (words / WORDS_A_MINUTE + question_count / ITEMS_A_MINUTE)

    def participant_info(self, step: OfferedStep, study: Study) -> Information:
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

    def preregistration_line(self, step: OfferedStep, study: Study) -> str:
        repeats = step.settings.repeats
        return f"one pair of transcripts for each of {listed(list(_variables(step, study)))}" + (
            f", {repeats} repeated with swapped sides" if repeats else ""
        )

    def plan(self, step: OfferedStep, study: Study, draw: PlanContext) -> Sequence[PresentedPair]:
        settings = step.settings
        pairs_draw = PairsDraw(_variables(step, study), settings.seed, settings.attention, settings.repeats)
        return [
            PresentedPair(
                pair_id=planned.pair.pair_id,
                variable=planned.pair.variable,
                role=planned.role,
                change=planned.pair.change,
                attention=planned.pair.attention,
                experimental_side=planned.experimental_side,
                control_level=planned.pair.control_level,
                experimental_level=planned.pair.experimental_level,
            )
            for planned in plan(pairs_draw, study.pairs, draw.slot)
        ]

    def facts(self, shown: Due, entered: Mapping[str, str] | None) -> dict[str, Any]:
        """`view`: the transcript on the page, where they are shown in turn; `both` with the questions."""
        together = shown.step.settings.presentation == "together" or entered is not None
        view = shown.view if shown.view in ("right", "both") else "left"
        return {"form": asked_pair(shown, entered), "view": "both" if together else view}

    def read(self, shown: Due, entered: Mapping[str, str]) -> PairChoices:
        form = asked_pair(shown, entered)
        if form.missing:
            raise Rejected(
                OPEN._replace(number=len(form.missing)), *(question.field for question in form.missing)
            )
        return self.chosen(shown, form.answers)

    def chosen(self, shown: Due, answers: Mapping[str, Preferred]) -> PairChoices:
        """The choices about the pair that is due, one a question. Raises Rejected: one is missing."""
        text = shown.study.pair(shown.stimulus.pair_id).text[shown.language]
        return PairChoices(
            pair_id=shown.stimulus.pair_id,
            digest=text.digest,
            control_tokens=length(text.control),
            experimental_tokens=length(text.experimental),
            presentation=shown.step.settings.presentation,
            choices=[_choice(shown, question, answers) for question in shown.step.material.questions],
        )

    def check(self, shown: Due, response: PairChoices, elapsed_s: float | None) -> None:
        """Accept any speed here: the whole response is judged at its end."""

    def finish(
        self,
        step: OfferedStep,
        study: Study,
        given: Sequence[tuple[PresentedPair, PairChoices]],
        total_s: float,
    ) -> Outcome:
        fast = total_s < step.settings.minimum_s
        flags = (*(("fast",) if fast else ()), *odd(given))
        in_time = step.settings.accept_fast or not fast
        attentive = step.settings.accept_failed_attention or "attention_failed" not in flags
        return Outcome(accepted=in_time and attentive, flags=flags)

    def paid(self, step: OfferedStep) -> bool:
        return step.settings.code_if_not_accepted

    def rows(self, given: StimulusResponse[PresentedPair, PairChoices]) -> Iterator[Row]:
        finished = given.finished
        common = {
            **given.row("comparison_number"),
            **given.stimulus.model_dump(exclude={"attention"}),
            **given.response.model_dump(include={"presentation", "control_tokens", "experimental_tokens"}),
            "total_s": finished.total_s if finished else None,
            "accepted": finished.accepted if finished else None,
            "flags": " ".join(finished.flags) if finished else None,
        }
        for choice in given.response.choices:
            yield {**common, **choice.model_dump()}

    def credits(self, given: Sequence[tuple[PresentedPair, PairChoices]]) -> Mapping[int, float]:
        return attention_credits(given)

    def about(self, stimulus: PresentedPair) -> str:
        return stimulus.pair_id

    def pieces(self, response: PairChoices) -> int:
        return len(response.choices)

    def respond(self, shown: Due, participant: SimulatedParticipant) -> PairChoices:
        settings, chance = shown.step.settings, participant.chance(f"compare {shown.place} {shown.position}")
        sides: tuple[Side, ...] = ("left", "right", "tie") if settings.ties else ("left", "right")
        answers: dict[str, Preferred] = {}
        for question in shown.step.material.questions:
            side = chance.choice(sides)
            strength = chance.randint(1, 3) if settings.strength else None
            preferred = _wanted(shown, question, participant, chance) if side != "tie" else None
            answers[question.question_id] = Preferred(preferred or side, strength)
        return self.chosen(shown, answers)


def _wanted(
    view: Due, question: ComparisonQuestion, participant: SimulatedParticipant, chance: Random
) -> Side | None:
    """The side that was planted for a simulated judge; None: nothing was, and chance decides."""
    planted, stimulus = participant.planted, view.stimulus
    if planted is None or stimulus.attention is not None:
        return None
    judge = participant.chance(f"leaning {stimulus.variable}")  # the same for each of their questions
    experimental = planted.chooses(stimulus.variable, question.question_id, judge, chance)
    if experimental is None:
        return None
    other_side: Side = "right" if stimulus.experimental_side == "left" else "left"
    return stimulus.experimental_side if experimental else other_side


def _variables(step: OfferedStep, study: Study) -> tuple[str, ...]:
    return variables_of(study.pairs, step.settings.variables)


def _choice(view: Due, question: ComparisonQuestion, answers: Mapping[str, Preferred]) -> PairChoice:
    settings, name = view.step.settings, question.question_id
    answer = answers.get(name)
    if (
        answer is None
        or answer.side not in ("left", "right", "tie")
        or (answer.side == "tie" and not settings.ties)
    ):
        raise Rejected(OPEN, name)
    if answer.side == "tie":
        return PairChoice(question=name, quality=question.quality, choice="tie", side=None)
    if settings.strength and answer.strength not in STRENGTHS:
        raise Rejected(OPEN, f"{name}: strength")
    on_side = answer.side == view.stimulus.experimental_side
    return PairChoice(
        question=name,
        quality=question.quality,
        choice="experimental" if on_side else "control",
        side=answer.side,
        strength=answer.strength if settings.strength else None,
    )
