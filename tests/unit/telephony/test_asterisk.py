"""Calls of an Asterisk beside us: who may bring one, what goes over the line, how it ends."""

import asyncio
from uuid import UUID, uuid4

import numpy as np
import pytest
import structlog

from scenes.patience import PATIENCE_S, eventually_there
from scenes.telephone_exchange import answered, asked, facts, with_asterisk
from vivavoce.audio.sound import Sound
from vivavoce.core.errors import InputError
from vivavoce_speech.telephony import asterisk, tickets
from vivavoce_speech.telephony import asterisk as asterisk_room
from vivavoce_speech.telephony.asterisk import Asterisk
from vivavoce_speech.telephony.audio_socket import ERROR, HANG_UP, TICKET, Frame, sound_frame, written
from vivavoce_speech.telephony.leg import FRAME, PhoneLeg

TONE = np.full(FRAME, 4988, np.int16)


class Kept:
    """Takes calls and keeps what came of them."""

    def __init__(self) -> None:
        self.legs: list[PhoneLeg] = []

    async def __call__(self, leg: PhoneLeg) -> None:
        self.legs.append(leg)
        await leg.over.wait()

    async def ends(self, number: int = 1) -> list[str | None]:
        await eventually_there(
            lambda: len(self.legs) >= number and all(leg.over.is_set() for leg in self.legs), "no end"
        )
        return [leg.ended_by for leg in self.legs]


async def ticket_for(asterisk: Asterisk, caller: str = "5550101", called: str = "31415") -> bytes:
    return UUID(await asked(asterisk.agi.port, caller, called)).bytes


