"""Comparisons in a visit: drawn once, balanced over people, kept over a restart, told apart when odd."""

import asyncio
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from scenes.comparing import compare, comparing_study, questions
from vivavoce.core.clock import ManualClock
from vivavoce.log.events import ResponseGiven, StepFinished, StimuliPlanned
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.steps.pairwise_preference.form import Preferred
from vivavoce.steps.stimulus import Rejected
from vivavoce.study.model import Study
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.errors import Stale
from vivavoce.trial.state import VisitState

Judge = Callable[[VisitState], str]


def run(study: Study, log: Log, work, clock: ManualClock | None = None):
    async def scene():
        engine = SessionEngine(study, log, {}, clock=clock)
        await engine.start()
        try:
            return await work(engine)
        finally:
            await engine.stop()

    return asyncio.run(scene())


async def compare_one(engine: SessionEngine, visit_id: str, side: str = "left", **answers: Preferred) -> None:
    chosen = {question.question_id: Preferred(side) for question in questions(engine.study)} | answers
    await compare(engine, visit_id, chosen)


async def compare_all(engine: SessionEngine, visit_id: str, judge: Judge) -> None:
    while (state := await engine.state(visit_id)).phase == "stimulus":
        await compare_one(engine, visit_id, judge(state))


async def opened(engine: SessionEngine) -> str:
    return (await engine.open_visit(language="en")).visit_id


def ours(state: VisitState) -> str:
    return state.shown.stimulus.experimental_side


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return comparing_study(tmp_path / "study", steps=False, attention=False)


def pairs_of(state: VisitState) -> list[str]:
    return [one["pair_id"] for one in state.planned.stimuli]


def kinds(log: Log, kind: type) -> list:
    found = [one.event for visit in log.visits("city") for one in log.events(visit.visit_id)]
    return [event for event in found if isinstance(event, kind)]


def test_people_who_come_at_once_get_slots_of_their_own(study: Study, log: Log) -> None:
    async def work(engine: SessionEngine) -> None:
        await asyncio.gather(*(opened(engine) for _ in range(21)))

    run(study, log, work)
    drawn = kinds(log, StimuliPlanned)
    assert sorted(one.slot for one in drawn) == list(range(21))
    for variable in ("empathy", "facing"):
        found = [one for event in drawn for one in event.stimuli if one["variable"] == variable]
        sides = Counter(one["experimental_side"] for one in found)
        places = Counter(event.stimuli.index(one) for event in drawn for one in event.stimuli if one in found)
        assert max(sides.values()) - min(sides.values()) <= 1
        assert max(places.values()) - min(places.values()) <= 1


def test_a_slot_that_nobody_finished_is_given_again(study: Study, log: Log) -> None:
    async def work(engine: SessionEngine) -> None:
        first, second = await opened(engine), await opened(engine)
        await engine.withdraw(first)
        await compare_all(engine, second, ours)
        await opened(engine)
        await opened(engine)

    run(study, log, work)
    assert [one.slot for one in kinds(log, StimuliPlanned)] == [0, 1, 0, 2]


def test_programs_take_no_slot_of_people(study: Study, log: Log) -> None:
    async def work(engine: SessionEngine) -> None:
        await engine.open_visit(language="en", simulated=True)
        await opened(engine)

    run(study, log, work)
    assert [one.slot for one in kinds(log, StimuliPlanned)] == [0, 0]


def test_a_visit_goes_on_after_a_restart_where_it_was(study: Study, log: Log) -> None:
    async def begin(engine: SessionEngine) -> tuple[str, list[str]]:
        visit_id = await opened(engine)
        await compare_one(engine, visit_id)
        await compare_one(engine, visit_id)
        return visit_id, pairs_of(await engine.state(visit_id))

    visit_id, shown = run(study, log, begin)

    async def go_on(engine: SessionEngine) -> VisitState:
        state = await engine.state(visit_id)
        assert (state.phase, state.position) == ("stimulus", 2)
        assert pairs_of(state) == shown
        await compare_all(engine, visit_id, ours)
        return await engine.state(visit_id)

    assert run(study, log, go_on).outcome == "completed"
    assert [one.response["pair_id"] for one in kinds(log, ResponseGiven)] == shown


def test_another_pair_is_stale_and_an_open_question_is_refused(study: Study, log: Log) -> None:
    async def work(engine: SessionEngine) -> None:
        visit_id = await opened(engine)
        with pytest.raises(Stale):
            left = {question.question_id: Preferred("left") for question in questions(study)}
            await compare(engine, visit_id, left, position=1)
        with pytest.raises(Rejected) as refused:
            await compare(engine, visit_id, {})
        assert refused.value.fields == ("ease",)
        with pytest.raises(Rejected) as refused:
            await compare_one(engine, visit_id, utility=Preferred("tie"))  # no ties in this study
        assert refused.value.fields == ("utility",)

    run(study, log, work)
    assert kinds(log, ResponseGiven) == []


