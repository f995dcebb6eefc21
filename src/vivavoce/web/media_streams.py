"""Calls that a carrier hands over by HTTP and WebSocket, where the study has `telephone: {media_streams}`."""

from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, FastAPI, Request, WebSocket
from fastapi.responses import PlainTextResponse, Response
from starlette.exceptions import HTTPException
from starlette.websockets import WebSocketDisconnect, WebSocketState

if TYPE_CHECKING:
    from vivavoce.telephony.media_streams import MediaStreams

SIGNATURE: Final = "x-twilio-signature"
POLICY: Final = 1008  # a WebSocket that is refused; before it was accepted: 403

router = APIRouter(include_in_schema=False)


def _streams(app: FastAPI) -> "MediaStreams | None":
    return app.state.media_streams


@router.post("/telephone/voice")
async def voice(request: Request) -> Response:
    """What the carrier is to do with a call."""
    from vivavoce.telephony.media_streams import NotSigned

    streams = _streams(request.app)
    if streams is None:
        raise HTTPException(404)
    fields = [(name, value) for name, value in (await request.form()).multi_items() if isinstance(value, str)]
    try:
        order = streams.order(fields, request.headers.get(SIGNATURE, ""), request.url.query)
    except NotSigned:
        return PlainTextResponse("This request does not bear the carrier's signature.", 403)
    return Response(order, media_type="text/xml")


@router.websocket("/telephone/stream")
async def stream(socket: WebSocket) -> None:
    """The sound of a call, both ways, until its end."""
    streams = _streams(socket.app)
    if streams is None or not streams.admits(socket.headers.get(SIGNATURE, "")):
        await socket.close(POLICY)
        return
    await socket.accept()
    await streams.carry(_Messages(socket))


class _Messages:
    """A WebSocket as the telephone sees it; closing one that is closed does nothing."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket

    async def receive(self) -> str | None:
        try:
            return await self._socket.receive_text()
        except (WebSocketDisconnect, RuntimeError, KeyError):  # closed; closed by us; a binary message
            return None

    async def send(self, text: str) -> None:
        await self._socket.send_text(text)

    async def close(self) -> None:
        if self._socket.application_state is not WebSocketState.DISCONNECTED:
            await self._socket.close()