async def closed(port: int, data: bytes) -> bool:
    """Whether a connection that begins with these bytes is closed without having been spoken to."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    try:
        return await asyncio.wait_for(reader.read(), PATIENCE_S) == b""
    except ConnectionError:
        return True
    finally:
        writer.close()


def test_a_call_is_announced_carried_both_ways_and_ended_by_the_caller() -> None:
    kept = Kept()

    async def work(asterisk: Asterisk) -> None:
        call = await answered(asterisk.audio.port, await ticket_for(asterisk))
        await eventually_there(lambda: kept.legs, "the call was not taken")
        (leg,) = kept.legs
        assert (leg.caller_id, leg.called, leg.adapter) == ("5550101", "31415", "asterisk")
        leg.play(Sound(np.tile(TONE, 3), 8000))
        call.send(sound_frame(np.full(FRAME, 876, np.int16)))
        call.press("4#")
        await leg.played()
        await eventually_there(lambda: call.heard_sounds == 3, "not heard")
        await eventually_there(lambda: leg.recording().samples[:, 1].any(), "not recorded")
        assert set(np.concatenate(call.heard).tolist()) - {0} == {4988}
        await call.hang_up()
        assert await kept.ends() == ["caller"]
        assert leg.keys == "4#"
        assert set(leg.recording().samples[:, 1].tolist()) - {0} == {876}

    with_asterisk(kept, work)


def test_what_is_said_is_heard_to_its_end_before_the_platform_hangs_up() -> None:
    async def on_call(leg: PhoneLeg) -> None:
        leg.play(Sound(np.tile(TONE, 10), 8000))
        await leg.played()

    async def work(asterisk: Asterisk) -> None:
        call = await answered(asterisk.audio.port, await ticket_for(asterisk))
        await asyncio.wait_for(call.hung_up_on.wait(), PATIENCE_S)
        assert call.heard_sounds == 10
        await eventually_there(lambda: asterisk.calls == 0, "the call goes on")
        await call.hang_up()

    with_asterisk(on_call, work)


def test_a_line_is_never_silent_on_the_wire_so_that_asterisk_keeps_it() -> None:
    kept = Kept()

    async def work(asterisk: Asterisk) -> None:
        call = await answered(asterisk.audio.port, await ticket_for(asterisk))
        await eventually_there(lambda: len(call.heard) >= 5, "nothing is sent while nobody speaks")
        await call.hang_up()

    with_asterisk(kept, work)


def test_a_ticket_opens_one_line_once_and_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Kept()

    async def work(asterisk: Asterisk) -> None:
        ticket = await ticket_for(asterisk)
        call = await answered(asterisk.audio.port, ticket)
        await eventually_there(lambda: kept.legs, "the call was not taken")
        with structlog.testing.capture_logs() as told:
            for wrong in (ticket, uuid4().bytes):
                assert await closed(asterisk.audio.port, written(Frame(TICKET, wrong)))
            for garbage in (sound_frame(TONE), written(Frame(HANG_UP)), b"GET / HTTP/1.1\r\n\r\n"):
                assert await closed(asterisk.audio.port, garbage)
            monkeypatch.setattr(tickets, "TICKET_S", -1.0)
            late = await ticket_for(asterisk)
            assert await closed(asterisk.audio.port, written(Frame(TICKET, late)))
        assert [one["event"] for one in told] == ["sound_refused"] * 6
        assert not any(str(UUID(bytes=one)) in str(told) for one in (ticket, late))
        assert len(kept.legs) == 1
        await call.hang_up()

    with_asterisk(kept, work)


def test_a_connection_that_says_nothing_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asterisk_room, "START_S", 0.0)
    monkeypatch.setattr(asterisk, "ANSWER_S", 0.0)

    async def work(asterisk: Asterisk) -> None:
        for port in (asterisk.audio.port, asterisk.agi.port):
            assert await closed(port, b"")

    with_asterisk(Kept(), work)


def test_connections_that_show_nothing_are_bounded_and_calls_find_their_way_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(asterisk_room, "UNKNOWN_AT_ONCE", 3)
    kept = Kept()

    async def work(asterisk: Asterisk) -> None:
        idle = [await asyncio.open_connection("127.0.0.1", asterisk.audio.port) for _ in range(4)]
        assert await closed(asterisk.audio.port, b"")
        for _, writer in idle:
            writer.close()
        await eventually_there(lambda: not asterisk.audio.connections, "closed connections are counted")
        call = await answered(asterisk.audio.port, await ticket_for(asterisk))
        await eventually_there(lambda: kept.legs, "the call was not taken")
        await call.hang_up()

    with_asterisk(kept, work, at_once=1)


def test_where_every_line_is_taken_or_promised_there_is_no_ticket() -> None:
    kept = Kept()

    async def work(asterisk: Asterisk) -> None:
        call = await answered(asterisk.audio.port, await ticket_for(asterisk))
        await eventually_there(lambda: kept.legs, "the call was not taken")
        promised = await ticket_for(asterisk)
        assert await asked(asterisk.agi.port, "5550102", "100") == ""
        await call.hang_up()
        await eventually_there(lambda: asterisk.calls == 0, "the call goes on")
        assert await asked(asterisk.agi.port, "5550102", "100") != promised

    with_asterisk(kept, work, at_once=2)


@pytest.mark.parametrize(
    ("data", "end"),
    [
        (written(Frame(HANG_UP)), "caller"),
        (written(Frame(ERROR, b"\x01")), "caller"),
        (written(Frame(ERROR, b"\x04")), "failure"),
        (b"\x99\x00\x01x", "failure"),
        (b"\x10\xff\xff", "failure"),
        (written(Frame(TICKET, bytes(16))), "failure"),
    ],
)
def test_what_comes_over_the_line_says_how_the_call_ended(data: bytes, end: str) -> None:
    kept = Kept()

    async def work(asterisk: Asterisk) -> None:
        call = await answered(asterisk.audio.port, await ticket_for(asterisk))
        call.send(data)
        assert await kept.ends() == [end]
        await call.hang_up()

    with_asterisk(kept, work)


def test_a_line_that_breaks_off_within_a_frame_has_failed() -> None:
    kept = Kept()

    async def work(asterisk: Asterisk) -> None:
        call = await answered(asterisk.audio.port, await ticket_for(asterisk))
        await eventually_there(lambda: kept.legs, "the call was not taken")
        call.send(sound_frame(TONE)[:100])
        await call.break_off()
        assert await kept.ends() == ["failure"]

    with_asterisk(kept, work)


def test_more_sound_than_time_passes_ends_the_call_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asterisk, "AHEAD_S", 0.0)
    kept = Kept()

    async def work(asterisk: Asterisk) -> None:
        quiet = await answered(asterisk.audio.port, await ticket_for(asterisk))
        await eventually_there(lambda: kept.legs, "the call was not taken")
        flood = await answered(asterisk.audio.port, await ticket_for(asterisk))
        flood.send(sound_frame(np.zeros(3_000, np.int16)) * 5_000)  # 31 minutes at once
        await eventually_there(lambda: len(kept.legs) == 2 and kept.legs[1].over.is_set(), "a flood is taken")
        assert kept.legs[1].ended_by == "failure"
        assert not kept.legs[0].over.is_set()
        await flood.hang_up()
        await quiet.hang_up()

    with_asterisk(kept, work)


def test_two_calls_at_once_do_not_mix() -> None:
    kept = Kept()

    async def work(asterisk: Asterisk) -> None:
        calls = [
            await answered(asterisk.audio.port, await ticket_for(asterisk, caller)) for caller in ("1", "2")
        ]
        await eventually_there(lambda: len(kept.legs) == 2, "not taken")
        by_caller = {leg.caller_id: leg for leg in kept.legs}
        for caller, call, value in (("1", calls[0], 300), ("2", calls[1], 700)):
            by_caller[caller].play(Sound(np.full(FRAME, value, np.int16), 8000))
            call.press(caller)
            await eventually_there(lambda call=call: call.heard_sounds, "not heard")
            assert set(np.concatenate(call.heard).tolist()) - {0} == {value}
        await eventually_there(lambda: all(leg.keys for leg in kept.legs), "no keys")
        assert all(leg.keys == leg.caller_id for leg in kept.legs)
        for call in calls:
            await call.hang_up()

    with_asterisk(kept, work)


def test_a_caller_who_hangs_up_before_the_route_is_told_leaves_nothing_behind() -> None:
    async def work(asterisk: Asterisk) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", asterisk.agi.port)
        writer.write(facts("1", "100"))
        await reader.readline()
        writer.write(b"HANGUP\n")
        assert await asyncio.wait_for(reader.read(), PATIENCE_S) == b""
        writer.close()

    with_asterisk(Kept(), work)


def test_a_call_that_fails_is_ended_and_told_of() -> None:
    async def on_call(leg: PhoneLeg) -> None:
        raise RuntimeError("a defect")

    async def work(asterisk: Asterisk) -> None:
        with structlog.testing.capture_logs() as told:
            call = await answered(asterisk.audio.port, await ticket_for(asterisk))
            await asyncio.wait_for(call.hung_up_on.wait(), PATIENCE_S)
        assert "call_failed" in [one["event"] for one in told]
        await call.hang_up()

    with_asterisk(on_call, work)


def test_the_service_hangs_up_when_it_stops() -> None:
    kept = Kept()

    async def run() -> None:
        asterisk = Asterisk(kept, agi="127.0.0.1:0", audio="127.0.0.1:0")
        await asterisk.start()
        call = await answered(asterisk.audio.port, await ticket_for(asterisk))
        await eventually_there(lambda: kept.legs, "the call was not taken")
        await asterisk.stop()
        await asyncio.wait_for(call.hung_up_on.wait(), PATIENCE_S)
        assert [leg.ended_by for leg in kept.legs] == ["platform"]
        await call.hang_up()

    asyncio.run(run())


def test_an_address_that_is_taken_is_named_with_its_place() -> None:
    async def work(asterisk: Asterisk) -> None:
        taken = f"127.0.0.1:{asterisk.audio.port}"
        second = Asterisk(Kept(), agi="127.0.0.1:0", audio=taken)
        with pytest.raises(InputError, match=f"telephone.asterisk.audio: cannot listen on {taken}"):
            await second.start()

    with_asterisk(Kept(), work)
