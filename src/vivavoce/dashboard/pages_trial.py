"""Pause and resume of the trial."""

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from vivavoce.core.i18n import N_
from vivavoce.dashboard.app_shell import Desk, ThisDesk
from vivavoce.dashboard.language import gettext, worded
from vivavoce.dashboard.page import DashboardPage, DueAction, MenuItem
from vivavoce.dashboard.security import OwnForm, Steers, field, who_of
from vivavoce.dashboard.stopping import make_watch_view, pauses_told
from vivavoce.log.events import TRIAL, TrialPaused, TrialResumed
from vivavoce.log.store import Transaction

router = APIRouter()


def due_of_trial(request: Request, desk: Desk) -> list[DueAction]:
    """Pending actions: a paused trial, a stopping rule that cannot be computed."""
    actions = list[DueAction]()
    if desk.board.see(lambda board: board.pause) is not None:
        text = gettext("The trial is paused; new participants cannot start")
        actions.append(DueAction(text, "/trial", urgent=True))
    if desk.watch.problem:
        actions.append(DueAction(worded(desk.watch.problem), "/trial", urgent=True))
    return actions


PAGE: Final = DashboardPage(
    name="trial",
    router=router,
    menu=(MenuItem("/trial", N_("Trial"), 1000),),
    due=due_of_trial,
    help="how-to/serve-a-trial",
)


@router.get("/trial")
def trial(request: Request, desk: ThisDesk) -> Response:
    return _trial_page(request, desk)


@router.get("/trial/watch")
def trial_watch(request: Request, desk: ThisDesk) -> Response:
    """Fragment with the interim analyses, which is updated."""
    return desk.page(request, "trial_watch.html", watch=make_watch_view(desk.study, desk.watch))


@router.post("/trial/pause", dependencies=[Steers])
def pause(request: Request, desk: ThisDesk, form: OwnForm) -> Response:
    """Pause the trial; running dialogues continue."""
    reason = field(form, "reason", most=500)
    if not reason:
        return _trial_page(request, desk, 422, gettext("Please enter a reason."))
    by = who_of(request).name
    desk.log.transact_now(lambda tx: _switch(tx, TrialPaused(reason=reason, by=by)))
    return RedirectResponse("/trial", 303)


@router.post("/trial/resume", dependencies=[Steers])
def resume(request: Request, desk: ThisDesk, form: OwnForm) -> Response:
    by = who_of(request).name
    desk.log.transact_now(lambda tx: _switch(tx, TrialResumed(by=by)))
    return RedirectResponse("/trial", 303)


def _trial_page(request: Request, desk: Desk, status: int = 200, problem: str = "") -> Response:
    history = desk.board.see(pauses_told)
    may_steer = who_of(request).may("researcher")
    watch = make_watch_view(desk.study, desk.watch)
    return desk.page(
        request, "trial.html", status, history=history, may_steer=may_steer, problem=problem, watch=watch
    )


def _switch(tx: Transaction, event: TrialPaused | TrialResumed) -> None:
    """Append the event unless the trial is in that state already."""
    switches = [
        stored.event for stored in tx.events(TRIAL) if isinstance(stored.event, TrialPaused | TrialResumed)
    ]
    paused = bool(switches) and isinstance(switches[-1], TrialPaused)
    if paused != isinstance(event, TrialPaused):
        tx.append(TRIAL, event)
