"""Visits that nobody looks at any more take no memory, and go on from the log when somebody comes back."""

import asyncio
from pathlib import Path

from scenes.visits import Parrot, into_dialogue, make_study
from vivavoce.core.clock import ManualClock
from vivavoce.log.store import Log
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.upkeep import FORGOTTEN_AFTER_S


def test_a_visit_left_at_the_consent_is_forgotten_and_one_in_a_dialogue_is_not(
    tmp_path: Path, log: Log
) -> None:
    study, clock = make_study(tmp_path), ManualClock()

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
