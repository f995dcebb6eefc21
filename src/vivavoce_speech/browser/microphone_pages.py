"""The connection of a page with an open microphone: frames of sound come in, sound and words go out.

In: binary messages as `browser_leg` reads them, and `{"kind": "bye"}`. Out: binary messages of four
bytes, the place of the first sample, and samples; and JSON: `hello` and `stop` say where the next sample
stands, `doing` what the program does, `over`, `superseded` and `refused` are the last.
"""

import asyncio
import json
import struct
from collections import deque
from contextlib import suppress
from typing import Any, Final

import structlog
from fastapi import APIRouter, WebSocket
from starlette.websockets import WebSocketDisconnect, WebSocketState

from vivavoce.core.errors import InputError, LogError
from vivavoce.participant.security import is_foreign
from vivavoce.participant.site import Site
from vivavoce.trial.errors import Refused, Stale
from vivavoce_speech.browser.browser_leg import TooFast
from vivavoce_speech.browser.open_microphone import Microphones, Talk

REFUSED: Final = 1008  # before the WebSocket is accepted: 403
LAST: Final = ("over", "superseded", "refused")
LONGEST_TEXT: Final = 256

router = APIRouter(include_in_schema=False)
_report = structlog.get_logger("vivavoce.participant")


@router.websocket("/voice/microphone")
async def microphone(socket: WebSocket, dialogue_id: str = "", tab: str = "") -> None:
    """An open microphone of the visit that the browser's cookie stands for, until it is closed."""
    site: Site = socket.app.state.site
    microphones: Microphones | None = getattr(site.lines.get("voice"), "microphones", None)
    token = socket.cookies.get(site.cookie)
    visit_id = await site.engine.visit_of_token(token) if token else None
    if microphones is None or visit_id is None or is_foreign(socket.scope):
        await socket.close(REFUSED)
        return
    await socket.accept()
    line = _Line(socket)
    try:
        if not site.tabs.is_newest(visit_id, tab):
            line.post("superseded")
            return
        talk = await _begun(microphones, visit_id, dialogue_id, line)
        if talk is not None:
            await _carry(site, talk, tab, line)
            talk.disconnect(line)
    finally:
        await line.close()


async def _begun(microphones: Microphones, visit_id: str, dialogue_id: str, line: "_Line") -> Talk | None:
    try:
        return await microphones.connect(visit_id, dialogue_id, line)
    except Refused as refusal:
        line.post("refused", reason=refusal.reason)
    except (Stale, LogError):
        line.post("refused", reason="not_saved")
    except InputError as error:
        _report.error("recogniser or synthesiser failed", visit=visit_id, problem=str(error))
        line.post("refused", reason="deaf")
    return None


async def _carry(site: Site, talk: Talk, tab: str, line: "_Line") -> None:
    """Take in what the page sends, until it goes, or another tab has taken its place."""
    while (message := await line.receive()) is not None:
        if not site.tabs.is_newest(talk.visit_id, tab):
            line.post("superseded")
            return
        try:
            if isinstance(message, bytes):
                talk.leg.take(message)
            elif _is_bye(message):
                talk.leave("left")
                return
        except (ValueError, TooFast) as error:
            _report.warning("microphone_refused", visit=talk.visit_id, error=repr(error))
            line.post("refused", reason="bad_sound")
            return


def _is_bye(text: str) -> bool:
    if len(text) > LONGEST_TEXT:
        raise ValueError("text too long")
    message: Any = json.loads(text)
    return isinstance(message, dict) and message.get("kind") == "bye"


class _Line:
    """A WebSocket as a leg sees it: what is posted waits here until the page takes it."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._waiting: deque[bytes | str] = deque()
        self._more = asyncio.Event()
        self._ended = False
        self._sender = asyncio.create_task(self._send())

    def post_sound(self, position: int, pcm: bytes) -> None:
        self._add(struct.pack("<I", position % 2**32) + pcm)

    def post(self, kind: str, **facts: object) -> None:
        self._add(json.dumps({"kind": kind, **facts}))
        if kind in LAST:
            self._ended = True

    def drop_sound(self) -> None:
        self._waiting = deque(entry for entry in self._waiting if isinstance(entry, str))

    def _add(self, message: bytes | str) -> None:
        if not self._ended:
            self._waiting.append(message)
            self._more.set()

    async def _send(self) -> None:
        with suppress(WebSocketDisconnect, RuntimeError, OSError):  # closed by the page, or by us
            while True:
                while self._waiting:
                    message = self._waiting.popleft()
                    if isinstance(message, bytes):
                        await self._socket.send_bytes(message)
                    else:
                        await self._socket.send_text(message)
                if self._ended:
                    await self._socket.close()
                    return
                self._more.clear()
                await self._more.wait()

    async def receive(self) -> bytes | str | None:
        """The page's next message; None once it is gone, or was told the last."""
        try:
            message = await self._socket.receive()
        except RuntimeError:
            return None
        if message["type"] != "websocket.receive":
            return None
        content = message.get("bytes")
        return content if content is not None else message.get("text")

    async def close(self) -> None:
        """Send what was posted last, then close."""
        if self._ended:
            with suppress(TimeoutError):
                async with asyncio.timeout(5.0):
                    await self._sender
        self._sender.cancel()
        await asyncio.gather(self._sender, return_exceptions=True)
        if self._socket.application_state is not WebSocketState.DISCONNECTED:
            with suppress(WebSocketDisconnect, RuntimeError, OSError):
                await self._socket.close()
