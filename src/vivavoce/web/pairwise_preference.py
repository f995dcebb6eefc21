"""A pair of transcripts as a page shows it, and the choices as they come back."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from vivavoce.study.model import Study
from vivavoce.study.pairs import Transcript
from vivavoce.trial.errors import Stale
from vivavoce.trial.pairwise_preference import STRENGTHS, Preferred
from vivavoce.trial.state import VisitState
from vivavoce.web.site import Site, ThisSite, ThisVisit

router = APIRouter(include_in_schema=False)
Shown = Literal["left", "right", "both"]


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
    """One pair of a visit: what stands on the left and on the right, and the questions about it."""

    step: int
    position: int
    total: int
    language: str
    left: Transcript
    right: Transcript
    ties: bool
    strength: bool
    questions: tuple[AskedQuestion, ...]

    @property
    def place(self) -> tuple[int, None, int]:
        return self.step, None, self.position

    @property
    def missing(self) -> list[AskedQuestion]:
        return [question for question in self.questions if question.missing or question.weak]

    @property
    def entered(self) -> dict[str, str]:
        fields = {one.field: one.side for one in self.questions}
        return fields | {one.strength_field: one.strength for one in self.questions if self.strength}

    @property
    def answers(self) -> dict[str, Preferred]:
        """What was chosen by question; of a filled form."""
        sides: dict[str, Literal["left", "right", "tie"]] = {"left": "left", "right": "right", "tie": "tie"}
        return {
            one.question_id: Preferred(sides[one.side], int(one.strength) if one.strength else None)
            for one in self.questions
        }


def asked_pair(study: Study, state: VisitState, entered: Mapping[str, str] | None = None) -> ComparisonForm:
    """The pair that is due, blank or as it was filled in; questions without a valid choice are missing."""
    step, compared = state.compare_step, state.comparisons[state.position]
    text = study.pair(compared.pair_id).text[state.language]
    on_left = compared.experimental_side == "left"
    blank = [AskedQuestion(one.question_id, one.text[state.language]) for one in study.questions]
    return ComparisonForm(
        step=state.step, position=state.position, total=len(state.comparisons), language=state.language,
        left=text.experimental if on_left else text.control,
        right=text.control if on_left else text.experimental, ties=step.ties, strength=step.strength,
        questions=tuple(
            one if entered is None else _filled(one, entered, step.ties, step.strength) for one in blank
        ),
    )  # fmt: skip


def _filled(question: AskedQuestion, entered: Mapping[str, str], ties: bool, strength: bool) -> AskedQuestion:
    side = entered.get(question.field, "")
    side = side if side in (("left", "right", "tie") if ties else ("left", "right")) else ""
    strong = entered.get(question.strength_field, "")
    strong = strong if strength and side != "tie" and strong in {str(one) for one in STRENGTHS} else ""
    weak = strength and side in ("left", "right") and not strong
    return AskedQuestion(question.question_id, question.sentence, side, strong, not side, weak)


def comparison_page(site: Site, state: VisitState, facts: dict[str, Any], shown: Shown) -> HTMLResponse:
    """The pair that is due; in turn where the study says so, until both are to be seen."""
    entered = site.unfinished.entered(state.visit_id, (state.step, None, state.position))
    form = asked_pair(site.study, state, entered)
    together = state.compare_step.presentation == "together" or entered is not None
    draft = sha256(f"{state.visit_id}:{form.place}".encode()).hexdigest()[:16]
    return site.page(
        "compare", state.language, **facts, form=form, shown="both" if together else shown, draft=draft,
    )  # fmt: skip


@router.post("/choices")
async def choices(request: Request, site: ThisSite, visit_id: ThisVisit) -> Response:
    """Store the choices about a pair; with something missing, show it again as it was filled in."""
    entered = {name: value for name, value in (await request.form()).items() if isinstance(value, str)}
    state = await site.engine.state(visit_id)
    if state.phase != "compare" or (entered.get("step"), entered.get("position")) != (
        str(state.step),
        str(state.position),
    ):
        raise Stale("another pair is being compared")
    form = asked_pair(site.study, state, entered)
    if form.missing or entered.get("language") != form.language:
        site.unfinished.keep(visit_id, form.place, form.entered)
        return site.to("/visit")
    await site.engine.forms.compare(visit_id, step=form.step, position=form.position, answers=form.answers)
    site.unfinished.forget(visit_id)
    return site.to("/visit")
