"""A system that keeps failing gets no new dialogue while another is left, and the log says so."""

import asyncio
from pathlib import Path

from scenes.visits import Parrot, into_dialogue, make_study, say
from vivavoce.connectors.base import ConnectorSettings
from vivavoce.connectors.governed import Governed
from vivavoce.log.store import Log
from vivavoce.session.engine import SessionEngine


def governed(parrot: Parrot) -> Governed:
    return Governed(parrot, ConnectorSettings(connect="parrot", rest_after=2, rest_s=60))


def test_a_failing_system_is_left_alone_until_it_answers(log: Log, tmp_path: Path) -> None:
    async def run() -> None:
        study = make_study(tmp_path, allocation="random")
        one, two = Parrot(), Parrot()
        engine = SessionEngine(study, log, {"one": governed(one), "two": governed(two)})
        await engine.start()
        visit, dialogue = await into_dialogue(engine)
        state = await engine.state(visit)
        system = state.dialogues[-1].system
        for number in range(2):
            await say(engine, visit, dialogue, "break", key=f"break-{number}")
        assert await new_systems(engine, 12) == {"two" if system == "one" else "one"}
        await say(engine, visit, dialogue, "hello", key="hello")
        assert await new_systems(engine, 40) == {"one", "two"}
        told = [(stored.event.kind, stored.event.system) for stored in log.trial_events()]  # type: ignore[attr-defined]
        assert told == [("system_suspended", system), ("system_restored", system)]
        await engine.stop()

    asyncio.run(run())


def test_when_all_systems_fail_dialogues_are_still_begun(log: Log, tmp_path: Path) -> None:
    async def run() -> None:
        connectors = {"one": governed(Parrot()), "two": governed(Parrot())}
        engine = SessionEngine(make_study(tmp_path, allocation="random"), log, connectors)
        engine.rules.suspended = lambda: {"one", "two"}
        assert await new_systems(engine, 30) == {"one", "two"}

    asyncio.run(run())


async def new_systems(engine: SessionEngine, visits: int) -> set[str]:
    """The systems that newly opened visits are given."""
    given = set()
    for _ in range(visits):
        visit, _ = await into_dialogue(engine)
        given.add((await engine.state(visit)).dialogues[-1].system)
    return given
