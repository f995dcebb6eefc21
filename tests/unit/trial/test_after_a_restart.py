"""What another process makes of a dialogue that it did not open."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scenes.visits import Parrot, into_dialogue, make_study, say
from vivavoce.core.clock import ManualClock
from vivavoce.log.events import SystemTurnReceived
from vivavoce.log.store import Log
from vivavoce.trial.engine import SessionEngine

OPENED = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(("later_s", "expected_s"), [(40, 40), (-60, 0)], ids=["later", "clock set back"])
def test_times_of_a_dialogue_go_on_by_the_wall_clock_in_another_process(
    tmp_path: Path, later_s: int, expected_s: int
) -> None:
    study, held = make_study(tmp_path), ("", "")

    async def in_a_process(clock: ManualClock) -> SystemTurnReceived | None:
        nonlocal held
        with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}", clock) as log:
            parrot = Parrot()
            engine = SessionEngine(study, log, {"one": parrot, "two": parrot}, clock=clock)
            await engine.start()
            if not held[0]:
                held = await into_dialogue(engine)
                await engine.stop()
                return None
            await say(engine, *held, "hi")
            answer = (await engine.state(held[0])).dialogues[-1].turns[-1].event
            await engine.stop()
            assert isinstance(answer, SystemTurnReceived)
            return answer

    asyncio.run(in_a_process(ManualClock(OPENED)))
    answer = asyncio.run(in_a_process(ManualClock(OPENED + timedelta(seconds=later_s))))
    assert answer is not None and answer.text == "You said: hi"
    assert answer.sent_s == answer.complete_s == expected_s