def test_odd_responses_are_flagged_and_kept(tmp_path: Path, log: Log) -> None:
    study = comparing_study(tmp_path / "study", steps=False, attention=True, repeats=2)

    async def work(engine: SessionEngine) -> None:
        await compare_all(engine, await opened(engine), lambda state: "left")
        await compare_all(engine, await opened(engine), ours)

    run(study, log, work)
    one_side, taken_in = kinds(log, StepFinished)
    assert {"fast", "one_side", "inconsistent"} <= set(one_side.flags)
    assert taken_in.flags == ["fast", "attention_failed"]
    assert len(kinds(log, ResponseGiven)) == 16


@pytest.mark.parametrize(("accepts", "accepted"), [(True, True), (False, False)])
def test_who_prefers_nonsense_is_accepted_where_the_study_says_so(
    accepts: bool, accepted: bool, tmp_path: Path, log: Log
) -> None:
    settings = {"attention": True, "accept_failed_attention": accepts}
    study = comparing_study(tmp_path / "study", steps=False, **settings)

    async def work(engine: SessionEngine) -> None:
        await compare_all(engine, await opened(engine), ours)

    run(study, log, work)
    (end,) = kinds(log, StepFinished)
    assert "attention_failed" in end.flags and end.accepted is accepted


def test_a_simulated_judge_is_never_too_fast(tmp_path: Path, log: Log) -> None:
    study = comparing_study(tmp_path / "study", steps=False, attention=False, accept_fast=False)

    async def work(engine: SessionEngine) -> None:
        for simulated in (True, False):
            visit = await engine.open_visit(language="en", simulated=simulated)
            await compare_all(engine, visit.visit_id, ours)

    run(study, log, work)
    assert [(one.accepted, one.flags) for one in kinds(log, StepFinished)] == [(True, []), (False, ["fast"])]


def test_who_takes_three_minutes_is_not_fast(study: Study, tmp_path: Path) -> None:
    clock = ManualClock()

    async def work(engine: SessionEngine) -> None:
        visit_id = await opened(engine)
        for _ in range(5):
            clock.advance(36)
            await compare_one(engine, visit_id, ours(await engine.state(visit_id)))

    with Log.open(f"sqlite:///{tmp_path / 'timed.sqlite'}", clock) as log:
        run(study, log, work, clock)
        (end,) = kinds(log, StepFinished)
        assert (end.total_s, end.flags, end.accepted) == (180.0, [], True)
        assert [one.response_s for one in kinds(log, ResponseGiven)] == [36.0] * 5


def test_the_dataset_has_a_row_for_every_choice(study: Study, log: Log, tmp_path: Path) -> None:
    async def work(engine: SessionEngine) -> None:
        await compare_all(engine, await opened(engine), ours)
        await compare_one(engine, await opened(engine), "right")

    run(study, log, work)
    rows = export_dataset(log, "city", tmp_path / "data").read("preferences").to_pylist()
    assert len(rows) == 24
    assert {row["choice"] for row in rows[:20]} == {"experimental"}
    assert all(row["side"] == row["experimental_side"] for row in rows[:20])
    assert [row["comparison_number"] for row in rows[:20]] == [1 + place // 4 for place in range(20)]
    assert {(row["question"], row["quality"]) for row in rows} == {
        ("ease", "service"),
        ("utility", "service"),
        ("satisfaction", "experience"),
        ("interaction", "experience"),
    }
    assert {row["accepted"] for row in rows[:20]} == {True}
    assert {(row["accepted"], row["total_s"]) for row in rows[20:]} == {(None, None)}
    first = next(
        row for row in rows if row["pair_id"] == "empathy-train" or row["pair_id"] == "empathy-plant"
    )
    assert first["control_tokens"] < first["experimental_tokens"]
    assert (first["control_level"], first["experimental_level"]) == ("neutral", "empathetic")


def test_a_response_left_for_long_frees_its_slot(study: Study, tmp_path: Path) -> None:
    clock = ManualClock()

    async def work(engine: SessionEngine) -> None:
        await opened(engine)
        clock.advance(timedelta(minutes=study.limits.visit_minutes + 1).total_seconds())
        await opened(engine)

    with Log.open(f"sqlite:///{tmp_path / 'timed.sqlite'}", clock) as log:
        run(study, log, work, clock)
        assert [one.slot for one in kinds(log, StimuliPlanned)] == [0, 0]
