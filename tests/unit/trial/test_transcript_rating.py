"""Third-party rating: balanced plans of single transcripts, ratings stored once, rows of the dataset."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from vivavoce.core.errors import InputError
from vivavoce.log.event import LoggedRating
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.steps.transcript_rating.step import RatedTranscript, reading_plan
from vivavoce.study.load import load_study
from vivavoce.study.model import Study
from vivavoce.study.scaffold import write_study
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.errors import Stale


def reading_study(folder: Path, step: str = "{pairs: pairs.yaml}") -> Study:
    write_study(folder, "guerini-2018", name="readers")
    lines = (folder / "study.yaml").read_text().split("visit:")[0]
    (folder / "study.yaml").write_text(f"{lines}visit:\n  - rate: {step}\n")
    return load_study(folder)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return reading_study(tmp_path / "study")


async def read_all(engine: SessionEngine, value: float = 4.0) -> str:
    opened = await engine.open_visit(language="en")
    while (state := await engine.state(opened.visit_id)).phase == "stimulus":
        ratings = [LoggedRating(item_id=item, value=value, answer="Rather") for item in ("ease", "utility")]
        await rate(engine, opened.visit_id, state.position, ratings)
    return opened.visit_id


async def rate(
    engine: SessionEngine, visit_id: str, position: int, ratings: Sequence[LoggedRating] = ()
) -> None:
    """Rate the transcript at a position, whichever is due."""
    state = await engine.state(visit_id)
    rated = RatedTranscript(
        pair_id="p",
        shown="control",
        digest="d",
        tokens=30,
        instrument="reading",
        wording="project",
        ratings=list(ratings),
    )
    if state.phase == "stimulus":
        rated = state.stimulus_kind.rated(state.shown, "project", list(ratings))
    await engine.forms.respond(visit_id, step=0, position=position, response=rated)


def test_everybody_reads_both_versions_of_a_pair_of_every_variable(study: Study) -> None:
    step = study.visit[0]
    for slot in range(20):
        plan = reading_plan(step, study.pairs, slot)
        assert len(plan) == 10
        assert {one.pair.variable for one in plan[:5]} == {one.pair.variable for one in plan[5:]}
        assert len({(one.pair.pair_id, one.version) for one in plan}) == 10
        assert len({one.pair.pair_id for one in plan}) == 5


def test_the_version_read_first_is_balanced_over_people(study: Study) -> None:
    step = study.visit[0]
    first = Counter(
        (one.pair.variable, one.version)
        for slot in range(20)
        for one in reading_plan(step, study.pairs, slot)[:5]
    )
    assert set(first.values()) == {10}


def test_a_broken_transcript_comes_in_between_where_the_step_asks_for_it(tmp_path: Path) -> None:
    study = reading_study(tmp_path / "study", "{pairs: pairs.yaml, attention: true}")
    places = set()
    for slot in range(40):
        plan = reading_plan(study.visit[0], study.pairs, slot)
        (place,) = (number for number, one in enumerate(plan) if one.role == "attention")
        assert (plan[place].pair.attention, plan[place].version) == ("broken", "experimental")
        assert len(plan) == 11 and place > 0
        places.add(place)
    assert len(places) > 5
    assert plan == reading_plan(study.visit[0], study.pairs, 39)
    without = reading_study(tmp_path / "without")
    assert [one for one in plan if one.role == "main"] == [*reading_plan(without.visit[0], study.pairs, 39)]


def test_attention_pairs_are_in_both_steps_or_only_compared(tmp_path: Path) -> None:
    steps = "{pairs: pairs.yaml, attention: true}\n  - compare: {pairs: pairs.yaml, attention: %s}"
    with pytest.raises(InputError, match="reads attention checks that another step leaves out"):
        reading_study(tmp_path / "no", steps % "false")
    assert reading_study(tmp_path / "yes", steps % "true").visit[0].settings.attention


def test_the_dataset_says_which_reading_was_a_broken_one(tmp_path: Path, log: Log) -> None:
    study = reading_study(tmp_path / "study", "{pairs: pairs.yaml, attention: true}")

    async def run() -> None:
        engine = SessionEngine(study, log, {})
        await engine.start()
        await read_all(engine)
        await engine.stop()

    asyncio.run(run())
    rows = export_dataset(log, "readers", tmp_path / "data").read("readings").to_pylist()
    assert Counter(row["role"] for row in rows) == {"main": 20, "attention": 2}
    assert {row["pair_id"] for row in rows if row["role"] == "attention"} == {"attention-weather"}


def test_ratings_are_stored_in_their_order_and_only_once(study: Study, log: Log, tmp_path: Path) -> None:
    async def run() -> None:
        engine = SessionEngine(study, log, {})
        await engine.start()
        visit = await read_all(engine)
        state = await engine.state(visit)
        assert state.outcome == "completed"
        with pytest.raises(Stale):
            await rate(engine, visit, 0)
        await engine.stop()

    asyncio.run(run())
    rows = export_dataset(log, "readers", tmp_path / "data").read("readings").to_pylist()
    assert len(rows) == 10 * 2
    assert [row["reading_number"] for row in rows[::2]] == list(range(1, 11))
    assert Counter(row["version"] for row in rows) == {"control": 10, "experimental": 10}
    assert all(row["tokens"] > 20 and row["instrument"] == "reading" for row in rows)


def test_a_restart_goes_on_with_the_same_transcript(study: Study, log: Log) -> None:
    async def first() -> tuple[str, list]:
        engine = SessionEngine(study, log, {})
        await engine.start()
        opened = await engine.open_visit(language="en")
        await rate(engine, opened.visit_id, 0)
        state = await engine.state(opened.visit_id)
        await engine.stop()
        return opened.visit_id, state.planned.stimuli

    async def second(visit: str, readings: list) -> None:
        engine = SessionEngine(study, log, {})
        await engine.start()
        state = await engine.state(visit)
        assert (state.phase, state.position, state.planned.stimuli) == ("stimulus", 1, readings)
        await engine.stop()

    asyncio.run(second(*asyncio.run(first())))


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("{pairs: nowhere.yaml}", "no file 'nowhere.yaml'"),
        ("{pairs: pairs.yaml, use: readng}", "unknown questionnaire 'readng'"),
        ("{pairs: pairs.yaml, variables: [warmth]}", "variable 'warmth' has no pair"),
    ],
)
def test_a_rating_step_that_cannot_run_is_told(tmp_path: Path, step: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        reading_study(tmp_path / "study", step)


def test_one_version_halves_what_is_read(tmp_path: Path) -> None:
    study = reading_study(tmp_path / "study", "{pairs: pairs.yaml, versions: one}")
    assert len(reading_plan(study.visit[0], study.pairs, 3)) == 5
