"""Results come from a snapshot, in the background, and say as of when."""

from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from scenes.patience import eventually
from vivavoce.analysis.summary import summarise
from vivavoce.core.clock import ManualClock
from vivavoce.desk.app import create_desk
from vivavoce.desk.results import groupings, make_view
from vivavoce.log.events import TRIAL, TrialPaused, TrialResumed
from vivavoce.log.store import Log
from vivavoce.report.numbers import percent
from vivavoce.study.model import Study


@pytest.fixture
def browser(study: Study, log: Log, tmp_path: Path):
    app = create_desk(study, log, work_dir=tmp_path / "work", account_optional=True)
    browser = TestClient(
        app, base_url="http://desk.test", headers={"sec-fetch-site": "same-origin", "accept": "text/html"}
    )
    browser.post(app.state.desk.access.invite("researcher", "http://desk.test"))
    yield browser
    app.state.desk.snapshots.close()


def wait(browser: TestClient) -> None:
    eventually(lambda: not browser.get("/results/state").json()["computing"])


def test_results_are_computed_aside_and_then_shown(
    browser: TestClient,
) -> None:
    first = browser.get("/results").text
    assert "being computed" in first and "<table>" not in first
    assert browser.get("/").status_code == 200
    wait(browser)
    page = browser.get("/results").text
    assert "being computed" not in page and 'role="alert"' not in page
    desk = browser.app.state.desk  # type: ignore[attr-defined]
    summary = desk.snapshots.make(lambda snapshot: summarise(snapshot.dataset, "system"))
    for row in summary["by"]:
        for name in ("subjective_success", "objective_success_assigned", "objective_success_inferred"):
            assert row[name]["n"] > 0 and f'<td class="n">{percent(row[name]["ratio"])}</td>' in page
    assert summary["data"] in page
    position = desk.board.see(lambda board: board.position)
    assert f"event {position} of the log" in page


def test_results_are_computed_anew_when_the_log_has_moved_on_and_they_are_old(
    app: FastAPI, log: Log, clock: ManualClock
) -> None:
    snapshots = app.state.desk.snapshots

    def begins(*, at_once: bool = False) -> bool:
        known, computing = snapshots.results("system", at_once=at_once)
        assert known is not None
        eventually(lambda: not snapshots.computing("system"))
        return computing

    assert snapshots.results("system") == (None, True)
    eventually(lambda: not snapshots.computing("system"))
    assert not begins()
    clock.advance(3600)
    assert not begins(at_once=True), "nothing has happened since"
    log.transact_now(lambda tx: tx.append(TRIAL, TrialPaused(reason="x", by="y")))
    assert begins()
    log.transact_now(lambda tx: tx.append(TRIAL, TrialResumed(by="y")))
    clock.advance(29)
    assert not begins()
    assert begins(at_once=True)


def test_a_failure_is_told_and_pages_go_on(app: FastAPI, enter: Callable[..., TestClient]) -> None:
    viewer = enter("viewer")
    viewer.get("/results")
    wait(viewer)
    page = viewer.get("/results").text
    assert "not computed here" in page and 'role="alert"' in page


def test_a_report_can_be_downloaded(browser: TestClient) -> None:
    answer = browser.get("/export/report.html")
    assert answer.status_code == 200 and "attachment" in answer.headers["content-disposition"]
    assert "city-venues" in answer.text


def test_factors_are_offered_as_groupings(study: Study) -> None:
    assert groupings(study) == ["system"]
    crossed = study.model_copy(update={"factors": {"nbest": {"list": "n"}, "onebest": {"list": "1"}}})
    assert groupings(crossed) == ["condition", "system", "list"]


def test_a_view_leaves_out_what_nobody_was_asked() -> None:
    rate = {"unit": "dialogue", "successes": 1, "n": 2, "ratio": 0.5, "low": 0.1, "high": 0.9}
    none = {"unit": "goal", "successes": 0, "n": 0, "ratio": None, "low": None, "high": None}
    group = {
        "key": "a",
        "subjective_success": rate,
        "objective_success_assigned": none,
        "objective_success_inferred": none,
        "objective_success_inferred_call_all": rate,
        "measures": {"turns": {"value": 3.0}, "word_error_rate": {"value": None}},
    }
    test = {"measure": "subjective_success", "a": "a", "b": "b"}
    view = make_view(
        {
            "by": [group],
            "all": group,
            "tests": [test],
            "warnings": ["w"],
            "data": "d",
            "vivavoce": "v",
            "by_what": "system",
        }
    )
    assert [table.name for table in view.rates] == ["subjective_success"]
    assert view.rates[0].tests == [test] and not view.rates[0].nested and view.model == ""
    assert [table.title for table in view.variants] == ["Objective success, inferred goals: call, all"]
    assert [(row.title, row.unit, row.shown) for row in view.figures] == [("Turns", "", ["3.00", "3.00"])]
