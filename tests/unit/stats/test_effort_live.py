"""One visit that talks with a system, compares transcripts and rates them: three arms from one log."""

import asyncio
from pathlib import Path

import pytest

from scenes.comparing import compare, questions
from scenes.visits import Parrot
from vivavoce.core.clock import ManualClock
from vivavoce.log.event import LoggedRating
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.stats.effort import effort
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
