"""Which system takes a call: drawn when the call comes, over the calls so far."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from scenes.patience import eventually_there
from scenes.visits import Parrot, make_study
from vivavoce.audio.recognition import RECOGNISERS, Hypothesis, RecogniserSettings
from vivavoce.audio.sound import Sound
from vivavoce.audio.synthesis import SYNTHESISERS, SynthesiserSettings
from vivavoce.dashboard.board import Board
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.log.verification import rebuild
from vivavoce.study.model import DialogueStep, Nontrivial, Range
from vivavoce.study.telephone import Telephone
from vivavoce.trial.engine import SessionEngine
from vivavoce_speech.telephony.leg import PhoneLeg
from vivavoce_speech.telephony.switchboard import Switchboard

SYSTEMS = ("one", "two", "three")
CALLERS = tuple(f"+39061000{number}" for number in range(5))
CALLS_OF_EACH = 4


class Deaf:
    """A recogniser for callers who say nothing."""

    name, summary, settings = "deaf", "for tests", RecogniserSettings

    @classmethod
    def make(cls, settings: Any, secrets: Mapping[str, str]) -> "Deaf":
        return cls()

    async def recognise(self, sound: Sound, *, language: str) -> tuple[Hypothesis, ...]:
        return ()

    async def close(self) -> None: ...


class Curt:
    """A synthesiser that needs no time."""

    name, summary, settings = "curt", "for tests", SynthesiserSettings

    @classmethod
    def make(cls, settings: Any, secrets: Mapping[str, str]) -> "Curt":
        return cls()

    async def speak(self, text: str, *, language: str) -> Sound:
        return Sound(np.zeros(0, np.int16), 8000)

    async def close(self) -> None: ...


for registry, kind in ((RECOGNISERS, Deaf), (SYNTHESISERS, Curt)):
    if kind.name not in registry:
        registry.add(kind.name, kind)  # type: ignore[arg-type]


class Laboratory:
    """Three systems behind one switchboard."""

    def __init__(self, engine: SessionEngine, switchboard: Switchboard, log: Log) -> None:
        self.engine, self.switchboard, self.log = engine, switchboard, log
        self.calls: list[tuple[str, str]] = []  # caller and system, in the order of the calls

    async def call(self, caller: str) -> Any:
        """A new visit whose participant calls once, is greeted and hangs up; what routed the call."""
        visit_id = (await self.engine.open_visit(language="en")).visit_id
        await self.engine.give_consent(visit_id, 0, agreed=True, document="d")
        await self.engine.read_page(visit_id, 1)
        dialogue = (await self.engine.state(visit_id)).dialogue
        assert dialogue is not None and dialogue.pin is not None
        leg = PhoneLeg(f"call-{len(self.calls)}-{caller}", caller, dialogue.pin, "test")
        call = asyncio.create_task(self.switchboard.take(leg))

        def greeted() -> bool:
            return any(one.event.kind == "system_turn_received" for one in self.log.events(visit_id))

        await eventually_there(greeted, "the system did not speak")
        (turn,) = (one.event for one in self.log.events(visit_id) if one.event.kind == "system_turn_received")
        leg.ended("caller")
        await call
        routed = [one.event for one in self.log.events(visit_id) if one.event.kind == "call_routed"]
        if routed:
            assert turn.text == f"This is {routed[0].system}."  # type: ignore[attr-defined]
            self.calls.append((caller, routed[0].system))  # type: ignore[attr-defined]
        return routed

    async def four_calls(self, caller: str) -> None:
        for _ in range(CALLS_OF_EACH):
            await self.call(caller)

    def systems_of(self, caller: str) -> list[str]:
        return [system for who, system in self.calls if who == caller]


def spread(counts: Counter[str]) -> int:
    """By how many calls the systems differ at most."""
    numbers = [counts[system] for system in SYSTEMS]
    return max(numbers) - min(numbers)


def with_routing(
    folder: Path, routing: object, work: Callable[[Laboratory], Awaitable[None]], allocation: str = "random"
) -> Laboratory:
    told = {"number": "100", "recogniser": "deaf", "synthesiser": "curt", "silence_s": 3600}
    telephone = Telephone.model_validate({**told, "routing": routing})
    step = DialogueStep(
        repeat=Range(min=1, max=3), gate="code", nontrivial=Nontrivial(user_turns=1), channel="phone"
    )
    study = make_study(
        folder, systems={name: {"connect": "parrot"} for name in SYSTEMS}, allocation=allocation
    )
    visit = tuple(step if isinstance(one, DialogueStep) else one for one in study.visit)
    study = study.model_copy(update={"visit": visit, "telephone": telephone})

    async def run() -> Laboratory:
        with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
            parrots = {name: Parrot() for name in SYSTEMS}
            for name, parrot in parrots.items():
                parrot.greeting = f"This is {name}."
            engine = SessionEngine(study, log, parrots)
            await engine.start()
            lab = Laboratory(engine, Switchboard(engine, telephone), log)
            try:
                await work(lab)
            finally:
                await engine.stop()
            return lab

    return asyncio.run(run())


async def twenty_calls(lab: Laboratory) -> None:
    """Five people, each calling four times, at the same time."""
    await asyncio.gather(*(lab.four_calls(caller) for caller in CALLERS))


def test_twenty_calls_by_five_callers_meet_three_systems_as_evenly_as_can_be(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        await twenty_calls(lab)
        routed = Counter(system for _, system in lab.calls)
        assert await lab.log.transact(lambda tx: tx.call_counts("city")) == routed
        await asyncio.to_thread(rebuild, lab.log)
        assert await lab.log.transact(lambda tx: tx.call_counts("city")) == routed
        board = Board(lab.engine.study, lab.log)
        shown = board.see(lambda seen: Counter(card.system for card in seen.dialogues.values()))
        dataset = await asyncio.to_thread(export_dataset, lab.log, "city", tmp_path / "dataset")
        told = Counter(row["system"] for row in dataset.read("dialogues").to_pylist())
        assert told == shown == routed

    lab = with_routing(tmp_path, "least-called-by-caller", work)
    assert len(lab.calls) == 20
    for caller in CALLERS:
        assert spread(Counter(lab.systems_of(caller))) == 1, lab.systems_of(caller)


def test_balanced_routing_evens_out_the_systems_over_all_callers(tmp_path: Path) -> None:
    async def ten_calls(lab: Laboratory) -> None:
        await asyncio.gather(*(lab.call(caller) for caller in CALLERS))
        await asyncio.gather(*(lab.call(caller) for caller in CALLERS))

    lab = with_routing(tmp_path, "balanced", ten_calls)
    assert spread(Counter(system for _, system in lab.calls)) == 1


def test_a_seed_draws_the_same_of_equals_again(tmp_path: Path) -> None:
    async def some_calls(lab: Laboratory) -> None:
        for caller in CALLERS[:4]:
            await lab.call(caller)

    drawn = {}
    for place, (rule, seed) in enumerate([("random", 1), ("random", 1), ("random", 2)]):
        folder = tmp_path / str(place)
        folder.mkdir()
        (folder / "callers.key").write_text("5a" * 32, encoding="ascii")  # pseudonyms are drawn for
        drawn[place] = with_routing(folder, {"rule": rule, "seed": seed}, some_calls).calls
    assert drawn[0] == drawn[1] != drawn[2]


def test_without_a_number_the_participants_calls_count_and_no_rule_leaves_the_first_draw(
    tmp_path: Path,
) -> None:
    async def work(lab: Laboratory) -> None:
        (first,) = await lab.call(CALLERS[0])
        (withheld,) = await lab.call("")
        assert (first.counted_by, withheld.counted_by) == ("caller", "participant")
        assert withheld.calls_before == {}
        (again,) = await lab.call(CALLERS[0])
        assert again.calls_before == {first.system: 1}
        assert again.system != first.system

    with_routing(tmp_path, "least-called-by-caller", work)

    async def unrouted(lab: Laboratory) -> None:
        assert await lab.call(CALLERS[0]) == []

    (tmp_path / "unrouted").mkdir()
    with_routing(tmp_path / "unrouted", None, unrouted)
