"""A declared comparison is kept back until the trial ends, on every page and in every file alike."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from fastapi import FastAPI

from vivavoce.core.clock import ManualClock
from vivavoce.dashboard.board import Board
from vivavoce.dashboard.disclosure import NO_LOOKS, NO_SIZE, OTHER_LOOKS, reasons_to_wait
from vivavoce.dashboard.downloads import DOWNLOADS
from vivavoce.log.events import TRIAL, ActionTaken, InterimAnalysisRun
from vivavoce.log.store import Log
from vivavoce.study.analysis_file import Analysis
from vivavoce.study.model import Study

Enter = Callable[..., Any]
PRIMARY = {"measure": "subjective_success", "compare": ["nbest", "onebest"]}


def declared(study: Study, **more: Any) -> Study:
    return study.model_copy(update={"analysis": Analysis.model_validate(more)})


@pytest.mark.parametrize(
    ("analysis", "looks", "reasons"),
    [
        ({}, False, ()),
        ({"primary": PRIMARY}, False, (NO_LOOKS, NO_SIZE)),
        ({"primary": PRIMARY, "stopping": {"participants": 500}}, False, (NO_LOOKS,)),
        ({"primary": PRIMARY, "stopping": {"participants": 2}}, False, ()),
        ({"primary": PRIMARY, "stopping": {"participants": 500}}, True, (OTHER_LOOKS,)),
    ],
    ids=["no comparison", "no size", "size to come", "size reached", "declared looks"],
)
def test_a_comparison_waits_for_the_end_that_was_declared(
    study: Study, log: Log, analysis: dict[str, Any], looks: bool, reasons: tuple[str, ...]
) -> None:
    board = Board(declared(study, **analysis), log)
    assert board.of("people").see(lambda seen: reasons_to_wait(seen, looks=looks)) == reasons
    assert board.of("simulated").see(lambda seen: reasons_to_wait(seen, looks=looks)) == ()


def test_a_rule_that_has_ended_the_trial_ends_the_waiting(study: Study, log: Log) -> None:
    whole = declared(study, primary=PRIMARY, stopping={"participants": 500})
    look = {
        "study": study.name,
        "rule": "pocock",
        "measure": "subjective_success",
        "number": 1,
        "participants": 9,
        "information": 0.1,
        "verdicts": [],
    }
    log.transact_now(lambda tx: tx.append(TRIAL, InterimAnalysisRun.model_validate({**look, "stop": None})))
    board = Board(whole, log).of("people")
    assert board.see(lambda seen: reasons_to_wait(seen, looks=True)) == (OTHER_LOOKS,)
    log.transact_now(
        lambda tx: tx.append(TRIAL, InterimAnalysisRun.model_validate({**look, "stop": "effect"}))
    )
    assert board.see(lambda seen: reasons_to_wait(seen, looks=True)) == ()


def test_every_page_and_file_says_the_same_and_an_early_look_is_noted(
    enter: Enter, app: FastAPI, log: Log, trial: ModuleType, study: Study, clock: ManualClock
) -> None:
    desk = enter("owner")
    trial.fill(log, study, clock, participants=1, seed=77, simulated=True)
    said = "Results are hidden until data collection ends"
    assert said in desk.get("/people/").text
    compares = [name for name, one in DOWNLOADS.items() if one.compares]
    assert len(compares) == 5
    for address in (*(f"/people/export/{one}" for one in compares), "/people/results/figures/success.svg"):
        refused = desk.get(address)
        assert refused.status_code == 409 and said in refused.text, address
    assert said in desk.get("/people/api/results").json()["problem"]
    page = desk.get("/people/export").text
    assert page.count("Hidden until data collection ends") == len(compares)
    assert 'href="/people/export/report.html?early=1"' in page
    for address in ("/simulated/", "/simulated/results", "/simulated/export"):
        assert said not in desk.get(address).text and "Hidden until" not in desk.get(address).text, address
    assert "before data collection ends" in desk.get("/people/results?early=1").text
    desk.get("/simulated/results?early=1")
    events = (one.event for one in app.state.desk.access.actions())
    noted = [one.about for one in events if isinstance(one, ActionTaken) and "looked" in one.about]
    assert noted == [{"looked": "before the end"}]


def test_who_declares_an_analysis_after_visits_is_told_what_it_does_not_change(
    enter: Enter, log: Log, study: Study
) -> None:
    browser, visits = enter("owner"), len(log.visits(study.name))
    told = f"Data collection has started ({visits} visits)"
    assert told in browser.get("/study/analysis").text
    assert told in browser.get("/study?saved=analysis").text
    assert told not in browser.get("/study?saved=study").text
