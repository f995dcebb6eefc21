"""The page on which a participant writes down what he hears, and the recording itself."""

import hmac
from hashlib import sha256
from typing import Annotated, Any

from fastapi import APIRouter, Form
from fastapi.responses import FileResponse, HTMLResponse, Response
from starlette.exceptions import HTTPException

from vivavoce.audio.files import SOUND_TYPES
from vivavoce.trial.errors import Refused
from vivavoce.trial.state import VisitState
from vivavoce.trial.transcription import LONGEST_TRANSCRIPT
from vivavoce.web.site import Site, ThisSite, ThisVisit

router = APIRouter(include_in_schema=False)


def recording_key(state: VisitState, audio: str) -> str:
    """The name of a recording in this visit: it tells nothing of the file, its dialogue or its transcript."""
    return sha256(f"{state.visit_id}\0recording\0{audio}".encode()).hexdigest()[:32]


def transcription_page(site: Site, state: VisitState, facts: dict[str, Any]) -> HTMLResponse:
    """The recording that is due."""
    item, step = state.transcriptions[state.position], state.transcribe_step
    planned = site.study.item(item.audio)
    heard = planned.hypothesis if step.prefill and planned is not None else None
    return site.page(
        "transcribe", state.language, **facts, number=state.position + 1, total=len(state.transcriptions),
        recording=recording_key(state, item.audio), prefilled=heard or "", longest=LONGEST_TRANSCRIPT,
    )  # fmt: skip


@router.get("/recording/{key}")
async def recording(site: ThisSite, visit_id: ThisVisit, key: str) -> Response:
    """The recording that is due in this visit; no other."""
    state = await site.engine.state(visit_id)
    if state.phase != "transcribe":
        raise HTTPException(404)
    item, folder = state.transcriptions[state.position], state.transcribe_step.audio
    path = folder / item.audio
    if not hmac.compare_digest(key, recording_key(state, item.audio)) or not path.is_file():
        raise HTTPException(404)
    return FileResponse(path, media_type=SOUND_TYPES[path.suffix.lower()])


@router.post("/transcript")
async def transcript(
    site: ThisSite, visit_id: ThisVisit, step: Annotated[int, Form(ge=0, le=10_000)],
    position: Annotated[int, Form(ge=0, le=100_000)], text: Annotated[str, Form()] = "",
    unclear: Annotated[str, Form(max_length=5)] = "",
) -> Response:  # fmt: skip
    try:
        await site.engine.forms.transcribe(
            visit_id, step=step, position=position, text=text, unclear=bool(unclear)
        )
    except Refused as refusal:
        return site.to(f"/visit?problem={refusal.reason}")
    return site.to("/visit")
