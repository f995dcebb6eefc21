"""Names that the modules of a step import: `study/step_kind.StepKind` and shared code."""

from typing import Final

from vivavoce.study.model import Study
from vivavoce.study.step_kind import (
    ConsentPlan,
    Information,
    Message,
    SimulatedParticipant,
    StepFiles,
    StepKind,
    Written,
    WrittenDown,
)
from vivavoce.study.steps import BattlePlan, DialoguePlan, OfferedStep, QuestionnaireStep, Range, Step

__all__ = [
    "ANSWERED",
    "EMPTY",
    "OPEN",
    "SPOKEN",
    "TOO_LONG",
    "TYPED",
    "BattlePlan",
    "ConsentPlan",
    "DialoguePlan",
    "Information",
    "Message",
    "OfferedStep",
    "QuestionnaireStep",
    "Range",
    "SimulatedParticipant",
    "StepFiles",
    "StepKind",
    "Written",
    "WrittenDown",
    "form_minutes",
    "listed",
    "read_page",
    "reading_minutes",
]

WORDS_A_MINUTE: Final = 200
ITEMS_A_MINUTE: Final = 7


async def read_page(participant: SimulatedParticipant) -> None:
    """Go on from a page that is only read."""
    await participant.engine.read_page(participant.visit_id, participant.state.step)


def reading_minutes(step: Step, study: Study) -> float:
    """Reading time of a step's text, in the default language."""
    return len(study.text(step, study.default_language).split()) / WORDS_A_MINUTE


def form_minutes(form: str, study: Study) -> float:
    """Time needed to fill in a questionnaire."""
    return len(study.instrument(form).asked()) / ITEMS_A_MINUTE


def listed(names: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else "".join(names)


EMPTY: Final = Message("Please write something first.")
TOO_LONG: Final = Message("This is too long. Please make it shorter.")
ANSWERED: Final = Message("What you answer, and how long it takes you.")
TYPED: Final = Message("What you type. Please write no names, addresses or other personal details.")
SPOKEN: Final = Message("What you say: your voice is recorded.")
OPEN: Final = Message(
    "One question is still open. Your other answers are kept.",
    "%(num)s questions are still open. Your other answers are kept.",
)
