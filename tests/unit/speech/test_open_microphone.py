"""What becomes of a dialogue with an open microphone: talked, cut off, gone on with, recorded as a whole."""

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scenes.open_page import SILENCE, Page, frames_of
from scenes.patience import eventually_there
from scenes.talking_room import PAUSE, SPEECH, Room, run
from scenes.whispering import LOUD, Hummed, Whispered
from vivavoce.log.recordings import check_recordings, folder_of
from vivavoce.log.spool import tapes_in, tapes_of
from vivavoce.study.degradation import DamagePlan
from vivavoce.trial.errors import Refused
from vivavoce_speech.browser.browser_leg import FRAME_S
from vivavoce_speech.browser.open_microphone import GONE_S


async def talk_once(room: Room) -> None:
    """The greeting, one turn and its answer."""
    Whispered.words = ["good morning"]
    await room.connect()
    await room.spoken(1)
    await room.hear([*frames_of(SPEECH), *PAUSE])
    await room.spoken(2)


def test_the_page_plays_answers_as_the_condition_damages_them(tmp_path: Path) -> None:
    plan = DamagePlan.model_validate({"factor": "line", "answers": {"bad": {"loss": 0.5}}})
    factors = {"one": {"line": "bad"}, "two": {"line": "bad"}}

    async def test(room: Room) -> None:
        await talk_once(room)
        told = await room.logged("sound_damaged", 2)
        heard = np.concatenate(room.page.played)
        assert [one.packets for one in told] == [50, 50]
        assert (heard == LOUD).sum() == 320 * sum(50 - one.packets_lost for one in told)

    run(tmp_path, test, {"degradation": plan, "factors": factors})


def test_a_dialogue_is_held_and_its_recording_lies_beside_the_log(tmp_path: Path) -> None:
    async def test(room: Room) -> None:
        await talk_once(room)
        (turn,) = room.events("user_turn_sent")
        assert [one.text for one in turn.heard] == ["good morning", "good morning please"]
        assert not turn.barge_in
        assert turn.response_delay_s is not None
        assert Hummed.texts == ["Hello.", "You said: good morning"]
        await room.engine.end_dialogue(room.visit_id, room.dialogue_id)
        (stored,) = await room.logged("recording_stored")
        assert (stored.content, stored.speakers, stored.sample_rate_hz) == (
            "dialogue",
            ["system", "user"],
            16_000,
        )
        samples = room.sound(stored)
        assert (samples[:, 0] == LOUD).sum() == 2 * 16_000, "not what was played"
        loud = np.abs(samples[:, 1]) > 1000
        assert loud.any()
        assert not (loud & (samples[:, 0] > 0)).any(), "they did not speak at once"
        (closed,) = await room.logged("microphone_closed")
        assert (closed.reason, closed.lost_s) == ("over", 0.0)
        assert closed.duration_s == pytest.approx(stored.duration_s, abs=0.01)
        await room.no_tape_left()
        assert check_recordings(room.log, content=True).lines() == []
        assert room.page.kinds()[-1] == "over"

    run(tmp_path, test)


def test_who_speaks_into_the_answer_stops_it_at_once(tmp_path: Path) -> None:
    async def test(room: Room) -> None:
        Whispered.words = ["stop"]
        page = await room.connect()
        await room.hear_until(lambda: page.waiting.size > 0, "the greeting never came")
        await room.hear(frames_of(SPEECH)[:30])
        await room.hear_until(lambda: "stop" in page.kinds(), "it was not stopped")
        assert page.waiting.size == 0
        assert sum(len(one) for one in page.played) < 16_000
        await room.hear(PAUSE)
        (turn,) = await room.logged("user_turn_sent")
        assert turn.barge_in

    run(tmp_path, test)


def test_the_page_is_told_what_goes_on(tmp_path: Path) -> None:
    async def test(room: Room) -> None:
        await talk_once(room)
        doings = [facts["doing"] for kind, facts in room.page.told if kind == "doing"]
        assert doings[0] == "listening"
        assert [one for one in doings if one != "listening"][:2] == ["hearing", "thinking"]
        assert doings[-1] == "listening"

    run(tmp_path, test)


