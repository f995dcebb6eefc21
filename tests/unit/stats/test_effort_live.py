"""One visit that talks with a system, compares transcripts and rates them: three arms from one log."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scenes.comparing import compare, questions
from scenes.visits import Parrot
from vivavoce.core.clock import ManualClock
from vivavoce.log.event import LoggedRating
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.stats.effort import _lasted, _row, _Spent, effort
from vivavoce.steps.pairwise_preference.form import Preferred
from vivavoce.study.load import load_study
from vivavoce.study.scaffold import write_study
from vivavoce.trial.engine import SessionEngine

VISIT = """visit:
  - dialogue: {gate: none}
  - questionnaire: reading
  - compare: {pairs: pairs.yaml, variables: [empathy]}
  - rate: {pairs: pairs.yaml, variables: [empathy], versions: one}
"""


def test_live_and_transcript_arms_of_one_study_are_told_apart_with_their_times(tmp_path: Path) -> None:
    write_study(tmp_path, "guerini-2018", name="both")
    lines = (tmp_path / "study.yaml").read_text().split("visit:")[0]
    file = tmp_path / "study.yaml"
    file.write_text(lines + "systems: {hut: {connect: wizard}}\n" + VISIT)
    study, clock = load_study(tmp_path), ManualClock()
    log = Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}", clock)
    ratings = [LoggedRating(item_id=item, value=4.0, answer="Rather") for item in ("ease", "utility")]

    async def run() -> None:
        engine = SessionEngine(study, log, {"hut": Parrot()}, clock=clock)
        await engine.start()
        visit = (await engine.open_visit(language="en")).visit_id
        while not (state := await engine.state(visit)).dialogues[-1].greeted:
            await asyncio.sleep(0.002)
        clock.advance(170)
        await engine.end_dialogue(visit, state.dialogues[-1].dialogue_id)
        clock.advance(10)
        await engine.forms.answer(
            visit, step=0, round=0, position=0, instrument="reading", wording="project", ratings=ratings
        )
        clock.advance(40)
        state = await engine.state(visit)
        await compare(engine, visit, {one.question_id: Preferred("left") for one in questions(study)})
        clock.advance(12)
        state = await engine.state(visit)
        rated = state.stimulus_kind.rated(state.shown, "project", ratings)
        await engine.forms.respond(visit, step=state.step, position=0, response=rated)
        assert (await engine.state(visit)).outcome == "completed"
        await engine.stop()

    asyncio.run(run())
    compared, read, live = effort([export_dataset(log, "both", tmp_path / "data")], hourly=36)
    log.close_now()
    assert [one.arm for one in (compared, read, live)] == ["compared", "read", "live_wizard"]
    assert compared.seconds_per_judgement == pytest.approx(10)
    assert read.seconds_per_judgement == pytest.approx(6)
    assert live.seconds_per_judgement == pytest.approx(90)
    assert live.people == 2
    assert live.cost_per_judgement == pytest.approx(1.8)
    assert compared.cost_per_judgement == pytest.approx(0.1)


def test_effort_is_seconds_of_what_was_timed_and_people_at_the_hourly_rate() -> None:
    """Two judgements in 30 seconds, and three of which nobody knows the time."""
    spent = _Spent()
    spent.add(2, 30.0, "a")
    spent.add(3, None, "b")
    alone, two = _row("live", spent, 36), _row("live_wizard", spent, 36)
    assert (alone.judgements, alone.participants, alone.people, two.people) == (5, 2, 1, 2)
    assert (alone.seconds_per_judgement, alone.minutes_per_participant) == (15, 0.25)
    assert (alone.cost_per_judgement, two.cost_per_judgement) == pytest.approx((0.15, 0.3))
    assert _row("live", spent, None).cost_per_judgement is None
    untimed = _Spent()
    untimed.add(3, None, "b")
    found = _row("read", untimed, 36)
    assert found.seconds_per_judgement is found.minutes_per_participant is found.cost_per_judgement is None


START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(("started", "answered", "seconds"), [
    (START, [30, None, 90], 90), (START, [None], 7.5), (None, [30], 7.5), (START, [], 7.5),
])  # fmt: skip
def test_a_live_judgement_lasts_to_the_last_answer_or_as_long_as_the_dialogue(started, answered, seconds):
    rows = [{"answered_at": None if one is None else START + timedelta(seconds=one)} for one in answered]
    assert _lasted({"started_at": started, "duration_s": 7.5}, rows) == seconds
