"""Calls that an Asterisk beside us takes: it owns trunk, encryption and the world outside.

For each call its dial plan asks us for a ticket, answers, and shows the ticket on a connection for the
sound. Both of our ports are for Asterisk alone: who reaches them can make calls, so they stand on
loopback.

Source  Asterisk documentation: "AudioSocket", "Asterisk Gateway Interface (AGI)"
"""

import asyncio
import re
import secrets
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from typing import Final
from uuid import UUID, uuid4

import structlog

from vivavoce.core.errors import InputError
from vivavoce_speech.telephony.audio_socket import (
    ERROR,
    HANG_UP,
    KEY,
    SOUND,
    TICKET,
    BadFrame,
    Frame,
    frames,
    sound_frame,
    written,
)
from vivavoce_speech.telephony.frame_clock import FrameClock
from vivavoce_speech.telephony.leg import RATE_HZ, PhoneLeg
from vivavoce_speech.telephony.tickets import Tickets

LONGEST_LINE: Final = 65_536
STOP_S: Final = 10.0

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

_report = structlog.get_logger("vivavoce.telephony")


class TcpServer:
    """Serves each connection in a task of its own and closes it afterwards, whatever happens in it.

    address  HOST:PORT; port 0: any free one
    at_once  more connections than these are closed at once
    place    what the address is called in the study file

    Raises  InputError: nobody can listen there (by `start`)
    """

    def __init__(self, address: str, serve: Serve, *, at_once: int, place: str) -> None:
        host, _, port = address.rpartition(":")
        self.host, self.port = host.strip("[]"), int(port)
        self._serve, self._at_once, self._place = serve, at_once, place
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def connections(self) -> int:
        """Number of open connections."""
        return len(self._tasks)

    async def start(self) -> None:
        try:
            self._server = await asyncio.start_server(
                self._connected, self.host, self.port, limit=LONGEST_LINE
            )
        except OSError as error:
            raise InputError(
                f"cannot listen on {self.host}:{self.port} ({error.strerror})",
                place=self._place,
                hint="set another address, here and in Asterisk's dial plan",
            ) from None
        self.port = self._server.sockets[0].getsockname()[1]

    def close(self) -> None:
        """Take no more connections."""
        if self._server is not None:
            self._server.close()

    async def stop(self) -> None:
        """Take no more connections, and wait a little for the end of those that are there."""
        self.close()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=STOP_S)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._tasks) >= self._at_once:
            _report.warning("connection_refused", place=self._place, reason="too many connections")
            writer.close()
            return
        task = asyncio.create_task(self._until_closed(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _until_closed(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._serve(reader, writer)
        except Exception as error:  # what one connection does must not stop the others
            _report.exception("connection_failed", place=self._place, error=repr(error))
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()


VARIABLE: Final = "VIVAVOCE_TICKET"
ANSWER_S: Final = 10.0
MOST_LINES: Final = 200
_RESTRICTION: Final = 0x60  # bits of the presentation: 0 the number may be shown
_FACT: Final = re.compile(r"(agi_[a-z0-9_]{1,40}):[ \t]?(.*)")
_NUMBER: Final = re.compile(r"\+?[A-Za-z0-9._*#-]{1,64}")

Route = Callable[[str, str], str | None]


class BadRequest(ValueError):
    """Not a request of Asterisk's."""


class FastAgi:
    """Answers Asterisk; `route` gives a ticket for caller and number, None where every line is taken."""

    def __init__(self, route: Route) -> None:
        self._route = route

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One question; whatever cannot be read as one gets no answer."""
        try:
            async with asyncio.timeout(ANSWER_S):
                facts = await read_facts(reader)
                ticket = self._route(caller_of(facts), called_of(facts))
                writer.write(f'SET VARIABLE {VARIABLE} "{ticket or ""}"\n'.encode())
                await writer.drain()
                reply = await reader.readline()
        except (BadRequest, TimeoutError, OSError) as error:
            _report.warning("route_not_asked", reason=str(error) or type(error).__name__)
            return
        if not reply.startswith(b"200"):  # the caller has hung up meanwhile; the ticket is never shown
            _report.info("route_not_taken", reply=reply[:80].decode("ascii", "replace"))


async def read_facts(reader: asyncio.StreamReader) -> dict[str, str]:
    """The facts of a call, by name.

    Raises  BadRequest: a line that is no fact or too long, too many lines, no fact at all, an early end
    """
    facts: dict[str, str] = {}
    for _ in range(MOST_LINES):
        try:
            line = (await reader.readuntil(b"\n")).decode("utf-8", "replace").rstrip("\r\n")
        except asyncio.IncompleteReadError:
            raise BadRequest("connection closed before the empty line") from None
        except asyncio.LimitOverrunError:
            raise BadRequest("line too long") from None
        if not line:
            if not facts:
                raise BadRequest("no variables")
            return facts
        match = _FACT.fullmatch(line)
        if match is None:
            raise BadRequest("invalid line")
        facts[match[1]] = match[2].strip()
    raise BadRequest("too many lines")


def caller_of(facts: dict[str, str]) -> str:
    """Caller's number; "" where it is unknown or withheld."""
    presentation = facts.get("agi_callingpres", "0")
    if presentation.isdecimal() and int(presentation) & _RESTRICTION:
        return ""
    return _number(facts.get("agi_callerid", ""))


def called_of(facts: dict[str, str]) -> str:
    """The number that was dialled: as the dial plan says by an argument, else the extension."""
    return _number(facts.get("agi_arg_1", "")) or _number(facts.get("agi_extension", ""))


def _number(text: str) -> str:
    shows_number = _NUMBER.fullmatch(text) is not None and text.lower() not in ("unknown", "anonymous")
    return text if shows_number else ""


LONGEST_BACKLOG: Final = 64_000  # bytes that Asterisk has not taken, four seconds: the line is dead
AHEAD_S: Final = 30.0  # sound that may come faster than time passes; more is no telephone
MOST_KEYS: Final = 1_000
_KEYS: Final = frozenset("0123456789*#ABCD")
_CALLER_HUNG_UP: Final = b"\x01"


class AsteriskLeg(PhoneLeg):
    """A call whose sound comes and goes by `writer`'s connection.

    Asterisk closes the connection when the caller hangs up, and in the same way when it is stopped
    itself: both are an end by the caller.
    """

    def __init__(self, caller_id: str, called: str, writer: asyncio.StreamWriter) -> None:
        super().__init__(f"call-{secrets.token_hex(8)}", caller_id, called, "asterisk")
        self._writer = writer
        self._began_s = time.monotonic()
        self._received = 0

    def send_frame(self) -> None:
        """On the beat: one frame each way, silence too, so that the line to the caller stays open."""
        frame = self.beat()
        if self.over.is_set():
            return
        if self._writer.transport.get_write_buffer_size() > LONGEST_BACKLOG:
            self.ended("failure")
        else:
            self._writer.write(sound_frame(frame))

    def take_frame(self, frame: Frame) -> None:
        """Handle a frame from Asterisk, except a ticket."""
        if frame.kind == SOUND:
            self._take_samples(frame)
        elif frame.kind == KEY:
            key = frame.payload.decode("ascii", "replace").upper()
            if key in _KEYS and len(self.keys) < MOST_KEYS:
                self.take_key(key)
        elif frame.kind == HANG_UP or (frame.kind == ERROR and frame.payload == _CALLER_HUNG_UP):
            self.ended("caller")
        else:
            self.ended("failure")

    def _take_samples(self, frame: Frame) -> None:
        self._received += len(frame.payload) // 2
        if self._received > RATE_HZ * (time.monotonic() - self._began_s + AHEAD_S):
            self.ended("failure")
        else:
            self.take_sound(frame.samples)

    async def disconnect(self) -> None:
        if not self._writer.transport.is_closing():
            self._writer.write(written(Frame(HANG_UP)))


START_S: Final = 10.0
UNKNOWN_AT_ONCE: Final = 50  # connections that have not shown a ticket yet

OnCall = Callable[[PhoneLeg], Awaitable[None]]


class Asterisk:
    """Takes calls and hands each to `on_call`; when that returns, the call is hung up.

    agi, audio  HOST:PORT where Asterisk asks for the route, and where it brings the sound
    at_once     more calls than these find it busy
    """

    def __init__(self, on_call: OnCall, *, agi: str, audio: str, at_once: int = 100) -> None:
        self._on_call, self._at_once = on_call, at_once
        self._tickets = Tickets()
        self._pace = FrameClock()
        self.legs: set[AsteriskLeg] = set()
        self._calls: set[asyncio.Task[None]] = set()
        self.agi = TcpServer(
            agi, FastAgi(self._route).serve, at_once=at_once + UNKNOWN_AT_ONCE, place="telephone.asterisk.agi"
        )
        self.audio = TcpServer(
            audio, self._carry, at_once=at_once + UNKNOWN_AT_ONCE, place="telephone.asterisk.audio"
        )

    @property
    def calls(self) -> int:
        """Number of active calls."""
        return len(self.legs)

    async def start(self) -> None:
        """Listen on both ports.

        Raises  InputError: one of them is taken
        """
        await self.agi.start()
        try:
            await self.audio.start()
        except BaseException:
            await self.agi.stop()
            raise

    async def stop(self) -> None:
        """Hang up every call and wait until what was said in it is dealt with."""
        self.agi.close()
        self.audio.close()
        await asyncio.gather(*(leg.hang_up() for leg in list(self.legs)))
        if self._calls:
            await asyncio.wait(self._calls, timeout=10)
        for task in self._calls:
            task.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)
        await self.agi.stop()
        await self.audio.stop()
        await self._pace.stop()

    def _route(self, caller_id: str, called: str) -> str | None:
        """A ticket for a call; None where every line is taken or promised."""
        if self.calls + len(self._tickets) >= self._at_once:
            return None
        ticket = str(uuid4())
        self._tickets.issue(ticket, caller_id, called)
        return ticket

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A call from its ticket to its end; a connection without a valid ticket is closed."""
        coming = frames(reader)
        leg = await self._begun(coming, writer)
        if leg is None:
            return
        self.legs.add(leg)
        receiving = asyncio.create_task(self._receive(leg, coming))
        call = asyncio.create_task(self._hold(leg))
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)
        try:
            await asyncio.shield(call)  # the recording is kept also when the service goes down
        finally:
            receiving.cancel()
            await asyncio.gather(receiving, return_exceptions=True)
            await coming.aclose()

    async def _begun(self, coming: AsyncGenerator[Frame], writer: asyncio.StreamWriter) -> AsteriskLeg | None:
        """The call whose ticket the first frame shows; None where it shows none."""
        reason = "connection closed before the ticket"
        try:
            async with asyncio.timeout(START_S):
                first = await anext(coming)
            reason = "no ticket"
            call = self._tickets.redeem(str(UUID(bytes=first.payload))) if first.kind == TICKET else None
            if call is not None:
                return AsteriskLeg(call.caller_id, call.called, writer)
        except (TimeoutError, StopAsyncIteration):
            pass
        except BadFrame as error:
            reason = str(error)
        _report.warning("sound_refused", reason=reason, peer=str(writer.get_extra_info("peername")))
        return None

    async def _hold(self, leg: AsteriskLeg) -> None:
        try:
            await self._pace.hold(leg, leg.send_frame, self._on_call)
        finally:
            self.legs.discard(leg)

    async def _receive(self, leg: AsteriskLeg, coming: AsyncGenerator[Frame]) -> None:
        try:
            async for frame in coming:
                leg.take_frame(frame)
                if leg.over.is_set():
                    return
            leg.ended("caller")
        except BadFrame as error:
            _report.warning("sound_broken", call_id=leg.call_id, reason=str(error))
        finally:
            leg.ended("failure")
