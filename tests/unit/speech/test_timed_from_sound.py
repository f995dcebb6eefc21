"""Spoken dialogues timed from their recordings, with what the service itself cut and played."""

import asyncio
from pathlib import Path

import pytest

from scenes.open_page import frames_of
from scenes.talking_room import PAUSE, SPEECH, Room, run
from scenes.whispering import Hummed, Whispered
from vivavoce.audio.sound import Sound
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.timing import recorded_dialogues, time_from_sound
from vivavoce.log.export import export_dataset
from vivavoce.log.soundtrack import dialogue_recordings, soundtrack
from vivavoce.measures.compute import components
from vivavoce_speech.browser.browser_leg import FRAME_S

SPOKEN_S = len(SPEECH) / 16_000


@pytest.fixture(autouse=True)
def spoken_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Hummed, "hum", Sound(SPEECH, 16_000))


async def ended(room: Room, folder: Path) -> Dataset:
    await room.engine.end_dialogue(room.visit_id, room.dialogue_id)
    await room.logged("microphone_closed")
    return export_dataset(room.log, "city", folder / "dataset", audio=True)


def test_two_utterances_before_a_slow_answer_are_two_turns_each_at_its_time(tmp_path: Path) -> None:
    said_s: list[float] = []

    async def say(room: Room) -> None:
        said_s.append(room.talk.leg.seconds)
        await room.hear([*frames_of(SPEECH), *PAUSE])

    async def test(room: Room) -> None:
        Whispered.words = ["one", "two", "three"]
        await room.connect()
        await room.spoken(1)
        room.system.gate = asyncio.Event()
        await say(room)
        await say(room)
        room.system.gate.set()
        await room.spoken(3)
        await room.hear(PAUSE)
        await say(room)
        await room.spoken(4)
        await room.hear_until(lambda: len(Hummed.texts) > 4, "no silence was asked about")
        await room.spoken(5)
        dataset = await ended(room, tmp_path)
        logged = [one for one in dataset.read("turns").to_pylist() if one["party"] == "user"]
        assert [one["sent_s"] for one in logged] == [None] * 3, "that is when it was recognised"
        timed, (told,) = time_from_sound(dataset, recorded_dialogues(dataset), tmp_path / "timed")
        assert (told.logged, told.spoken, told.timed, told.besides) == (7, 7, 7, 1)
        assert (told.cut, told.strange, told.missing) == (True, 0, {})
        rows = timed.read("turns").to_pylist()
        began_s = room.events("recording_stored")[0].started_s
        for row, before, at_s in zip(
            [one for one in rows if one["party"] == "user"], logged, said_s, strict=True
        ):
            assert row["onset_s"] == pytest.approx(began_s + at_s, abs=0.1)
            assert row["offset_s"] == pytest.approx(began_s + at_s + SPOKEN_S, abs=0.15)
            assert before["onset_s"] == pytest.approx(row["onset_s"], abs=0.15)
            assert before["offset_s"] == pytest.approx(row["offset_s"], abs=0.15)
        answers = [one for one in rows if one["party"] == "system"]
        assert answers[1]["onset_s"] > rows[3]["offset_s"], "the first answer came after the second utterance"
        assert all(one["offset_s"] - one["onset_s"] < SPOKEN_S + 0.2 for one in answers)
        (recording,) = dialogue_recordings(room.log, room.dialogue_id)
        drawn = soundtrack(room.log, room.dialogue_id, recording)["turns"]
        assert sorted(one["turn_index"] for one in drawn if one["turn_index"] is not None) == list(range(7))
        assert [one["turn_index"] for one in drawn][-1] is None, "the question in the silence is no turn"

    run(tmp_path, test, silence_s=3)


def test_delays_in_the_log_count_from_the_end_of_speech_to_the_sound_of_the_answer(tmp_path: Path) -> None:
    async def test(room: Room) -> None:
        Whispered.words = ["one"]
        await room.connect()
        await room.spoken(1)
        room.system.gate = asyncio.Event()
        await room.hear([*frames_of(SPEECH), *PAUSE])
        waited_s = len(PAUSE) * FRAME_S
        room.system.gate.set()
        await room.spoken(2)
        dataset = await ended(room, tmp_path)
        parts = components(dataset, ["system_response_delay"])
        assert parts["numerator"].sum() == pytest.approx(waited_s, abs=0.2)
        utterances = dataset.read("utterances").to_pylist()
        assert [(one["party"], one["turn_index"], one["content"], one["source"]) for one in utterances] == [
            ("system", 0, "turn", "playback"),
            ("user", 1, "turn", "endpointing"),
            ("system", 2, "turn", "playback"),
        ]

    run(tmp_path, test)


def test_speech_that_nobody_understood_and_the_words_about_it_are_no_turns(tmp_path: Path) -> None:
    async def test(room: Room) -> None:
        Whispered.words = ["", "one"]
        await room.connect()
        await room.spoken(1)
        await room.hear([*frames_of(SPEECH), *PAUSE])
        await room.spoken(2)
        await room.hear([*PAUSE, *frames_of(SPEECH), *PAUSE])
        await room.spoken(3)
        dataset = await ended(room, tmp_path)
        contents = [one["content"] for one in dataset.read("utterances").to_pylist()]
        assert contents == ["turn", "missed", "not_heard", "turn", "turn"]
        _, (told,) = time_from_sound(dataset, recorded_dialogues(dataset), tmp_path / "timed")
        assert (told.logged, told.timed, told.besides, told.strange) == (3, 3, 2, 0)

    run(tmp_path, test)
