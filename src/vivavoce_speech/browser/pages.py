"""Dialogues by voice in the page: a spoken turn comes in, what the system said goes out as sound."""

from typing import Annotated, Final

import structlog
from fastapi import Depends, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException

from vivavoce.audio.recognition import RecognitionError
from vivavoce.audio.synthesis import SynthesisError
from vivavoce.core.errors import InputError, LogError
from vivavoce.log.events import LoggedHypothesis
from vivavoce.participant.chat_routes import LONGEST_DELAY_S, Key
from vivavoce.participant.site import ThisSite, ThisVisit
from vivavoce.trial.errors import Refused, Stale
from vivavoce.trial.state import VisitState
from vivavoce_speech.browser.line import VoiceLine
from vivavoce_speech.browser.microphone_pages import router
from vivavoce_speech.dialogue.voice_turns import logged

_report = structlog.get_logger("vivavoce.participant")
FINAL: Final = ("too_long", "empty", "bad_audio", "not_understood")


async def _line(request: Request) -> VoiceLine:
    line = request.app.state.site.lines.get("voice")
    if line is None:
        raise HTTPException(404)
    return line


ThisLine = Annotated[VoiceLine, Depends(_line)]


def _talking(state: VisitState) -> None:
    if state.dialogue is None or state.dialogue.channel != "voice":
        raise HTTPException(404)


@router.post("/voice/turn")
async def turn(
    request: Request,
    site: ThisSite,
    visit_id: ThisVisit,
    line: ThisLine,
    dialogue_id: Annotated[str, Query(max_length=64)],
    key: Annotated[Key, Query()],
    tab: Annotated[str, Query(max_length=64)] = "",
    response_delay_s: Annotated[float | None, Query(ge=0, le=LONGEST_DELAY_S)] = None,
    played_s: Annotated[float | None, Query(ge=0, le=LONGEST_DELAY_S)] = None,
    started_s: Annotated[float | None, Query(ge=0, le=LONGEST_DELAY_S)] = None,
) -> Response:
    """Take a spoken turn in; answered when its sound, and its words where we recognise them, are on disk.

    played_s   seconds of the system's turn that were heard, where speaking cut it off
    started_s  when its sound began, on the clock of the dialogue
    """
    if tab and not site.tabs.is_newest(visit_id, tab):
        return _problem("superseded", 409)
    site.count_turn(visit_id)
    state = await site.engine.state(visit_id)
    _talking(state)
    audio = await request.body()
    listens = state.dialogue is not None and line.turns.listens(state.dialogue)
    try:
        sound = await line.turns.keep(visit_id, dialogue_id, key=key, audio=audio, started_s=started_s)
        hypotheses: list[LoggedHypothesis] = []
        if not listens:
            hypotheses = logged(await line.voices.recognise(audio, state.language, state.dialogue))
        if not hypotheses and not listens:
            return _problem("not_understood", 422)
        if played_s is not None:
            await line.turns.interrupt(visit_id, dialogue_id, played_s)
        spoken = await line.turns.spoken(visit_id, sound, audio)
        user_turn = await site.engine.say(
            visit_id,
            dialogue_id,
            key=key,
            text=(hypotheses[0].text or "") if hypotheses else "",
            heard=hypotheses,
            response_delay_s=response_delay_s,
            sound=sound if listens else None,
            played_s=played_s,
            spoken=spoken,
        )
    except Refused as refusal:
        return _problem(refusal.reason, 422 if refusal.reason in FINAL else 409)
    except Stale:
        return _problem("stale", 409)
    except LogError:
        return _problem("not_saved", 503)
    except (RecognitionError, InputError) as error:
        _report.error("recogniser failed", visit=visit_id, problem=str(error))
        return _problem("deaf", 503)
    for_log = BackgroundTask(_recognise_for_log, line, visit_id, dialogue_id, user_turn.turn_index, audio)
    to_recognise = listens and line.settings.recognise_for_log
    content = {"seq": user_turn.seq, "turn_index": user_turn.turn_index}
    return JSONResponse(content, background=for_log if to_recognise else None)


async def _recognise_for_log(
    line: VoiceLine, visit_id: str, dialogue_id: str, turn_index: int, audio: bytes
) -> None:
    """Recognise a turn for the log, if the system hears it by itself; a failure is ignored."""
    try:
        state = await line.engine.state(visit_id)
        hypotheses = await line.voices.recognise(audio, state.language, state.dialogue)
        await line.turns.note_recognised(visit_id, dialogue_id, turn_index, hypotheses)
    except (RecognitionError, InputError, LogError, Stale) as error:
        _report.error("recogniser failed", visit=visit_id, problem=str(error))


@router.get("/voice/said/{seq}")
async def said(site: ThisSite, visit_id: ThisVisit, line: ThisLine, seq: int) -> Response:
    """Sound of a system turn in the current dialogue."""
    site.count_sound(visit_id)
    state = await site.engine.state(visit_id)
    _talking(state)
    try:
        system_sound = await line.turns.spoken_by_system(visit_id, seq)
        sound = system_sound or await line.voices.say(state, seq)
        audio, damaged = await line.playback.heard(visit_id, seq, sound)
    except LookupError:
        raise HTTPException(404) from None
    except (SynthesisError, InputError) as error:
        _report.error("synthesiser failed", visit=visit_id, problem=str(error))
        return _problem("mute", 503)
    try:
        await line.playback.offer(visit_id, seq, None if system_sound else sound, damaged)
    except (LogError, InputError, Stale) as error:  # it is heard all the same
        _report.error("recording_not_kept", visit=visit_id, problem=str(error))
    return Response(audio, media_type="audio/wav", headers={"Cache-Control": "private, no-store"})


class PlayedIn(BaseModel):
    """Played parts of a system turn, on the clock of the dialogue."""

    dialogue_id: str = Field(max_length=64)
    seq: int = Field(ge=0)
    started_s: float = Field(ge=0, le=LONGEST_DELAY_S)
    played_s: float = Field(ge=0, le=LONGEST_DELAY_S)
    again: bool = False


@router.post("/voice/played")
async def played(visit_id: ThisVisit, line: ThisLine, told: PlayedIn) -> Response:
    """Note when the sound of a system's turn was heard."""
    try:
        await line.playback.played(visit_id, **told.model_dump())
    except LookupError:
        raise HTTPException(404) from None
    except (LogError, Stale):
        return _problem("not_saved", 503)
    return Response(status_code=204)


@router.get("/voice/clock")
async def clock(
    visit_id: ThisVisit, line: ThisLine, dialogue_id: Annotated[str, Query(max_length=64)]
) -> Response:
    """Seconds since a dialogue of the visit was opened, for the page to set its clock by."""
    elapsed_s = await line.playback.clock_s(visit_id, dialogue_id)
    if elapsed_s is None:
        raise HTTPException(404)
    return JSONResponse({"elapsed_s": elapsed_s}, headers={"Cache-Control": "no-store"})


def _problem(reason: str, status: int) -> JSONResponse:
    return JSONResponse({"error": reason}, status, {"Retry-After": "2"} if status == 503 else {})
