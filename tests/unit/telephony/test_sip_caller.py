"""The SIP caller: real telephones are called, refusals have names, and nothing that comes back stops it."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sipmessage import Message, Request, Response

from scenes.patience import PATIENCE_S, eventually_there
from scenes.telephones import baresip, sipp_called
from unit.telephony.test_sip import SDP, TONE, pitch_hz
from vivavoce_speech.telephony.sip_auth import Credentials
from vivavoce_speech.telephony.sip_caller import NotAnswered, SipCaller, SipLine

Result = TypeVar("Result")


def calling(work: Callable[[SipCaller], Awaitable[Result]]) -> Result:
    async def run() -> Result:
        caller = SipCaller()
        await caller.start()
        try:
            return await asyncio.wait_for(work(caller), 2 * PATIENCE_S)
        finally:
            await caller.stop()

    return asyncio.run(run())


def refusal(address: str, line: SipLine = SipLine(), **more: float) -> NotAnswered:
    """How a call to this address fails."""
    rung: list[bool] = []
    limits = {"reach_s": PATIENCE_S, **more}

    async def work(caller: SipCaller) -> NotAnswered:
        with pytest.raises(NotAnswered) as caught:
            await caller.call(address, line, on_ringing=lambda: rung.append(True), **limits)
        assert caller.calls == 0
        return caught.value

    error = calling(work)
    error.rung = bool(rung)  # type: ignore[attr-defined]
    return error


def test_a_telephone_is_called_both_hear_each_other_and_it_hangs_up(tmp_path: Path) -> None:
    async def work(caller: SipCaller) -> None:
        with baresip(tmp_path, answers=True) as telephone:
            leg = await caller.call(telephone.address, reach_s=PATIENCE_S)
            leg.play(TONE)
            await asyncio.to_thread(telephone.say, TONE)
            await asyncio.to_thread(telephone.press, "42")
            await eventually_there(lambda: leg.keys == "42" and leg.seconds > 3, "no keys came")
            await asyncio.to_thread(telephone.hang_up)
            await asyncio.wait_for(leg.over.wait(), PATIENCE_S)
            assert leg.ended_by == "caller"
            assert pitch_hz(leg.recording().channel(1)) == pytest.approx(440, abs=5)
            assert pitch_hz(telephone.heard()) == pytest.approx(440, abs=5)
            await eventually_there(lambda: caller.calls == 0, "the call is not forgotten")

    calling(work)


def test_who_hangs_up_here_ends_the_call_there(tmp_path: Path) -> None:
    async def work(caller: SipCaller) -> None:
        with baresip(tmp_path, answers=True) as telephone:
            leg = await caller.call(telephone.address, reach_s=PATIENCE_S)
            await asyncio.to_thread(telephone.wait_until_called)
            await leg.hang_up()
            await asyncio.to_thread(telephone.wait_until_hung_up)
            assert leg.bye_answered.is_set()

    calling(work)


@pytest.mark.parametrize(("scenario", "outcome"), [("busy", "busy"), ("declines", "declined")])
def test_a_refusal_has_a_name(scenario: str, outcome: str, tmp_path: Path) -> None:
    with sipp_called(tmp_path, f"sipp_{scenario}.xml") as address:
        error = refusal(address)
        assert (error.outcome, error.rung) == (outcome, True)  # type: ignore[attr-defined]


def test_a_call_that_nobody_answers_is_taken_back(tmp_path: Path) -> None:
    with sipp_called(tmp_path, "sipp_rings.xml") as address:
        error = refusal(address, ring_s=0.5)
        assert error.outcome == "no_answer"


def test_an_exchange_that_asks_who_calls_is_told(tmp_path: Path) -> None:
    async def work(caller: SipCaller) -> None:
        with sipp_called(tmp_path, "sipp_exchange.xml") as address:
            exchange = address.partition("@")[2]
            line = SipLine(exchange, "5550100", Credentials("lab", "secret"))
            leg = await caller.call("+390612345678", line, reach_s=PATIENCE_S)
            assert leg.offer.codec.name == "PCMA"
            await leg.hang_up()

    calling(work)


def test_without_the_password_the_exchange_refuses() -> None:
    async def exchange(message: Request) -> list[Response]:
        refused = reply_to(message, 401, "Unauthorized")
        refused.headers.add("WWW-Authenticate", 'Digest realm="r", nonce="n"')
        return [refused]

    error = fake(exchange, lambda caller, address: expecting(caller, address))
    assert error.outcome == "refused"


def test_where_nobody_listens_nothing_is_reached() -> None:
    async def nobody(message: Request) -> list[Response]:
        return []

    error = fake(nobody, lambda caller, address: expecting(caller, address, reach_s=0.3))
    assert error.outcome == "unreachable"
    assert refusal("sip:a@127.0.0.1:99999").outcome == "unreachable"


@pytest.mark.parametrize("number", ["+3906", "sips:a@b", "a b", "sip:a\r\nX: y@b", ""])
def test_what_is_no_number_here_is_not_called(number: str) -> None:
    assert refusal(number).outcome == "unreachable"


# --- an exchange of bytes ----------------------------------------------------------------------------

Exchange = Callable[[Request], Awaitable[list[Response]]]


def reply_to(request: Request, code: int, phrase: str, body: str = "") -> Response:
    response = Response(code, phrase, body.encode())
    response.via, response.call_id, response.cseq = request.via, request.call_id, request.cseq
    response.from_address = request.from_address
    response.headers.add("To", f"{request.to_address};tag=there" if code > 100 else str(request.to_address))
    response.content_length = len(body)
    return response


class FakeExchange(asyncio.DatagramProtocol):
    """Keeps what it is asked and answers as it is told."""

    def __init__(self, answers: Exchange) -> None:
        self.asked: list[Request] = []
        self._answers = answers
        self._tasks: set[asyncio.Task[None]] = set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: asyncio.DatagramTransport = transport  # type: ignore[assignment]

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        message = Message.parse(data)
        assert isinstance(message, Request)
        self.asked.append(message)
        task = asyncio.create_task(self._answer(message, addr))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, message: Request, addr: tuple[str, int]) -> None:
        for one in await self._answers(message):
            self.transport.sendto(bytes(one), addr)

    @property
    def requests(self) -> list[Request]:
        """What it was asked, in their order; what a busy machine repeats counts once."""
        return list({(one.method, str(one.via[0])): one for one in self.asked}.values())

    def methods(self) -> list[str]:
        return [one.method for one in self.requests]


def fake(answers: Exchange, work: Callable[[SipCaller, str], Awaitable[Result]]) -> Result:
    async def run(caller: SipCaller) -> Result:
        loop = asyncio.get_running_loop()
        transport, exchange = await loop.create_datagram_endpoint(
            lambda: FakeExchange(answers), local_addr=("127.0.0.1", 0)
        )
        caller.exchange = exchange  # type: ignore[attr-defined]
        try:
            return await work(caller, f"sip:a@127.0.0.1:{transport.get_extra_info('sockname')[1]}")
        finally:
            transport.close()

    return calling(run)


async def expecting(caller: SipCaller, address: str, **more: float) -> NotAnswered:
    with pytest.raises(NotAnswered) as caught:
        await caller.call(address, **more)
    return caught.value


def test_lost_requests_are_repeated_and_repeated_answers_confirmed_again() -> None:
    seen: list[Request] = []

    def times(method: str) -> int:
        return [one.method for one in seen].count(method)

    async def forgetful(message: Request) -> list[Response]:
        seen.append(message)
        if message.method == "ACK":  # the first confirmation is lost, and the answer said again
            return [reply_to(seen[0], 200, "OK", SDP)] if times("ACK") == 1 else []
        if times(message.method) == 1:
            return []
        return [reply_to(message, 200, "OK", SDP if message.method == "INVITE" else "")]

    async def work(caller: SipCaller, address: str) -> None:
        leg = await caller.call(address)
        await eventually_there(lambda: times("ACK") == 2, "the repeated answer was not confirmed")
        await leg.hang_up()
        assert leg.bye_answered.is_set()

    fake(forgetful, work)
    assert (times("INVITE"), times("BYE")) == (2, 2)


def test_who_answers_while_we_give_up_is_hung_up_on() -> None:
    invited: list[Request] = []

    async def slow(message: Request) -> list[Response]:
        if message.method == "INVITE":
            invited[:] = [message]
            return [reply_to(message, 180, "Ringing")]
        if message.method == "CANCEL":
            return [reply_to(message, 200, "OK"), reply_to(invited[0], 200, "OK", SDP)]
        return [] if message.method == "ACK" else [reply_to(message, 200, "OK")]

    async def work(caller: SipCaller, address: str) -> list[str]:
        error = await expecting(caller, address, ring_s=0.2)
        assert error.outcome == "no_answer"
        exchange: FakeExchange = caller.exchange  # type: ignore[attr-defined]
        await eventually_there(lambda: "BYE" in exchange.methods(), "nobody hung up")
        return exchange.methods()

    assert fake(slow, work) == ["INVITE", "CANCEL", "ACK", "BYE"]


def test_a_call_that_is_no_longer_wanted_is_taken_back() -> None:
    invited: list[Request] = []

    async def ringing(message: Request) -> list[Response]:
        if message.method == "INVITE":
            invited.append(message)
            return [reply_to(message, 180, "Ringing")]
        if message.method == "ACK":
            return []
        return [reply_to(message, 200, "OK"), reply_to(invited[0], 487, "Request Terminated")]

    async def work(caller: SipCaller, address: str) -> None:
        rang = asyncio.Event()
        call = asyncio.create_task(caller.call(address, on_ringing=rang.set))
        await asyncio.wait_for(rang.wait(), PATIENCE_S)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        exchange: FakeExchange = caller.exchange  # type: ignore[attr-defined]
        await eventually_there(lambda: "ACK" in exchange.methods(), "it still rings")
        assert exchange.methods() == ["INVITE", "CANCEL", "ACK"]
        invitation, cancelled = exchange.requests[:2]
        assert str(cancelled.via[0]) == str(invitation.via[0])
        assert cancelled.cseq.sequence == invitation.cseq.sequence

    fake(ringing, work)


def test_an_answer_without_sound_is_hung_up_on() -> None:
    async def deaf(message: Request) -> list[Response]:
        if message.method == "ACK":
            return []
        return [reply_to(message, 200, "OK", "v=0\r\n" if message.method == "INVITE" else "")]

    async def work(caller: SipCaller, address: str) -> list[str]:
        assert (await expecting(caller, address)).outcome == "unreachable"
        exchange: FakeExchange = caller.exchange  # type: ignore[attr-defined]
        await eventually_there(lambda: "BYE" in exchange.methods(), "nobody hung up")
        return exchange.methods()

    assert fake(deaf, work) == ["INVITE", "ACK", "BYE"]


def test_whether_somebody_is_there_is_asked_without_ringing() -> None:
    async def there(message: Request) -> list[Response]:
        return [reply_to(message, 404, "Not Found")]

    async def work(caller: SipCaller, address: str) -> tuple[int, list[str]]:
        exchange: FakeExchange = caller.exchange  # type: ignore[attr-defined]
        return await caller.ask(address), exchange.methods()

    assert fake(there, work) == (404, ["OPTIONS"])


def test_who_calls_the_caller_finds_it_busy_and_a_stranger_ends_no_call() -> None:
    async def there(message: Request) -> list[Response]:
        if message.method == "ACK":
            return []
        return [reply_to(message, 200, "OK", SDP if message.method == "INVITE" else "")]

    async def work(caller: SipCaller, address: str) -> None:
        leg = await caller.call(address)
        exchange: FakeExchange = caller.exchange  # type: ignore[attr-defined]
        invitation = exchange.asked[0]
        answers: list[Message] = []
        caller._transport.sendto = lambda data, to: answers.append(Message.parse(data))  # type: ignore[method-assign]
        stranger = bytes(invitation).replace(invitation.call_id.encode(), b"other").replace(b"Via", b"Via", 1)
        caller.datagram_received(stranger, ("127.0.0.1", 9))
        caller.datagram_received(
            stranger.replace(b"INVITE", b"BYE").replace(b"branch=", b"branch=2"), ("127.0.0.1", 9)
        )
        assert [one.code for one in answers] == [486, 481]  # type: ignore[union-attr]
        assert not leg.over.is_set()
        del caller._transport.sendto  # type: ignore[attr-defined]
        await leg.hang_up()

    fake(there, work)


LINES = [
    b"SIP/2.0 200 OK",
    b"SIP/2.0 180 Ringing",
    b"SIP/2.0 407 Who",
    b"SIP/2.0 abc",
    b"CSeq: 1 INVITE",
    b"CSeq: x",
    b"To: <sip:a@b>;tag=1",
    b"To: ???",
    b"From: <sip:a@b>;tag=1",
    b"Via: SIP/2.0/UDP 127.0.0.1:9;branch=z9hG4bK1",
    b'Proxy-Authenticate: Digest realm="',
    b"Contact: <sip:",
    b"Content-Type: application/sdp",
    b"",
    SDP.encode(),
]
GARBAGE = st.lists(
    st.one_of(
        st.binary(max_size=400),
        st.lists(st.one_of(st.sampled_from(LINES), st.binary(max_size=30)), max_size=12).map(b"\r\n".join),
    ),
    max_size=6,
)


@given(GARBAGE)
@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_after_any_datagrams_a_call_is_made_and_ended(datagrams: list[bytes]) -> None:
    async def there(message: Request) -> list[Response]:
        if message.method == "ACK":
            return []
        return [reply_to(message, 200, "OK", SDP if message.method == "INVITE" else "")]

    async def work(caller: SipCaller, address: str) -> None:
        for data in datagrams:
            caller.datagram_received(data, ("127.0.0.1", 9))
        leg = await caller.call(address)
        for data in datagrams:
            with_this_call = data.replace(b"\r\n\r\n", f"\r\nCall-ID: {leg.sip_call_id}\r\n\r\n".encode())
            caller.datagram_received(with_this_call, ("127.0.0.1", 9))
        await leg.hang_up()
        assert leg.bye_answered.is_set()

    fake(there, work)
