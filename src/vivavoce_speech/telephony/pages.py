"""Pages for dialogues by telephone, besides the participants' pages.

Participants ask to be called (`telephone: {outbound}`), and a carrier hands calls over by HTTP and WebSocket
(`telephone: {media_streams}`).
"""

from typing import Annotated, Final

from fastapi import APIRouter, Form, Request, WebSocket
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.websockets import WebSocketDisconnect, WebSocketState

from vivavoce.participant.site import ThisSite, ThisVisit
from vivavoce_speech.telephony.media_streams import STREAM, WEBHOOK, MediaStreams, NotSigned
from vivavoce_speech.telephony.outbound import MARK, NotPlaced, OutboundCalls
from vivavoce_speech.telephony.switchboard import Switchboard

SIGNATURE: Final = "x-twilio-signature"
POLICY: Final = 1008  # a WebSocket that is refused; before it was accepted: 403

router = APIRouter(include_in_schema=False)


def _switchboard(connection: HTTPConnection) -> Switchboard | None:
    return connection.app.state.site.lines.get("phone")


def _outbound(request: Request) -> OutboundCalls:
    switchboard = _switchboard(request)
    if switchboard is None or switchboard.outbound is None:
        raise HTTPException(404)
    return switchboard.outbound


def _streams(connection: HTTPConnection) -> MediaStreams | None:
    switchboard = _switchboard(connection)
    return switchboard.streams if switchboard is not None else None


@router.post("/telephone/call")
async def call(
    request: Request,
    site: ThisSite,
    visit_id: ThisVisit,
    number: Annotated[str, Form(max_length=400)] = "",
    agreed: Annotated[str, Form(max_length=10)] = "",
) -> Response:
    """Call the participant, who has said that this is their telephone."""
    outbound = _outbound(request)
    if agreed != "yes":
        return site.to(f"/visit?problem={MARK}not_agreed")
    site.count_turn(visit_id)
    try:
        await outbound.place(visit_id, number)
    except NotPlaced as error:
        return site.to(f"/visit?problem={MARK}{error.reason}")
    return site.to("/visit")


@router.get("/telephone/call")
async def progress(request: Request, site: ThisSite, visit_id: ThisVisit) -> Response:
    """Progress of the call, for the page's script."""
    call = _outbound(request).progress(visit_id)
    state = await site.engine.state(visit_id)
    return JSONResponse({"status": call.status, "outcome": call.outcome, "phase": state.phase})


@router.post(WEBHOOK)
async def voice(request: Request) -> Response:
    """Instructions to the carrier for a call."""
    streams = _streams(request)
    if streams is None:
        raise HTTPException(404)
    fields = [(name, value) for name, value in (await request.form()).multi_items() if isinstance(value, str)]
    try:
        order = streams.order(fields, request.headers.get(SIGNATURE, ""), request.url.query)
    except NotSigned:
        return PlainTextResponse("The request has no valid signature of the carrier.", 403)
    return Response(order, media_type="text/xml")


@router.websocket(STREAM)
async def stream(socket: WebSocket) -> None:
    """The sound of a call, both ways, until its end."""
    streams = _streams(socket)
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
