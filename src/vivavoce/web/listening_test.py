"""The pages of a listening test: the hearing check, one clip to rate, two clips to compare."""

import hmac
from hashlib import sha256
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Form
from fastapi.responses import FileResponse, HTMLResponse, Response
from starlette.exceptions import HTTPException

from vivavoce.audio.files import encode_sound, pcm16
from vivavoce.audio.sound import Sound
from vivavoce.study.listening import MEDIA
from vivavoce.trial.errors import Refused
from vivavoce.trial.listening_test_plan import MOST_TONES, TRIES
from vivavoce.trial.state import VisitState
from vivavoce.web.site import Site, ThisSite, ThisVisit

router = APIRouter(include_in_schema=False)
RATE_HZ = 16_000


def clip_key(state: VisitState, audio: str) -> str:
    """The name of a clip in this visit: it tells nothing of the file or its condition."""
    return sha256(f"{state.visit_id}\0clip\0{audio}".encode()).hexdigest()[:32]


def listening_page(site: Site, state: VisitState, facts: dict[str, Any]) -> HTMLResponse:
    """The hearing check until it is over, then the trial that is due."""
    if state.tones_due is not None:
        return site.page(
            "hearing", state.language, **facts, attempt=state.tones_due, tries=TRIES, most=MOST_TONES + 2
        )
    trial = state.trials[state.position]
    clips = [trial.first, *([trial.second] if trial.second else [])]
    return site.page(
        "listen", state.language, **facts, number=state.position + 1, total=len(state.trials),
        clips=[clip_key(state, clip.audio) for clip in clips], ties=state.listen_step.ties,
    )  # fmt: skip


@router.get("/clip/{key}")
async def clip(site: ThisSite, visit_id: ThisVisit, key: str) -> Response:
    """A clip of the trial that is due in this visit; no other."""
    state = await site.engine.state(visit_id)
    if state.phase != "listen" or state.tones_due is not None:
        raise HTTPException(404)
    trial, folder = state.trials[state.position], state.listen_step.audio
    for one in (trial.first, trial.second):
        if one is not None and hmac.compare_digest(key, clip_key(state, one.audio)):
            path = folder / one.audio
            if path.is_file():
                return FileResponse(path, media_type=MEDIA[path.suffix.lower()])
    raise HTTPException(404)


@router.get("/tones/{attempt}")
async def tones(site: ThisSite, visit_id: ThisVisit, attempt: int) -> Response:
    """The tones of the try that is due."""
    state = await site.engine.state(visit_id)
    if state.phase != "listen" or state.tones_due != attempt:
        raise HTTPException(404)
    sound = encode_sound(tone_row(state.tones[attempt], f"{state.visit_id}:{attempt}"))
    return Response(sound, media_type="audio/wav", headers={"Cache-Control": "no-store"})


def tone_row(count: int, seed: str) -> Sound:
    """So many short soft tones of varying pitch, 0.3 to 0.6 s apart."""
    random = np.random.default_rng(int(sha256(seed.encode()).hexdigest()[:8], 16))
    ramp = np.minimum(1, np.minimum(np.arange(2400), np.arange(2400)[::-1]) / 240)
    pieces = [np.zeros(RATE_HZ // 2)]
    for hertz in random.uniform(500, 1500, count):
        pieces.append(0.1 * ramp * np.sin(2 * np.pi * hertz * np.arange(2400) / RATE_HZ))
        pieces.append(np.zeros(round(random.uniform(0.3, 0.6) * RATE_HZ)))
    return Sound(pcm16(np.concatenate(pieces)), RATE_HZ)


@router.post("/hearing")
async def hearing(
    site: ThisSite, visit_id: ThisVisit, step: Annotated[int, Form(ge=0, le=10_000)],
    attempt: Annotated[int, Form(ge=0, le=TRIES)], counted: Annotated[int, Form(ge=0, le=99)],
) -> Response:  # fmt: skip
    await site.engine.listening.hear(visit_id, step=step, attempt=attempt, counted=counted)
    return site.to("/visit")


@router.post("/judged")
async def judged(
    site: ThisSite, visit_id: ThisVisit, step: Annotated[int, Form(ge=0, le=10_000)],
    position: Annotated[int, Form(ge=0, le=100_000)], value: Annotated[int | None, Form(ge=1, le=5)] = None,
    choice: Annotated[Literal["first", "second", "tie"] | None, Form()] = None,
    plays: Annotated[int, Form(ge=0, le=10_000)] = 0,
) -> Response:  # fmt: skip
    try:
        await site.engine.listening.judge(
            visit_id, step=step, position=position, value=value, choice=choice, plays=plays
        )
    except Refused as refusal:
        return site.to(f"/visit?problem={refusal.reason}")
    return site.to("/visit")
