"""A SIP answerer for laboratories and tests: it takes calls over UDP and carries their sound by RTP.

It stands on loopback or behind a telephone exchange, which has trunk, encryption and the world outside.
Whatever arrives, it goes on: a message that cannot be read is dropped, one that makes no sense gets the error
that RFC 3261 has for it.

Source  RFC 3261 sections 8.2, 9.2, 11.2, 13.3, 15.1.2, 17.2 (a server over UDP), RFC 3581 (rport)
"""

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any, Final

import structlog
from sipmessage import URI, Address, CSeq, Message, Request, Response, Via

from vivavoce.telephony.pace import Pace
from vivavoce.telephony.sdp import NoCommonSound, read_offer, write_answer
from vivavoce.telephony.sip_leg import SipLeg

ALLOWED: Final = "INVITE, ACK, BYE, CANCEL, OPTIONS, INFO"
T1_S: Final = 0.5
T2_S: Final = 4.0
GIVE_UP_S: Final = 32.0
REMEMBERED: Final = 2000
_PHRASES: Final = {
    100: "Trying", 180: "Ringing", 200: "OK", 400: "Bad Request", 405: "Method Not Allowed",
    481: "Call/Transaction Does Not Exist", 486: "Busy Here", 488: "Not Acceptable Here",
    500: "Server Internal Error",
}  # fmt: skip

Source = tuple[Any, ...]
OnCall = Callable[[SipLeg], Awaitable[None]]

_report = structlog.get_logger("vivavoce.telephony")


