"""A pair of transcripts as the page shows it, and the choices as they come back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from vivavoce.steps.base import OfferedStep
from vivavoce.steps.pairwise_preference.models import PresentedPair
from vivavoce.steps.stimulus import StimulusView
from vivavoce.study.pairs import Transcript

STRENGTHS: Final = (1, 2, 3)
Due = StimulusView[OfferedStep, PresentedPair]
Side = Literal["left", "right", "tie"]


class Preferred(NamedTuple):
    """Answer to one question: a side or a tie, and the strength."""

    side: Side
    strength: int | None = None


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question about the pair with what was chosen so far."""

    question_id: str
    sentence: str
    side: str = ""
    strength: str = ""
    missing: bool = False
    weak: bool = False

    @property
    def field(self) -> str:
        return f"item-{self.question_id}"

    @property
    def strength_field(self) -> str:
        return f"{self.field}-strength"


@dataclass(frozen=True, slots=True)
class ComparisonForm:
    """Transcripts on the left and right, and the questions about them."""

    left: Transcript
    right: Transcript
    ties: bool
    strength: bool
    questions: tuple[AskedQuestion, ...]

    @property
    def missing(self) -> list[AskedQuestion]:
        return [question for question in self.questions if question.missing or question.weak]

    @property
    def answers(self) -> dict[str, Preferred]:
        """Answers by question, of a complete form."""
        sides: dict[str, Side] = {"left": "left", "right": "right", "tie": "tie"}
        return {
            question.question_id: Preferred(
                sides[question.side], int(question.strength) if question.strength else None
            )
            for question in self.questions
        }


def asked_pair(due: Due, entered: Mapping[str, str] | None = None) -> ComparisonForm:
    """The pair that is due, blank or as it was filled in; questions without a valid choice are missing."""
    settings, text = due.step.settings, due.study.pair(due.stimulus.pair_id).text[due.language]
    on_left = due.stimulus.experimental_side == "left"
    blank = [
        AskedQuestion(question.question_id, question.text[due.language])
        for question in due.step.material.questions
    ]
    return ComparisonForm(
        left=text.experimental if on_left else text.control,
        right=text.control if on_left else text.experimental,
        ties=settings.ties,
        strength=settings.strength,
        questions=tuple(
            question if entered is None else _filled(question, entered, settings.ties, settings.strength)
            for question in blank
        ),
    )


def _filled(question: AskedQuestion, entered: Mapping[str, str], ties: bool, strength: bool) -> AskedQuestion:
    side = entered.get(question.field, "")
    side = side if side in (("left", "right", "tie") if ties else ("left", "right")) else ""
    strong = entered.get(question.strength_field, "")
    strong = (
        strong
        if strength and side != "tie" and strong in {str(strength_code) for strength_code in STRENGTHS}
        else ""
    )
    weak = strength and side in ("left", "right") and not strong
    return AskedQuestion(question.question_id, question.sentence, side, strong, not side, weak)
