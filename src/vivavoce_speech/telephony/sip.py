"""A SIP answerer for laboratories and tests: it takes calls over UDP and carries their sound by RTP.

It stands on loopback or behind a telephone exchange, which has trunk, encryption and the world outside.

Source  RFC 3261 section 13.3 (a server's side of a call)
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Final

import structlog
from sipmessage import Address, Request

from vivavoce_speech.telephony.sdp import NoCommonSound, read_offer
from vivavoce_speech.telephony.sip_endpoint import T1_S, T2_S, SipEndpoint, Source, transaction_of
from vivavoce_speech.telephony.sip_leg import SipLeg

GIVE_UP_S: Final = 32.0

OnCall = Callable[[SipLeg], Awaitable[None]]

_report = structlog.get_logger("vivavoce.telephony")


class SipAnswerer(SipEndpoint):
    """Takes calls and hands each to `on_call`; when that returns, the call is hung up.

    host, port, advertised   as for `SipEndpoint`
    at_once                  more calls than these find it busy
    """

    def __init__(
        self,
        on_call: OnCall,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        advertised: str | None = None,
        at_once: int = 100,
    ) -> None:
        super().__init__(host=host, port=port, advertised=advertised)
        self.at_once, self._on_call = at_once, on_call

    def invited(self, request: Request, source: Source) -> None:
        """Take a new call, unless all lines are busy or it has no sound that we can carry."""
        if len(self._calls) >= self.at_once:
            self._reply(request, source, 486)
            return
        try:
            offer = read_offer(request.body.decode("utf-8", "replace"))
        except NoCommonSound as error:
            _report.info("call_not_acceptable", reason=str(error))
            self._reply(request, source, 488)
            return
        caller, called = request.from_address, request.to_address
        target = (request.contact or [caller])[0].uri
        leg = SipLeg(
            offer,
            caller_id=_number(caller),
            called=request.uri.user or _number(called),
            local_tag=secrets.token_hex(6),
            sip_call_id=request.call_id,
            on_bye=self._bye,
        )
        leg.bye_to = source
        leg.bye_headers = (target, called, caller, request.headers.getlist("Record-Route"))
        self._calls[request.call_id] = leg
        self._reply(request, source, 100)
        self.begin(self._take(leg, request, source))

    async def _take(self, leg: SipLeg, request: Request, source: Source) -> None:
        """A call from its answer to its end."""
        try:
            await leg.open(self.host)
            self._accept(leg, request, source)
            self.begin(self._until_confirmed(leg, transaction_of(request), source))
            self.pace.join(leg, leg.send_frame)
            await self._on_call(leg)
            await leg.hang_up()
        except Exception as error:
            _report.exception("call_failed", call_id=leg.call_id, error=repr(error))
            leg.ended("failure")
            await self._bye(leg)
        finally:
            self.pace.leave(leg)
            leg.close()
            self._calls.pop(request.call_id, None)

    async def _until_confirmed(self, leg: SipLeg, key: tuple[str, str], source: Source) -> None:
        """Repeat the answer until the caller confirms it (RFC 3261, 13.3.1.4)."""
        pause_s, waited_s = T1_S, 0.0
        while waited_s < GIVE_UP_S and not leg.over.is_set():
            try:
                await asyncio.wait_for(leg.confirmed.wait(), pause_s)
                return
            except TimeoutError:
                waited_s += pause_s
                pause_s = min(2 * pause_s, T2_S)
                if key in self._answers:
                    self._transport.sendto(self._answers[key], source)
        await leg.hang_up()


def _number(address: Address) -> str:
    """A telephone number or name out of an address; "" where the caller hides it."""
    user = address.uri.user or ""
    return "" if user.lower() in ("anonymous", "restricted", "unavailable") else user
