"""Calls that an Asterisk beside us takes: it owns trunk, encryption and the world outside.

For each call its dial plan asks us for a ticket, answers, and shows the ticket on a connection for the
sound. Both of our ports are for Asterisk alone: who reaches them can make calls, so they stand on
loopback.

Source  Asterisk documentation: "AudioSocket", "Asterisk Gateway Interface (AGI)"
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Final
from uuid import UUID, uuid4

import structlog

from vivavoce_speech.telephony.asterisk_leg import AsteriskLeg
from vivavoce_speech.telephony.audio_socket import TICKET, BadFrame, Frame, frames
from vivavoce_speech.telephony.fast_agi import FastAgi
from vivavoce_speech.telephony.frame_clock import FrameClock
from vivavoce_speech.telephony.leg import PhoneLeg
from vivavoce_speech.telephony.tcp_server import TcpServer
from vivavoce_speech.telephony.tickets import Tickets

START_S: Final = 10.0
UNKNOWN_AT_ONCE: Final = 50  # connections that have not shown a ticket yet

OnCall = Callable[[PhoneLeg], Awaitable[None]]

_report = structlog.get_logger("vivavoce.telephony")


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
        """How many calls there are now."""
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
        reason = "ended before its ticket"
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
