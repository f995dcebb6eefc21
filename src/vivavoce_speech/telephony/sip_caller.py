"""A SIP caller: it calls telephones over UDP, by an exchange or directly; who answers becomes a leg.

A call that does not come about has one of a few outcomes, so that who asked for it can be told which.

Source  RFC 3261 sections 9.1 (cancelling), 12.1.2, 13.2, 17.1 (a client over UDP), 22 (authentication)
"""

import asyncio
import re
import secrets
import socket
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import structlog
from sipmessage import URI, Address, Parameters, Request, Response

from vivavoce_speech.telephony.g711 import PCMU
from vivavoce_speech.telephony.sdp import NoCommonSound, SoundOffer, read_offer, write_offer
from vivavoce_speech.telephony.sip_auth import Credentials, authorization
from vivavoce_speech.telephony.sip_endpoint import REMEMBERED, T1_S, T2_S, SipEndpoint, Source
from vivavoce_speech.telephony.sip_leg import SipLeg

KEY_TYPE: Final = 101
REACH_S: Final = 8.0  # nobody said anything at all: there is nobody
CANCEL_S: Final = 8.0
CHALLENGES: Final = 2
_NUMBER: Final = re.compile(r"\+?[0-9*#]{1,32}")

Outcome = Literal["busy", "no_answer", "declined", "unreachable", "refused"]

_OUTCOMES: Final[dict[int, Outcome]] = {
    401: "refused",
    402: "refused",
    403: "refused",
    407: "refused",
    433: "refused",
    408: "no_answer",
    480: "no_answer",
    487: "no_answer",
    486: "busy",
    600: "busy",
    603: "declined",
    607: "declined",
    608: "declined",
}

_report = structlog.get_logger("vivavoce.telephony")


class NotAnswered(Exception):
    """A call did not come about; `outcome` says why, `detail` in the exchange's words.

    busy         somebody else is being talked to
    no_answer    nobody took the call in time, or nobody is there
    declined     somebody refused to take it
    unreachable  no such number, or nothing there speaks SIP with sound that we can carry
    refused      the exchange does not let us call: who we are, or where we call, does not suit it
    """

    def __init__(self, outcome: Outcome, detail: str) -> None:
        self.outcome: Outcome = outcome
        self.detail = detail
        super().__init__(f"{outcome}: {detail}")


@dataclass(frozen=True, slots=True)
class SipLine:
    """Route of our outgoing calls.

    exchange     HOST:PORT that gets all calls; None: each call goes to the host in its address
    caller_id    number or name that is shown to who is called
    credentials  what the exchange may ask for
    """

    exchange: str | None = None
    caller_id: str = "vivavoce"
    credentials: Credentials | None = None


class _Answer(NamedTuple):
    response: Response
    source: Source