class SipAnswerer(asyncio.DatagramProtocol):
    """Takes calls and hands each to `on_call`; when that returns, the call is hung up.

    host, port   where it listens; port 0: any free one
    advertised   the address that callers are told, where it is another than the one listened on
    at_once      more calls than these find it busy
    """

    def __init__(
        self, on_call: OnCall, *, host: str = "127.0.0.1", port: int = 0, advertised: str | None = None,
        at_once: int = 100,
    ) -> None:  # fmt: skip
        self.host, self.port, self.advertised, self.at_once = host, port, advertised or host, at_once
        self._on_call = on_call
        self._pace = Pace()
        self._calls: dict[str, SipLeg] = {}
        self._answers: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()
        self._transport: asyncio.DatagramTransport

    async def start(self) -> None:
        loop = asyncio.get_running_loop()
        await loop.create_datagram_endpoint(lambda: self, local_addr=(self.host, self.port))

    async def stop(self) -> None:
        """Hang up every call and wait until what was said in it is dealt with."""
        await asyncio.gather(*(leg.hang_up() for leg in list(self._calls.values())))
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=10)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._pace.stop()
        self._transport.close()

    @property
    def calls(self) -> int:
        """How many calls there are now."""
        return len(self._calls)

    # --- datagrams ------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]
        self.port = transport.get_extra_info("sockname")[1]

    def datagram_received(self, data: bytes, addr: Source) -> None:
        try:
            message = Message.parse(data)
            if isinstance(message, Response):
                self._answered(message)
            else:
                self._asked(message, addr)
        except Exception as error:  # nothing that a stranger sends may stop the other calls
            _report.debug("sip_dropped", error=repr(error), bytes=len(data))

    def error_received(self, exc: Exception) -> None:
        _report.debug("sip_unreachable", error=repr(exc))

    def _answered(self, response: Response) -> None:
        leg = self._calls.get(response.call_id)
        if leg is not None and response.cseq.method == "BYE":
            leg.bye_answered.set()

    def _asked(self, request: Request, source: Source) -> None:
        key = _transaction(request)
        if request.method != "ACK" and key in self._answers:
            self._transport.sendto(self._answers[key], source)
            return
        handlers = {"INVITE": self._invited, "ACK": self._confirmed, "BYE": self._said_goodbye,
                    "CANCEL": self._cancelled, "OPTIONS": self._asked_for_options,
                    "INFO": self._informed}  # fmt: skip
        handler = handlers.get(request.method)
        if handler is None:
            self._reply(request, source, 405)
        else:
            handler(request, source)

    # --- requests -------------------------------------------------------------------------------------

    def _invited(self, request: Request, source: Source) -> None:
        leg = self._calls.get(request.call_id)
        if leg is not None:  # another offer in the same call: a hold, or another address
            self._offered_again(leg, request, source)
            return
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
            offer, caller_id=_number(caller), called=request.uri.user or _number(called),
            local_tag=secrets.token_hex(6), sip_call_id=request.call_id, on_bye=self._bye,
        )  # fmt: skip
        leg.bye_to = source
        leg.bye_headers = (target, called, caller, request.headers.getlist("Record-Route"))
        self._calls[request.call_id] = leg
        self._reply(request, source, 100)
        self._start(self._take(leg, request, source))

    def _confirmed(self, request: Request, source: Source) -> None:
        leg = self._calls.get(request.call_id)
        if leg is not None:
            leg.confirmed.set()

    def _said_goodbye(self, request: Request, source: Source) -> None:
        leg = self._calls.get(request.call_id)
        if leg is None:
            self._reply(request, source, 481)
            return
        self._reply(request, source, 200)
        leg.confirmed.set()
        leg.ended("caller")

    def _cancelled(self, request: Request, source: Source) -> None:
        """Calls are answered at once, so there is nothing left to cancel; the caller then says goodbye."""
        self._reply(request, source, 200 if request.call_id in self._calls else 481)

    def _asked_for_options(self, request: Request, source: Source) -> None:
        self._reply(request, source, 200, ("Accept", "application/sdp"))

    def _informed(self, request: Request, source: Source) -> None:
        leg = self._calls.get(request.call_id)
        self._reply(request, source, 200 if leg is not None else 481)
        for line in request.body.decode("utf-8", "replace").splitlines():
            name, _, value = line.partition("=")
            if leg is not None and name.strip().lower() == "signal" and value.strip()[:1]:
                leg.take_key(value.strip()[:1])

    def _offered_again(self, leg: SipLeg, request: Request, source: Source) -> None:
        if request.body:
            try:
                leg.offer = read_offer(request.body.decode("utf-8", "replace"))
            except NoCommonSound:
                self._reply(request, source, 488)
                return
        self._accept(leg, request, source)

    # --- a call ---------------------------------------------------------------------------------------

    async def _take(self, leg: SipLeg, request: Request, source: Source) -> None:
        """A call from its answer to its end."""
        try:
            await leg.open(self.host)
            self._accept(leg, request, source)
            self._start(self._until_confirmed(leg, _transaction(request), source))
            self._pace.join(leg, leg.send_frame)
            await self._on_call(leg)
            await leg.hang_up()
        except Exception as error:
            _report.exception("call_failed", call_id=leg.call_id, error=repr(error))
            leg.ended("failure")
            await self._bye(leg)
        finally:
            self._pace.leave(leg)
            leg.close()
            self._calls.pop(request.call_id, None)

    def _accept(self, leg: SipLeg, request: Request, source: Source) -> None:
        sdp = write_answer(leg.offer, self.advertised, leg.port, leg.session)
        self._reply(request, source, 200, ("Content-Type", "application/sdp"), body=sdp.encode(),
                    tag=leg.local_tag)  # fmt: skip

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

    async def _bye(self, leg: SipLeg) -> None:
        """Say goodbye until it is answered."""
        if not leg.bye_headers:
            return
        target, ours, theirs, route = leg.bye_headers
        request = Request("BYE", target)
        branch = f"z9hG4bK{secrets.token_hex(8)}"
        where = f"{_bracketed(self.advertised)}:{self.port}"
        request.headers.add("Via", f"SIP/2.0/UDP {where};branch={branch};rport")
        for one in route:
            request.headers.add("Route", one)
        request.headers.add("Max-Forwards", "70")
        ours = Address(ours.uri, ours.name, ours.parameters.replace(tag=leg.local_tag))
        request.from_address, request.to_address = ours, theirs
        request.call_id, request.cseq = leg.sip_call_id, CSeq(1, "BYE")
        request.content_length = 0
        pause_s, waited_s = T1_S, 0.0
        while waited_s < T1_S * 15 and not leg.bye_answered.is_set() and not self._transport.is_closing():
            self._transport.sendto(bytes(request), leg.bye_to)
            try:
                await asyncio.wait_for(leg.bye_answered.wait(), pause_s)
            except TimeoutError:
                waited_s += pause_s
                pause_s = min(2 * pause_s, T2_S)

    def _start(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- replies --------------------------------------------------------------------------------------

    def _reply(
        self, request: Request, source: Source, code: int, *headers: tuple[str, str], body: bytes = b"",
        tag: str | None = None,
    ) -> None:  # fmt: skip
        response = Response(code, _PHRASES[code], body)
        vias = request.via
        first = vias[0].parameters.replace(received=str(source[0]))
        if "rport" in first:
            first = first.replace(rport=str(source[1]))
        vias[0] = Via(vias[0].transport, vias[0].host, vias[0].port, first)
        response.via = vias
        for one in request.headers.getlist("Record-Route"):
            response.headers.add("Record-Route", one)
        response.from_address = request.from_address
        to = request.to_address
        if code != 100 and "tag" not in to.parameters:
            to = Address(to.uri, to.name, to.parameters.replace(tag=tag or secrets.token_hex(6)))
        response.to_address, response.call_id, response.cseq = to, request.call_id, request.cseq
        response.headers.add("Allow", ALLOWED)
        response.contact = [Address(URI("sip", _bracketed(self.advertised), "vivavoce", port=self.port))]
        for name, value in headers:
            response.headers.add(name, value)
        response.content_length = len(body)
        data = bytes(response)
        self._answers[_transaction(request)] = data
        while len(self._answers) > REMEMBERED:
            self._answers.popitem(last=False)
        self._transport.sendto(data, source)


def _transaction(request: Request) -> tuple[str, str]:
    """What is the same in every repetition of a request (RFC 3261, 17.2.3)."""
    via = request.via[0]
    branch = via.parameters.get("branch") or f"{request.call_id}:{request.cseq}"
    return f"{via.host}:{via.port}:{branch}", request.method


def _number(address: Address) -> str:
    """A telephone number or name out of an address; "" where the caller hides it."""
    user = address.uri.user or ""
    return "" if user.lower() in ("anonymous", "restricted", "unavailable") else user


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
