"""Systems that listen and speak by themselves: what they hear, what is heard of them, what the log holds."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scenes.connecting import PATIENT
from scenes.counterparts import Counterparts
from scenes.patience import eventually_there
from scenes.speaking import (
    SAME_WORDS,
    SPEECH,
    FastLeg,
    Singer,
    likeness,
    loudness_at,
    same_words,
)
from scenes.visits import make_study
from vivavoce.audio.files import read_sound
from vivavoce.audio.recognition import Hypothesis
from vivavoce.audio.sound import Sound
from vivavoce.connectors.factory import make_connector
from vivavoce.log.dialogue_rows import logged_dialogue
from vivavoce.log.encryption import KEY, new_key
from vivavoce.log.recordings import check_recordings, folder_of
from vivavoce.log.store import Log
from vivavoce.study.degradation import DamagePlan
from vivavoce.study.model import DialogueStep, Nontrivial, Range
from vivavoce.study.telephone import Telephone
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.system_audio import as_heard
from vivavoce_speech.dialogue.calls import Calls
from vivavoce_speech.dialogue.degraded_line import answers
from vivavoce_speech.dialogue.turn_taking import SpokenDialogue, TurnTaking


class Ours:
    """A recogniser that always hears the same, and a synthesiser that clicks; both count."""

    def __init__(self) -> None:
        self.recognised, self.texts = 0, list[str]()

    async def recognise(self, sound: Sound, *, language: str) -> tuple[Hypothesis, ...]:
        self.recognised += 1
        return (Hypothesis("our guess", 0.7), Hypothesis("another guess", 0.1))

    async def speak(self, text: str, *, language: str) -> Sound:
        self.texts.append(text)
        return Sound(np.full(800, 50, np.int16), 8000)

    async def close(self) -> None: ...


class Stage:
    """One dialogue by telephone with a system, held on a fast leg."""

    def __init__(self, engine: SessionEngine, log: Log, system: Singer) -> None:
        self.engine, self.log, self.system, self.ours = engine, log, system, Ours()
        self.calls, self.visit_id, self.dialogue_id = Calls(engine), "", ""
        self.told: list[str] = []

    async def begin(self) -> None:
        self.visit_id = (await self.engine.open_visit(language="en")).visit_id

    @asynccontextmanager
    async def call(self, *, recognise_for_log: bool = False, greeted: bool = True):
        dialogue, after = await self.calls.connect(
            self.visit_id, call_id="call-1", adapter="test", caller=None, joined_by="number"
        )
        self.dialogue_id = dialogue.dialogue_id
        leg = FastLeg()
        damage = answers(self.engine.study, dialogue)
        talk = self.talk(leg, after, recognise_for_log=recognise_for_log, answers=damage)
        if greeted:
            await self.turns(1, leg)
        try:
            yield leg
        finally:
            leg.ended("caller")
            await talk
            await leg.stop()

    def talk(self, leg: FastLeg, after: int = 0, **how: Any) -> asyncio.Task[None]:
        spoken = SpokenDialogue(
            self.calls,
            self.visit_id,
            self.dialogue_id,
            after,
            leg,
            rate_hz=8000,
            language="en",
            recogniser=self.ours,
            synthesiser=self.ours,
            turn_taking=TurnTaking(no_input_s=3600),
            told=self.told.append,
            **how,
        )
        return asyncio.create_task(spoken.run())

    async def turns(self, count: int, leg: FastLeg) -> None:
        """Wait for so many turns of the system, heard to their end: between two pieces nothing plays, too."""

        def done() -> bool:
            heard = min(len(self.events(kind)) for kind in ("system_turn_received", "sound_played"))
            return heard >= count and not leg.playing

        await eventually_there(done, f"the system gave no turn {count}")

    def events(self, kind: str) -> list[Any]:
        return [one.event for one in self.log.events(self.visit_id) if one.event.kind == kind]

    def rows(self) -> Any:
        return logged_dialogue(self.log, self.dialogue_id)

    def sound(self, recording_id: str) -> Sound:
        (file,) = [one.file for one in self.log.recordings() if one.recording_id == recording_id]
        return read_sound(folder_of(self.log).file(file))


async def sung(leg: FastLeg, seconds: float) -> None:
    """Wait until so much of the tone was heard, and see that it was not more."""
    heard_s = lambda: loudness_at(leg.recording().channel(0), 440)  # noqa: E731
    await eventually_there(lambda: heard_s() > seconds - 0.03, "the tone was not heard")
    assert heard_s() < seconds + 0.03


def on_stage(folder: Path, system: Singer, work: Callable[[Stage], Awaitable[None]], **of_study: Any) -> None:
    step = DialogueStep(
        repeat=Range(min=1, max=3), gate="code", nontrivial=Nontrivial(user_turns=1), channel="phone"
    )
    study = make_study(
        folder, visit=(step,), telephone=Telephone.model_validate({"number": "100"}), **of_study
    )

    async def run() -> None:
        with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
            engine = SessionEngine(study, log, {"one": system, "two": system})  # type: ignore[dict-item]
            await engine.start()
            stage = Stage(engine, log, system)
            await stage.begin()
            try:
                await work(stage)
            finally:
                await engine.stop()

    asyncio.run(run())


def test_the_system_hears_the_caller_and_the_caller_hears_the_system(tmp_path: Path) -> None:
    async def work(stage: Stage) -> None:
        async with stage.call() as leg:
            leg.speak()
            await stage.turns(2, leg)
            await sung(leg, 0.6)
        (turn,) = stage.system.sent
        assert (turn.text, turn.heard) == ("", ())
        assert turn.audio is not None and turn.audio.rate_hz == 24_000
        spoken = Sound.of_pcm(turn.audio.samples, 24_000)
        assert spoken.duration_s == pytest.approx(SPEECH.duration_s + 0.5, abs=0.2)  # and the margins
        assert np.abs(spoken.samples).max() > 3000
        assert (stage.ours.recognised, stage.ours.texts) == (0, ["Hello."])

    on_stage(tmp_path, Singer(rate_hz=24_000), work)


def test_a_system_hears_the_damage_of_its_condition_and_the_recording_stays_clean(tmp_path: Path) -> None:
    plan = DamagePlan.model_validate({"factor": "line", "levels": {"noisy": {"snr_db": 0}}})
    noisy = {"one": {"line": "noisy"}, "two": {"line": "noisy"}}

    async def work(stage: Stage) -> None:
        async with stage.call() as leg:
            leg.speak()
            await stage.turns(2, leg)
        (turn,) = stage.system.sent
        assert turn.audio is not None
        heard = Sound.of_pcm(turn.audio.samples, 24_000)
        clean = stage.sound(stage.events("user_turn_sent")[0].sound)
        power = [np.mean(one.samples.astype(float) ** 2) for one in (heard, clean)]
        assert power[0] > 1.5 * power[1], "as much noise as speech"
        dialogue = (await stage.engine.state(stage.visit_id)).dialogue_by_id(stage.dialogue_id)
        again = as_heard(clean, stage.engine.study, dialogue).at(24_000)
        assert np.array_equal(again.samples, heard.samples), "the recording and the dialogue tell the noise"

    on_stage(tmp_path, Singer(rate_hz=24_000), work, degradation=plan, factors=noisy)


def test_the_caller_hears_the_damage_of_the_condition_while_the_system_speaks(tmp_path: Path) -> None:
    plan = DamagePlan.model_validate({"factor": "line", "answers": {"bad": {"loss": 0.5, "packet_ms": 20}}})
    bad = {"one": {"line": "bad"}, "two": {"line": "bad"}}

    async def work(stage: Stage) -> None:
        async with stage.call() as leg:
            leg.speak()
            await stage.turns(2, leg)
            heard = leg.recording().channel(0).samples.reshape(-1, 160)
        greeting, answer = stage.events("sound_damaged")
        assert [(one.turn_index, one.streamed) for one in (greeting, answer)] == [(0, False), (2, True)]
        assert (greeting.packets, answer.packets) == (5, 50)
        lasts_s = loudness_at(Sound(heard.ravel(), 8000), 440)
        assert 1.0 - 0.02 * answer.packets_lost == pytest.approx(lasts_s, abs=0.03)
        assert 5 < answer.packets_lost < 45
        answered = stage.events("system_turn_received")[1]
        assert np.array_equal(stage.sound(answered.sound).samples, stage.system.answer.samples)
        (turn,) = stage.system.sent
        assert turn.audio is not None
        clean = stage.sound(stage.events("user_turn_sent")[0].sound).at(24_000)
        assert np.array_equal(Sound.of_pcm(turn.audio.samples, 24_000).samples, clean.samples)

    on_stage(tmp_path, Singer(rate_hz=24_000, seconds=1.0), work, degradation=plan, factors=bad)


def test_both_sounds_are_recordings_of_their_turns(tmp_path: Path) -> None:
    async def work(stage: Stage) -> None:
        async with stage.call() as leg:
            leg.speak()
            await stage.turns(2, leg)
        said, answered = stage.events("user_turn_sent")[0], stage.events("system_turn_received")[1]
        by_key = {one.recording_id: one for one in stage.events("recording_stored")}
        assert [by_key[said.sound].speakers, by_key[said.sound].turn_index] == [["user"], said.turn_index]
        assert [by_key[answered.sound].speakers, by_key[answered.sound].turn_index] == [["system"], 2]
        assert {one.content for one in by_key.values()} == {"turn"}
        assert np.array_equal(stage.sound(answered.sound).samples, stage.system.answer.samples)
        assert stage.sound(said.sound).rate_hz == 8000
        assert check_recordings(stage.log, content=True).lines() == []

    on_stage(tmp_path, Singer(), work)


def test_words_that_nobody_knows_are_missing_and_the_turns_are_marked(tmp_path: Path) -> None:
    async def work(stage: Stage) -> None:
        async with stage.call() as leg:
            leg.speak()
            await stage.turns(2, leg)
        greeting, said, answered = stage.rows().turns
        assert [greeting["text"], greeting["by_sound"]] == ["Hello.", False]
        assert [said["text"], said["reference"], said["by_sound"]] == [None, None, True]
        assert [answered["text"], answered["reference"], answered["by_sound"]] == [None, None, True]
        assert stage.rows().hypotheses == []
        assert said["sent_s"] is None and said["onset_s"] < said["offset_s"]
        assert answered["first_output_s"] <= answered["complete_s"]

    on_stage(tmp_path, Singer(), work)


def test_what_the_system_says_that_it_heard_becomes_the_words_of_the_turn(tmp_path: Path) -> None:
    async def work(stage: Stage) -> None:
        async with stage.call() as leg:
            leg.speak()
            await stage.turns(2, leg)
            leg.speak()
            await stage.turns(3, leg)
        said, answered = stage.rows().turns[1:3]
        assert [said["text"], said["reference"]] == ["a cheap pub", None]
        assert answered["text"] == "In which area?"
        heard = [(one["source"], one["text"], one["score"]) for one in stage.rows().hypotheses[:1]]
        assert heard == [("live", "a cheap pub", 0.9)]
        state = await stage.engine.state(stage.visit_id)
        assert [turn.text for turn in state.dialogues[0].turns[1:3]] == [
            "a cheap pub",
            "In which area?",
        ]

    system = Singer()
    system.words, system.heard = "In which area?", "a cheap pub"
    on_stage(tmp_path, system, work)


def test_our_recogniser_hears_the_turn_for_the_log_alone_where_the_study_asks(tmp_path: Path) -> None:
    async def work(stage: Stage) -> None:
        async with stage.call(recognise_for_log=True) as leg:
            leg.speak()
            await stage.turns(2, leg)
        assert stage.system.sent[0].heard == ()
        columns = ("source", "turn_index", "rank", "text")
        found = [tuple(one[name] for name in columns) for one in stage.rows().hypotheses]
        assert found == [("log", 1, 0, "our guess"), ("log", 1, 1, "another guess")]
        assert stage.rows().turns[1]["text"] is None

    on_stage(tmp_path, Singer(), work)


def test_an_answer_is_on_disk_and_to_be_heard_before_it_is_complete(tmp_path: Path) -> None:
    async def work(stage: Stage) -> None:
        stage.system.gate = asyncio.Event()
        async with stage.call() as leg:
            leg.speak()
            await eventually_there(lambda: loudness_at(leg.recording().channel(0), 440) > 0.2, "not heard")
            assert len(stage.events("system_turn_received")) == 1
            (unfinished,) = check_recordings(stage.log).unfinished
            begun = read_sound(folder_of(stage.log).file(unfinished))
            assert np.array_equal(begun.samples, stage.system.answer.samples[: len(begun.samples)])
            assert begun.duration_s == pytest.approx(0.3, abs=0.01)
            stage.system.gate.set()
            await stage.turns(2, leg)
            await sung(leg, 0.6)
        assert check_recordings(stage.log).lines() == []

    on_stage(tmp_path, Singer(), work)


def test_a_leg_that_ends_takes_no_sound_from_the_leg_that_took_over(tmp_path: Path) -> None:
    async def work(stage: Stage) -> None:
        stage.system.gate = asyncio.Event()
        async with stage.call() as leg:
            before = FastLeg()
            first = stage.talk(before, ends=False)
            await eventually_there(lambda: bool(stage.ours.texts[1:]), "the greeting was not said again")
            after = max(one.seq for one in stage.log.events(stage.visit_id))
            second = FastLeg()
            taken_over = stage.talk(second, after, ends=False)
            await asyncio.sleep(0)
            before.ended("caller")
            await first
            leg.speak()
            heard_s = lambda: loudness_at(second.recording().channel(0), 440)  # noqa: E731
            await eventually_there(lambda: heard_s() > 0.2, "the second leg hears no answer that is coming")
            stage.system.gate.set()
            second.ended("caller")
            await taken_over
            await asyncio.gather(before.stop(), second.stop())

    on_stage(tmp_path, Singer(), work)


@pytest.mark.parametrize("complete", [False, True])
def test_who_speaks_into_an_answer_stops_it_and_the_log_says_how_much_was_heard(
    tmp_path: Path, complete: bool
) -> None:
    async def work(stage: Stage) -> None:
        stage.system.gate = None if complete else asyncio.Event()
        async with stage.call() as leg:
            leg.speak()
            await eventually_there(lambda: loudness_at(leg.recording().channel(0), 440) > 1, "not heard")
            leg.speak()
            await eventually_there(lambda: stage.system.interrupted, "the system was not told")
            stage.system.gate = None
            assert loudness_at(leg.recording().channel(0), 440) < 29, "half of it is 30 seconds"
            await eventually_there(lambda: len(stage.system.sent) == 2, "the second turn did not come")
            heard_s = loudness_at(leg.recording().channel(0), 440)
        said = stage.events("user_turn_sent")[1]
        assert said.barge_in
        assert stage.system.interrupted == [said.played_s]
        assert said.played_s == pytest.approx(heard_s, abs=0.5)
        assert stage.rows().turns[2]["played_s"] == said.played_s
        assert stage.rows().turns[3]["barge_in"]

    on_stage(tmp_path, Singer(seconds=60), work)


def test_a_turn_that_a_crash_left_unanswered_is_asked_again_with_its_sound_and_once(tmp_path: Path) -> None:
    system = Singer()
    heard: list[bytes] = []

    async def cut_off(stage: Stage) -> None:
        system.gate = asyncio.Event()
        async with stage.call() as leg:
            leg.speak()
            await eventually_there(lambda: loudness_at(leg.recording().channel(0), 440) > 0.2, "not heard")
            heard.append(system.sent[0].audio.samples)  # type: ignore[union-attr]
            assert len(system.sent) == 1
            await stage.engine.stop()
            await again(stage)

    async def again(stage: Stage) -> None:
        system.gate = None
        second = SessionEngine(stage.engine.study, stage.log, {"one": system, "two": system})  # type: ignore[dict-item]
        await second.start()
        await second.state(stage.visit_id)
        await eventually_there(lambda: len(stage.events("system_turn_received")) == 2, "not asked again")
        await second.stop()

    on_stage(tmp_path, system, cut_off)
    assert [one.audio.samples for one in system.sent] == heard * 2  # type: ignore[union-attr]
    assert len({one.key for one in system.sent}) == 1


@pytest.mark.parametrize(
    ("settings", "server", "path"),
    [
        (
            {"connect": "openai-realtime", "model": "echo", "speech": True},
            "realtime_server.py",
            "/v1/realtime",
        ),
        (
            {
                "connect": "websocket-audio",
                "turn_done": {"type": "done"},
                "turn_end": "done",
                "rate_hz": 8000,
                "sample_format": "mu-law",
                "greets": False,
            },
            "audio_server.py",
            "/talk",
        ),
    ],
)
def test_a_caller_hears_his_own_words_from_a_system_that_says_them_again(
    tmp_path: Path, settings: dict[str, Any], server: str, path: str
) -> None:
    counterparts = Counterparts()
    url = f"ws://{counterparts.server(server)}{path}"
    system = make_connector({"url": url, "allow_private": True, **PATIENT, **settings}, {})

    async def work(stage: Stage) -> None:
        async with stage.call(greeted=False) as leg:
            leg.may_play = lambda: bool(stage.events("system_turn_received"))
            leg.speak()
            await stage.turns(1, leg)
            heard = leg.recording().channel(0)
        said = stage.sound(stage.events("user_turn_sent")[0].sound)
        assert likeness(said, heard) > 0.95

    try:
        on_stage(tmp_path, system, work)  # type: ignore[arg-type]
    finally:
        counterparts.stop()


def test_a_system_of_text_still_gets_words(tmp_path: Path) -> None:
    async def work(stage: Stage) -> None:
        async with stage.call() as leg:
            leg.speak()
            await stage.turns(2, leg)
        assert [(one.text, one.audio) for one in stage.system.sent] == [("our guess", None)]
        assert stage.events("user_turn_sent")[0].sound is None
        assert stage.events("system_turn_received")[1].sound is not None, "it may speak all the same"

    on_stage(tmp_path, Singer(audio=False), work)


def test_the_time_in_which_a_system_hears_a_turn_is_not_its_answers(tmp_path: Path) -> None:
    counterparts = Counterparts()
    settings = {
        "connect": "websocket-audio",
        "turn_done": {"type": "done"},
        "turn_end": "done",
        "paced": True,
    }
    url = f"ws://{counterparts.server('audio_server.py')}/talk"
    system = make_connector({"url": url, "allow_private": True, **PATIENT, **settings}, {})

    async def work(stage: Stage) -> None:
        async with stage.call(greeted=False) as leg:
            leg.speak()
            await stage.turns(1, leg)
        _, answered = stage.rows().turns
        logged_s = {one.event.kind: one.monotonic_s for one in stage.log.events(stage.visit_id)}
        said_s = logged_s["user_turn_sent"] - logged_s["dialogue_opened"]
        spoken_s = stage.sound(stage.events("user_turn_sent")[0].sound).duration_s
        (answer,) = stage.events("system_turn_received")
        assert answer.sent_s - said_s > spoken_s - 0.2
        assert answered["first_output_s"] >= answer.sent_s

    try:
        on_stage(tmp_path, system, work)  # type: ignore[arg-type]
    finally:
        counterparts.stop()


def test_a_caller_is_heard_while_he_speaks_and_hears_his_own_words_over_webrtc(tmp_path: Path) -> None:
    pytest.importorskip("aiortc", reason="aiortc is not installed: pip install 'vivavoce[webrtc]'")
    counterparts = Counterparts()
    settings = {"connect": "webrtc", "turn_done": {"type": "done"}, "turn_end": "done", "heard": "understood"}
    url = f"http://{counterparts.server('webrtc_server.py')}/offer"
    patient = {"allow_private": True, "while_spoken": True, **PATIENT}
    system = make_connector({"url": url, **patient, **settings}, {})

    async def work(stage: Stage) -> None:
        async with stage.call(greeted=False) as leg:
            await eventually_there(lambda: "listening" in stage.told, "the system was never connected")
            leg.speak()
            await stage.turns(1, leg)
        answered = stage.events("system_turn_received")[0]
        said = stage.sound(stage.events("user_turn_sent")[0].sound)
        assert same_words(SPEECH, stage.sound(answered.sound)) > SAME_WORDS
        assert stage.events("user_turn_sent")[0].overheard
        assert same_words(SPEECH, said) > SAME_WORDS
        assert answered.heard[0].text.endswith(" s")

    try:
        on_stage(tmp_path, system, work)  # type: ignore[arg-type]
    finally:
        counterparts.stop()


def test_with_a_key_nothing_of_what_is_spoken_lies_open_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("cryptography", reason="cryptography is not installed")
    monkeypatch.setenv(KEY, new_key())
    hum = np.full(4800, 0x2000, np.int16).tobytes()

    async def work(stage: Stage) -> None:
        stage.system.gate = asyncio.Event()
        stage.system.answer = Sound(np.full(28_800, 0x2000, np.int16), 24_000)
        async with stage.call() as leg:
            leg.speak()
            await eventually_there(lambda: check_recordings(stage.log).unfinished, "nothing on disk")
            await eventually_there(lambda: (leg.recording().samples[:, 0] > 5000).any(), "not heard")
            folder = stage.log.recording_folder
            assert folder is not None
            assert not any(hum[:200] in path.read_bytes() for path in folder.iterdir())
            stage.system.gate.set()
            await stage.turns(2, leg)
        spoken = stage.sound(stage.events("system_turn_received")[1].sound)
        assert np.array_equal(spoken.samples, stage.system.answer.samples)
        assert not any(hum[:200] in path.read_bytes() for path in folder.iterdir())

    on_stage(tmp_path, Singer(), work)
