"""What happens in calls: whose they are, who is turned away, silence, interruptions, the code, the redial."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from scenes.own_time import OwnClock, run_in_own_time
from scenes.patience import eventually_there
from scenes.told import SPEECH, Told, Written
from scenes.visits import Parrot, make_study
from vivavoce.audio.files import read_tracks
from vivavoce.audio.sound import Samples, Sound
from vivavoce.core.errors import InputError
from vivavoce.languages.data import Phrase, Spoken, phrase, spoken_digits
from vivavoce.log import events as log_events
from vivavoce.log.recordings import folder_of
from vivavoce.log.store import Log
from vivavoce.log.verification import rebuild
from vivavoce.study.degradation import DamagePlan
from vivavoce.study.model import DialogueStep, Nontrivial, Range
from vivavoce.study.telephone import Telephone
from vivavoce.trial.engine import SessionEngine
from vivavoce_speech.telephony.leg import FRAME_S, PhoneLeg
from vivavoce_speech.telephony.switchboard import Switchboard


class Laboratory:
    """A switchboard, a visit that waits for a call, and calls at a multiple of speed."""

    def __init__(self, engine: SessionEngine, switchboard: Switchboard, log: Log, parrot: Parrot) -> None:
        self.engine, self.switchboard, self.log, self.parrot = engine, switchboard, log, parrot
        self.visit_id = self.pin = ""
        self._beats: list[asyncio.Task[None]] = []
        self._speech: deque[Samples] = deque()

    async def open_visit(self, language: str = "en") -> None:
        self.visit_id = (await self.engine.open_visit(language=language)).visit_id
        await self.engine.give_consent(self.visit_id, 0, agreed=True, document="d")
        await self.engine.read_page(self.visit_id, 1)
        dialogue = (await self.engine.state(self.visit_id)).dialogue
        assert dialogue is not None and dialogue.pin is not None
        self.pin = dialogue.pin

    def call(self, called: str, caller: str = "555") -> tuple[PhoneLeg, asyncio.Task[None]]:
        leg = PhoneLeg(f"call-{len(self._beats)}", caller, called, "test")
        self._beats.append(asyncio.create_task(self._beating(leg)))

        async def until_hung_up() -> None:
            await self.switchboard.take(leg)
            await leg.hang_up()

        return leg, asyncio.create_task(until_hung_up())

    async def _beating(self, leg: PhoneLeg) -> None:
        while not leg.over.is_set():
            if self._speech:
                leg.take_sound(self._speech.popleft())
            leg.beat()
            await asyncio.sleep(FRAME_S)

    def events(self, kind: str) -> list[Any]:
        return [one.event for one in self.log.events(self.visit_id) if one.event.kind == kind]

    async def system_spoke(self, leg: PhoneLeg, turns: int) -> None:
        def spoke() -> bool:
            heard = min(len(self.events(kind)) for kind in ("system_turn_received", "sound_played"))
            return heard >= turns and not leg.playing

        await eventually_there(spoke, "the system did not speak")

    async def say(self, leg: PhoneLeg, text: str) -> None:
        Told.words.append(text)
        samples = SPEECH.at(8000).samples
        self._speech.extend(samples[start : start + 160] for start in range(0, len(samples), 160))
        await eventually_there(lambda: not self._speech, "nobody listens")

    async def stop(self) -> None:
        for task in self._beats:
            task.cancel()
        await asyncio.gather(*self._beats, return_exceptions=True)


def in_laboratory(
    folder: Path,
    work: Callable[[Laboratory], Awaitable[None]],
    number: str = "100",
    of_study: Mapping[str, Any] | None = None,
    **settings: Any,
) -> None:
    """Run some calls; the study's step is held by telephone, the system is a parrot."""
    Told.words, Told.sounds, Written.texts = [], [], []
    study = make_study(folder)
    step = DialogueStep(
        repeat=Range(min=1, max=3), gate="code", nontrivial=Nontrivial(user_turns=1), channel="phone"
    )
    told = {"number": number, "recogniser": "told", "synthesiser": "written", "listen": "127.0.0.1:0"}
    telephone = Telephone.model_validate({**told, "silence_s": 3600, **settings})
    visit = tuple(step if isinstance(one, DialogueStep) else one for one in study.visit)
    study = study.model_copy(update={"visit": visit, "telephone": telephone, **(of_study or {})})

    async def run() -> None:
        parrot = Parrot()
        clock = OwnClock()
        with Log.open(f"sqlite:///{folder / 'log.sqlite'}", clock=clock) as log:
            engine = SessionEngine(study, log, {"one": parrot, "two": parrot}, clock=clock)
            await engine.start()
            lab = Laboratory(engine, Switchboard(engine, telephone), log, parrot)
            await lab.open_visit()
            try:
                await work(lab)
            finally:
                await lab.stop()
                await engine.stop()

    run_in_own_time(run())


