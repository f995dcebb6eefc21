"""Calls that a carrier hands over as a WebSocket, in the shape of Twilio's Media Streams.

The carrier asks by HTTP what to do with a call and is ordered to open a WebSocket for it. Both requests are
signed with a token that only the carrier and we know; a ticket in the order joins the two, once and soon. The
pages' service carries both requests here; this room knows no web framework.

Source  Twilio documentation: "Webhooks security", "TwiML for Voice: Stream", "WebSocket messages"
"""

import asyncio
import hmac
import json
import re
import secrets
from base64 import b64decode, b64encode
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any, Final, Protocol
from xml.etree.ElementTree import Element, SubElement, tostring

import structlog

from vivavoce_speech.telephony.frame_clock import FrameClock
from vivavoce_speech.telephony.g711 import PCMU
from vivavoce_speech.telephony.leg import PhoneLeg
from vivavoce_speech.telephony.tickets import Tickets

LONGEST_PAYLOAD: Final = 65_536  # eight seconds in one message; the usual is 20 ms
LONGEST_BACKLOG: Final = 1_000  # messages that the carrier has not taken: the line is dead
MARK_S: Final = 5.0  # how long the carrier may take to play what it holds
_KEYS: Final = frozenset("0123456789*#ABCD")


class MediaStreamLeg(PhoneLeg):
    """A call that a carrier streams; `outgoing` is what is to be sent to it, `close` ends its connection.

    The carrier keeps sound before it plays it. A mark after the last frame comes back when that was heard, so
    that the call is not cut off before the end of what was said, and silence is never sent.
    """

    def __init__(
        self, stream: str, caller_id: str, called: str, close: Callable[[], Awaitable[None]]
    ) -> None:
        super().__init__(f"call-{secrets.token_hex(8)}", caller_id, called, "media_streams")
        self.stream = stream
        self.outgoing: asyncio.Queue[str] = asyncio.Queue()
        self._close = close
        self._marks = 0
        self._awaited: set[str] = set()
        self._heard_all = asyncio.Event()
        self._heard_all.set()

    def send_frame(self) -> None:
        """On the beat: one frame each way."""
        sounding = self.playing
        frame = self.beat()
        if not sounding or self.over.is_set():
            return
        self._send("media", media={"payload": b64encode(PCMU.encode(frame)).decode()})
        if not self.playing and not self.live:
            self._marks += 1
            name = f"mark-{self._marks}"
            self._awaited.add(name)
            self._heard_all.clear()
            self._send("mark", mark={"name": name})

    def take_message(self, text: str) -> None:
        """A message of the carrier's; one that makes no sense is dropped.

        Raises  ValueError: it is no message at all
        """
        message = json.loads(text)
        kind = message.get("event") if isinstance(message, dict) else None
        content = message.get(kind) if isinstance(kind, str) else None
        content = content if isinstance(content, dict) else {}
        if kind == "media" and content.get("track", "inbound") == "inbound":
            self._take_payload(content.get("payload"))
        elif kind == "dtmf" and str(content.get("digit")) in _KEYS:
            self.take_key(str(content["digit"]))
        elif kind == "mark":
            self._awaited.discard(str(content.get("name")))
            if not self._awaited:
                self._heard_all.set()
        elif kind == "stop":
            self.ended("caller")

    def _take_payload(self, payload: Any) -> None:
        if not isinstance(payload, str) or not 0 < len(payload) <= LONGEST_PAYLOAD:
            return
        try:
            self.take_sound(PCMU.decode(b64decode(payload, validate=True)))
        except ValueError:
            return

    def stop_playing(self) -> bool:
        was = super().stop_playing()
        if (was or self._awaited) and not self.over.is_set():
            self._send("clear")
        return was

    async def played(self) -> None:
        """Wait until the caller has heard everything, as far as the carrier tells."""
        await super().played()
        over = asyncio.create_task(self.over.wait())
        task = asyncio.create_task(self._heard_all.wait())
        await asyncio.wait((over, task), timeout=MARK_S, return_when=asyncio.FIRST_COMPLETED)
        over.cancel()
        task.cancel()

    async def disconnect(self) -> None:
        await self._close()

    def _send(self, event: str, **content: Any) -> None:
        if self.outgoing.qsize() >= LONGEST_BACKLOG:
            self.ended("failure")
            return
        self.outgoing.put_nowait(json.dumps({"event": event, "streamSid": self.stream, **content}))