class SipCaller(SipEndpoint):
    """Makes calls; who calls here finds it busy."""

    def __init__(self, *, host: str = "127.0.0.1", port: int = 0, advertised: str | None = None) -> None:
        super().__init__(host=host, port=port, advertised=advertised)
        self._waiting: dict[str, asyncio.Queue[_Answer]] = {}
        self._confirmations: OrderedDict[tuple[str, str], tuple[bytes, Source]] = OrderedDict()

    async def call(
        self,
        number: str,
        line: SipLine = SipLine(),
        *,
        ring_s: float = 45.0,
        reach_s: float = REACH_S,
        on_ringing: Callable[[], None] = lambda: None,
    ) -> SipLeg:
        """Call a number or SIP address and wait until somebody answers; who is cancelled meanwhile hangs up.

        Raises  NotAnswered
        """
        dialling = await _Dialling.of(self, number, line)
        leg = SipLeg(
            SoundOffer("0.0.0.0", 9, PCMU, KEY_TYPE),  # until it is agreed on
            caller_id=number,
            called=number,
            local_tag=dialling.tag,
            sip_call_id=dialling.call_id,
            on_bye=self._gone,
        )
        await leg.open(self.host)
        try:
            answer = await dialling.until_answered(leg, ring_s, reach_s, on_ringing)
            self.confirmed(leg, answer, dialling)
            self._agree(leg, answer)
        except BaseException:
            leg.ended("failure")
            leg.close()
            raise
        self.pace.join(leg, leg.send_frame)
        self.begin(self._tend(leg))
        return leg

    async def ask(self, number: str, line: SipLine = SipLine(), *, reach_s: float = REACH_S) -> int:
        """The code with which a number, or its exchange, answers OPTIONS; no telephone rings.

        Raises  NotAnswered: `unreachable`
        """
        dialling = await _Dialling.of(self, number, line)
        answer = await dialling.asked(reach_s)
        return answer.response.code

    # --- a call that was answered ---------------------------------------------------------------------

    def confirmed(self, leg: SipLeg, answer: _Answer, dialling: "_Dialling") -> None:
        """Confirm the answer that accepts a call; from now on it has to be ended by a goodbye."""
        response, source = answer
        contact = response.contact
        target = contact[0].uri if contact else dialling.uri
        route = response.headers.getlist("Record-Route")[::-1]
        leg.bye_to, leg.bye_headers = source, (target, dialling.ours, response.to_address, route)
        leg.next_number = dialling.number + 1
        confirmation = self._request(
            "ACK",
            target,
            ours=dialling.ours,
            theirs=response.to_address,
            call_id=dialling.call_id,
            number=dialling.number,
        )
        for hop in route:
            confirmation.headers.add("Route", hop)
        self._calls[leg.sip_call_id] = leg
        self.confirm((dialling.call_id, str(dialling.number)), confirmation, source)

    def _agree(self, leg: SipLeg, answer: _Answer) -> None:
        """Begin the sound; an answer without sound that suits us is hung up on."""
        try:
            leg.agreed(read_offer(answer.response.body.decode("utf-8", "replace")))
        except NoCommonSound as error:
            self.begin(self.leave(leg))
            raise NotAnswered("unreachable", str(error)) from None

    async def leave(self, leg: SipLeg) -> None:
        """Say goodbye in a call in which nothing was heard."""
        await self._bye(leg)
        self._calls.pop(leg.sip_call_id, None)

    async def _tend(self, leg: SipLeg) -> None:
        """See a call to its end."""
        try:
            await leg.over.wait()
            self.pace.leave(leg)
            if leg.ended_by != "caller":
                await self._bye(leg)
        finally:
            self.pace.leave(leg)
            leg.close()
            self._calls.pop(leg.sip_call_id, None)
            leg.gone.set()

    async def _gone(self, leg: SipLeg) -> None:
        await leg.gone.wait()

    # --- answers --------------------------------------------------------------------------------------

    def answered(self, response: Response, source: Source) -> None:
        """An answer goes to who waits for it; a repeated one is confirmed once more."""
        branch = str(response.via[0].parameters.get("branch"))
        waiting = self._waiting.get(branch)
        if response.cseq.method == "INVITE" and response.code >= 200:
            key = (response.call_id, str(response.cseq.sequence))
            if key in self._confirmations:
                self._transport.sendto(*self._confirmations[key])
                return
        if waiting is not None:
            waiting.put_nowait(_Answer(response, source))
        else:
            super().answered(response, source)

    def confirm(self, key: tuple[str, str], confirmation: Request, to: Source) -> None:
        """Send an ACK, and again whenever the answer that it confirms is repeated."""
        self._confirmations[key] = (bytes(confirmation), to)
        while len(self._confirmations) > REMEMBERED:
            self._confirmations.popitem(last=False)
        self._transport.sendto(bytes(confirmation), to)

    def waiting(self, branch: str) -> asyncio.Queue[_Answer]:
        """Queue of the answers to a request."""
        return self._waiting.setdefault(branch, asyncio.Queue())

    def forget(self, branch: str) -> None:
        self._waiting.pop(branch, None)

    def send(self, data: bytes, to: Source) -> None:
        if not self._transport.is_closing():
            self._transport.sendto(data, to)

    def request(self, method: str, dialling: "_Dialling", branch: str) -> Request:
        """A request outside of or at the beginning of a call."""
        request = self._request(
            method,
            dialling.uri,
            ours=dialling.ours,
            theirs=Address(dialling.uri),
            call_id=dialling.call_id,
            number=dialling.number,
            branch=branch,
        )
        request.contact = [self.contact]
        return request


