"""A questionnaire as a page shows it, and its answers as they come back."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from vivavoce.log.event import LoggedRating
from vivavoce.questionnaires.instrument import Instrument, Item, Wording
from vivavoce.study.model import Study

LONGEST_COMMENT: Final = 5000


@dataclass(frozen=True, slots=True)
class Question:
    """One item with its sentence, its possible answers (code and label) and what was entered so far."""

    item: Item
    sentence: str
    answers: list[tuple[int, str]]
    entered: str = ""
    missing: bool = False
    low: int = 0
    high: int = 0

    @property
    def field(self) -> str:
        return f"item-{self.item.item_id}"


@dataclass(frozen=True, slots=True)
class Form:
    """One questionnaire of a visit at the place where it is asked."""

    instrument: Instrument
    wording: Wording
    step: int
    round: int | None
    position: int
    language: str
    questions: list[Question] = field(default_factory=list)

    @property
    def place(self) -> tuple[int, int | None, int]:
        return self.step, self.round, self.position

    @property
    def missing(self) -> list[Question]:
        return [question for question in self.questions if question.missing]

    @property
    def entered(self) -> dict[str, str]:
        return {question.field: question.entered for question in self.questions}

    @property
    def ratings(self) -> list[LoggedRating]:
        """One rating a question; what was left open is null."""
        return [_rating(question) for question in self.questions]


def blank_form(
    study: Study,
    name: str,
    language: str,
    *,
    step: int,
    round: int | None,
    position: int,
    channel: str = "text",
) -> Form:
    """A questionnaire of the study in a language, with the items that are asked on this channel."""
    instrument, wording = study.instrument(name), study.wording(name, language)
    questions = [_question(instrument, wording, item) for item in instrument.asked(channel)]
    return Form(instrument, wording, step, round, position, language, questions)


def filled_form(form: Form, entered: Mapping[str, Any]) -> Form:
    """The form as a participant filled it; required questions without a valid answer are marked missing."""
    questions = []
    for question in form.questions:
        value = entered.get(question.field)
        text = value.strip()[:LONGEST_COMMENT] if isinstance(value, str) else ""
        if question.item.kind == "choice" and text not in {str(code) for code, _ in question.answers}:
            text = ""
        if question.item.kind == "continuous" and _place(question, text) is None:
            text = ""
        missing = not text and not question.item.optional
        questions.append(replace(question, entered=text, missing=missing))
    return Form(form.instrument, form.wording, form.step, form.round, form.position, form.language, questions)


def _question(instrument: Instrument, wording: Wording, item: Item) -> Question:
    scale = instrument.scale_of(item)
    low, high = (scale.low, scale.high) if scale else (0, 0)
    sentence = wording.items[item.item_id]
    return Question(item, sentence, _answers(instrument, wording, item), low=low, high=high)


def _place(question: Question, entered: str) -> float | None:
    """The place on a continuous scale; None for what lies off it or is no number."""
    try:
        place = float(entered.replace(",", "."))
    except ValueError:
        return None
    return place if question.low <= place <= question.high else None


def _answers(instrument: Instrument, wording: Wording, item: Item) -> list[tuple[int, str]]:
    scale = instrument.scale_of(item)
    if scale is None or item.scale is None:
        return []
    return [(code, wording.label(item.scale, code)) for code in scale.codes]


def _rating(question: Question) -> LoggedRating:
    item, entered = question.item, question.entered
    if not entered:
        return LoggedRating(item_id=item.item_id, value=None, answer=None, role=item.role)
    if item.kind == "comment":
        return LoggedRating(item_id=item.item_id, value=None, answer=entered, role=item.role)
    if item.kind == "continuous":
        return LoggedRating(
            item_id=item.item_id, value=_place(question, entered), answer=None, role=item.role
        )
    code = int(entered)
    label = dict(question.answers)[code]
    return LoggedRating(item_id=item.item_id, value=float(code), answer=label, role=item.role)
