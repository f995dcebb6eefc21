"""Review of variants and verdicts on the dashboard: what is shown, what is stored, who may."""

import csv
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from scenes.patience import eventually
from scenes.translated import same_in_italian
from vivavoce.core.errors import InputError
from vivavoce.log.store import Log
from vivavoce.log.stress_events import (
    CaseJudged,
    LoggedProposal,
    ReplayFinished,
    StressRunPlanned,
    VariantReviewed,
    VariantsProposed,
    VerdictGiven,
    stress_rows,
    stress_stream,
)
from vivavoce.study.model import Study
from vivavoce_stress.base import NOT_PROPOSED
from vivavoce_stress.case import Case
from vivavoce_stress.cli.verdicts import read_verdicts, write_verdicts
from vivavoce_stress.verdict_queue import VerdictQueue

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
            item_id=key,
            test="ST-5",
            language="en",
            dialogue_id="d",
            turn_index=1,
            original="a restaurant in the <b>centre</b>",
            previous="What shall it be?",
            double=double,
            proposals=[LoggedProposal(text=text, rule="synonym", confidence=0.6) for text in PROPOSALS],
        )
        log.transact_now(lambda tx, event=event: tx.append(stream, event))


def judged_case(log: Log, stream: str, verdict: str = "unsure", system: str = "bot", more: int = 0) -> None:
    """A case of a run that was judged by the rules; `more` of the same pattern."""
    facts = {
        "test": "ST-4",
        "family": "spelling",
        "language": "en",
        "original": "book it",
        "variant": "boko it",
    }
    cases = [Case.model_validate({**facts, "case_id": f"c{number}"}) for number in range(1, more + 2)]
    said = [{"party": "user", "text": "book it"}, {"party": "system", "text": "Done <i>now</i>."}]
    events: list[Any] = [
        StressRunPlanned(
            run_id="r1",
            plan="p",
            system=system,
            settings={},
            cases=[one.model_dump(mode="json") for one in cases],
            not_applicable=[{"test": "ST-5", "family": "lexical", "language": "en", "reason": NOT_PROPOSED}],
        )
    ]
    for one in cases:
        of: dict[str, Any] = {"run_id": "r1", "case_id": one.case_id}
        once = {**of, "repetition": 0, "turns": said, "injected": 0}
        events += [
            ReplayFinished(arm="clean", conversation="k", **once),
            ReplayFinished(arm="variant", conversation="l", **once),
            CaseJudged(**of, admitted=True, verdict=verdict, rung="guards", reason="secret hint"),
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
    assert '<a href="/stress/review">1 stress variant to review</a>' in due
    assert '<a href="/stress/verdicts">1 stress test to judge</a>' in due
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
        ("accept", PROPOSALS[1], 1),
        ("edit", "a trattoria in town", 0),
        ("write", "some trattoria", None),
        ("reject", None, None),
    ]
    assert {one.reviewer for one in reviews(log, stream)} == {"anna"}
    assert "No variants left to review" in browser.get("/stress/review").text
    assert "<td>eating house</td>" in browser.get("/stress").text  # the lexicon grew


def test_an_edit_that_changes_nothing_is_refused_and_what_was_typed_is_kept(
    enter: Enter, token_of: TokenOf, log: Log, stream: str
) -> None:
    queue(log, stream, "i1")
    browser = enter("researcher")
    form = {"form_token": token_of(browser, "/stress/review"), "item": "i1", "decision": "write"}
    answer = browser.post("/stress/review", data={**form, "text": "a restaurant in the <b>centre</b> "})
    assert answer.status_code == 422
    assert "the variant equals the original" in answer.text
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
    assert "agreement: 0 of 1" in page and "1 disputed" in page
    assert re.search(r"<strong>0</strong> to review", page)


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
    end = browser.get("/stress/verdicts").text
    assert "No cases to judge" in end and "rebuild the report" in end
    assert "0 left" in end and "1 judged by you" in end
    # back to it: the verdict stands there, and another one takes its place
    back = re.search(r'href="(/stress/verdicts\?run=r1&amp;case=c1)"', end)
    assert back is not None
    assert "Your verdict: Pass: served equally well." in browser.get(unescape(back[1])).text
    answer = browser.post("/stress/verdicts", data={**form, "verdict": "fail"})
    assert "Saved: “boko it” – Fail." in browser.get(answer.headers["location"]).text
    assert VerdictQueue.of(log.events(stream)).cases["r1", "c1"].people["anna"].verdict == "fail"


def test_no_verdict_is_suggested_and_cases_alike_are_told_and_judged_at_once(
    enter: Enter, token_of: TokenOf, log: Log, stream: str
) -> None:
    judged_case(log, stream, more=3)
    browser = enter("researcher", "anna")
    page = browser.get("/stress/verdicts").text
    buttons = re.findall(r'<button[^>]*name="verdict"[^>]*>', page)
    assert len(buttons) == 5 and len({re.sub(r'(value|data-key)="\w+"', "", one) for one in buttons}) == 1
    assert "3 more cases with the same system replies" in page and "4 left" in page
    form = {"form_token": token_of(browser, "/stress/verdicts"), "run": "r1", "case": "c1", "verdict": "fail"}
    browser.post("/stress/verdicts", data={**form, "alike": "1"})
    given = [one.event for one in log.events(stream) if isinstance(one.event, VerdictGiven)]
    assert {one.case_id for one in given} == {"c1", "c2", "c3", "c4"} and {one.verdict for one in given} == {
        "fail"
    }


