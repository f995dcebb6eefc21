"""Dialogues by voice in the page: a spoken turn comes in, what the system said goes out as sound."""

from typing import Annotated, Any, Final

import structlog
from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException

from vivavoce.audio.recognition import RecognitionError
from vivavoce.audio.synthesis import SynthesisError
from vivavoce.connectors.base import called_system
from vivavoce.core.errors import InputError, LogError
from vivavoce.log.events import LoggedHypothesis
from vivavoce.trial.errors import Refused, Stale
from vivavoce.trial.push_to_talk import Voices, logged, words_of
from vivavoce.trial.state import VisitState
from vivavoce.web.chat_routes import LONGEST_DELAY_S, Key
from vivavoce.web.site import Site, ThisSite, ThisVisit

router = APIRouter(include_in_schema=False)
_report = structlog.get_logger("vivavoce.web")
FINAL: Final = ("too_long", "empty", "bad_audio", "not_understood")


def _voices(request: Request) -> Voices:
    return request.app.state.voices


def _talking(state: VisitState) -> None:
    if state.dialogue is None or state.dialogue.channel != "voice":
        raise HTTPException(404)


@router.post("/voice/turn")
async def turn(
    request: Request, site: ThisSite, visit_id: ThisVisit, dialogue_id: Annotated[str, Query(max_length=64)],
    key: Annotated[Key, Query()], tab: Annotated[str, Query(max_length=64)] = "",
    response_delay_s: Annotated[float | None, Query(ge=0, le=LONGEST_DELAY_S)] = None,
    played_s: Annotated[float | None, Query(ge=0, le=LONGEST_DELAY_S)] = None,
    started_s: Annotated[float | None, Query(ge=0, le=LONGEST_DELAY_S)] = None,
) -> Response:  # fmt: skip
    """Take a spoken turn in; answered when its sound, and its words where we recognise them, are on disk.

    played_s   seconds of the system's turn that were heard, where speaking cut it off
    started_s  when its sound began, on the clock of the dialogue
    """
    if tab and not site.tabs.is_newest(visit_id, tab):
        return _problem("superseded", 409)
    site.count_turn(visit_id)
    state = await site.engine.state(visit_id)
    _talking(state)
    audio, engine = await request.body(), site.engine
    listens = state.dialogue is not None and engine.voice.listens(state.dialogue)
    try:
        sound = await engine.voice.keep(visit_id, dialogue_id, key=key, audio=audio, started_s=started_s)
        heard: list[LoggedHypothesis] = []
        if not listens:
            heard = logged(await _voices(request).recognise(audio, state.language, state.dialogue))
        if not heard and not listens:
            return _problem("not_understood", 422)
        if played_s is not None:
            await engine.voice.interrupt(visit_id, dialogue_id, played_s)
        spoken = await engine.voice.spoken(visit_id, sound, audio)
        said = await engine.say(
            visit_id, dialogue_id, key=key, text=(heard[0].text or "") if heard else "", heard=heard,
            response_delay_s=response_delay_s, sound=sound if listens else None, played_s=played_s,
            spoken=spoken,
        )  # fmt: skip
    except Refused as refusal:
        return _problem(refusal.reason, 422 if refusal.reason in FINAL else 409)
    except Stale:
        return _problem("stale", 409)
    except LogError:
        return _problem("not_saved", 503)
    except (RecognitionError, InputError) as error:
        _report.error("recogniser failed", visit=visit_id, problem=str(error))
        return _problem("deaf", 503)
    for_log = BackgroundTask(_recognise_for_log, request, visit_id, dialogue_id, said.turn_index, audio)
    wanted = listens and site.study.voice is not None and site.study.voice.recognise_for_log
    content = {"seq": said.seq, "turn_index": said.turn_index}
    return JSONResponse(content, background=for_log if wanted else None)


async def _recognise_for_log(
    request: Request, visit_id: str, dialogue_id: str, turn_index: int, audio: bytes
) -> None:
    """What our recogniser makes of a turn that the system hears by itself; its failure stops nobody."""
    site = request.app.state.site
    try:
        state = await site.engine.state(visit_id)
        heard = await _voices(request).recognise(audio, state.language, state.dialogue)
        await site.engine.voice.note_recognised(visit_id, dialogue_id, turn_index, heard)
    except (RecognitionError, InputError, LogError, Stale) as error:
        _report.error("recogniser failed", visit=visit_id, problem=str(error))


@router.get("/voice/said/{seq}")
async def said(request: Request, site: ThisSite, visit_id: ThisVisit, seq: int) -> Response:
    """What the system said in a turn of the dialogue that is going on."""
    state = await site.engine.state(visit_id)
    _talking(state)
    try:
        own = await site.engine.voice.spoken_by_system(visit_id, seq)
        sound = own or await _voices(request).speak(words_of(state, seq), state.language)
        heard, damaged = await site.engine.playback.heard(visit_id, seq, sound)
    except LookupError:
        raise HTTPException(404) from None
    except (SynthesisError, InputError) as error:
        _report.error("synthesiser failed", visit=visit_id, problem=str(error))
        return _problem("mute", 503)
    try:
        await site.engine.playback.offer(visit_id, seq, None if own else sound, damaged)
    except (LogError, InputError, Stale) as error:  # it is heard all the same
        _report.error("recording_not_kept", visit=visit_id, problem=str(error))
    return Response(heard, media_type="audio/wav", headers={"Cache-Control": "private, no-store"})


class PlayedIn(BaseModel):
    """What a page has played of a system's turn, on the clock of the dialogue."""

    dialogue_id: str = Field(max_length=64)
    seq: int = Field(ge=0)
    started_s: float = Field(ge=0, le=LONGEST_DELAY_S)
    played_s: float = Field(ge=0, le=LONGEST_DELAY_S)
    again: bool = False


@router.post("/voice/played")
async def played(site: ThisSite, visit_id: ThisVisit, told: PlayedIn) -> Response:
    """Note when the sound of a system's turn was heard."""
    try:
        await site.engine.playback.played(visit_id, **told.model_dump())
    except LookupError:
        raise HTTPException(404) from None
    except (LogError, Stale):
        return _problem("not_saved", 503)
    return Response(status_code=204)


@router.get("/voice/clock")
async def clock(
    site: ThisSite, visit_id: ThisVisit, dialogue_id: Annotated[str, Query(max_length=64)]
) -> Response:
    """Seconds since a dialogue of the visit was opened, for the page to set its clock by."""
    elapsed_s = await site.engine.playback.clock_s(visit_id, dialogue_id)
    if elapsed_s is None:
        raise HTTPException(404)
    return JSONResponse({"elapsed_s": elapsed_s}, headers={"Cache-Control": "no-store"})


def _problem(reason: str, status: int) -> JSONResponse:
    return JSONResponse({"error": reason}, status, {"Retry-After": "2"} if status == 503 else {})


def voice_facts(site: Site, state: VisitState) -> dict[str, Any]:
    """What the page of a dialogue by voice needs beside the chat's."""
    by_voice = state.dialogue is not None and state.dialogue.channel == "voice"
    settings, dialogue = site.study.voice, state.dialogue
    called = dialogue is not None and called_system(site.engine.relay.connectors[dialogue.system]) is not None
    return {
        "voice": by_voice, "only_spoken": by_voice and called,
        "captions": settings is None or settings.captions,
        "microphone": settings.microphone if settings is not None else "push",
    }  # fmt: skip
