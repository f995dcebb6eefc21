"""A dialogue that has lasted as long as the study allows."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from scenes.patience import eventually_there
from scenes.visits import Parrot, greeted, into_dialogue, make_study, say, settled
from vivavoce.core.clock import ManualClock
from vivavoce.log import events
from vivavoce.log.history import DialogueHistory
from vivavoce.log.store import Log
from vivavoce.study.model import Limits
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.errors import Refused
from vivavoce.trial.visits import replayed

Scenario = Callable[[SessionEngine, ManualClock, Parrot], Awaitable[None]]
MINUTES = 5


def logged(engine: SessionEngine, visit_id: str) -> DialogueHistory:
    """The last dialogue as the log has it; unlike a page's question this does not count as being there."""
    return replayed(engine.log, engine.study, visit_id).state.dialogues[-1]


def hold(folder: Path, scenario: Scenario) -> list[events.DialogueEnded]:
    """Run a scenario in a study of five minutes a dialogue; how its dialogues ended, in order."""
    study, clock, parrot = (
        make_study(folder, limits=Limits(dialogue_minutes=MINUTES)),
        ManualClock(),
        Parrot(),
    )
    with Log.open(f"sqlite:///{folder / 'limit.sqlite'}", clock) as log:

        async def run() -> None:
            engine = SessionEngine(study, log, {"one": parrot, "two": parrot}, clock=clock)
            await engine.start()
            try:
                await scenario(engine, clock, parrot)
            finally:
                await engine.stop()

        asyncio.run(run())
        return [one.event for one in log.all_events() if isinstance(one.event, events.DialogueEnded)]


def test_a_dialogue_ends_by_itself_when_its_time_is_up_and_the_log_says_so(tmp_path: Path) -> None:
    async def scenario(engine: SessionEngine, clock: ManualClock, parrot: Parrot) -> None:
        visit_id, dialogue_id = await into_dialogue(engine)
        await say(engine, visit_id, dialogue_id, "hi")
        clock.advance(60 * MINUTES - 1)
        assert await engine.end_overdue() == 0
        clock.advance(1)
        await engine.state(visit_id)  # the page still asks
        await eventually_there(lambda: not logged(engine, visit_id).running)  # by itself
        with pytest.raises(Refused, match="not_running"):
            await engine.say(visit_id, dialogue_id, key="key-late-00001", text="too late")
        await eventually_there(lambda: parrot.closed)

    (ended,) = hold(tmp_path, scenario)
    assert (ended.reason, ended.limit, ended.user_turns, ended.duration_s) == ("limit", "minutes", 1, 300.0)


def test_the_turn_in_flight_is_answered_before_the_dialogue_ends(tmp_path: Path) -> None:
    async def scenario(engine: SessionEngine, clock: ManualClock, parrot: Parrot) -> None:
        visit_id, dialogue_id = await into_dialogue(engine)
        parrot.gate = asyncio.Event()
        await engine.say(visit_id, dialogue_id, key="key-last-00001", text="one more thing")
        clock.advance(60 * MINUTES + 30)
        assert await engine.end_overdue() == 0
        parrot.gate.set()
        await settled(engine, visit_id)
        dialogue = logged(engine, visit_id)
        assert [turn.text for turn in dialogue.turns][-1] == "You said: one more thing"
        assert not dialogue.running

    (ended,) = hold(tmp_path, scenario)
    assert (ended.reason, ended.limit) == ("limit", "minutes")


def test_a_failure_as_the_last_answer_does_not_keep_the_dialogue_open(tmp_path: Path) -> None:
    async def scenario(engine: SessionEngine, clock: ManualClock, parrot: Parrot) -> None:
        visit_id, dialogue_id = await into_dialogue(engine)
        parrot.gate = asyncio.Event()
        await engine.say(visit_id, dialogue_id, key="key-last-00001", text="break")
        clock.advance(60 * MINUTES + 30)
        await engine.state(visit_id)
        parrot.gate.set()
        await settled(engine, visit_id)
        await eventually_there(lambda: not logged(engine, visit_id).running)

    (ended,) = hold(tmp_path, scenario)
    assert (ended.reason, ended.limit) == ("limit", "minutes")


def test_who_left_before_the_time_was_up_has_abandoned_the_dialogue(tmp_path: Path) -> None:
    async def scenario(engine: SessionEngine, clock: ManualClock, parrot: Parrot) -> None:
        visit_id, dialogue_id = await into_dialogue(engine)
        await say(engine, visit_id, dialogue_id, "hi")
        clock.advance(60 * MINUTES + 1)
        await eventually_there(lambda: not logged(engine, visit_id).running)

    (ended,) = hold(tmp_path, scenario)
    assert (ended.reason, ended.limit) == ("abandoned", None)


def test_each_dialogue_has_its_own_time(tmp_path: Path) -> None:
    async def scenario(engine: SessionEngine, clock: ManualClock, parrot: Parrot) -> None:
        visit_id, dialogue_id = await into_dialogue(engine)
        clock.advance(60 * (MINUTES - 1))
        await engine.end_dialogue(visit_id, dialogue_id)
        await engine.next_dialogue(visit_id, 2, 0)
        await greeted(engine, visit_id)
        clock.advance(60 * (MINUTES - 1))
        await engine.state(visit_id)
        assert await engine.end_overdue() == 0

    assert [one.reason for one in hold(tmp_path, scenario)] == ["user"]


def test_the_limit_of_turns_is_told_apart_from_that_of_time(tmp_path: Path) -> None:
    study = make_study(tmp_path, limits=Limits(user_turns=1))
    with Log.open(f"sqlite:///{tmp_path / 'turns.sqlite'}") as log:

        async def run() -> None:
            engine = SessionEngine(study, log, {"one": Parrot(), "two": Parrot()})
            await engine.start()
            visit_id, dialogue_id = await into_dialogue(engine)
            await say(engine, visit_id, dialogue_id, "hi")
            await engine.stop()

        asyncio.run(run())
        (ended,) = [one.event for one in log.all_events() if isinstance(one.event, events.DialogueEnded)]
    assert (ended.reason, ended.limit) == ("limit", "turns")