def test_a_dropped_connection_costs_only_what_was_said_meanwhile(tmp_path: Path) -> None:
    async def test(room: Room) -> None:
        Whispered.words = ["one", "two"]
        await room.connect()
        await room.spoken(1)
        room.system.gate = asyncio.Event()
        await room.hear([*frames_of(SPEECH), *PAUSE])
        room.drop()
        await asyncio.sleep(3.0)
        room.system.gate.set()
        await asyncio.sleep(4.0)
        assert len(room.events("system_turn_received")) == 2, "the answer came meanwhile"
        assert not room.events("dialogue_ended")
        page = await room.connect()
        await room.spoken(2)
        assert sum(len(one) for one in page.played) == 16_000, "the answer waited for the connection"
        (lost,) = await room.logged("microphone_lost")
        assert lost.lost_s == 7.0
        assert 1.0 < lost.at_s < room.talk.leg.seconds - 7.0 + 0.05
        await room.hear([*frames_of(SPEECH), *PAUSE])
        await room.spoken(3)
        assert [one.text for one in room.events("user_turn_sent")] == ["one", "two"]
        assert len(room.events("microphone_opened")) == 1
        await room.engine.end_dialogue(room.visit_id, room.dialogue_id)
        (stored,) = await room.logged("recording_stored")
        (closed,) = await room.logged("microphone_closed")
        assert closed.lost_s == 7.0
        assert stored.duration_s > 7.0

    run(tmp_path, test)


def test_a_recording_is_as_long_as_the_clock_says_though_the_page_got_no_sound_for_a_while(
    tmp_path: Path,
) -> None:
    async def test(room: Room) -> None:
        opened_s = room.engine.clock.monotonic_s()
        Whispered.words = ["good morning", "again"]
        await room.connect()
        await room.spoken(1)
        await room.hear([*frames_of(SPEECH), *PAUSE])
        stalled_s = room.talk.leg.seconds
        await asyncio.sleep(2.5)
        room.page.stall(2_500)
        await room.spoken(2)
        await room.hear([*frames_of(SPEECH), *PAUSE])
        await room.spoken(3)
        passed_s = room.engine.clock.monotonic_s() - opened_s
        await room.engine.end_dialogue(room.visit_id, room.dialogue_id)
        (stored,) = await room.logged("recording_stored")
        assert stored.duration_s == pytest.approx(passed_s, abs=2 * FRAME_S)
        (stalled,) = room.events("microphone_stalled")
        assert (stalled.at_s, stalled.lost_s) == (pytest.approx(stalled_s, abs=FRAME_S), 2.5)
        (closed,) = await room.logged("microphone_closed")
        assert closed.lost_s == 2.5

    run(tmp_path, test)


def test_speech_that_a_broken_connection_cut_short_is_understood_all_the_same(
    tmp_path: Path,
) -> None:
    async def test(room: Room) -> None:
        Whispered.words = ["good morn"]
        await room.connect()
        await room.spoken(1)
        await room.hear(frames_of(SPEECH)[:60])
        room.drop()
        assert room.talk is not None
        (turn,) = await room.logged("user_turn_sent")
        assert turn.text == "good morn"

    run(tmp_path, test)


def test_who_stays_away_finds_the_dialogue_where_it_was(tmp_path: Path) -> None:
    async def test(room: Room) -> None:
        await talk_once(room)
        room.drop()
        await asyncio.sleep(GONE_S + 1.0)
        (closed,) = room.events("microphone_closed")
        assert closed.reason == "gone"
        (stored,) = room.events("recording_stored")
        assert not room.events("dialogue_ended")
        await asyncio.sleep(99.0 - GONE_S)
        await room.connect()
        await room.spoken(3)
        assert Hummed.texts[-1] == "You said: good morning", "the last thing said is said again"
        opened = room.events("microphone_opened")
        assert [one.again for one in opened] == [False, True]
        ended_s = stored.started_s + stored.duration_s
        Whispered.words = ["again"]
        await room.hear([*frames_of(SPEECH), *PAUSE])
        await room.spoken(4)
        assert len(room.events("user_turn_sent")) == 2
        await room.engine.end_dialogue(room.visit_id, room.dialogue_id)
        later = (await room.logged("recording_stored", 2))[1]
        assert later.started_s - ended_s == pytest.approx(opened[1].lost_s, abs=FRAME_S)
        settled_s = room.talk.leg.settle_s
        assert opened[1].lost_s == pytest.approx(100.0 - settled_s, abs=FRAME_S), (
            "that is recorded as silence"
        )

    run(tmp_path, test)


def test_a_second_tab_takes_the_dialogue_over_and_the_first_is_told(tmp_path: Path) -> None:
    async def test(room: Room) -> None:
        first = await room.connect()
        await room.spoken(1)
        second = await room.connect()
        assert first.kinds()[-1] == "superseded"
        assert room.events("microphone_lost") == [], "nothing was lost in between"
        assert second.kinds()[0] == "hello"
        await room.hear([SILENCE])

    run(tmp_path, test)


