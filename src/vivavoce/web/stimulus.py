"""The page of every step that presents stimuli: the step's own `page.html`, its files, the response to it."""

import hmac
from collections import defaultdict
from dataclasses import replace
from hashlib import sha256
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, HTMLResponse, Response
from starlette.exceptions import HTTPException

from vivavoce.audio.files import SOUND_TYPES, encode_sound
from vivavoce.audio.sound import Sound
from vivavoce.steps.stimulus import Rejected
from vivavoce.trial.errors import Stale
from vivavoce.trial.state import VisitState
from vivavoce.web.i18n import page_language
from vivavoce.web.site import Site, ThisSite, ThisVisit

router = APIRouter(include_in_schema=False)
FILE_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
NEVER_KEPT: Final = {"Cache-Control": "no-store"}
SHARED_FILES: Final = {"page.js": "text/javascript", "page.css": "text/css"}


def stimulus_page(site: Site, state: VisitState, facts: dict[str, Any], view: str = "") -> HTMLResponse:
    """What is due, the stimulus or a try of the check before, blank or as its response came back rejected."""
    kind, asking, shown = state.stimulus_kind, state.asking, replace(state.shown, view=view)
    place = (state.step, state.attempt, state.position)
    entered = site.unfinished.entered(state.visit_id, place)
    rejected = site.unfinished.rejected(state.visit_id, place)
    return site.page(
        asking.page, state.language, of=kind, **facts, shown=shown, entered=defaultdict(str, entered or {}),
        draft=sha256(f"{state.visit_id}:{kind.name}:{place}".encode()).hexdigest()[:16], action="/respond",
        why=kind.say(rejected.message, page_language(state.language)) if rejected else "",
        concerned=rejected.fields if rejected else (),
        address=lambda name: f"{site.base}/presented/{_key(state, name)}",
        shared=f"{site.base}/step/{kind.name}", **asking.facts(shown, entered),
    )  # fmt: skip


def _key(state: VisitState, name: str) -> str:
    """The address of a file in this visit: it tells nothing of the file's name."""
    place = f"{state.visit_id}\0{state.step}\0{state.attempt}\0{state.position}\0{name}"
    return sha256(place.encode()).hexdigest()[:32]


@router.post("/respond")
@router.post("/rated")  # pages that were opened before
@router.post("/choices")
@router.post("/hearing")
@router.post("/judged")
@router.post("/transcript")
async def respond(request: Request, site: ThisSite, visit_id: ThisVisit) -> Response:
    """Store a response; one that cannot be taken comes back as it was entered, with the reason."""
    entered = {name: value for name, value in (await request.form()).items() if isinstance(value, str)}
    state = await site.engine.state(visit_id)
    number = ("position", state.position) if state.attempt is None else ("attempt", state.attempt)
    due = {"step": str(state.step), number[0]: str(number[1])}
    if state.phase != "stimulus" or any(entered.get(name) != value for name, value in due.items()):
        raise Stale("another stimulus is due")
    place, shown = (state.step, state.attempt, state.position), state.shown
    if entered.get("language", state.language) != state.language:  # what was read is not what is asked now
        site.unfinished.keep(visit_id, place, entered)
        return site.to("/visit")
    try:
        response = state.asking.read(shown, entered)
        await site.engine.forms.respond(
            visit_id, step=state.step, attempt=state.attempt, position=state.position, response=response
        )
    except Rejected as rejected:
        site.unfinished.keep(visit_id, place, entered, rejected)
        return site.to("/visit")
    site.unfinished.forget(visit_id)
    return site.to("/visit")


@router.get("/presented/{key}")
async def file(site: ThisSite, visit_id: ThisVisit, key: str) -> Response:
    """A file of the stimulus that is due in this visit; no other."""
    state = await site.engine.state(visit_id)
    if state.phase == "stimulus":
        for name, found in state.asking.files(state.shown).items():
            if not hmac.compare_digest(key, _key(state, name)):
                continue
            if isinstance(found, Sound):
                return Response(encode_sound(found), media_type="audio/wav", headers=NEVER_KEPT)
            if found.is_file():
                kind, policy = SOUND_TYPES.get(found.suffix.lower()), {"Content-Security-Policy": FILE_POLICY}
                return FileResponse(found, media_type=kind, headers=policy)
    raise HTTPException(404)


@router.get("/step/{name}/{file_name}")
async def shared(site: ThisSite, visit_id: ThisVisit, name: str, file_name: str) -> Response:
    """The script or the styles of the step that this visit is at."""
    state = await site.engine.state(visit_id)
    if state.phase == "stimulus" and state.stimulus_kind.name == name and file_name in SHARED_FILES:
        path = state.stimulus_kind.folder / file_name
        if path.is_file():
            return FileResponse(path, media_type=SHARED_FILES[file_name])
    raise HTTPException(404)
