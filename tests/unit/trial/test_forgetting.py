"""Visits that nobody looks at any more take no memory, and go on from the log when somebody comes back."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scenes.visits import Parrot, into_dialogue, make_study
from vivavoce.connectors.base import Conversation
from vivavoce.core.clock import ManualClock
from vivavoce.log.store import Log
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.maintenance import FORGOTTEN_AFTER_S


def test_a_visit_left_at_the_consent_is_forgotten_and_one_in_a_dialogue_is_not(
    tmp_path: Path, log: Log
) -> None:
    study, clock = make_study(tmp_path), ManualClock()
    clock.advance(FORGOTTEN_AFTER_S)  # a machine that has run for long

    async def run() -> None:
        engine = SessionEngine(study, log, dict.fromkeys(study.systems, Parrot()), clock=clock)
        await engine.start()
        left = (await engine.open_visit(language="en")).visit_id
        talking, _ = await into_dialogue(engine)
        await engine.sweep()
        assert set(engine._visits) == {left, talking}
        clock.advance(FORGOTTEN_AFTER_S + 1)
        await engine.state(talking)
        await engine.sweep()
        assert set(engine._visits) == {talking}
        await engine.give_consent(left, 0, agreed=True, document="d")
        assert (await engine.state(left)).step == 1
        await engine.stop()

    asyncio.run(run())


@pytest.mark.parametrize("held", ["conversation", "play"])
def test_a_visit_that_a_system_or_a_listener_still_holds_is_not_forgotten(
    tmp_path: Path, log: Log, held: str
) -> None:
    study, clock = make_study(tmp_path), ManualClock()

    async def run() -> None:
        engine = SessionEngine(study, log, dict.fromkeys(study.systems, Parrot()), clock=clock)
        await engine.start()
        visit_id = (await engine.open_visit(language="en")).visit_id
        visit = await engine.visit(visit_id)
        setattr(visit, held, Conversation(key="k", language="en") if held == "conversation" else print)
        clock.advance(FORGOTTEN_AFTER_S + 1)
        await engine.sweep()
        assert set(engine._visits) == {visit_id}
        setattr(visit, held, None)
        await engine.sweep()
        assert engine._visits == {}
        await engine.stop()

    asyncio.run(run())


def test_a_dialogue_touched_after_it_was_found_idle_goes_on(
    tmp_path: Path, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever writes while the log is asked for idle visits is there again before theirs is ended."""
    study, clock = make_study(tmp_path), ManualClock(datetime.now(UTC))  # the log writes the real time

    async def run() -> None:
        engine = SessionEngine(study, log, dict.fromkeys(study.systems, Parrot()), clock=clock)
        await engine.start()
        talking, _ = await into_dialogue(engine)
        monkeypatch.setattr(log, "idle_visits", lambda *_: [talking])
        assert await engine.sweep() == 0
        assert (await engine.state(talking)).dialogues[-1].running
        clock.advance(2 * 60 * study.limits.idle_minutes)
        assert await engine.sweep() == 1
        assert not (await engine.state(talking)).dialogues[-1].running
        await engine.stop()

    asyncio.run(run())
