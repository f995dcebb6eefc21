"""Linguistic stress tests on the dashboard: review of variants, and verdicts on what stayed unsure."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, HTTPException, Request
from starlette.datastructures import FormData
from starlette.responses import FileResponse, RedirectResponse, Response

from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.desk.app_shell import Desk, desk_of
from vivavoce.desk.language import gettext, ngettext, told, worded
from vivavoce.desk.page import DashboardPage, DueAction, MenuItem
from vivavoce.desk.pages_annotation import kept_once
from vivavoce.desk.security import Needs, field, own_form, who_of
from vivavoce.log.stress_events import ReplayFinished, VariantsProposed, stress_stream
from vivavoce_stress.base import STRESS_TESTS, StressTest
from vivavoce_stress.learnt import lexicon
from vivavoce_stress.review import LONGEST, Reviews, difference, reviewed
from vivavoce_stress.verdict_queue import VERDICTS, JudgedCase, VerdictQueue, given

FOLDER: Final = Path(__file__).parent
router = APIRouter(prefix="/stress")
Desk_ = Annotated[Desk, Depends(desk_of)]
Form_ = Annotated[FormData, Depends(own_form)]
Decides: Final = Depends(Needs("researcher"))


def due_decisions(request: Request, desk: Desk) -> list[DueAction]:
    """Variants and verdicts that wait for whoever looks; read anew when the log has moved on."""
    who = who_of(request)
    if not who.may("researcher"):
        return []
    data, kept = str(desk.board.whole.position), f"stress_due {who.name}"
    reviews, verdicts = kept_once(request, kept, data, lambda: _waiting(desk, who.name))
    found = list[DueAction]()
    if reviews:
        text = ngettext(
            "%(num)s stress variant is to be reviewed", "%(num)s stress variants are to be reviewed", reviews
        )
        found.append(DueAction(text, "/stress/review"))
    if verdicts:
        text = ngettext(
            "%(num)s verdict of a stress test is open", "%(num)s verdicts of stress tests are open", verdicts
        )
        found.append(DueAction(text, "/stress/verdicts"))
    return found


def _waiting(desk: Desk, name: str) -> tuple[int, int]:
    stream = desk.log.events(stress_stream(desk.study.name))
    return len(Reviews.of(stream).waiting(name)), len(VerdictQueue.of(stream).waiting(name))


PAGE: Final = DashboardPage(
    name="stress", router=router, menu=(MenuItem("/stress", N_("Stress tests"), 700),),
    templates=FOLDER / "templates", help="how-to/stress-test-a-bot", due=due_decisions,
)  # fmt: skip


@router.get("")
def stress(request: Request, desk: Desk_) -> Response:
    """What waits, and how far reviewers agree."""
    from vivavoce_stress.scores import agree

    stream, name = desk.log.events(stress_stream(desk.study.name)), who_of(request).name
    reviews, queue = Reviews.of(stream), VerdictQueue.of(stream)
    decisions = [reviews.decision(key) for key in reviews.items]
    facts = {
        "items": len(reviews.items), "waiting": len(reviews.waiting(name)),
        "approved": sum(one is not None and one.text is not None for one in decisions),
        "agreement": agree(reviews.pairs()), "disputed": len(reviews.disputed()),
        "lexicon": lexicon(reviews), "unjudged": len(queue.waiting(name)), "cases": len(queue.cases),
    }  # fmt: skip
    return desk.page(request, "stress.html", **facts)


@router.get("/review", dependencies=[Decides])
def review(request: Request, desk: Desk_, skip: str = "") -> Response:
    """The next utterance that this person may decide."""
    return _review_page(request, desk, skip=skip)


@router.post("/review", dependencies=[Decides])
def decide(request: Request, desk: Desk_, form: Form_) -> Response:
    reviews, name = _reviews(desk), who_of(request).name
    item = reviews.items.get(field(form, "item"))
    if item is None:
        raise HTTPException(404, gettext("There is no such utterance."))
    chosen, typed = field(form, "proposal"), field(form, "text", most=LONGEST + 1)
    proposal = int(chosen) if chosen.isascii() and chosen.isdigit() and len(chosen) < 4 else None
    try:
        event = reviewed(item, name, field(form, "decision"), typed, proposal)
    except InputError as error:
        problem = f"{worded(error.problem)}: {worded(error.hint)}"
        return _review_page(request, desk, 422, only=item, problem=problem, typed=typed)
    desk.log.transact_now(lambda tx: tx.append(stress_stream(desk.study.name), event))
    return RedirectResponse("/stress/review", 303)


@router.get("/verdicts", dependencies=[Decides])
def verdicts(request: Request, desk: Desk_) -> Response:
    """The next case whose verdict this person may give."""
    waiting = _queue(desk).waiting(who_of(request).name)
    return desk.page(request, "stress_verdict.html", **_verdict_facts(waiting))


@router.post("/verdicts", dependencies=[Decides])
def give(request: Request, desk: Desk_, form: Form_) -> Response:
    one = _queue(desk).cases.get((field(form, "run"), field(form, "case", most=500)))
    if one is None:
        raise HTTPException(404, gettext("There is no such case."))
    try:
        event = given(one, who_of(request).name, field(form, "verdict"), field(form, "remark", most=1000))
    except InputError as error:
        raise HTTPException(422, told(error)) from None
    desk.log.transact_now(lambda tx: tx.append(stress_stream(desk.study.name), event))
    return RedirectResponse("/stress/verdicts", 303)


@router.get("/pages.css")
def style() -> Response:
    return FileResponse(FOLDER / "static" / "pages.css", media_type="text/css")


@router.get("/keys.js")
def keys() -> Response:
    return FileResponse(FOLDER / "static" / "keys.js", media_type="text/javascript")


def _reviews(desk: Desk) -> Reviews:
    return Reviews.of(desk.log.events(stress_stream(desk.study.name)))


def _queue(desk: Desk) -> VerdictQueue:
    return VerdictQueue.of(desk.log.events(stress_stream(desk.study.name)))


def _review_page(
    request: Request, desk: Desk, status: int = 200, *, skip: str = "", only: VariantsProposed | None = None,
    problem: str = "", typed: str = "",
) -> Response:  # fmt: skip
    waiting = _reviews(desk).waiting(who_of(request).name)
    later = [one for one in waiting if one.item_id != skip] or waiting
    item = only or next(iter(later), None)
    facts: dict[str, Any] = {"item": item, "left": len(waiting), "problem": problem, "typed": typed}
    if item is not None:
        facts["test"] = _test(item.test)
        facts["proposals"] = [(one, difference(item.original, one.text)) for one in item.proposals]
    return desk.page(request, "stress_review.html", status, **facts)


def _verdict_facts(waiting: Sequence[JudgedCase]) -> dict[str, Any]:
    one = waiting[0] if waiting else None
    facts: dict[str, Any] = {"one": one, "left": len(waiting), "verdicts": VERDICTS}
    if one is not None:
        facts["test"] = _test(one.case.test)
        facts["pieces"] = difference(one.case.original, one.case.variant)
        facts["sides"] = [
            (gettext("With the original"), _turns(one.clean)),
            (gettext("With the variant"), _turns(one.variant)),
        ]
    return facts


def _turns(replay: ReplayFinished | None) -> list[dict[str, Any]]:
    if replay is None:
        return []
    return [
        {"party": turn["party"], "text": turn["text"], "injected": place == replay.injected}
        for place, turn in enumerate(replay.turns)
    ]


def _test(name: str) -> StressTest:
    """The test by its name; a suite may bring tests of its own."""
    if name in STRESS_TESTS:
        return STRESS_TESTS.get(name)
    return StressTest(
        name=name, title=N_("a test of the suite's own"), family="spelling", meaning="", source=""
    )
