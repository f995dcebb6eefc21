"""One end of SIP over UDP: what is the same whether others call us or we call them.

It reads datagrams, answers what is asked in a call (goodbye, hold, keys) and outside of one, says goodbye,
and keeps the beat of the sound. Whatever arrives, it goes on: a message that cannot be read is dropped, one
that makes no sense gets the error that RFC 3261 has for it.

Source  RFC 3261 sections 8.2, 9.2, 11.2, 12.2, 15.1, 17.2 (over UDP), RFC 3581 (rport)
"""

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Coroutine
from typing import Any, Final

import structlog
from sipmessage import URI, Address, CSeq, Message, Request, Response, Via

from vivavoce_speech.telephony.frame_clock import FrameClock
from vivavoce_speech.telephony.sdp import NoCommonSound, read_offer, write_answer
from vivavoce_speech.telephony.sip_leg import SipLeg

ALLOWED: Final = "INVITE, ACK, BYE, CANCEL, OPTIONS, INFO"
T1_S: Final = 0.5
T2_S: Final = 4.0
REMEMBERED: Final = 2000
_PHRASES: Final = {
    100: "Trying",
    180: "Ringing",
    200: "OK",
    400: "Bad Request",
    405: "Method Not Allowed",
    481: "Call/Transaction Does Not Exist",
    486: "Busy Here",
    488: "Not Acceptable Here",
    500: "Server Internal Error",
}

Source = tuple[Any, ...]

_report = structlog.get_logger("vivavoce.telephony")


