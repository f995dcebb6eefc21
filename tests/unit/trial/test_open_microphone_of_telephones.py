"""An open microphone before a system that is a telephone number: it is called, and both hear each other."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scenes.open_page import SILENCE, Page, frames_of
from scenes.own_time import OwnClock, run_in_own_time
from scenes.patience import eventually_there
from scenes.speaking import SPEECH, likeness
from scenes.visits import make_study
from scenes.whispering import Hummed, Whispered
from vivavoce.audio.files import read_tracks
from vivavoce.audio.sound import Sound
from vivavoce.connectors.base import called_system
from vivavoce.connectors.factory import make_connector
from vivavoce.core.errors import SystemUnderTestError
from vivavoce.languages.data import phrase
from vivavoce.log.recordings import check_recordings, folder_of
from vivavoce.log.store import Log
from vivavoce.study.model import DialogueStep, Nontrivial, Range
from vivavoce.study.voice import Voice
from vivavoce.trial.engine import SessionEngine
from vivavoce_speech.browser.browser_leg import FRAME_S
from vivavoce_speech.browser.open_microphone import Microphones
from vivavoce_speech.dialogue.voice_turns import Voices
from vivavoce_speech.telephony.leg import PhoneLeg
from vivavoce_speech.telephony.outgoing_calls import PhoneSettings

HOTLINE = {"connect": "phone", "number": "sip:hotline@127.0.0.1:5070"}
MOST_FRAMES = 3000  # of silence, until what is waited for counts as never coming: a minute
NARROW = SPEECH.at(8000).samples


class Ringing:
    """Who makes calls: the test answers them, or nobody does."""

    def __init__(self, *, away: bool) -> None:
        self.away, self.legs = away, list[PhoneLeg]()

    async def call(self, settings: PhoneSettings, password: str | None) -> PhoneLeg:
        if self.away:
            raise SystemUnderTestError("timeout", "nobody answers")
        self.legs.append(PhoneLeg("call-system", "", settings.number, "test"))
        return self.legs[0]

    async def ask(self, settings: PhoneSettings) -> str:
        return "there"

    async def stop(self) -> None: ...


class Room:
    """A page and a telephone on one clock."""

    def __init__(self, engine: SessionEngine, log: Log, line: Ringing) -> None:
        self.engine, self.log, self.line = engine, log, line
        self.microphones, self.page = Microphones(engine, Voices(engine.study)), Page()
        self.visit_id = self.dialogue_id = ""
        self.heard: list[np.ndarray] = []

    async def begin(self) -> None:
        self.visit_id = (await self.engine.open_visit(language="en")).visit_id
        self.dialogue_id = (await self.engine.state(self.visit_id)).dialogues[-1].dialogue_id
        await eventually_there(lambda: self.events("silence_kept"), "the dialogue was not opened")
        self.talk = await self.microphones.connect(self.visit_id, self.dialogue_id, self.page)

    async def pass_on(self, frames: list[np.ndarray], answer: np.ndarray | None = None) -> None:
        """Speak into the microphone; meanwhile the system says something."""
        for number, said in enumerate(frames):
            await asyncio.sleep(FRAME_S)
            self.talk.leg.take(self.page.frame(said))
            for leg in self.line.legs:
                if answer is not None:
                    leg.take_sound(answer[160 * number : 160 * (number + 1)])
                self.heard.append(leg.beat())

    async def until(self, holds: Callable[[], Any], what: str) -> None:
        for _ in range(MOST_FRAMES):
            await self.pass_on([SILENCE])
            if holds():
                return
        raise AssertionError(what)

    async def answered(self) -> PhoneLeg:
        await self.until(lambda: self.events("system_called"), "the system was not called")
        return self.line.legs[0]

    def events(self, kind: str) -> list[Any]:
        return [one.event for one in self.log.events(self.visit_id) if one.event.kind == kind]


def talk(folder: Path, test: Callable[[Room], Awaitable[None]], *, away: bool = False, **voice: Any) -> None:
    Whispered.words, Hummed.texts = ["a table"], []
    step = DialogueStep(
        repeat=Range(min=1, max=1), gate="dialogue", channel="voice", nontrivial=Nontrivial(user_turns=1)
    )
    told = Voice(recogniser="whispered", synthesiser="hummed", microphone="open", **voice)
    study = make_study(folder, visit=(step,), systems={"hotline": HOTLINE}, voice=told)
    connector, line = make_connector(HOTLINE), Ringing(away=away)
    phone = called_system(connector)
    assert phone is not None
    phone.line = line

    async def run() -> None:
        clock = OwnClock()
        with Log.open(f"sqlite:///{folder / 'log.sqlite'}", clock=clock) as log:
            engine = SessionEngine(study, log, {"hotline": connector}, clock=clock)
            await engine.start()
            room = Room(engine, log, line)
            try:
                await room.begin()
                await test(room)
            finally:
                await room.microphones.stop()
                await engine.stop()

    run_in_own_time(run())


def test_page_and_telephone_hear_each_other_and_the_log_knows_who_spoke(tmp_path: Path) -> None:
    async def test(room: Room) -> None:
        leg = await room.answered()
        room.page.played.clear()
        said = [*frames_of(SPEECH.samples), *[SILENCE] * 60]
        await room.pass_on(said)
        await room.pass_on([SILENCE] * len(said), NARROW)
        await room.until(lambda: len(room.events("speech_heard")) == 2, "nobody heard them")
        leg.ended("caller")  # the system hangs up
        await room.until(lambda: room.events("recording_stored"), "the recording was never kept")
        assert [one.party for one in room.events("speech_heard")] == ["user", "system"]
        (ended,) = room.events("dialogue_ended")
        assert (ended.reason, ended.user_turns) == ("system", 1)
        assert Hummed.texts == [phrase("connecting", "en")]
        assert ("doing", {"doing": "listening"}) in room.page.told
        assert likeness(Sound(np.concatenate(room.heard), 8000), SPEECH) > 0.9
        assert likeness(Sound(np.concatenate(room.page.played), 16_000), SPEECH) > 0.9
        (stored,) = room.events("recording_stored")
        tracks = read_tracks(folder_of(room.log).file(stored.file))
        assert (stored.content, stored.speakers) == ("dialogue", ["system", "user"])
        assert likeness(tracks.channel(0), SPEECH) > 0.9 and likeness(tracks.channel(1), SPEECH) > 0.9
        assert check_recordings(room.log, content=True).lines() == []

    talk(tmp_path, test)


@pytest.mark.parametrize(("reason", "ended_as"), [("left", "user"), ("gone", "abandoned")])
def test_when_the_page_leaves_the_call_is_over_and_so_is_the_dialogue(
    reason: Any, ended_as: str, tmp_path: Path
) -> None:
    async def test(room: Room) -> None:
        leg = await room.answered()
        room.talk.leave(reason)
        await eventually_there(lambda: room.events("dialogue_ended"), "the dialogue went on")
        await eventually_there(leg.over.is_set, "nobody hung up")
        assert [one.reason for one in room.events("dialogue_ended")] == [ended_as]

    talk(tmp_path, test)


def test_who_reaches_nobody_is_told_so_and_the_dialogue_failed(tmp_path: Path) -> None:
    async def test(room: Room) -> None:
        await room.until(lambda: room.events("dialogue_ended"), "it rang for ever")
        await room.until(lambda: room.events("microphone_closed"), "the microphone stayed open")
        assert Hummed.texts == [phrase("connecting", "en"), phrase("nobody_there", "en")]
        assert [one.reason for one in room.events("dialogue_ended")] == ["failure"]
        assert [one.failure for one in room.events("system_turn_failed")] == ["timeout"]

    talk(tmp_path, test, away=True)


def test_the_participants_words_are_read_afterwards_where_the_study_asks(tmp_path: Path) -> None:
    async def test(room: Room) -> None:
        leg = await room.answered()
        await room.pass_on([*frames_of(SPEECH.samples), *[SILENCE] * 60])
        await room.until(lambda: room.events("speech_heard"), "nobody heard it")
        leg.ended("caller")
        await room.until(lambda: room.events("turn_recognised"), "nobody read it")
        (read,) = room.events("turn_recognised")
        assert read.heard[0].text == "a table"

    talk(tmp_path, test, recognise_for_log=True)
