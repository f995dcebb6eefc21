"""To the second: when a dialogue counts as left, when its time is up, and when a visit is let go of."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from scenes.fighting import arena_engine, arena_study, settled, until
from scenes.visits import Parrot, into_dialogue, make_study, say
from vivavoce.core.clock import ManualClock
from vivavoce.log.store import Log
from vivavoce.study.model import Limits, Study
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.maintenance import FORGOTTEN_AFTER_S, PRESENT_S

IDLE_S, LIMIT_S = 60 * 30, 60 * 20
LONG = Limits(dialogue_minutes=600, idle_minutes=600)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def log(tmp_path: Path, clock: ManualClock) -> Iterator[Log]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}", clock) as opened:
        yield opened


def tend(study: Study, log: Log, scenario: Callable[[SessionEngine], Awaitable[None]]) -> None:
    """Run a scenario; what is kept up is kept up only when it asks."""

    async def run() -> None:
        engine = SessionEngine(study, log, dict.fromkeys(study.systems, Parrot()), clock=log.clock)
        await scenario(engine)
        await engine.stop()

    asyncio.run(run())


def idle(folder: Path) -> Study:
    return make_study(folder, limits=Limits(dialogue_minutes=600, idle_minutes=IDLE_S // 60))


async def into_code(engine: SessionEngine) -> str:
    """A visit whose dialogue is over and whose code is waited for."""
    visit_id, dialogue_id = await into_dialogue(engine)
    for text in ("a thai place", "its phone"):
        await say(engine, visit_id, dialogue_id, text)
    await engine.end_dialogue(visit_id, dialogue_id)
    assert (await engine.state(visit_id)).phase == "code"
    return visit_id


def test_a_dialogue_is_left_when_nothing_happened_for_longer_than_the_idle_time(
    tmp_path: Path, log: Log, clock: ManualClock
) -> None:
    async def scenario(engine: SessionEngine) -> None:
        visit_id, _ = await into_dialogue(engine)
        clock.advance(IDLE_S)
        assert await engine.sweep() == 0
        clock.advance(1)
        assert await engine.sweep() == 1
        assert (await engine.state(visit_id)).dialogues[-1].end_reason == "abandoned"
        assert await engine.sweep() == 0

    tend(idle(tmp_path), log, scenario)


def test_what_happened_while_the_idle_ones_were_looked_for_counts(
    tmp_path: Path, log: Log, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(engine: SessionEngine) -> None:
        over, consent = await into_code(engine), (await engine.open_visit(language="en")).visit_id
        clock.advance(1)
        touched, _ = await into_dialogue(engine)
        monkeypatch.setattr(log, "idle_visits", lambda *_: [over, consent, touched])
        clock.advance(IDLE_S)
        assert await engine.sweep() == 0
        clock.advance(1)
        assert await engine.sweep() == 1

    tend(idle(tmp_path), log, scenario)


@pytest.mark.parametrize(("away_s", "reason"), [(PRESENT_S, "limit"), (PRESENT_S + 1, "abandoned")])
def test_who_looked_within_five_minutes_was_there_when_the_time_was_up(
    tmp_path: Path, log: Log, clock: ManualClock, away_s: float, reason: str
) -> None:
    async def scenario(engine: SessionEngine) -> None:
        visit_id, _ = await into_dialogue(engine)
        clock.advance(LIMIT_S - PRESENT_S)
        await engine.state(visit_id)
        clock.advance(away_s)
        assert await engine.end_overdue() == 1
        assert (await engine.state(visit_id)).dialogues[-1].end_reason == reason

    tend(make_study(tmp_path, limits=Limits(dialogue_minutes=LIMIT_S // 60)), log, scenario)


def test_no_time_is_up_where_no_dialogue_goes_on(tmp_path: Path, log: Log, clock: ManualClock) -> None:
    async def scenario(engine: SessionEngine) -> None:
        over = await into_code(engine)
        await engine.open_visit(language="en")
        clock.advance(2 * LIMIT_S)
        assert await engine.end_overdue() == 0
        assert (await engine.state(over)).dialogues[-1].end_reason == "user"

    tend(make_study(tmp_path, limits=Limits(dialogue_minutes=LIMIT_S // 60)), log, scenario)


def test_a_dialogue_whose_system_has_not_greeted_yet_is_not_cut_off(
    tmp_path: Path, log: Log, clock: ManualClock
) -> None:
    class Silent(Parrot):
        async def open(self, conversation):
            await asyncio.Event().wait()
            yield  # never

    study = make_study(tmp_path, limits=Limits(dialogue_minutes=LIMIT_S // 60))

    async def run() -> None:
        engine = SessionEngine(study, log, dict.fromkeys(study.systems, Silent()), clock=clock)
        visit_id = (await engine.open_visit(language="en")).visit_id
        await engine.give_consent(visit_id, 0, agreed=True, document="d")
        await engine.read_page(visit_id, 1)
        clock.advance(2 * LIMIT_S)
        assert await engine.end_overdue() == 0
        await engine.stop()

    asyncio.run(run())


def test_a_visit_is_let_go_of_an_hour_after_somebody_looked_or_once_it_is_over(
    tmp_path: Path, log: Log, clock: ManualClock
) -> None:
    async def scenario(engine: SessionEngine) -> None:
        asked, gone = await into_code(engine), (await engine.open_visit(language="en")).visit_id
        await engine.withdraw(gone)
        (await engine.visit(asked)).conversation = None  # closed by then
        clock.advance(FORGOTTEN_AFTER_S)
        await engine.sweep()
        assert set(engine._visits) == {asked}
        clock.advance(1)
        await engine.sweep()
        assert not engine._visits

    tend(make_study(tmp_path, limits=LONG), log, scenario)


def test_a_visit_with_a_dialogue_is_kept_also_where_its_system_holds_no_conversation(
    tmp_path: Path, log: Log, clock: ManualClock
) -> None:
    async def scenario(engine: SessionEngine) -> None:
        visit_id, _ = await into_dialogue(engine)
        (await engine.visit(visit_id)).conversation = None  # as after a restart
        clock.advance(FORGOTTEN_AFTER_S + 1)
        await engine.sweep()
        assert set(engine._visits) == {visit_id}

    tend(make_study(tmp_path, limits=LONG), log, scenario)


def test_a_visit_with_a_bout_is_kept(tmp_path: Path, log: Log, clock: ManualClock) -> None:
    study = arena_study(tmp_path / "study").model_copy(update={"limits": LONG})

    async def run() -> None:
        engine = arena_engine(study, log)
        engine.clock = engine.rules.clock = clock
        opened = await engine.open_visit(language="en")
        await until(engine, opened.visit_id, settled)
        clock.advance(FORGOTTEN_AFTER_S + 1)
        await engine.sweep()
        assert set(engine._visits) == {opened.visit_id}
        await engine.stop()

    asyncio.run(run())
