"""A system that keeps failing gets no new dialogue while another is left, and the log says so."""

import asyncio
from pathlib import Path

from scenes.visits import Parrot, into_dialogue, make_study, say
from vivavoce.connectors.base import ConnectorSettings
from vivavoce.connectors.rate_limit import LimitedConnector
from vivavoce.log.store import Log
from vivavoce.trial.engine import SessionEngine


def governed(parrot: Parrot) -> LimitedConnector:
    return LimitedConnector(parrot, ConnectorSettings(connect="parrot", failure_threshold=2, reset_s=3600))


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


def test_what_a_system_has_cost_outlives_a_restart(log: Log, tmp_path: Path) -> None:
    settings = ConnectorSettings(connect="parrot", price_per_turn=2.0, budget=5.0)
    study = make_study(tmp_path, systems={"one": {"connect": "http", "url": "http://192.0.2.1/"}})

    async def run(*texts: str) -> tuple[float, str | None]:
        system = LimitedConnector(Parrot(), settings)
        engine = SessionEngine(study, log, {"one": system})
        await engine.start()
        visit, dialogue = await into_dialogue(engine)
        for number, text in enumerate(texts):
            await say(engine, visit, dialogue, text, key=f"{text}-{number}")
        await engine.stop()
        return system.spent, system.resting

    assert asyncio.run(run("hello", "again")) == (4.0, "its turns cost 4 of at most 5")
    assert asyncio.run(run()) == (4.0, "its turns cost 4 of at most 5")
    assert [stored.event.kind for stored in log.trial_events()] == ["system_suspended"]


def test_a_rest_that_a_restart_ended_is_told_as_ended(log: Log, tmp_path: Path) -> None:
    async def run(fails: bool) -> None:
        study = make_study(tmp_path, systems={"one": {"connect": "http", "url": "http://192.0.2.1/"}})
        engine = SessionEngine(study, log, {"one": governed(Parrot())})
        await engine.start()
        if fails:
            visit, dialogue = await into_dialogue(engine)
            for number in range(2):
                await say(engine, visit, dialogue, "break", key=f"break-{number}")
        await engine.stop()

    asyncio.run(run(fails=True))
    asyncio.run(run(fails=False))
    assert [stored.event.kind for stored in log.trial_events()] == ["system_suspended", "system_restored"]


async def new_systems(engine: SessionEngine, visits: int) -> set[str]:
    """The systems that newly opened visits are given."""
    given = set()
    for _ in range(visits):
        visit, _ = await into_dialogue(engine)
        given.add((await engine.state(visit)).dialogues[-1].system)
    return given
