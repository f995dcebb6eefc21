"""A system that wants to hears a turn while it is spoken, and gets it afterwards as a turn like any other."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from scenes.patience import eventually_there
from scenes.speaking import SPEECH, FastLeg, Singer, likeness
from scenes.visits import make_study
from scenes.whispering import Hummed, Whispered
from vivavoce.audio.sound import Sound
from vivavoce.connectors.base import Audio, ConnectorSettings, Conversation
from vivavoce.connectors.rate_limit import LimitedConnector
from vivavoce.log.store import Log
from vivavoce.study.degradation import DamagePlan
from vivavoce.study.model import DialogueStep, Nontrivial, Range
from vivavoce.study.telephone import Telephone
from vivavoce.trial.engine import SessionEngine
from vivavoce_speech.dialogue.calls import Calls
from vivavoce_speech.dialogue.streaming_input import attentive
from vivavoce_speech.dialogue.turn_taking import SpokenDialogue, TurnTaking


class AudioStreaming(Singer):
    """Listens while one speaks; notes what came before each turn was sent."""

    def __init__(self, **more: Any) -> None:
        super().__init__(attentive=True, **more)
        self.pieces: list[Audio] = []
        self.begun = 0
        self.deaf = False
        self.before_turn: list[float] = []

    def feed_audio(self, conversation: Conversation, piece: Audio, *, begins: bool) -> bool:
        if self.deaf:
            return False
        self.begun += begins
        self.pieces.append(piece)
        return True

    def send(self, conversation: Conversation, turn: Any) -> Any:
        self.before_turn.append(sum(len(one.samples) for one in self.pieces) / 2 / 16_000)
        return super().send(conversation, turn)


class Call:
    def __init__(
        self, engine: SessionEngine, log: Log, system: AudioStreaming, leg: FastLeg, visit: str
    ) -> None:
        self.engine, self.log, self.system, self.leg, self.visit_id = engine, log, system, leg, visit
        self.told: list[str] = []

    def events(self, kind: str) -> list[Any]:
        return [one.event for one in self.log.events(self.visit_id) if one.event.kind == kind]

    async def turns(self, count: int) -> None:
        def done() -> bool:
            answered = len(self.events("system_turn_received")) >= count
            return answered and self.told[-1:] == ["listening"] and not self.leg.playing

        await eventually_there(done, f"no turn {count}")


def called(
    folder: Path, system: AudioStreaming, work: Callable[[Call], Awaitable[None]], **of_study: Any
) -> None:
    step = DialogueStep(
        repeat=Range(min=1, max=3), gate="code", nontrivial=Nontrivial(user_turns=1), channel="phone"
    )
    telephone = Telephone.model_validate({"number": "100"})
    study = make_study(folder, visit=(step,), telephone=telephone, **of_study)
    facts = ConnectorSettings(connect="attentive")
    governed = LimitedConnector(system, facts)  # type: ignore[arg-type]

    async def run() -> None:
        with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
            engine = SessionEngine(study, log, {"one": governed, "two": governed})
            await engine.start()
            calls, visit_id = Calls(engine), (await engine.open_visit(language="en")).visit_id
            dialogue, after = await calls.connect(
                visit_id, call_id="call-1", adapter="test", caller=None, joined_by="number"
            )
            leg = FastLeg()
            ours: Any = Whispered(), Hummed()
            call = Call(engine, log, system, leg, visit_id)
            talk = asyncio.create_task(
                SpokenDialogue(
                    calls,
                    visit_id,
                    dialogue.dialogue_id,
                    after,
                    leg,
                    rate_hz=8000,
                    language="en",
                    recogniser=ours[0],
                    synthesiser=ours[1],
                    turn_taking=TurnTaking(no_input_s=3600),
                    told=call.told.append,
                ).run()
            )
            try:
                await call.turns(1)
                await work(call)
            finally:
                leg.ended("caller")
                await talk
                await leg.stop()
                await engine.stop()

    asyncio.run(run())


def test_it_hears_the_whole_turn_before_the_turn_is_sent(tmp_path: Path) -> None:
    system = AudioStreaming()

    async def work(call: Call) -> None:
        call.leg.speak()
        await call.turns(2)
        call.leg.speak()
        await call.turns(3)
        heard = Sound.of_pcm(b"".join(one.samples for one in system.pieces), 16_000)
        assert system.begun == 2
        assert likeness(heard, SPEECH) > 0.9
        assert heard.duration_s > 2 * SPEECH.duration_s - 0.3
        assert system.before_turn[0] > SPEECH.duration_s - 0.3, "it was heard only afterwards"
        assert [turn.overheard for turn in system.sent] == [True, True]
        assert all(turn.audio is not None for turn in system.sent), "the turn comes whole, too"
        assert [one.overheard for one in call.events("user_turn_sent")] == [True, True]
        assert all(one.sound for one in call.events("user_turn_sent")), "and is a recording"

    called(tmp_path, system, work)


def test_what_could_not_be_overheard_is_sent_as_ever(tmp_path: Path) -> None:
    system = AudioStreaming()
    system.deaf = True

    async def work(call: Call) -> None:
        call.leg.speak()
        await call.turns(2)
        assert [turn.overheard for turn in system.sent] == [False]
        assert system.sent[0].audio is not None

    called(tmp_path, system, work)


def test_while_it_owes_an_answer_a_turn_waits_and_is_not_overheard(tmp_path: Path) -> None:
    system = AudioStreaming()

    async def work(call: Call) -> None:
        system.gate = asyncio.Event()
        call.leg.speak()
        await eventually_there(lambda: system.sent, "the first turn never came")
        call.leg.speak()
        await eventually_there(lambda: system.interrupted, "nobody was interrupted")
        await eventually_there(lambda: not call.leg.speaking, "never said")
        await call.turns(3)
        assert system.begun == 1
        assert [turn.overheard for turn in system.sent] == [True, False]

    called(tmp_path, system, work)


@pytest.mark.parametrize("level", ["noisy", "clean"])
def test_where_the_study_damages_speech_the_system_hears_the_damaged_turn_only(
    level: str, tmp_path: Path
) -> None:
    plan = DamagePlan.model_validate({"factor": "line", "levels": {"noisy": {"snr_db": 0}, "clean": {}}})
    factors = {"one": {"line": level}, "two": {"line": level}}
    system = AudioStreaming()

    async def work(call: Call) -> None:
        call.leg.speak()
        await call.turns(2)
        assert (system.begun == 0) == (level == "noisy")
        assert [turn.overheard for turn in system.sent] == [level == "clean"]

    called(tmp_path, system, work, degradation=plan, factors=factors)


def test_a_turn_is_handed_over_only_to_a_system_that_wants_it_in_a_conversation_that_goes_on() -> None:
    wants, here = AudioStreaming(), Conversation("here")
    unwilling, unable = AudioStreaming(), Singer(attentive=True)
    unwilling.capabilities = Singer().capabilities
    found = attentive(wants, here)  # type: ignore[arg-type]
    assert found is not None and found[1] == wants.capabilities.audio_rate_hz
    assert found[0](Audio(b"\0\0", 16_000), True) and wants.begun == 1
    for system, conversation in ((wants, None), (unwilling, here), (unable, here)):
        assert attentive(system, conversation) is None  # type: ignore[arg-type]
