"""Calls that a carrier hands over as a WebSocket, in the shape of Twilio's Media Streams.

The carrier asks by HTTP what to do with a call and is ordered to open a WebSocket for it. Both requests are
signed with a token that only the carrier and we know; a ticket in the order joins the two, once and soon. The
pages' service carries both requests here; this room knows no web framework.

Source  Twilio documentation: "Webhooks security", "TwiML for Voice: Stream", "WebSocket messages"
"""

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final, Protocol

import structlog

from vivavoce_speech.telephony.carrier import Fields, is_signed, number_of, order_to_reject, order_to_stream
from vivavoce_speech.telephony.frame_clock import FrameClock
from vivavoce_speech.telephony.leg import PhoneLeg
from vivavoce_speech.telephony.media_leg import MediaStreamLeg
from vivavoce_speech.telephony.tickets import Tickets

WEBHOOK: Final = "/telephone/voice"
STREAM: Final = "/telephone/stream"
START_S: Final = 30.0

OnCall = Callable[[PhoneLeg], Awaitable[None]]

_report = structlog.get_logger("vivavoce.telephony")


class Socket(Protocol):
    """The carrier's connection; `receive` gives None once it is closed."""

    async def receive(self) -> str | None: ...
    async def send(self, text: str) -> None: ...
    async def close(self) -> None: ...


class NotSigned(Exception):
    """The request does not come from the carrier, or the token or the address in the study file is wrong."""


class MediaStreams:
    """Takes calls and hands each to `on_call`; when that returns, the call is hung up.

    url      address of the pages as the carrier reaches them, without the last slash
    token    what the carrier signs with
    at_once  more calls than these find it busy
    """

    def __init__(self, on_call: OnCall, *, url: str, token: str, at_once: int = 100) -> None:
        self._on_call, self._token, self._at_once = on_call, token, at_once
        self.webhook_url = url.rstrip("/") + WEBHOOK
        self._stream_url = "ws" + url.rstrip("/").removeprefix("http") + STREAM
        self._pace = FrameClock()
        self._tickets = Tickets()
        self._legs: set[MediaStreamLeg] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def calls(self) -> int:
        """How many calls there are now."""
        return len(self._legs)

    async def stop(self) -> None:
        """Hang up every call and wait until what was said in it is dealt with."""
        await asyncio.gather(*(leg.hang_up() for leg in list(self._legs)))
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=10)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._pace.stop()

    # --- the two requests -----------------------------------------------------------------------------

    def order(self, fields: Fields, signed: str, query: str = "") -> str:
        """What the carrier is to do with a call that it tells of; TwiML.

        Raises  NotSigned: the signature does not fit the address and the fields
        """
        fields = list(fields)
        url = self.webhook_url + (f"?{query}" if query else "")
        if not is_signed(signed, self._token, (url,), fields):
            raise NotSigned
        if self.calls >= self._at_once:
            return order_to_reject()
        told = dict(fields)
        ticket = secrets.token_urlsafe(24)
        self._tickets.issue(ticket, number_of(told.get("From", "")), number_of(told.get("To", "")))
        return order_to_stream(self._stream_url, ticket)

    def admits(self, signed: str) -> bool:
        """Whether the carrier signed the request for a WebSocket; a last slash does not matter."""
        return is_signed(signed, self._token, (self._stream_url, self._stream_url + "/"))

    # --- a call ---------------------------------------------------------------------------------------

    async def carry(self, socket: Socket) -> None:
        """A call from the first message on its WebSocket to its end; what is no announced call is closed."""
        leg = None
        try:
            async with asyncio.timeout(START_S):
                leg = await self._begun(socket)
        except TimeoutError:
            _report.info("stream_not_begun", reason="nothing came")
        if leg is None:
            with suppress(Exception):
                await socket.close()
            return
        self._legs.add(leg)
        both = [asyncio.create_task(self._receive(leg, socket)), asyncio.create_task(self._send(leg, socket))]
        call = asyncio.create_task(self._hold(leg))
        self._tasks.add(call)
        call.add_done_callback(self._tasks.discard)
        try:
            await asyncio.shield(call)  # the recording is kept also when the pages' service goes down
        finally:
            leg.ended("failure")
            for task in both:
                task.cancel()
            await asyncio.gather(*both, return_exceptions=True)
            with suppress(Exception):
                await socket.close()

    async def _begun(self, socket: Socket) -> MediaStreamLeg | None:
        """The call that the message `start` begins; None where no webhook announced it."""
        while (text := await socket.receive()) is not None:
            try:
                message = json.loads(text)
            except ValueError:
                return None
            if not isinstance(message, dict):
                return None
            if message.get("event") == "start":
                return self._announced(message, socket)
        return None

    def _announced(self, message: dict[str, Any], socket: Socket) -> MediaStreamLeg | None:
        start = message.get("start")
        start = start if isinstance(start, dict) else {}
        own = start.get("customParameters")
        ticket = own.get("ticket") if isinstance(own, dict) else None
        call = self._tickets.redeem(ticket) if isinstance(ticket, str) else None
        stream = message.get("streamSid") or start.get("streamSid")
        if call is None or not isinstance(stream, str) or self.calls >= self._at_once:
            _report.warning("stream_not_begun", reason="no ticket" if call is None else "busy")
            return None
        return MediaStreamLeg(stream, call.caller_id, call.called, socket.close)

    async def _hold(self, leg: MediaStreamLeg) -> None:
        try:
            await self._pace.hold(leg, leg.send_frame, self._on_call)
        finally:
            self._legs.discard(leg)

    async def _receive(self, leg: MediaStreamLeg, socket: Socket) -> None:
        try:
            while (text := await socket.receive()) is not None:
                try:
                    leg.take_message(text)
                except (ValueError, RecursionError):
                    _report.debug("message_dropped", call_id=leg.call_id, characters=len(text))
        finally:
            leg.ended("failure")  # unless the carrier, or we, said that it was over

    async def _send(self, leg: MediaStreamLeg, socket: Socket) -> None:
        try:
            while True:
                await socket.send(await leg.outgoing.get())
        finally:
            leg.ended("failure")
