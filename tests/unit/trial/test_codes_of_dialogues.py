"""Codes that a participant enters after a dialogue: right, wrong, used before, guessed."""

import asyncio
from pathlib import Path

import pytest

from scenes.visits import (
    Parrot,
    greeted,
    hold_dialogue,
    into_dialogue,
    make_study,
    with_engine,
)
from vivavoce.core.clock import ManualClock
from vivavoce.log import events
from vivavoce.log.store import Log
from vivavoce.trial.engine import SessionEngine


def test_wrong_reused_and_foreign_codes_are_told_apart_and_counted(study, log) -> None:
    async def scenario(engine: SessionEngine) -> None:
        first, dialogue = await into_dialogue(engine)
        await hold_dialogue(engine, first, dialogue)
        other, other_dialogue = await into_dialogue(engine)
        await hold_dialogue(engine, other, other_dialogue)
        foreign = (await engine.state(other)).dialogues[-1].code or ""
        mine = (await engine.state(first)).dialogues[-1].code or ""
        assert (await engine.enter_code(first, "00")).problem == "unknown"
        assert (await engine.enter_code(first, foreign)).problem == "other_visit"
        assert (await engine.enter_code(first, f" {mine[:2]}-{mine[2:]} ")).accepted
        await engine.forms.answer(
            first, step=2, round=0, position=0, instrument="cambridge", wording="project", ratings=[]
        )
        await engine.next_dialogue(first, 2, 1)
        await hold_dialogue(engine, first, await greeted(engine, first))
        assert (await engine.enter_code(first, mine)).problem == "reused"
        entered = [s.event for s in log.events(first) if isinstance(s.event, events.CodeEntered)]
        assert [one.accepted for one in entered] == [False, False, True, False]

    with_engine(study, log, scenario)


def test_guessing_codes_is_stopped(study, log) -> None:
    async def scenario(engine: SessionEngine) -> None:
        visit_id, dialogue_id = await into_dialogue(engine)
        await hold_dialogue(engine, visit_id, dialogue_id)
        right = (await engine.state(visit_id)).dialogues[-1].code or ""
        for _ in range(study.limits.code_attempts):
            assert (await engine.enter_code(visit_id, "1")).problem == "unknown"
        assert (await engine.enter_code(visit_id, right)).problem == "too_many"

    with_engine(study, log, scenario)


@pytest.mark.parametrize(("passed_s", "problem"), [(599, "too_many"), (600, None)])
def test_wrong_codes_count_for_ten_minutes(tmp_path: Path, passed_s: float, problem: str | None) -> None:
    study, clock = make_study(tmp_path), ManualClock()

    async def run() -> None:
        engine = SessionEngine(study, log, dict.fromkeys(study.systems, Parrot()), clock=clock)
        visit_id, dialogue_id = await into_dialogue(engine)
        await hold_dialogue(engine, visit_id, dialogue_id)
        for _ in range(study.limits.code_attempts):
            await engine.enter_code(visit_id, "1")
        clock.advance(passed_s)
        right = (await engine.state(visit_id)).dialogues[-1].code or ""
        assert (await engine.enter_code(visit_id, right)).problem == problem
        await engine.stop()

    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}", clock) as log:
        asyncio.run(run())


def test_a_code_that_was_used_or_is_of_another_dialogue_of_the_visit_is_not_taken(study, log) -> None:
    async def scenario(engine: SessionEngine) -> None:
        visit_id, dialogue_id = await into_dialogue(engine)
        await hold_dialogue(engine, visit_id, dialogue_id)
        mine = (await engine.state(visit_id)).dialogues[-1].code or ""
        await log.transact(lambda tx: tx.reserve_code("77", "dialogue-before", visit_id))
        assert (await engine.enter_code(visit_id, "77")).problem == "reused"
        await log.transact(lambda tx: tx.use_code(mine))
        assert (await engine.enter_code(visit_id, mine)).problem == "reused"

    with_engine(study, log, scenario)


def test_a_code_has_a_digit_more_where_all_shorter_ones_are_taken(tmp_path: Path, log) -> None:
    study = make_study(tmp_path)
    study = study.model_copy(update={"limits": study.limits.model_copy(update={"code_digits": 1})})

    async def scenario(engine: SessionEngine) -> None:
        for code in range(1, 10):
            await log.transact(lambda tx, code=str(code): tx.reserve_code(code, "of-others", "elsewhere"))
        visit_id, dialogue_id = await into_dialogue(engine)
        await hold_dialogue(engine, visit_id, dialogue_id)
        code = (await engine.state(visit_id)).dialogues[-1].code
        assert code is not None and len(code) == 2

    with_engine(study, log, scenario)