def test_a_dialogue_is_held_by_voice_with_all_hypotheses_and_the_code_is_spoken_twice(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        assert lab.events("dialogue_opened") == []
        leg, call = lab.call(lab.pin)
        await lab.system_spoke(leg, 1)
        await lab.say(leg, "a table for two")
        await lab.system_spoke(leg, 2)
        await lab.say(leg, "bye")
        await call
        assert [turn.text for turn in lab.parrot.sent] == ["a table for two", "bye"]
        assert [one.text for one in lab.parrot.sent[0].heard] == ["a table for two", "a table for two please"]
        (issued,) = lab.events("code_issued")
        spelt = phrase("code", "en", code=spoken_digits(issued.code, "en"))
        assert Written.texts.count(spelt) == 2
        assert lab.events("code_spoken")[0].times == 2
        assert (await lab.engine.enter_code(lab.visit_id, issued.code)).accepted
        (recording,) = lab.log.recordings()
        assert recording.dialogue_id == issued.dialogue_id
        assert lab.events("call_ended")[0].by == "platform"

    in_laboratory(tmp_path, work)


def test_the_recogniser_hears_the_damage_of_the_condition_and_the_call_is_recorded_clean(
    tmp_path: Path,
) -> None:
    plan = DamagePlan.model_validate({"factor": "line", "levels": {"noisy": {"snr_db": 0}}})
    of_study = {"degradation": plan, "factors": {"one": {"line": "noisy"}, "two": {"line": "noisy"}}}

    async def work(lab: Laboratory) -> None:
        leg, call = lab.call(lab.pin)
        await lab.system_spoke(leg, 1)
        await lab.say(leg, "bye")
        await call
        (heard,) = Told.sounds
        (recording,) = lab.log.recordings()
        caller = read_tracks(folder_of(lab.log).file(recording.file)).channel(1)
        quiet = [float(np.quantile(np.abs(one.samples), 0.1)) for one in (heard, caller)]
        assert quiet[0] > 20 * (quiet[1] + 1)

    in_laboratory(tmp_path, work, of_study=of_study)


def test_the_caller_hears_answers_through_the_damage_and_the_platforms_own_words_clean(
    tmp_path: Path,
) -> None:
    plan = DamagePlan.model_validate({"factor": "line", "answers": {"noisy": {"snr_db": 0}}})
    of_study = {"degradation": plan, "factors": {"one": {"line": "noisy"}, "two": {"line": "noisy"}}}

    async def work(lab: Laboratory) -> None:
        leg, call = lab.call(lab.pin)
        await lab.system_spoke(leg, 1)
        greeted = leg.seconds
        await lab.say(leg, "bye")
        await call
        assert [one.turn_index for one in lab.events("sound_damaged")] == [0, 2]
        (recording,) = lab.log.recordings()
        heard = read_tracks(folder_of(lab.log).file(recording.file)).channel(0).samples
        greeting = heard[: round(greeted * 8000)]
        assert len(np.unique(greeting[greeting != 0])) > 20, "clean it is one value over and over"
        assert len(np.unique(heard[-8000:])) <= 2, "the code is not damaged"

    in_laboratory(tmp_path, work, of_study=of_study)


def test_speech_stops_the_system_and_is_marked_as_barge_in(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        leg, call = lab.call(lab.pin)
        await eventually_there(lambda: leg.playing, "no greeting")
        leg.play(Sound(np.full(8000 * 60, 50, np.int16), 8000))  # a long speech
        await lab.say(leg, "stop")
        await lab.system_spoke(leg, 2)
        leg.ended("caller")
        await call
        assert lab.events("user_turn_sent")[0].barge_in
        assert leg.seconds < 60

    in_laboratory(tmp_path, work)


def test_who_hangs_up_before_the_code_hears_it_in_the_next_call(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        leg, call = lab.call(lab.pin)
        await lab.system_spoke(leg, 1)
        await lab.say(leg, "a table")
        await lab.system_spoke(leg, 2)
        leg.ended("caller")
        await call
        assert lab.events("dialogue_ended")[0].reason == "user"
        spelt = phrase("code", "en", code=spoken_digits(lab.events("code_issued")[0].code, "en"))
        _, again = lab.call("100")  # known by who calls
        await again
        assert Written.texts.count(spelt) == 2
        assert [one.by for one in lab.events("call_ended")] == ["caller", "platform"]

    in_laboratory(tmp_path, work)


def test_a_call_that_was_too_short_earns_no_code_and_the_next_gets_the_next_dialogue(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        leg, call = lab.call(lab.pin)
        await lab.system_spoke(leg, 1)
        leg.ended("caller")
        await call
        assert lab.events("code_issued") == []
        again, call = lab.call(lab.pin)
        await lab.system_spoke(again, 2)
        again.ended("caller")
        await call
        dialogues = [one.dialogue_id for one in lab.events("call_connected")]
        assert len(set(dialogues)) == 2

    in_laboratory(tmp_path, work)


def test_a_silent_caller_is_spoken_to_and_at_last_the_call_ends(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        leg, call = lab.call(lab.pin)
        await call
        assert len(lab.events("silence_prompted")) == 2
        assert Written.texts.count(phrase("still_there", "en")) == 2
        assert phrase("too_short", "en") in Written.texts
        assert leg.ended_by == "platform"

    in_laboratory(tmp_path, work, silence_s=2)


def test_speech_without_words_is_asked_for_again_and_logged(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        leg, call = lab.call(lab.pin)
        await lab.system_spoke(leg, 1)
        await lab.say(leg, "")
        await eventually_there(lambda: phrase("not_heard", "en") in Written.texts, "not asked again")
        leg.ended("caller")
        await call
        (missed,) = lab.events("speech_missed")
        assert missed.offset_s > missed.onset_s > 0

    in_laboratory(tmp_path, work)


def test_a_call_for_nobody_is_asked_for_its_number_turned_away_and_logged(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        leg, call = lab.call("100")
        await eventually_there(lambda: leg.playing, "no question")
        for key in "00000#" * 3:
            leg.take_key(key)
        await call
        assert phrase("no_visit", "en") in Written.texts
        trial = [one.event for one in lab.log.trial_events() if one.event.kind == "call_not_taken"]
        assert [(one.reason, one.caller) for one in trial] == [  # type: ignore[attr-defined]
            ("no_visit", lab.switchboard._calls.caller("555"))
        ]

    in_laboratory(tmp_path, work)


def test_a_number_that_is_keyed_in_leads_to_the_visit(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        leg, call = lab.call("100")
        await eventually_there(lambda: leg.playing, "no question")
        for key in f"{lab.pin}#":
            leg.take_key(key)
        await lab.system_spoke(leg, 1)
        leg.ended("caller")
        await call
        assert lab.events("call_connected")[0].joined_by == "pin"

    in_laboratory(tmp_path, work)


def test_a_second_call_for_the_same_visit_is_turned_away_while_the_first_goes_on(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        leg, call = lab.call(lab.pin)
        await lab.system_spoke(leg, 1)
        _, second = lab.call(lab.pin, caller="777")
        await second
        assert phrase("second_call", "en") in Written.texts
        await lab.say(leg, "still here")
        await lab.system_spoke(leg, 2)
        leg.ended("caller")
        await call
        assert [one.reason for one in lab.events("call_not_taken")] == ["second_call"]

    in_laboratory(tmp_path, work)


def test_a_system_that_fails_is_excused_and_the_call_goes_on(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        leg, call = lab.call(lab.pin)
        await lab.system_spoke(leg, 1)
        await lab.say(leg, "break")
        await eventually_there(lambda: phrase("trouble", "en") in Written.texts, "no excuse")
        await eventually_there(lambda: not leg.playing, "still talking")
        await lab.say(leg, "bye")
        await call
        assert [turn.text for turn in lab.parrot.sent] == ["break", "bye"]

    in_laboratory(tmp_path, work)


def test_the_callers_number_is_in_no_event(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        leg, call = lab.call(lab.pin, caller="390612345678")
        await lab.system_spoke(leg, 1)
        leg.ended("caller")
        await call
        stored = [one.event.model_dump_json() for one in lab.log.events(lab.visit_id)]
        assert not any("390612345678" in one for one in stored)
        assert lab.events("call_connected")[0].caller is not None

    in_laboratory(tmp_path, work)


def test_a_number_leads_to_its_visit_also_after_the_log_was_rebuilt_and_is_no_code(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        await asyncio.to_thread(rebuild, lab.log)
        assert await lab.switchboard._calls.visit_of_pin(lab.pin) == lab.visit_id
        assert await lab.switchboard._calls.visit_of_pin("call-" + lab.pin) is None
        leg, call = lab.call(lab.pin)
        await lab.system_spoke(leg, 1)
        await lab.say(leg, "bye")
        await call
        verdict = await lab.engine.enter_code(lab.visit_id, lab.pin)
        assert (verdict.accepted, verdict.problem) == (False, "unknown")

    in_laboratory(tmp_path, work)


def test_a_recogniser_that_does_not_exist_is_named_before_anybody_calls(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None: ...

    with pytest.raises(InputError, match="telephone recogniser use: unknown recogniser 'tolt'"):
        in_laboratory(tmp_path, work, recogniser="tolt")


@pytest.mark.parametrize(
    ("language", "spelt"),
    [("en", "four, zero, seven"), ("it-CH", "quattro, zero, sette"), ("fi", "4, 0, 7")],
)
def test_a_code_is_spelt_in_the_callers_language(language: str, spelt: str) -> None:
    assert spoken_digits("407", language) == spelt


def test_every_phrase_is_there_in_every_language() -> None:
    spoken = [Spoken.of(language) for language in Spoken.languages()]
    assert len(spoken) > 1 and all(one and set(one.phrases) == set(get_args(Phrase)) for one in spoken)
    assert isinstance(log_events.EVENT_KINDS["call_awaited"], type)
