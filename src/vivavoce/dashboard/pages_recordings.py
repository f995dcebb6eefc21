"""Recordings of a dialogue: their sound in ranges, and their waveform."""

from pathlib import Path
from typing import Final

from fastapi import APIRouter, HTTPException
from starlette.responses import FileResponse, JSONResponse, Response

import vivavoce.participant
from vivavoce.core.errors import InputError
from vivavoce.dashboard.app_shell import Desk, ThisDesk
from vivavoce.dashboard.language import gettext
from vivavoce.dashboard.page import DashboardPage
from vivavoce.log.soundtrack import DialogueRecording, dialogue_recordings, soundtrack

router = APIRouter()
PAGE: Final = DashboardPage(name="recordings", router=router, help="how-to/protect-data")

SHARED: Final = Path(vivavoce.participant.__file__).parent / "static"  # shared with the annotators' pages


@router.get("/static/waveform.js")
def script() -> FileResponse:
    return FileResponse(SHARED / "waveform.js", media_type="text/javascript")


@router.get("/static/waveform.css")
def style() -> FileResponse:
    return FileResponse(SHARED / "waveform.css", media_type="text/css")


@router.get("/dialogues/{dialogue_id}/recordings/{recording_id}")
def sound(desk: ThisDesk, dialogue_id: str, recording_id: str) -> Response:
    recording = _recording(desk, dialogue_id, recording_id)
    return FileResponse(recording.path, media_type=recording.media_type)


@router.get("/dialogues/{dialogue_id}/recordings/{recording_id}/track.json")
def track(desk: ThisDesk, dialogue_id: str, recording_id: str) -> Response:
    recording = _recording(desk, dialogue_id, recording_id)
    try:
        return JSONResponse(soundtrack(desk.log, dialogue_id, recording))
    except InputError as error:
        problem = gettext("No waveform is available: %(why)s.", why=error.problem)
        raise HTTPException(404, problem) from None


def _recording(desk: Desk, dialogue_id: str, recording_id: str) -> DialogueRecording:
    """Recording of a dialogue of this study."""
    if desk.board.see(lambda board: dialogue_id in board.dialogues):
        for dialogue_recording in dialogue_recordings(desk.log, dialogue_id):
            if dialogue_recording.recording_id == recording_id:
                return dialogue_recording
    raise HTTPException(404, gettext("This recording does not exist."))
