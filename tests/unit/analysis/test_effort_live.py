"""One visit that talks with a system, compares transcripts and rates them: three arms from one log."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scenes.comparing import compare, questions
from scenes.visits import Parrot
from vivavoce.analysis.judgement_cost import _lasted, _row, _Spent, effort, wizard_systems
from vivavoce.core.clock import ManualClock
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.log.event import LoggedRating
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
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


@pytest.mark.parametrize(
    ("started", "answered", "seconds"),
    [
        (START, [30, None, 90], 90),
        (START, [None], 7.5),
        (None, [30], 7.5),
        (START, [], 7.5),
    ],
)
def test_a_live_judgement_lasts_to_the_last_answer_or_as_long_as_the_dialogue(started, answered, seconds):
    rows = [{"answered_at": None if one is None else START + timedelta(seconds=one)} for one in answered]
    assert _lasted({"started_at": started, "duration_s": 7.5}, rows) == seconds


def test_dialogues_are_judged_by_every_answer_about_them_and_by_nobody_twice(make) -> None:
    """d0: a code and a text, of 60 s; d1: one code of the same caller; d2 of nobody known; d3: no answer."""
    talks = [("a", "p", None), ("a", "p", None), ("a", None, None), ("a", "q", None)]
    answers = [
        ("d0", 4.0, None),
        ("d0", None, "text"),
        ("d1", 1.0, "no"),
        ("d2", 2.0, None),
        ("d3", None, None),
        ("d3", None, ""),
        (None, 5.0, None),
    ]
    ratings = [
        {"dialogue_id": one, "instrument": "own", "item_id": f"q{number}", "value": value, "answer": answer}
        for number, (one, value, answer) in enumerate(answers)
    ]
    (found,) = effort([make(*talks, ratings=ratings)], hourly=30)
    assert (found.arm, found.judgements, found.participants, found.people) == ("live", 4, 2, 1)
    assert found.seconds_per_judgement == pytest.approx((60 + 61 + 62) / 4)
    assert found.minutes_per_participant == pytest.approx(183 / 60 / 2)
    assert found.cost_per_judgement == pytest.approx(183 / 4 / 3600 * 30)


def test_votes_of_one_exchange_are_made_together_and_each_bout_alone(make) -> None:
    vote = {
        "visit_id": "v",
        "bout_number": 1,
        "left_system": "a",
        "right_system": "b",
        "left_dialogue_id": "x",
        "right_dialogue_id": "y",
        "left_turn_index": 1,
        "right_turn_index": 1,
        "choice": "tie",
        "simulated": False,
    }
    held = [("b1", 1, "p", 8.0), ("b1", 2, "p", 5.0), ("b2", 1, None, None), ("b3", 1, None, 2.0)]
    votes = [
        vote | {"bout_id": bout, "exchange": number, "participant_id": person, "response_s": seconds}
        for bout, number, person, seconds in held
    ]
    (found,) = effort([make(rows={"votes": votes})])
    assert (found.arm, found.judgements, found.participants) == ("voted", 4, 2), "p, and the unknown visit"
    assert found.seconds_per_judgement == pytest.approx(15 / 3)
    assert (found.minutes_per_participant, found.cost_per_judgement) == (15 / 60 / 2, None)


@pytest.mark.parametrize(
    ("file", "systems"),
    [
        ("systems: {a: {connect: wizard}, b: {connect: http}, 7: {connect: wizard}}", {"a", "7"}),
        ("systems: [a, b]", set()),
        ("- a", set()),
        ("systems: {a: wizard}", set()),
        ("study: s", set()),
        (None, set()),
    ],
)
def test_a_wizard_is_who_the_study_file_says(tmp_path: Path, file: str | None, systems: set[str]) -> None:
    study = {"name": "s"} | ({"file": file} if file else {})
    with DatasetWriter(tmp_path / "d", study=study, source={"kind": "log"}) as writer:
        assert wizard_systems(writer.close()) == systems
