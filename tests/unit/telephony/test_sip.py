"""The SIP answerer: real telephones call it, and nothing that a stranger sends stops it."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sipmessage import Message, Response

from scenes.patience import eventually
from scenes.telephones import baresip, sipp
from vivavoce.audio.sound import Sound
from vivavoce_speech.telephony.leg import RATE_HZ, PhoneLeg
from vivavoce_speech.telephony.sip import SipAnswerer

LIMIT_S = 60
TONE = Sound((9000 * np.sin(np.arange(RATE_HZ) * 2 * np.pi * 440 / RATE_HZ)).astype(np.int16), RATE_HZ)
SDP = (
    "v=0\r\no=a 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n"
    "m=audio 9 RTP/AVP 0 101\r\na=rtpmap:101 telephone-event/8000\r\n"
)
Legs = list[PhoneLeg]


def pitch_hz(sound: Sound) -> float:
    spectrum = np.abs(np.fft.rfft(sound.samples.astype(float)))
    return float(np.argmax(spectrum) * sound.rate_hz / len(sound.samples))


async def until_the_end(leg: PhoneLeg) -> None:
    while (await leg.hear()).kind != "end":
        pass


def answering(work: Callable[[SipAnswerer, Legs], Awaitable[None]], **more: int) -> Legs:
    """Run an answerer that plays a tone and listens until the caller hangs up."""
    legs: Legs = []

    async def on_call(leg: PhoneLeg) -> None:
        legs.append(leg)
        leg.play(TONE)
        await until_the_end(leg)

    async def run() -> None:
        answerer = SipAnswerer(on_call, **more)
        await answerer.start()
        try:
            await asyncio.wait_for(work(answerer, legs), LIMIT_S * 4)
        finally:
            await answerer.stop()

    asyncio.run(run())
    return legs


class Caller:
    """A telephone of bytes: what it sends is written out, what it gets is read."""

    def __init__(self, answerer: SipAnswerer, name: str = "1") -> None:
        self._to, self.name, self.tag = ("127.0.0.1", answerer.port), name, ""
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._socket.setblocking(False)

    def message(self, method: str, number: int, body: str = "", extra: str = "", branch: str = "") -> bytes:
        port = self._socket.getsockname()[1]
        branch = branch or f"z9hG4bK-{self.name}-{number}-{method}"
        return (
            f"{method} sip:100@127.0.0.1 SIP/2.0\r\n"
            f"Via: SIP/2.0/UDP 127.0.0.1:{port};rport;branch={branch}\r\n"
            f"Max-Forwards: 70\r\nFrom: <sip:worker{self.name}@127.0.0.1>;tag=a\r\n"
            f"To: <sip:100@127.0.0.1>{self.tag}\r\nCall-ID: c{self.name}\r\nCSeq: {number} {method}\r\n"
            f"Contact: <sip:worker{self.name}@127.0.0.1:{port}>\r\n{extra}"
            f"Content-Length: {len(body)}\r\n\r\n{body}"
        ).encode()

    async def send(self, data: bytes) -> None:
        await asyncio.get_running_loop().sock_sendto(self._socket, data, self._to)

    async def receive(self) -> Message:
        data = await asyncio.wait_for(asyncio.get_running_loop().sock_recv(self._socket, 65536), LIMIT_S)
        return Message.parse(data)

    async def response(self, method: str) -> Response:
        while True:
            message = await self.receive()
            if isinstance(message, Response) and message.cseq.method == method and message.code >= 200:
                return message

    async def call(self) -> Response:
        await self.send(self.message("INVITE", 1, SDP))
        answer = await self.response("INVITE")
        if answer.code == 200:
            self.tag = f";tag={answer.to_address.parameters['tag']}"
            await self.send(self.message("ACK", 1))
        return answer

    async def say_goodbye(self) -> Response:
        await self.send(self.message("BYE", 2))
        return await self.response("BYE")

    def close(self) -> None:
        self._socket.close()


def test_sipp_speaks_presses_keys_and_hangs_up(tmp_path: Path) -> None:
    async def work(answerer: SipAnswerer, legs: Legs) -> None:
        await asyncio.to_thread(sipp, tmp_path, answerer.port, speech=TONE, keys="4711#", wait_ms=500)

    (leg,) = answering(work)
    assert (leg.caller_id, leg.called, leg.keys, leg.ended_by) == ("caller1", "100", "4711#", "caller")
    recording = leg.recording()
    assert pitch_hz(recording.channel(1)) == pytest.approx(440, abs=5)
    assert recording.duration_s == pytest.approx(leg.seconds)


def test_a_person_with_baresip_hears_is_heard_and_presses_keys(tmp_path: Path) -> None:
    async def work(answerer: SipAnswerer, legs: Legs) -> None:
        def play() -> Sound:
            with baresip(tmp_path, "5551234") as telephone:
                telephone.dial(f"sip:31415@127.0.0.1:{answerer.port}")
                telephone.say(TONE)
                telephone.press("09*")
                eventually(lambda: len(legs[0].keys) == 3 and legs[0].seconds > 3, "no keys came")
                telephone.hang_up()
                telephone.wait_until_hung_up()
            return telephone.heard()

        heard = await asyncio.to_thread(play)
        assert pitch_hz(heard) == pytest.approx(440, abs=5)

    (leg,) = answering(work)
    assert (leg.caller_id, leg.called, leg.keys, leg.ended_by) == ("5551234", "31415", "09*", "caller")
    assert pitch_hz(leg.recording().channel(1)) == pytest.approx(440, abs=5)


def test_repeated_requests_get_the_same_answer_and_make_one_call() -> None:
    async def work(answerer: SipAnswerer, legs: Legs) -> None:
        caller = Caller(answerer)
        invitation = caller.message("INVITE", 1, SDP)
        await caller.send(invitation)
        first = await caller.response("INVITE")
        await caller.send(invitation)
        again = await caller.response("INVITE")
        assert bytes(first) == bytes(again)
        assert answerer.calls == 1
        caller.tag = f";tag={first.to_address.parameters['tag']}"
        await caller.send(caller.message("ACK", 1))
        assert (await caller.say_goodbye()).code == 200
        assert (await caller.say_goodbye()).code == 200
        caller.close()

    assert len(answering(work)) == 1


def test_an_answer_that_nobody_confirms_is_repeated() -> None:
    async def work(answerer: SipAnswerer, legs: Legs) -> None:
        caller = Caller(answerer)
        await caller.send(caller.message("INVITE", 1, SDP))
        first, second = await caller.response("INVITE"), await caller.response("INVITE")
        assert bytes(first) == bytes(second)
        await caller.say_goodbye()
        caller.close()

    answering(work)


def test_requests_outside_of_a_call_get_the_errors_of_the_standard() -> None:
    async def work(answerer: SipAnswerer, legs: Legs) -> None:
        caller = Caller(answerer)
        for method, code in (("OPTIONS", 200), ("BYE", 481), ("CANCEL", 481), ("SUBSCRIBE", 405)):
            await caller.send(caller.message(method, 1))
            response = await caller.response(method)
            assert response.code == code
            assert "INVITE" in (response.headers.get("Allow") or "")
            assert response.via[0].parameters["rport"] == str(caller._socket.getsockname()[1])
        await caller.send(caller.message("INVITE", 5, SDP.replace("0 101", "9")))
        assert (await caller.response("INVITE")).code == 488
        caller.close()

    assert answering(work) == []


def test_one_call_too_many_finds_it_busy_and_the_others_go_on() -> None:
    async def work(answerer: SipAnswerer, legs: Legs) -> None:
        one, two = Caller(answerer, "1"), Caller(answerer, "2")
        assert (await one.call()).code == 200
        assert (await two.call()).code == 486
        assert (await one.say_goodbye()).code == 200
        one.close(), two.close()

    assert len(answering(work, at_once=1)) == 1


def test_keys_in_info_messages_are_taken_too() -> None:
    async def work(answerer: SipAnswerer, legs: Legs) -> None:
        caller = Caller(answerer)
        await caller.call()
        await caller.send(caller.message("INFO", 2, "Signal=7\r\nDuration=160\r\n"))
        assert (await caller.response("INFO")).code == 200
        await caller.send(caller.message("BYE", 3))
        await caller.response("BYE")
        caller.close()

    assert answering(work)[0].keys == "7"


def test_a_call_that_we_end_is_ended_at_the_caller() -> None:
    async def run() -> None:
        async def on_call(leg: PhoneLeg) -> None:
            leg.play(Sound(TONE.samples[:800], RATE_HZ))
            await leg.played()

        answerer = SipAnswerer(on_call)
        await answerer.start()
        caller = Caller(answerer)
        assert (await caller.call()).code == 200
        while not (message := await caller.receive()) or isinstance(message, Response):
            pass
        assert message.method == "BYE"
        reply = Response(200, "OK")
        reply.via, reply.call_id, reply.cseq = message.via, message.call_id, message.cseq
        reply.from_address, reply.to_address = message.from_address, message.to_address
        await caller.send(bytes(reply))
        await answerer.stop()
        assert answerer.calls == 0
        caller.close()

    asyncio.run(run())


VALID = [
    b"INVITE sip:100@127.0.0.1 SIP/2.0",
    b"Via: SIP/2.0/UDP 127.0.0.1:9;branch=z9hG4bK1",
    b"Max-Forwards: 70",
    b"From: <sip:a@127.0.0.1>;tag=1",
    b"To: <sip:b@127.0.0.1>",
    b"Call-ID: x",
    b"CSeq: 1 INVITE",
    b"Contact: <sip:a@127.0.0.1:9>",
    b"Content-Type: application/sdp",
    b"Content-Length: 0",
    b"",
    SDP.encode(),
]
PIECES = st.one_of(st.sampled_from(VALID), st.binary(max_size=40))


@given(
    st.lists(st.one_of(st.binary(max_size=600), st.lists(PIECES, max_size=14).map(b"\r\n".join)), max_size=6)
)
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
def test_after_any_datagrams_the_next_call_is_answered(datagrams: list[bytes]) -> None:
    async def work(answerer: SipAnswerer, legs: Legs) -> None:
        for data in datagrams:
            answerer.datagram_received(data, ("127.0.0.1", 9))
        caller = Caller(answerer, "after")
        assert (await caller.call()).code == 200
        assert (await caller.say_goodbye()).code == 200
        caller.close()
        for leg in legs:
            leg.bye_answered.set()  # type: ignore[attr-defined]

    answering(work)
