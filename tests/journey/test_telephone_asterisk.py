"""Calls by way of FastAGI and AudioSocket to the bundled bot; `make telephony` has a real Asterisk."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from scenes.calling import WISH, Laboratory, check_what_was_heard, laboratory, said
from scenes.patience import PATIENCE_S, eventually_there
from scenes.processes import free_port
from scenes.telephone_exchange import Call, answered, asked
from vivavoce.audio.sound import Sound

CALLER = "+390612345678"


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Laboratory]:
    ports = f'asterisk: {{agi: "127.0.0.1:{free_port()}", audio: "127.0.0.1:{free_port()}"}}'

    def impatient(text: str) -> str:
        return text.replace("silence_s: 60", "silence_s: 4\n  silence_prompts: 1")

    with laboratory(tmp_path / "study", "+39 06 55501", ports, impatient) as running:
        yield running


async def called(lab: Laboratory) -> Call:
    asterisk = lab.switchboard.asterisk
    assert asterisk is not None
    ticket = await asked(asterisk.agi.port, CALLER, "+390655501")
    return await answered(asterisk.audio.port, UUID(ticket).bytes)


async def answers(lab: Laboratory, call: Call, visit_id: str, turns: int) -> None:
    """Wait until a turn of the system's is being heard."""

    def received() -> bool:
        return len(lab.events_of(visit_id, "system_turn_received")) >= turns

    await eventually_there(received, "the system says nothing")
    before = call.heard_sounds
    await eventually_there(lambda: call.heard_sounds > before, "what the system says is not heard")


async def speak_and_hang_up(lab: Laboratory, visit_id: str, pin: str, wish: Sound) -> None:
    """Key in the number of the page, say a wish, hear the answer, hang up."""
    call = await called(lab)
    await eventually_there(lambda: call.heard_sounds, "no welcome")
    call.press(f"{pin}#")
    await answers(lab, call, visit_id, 1)
    await call.say(wish)
    await answers(lab, call, visit_id, 2)
    await call.hang_up()


async def keep_silent(lab: Laboratory) -> None:
    """Say nothing until the platform hangs up."""
    call = await called(lab)
    await asyncio.wait_for(call.hung_up_on.wait(), PATIENCE_S)
    await call.hang_up()


@pytest.mark.long
def test_calls_come_by_asterisk_with_keys_and_speech_and_either_side_ends_them(lab: Laboratory) -> None:
    visit = lab.open_visit()

    async def both_calls() -> None:
        await speak_and_hang_up(lab, visit.visit_id, visit.pin, said(WISH))
        await eventually_there(lambda: lab.events_of(visit.visit_id, "call_ended"), "the call goes on")
        await keep_silent(lab)
        await eventually_there(lambda: len(lab.events_of(visit.visit_id, "call_ended")) == 2, "no end")

    asyncio.run(both_calls())
    connected = lab.events_of(visit.visit_id, "call_connected")
    assert {one.adapter for one in connected} == {"asterisk"}
    assert [one.joined_by for one in connected] == ["pin", "caller"]
    ended = lab.events_of(visit.visit_id, "call_ended")
    assert [(one.by, one.keys) for one in ended] == [("caller", f"{visit.pin}#"), ("platform", "")]
    check_what_was_heard(lab.events_of(visit.visit_id, "user_turn_sent"), [WISH])
    (prompted,) = lab.events_of(visit.visit_id, "silence_prompted")
    assert prompted.dialogue_id == connected[1].dialogue_id
    assert {one.dialogue_id for one in lab.log.recordings()} == {one.dialogue_id for one in connected}
    stored = [one.event.model_dump_json() for one in lab.log.events(visit.visit_id)]
    assert not any(CALLER.lstrip("+") in one for one in stored)
