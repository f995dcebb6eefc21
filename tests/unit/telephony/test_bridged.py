"""Dialogues with a system that is a telephone number: both are heard, both can hang up, no word is read."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scenes.own_time import OwnClock, run_in_own_time
from scenes.patience import PATIENCE_S, eventually_there
from scenes.told import SPEECH, Told, Written
from scenes.visits import make_study
from vivavoce.audio.files import read_tracks
from vivavoce.audio.sound import Sound
from vivavoce.connectors.base import Conversation, UserTurn, called_system
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.probe import hello
from vivavoce.core.errors import InputError, SystemUnderTestError
from vivavoce.languages.data import phrase, spoken_digits
from vivavoce.log.export import export_dataset
from vivavoce.log.recordings import folder_of
from vivavoce.log.soundtrack import dialogue_recordings, soundtrack
from vivavoce.log.store import Log
from vivavoce.study.model import DialogueStep, Nontrivial, Range
from vivavoce.study.telephone import Telephone
from vivavoce.trial.engine import SessionEngine
from vivavoce_speech.telephony.leg import FRAME, FRAME_S, PhoneLeg
from vivavoce_speech.telephony.outgoing_calls import PhoneSettings
from vivavoce_speech.telephony.switchboard import Switchboard

NUMBER = "sip:hotline@127.0.0.1:5070"
FRAMES = [SPEECH.at(8000).samples[start : start + FRAME] for start in range(0, 16_000, FRAME)]


class TestLine:
    """Who makes calls: it gives out the leg that a test plays, or fails as it is told."""

    __test__ = False

    def __init__(self) -> None:
        self.problem: SystemUnderTestError | None = None
        self.answers = asyncio.Event()
        self.answers.set()
        self.calls: list[PhoneLeg] = []
        self.taken_back = False

    async def call(self, settings: PhoneSettings, password: str | None) -> PhoneLeg:
        if self.problem is not None:
            raise self.problem
        try:
            await self.answers.wait()
        except asyncio.CancelledError:
            self.taken_back = True
            raise
        leg = PhoneLeg(f"call-system-{len(self.calls)}", "", settings.number, "test")
        self.calls.append(leg)
        return leg

    async def ask(self, settings: PhoneSettings) -> str:
        if self.problem is not None:
            raise self.problem
        return "there"

    async def stop(self) -> None: ...


class Laboratory:
    """A visit that waits for a call, two ends of which a test plays, at a multiple of speed."""

    def __init__(self, engine: SessionEngine, switchboard: Switchboard, log: Log, line: TestLine) -> None:
        self.engine, self.switchboard, self.log, self.line = engine, switchboard, log, line
        self.visit_id = self.pin = ""
        self.legs: list[PhoneLeg] = []
        self.said: dict[PhoneLeg, list[np.ndarray]] = {}
        self._clock = asyncio.create_task(self._beat())

    async def open_visit(self) -> None:
        self.visit_id = (await self.engine.open_visit(language="en")).visit_id
        await self.engine.give_consent(self.visit_id, 0, agreed=True, document="d")
        await self.engine.read_page(self.visit_id, 1)
        dialogue = (await self.engine.state(self.visit_id)).dialogue
        assert dialogue is not None and dialogue.pin is not None
        self.pin = dialogue.pin

    def call(self) -> tuple[PhoneLeg, "asyncio.Task[None]"]:
        leg = PhoneLeg(f"call-{len(self.legs)}", "555", self.pin, "test")
        self.legs.append(leg)

        async def until_hung_up() -> None:
            await self.switchboard.take(leg)
            await leg.hang_up()

        return leg, asyncio.create_task(until_hung_up())

    async def connected(self) -> tuple[PhoneLeg, PhoneLeg, "asyncio.Task[None]"]:
        leg, call = self.call()
        await eventually_there(lambda: self.events("system_called"), "the system was not called")
        return leg, self.line.calls[-1], call

    async def _beat(self) -> None:
        """One clock for all legs, each with what it says."""
        while True:
            for leg in (*self.legs, *self.line.calls):
                if not leg.over.is_set():
                    if self.said.get(leg):
                        leg.take_sound(self.said[leg].pop(0))
                    leg.beat()
            await asyncio.sleep(FRAME_S)

    async def say(self, leg: PhoneLeg) -> None:
        """Speak for two seconds, then be silent for one."""
        before = len(self.events("speech_heard"))
        self.said[leg] = [*FRAMES, *([np.zeros(FRAME, np.int16)] * 50)]
        await eventually_there(lambda: not self.said[leg] or leg.over.is_set(), "nobody listens")
        await eventually_there(lambda: len(self.events("speech_heard")) > before, "nobody heard it")

    async def an_exchange(self, leg: PhoneLeg, system: PhoneLeg) -> None:
        await self.say(leg)
        await self.say(system)

    def events(self, kind: str) -> list[Any]:
        return [one.event for one in self.log.events(self.visit_id) if one.event.kind == kind]

    async def stop(self) -> None:
        self._clock.cancel()
        await asyncio.gather(self._clock, return_exceptions=True)


def with_hotline(
    folder: Path, work: Callable[[Laboratory], Awaitable[None]], *, recognise: bool = False, **limits: Any
) -> None:
    Told.words, Written.texts = [], []
    step = DialogueStep(
        repeat=Range(min=1, max=3), gate="code", nontrivial=Nontrivial(user_turns=1), channel="phone"
    )
    study = make_study(folder)
    telephone = Telephone.model_validate(
        {
            "number": "100",
            "recogniser": "told",
            "synthesiser": "written",
            "listen": "127.0.0.1:0",
            "recognise_for_log": recognise,
        }
    )
    systems = {"hotline": {"connect": "phone", "number": NUMBER}}
    study = study.model_copy(
        update={
            "visit": tuple(step if isinstance(one, DialogueStep) else one for one in study.visit),
            "telephone": telephone,
            "systems": systems,
            "limits": study.limits.model_copy(update=limits),
        }
    )

    async def run() -> None:
        connector = make_connector(systems["hotline"], {})
        phone, line = called_system(connector), TestLine()
        assert phone is not None
        phone.line = line
        clock = OwnClock()
        with Log.open(f"sqlite:///{folder / 'log.sqlite'}", clock=clock) as log:
            engine = SessionEngine(study, log, {"hotline": connector}, clock=clock)
            await engine.start()
            lab = Laboratory(engine, Switchboard(engine, telephone), log, line)
            await lab.open_visit()
            try:
                await asyncio.wait_for(work(lab), 2 * PATIENCE_S)
            finally:
                await lab.stop()
                await engine.stop()

    run_in_own_time(run())


def test_both_are_heard_the_system_hangs_up_and_the_code_is_spoken(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        leg, system, call = await lab.connected()
        assert phrase("connecting", "en") in Written.texts
        await lab.an_exchange(leg, system)
        system.ended("caller")
        await call
        assert [one.party for one in lab.events("speech_heard")] == ["user", "system"]
        (ended,) = lab.events("dialogue_ended")
        assert (ended.reason, ended.user_turns) == ("system", 1)
        (issued,) = lab.events("code_issued")
        spelt = phrase("code", "en", code=spoken_digits(issued.code, "en"))
        assert Written.texts.count(spelt) == 2
        assert (await lab.engine.enter_code(lab.visit_id, issued.code)).accepted

    with_hotline(tmp_path, work)


def test_each_party_has_a_channel_of_the_recording_and_hears_the_other(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        leg, system, call = await lab.connected()
        began = len(leg._recorded) * FRAME
        for one, hertz in ((leg, 440), (system, 1000)):
            times = np.arange(FRAME * 100) / 8000
            lab.said[one] = list(
                (8000 * np.sin(2 * np.pi * hertz * times)).astype(np.int16).reshape(-1, FRAME)
            )
        await eventually_there(lambda: not any(lab.said.values()), "nobody listens")
        leg.ended("caller")
        await call
        (kept,) = lab.log.recordings()
        tracks = read_tracks(folder_of(lab.log).file(kept.file))
        assert list(kept.speakers) == ["system", "user"]
        heard = {party: pitch(tracks.channel(party).samples[began:]) for party in (0, 1)}
        assert heard == {0: pytest.approx(1000, abs=5), 1: pytest.approx(440, abs=5)}
        assert pitch(system.recording().channel(0).samples) == pytest.approx(440, abs=5)

    with_hotline(tmp_path, work)


def pitch(samples: np.ndarray) -> float:
    loud = samples[np.abs(samples) > 50].size
    assert loud > FRAME * 50, "it was hardly heard"
    spectrum = np.abs(np.fft.rfft(samples.astype(float)))
    return float(np.argmax(spectrum) * 8000 / len(samples))


def test_a_lag_between_the_two_is_caught_up_with_in_silence(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        leg, system, call = await lab.connected()
        system.play(Sound(np.ones(2400, np.int16), 8000))  # what was left over when a machine stood still
        assert system.waiting_s >= 0.3
        await eventually_there(lambda: system.waiting_s < 0.1, "it goes on to lag")
        leg.ended("caller")
        await call

    with_hotline(tmp_path, work)


def test_who_hangs_up_first_ends_the_call_of_the_other_and_no_answer_earns_no_code(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        leg, system, call = await lab.connected()
        await lab.say(system)
        leg.ended("caller")
        await call
        assert system.ended_by == "platform"
        (ended,) = lab.events("dialogue_ended")
        assert (ended.reason, ended.user_turns) == ("user", 0)
        assert lab.events("code_issued") == []

    with_hotline(tmp_path, work)


def test_keys_go_through_to_the_system(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        leg, system, call = await lab.connected()
        pressed: list[str] = []
        system.press = pressed.append  # type: ignore[method-assign]
        for key in "12#":
            leg.take_key(key)
        await eventually_there(lambda: "".join(pressed) == "12#", "the keys did not come")
        leg.ended("caller")
        await call
        assert lab.events("call_ended")[0].keys == "12#"

    with_hotline(tmp_path, work)


def test_a_system_that_is_not_reached_is_told_of_and_the_next_call_tries_again(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        lab.line.problem = SystemUnderTestError("refused", "busy: 486 Busy Here")
        _, call = lab.call()
        await call
        assert phrase("system_away", "en") in Written.texts
        (failed,) = lab.events("system_turn_failed")
        assert failed.detail == "busy: 486 Busy Here"
        assert lab.events("dialogue_ended")[0].reason == "failure"
        lab.line.problem = None
        leg, system, call = await lab.connected()
        await lab.an_exchange(leg, system)
        leg.ended("caller")
        await call
        assert len(lab.events("code_issued")) == 1

    with_hotline(tmp_path, work)


def test_who_hangs_up_while_it_rings_stops_the_ringing(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        lab.line.answers.clear()
        leg, call = lab.call()
        await eventually_there(lambda: lab.events("dialogue_opened"), "it does not ring")
        leg.ended("caller")
        await call
        await eventually_there(lambda: lab.line.taken_back or not lab.line.calls, "it still rings")
        assert lab.line.calls == []
        assert lab.events("dialogue_ended")[0].reason == "user"

    with_hotline(tmp_path, work)


def test_a_dialogue_of_as_many_turns_as_it_may_have_is_ended(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        leg, system, call = await lab.connected()
        await lab.an_exchange(leg, system)
        assert not lab.events("dialogue_ended")
        await lab.an_exchange(leg, system)
        await call
        (ended,) = lab.events("dialogue_ended")
        assert (ended.reason, ended.limit, ended.user_turns) == ("limit", "turns", 2)
        assert system.ended_by == "platform"
        assert len(lab.events("code_spoken")) == 1

    with_hotline(tmp_path, work, user_turns=2)


def test_the_dataset_has_turns_with_times_and_without_words(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        leg, system, call = await lab.connected()
        await lab.an_exchange(leg, system)
        await lab.say(leg)
        leg.ended("caller")
        await call
        dataset = export_dataset(lab.log, lab.engine.study.name, tmp_path / "dataset")
        turns = dataset.read("turns").to_pylist()
        assert [turn["party"] for turn in turns] == ["user", "system", "user"]
        assert all(turn["text"] is None and turn["reference"] is None for turn in turns)
        assert all(1.5 < turn["offset_s"] - turn["onset_s"] < 2.5 for turn in turns)
        (dialogue,) = dataset.read("dialogues").to_pylist()
        assert dialogue["channel"] == "phone"
        assert dialogue["duration_s"] == pytest.approx(turns[-1]["offset_s"] - turns[0]["onset_s"])
        (recording,) = dialogue_recordings(lab.log, dialogue["dialogue_id"])
        drawn = soundtrack(lab.log, dialogue["dialogue_id"], recording)
        assert {turn["party"] for turn in drawn["turns"]} == {"user", "system"}
        assert all(turn["text"] is None for turn in drawn["turns"])

    with_hotline(tmp_path, work)


def test_where_the_study_wants_it_the_participants_turns_are_read_for_the_log_alone(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        Told.words[:] = ["a table for two", "thank you"]
        leg, system, call = await lab.connected()
        await lab.say(system)
        await lab.an_exchange(leg, system)
        await lab.say(leg)
        system.ended("caller")
        await call
        dataset = export_dataset(lab.log, lab.engine.study.name, tmp_path / "dataset")
        turns = dataset.read("turns").to_pylist()
        assert [turn["party"] for turn in turns] == ["system", "user", "system", "user"]
        assert all(turn["text"] is None for turn in turns)
        best = [one for one in dataset.read("hypotheses").to_pylist() if one["rank"] == 0]
        assert [(one["turn_index"], one["source"], one["text"]) for one in best] == [
            (1, "log", "a table for two"),
            (3, "log", "thank you"),
        ]

    with_hotline(tmp_path, work, recognise=True)


def connector(**settings: Any) -> Any:
    return make_connector({"connect": "phone", "number": NUMBER, **settings}, {"SECRET": "s3cret"})


def test_a_hello_asks_the_number_and_does_not_ring() -> None:
    async def run() -> None:
        one, line = connector(), TestLine()
        found = called_system(one)
        assert found is not None
        found.line = line
        told = await hello(one, reset=True)
        assert (told.ok, told.text, line.calls) == (True, "there", [])
        line.problem = SystemUnderTestError("unreachable", "no answer", reached=False)
        told = await hello(one)
        assert (told.ok, told.reachable, told.problem) == (False, False, "unreachable: no answer")

    run_in_own_time(run())


def test_a_text_is_told_that_it_needs_a_telephone() -> None:
    async def run() -> None:
        one = connector(password="${SECRET}", username="lab")
        conversation = Conversation("key")
        assert [output async for output in one.open(conversation)] == []
        with pytest.raises(SystemUnderTestError, match="channel: phone"):
            async for _ in one.send(conversation, UserTurn(key="1", number=1, text="hello")):
                pass

    run_in_own_time(run())


def test_settings_that_make_no_call_are_refused() -> None:
    for settings in [
        {"number": "call me"},
        {"number": "http://x"},
        {"exchange": "nowhere"},
        {"password": "plain"},
        {"caller_id": "a b"},
        {"keys": "12x"},
    ]:
        with pytest.raises(InputError, match=next(iter(settings))):
            connector(**settings)