def test_one_microphone_too_many_is_refused_and_so_is_a_dialogue_that_is_over(tmp_path: Path) -> None:
    async def test(room: Room) -> None:
        await room.connect()
        other = (await room.engine.open_visit(language="en")).visit_id
        await room.engine.give_consent(other, 0, agreed=True, document="d")
        await room.engine.read_page(other, 1)
        dialogue = (await room.engine.state(other)).dialogue
        assert dialogue is not None
        with pytest.raises(Refused, match="full"):
            await room.microphones.connect(other, dialogue.dialogue_id, Page())
        with pytest.raises(Refused, match="not_running"):
            await room.microphones.connect(other, "dialogue-of-nobody", Page())

    run(tmp_path, test, max_concurrency=1)


def test_silence_is_asked_about_but_does_not_end_the_dialogue(tmp_path: Path) -> None:
    async def test(room: Room) -> None:
        await room.connect()
        await room.spoken(1)
        await room.spoken(3)
        await room.hear([SILENCE] * 600)
        assert Hummed.texts[1:] == ["Are you still there?"] * 2
        assert len(room.events("silence_prompted")) == 2
        assert not room.events("dialogue_ended")

    run(tmp_path, test, silence_s=3)


def test_a_service_that_closes_while_somebody_talks_still_gets_to_work(tmp_path: Path) -> None:
    async def test(room: Room) -> None:
        await talk_once(room)
        room.engine.wake()
        await asyncio.sleep(0.01)  # whoever asked for news again at once would let nobody else work
        await room.microphones.stop()
        (closed,) = room.events("microphone_closed")
        assert closed.reason == "stopped"
        assert not room.events("dialogue_ended")

    run(tmp_path, test)


def test_the_next_process_makes_a_recording_of_what_a_crash_left(tmp_path: Path) -> None:
    left: dict[str, Any] = {}

    async def crash(room: Room) -> None:
        await talk_once(room)
        assert room.talk is not None and room.talk.tape is not None and room.talk.task is not None
        await asyncio.sleep(2.5)
        room.page.stall(2_500)
        await room.hear(PAUSE)
        await asyncio.to_thread(room.talk.tape.flush)
        left["seconds"] = room.talk.leg.seconds
        left["visit"], left["dialogue"] = room.visit_id, room.dialogue_id
        room.talk.task.cancel()  # as a killed process: nothing is done after it
        await asyncio.gather(room.talk.task, return_exceptions=True)
        assert len(tapes_in(folder_of(room.log))) == 1

    async def next_process(room: Room) -> None:
        room.visit_id, room.dialogue_id = left["visit"], left["dialogue"]
        (stored,) = room.events("recording_stored")
        assert stored.duration_s == pytest.approx(left["seconds"], abs=0.01)
        assert (room.sound(stored)[:, 0] == LOUD).sum() == 2 * 16_000
        (closed,) = room.events("microphone_closed")
        assert (closed.reason, closed.lost_s) == ("failure", 2.5)
        assert tapes_in(folder_of(room.log)) == []
        await room.connect()
        await room.spoken(3)
        assert Hummed.texts[-1] == "You said: good morning"
        assert room.events("microphone_opened")[-1].again

    run(tmp_path, crash)
    said = list(Hummed.texts)

    async def with_texts(room: Room) -> None:
        Hummed.texts = said
        await next_process(room)

    run(tmp_path, with_texts)
    run(tmp_path, lambda room: asyncio.sleep(0))  # and once more nothing is left to do


def test_who_erases_a_participant_erases_what_a_crash_left_and_what_goes_on(tmp_path: Path) -> None:
    async def test(room: Room) -> None:
        await talk_once(room)
        assert room.talk is not None and room.talk.tape is not None
        await asyncio.to_thread(room.talk.tape.flush)
        (visit,) = room.log.visits("city")
        (tape,) = tapes_of(room.log, "city").pop(visit.participant_id)
        assert tapes_of(room.log, "another") == {}
        tape.unlink()
        await room.engine.end_dialogue(room.visit_id, room.dialogue_id)
        (closed,) = await room.logged("microphone_closed")
        assert closed.duration_s == 0.0
        assert room.events("recording_stored") == []
        assert folder_of(room.log).names() == set()

    run(tmp_path, test)


def test_the_sound_of_who_takes_part_no_more_is_not_kept(tmp_path: Path) -> None:
    async def test(room: Room) -> None:
        await talk_once(room)
        assert room.talk is not None and room.talk.tape is not None
        await asyncio.to_thread(room.talk.tape.flush)  # else there may be no tape yet
        await room.engine.withdraw(room.visit_id)

        async def over() -> bool:
            return "over" in room.page.kinds()

        await eventually_there(over, "the page was not told")
        await room.no_tape_left()
        assert room.events("recording_stored") == []
        assert folder_of(room.log).names() == set()

    run(tmp_path, test)