Fields = Iterable[tuple[str, str]]

# what a withheld number is replaced by: anonymous, restricted, blocked, unknown, unavailable on a keypad
_WITHHELD: Final = {"266696687", "7378742833", "2562533", "8656696", "86282452253"}
_NUMBER: Final = re.compile(r"\+?\d+")


def signature(token: str, url: str, fields: Fields = ()) -> str:
    """Signature of a request: address and sorted form fields under a shared token."""
    signed = url + "".join(name + value for name, value in sorted(set(fields)))
    return b64encode(hmac.digest(token.encode(), signed.encode(), "sha1")).decode()


def is_signed(signature_text: str, token: str, urls: Iterable[str], fields: Fields = ()) -> bool:
    """True if a signature fits one of the forms that the same address may have been written in."""
    fields = list(fields)
    expected = [signature(token, url, fields).encode() for url in urls]
    return any(hmac.compare_digest(signature_text.encode(), candidate) for candidate in expected)


def number_of(address: str) -> str:
    """A telephone number, or the name in a SIP address; "" where it is withheld."""
    if address.startswith(("sip:", "sips:")):
        return address.partition(":")[2].partition("@")[0]
    number = address.strip()
    return number if _NUMBER.fullmatch(number) and number.lstrip("+") not in _WITHHELD else ""


def order_to_stream(url: str, ticket: str) -> str:
    """The answer that makes the carrier open a WebSocket for a call; when it closes, the call is over."""
    response = Element("Response")
    stream = SubElement(SubElement(response, "Connect"), "Stream", url=url)
    SubElement(stream, "Parameter", name="ticket", value=ticket)
    SubElement(response, "Hangup")
    return _written(response)


def order_to_reject() -> str:
    """The answer to a call for which no line is free."""
    response = Element("Response")
    SubElement(response, "Reject", reason="busy")
    return _written(response)


def _written(response: Element) -> str:
    return tostring(response, "unicode", xml_declaration=True)


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
        """Number of active calls."""
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
        """TwiML instructions to the carrier for a reported call.

        Raises  NotSigned: the signature does not fit the address and the fields
        """
        fields = list(fields)
        url = self.webhook_url + (f"?{query}" if query else "")
        if not is_signed(signed, self._token, (url,), fields):
            raise NotSigned
        if self.calls >= self._at_once:
            return order_to_reject()
        form = dict(fields)
        ticket = secrets.token_urlsafe(24)
        self._tickets.issue(ticket, number_of(form.get("From", "")), number_of(form.get("To", "")))
        return order_to_stream(self._stream_url, ticket)

    def admits(self, signed: str) -> bool:
        """True if the carrier signed the request for a WebSocket; a last slash does not matter."""
        return is_signed(signed, self._token, (self._stream_url, self._stream_url + "/"))

    # --- a call ---------------------------------------------------------------------------------------

    async def carry(self, socket: Socket) -> None:
        """A call from the first message on its WebSocket to its end; what is no announced call is closed."""
        leg = None
        try:
            async with asyncio.timeout(START_S):
                leg = await self._begun(socket)
        except TimeoutError:
            _report.info("stream_not_begun", reason="no message received")
        if leg is None:
            with suppress(Exception):
                await socket.close()
            return
        self._legs.add(leg)
        tasks = [
            asyncio.create_task(self._receive(leg, socket)),
            asyncio.create_task(self._send(leg, socket)),
        ]
        call = asyncio.create_task(self._hold(leg))
        self._tasks.add(call)
        call.add_done_callback(self._tasks.discard)
        try:
            await asyncio.shield(call)  # the recording is kept also when the pages' service goes down
        finally:
            leg.ended("failure")
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
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
        parameters = start.get("customParameters")
        ticket = parameters.get("ticket") if isinstance(parameters, dict) else None
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
