"""A study in which nobody talks has an overview of what is done in it instead."""

import asyncio
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from scenes.comparing import comparing_study, judge_all
from scenes.fighting import SYSTEMS, arena_engine, arena_study, fight_all
from vivavoce.core.clock import ManualClock
from vivavoce.dashboard.app import create_desk
from vivavoce.dashboard.board import Board
from vivavoce.dashboard.progress import holdings, progress
from vivavoce.log.events import QuestionnaireAnswered, ResponseGiven, VisitOpened
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.study.model import Study
from vivavoce.study.step_kind import STEPS


def opened(study: Study, person: str) -> VisitOpened:
    return VisitOpened(study=study.name, revision="r", participant_id=person, pool="link", language="en")


@pytest.fixture
def compared(tmp_path: Path) -> tuple[Study, Path]:
    """Three people have judged all pairs of a study that compares transcripts."""
    study = comparing_study(tmp_path / "study", steps=False, attention=False)
    path = tmp_path / "log.sqlite"
    with Log.open(f"sqlite:///{path}") as log:
        judge_all(study, log, 3, {})
    return study, path


def test_every_kind_of_step_says_what_is_counted_in_it_but_texts_and_dialogues() -> None:
    assert {name for name, kind in STEPS if not kind.counted} == {
        "consent",
        "instructions",
        "debrief",
        "dialogue",
    }
    assert all(bool(kind.counted) == bool(kind.done) for _, kind in STEPS)


def test_judges_are_counted_with_their_judgements(compared: tuple[Study, Path]) -> None:
    study, path = compared
    with Log.open(f"sqlite:///{path}") as log:
        dataset = export_dataset(log, study.name, path.parent / "data")
        rows = dataset.read("preferences").to_pylist()
        shown = Board(study, log).see(progress)
        (work,) = [one for one in shown.work if one.noun == "judgement"]
        assert (work.pieces, work.participants, shown.people) == (len(rows), 3, 3)
        assert work.pieces > 0 and work.mean == len(rows) / 3
        by_pair = {row["pair_id"]: 0 for row in rows}
        for visit, pair in {(row["visit_id"], row["pair_id"]) for row in rows}:
            by_pair[pair] += bool(visit)
        assert (work.different, work.fewest, work.most) == (
            len(by_pair),
            min(by_pair.values()),
            max(by_pair.values()),
        )
        assert sum(bar.value for bar in shown.spread) == 3 and sum(bar.value for bar in shown.days) == len(
            rows
        )
        assert Board(study, log).see(holdings) == f"3 visits, {len(rows)} judgements"
        assert dataset.holdings() == {"participant": 3, "judgement": len(rows)}


def test_the_overview_of_a_comparison_speaks_of_judgements_and_of_no_dialogue(
    compared: tuple[Study, Path], tmp_path: Path
) -> None:
    study, path = compared
    with Log.open(f"sqlite:///{path}") as log:
        app = create_desk(study, log, work_dir=tmp_path / "work", account_optional=True)
        browser = TestClient(
            app, base_url="http://desk.test", headers={"sec-fetch-site": "same-origin", "accept": "text/html"}
        )
        browser.post(app.state.desk.access.invite("owner", "http://desk.test"))
        page = re.sub(r"\s+", " ", browser.get("/overview/numbers").text)
        app.state.desk.snapshots.close()
    assert '<dt>Participants</dt><dd class="figure"><a href="/visits/all?worked=1">3</a></dd>' in page
    assert "no visits yet" not in page
    assert "Judgements per participant" in page and "Judgements per day" in page
    assert "ialogue" not in page
    assert "3 visits, " in browser.get("/export").text


def test_a_command_given_anew_counts_once_and_forms_about_dialogues_are_theirs(tmp_path: Path) -> None:
    study = comparing_study(tmp_path / "study")
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}", ManualClock()) as log:
        given = ResponseGiven(
            step=1,
            name="elicit",
            position=0,
            language="en",
            response={"by": "text", "text": "boil"},
            response_s=2.0,
        )
        form = QuestionnaireAnswered(
            step=2,
            round=None,
            dialogue_id=None,
            instrument="sus",
            wording="project",
            language="en",
            ratings=[],
        )
        about = form.model_copy(update={"dialogue_id": "d", "round": 0})
        for event in (
            opened(study, "p"),
            given,
            given.model_copy(update={"response": {"by": "text", "text": "heat"}}),
            form,
            about,
        ):
            log.transact_now(lambda tx, event=event: tx.append("v", event))
        shown = {one.noun: one.pieces for one in Board(study, log).see(progress).work}
    assert (shown["command"], shown["form"], shown["judgement"]) == (1, 1, 0)


def test_an_arena_shows_dialogues_and_votes(tmp_path: Path) -> None:
    study = arena_study(tmp_path / "study")
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        asyncio.run(fight_all(arena_engine(study, log), 2, dict.fromkeys(SYSTEMS, 0.0)))
        shown = Board(study, log).see(progress)
        votes = export_dataset(log, study.name, tmp_path / "data").holdings()["vote"]
    assert shown.talks and {one.noun: one.pieces for one in shown.work}["vote"] == votes > 0
