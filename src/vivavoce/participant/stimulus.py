"""The page of every step that presents stimuli: the step's own `page.html`, its files, the response to it."""

import hmac
import math
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, Response
from pydantic import Field
from starlette.exceptions import HTTPException

from vivavoce.audio.files import SOUND_TYPES, as_float, encode_sound, read_sound
from vivavoce.audio.sound import Sound
from vivavoce.core.extras import later
from vivavoce.log.events import LoggedSegment, WholeRecorded
from vivavoce.log.recordings import folder_of
from vivavoce.participant.i18n import page_language
from vivavoce.participant.site import Place, Site, ThisSite, ThisVisit
from vivavoce.steps.stimulus import PICTURE_TYPES, Rejected, StimulusStep, StimulusView
from vivavoce.study.model import Study
from vivavoce.study.step_kind import kind_of
from vivavoce.trial.errors import Refused, Stale
from vivavoce.trial.response_sound import BAD_BORDERS
from vivavoce.trial.state import VisitState

if TYPE_CHECKING:
    import numpy as np
else:
    np = later("numpy", "speech")

PEAKS: Final = 600


def cutting_facts(
    whole: WholeRecorded, path: Path, stimuli: int, entered: Mapping[str, str] | None
) -> dict[str, Any]:
    """Variables of the page: the recording's outline and length, and the borders of each stimulus.

    path     where the recording can be read; stimuli: maximum number of pieces
    entered  rejected borders; None: those that voice activity proposes
    """
    sound = read_sound(path)
    proposed = [*whole.proposed, *[None] * stimuli][:stimuli]
    return {
        "borders": proposed if entered is None else _shown_again(entered, proposed),
        "recording": whole.recording_id,
        "duration": math.floor(100 * sound.duration_s) / 100,
        "outline": outline(np.abs(as_float(sound.samples))),
        "found": len(whole.proposed),
    }


def _shown_again(
    entered: Mapping[str, str], proposed: list[LoggedSegment | None]
) -> list[LoggedSegment | None]:
    try:
        return borders_of(entered, len(proposed))
    except Rejected:
        return proposed


def outline(loudness: Any) -> str:
    """The points of a waveform, 0..1000 to the right and 0..100 down, for an SVG polygon."""
    peaks = [float(part.max()) if len(part) else 0.0 for part in np.array_split(loudness, PEAKS)]
    loudest = max(*peaks, 0.02)
    across = [1000 * place / (PEAKS - 1) for place in range(PEAKS)]
    up = [f"{x:.1f},{50 - 48 * peak / loudest:.1f}" for x, peak in zip(across, peaks, strict=True)]
    down = [f"{x:.1f},{50 + 48 * peak / loudest:.1f}" for x, peak in zip(across, peaks, strict=True)]
    return " ".join([*up, *reversed(down)])


def borders_of(entered: Mapping[str, str], stimuli: int) -> list[LoggedSegment | None]:
    """The borders in a form, one piece a stimulus; None where nothing was said.

    Raises  Rejected: something is no number
    """
    return [_segment(entered, position) for position in range(stimuli)]


def _segment(entered: Mapping[str, str], position: int) -> LoggedSegment | None:
    if entered.get(f"absent-{position}"):
        return None
    try:
        onset, offset = (float(entered.get(f"{name}-{position}", "")) for name in ("onset", "offset"))
    except ValueError:
        raise Rejected(BAD_BORDERS) from None
    return LoggedSegment(onset_s=onset, offset_s=offset)


router = APIRouter(include_in_schema=False)
FILE_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
NEVER_KEPT: Final = {"Cache-Control": "no-store"}
FILE_TYPES: Final = SOUND_TYPES | PICTURE_TYPES
SHARED_TYPES: Final = {".js": "text/javascript", ".css": "text/css"}
AGAIN: Final = "again"  # the view in which the last response is given anew
RECORDING: Final = "recording"  # the name of the one to be cut among a page's files
CUTTING: Final = -1  # the place of its page, where stimuli have their numbers
RECORDED: Final = "/respond/recording"
PLACE: Final = frozenset({"step", "key", "position", "takes"})
KEY: Final = re.compile(r"[A-Za-z0-9_-]{8,64}")
Key = Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
Number = Annotated[int, Field(ge=0, le=100_000)]


