"""The pages of a step in which all commands are recorded at once: the recording, and its borders."""

import math
from typing import Annotated, Any, Final

import numpy as np
from fastapi import APIRouter, Query, Request
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.exceptions import HTTPException

from vivavoce.audio.files import as_float, read_sound
from vivavoce.log.elicitation_events import LoggedSegment
from vivavoce.log.recordings import folder_of
from vivavoce.trial.codes import new_key
from vivavoce.trial.elicitation import LONGEST_COMMAND, MOST_TAKES
from vivavoce.trial.errors import Refused, Stale
from vivavoce.trial.state import VisitState
from vivavoce.web.elicitation import Key, Number, said, stimulus_at, stimulus_key
from vivavoce.web.site import Site, ThisSite, ThisVisit

router = APIRouter(include_in_schema=False)
PEAKS: Final = 600


def at_once(state: VisitState) -> bool:
    """Whether the page of all commands is due; who began to type goes on one by one."""
    return state.elicit_step.at_once and state.position == 0


def whole_page(site: Site, state: VisitState, facts: dict[str, Any], *, again: bool) -> HTMLResponse:
    """All stimuli with one recorder; or the recording with its borders. again: record it anew."""
    step, language = state.elicit_step, state.language
    frames = []
    for position in range(len(state.stimuli)):
        one = stimulus_at(site.study, state, position)
        frames.append({
            "picture": stimulus_key(state, one) if one.file else None, "film": one.film,
            "shows": said(one.shows, language), "words": said(one.text, language),
            "title": said(one.title, language), "number": position + 1,
        })  # fmt: skip
    if state.cut is None or again:
        return site.page(
            "elicit_whole", language, **facts, frames=frames, seconds=step.seconds,
            distance=step.microphone_distance_m, longest=LONGEST_COMMAND, key=new_key("command"),
            take=f"whole-{state.visit_id}-{state.step}-{state.seq}",
        )  # fmt: skip
    path = folder_of(site.engine.log).file(state.recordings[state.cut.recording_id])
    sound = read_sound(path)
    found = [*state.cut.proposed, *[None] * len(frames)][: len(frames)]
    return site.page(
        "elicit_cut", language, **facts, rows=list(zip(frames, found, strict=True)),
        recording=state.cut.recording_id, duration=math.floor(100 * sound.duration_s) / 100,
        outline=outline(np.abs(as_float(sound.samples))), found=len(state.cut.proposed),
    )  # fmt: skip


def outline(loudness: Any) -> str:
    """The points of a waveform, 0..1000 to the right and 0..100 down, for an SVG polygon."""
    peaks = [float(part.max()) if len(part) else 0.0 for part in np.array_split(loudness, PEAKS)]
    loudest = max(*peaks, 0.02)
    across = [1000 * place / (PEAKS - 1) for place in range(PEAKS)]
    up = [f"{x:.1f},{50 - 48 * peak / loudest:.1f}" for x, peak in zip(across, peaks, strict=True)]
    down = [f"{x:.1f},{50 + 48 * peak / loudest:.1f}" for x, peak in zip(across, peaks, strict=True)]
    return " ".join([*up, *reversed(down)])


@router.get("/elicit/whole/{recording_id}")
async def heard(site: ThisSite, visit_id: ThisVisit, recording_id: str) -> Response:
    """The recording that is to be cut in this visit; no other."""
    state = await site.engine.state(visit_id)
    cut = state.cut if state.phase == "elicit" else None
    if cut is None or cut.recording_id != recording_id or recording_id not in state.recordings:
        raise HTTPException(404)
    path = folder_of(site.engine.log).file(state.recordings[recording_id])
    return FileResponse(path, media_type="audio/wav")


@router.post("/elicit/whole")
async def whole(
    request: Request, site: ThisSite, visit_id: ThisVisit, step: Annotated[Number, Query()],
    key: Annotated[Key, Query()], takes: Annotated[int, Query(ge=1, le=MOST_TAKES)] = 1,
) -> Response:  # fmt: skip
    """Take the recording of all commands in; answered only when it is on disk."""
    site.count_turn(visit_id)
    audio = await request.body()
    seq = await site.engine.elicitation.cutting.record(visit_id, step=step, key=key, audio=audio)
    return JSONResponse({"seq": seq, "takes": takes})


@router.post("/elicit/cut")
async def cut(request: Request, site: ThisSite, visit_id: ThisVisit) -> Response:
    """The borders as their speaker left them."""
    form = {name: value for name, value in (await request.form()).items() if isinstance(value, str)}
    state = await site.engine.state(visit_id)
    if state.phase != "elicit" or form.get("step") != str(state.step):
        raise Stale("nothing is to be cut")
    try:
        await site.engine.elicitation.cutting.divide(
            visit_id, step=state.step, recording_id=form.get("recording", ""),
            segments=[_segment(form, position) for position in range(len(state.stimuli))],
        )  # fmt: skip
    except Refused as refusal:
        return site.to(f"/visit?problem={refusal.reason}")
    return site.to("/visit")


def _segment(form: dict[str, str], position: int) -> LoggedSegment | None:
    """Raises Refused: `bad_cut` for what is no number."""
    if form.get(f"absent-{position}"):
        return None
    try:
        onset, offset = (float(form.get(f"{name}-{position}", "")) for name in ("onset", "offset"))
    except ValueError:
        raise Refused("bad_cut") from None
    return LoggedSegment(onset_s=onset, offset_s=offset)
