"""The page on which a participant commands a robot: stimuli, recordings on their way, typed commands."""

import hmac
from hashlib import sha256
from typing import Annotated, Any, Final

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, Response
from pydantic import Field
from starlette.exceptions import HTTPException

from vivavoce.study.model import Stimulus, Study
from vivavoce.trial.codes import new_key
from vivavoce.trial.elicitation import LONGEST_COMMAND, MOST_TAKES
from vivavoce.trial.errors import Refused
from vivavoce.trial.state import VisitState
from vivavoce.web.site import Site, ThisSite, ThisVisit

router = APIRouter(include_in_schema=False)
Key = Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
Number = Annotated[int, Field(ge=0, le=100_000)]
PICTURE_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def elicitation_page(site: Site, state: VisitState, facts: dict[str, Any], *, again: bool) -> HTMLResponse:
    """The stimulus that is due; again: the one before it, where its command may be given anew."""
    step = state.elicit_step
    position = state.position
    again = again and step.redo and position > 0
    position -= again
    stimulus = stimulus_at(site.study, state, position)
    name = sha256(f"{state.visit_id} take {state.step} {position} {len(state.commands)}".encode())
    return site.page(
        "elicit", state.language, **facts, position=position, number=position + 1, total=len(state.stimuli),
        stimulus=stimulus, picture=stimulus_key(state, stimulus) if stimulus.file else None,
        title=said(stimulus.title, state.language), shows=said(stimulus.shows, state.language),
        words=said(stimulus.text, state.language), spoken=step.by == "speech", again=again,
        understood=bool(state.commands) and not again and step.answer != "none",
        voice=step.answer == "voice", may_redo=step.redo and state.position > 0 and not again,
        seconds=step.seconds, distance=step.microphone_distance_m, longest=LONGEST_COMMAND,
        take=name.hexdigest()[:24], key=new_key("command"),
    )  # fmt: skip


def stimulus_key(state: VisitState, stimulus: Stimulus) -> str:
    """The address of a picture in this visit: it tells nothing of the file's name."""
    return sha256(f"{state.visit_id} stimulus {stimulus.file}".encode()).hexdigest()[:32]


def stimulus_at(study: Study, state: VisitState, position: int) -> Stimulus:
    """The stimulus as the study has it now; one that it no longer has is shown as its key."""
    wanted = state.stimuli[position]
    for one in study.stimuli[state.elicit_step.stimuli]:
        if (one.recipe, one.stimulus_id) == (wanted.recipe, wanted.stimulus_id):
            return one
    name = dict.fromkeys(study.languages, wanted.recipe)
    words = dict.fromkeys(study.languages, wanted.stimulus_id)
    return Stimulus(recipe=wanted.recipe, stimulus_id=wanted.stimulus_id, title=name, text=words)


def said(words: dict[str, str], language: str) -> str:
    return words.get(language) or next(iter(words.values()), "")


@router.get("/stimulus/{key}")
async def stimulus(site: ThisSite, visit_id: ThisVisit, key: str) -> Response:
    """A picture or film of the step that this visit is at."""
    state = await site.engine.state(visit_id)
    if state.phase != "elicit":
        raise HTTPException(404)
    for one in site.study.stimuli[state.elicit_step.stimuli]:
        if one.file is not None and hmac.compare_digest(key, stimulus_key(state, one)):
            path = site.study.folder / one.file
            if path.is_file():
                headers = {"Content-Security-Policy": PICTURE_POLICY}
                return FileResponse(path, media_type=one.media_type, headers=headers)
    raise HTTPException(404)


@router.post("/elicit/recording")
async def recording(
    request: Request, site: ThisSite, visit_id: ThisVisit, step: Annotated[Number, Query()],
    position: Annotated[Number, Query()], key: Annotated[Key, Query()],
    takes: Annotated[int, Query(ge=1, le=MOST_TAKES)] = 1,
) -> Response:  # fmt: skip
    """Take a recording in; answered only when it is on disk."""
    site.count_turn(visit_id)
    seq = await site.engine.elicitation.speak(
        visit_id, step=step, position=position, key=key, audio=await request.body(), takes=takes
    )
    return JSONResponse({"seq": seq})


@router.post("/elicit/typed")
async def typed(
    site: ThisSite, visit_id: ThisVisit, step: Annotated[Number, Form()],
    position: Annotated[Number, Form()], key: Annotated[Key, Form()], text: Annotated[str, Form()] = "",
) -> Response:  # fmt: skip
    try:
        await site.engine.elicitation.type(visit_id, step=step, position=position, key=key, text=text)
    except Refused as refusal:
        return site.to(f"/visit?problem={refusal.reason}")
    return site.to("/visit")