def stimulus_page(site: Site, state: VisitState, facts: dict[str, Any], view: str = "") -> HTMLResponse:
    """The stimulus or try that is due, blank or with the rejected response.

    Note  if all responses are one recording, its page, or the page that cuts it; `again` records anew
    """
    kind, asking, presented = state.stimulus_kind, state.asking, _shown(state, view)
    page, place = asking.page, (state.step, state.attempt, presented.position)
    recording = _recording(site, state) if view != AGAIN else None
    if state.single_take:
        page = kind.whole_page if recording is None else kind.cutting_page
        place = place if recording is None else (state.step, state.attempt, CUTTING)
    entered = site.unfinished.entered(state.visit_id, place)
    rejected = site.unfinished.rejected(state.visit_id, place)
    facts |= asking.facts(presented, entered)
    if recording is not None and state.whole is not None:
        facts |= cutting_facts(state.whole, recording, presented.total, entered)
    key = _page_key(state, presented)
    return site.page(
        page,
        state.language,
        of=kind,
        **facts,
        shown=presented,
        entered=defaultdict(str, entered or {}),
        key=key,
        draft=key,
        action="/respond",
        sound=state.sound_plan,
        may_redo=state.may_redo and not presented.again,
        why=kind.say(rejected.message, page_language(state.language)) if rejected else "",
        concerned=rejected.fields if rejected else (),
        address=lambda name: f"{site.base}/presented/{_key(state, name)}",
        shared=f"{site.base}/step/{kind.name}",
    )


def _shown(state: VisitState, view: str) -> StimulusView[Any, Any]:
    """Current stimulus, or the previous one if its answer is being changed."""
    again = view == AGAIN and state.may_redo
    return replace(state.presented(state.position - 1) if again else state.shown, view=view)


def _page_key(state: VisitState, shown: StimulusView[Any, Any]) -> str:
    """Key shared by pages that ask for the same response, so that only one of them counts."""
    recording_id = state.whole.recording_id if state.whole is not None else ""
    place = f"{state.step}:{state.attempt}:{shown.position}:{len(state.given)}:{recording_id}"
    return sha256(f"{state.visit_id}:{place}".encode()).hexdigest()[:32]


def _key(state: VisitState, name: str) -> str:
    """The address of a file in this visit: it tells nothing of the file's name."""
    place = f"{state.visit_id}\0{state.step}\0{state.attempt}\0{state.position}\0{name}"
    return sha256(place.encode()).hexdigest()[:32]


def _recording(site: Site, state: VisitState) -> Path | None:
    """The recording that is to be cut in this visit; None: there is none, or no more."""
    file = state.recordings.get(state.whole.recording_id) if state.whole is not None else None
    return folder_of(site.engine.log).file(file) if file is not None and state.single_take else None


@router.post("/respond")
async def respond(request: Request, site: ThisSite, visit_id: ThisVisit) -> Response:
    """Store a response; one that cannot be taken comes back as it was entered, with the reason."""
    entered = {name: value for name, value in (await request.form()).items() if isinstance(value, str)}
    state, key = await site.engine.state(visit_id), entered.get("key", "")
    if state.phase != "stimulus":
        raise Stale("no stimulus expected")
    places = [("position", state.position)] if state.attempt is None else [("attempt", state.attempt)]
    places += [("position", state.position - 1)] if state.may_redo else []
    positions = [number for name, number in places if entered.get(name) == str(number)]
    if entered.get("step") != str(state.step) or not positions:
        raise Stale("another stimulus is expected")
    presented, place = state.presented(positions[0]), (state.step, state.attempt, positions[0])
    position = state.position - 1 if presented.again else state.position
    next_address = f"/visit?view={AGAIN}" if presented.again else "/visit"
    if entered.get("language", state.language) != state.language:  # what was read is not what is asked now
        site.unfinished.keep(visit_id, place, entered)
        return site.to(next_address)
    try:
        await site.engine.forms.respond(
            visit_id,
            step=state.step,
            attempt=state.attempt,
            position=position,
            response=state.asking.read(presented, entered),
            key=key if KEY.fullmatch(key) else None,
        )
    except Rejected as rejected:
        site.unfinished.keep(visit_id, place, entered, rejected)
        return site.to(next_address)
    site.unfinished.forget(visit_id)
    return site.to("/visit")


