"""One transcript as a page shows it with the questionnaire under it, and the ratings as they come back."""

from hashlib import sha256
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from vivavoce.trial.errors import Stale
from vivavoce.trial.state import VisitState
from vivavoce.web.forms import asked_form, filled_form
from vivavoce.web.site import Site, ThisSite, ThisVisit

router = APIRouter(include_in_schema=False)


def reading_page(site: Site, state: VisitState, facts: dict[str, Any]) -> HTMLResponse:
    """The transcript that is due, with its form blank or as it came back with something missing."""
    form = asked_form(site.study, state)
    if form is None:
        raise LookupError("a visit that rates transcripts has a form")
    entered = site.unfinished.entered(state.visit_id, form.place)
    read = state.readings[state.position]
    draft = sha256(f"{state.visit_id}:rate:{form.place}".encode()).hexdigest()[:16]
    return site.page(
        "rate", state.language, **facts, draft=draft, action="/rated", entries=[],
        form=form if entered is None else filled_form(form, entered), total=len(state.readings),
        turns=site.study.pair(read.pair_id).text[state.language].version(read.version),
    )  # fmt: skip


@router.post("/rated")
async def rated(request: Request, site: ThisSite, visit_id: ThisVisit) -> Response:
    """Store the ratings of a transcript; with something missing, show it again as it was filled in."""
    entered = {name: value for name, value in (await request.form()).items() if isinstance(value, str)}
    state = await site.engine.state(visit_id)
    form = asked_form(site.study, state) if state.phase == "rate" else None
    place = (entered.get("step"), entered.get("position"))
    if form is None or place != (str(form.step), str(form.position)):
        raise Stale("another transcript is being rated")
    form = filled_form(form, entered)
    if form.missing or entered.get("language") != form.language:
        site.unfinished.keep(visit_id, form.place, form.entered)
        return site.to("/visit")
    await site.engine.forms.rate(
        visit_id, step=form.step, position=form.position, wording=form.wording.origin, ratings=form.ratings
    )
    site.unfinished.forget(visit_id)
    return site.to("/visit")
