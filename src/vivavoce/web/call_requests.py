"""The page of a dialogue by telephone on which participants ask to be called: `telephone: {outbound}`."""

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Form
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from vivavoce.trial.state import VisitState
from vivavoce.web.site import Site, ThisSite, ThisVisit

if TYPE_CHECKING:
    from vivavoce.telephony.outbound import OutboundCalls

router = APIRouter(include_in_schema=False)
MARK = "call_"  # before a word that says why no call was made, among the problems that a page explains


@router.post("/telephone/call")
async def call(
    site: ThisSite, visit_id: ThisVisit, number: Annotated[str, Form(max_length=400)] = "",
    agreed: Annotated[str, Form(max_length=10)] = "",
) -> Response:  # fmt: skip
    """Call the participant, who has said that this is his telephone."""
    from vivavoce.telephony.outbound import NotPlaced

    outbound = _outbound(site)
    if agreed != "yes":
        return site.to(f"/visit?problem={MARK}not_agreed")
    site.count_turn(visit_id)
    try:
        await outbound.place(visit_id, number)
    except NotPlaced as error:
        return site.to(f"/visit?problem={MARK}{error.reason}")
    return site.to("/visit")


@router.get("/telephone/call")
async def progress(site: ThisSite, visit_id: ThisVisit) -> Response:
    """How far the call has come, for the page's script."""
    came = _outbound(site).progress(visit_id)
    state = await site.engine.state(visit_id)
    return JSONResponse({"status": came.status, "outcome": came.outcome, "phase": state.phase})


def _outbound(site: Site) -> "OutboundCalls":
    if site.outbound is None:
        raise HTTPException(404)
    return site.outbound


def calling_facts(site: Site, state: VisitState, problem: str | None) -> dict[str, Any]:
    """What the page says of the call: whether one may be asked for, a word on it, whether it goes on."""
    if site.outbound is None:
        return {"calls": False, "told": "", "active": False}
    came = site.outbound.progress(state.visit_id)
    active = came.status in ("calling", "ringing", "talking")
    wrong = problem if problem is not None and problem.startswith(MARK) else None
    told = wrong or (came.outcome if came.status == "over" and came.outcome else came.status)
    return {"calls": True, "told": told, "active": active}