class _Dialling:
    """One attempt to call, from the first request to the final answer."""

    def __init__(self, caller: SipCaller, uri: URI, to: Source, line: SipLine) -> None:
        self._caller, self.uri, self._to, self._line = caller, uri, to, line
        self.call_id, self.tag, self.number = f"{secrets.token_hex(12)}@vivavoce", secrets.token_hex(6), 1
        self.ours = Address(URI("sip", uri.host, line.caller_id), parameters=Parameters(tag=self.tag))
        self._branch = ""

    @classmethod
    async def of(cls, caller: SipCaller, number: str, line: SipLine) -> "_Dialling":
        """Raises NotAnswered: no address, or one that nobody has."""
        uri = address_of(number, line)
        host, _, port = (line.exchange or "").rpartition(":") if line.exchange else ("", "", "")
        host, port = host or uri.host, int(port) if port else (uri.port or 5060)
        try:
            family = socket.AF_INET6 if ":" in caller.host else socket.AF_INET
            addresses = await asyncio.get_running_loop().getaddrinfo(host.strip("[]"), port, family=family)
        except (OSError, OverflowError, UnicodeError) as error:
            raise NotAnswered("unreachable", f"{host}: {getattr(error, 'strerror', None) or error}") from None
        return cls(caller, uri, addresses[0][4], line)

    async def until_answered(
        self, leg: SipLeg, ring_s: float, reach_s: float, on_ringing: Callable[[], None]
    ) -> _Answer:
        """The answer that accepts the call. Raises NotAnswered."""
        offer = write_offer(self._caller.advertised, leg.port, leg.session, KEY_TYPE).encode()
        header: tuple[str, str] | None = None
        for _ in range(CHALLENGES):
            answer = await self._invite(leg, offer, header, ring_s, reach_s, on_ringing)
            header = self._authorized(answer.response, "INVITE")
            if header is None:
                return self._accepted(answer)
            self.number += 1
        return self._accepted(await self._invite(leg, offer, header, ring_s, reach_s, on_ringing))

    @staticmethod
    def _accepted(answer: _Answer) -> _Answer:
        code = answer.response.code
        if code >= 300:
            raise NotAnswered(_OUTCOMES.get(code, "unreachable"), f"{code} {answer.response.phrase}")
        return answer

    async def asked(self, reach_s: float) -> _Answer:
        """The answer to OPTIONS. Raises NotAnswered."""
        branch = f"z9hG4bK{secrets.token_hex(8)}"
        data = bytes(self._caller.request("OPTIONS", self, branch))
        answers = self._caller.waiting(branch)
        try:
            answer = await self._repeated(data, answers, reach_s)
            while answer.response.code < 200:
                answer = await asyncio.wait_for(answers.get(), reach_s)
            return answer
        except TimeoutError:
            raise NotAnswered("unreachable", f"no answer from the server within {reach_s:g} s") from None
        finally:
            self._caller.forget(branch)

    async def _invite(
        self,
        leg: SipLeg,
        offer: bytes,
        header: tuple[str, str] | None,
        ring_s: float,
        reach_s: float,
        on_ringing: Callable[[], None],
    ) -> _Answer:
        """Invite once; the final answer. Raises NotAnswered."""
        self._branch = branch = f"z9hG4bK{secrets.token_hex(8)}"
        request = self._caller.request("INVITE", self, branch)
        request.headers.add("Allow", "INVITE, ACK, BYE, CANCEL, OPTIONS, INFO")
        if header is not None:
            request.headers.add(*header)
        request.headers.add("Content-Type", "application/sdp")
        request.body, request.content_length = offer, len(offer)
        answers = self._caller.waiting(branch)
        try:
            answer = await self._repeated(bytes(request), answers, reach_s)
        except TimeoutError:
            self._caller.forget(branch)
            raise NotAnswered("unreachable", f"no answer from the server within {reach_s:g} s") from None
        except asyncio.CancelledError:
            self._caller.begin(self._cancel(leg, answers))
            raise
        try:
            async with asyncio.timeout(ring_s):
                while answer.response.code < 200:
                    if answer.response.code > 100:
                        on_ringing()
                    answer = await answers.get()
        except (TimeoutError, asyncio.CancelledError) as error:
            self._caller.begin(self._cancel(leg, answers))
            if isinstance(error, TimeoutError):
                raise NotAnswered("no_answer", f"the call was not answered within {ring_s:g} s") from None
            raise
        self._caller.forget(branch)
        if answer.response.code >= 300:
            self._confirm_refusal(answer)
        return answer

    async def _repeated(self, data: bytes, answers: asyncio.Queue[_Answer], reach_s: float) -> _Answer:
        """Send until something is answered. Raises TimeoutError."""
        pause_s, waited_s = T1_S, 0.0
        while True:
            self._caller.send(data, self._to)
            left_s = min(pause_s, reach_s - waited_s)
            try:
                return await asyncio.wait_for(answers.get(), left_s)
            except TimeoutError:
                waited_s += left_s
                pause_s = min(2 * pause_s, T2_S)
                if waited_s >= reach_s:
                    raise

    def _confirm_refusal(self, answer: _Answer) -> None:
        """A refusal is confirmed on the way on which the invitation went (RFC 3261, 17.1.1.3)."""
        confirmation = self._caller.request("ACK", self, self._branch)
        confirmation.to_address = answer.response.to_address
        self._caller.confirm((self.call_id, str(self.number)), confirmation, self._to)

    async def _cancel(self, leg: SipLeg, answers: asyncio.Queue[_Answer]) -> None:
        """Take the invitation back; who answered at the same moment is hung up on."""
        branch = self._branch
        data = bytes(self._caller.request("CANCEL", self, branch))
        try:
            async with asyncio.timeout(CANCEL_S):
                pause_s = T1_S
                while True:
                    self._caller.send(data, self._to)
                    answer = await self._final(answers, pause_s)
                    pause_s = min(2 * pause_s, T2_S)
                    if answer is not None:
                        break
        except TimeoutError:
            _report.info("cancel_not_answered", call_id=self.call_id)
            return
        finally:
            self._caller.forget(branch)
        if answer.response.code >= 300:
            self._confirm_refusal(answer)
        else:
            self._caller.confirmed(leg, answer, self)
            await self._caller.leave(leg)

    async def _final(self, answers: asyncio.Queue[_Answer], limit_s: float) -> _Answer | None:
        """The final answer to the invitation, if it comes in time; answers to CANCEL share its queue."""
        try:
            async with asyncio.timeout(limit_s):
                while True:
                    answer = await answers.get()
                    if answer.response.cseq.method == "INVITE" and answer.response.code >= 200:
                        return answer
        except TimeoutError:
            return None

    def _authorized(self, response: Response, method: str) -> tuple[str, str] | None:
        """The header that answers a challenge; None where there is none, or we have nothing to show."""
        names = {
            401: ("WWW-Authenticate", "Authorization"),
            407: ("Proxy-Authenticate", "Proxy-Authorization"),
        }
        if response.code not in names or self._line.credentials is None:
            return None
        challenge_header, response_header = names[response.code]
        challenges = response.headers.getlist(challenge_header)
        value = authorization(challenges, self._line.credentials, method, str(self.uri))
        return (response_header, value) if value is not None else None


def address_of(number: str, line: SipLine) -> URI:
    """The SIP address of a number: as it is written, or the number at the exchange.

    Raises  NotAnswered: it is none, or a number without an exchange
    """
    if number.startswith(("sip:", "sips:")):
        try:
            uri = URI.parse(number)
        except ValueError:
            raise NotAnswered("unreachable", "invalid SIP address") from None
        if uri.scheme != "sip" or not uri.host or not 0 < (uri.port or 5060) < 65536:
            raise NotAnswered("unreachable", "only plain SIP addresses are supported")
        return uri
    if not _NUMBER.fullmatch(number):
        raise NotAnswered("unreachable", "invalid telephone number")
    if line.exchange is None:
        raise NotAnswered("unreachable", "calling a number needs an exchange")
    host, _, port = line.exchange.rpartition(":")
    return URI("sip", host, number, port=int(port))