def takes_recordings(study: Study) -> bool:
    """True if participants send recordings as responses."""
    kinds = [(kind_of(step), step) for step in study.visit]
    return any(isinstance(kind, StimulusStep) and kind.sound_plan(step) is not None for kind, step in kinds)


def earlier_addresses(study: Study) -> dict[str, str]:
    """Current addresses for pages of steps opened before an update."""
    kinds = {kind for kind in map(kind_of, study.visit) if isinstance(kind, StimulusStep)}
    return {earlier: now for kind in kinds for earlier, now in kind.earlier_addresses.items()}


@router.post(RECORDED)
async def recording(
    request: Request,
    site: ThisSite,
    visit_id: ThisVisit,
    step: Annotated[Number, Query()],
    key: Annotated[Key, Query()],
    position: Annotated[Number, Query()] = 0,
    takes: Annotated[Number, Query()] = 1,
) -> Response:
    """Take a recording in, with what was entered beside it; answered only when it is on disk."""
    site.count_turn(visit_id)
    beside = {name: value for name, value in request.query_params.items() if name not in PLACE}
    try:
        seq = await site.engine.forms.record(
            visit_id,
            step=step,
            position=position,
            key=key,
            audio=await request.body(),
            takes=takes,
            beside=beside,
        )
    except Rejected as rejected:
        raise Refused("bad_audio", rejected.message.one) from None
    return JSONResponse({"seq": seq})


@router.post("/respond/cut")
async def cut(request: Request, site: ThisSite, visit_id: ThisVisit) -> Response:
    """The borders in a recording of all responses, as their speaker left them."""
    entered = {name: value for name, value in (await request.form()).items() if isinstance(value, str)}
    state = await site.engine.state(visit_id)
    if state.phase != "stimulus" or entered.get("step") != str(state.step) or not state.single_take:
        raise Stale("nothing is to be cut")
    place: Place = (state.step, state.attempt, CUTTING)
    try:
        await site.engine.forms.cut(
            visit_id,
            step=state.step,
            recording_id=entered.get(RECORDING, ""),
            borders=borders_of(entered, state.shown.total),
        )
    except Rejected as rejected:
        site.unfinished.keep(visit_id, place, entered, rejected)
        return site.to("/visit")
    site.unfinished.forget(visit_id)
    return site.to("/visit")


@router.get("/presented/{key}")
async def file(site: ThisSite, visit_id: ThisVisit, key: str) -> Response:
    """A file of the stimulus that is due in this visit, or the recording to be cut; no other."""
    state = await site.engine.state(visit_id)
    for name, file in _files(site, state).items() if state.phase == "stimulus" else ():
        if not hmac.compare_digest(key, _key(state, name)):
            continue
        if isinstance(file, Sound):
            return Response(encode_sound(file), media_type="audio/wav", headers=NEVER_KEPT)
        if file.is_file():
            kind, policy = FILE_TYPES.get(file.suffix.lower()), {"Content-Security-Policy": FILE_POLICY}
            return FileResponse(file, media_type=kind, headers=policy)
    raise HTTPException(404)


def _files(site: Site, state: VisitState) -> Mapping[str, Path | Sound]:
    files = state.asking.files(state.shown)
    return files if (path := _recording(site, state)) is None else {**files, RECORDING: path}


@router.get("/step/{name}/{file_name}")
async def shared(site: ThisSite, visit_id: ThisVisit, name: str, file_name: str) -> Response:
    """A script or the styles of the step that this visit is at."""
    state, kind = await site.engine.state(visit_id), SHARED_TYPES.get(Path(file_name).suffix)
    if state.phase == "stimulus" and state.stimulus_kind.name == name and kind is not None:
        path = state.stimulus_kind.folder / Path(file_name).name
        if path.is_file():
            return FileResponse(path, media_type=kind)
    raise HTTPException(404)