def test_every_case_can_be_judged_and_what_people_chose_says_nothing_of_agreement(
    enter: Enter, token_of: TokenOf, log: Log, stream: str
) -> None:
    """Cases 1 and 2 of this run are drawn for nobody, case 5 is: of it the rules' verdict is not shown."""
    judged_case(log, stream, verdict="pass", more=9)
    queue = VerdictQueue.of(log.events(stream))
    drawn = [key for (_, key), one in queue.cases.items() if one.asked]
    alone = next(key for (_, key), one in queue.cases.items() if not one.asked)
    browser = enter("researcher", "anna")
    page = browser.get("/stress/cases").text
    rows = dict(re.findall(r'<tr id="(\w+)">(.*?)</tr>', page, re.DOTALL))
    assert len(rows) == 10 and drawn
    assert "Pass: served equally well" in rows[alone] and "by rules" in rows[alone]
    assert all("to judge" in rows[key] and "by rules" not in rows[key] for key in drawn)
    address = re.search(r'href="(/stress/verdicts[^"]+)"[^>]*>Judge case', rows[alone])
    assert address is not None
    asked = browser.get(unescape(address[1])).text
    assert "System behaviour" in asked and "The system gave no answer" in asked
    form = {"form_token": token_of(browser, "/stress/verdicts"), "run": "r1", "case": alone, "listed": "1"}
    assert (
        browser.post("/stress/verdicts", data={**form, "verdict": "fail", "instead": "x"}).status_code == 422
    )
    answer = browser.post("/stress/verdicts", data={**form, "verdict": "fail", "instead": "refuse"})
    assert answer.headers["location"] == f"/stress/cases#{alone}"
    (row,) = (one for one in stress_rows(log.events(stream)) if one["case_id"] == alone)
    assert (row["verdict"], row["instead"], row["chosen"]) == ("fail", "refuse", True)
    page = browser.get("/stress").text
    assert "Agreement unknown" in page and "People judged" in page


def test_cases_are_judged_by_file_and_a_wrong_line_is_named(log: Log, stream: str, tmp_path: Path) -> None:
    judged_case(log, stream, verdict="pass", more=3)
    queue, path = VerdictQueue.of(log.events(stream)), tmp_path / "cases.csv"
    assert write_verdicts(queue, path) == 4
    rows = list(csv.DictReader(path.read_text("utf-8-sig").splitlines(keepends=True)))
    assert [row["number"] for row in rows] == ["1", "2", "3", "4"] and "U: book it" in rows[0]["with_variant"]
    assert {row["counts_now"] for row in rows if queue.cases["r1", row["case_id"]].asked} <= {""}
    rows[1] |= {"verdict": "Fail", "instead": "menu", "remark": "=1+1"}

    def saved() -> Path:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), delimiter=";")
            writer.writeheader()
            writer.writerows(rows)
        return path

    filled_in = saved().read_bytes()
    with pytest.raises(InputError, match=r"cases.csv: already exists"):
        write_verdicts(queue, path)
    assert path.read_bytes() == filled_in
    (one,) = read_verdicts(path, queue, "anna")
    assert (one.case_id, one.verdict, one.instead, one.judge) == ("c2", "fail", "menu", "anna")
    rows[2] |= {"verdict": "good"}
    with pytest.raises(InputError, match=r"cases.csv:4.*unknown verdict 'good'"):
        read_verdicts(saved(), queue, "anna")
    rows[2] |= {"verdict": "pass", "case_id": "nobody"}
    with pytest.raises(InputError, match=r"cases.csv:4.*unknown case 'nobody'"):
        read_verdicts(saved(), queue, "anna")


def test_the_page_shows_results_by_test_and_what_waits_in_its_parts(
    enter: Enter, token_of: TokenOf, log: Log, stream: str
) -> None:
    judged_case(log, stream, more=1)
    browser = enter("researcher", "anna")
    page = browser.get("/stress").text
    assert "<strong>2</strong> to judge: 2 undecided, 0 for a second check" in page
    assert "No human verdicts yet." in page
    rows = dict(re.findall(r'<tr><th scope="row">([^<]+)</th>(.*?)</tr>', page, re.DOTALL))
    assert "0 of 0" in rows["ST-4"] and "0.0% to 100.0%" in rows["ST-4"]
    assert "not tried" in rows["ST-5"] and "variants to be approved" in rows["ST-5"]
    form = {"form_token": token_of(browser, "/stress"), "run": "r1", "case": "c1", "verdict": "pass"}
    browser.post("/stress/verdicts", data=form)
    page = browser.get("/stress").text
    # the other case is the same one: same words, same variant, same answers
    assert "2 of 2" in page and "No cases to judge." in page
    assert "People judged 2 cases." in page


def test_variants_are_proposed_from_the_page(
    enter: Enter, token_of: TokenOf, log: Log, stream: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is proposed is tried elsewhere; here, that the button has it done, and by no viewer."""
    monkeypatch.setattr(
        "vivavoce_stress.planning.queue_for_review", lambda *_: queue(log, stream, "i1") or (1, 0)
    )
    browser = enter("researcher", "anna")
    form = {"form_token": token_of(browser, "/stress")}
    assert browser.post("/stress/propose", data=form).status_code == 303
    eventually(lambda: "1 utterance proposed" in browser.get("/stress").text, "nothing was proposed")
    viewer = enter("viewer")
    assert viewer.post("/stress/propose", data={"form_token": token_of(viewer, "/")}).status_code == 403


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
