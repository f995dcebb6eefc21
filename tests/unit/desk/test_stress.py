"""Review of variants and verdicts on the dashboard: what is shown, what is stored, who may."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

from scenes.translated import same_in_italian
from vivavoce.log.store import Log
from vivavoce.log.stress_events import (
    CaseJudged,
    LoggedProposal,
    ReplayFinished,
    StressRunPlanned,
    VariantReviewed,
    VariantsProposed,
    VerdictGiven,
    stress_stream,
)
from vivavoce.study.model import Study
from vivavoce_stress.base import NOT_PROPOSED
from vivavoce_stress.case import Case

Enter = Callable[..., TestClient]
TokenOf = Callable[..., str]
PROPOSALS = ("a trattoria in the <b>centre</b>", "an eating house in the <b>centre</b>")


@pytest.fixture
def stream(study: Study) -> str:
    return stress_stream(study.name)


def queue(log: Log, stream: str, *keys: str, double: bool = False) -> None:
    """Utterances that wait for review."""
    for key in keys:
        event = VariantsProposed(
            item_id=key, test="ST-5", language="en", dialogue_id="d", turn_index=1,
            original="a restaurant in the <b>centre</b>", previous="What shall it be?", double=double,
            proposals=[LoggedProposal(text=text, rule="synonym", confidence=0.6) for text in PROPOSALS],
        )  # fmt: skip
        log.transact_now(lambda tx, event=event: tx.append(stream, event))


def judged_case(log: Log, stream: str, verdict: str = "unsure", system: str = "bot") -> None:
    made = Case(
        case_id="c1", test="ST-4", family="spelling", language="en", original="book it", variant="boko it"
    )
    said = [{"party": "user", "text": "book it"}, {"party": "system", "text": "Done <i>now</i>."}]
    of: dict[str, Any] = {"run_id": "r1", "case_id": "c1"}
    once = {**of, "repetition": 0, "turns": said, "injected": 0}
    facts = {**of, "admitted": True, "verdict": verdict, "rung": "guards", "reason": "secret hint"}
    events = [
        StressRunPlanned(
            run_id="r1", plan="p", system=system, settings={}, cases=[made.model_dump(mode="json")],
            not_applicable=[{"test": "ST-5", "family": "lexical", "language": "en", "reason": NOT_PROPOSED}],
        ),
        ReplayFinished(arm="clean", conversation="k", **once),
        ReplayFinished(arm="variant", conversation="l", **once),
        CaseJudged(**facts),
    ]
    log.transact_now(lambda tx: [tx.append(stream, event) for event in events])


def reviews(log: Log, stream: str) -> list[VariantReviewed]:
    return [one.event for one in log.events(stream) if isinstance(one.event, VariantReviewed)]


def test_a_reviewer_sees_differences_and_what_is_typed_stays_text(
    enter: Enter, log: Log, stream: str
) -> None:
    anna = enter("researcher", "anna")
    assert "stress" not in anna.get("/overview/numbers").text
    queue(log, stream, "i1")
    judged_case(log, stream)
    due = anna.get("/overview/numbers").text
    assert '<a href="/stress/review">1 stress variant is to be reviewed</a>' in due
    assert '<a href="/stress/verdicts">1 verdict of a stress test is open</a>' in due
    page = anna.get("/stress/review").text
    assert "What shall it be?" in page and "<ins>" in page and "<del>" in page
    assert "<b>centre</b>" not in page


def test_every_kind_of_decision_is_stored_and_the_next_utterance_is_shown(
    enter: Enter, token_of: TokenOf, log: Log, stream: str
) -> None:
    queue(log, stream, "i1", "i2", "i3", "i4")
    browser = enter("researcher", "anna")
    token = token_of(browser, "/stress/review")
    decisions = [
        {"decision": "accept", "proposal": "1", "text": "ignored"},
        {"decision": "edit", "proposal": "0", "text": "a trattoria in town"},
        {"decision": "write", "text": "some trattoria"},
        {"decision": "reject"},
    ]
    for key, decision in zip(("i1", "i2", "i3", "i4"), decisions, strict=True):
        form = {"form_token": token, "item": key, **decision}
        assert browser.post("/stress/review", data=form).status_code == 303
    stored = [(one.decision, one.text, one.proposal) for one in reviews(log, stream)]
    assert stored == [
        ("accept", PROPOSALS[1], 1), ("edit", "a trattoria in town", 0), ("write", "some trattoria", None),
        ("reject", None, None),
    ]  # fmt: skip
    assert {one.reviewer for one in reviews(log, stream)} == {"anna"}
    assert "Nothing is left for you to review" in browser.get("/stress/review").text
    assert "<td>eating house</td>" in browser.get("/stress").text  # the lexicon grew


def test_an_edit_that_changes_nothing_is_refused_and_what_was_typed_is_kept(
    enter: Enter, token_of: TokenOf, log: Log, stream: str
) -> None:
    queue(log, stream, "i1")
    browser = enter("researcher")
    form = {"form_token": token_of(browser, "/stress/review"), "item": "i1", "decision": "write"}
    answer = browser.post("/stress/review", data={**form, "text": "a restaurant in the <b>centre</b> "})
    assert answer.status_code == 422
    assert "the variant is the original" in answer.text
    assert "a restaurant in the &lt;b&gt;centre&lt;/b&gt;</textarea>" in answer.text
    assert reviews(log, stream) == []


def test_a_sample_is_reviewed_by_two_and_their_agreement_is_told(
    enter: Enter, token_of: TokenOf, log: Log, stream: str
) -> None:
    queue(log, stream, "i1", double=True)
    for name, decision in (("anna", "accept"), ("bruno", "reject")):
        browser = enter("researcher", name)
        form = {"form_token": token_of(browser, "/stress/review"), "item": "i1", "proposal": "0"}
        assert browser.post("/stress/review", data={**form, "decision": decision}).status_code == 303
    page = enter("researcher", "carla").get("/stress").text
    assert "agree on 0 of 1" in page and "1 are disputed" in page
    assert re.search(r"<strong>0</strong> wait for you", page)


def test_a_verdict_is_given_without_seeing_what_the_program_thinks(
    enter: Enter, token_of: TokenOf, log: Log, stream: str
) -> None:
    judged_case(log, stream)
    browser = enter("researcher", "anna")
    page = browser.get("/stress/verdicts").text
    assert "<mark>book it</mark>" in page and "Done &lt;i&gt;now&lt;/i&gt;." in page
    assert "secret hint" not in page
    form = {"form_token": token_of(browser, "/stress/verdicts"), "run": "r1", "case": "c1", "remark": "fine"}
    assert browser.post("/stress/verdicts", data={**form, "verdict": "good"}).status_code == 422
    assert browser.post("/stress/verdicts", data={**form, "verdict": "pass"}).status_code == 303
    given = [one.event for one in log.events(stream) if isinstance(one.event, VerdictGiven)]
    assert [(one.judge, one.verdict, one.remark) for one in given] == [("anna", "pass", "fine")]
    assert "No case waits for your verdict" in browser.get("/stress/verdicts").text


def test_viewers_read_but_decide_nothing_and_forms_of_others_are_refused(
    enter: Enter, log: Log, stream: str
) -> None:
    queue(log, stream, "i1")
    viewer = enter("viewer")
    assert viewer.get("/stress").status_code == 200
    assert viewer.get("/stress/review").status_code == 403
    researcher = enter("researcher")
    forged = {"form_token": "0" * 64, "item": "i1", "decision": "reject"}
    assert researcher.post("/stress/review", data=forged).status_code == 403
    assert reviews(log, stream) == []


def test_reviews_and_verdicts_are_read_in_italian(
    enter: Enter, token_of: TokenOf, log: Log, stream: str, study: Study
) -> None:
    data = {study.title["en"], f"– {study.title['en']}", "anna", "bruno", "carla", "synonym", "ST-4", "ST-5"}
    queue(log, stream, "i1", double=True)
    judged_case(log, stream)
    assert same_in_italian(enter("researcher", "anna"), "/stress/review", data) == set()
    for name, decision in (("bruno", "accept"), ("carla", "reject")):
        browser = enter("researcher", name)
        form = {"form_token": token_of(browser, "/stress/review"), "item": "i1", "proposal": "0"}
        assert browser.post("/stress/review", data={**form, "decision": decision}).status_code == 303
    for page in ("/stress", "/stress/verdicts", "/stress/review"):
        assert same_in_italian(browser, page, {*data, "en"}) == set()
    answer = browser.post(
        "/stress/review", data={**form, "decision": "write", "text": ""}, headers={"accept-language": "it"}
    )
    assert answer.status_code == 422 and "una variante è vuota" in answer.text