class SipEndpoint(asyncio.DatagramProtocol):
    """Base of the answerer and the caller; `invited` handles a new call.

    host, port   where it listens; port 0: any free one
    advertised   the address that others are told, where it is another than the one listened on
    """

    def __init__(self, *, host: str = "127.0.0.1", port: int = 0, advertised: str | None = None) -> None:
        self.host, self.port, self.advertised = host, port, advertised or host
        self.pace = FrameClock()
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
        await self.pace.stop()
        self._transport.close()

    @property
    def calls(self) -> int:
        """Number of active calls."""
        return len(self._calls)

    @property
    def where(self) -> str:
        """Host and port that others are told."""
        return f"{bracketed(self.advertised)}:{self.port}"

    # --- for who takes or makes calls -----------------------------------------------------------------

    def invited(self, request: Request, source: Source) -> None:
        """A new call; refused where nobody takes calls."""
        self._reply(request, source, 486)

    def answered(self, response: Response, source: Source) -> None:
        """An answer to something that was asked by us."""
        leg = self._calls.get(response.call_id)
        if leg is not None and response.cseq.method == "BYE":
            leg.bye_answered.set()

    # --- datagrams ------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]
        self.port = transport.get_extra_info("sockname")[1]

    def datagram_received(self, data: bytes, addr: Source) -> None:
        try:
            message = Message.parse(data)
            if isinstance(message, Response):
                self.answered(message, addr)
            else:
                self._asked(message, addr)
        except Exception as error:  # nothing that a stranger sends may stop the other calls
            _report.debug("sip_dropped", error=repr(error), bytes=len(data))

    def error_received(self, exc: Exception) -> None:
        _report.debug("sip_unreachable", error=repr(exc))

    def _asked(self, request: Request, source: Source) -> None:
        key = transaction_of(request)
        if request.method != "ACK" and key in self._answers:
            self._transport.sendto(self._answers[key], source)
            return
        handlers = {
            "INVITE": self._invited,
            "ACK": self._confirmed,
            "BYE": self._said_goodbye,
            "CANCEL": self._cancelled,
            "OPTIONS": self._asked_for_options,
            "INFO": self._informed,
        }
        handler = handlers.get(request.method)
        if handler is None:
            self._reply(request, source, 405)
        else:
            handler(request, source)

    # --- requests -------------------------------------------------------------------------------------

    def _invited(self, request: Request, source: Source) -> None:
        leg = self._calls.get(request.call_id)
        if leg is None:
            self.invited(request, source)
        else:  # another offer in the same call: a hold, or another address
            self._offered_again(leg, request, source)

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

    def _accept(self, leg: SipLeg, request: Request, source: Source) -> None:
        sdp = write_answer(leg.offer, self.advertised, leg.port, leg.session)
        self._reply(
            request, source, 200, ("Content-Type", "application/sdp"), body=sdp.encode(), tag=leg.local_tag
        )

    # --- what we ask ----------------------------------------------------------------------------------

    def _request(
        self,
        method: str,
        uri: URI,
        *,
        ours: Address,
        theirs: Address,
        call_id: str,
        number: int,
        branch: str | None = None,
    ) -> Request:
        """A request with the headers that each must have; body and its length are added by the caller."""
        request = Request(method, uri)
        branch = branch or f"z9hG4bK{secrets.token_hex(8)}"
        request.headers.add("Via", f"SIP/2.0/UDP {self.where};branch={branch};rport")
        request.headers.add("Max-Forwards", "70")
        request.from_address, request.to_address = ours, theirs
        request.call_id, request.cseq = call_id, CSeq(number, method)
        request.content_length = 0
        return request

    async def _bye(self, leg: SipLeg) -> None:
        """Say goodbye until it is answered."""
        if not leg.bye_headers:
            return
        target, ours, theirs, route = leg.bye_headers
        ours = Address(ours.uri, ours.name, ours.parameters.replace(tag=leg.local_tag))
        request = self._request(
            "BYE", target, ours=ours, theirs=theirs, call_id=leg.sip_call_id, number=leg.next_number
        )
        for hop in route:
            request.headers.add("Route", hop)
        pause_s, waited_s = T1_S, 0.0
        while waited_s < T1_S * 15 and not leg.bye_answered.is_set() and not self._transport.is_closing():
            self._transport.sendto(bytes(request), leg.bye_to)
            try:
                await asyncio.wait_for(leg.bye_answered.wait(), pause_s)
            except TimeoutError:
                waited_s += pause_s
                pause_s = min(2 * pause_s, T2_S)

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Let something go on in the background until it is done, or until all stops."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- replies --------------------------------------------------------------------------------------

    def _reply(
        self,
        request: Request,
        source: Source,
        code: int,
        *headers: tuple[str, str],
        body: bytes = b"",
        tag: str | None = None,
    ) -> None:
        response = Response(code, _PHRASES[code], body)
        vias = request.via
        first = vias[0].parameters.replace(received=str(source[0]))
        if "rport" in first:
            first = first.replace(rport=str(source[1]))
        vias[0] = Via(vias[0].transport, vias[0].host, vias[0].port, first)
        response.via = vias
        for hop in request.headers.getlist("Record-Route"):
            response.headers.add("Record-Route", hop)
        response.from_address = request.from_address
        to = request.to_address
        if code != 100 and "tag" not in to.parameters:
            to = Address(to.uri, to.name, to.parameters.replace(tag=tag or secrets.token_hex(6)))
        response.to_address, response.call_id, response.cseq = to, request.call_id, request.cseq
        response.headers.add("Allow", ALLOWED)
        response.contact = [self.contact]
        for name, value in headers:
            response.headers.add(name, value)
        response.content_length = len(body)
        data = bytes(response)
        self._answers[transaction_of(request)] = data
        while len(self._answers) > REMEMBERED:
            self._answers.popitem(last=False)
        self._transport.sendto(data, source)

    @property
    def contact(self) -> Address:
        """Our address for the requests of a call."""
        return Address(URI("sip", bracketed(self.advertised), "vivavoce", port=self.port))


def transaction_of(request: Request) -> tuple[str, str]:
    """Key shared by all repetitions of a request (RFC 3261, 17.2.3)."""
    via = request.via[0]
    branch = via.parameters.get("branch") or f"{request.call_id}:{request.cseq}"
    return f"{via.host}:{via.port}:{branch}", request.method


def bracketed(host: str) -> str:
    """A host as it stands in an address: version 6 in brackets."""
    return f"[{host}]" if ":" in host else host
