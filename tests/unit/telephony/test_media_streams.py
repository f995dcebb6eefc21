"""A carrier's calls: who may hand one over, what the messages mean, when the caller has heard everything."""

import asyncio
import json
from base64 import b64encode
from collections.abc import Awaitable, Callable
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenes.patience import PATIENCE_S, eventually_there
from vivavoce.audio.sound import Sound
from vivavoce_speech.telephony import tickets
from vivavoce_speech.telephony.g711 import PCMU
from vivavoce_speech.telephony.leg import FRAME, PhoneLeg
from vivavoce_speech.telephony.media_streams import (
    MediaStreamLeg,
    MediaStreams,
    NotSigned,
    is_signed,
    number_of,
    signature,
)

URL = "https://lab.example.org/study"
TOKEN = "a token of the carrier's"
# the example of Twilio's documentation, "Webhooks security"
EXAMPLE_URL = "https://mycompany.com/myapp.php?foo=1&bar=2"
EXAMPLE = [
    ("CallSid", "CA1234567890ABCDE"),
    ("Caller", "+14158675309"),
    ("Digits", "1234"),
    ("From", "+14158675309"),
    ("To", "+18005551212"),
]


class Line:
    """A WebSocket in memory: what the carrier sends is put in, what it is sent comes out."""

    def __init__(self) -> None:
        self.coming: asyncio.Queue[str | None] = asyncio.Queue()
        self.sent: list[dict[str, Any]] = []
        self.closed = False

    def tell(self, event: str, **content: Any) -> None:
        self.coming.put_nowait(json.dumps({"event": event, "streamSid": "MZ1", **content}))

    async def receive(self) -> str | None:
        return await self.coming.get()

    async def send(self, text: str) -> None:
        self.sent.append(json.loads(text))

    async def close(self) -> None:
        self.closed = True
        self.coming.put_nowait(None)

    def events(self) -> list[str]:
        return [one["event"] for one in self.sent]


def ticket_of(order: str) -> str:
    parameter = ElementTree.fromstring(order).find("./Connect/Stream/Parameter[@name='ticket']")
    assert parameter is not None
    return parameter.attrib["value"]


def announced(streams: MediaStreams, caller: str = "+390612345678", called: str = "+390655501") -> str:
    fields = [("From", caller), ("To", called), ("CallSid", "CA1")]
    return ticket_of(streams.order(fields, signature(TOKEN, streams.webhook_url, fields)))


def carrying(
    on_call: Callable[[PhoneLeg], Awaitable[None]],
    work: Callable[[MediaStreams], Awaitable[None]],
    at_once: int = 5,
) -> None:
    async def run() -> None:
        streams = MediaStreams(on_call, url=URL, token=TOKEN, at_once=at_once)
        try:
            await asyncio.wait_for(work(streams), PATIENCE_S)
        finally:
            await streams.stop()

    asyncio.run(run())


def begin(line: Line, ticket: str) -> None:
    line.tell("connected", protocol="Call", version="1.0.0")
    line.tell("start", start={"streamSid": "MZ1", "customParameters": {"ticket": ticket}})


async def until_over(leg: PhoneLeg) -> None:
    await leg.over.wait()


def test_the_documented_example_is_signed_as_documented() -> None:
    assert signature("12345", EXAMPLE_URL, EXAMPLE) == "RSOYDt4T1cUTdK1PDd93/VVr8B8="


@given(st.lists(st.tuples(st.text(max_size=8), st.text(max_size=8)), max_size=6), st.randoms())
def test_a_signature_holds_for_any_order_of_the_fields_and_for_no_other_token_or_address(
    fields: list[tuple[str, str]], random: Any
) -> None:
    signed = signature("12345", URL, fields)
    shuffled = random.sample(fields, len(fields))
    assert is_signed(signed, "12345", (URL + "/", URL), shuffled)
    assert not is_signed(signed, "12346", (URL,), fields)
    assert not is_signed(signed, "12345", (URL + "x",), fields)
    assert not is_signed("é", "12345", (URL,), fields)


@pytest.mark.parametrize(
    ("address", "number"),
    [
        ("+390612345678", "+390612345678"),
        ("sip:31415@lab.sip.example.org", "31415"),
        ("+266696687", ""),
        ("anonymous", ""),
        ("", ""),
    ],
)
def test_a_withheld_number_is_none(address: str, number: str) -> None:
    assert number_of(address) == number


def test_what_the_carrier_did_not_sign_is_refused() -> None:
    async def work(streams: MediaStreams) -> None:
        fields = [("From", "+39061"), ("To", "+39062")]
        signed = signature(TOKEN, streams.webhook_url, fields)
        for wrong in ("", signed[:-2] + "A=", signature("other", streams.webhook_url, fields)):
            with pytest.raises(NotSigned):
                streams.order(fields, wrong)
        with pytest.raises(NotSigned):
            streams.order([*fields, ("To", "+39063")], signed)
        assert streams.order(fields, signed)
        assert streams.admits(signature(TOKEN, "wss://lab.example.org/study/telephone/stream"))
        assert not streams.admits(signature(TOKEN, "https://lab.example.org/study/telephone/stream"))

    carrying(until_over, work)


def test_a_ticket_opens_one_stream_once(monkeypatch: pytest.MonkeyPatch) -> None:
    legs: list[PhoneLeg] = []

    async def on_call(leg: PhoneLeg) -> None:
        legs.append(leg)
        await leg.over.wait()

    async def work(streams: MediaStreams) -> None:
        ticket = announced(streams)
        first = Line()
        begin(first, ticket)
        call = asyncio.create_task(streams.carry(first))
        await eventually_there(lambda: legs, "the call was not taken")
        for wrong in (ticket, "invented", ""):
            line = Line()
            begin(line, wrong)
            await streams.carry(line)
            assert line.closed and len(legs) == 1
        first.tell("stop", stop={"callSid": "CA1"})
        await call
        late = announced(streams)
        monkeypatch.setattr(tickets, "TICKET_S", -1.0)
        line = Line()
        begin(line, announced(streams))
        await streams.carry(line)
        assert len(legs) == 1
        assert late not in legs

    carrying(on_call, work)
    assert (legs[0].caller_id, legs[0].called, legs[0].ended_by) == ("+390612345678", "+390655501", "caller")


@pytest.mark.parametrize("nonsense", ["no JSON", "[]", "3", '{"event": "start"}', None])
def test_a_stream_that_begins_with_nonsense_is_closed(nonsense: str | None) -> None:
    async def work(streams: MediaStreams) -> None:
        line = Line()
        line.coming.put_nowait(nonsense)
        await streams.carry(line)
        assert line.closed

    carrying(until_over, work)


def test_where_all_lines_are_taken_the_caller_finds_it_busy() -> None:
    async def work(streams: MediaStreams) -> None:
        line = Line()
        begin(line, announced(streams))
        call = asyncio.create_task(streams.carry(line))
        await eventually_there(lambda: streams.calls == 1, "the call was not taken")
        fields = [("From", "+39061"), ("To", "+39062")]
        order = streams.order(fields, signature(TOKEN, streams.webhook_url, fields))
        reject = ElementTree.fromstring(order).find("Reject")
        assert reject is not None and reject.attrib["reason"] == "busy"
        line.tell("stop")
        await call

    carrying(until_over, work, at_once=1)


def test_sound_and_keys_come_in_and_what_is_said_is_heard_to_its_end_before_the_call_is_over() -> None:
    said = np.full(3 * FRAME, 4988, np.int16)  # a value that mu-law has
    keys: list[str] = []

    async def on_call(leg: PhoneLeg) -> None:
        while not keys:
            heard = await leg.hear()
            keys.extend(heard.key)
        leg.play(Sound(said, 8000))
        await leg.played()

    async def work(streams: MediaStreams) -> None:
        line = Line()
        begin(line, announced(streams))
        call = asyncio.create_task(streams.carry(line))
        payload = b64encode(PCMU.encode(np.full(FRAME, 876, np.int16))).decode()
        line.tell("media", media={"track": "inbound", "chunk": "1", "timestamp": "5", "payload": payload})
        line.tell("dtmf", dtmf={"track": "inbound_track", "digit": "7"})
        await eventually_there(lambda: "mark" in line.events(), "no mark after what was said")
        assert line.events() == ["media"] * 3 + ["mark"]
        assert {one["streamSid"] for one in line.sent} == {"MZ1"}
        assert not line.closed, "cut off before the carrier said that it was heard"
        line.tell("mark", mark=line.sent[-1]["mark"])
        await call
        assert line.closed and keys == ["7"]

    carrying(on_call, work)


def test_a_broken_line_ends_the_call_as_a_failure() -> None:
    ended: list[str | None] = []

    async def on_call(leg: PhoneLeg) -> None:
        await leg.over.wait()
        ended.append(leg.ended_by)

    async def work(streams: MediaStreams) -> None:
        line = Line()
        begin(line, announced(streams))
        line.coming.put_nowait(None)
        await streams.carry(line)

    carrying(on_call, work)
    assert ended == ["failure"]


def leg() -> MediaStreamLeg:
    async def close() -> None: ...

    return MediaStreamLeg("MZ1", "4711", "100", close)


def test_falling_silent_makes_the_carrier_throw_away_what_it_holds() -> None:
    async def run() -> None:
        one = leg()
        one.play(Sound(np.full(2 * FRAME, 500, np.int16), 8000))
        one.send_frame()
        assert one.stop_playing()
        one.send_frame()
        sent = [json.loads(one.outgoing.get_nowait())["event"] for _ in range(one.outgoing.qsize())]
        assert sent == ["media", "clear"]
        assert not one.stop_playing()
        assert one.outgoing.empty(), "nothing is held, so nothing is to be thrown away"

    asyncio.run(run())


def test_sound_of_the_callers_arrives_as_it_was_and_our_own_does_not_come_back() -> None:
    async def run() -> None:
        one = leg()
        for track, value in (("inbound", 876), ("outbound", 4988)):
            payload = b64encode(PCMU.encode(np.full(FRAME, value, np.int16))).decode()
            one.take_message(json.dumps({"event": "media", "media": {"track": track, "payload": payload}}))
        one.beat()
        one.beat()
        assert one.recording().samples[:, 1].tolist() == [876] * FRAME + [0] * FRAME

    asyncio.run(run())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(
    st.sampled_from(["media", "dtmf", "mark", "start", "stop", "clear", "other"]),
    st.dictionaries(st.sampled_from(["payload", "digit", "name", "track"]), JSON) | JSON,
)
def test_no_message_breaks_a_call(event: str, content: Any) -> None:
    async def run() -> None:
        one = leg()
        one.take_message(json.dumps({"event": event, event: content}))
        one.send_frame()
        assert one.over.is_set() == (event == "stop")

    asyncio.run(run())
