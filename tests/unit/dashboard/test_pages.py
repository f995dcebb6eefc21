"""The pages as a signed-in researcher gets them."""

import html
import re
from collections.abc import Callable
from types import ModuleType

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from scenes.log_counts import counts_by_system
from scenes.patience import eventually
from vivavoce.core.clock import ManualClock
from vivavoce.dashboard.app import create_desk
from vivavoce.log import events
from vivavoce.log.store import Log
from vivavoce.study.model import Study
from vivavoce.trial.visits import paused

Enter = Callable[..., TestClient]
TokenOf = Callable[..., str]

NASTY = """<script>alert(1)</script> "quoted" & <img src=x onerror=alert(2)> '; drop"""


def rows(page: str) -> list[list[str]]:
    """The cells of every table body, as text with plain spaces."""
    bodies = "".join(re.findall(r"<tbody>(.*?)</tbody>", page, re.S))
    return [
        [plain(cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.S)]
        for row in re.findall(r"<tr>(.*?)</tr>", bodies, re.S)
    ]


def plain(markup: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", markup)).split())


@pytest.fixture
def nasty(trial: ModuleType, log: Log, study: Study, clock: ManualClock) -> str:
    """A dialogue in which everybody says markup."""
    caller = trial.Caller(log, study, clock, "nasty")
    caller.begin()
    dialogue = caller.assign("nbest", study.tasks[0])
    caller.hears(dialogue, 0, NASTY, [trial.act("inform", NASTY, NASTY)])
    caller.says(dialogue, 1, NASTY)
    caller.add(events.SystemTurnFailed(dialogue_id=dialogue, reply_to=1, failure="timeout", detail=NASTY))
    caller.ends(dialogue, "user", 1)
    caller.rates(dialogue, False, NASTY)
    return dialogue


def rows_of(page: str, table: str) -> list[list[str]]:
    """The same of the table whose caption has this key."""
    return rows(page.partition(f'<caption id="{table}">')[2].partition("</table>")[0])


def test_the_overview_shows_the_numbers_of_the_log(enter: Enter, log: Log, study: Study) -> None:
    shown = {row[0]: row[2:8] for row in rows_of(enter("viewer").get("/").text, "by-system")}
    for system, counts in counts_by_system(log, study.name).items():
        dialogues, completed, excluded, *others = map(int, shown[system])
        assert [dialogues, completed + excluded] == [counts["dialogues"], counts["completed"]]
        assert others == [counts[name] for name in ("running", "abandoned", "failed")]


def test_the_overview_moves_on_with_the_log(
    enter: Enter, trial: ModuleType, log: Log, study: Study, clock: ManualClock
) -> None:
    viewer = enter("viewer")
    counted = rows_of(viewer.get("/overview/numbers").text, "by-system")
    before = {row[0]: int(row[2]) for row in counted}
    caller = trial.Caller(log, study, clock, "new")
    caller.begin()
    caller.assign("nbest", study.tasks[0])
    part = viewer.get("/overview/numbers").text
    after = {row[0]: int(row[2]) for row in rows_of(part, "by-system")}
    assert after["nbest"] == before["nbest"] + 1
    assert "<html" not in part and 'data-fresh="/overview/numbers"' in viewer.get("/").text


def test_charts_have_words_for_those_who_do_not_see_them(enter: Enter) -> None:
    page = enter("viewer").get("/").text
    charts = re.findall(r'<svg class="bars" role="group" aria-label="([^"]*)"', page)
    assert len(charts) == 2
    assert re.match(r"\d+ participants?: \d+", charts[0]) and re.search(r"\d+ Nov: \d+", charts[1])


def test_running_visits_show_step_system_and_quiet_time(enter: Enter, clock: ManualClock) -> None:
    viewer = enter("viewer")
    found = rows(viewer.get("/visits").text)
    assert len(found) == 3 and {row[2] for row in found} == {"in a dialogue"}
    assert {row[1] for row in found} == {"3. dialogue, no. 1"} and {row[3] for row in found} == {
        "nbest",
        "onebest",
    }
    clock.advance(3 * 3600)
    later = viewer.get("/visits/table").text
    assert "No active visits." in later and {row[6] for row in rows(later)} == {"3 h"}


def test_dialogues_are_filtered_and_searched(enter: Enter, log: Log, study: Study, nasty: str) -> None:
    viewer, all_of_them = enter("viewer"), log.dialogues(study.name)

    def found(**wanted: str) -> int:
        page = viewer.get("/dialogues", params=wanted).text
        return int(re.search(r"<p>(\d+) dialogues? <a", page)[1])  # type: ignore[index]

    assert found() == len(all_of_them)
    for system in study.systems:
        assert found(system=system) == sum(one.system == system for one in all_of_them) > 0
    for status in ("running", "completed", "failed", "abandoned"):
        assert found(status=status) == sum(one.status == status for one in all_of_them) > 0
    person = all_of_them[0].participant_id
    assert found(participant=person) == sum(one.participant_id == person for one in all_of_them)
    assert (
        found(q="IS ANYBODY there")
        == found(status="failed")
        == found(q="is anybody", system="onebest") + found(q="is anybody", system="nbest")
    )
    assert found(q="<script>") == 1 and found(q="no such words") == 0
    assert found(system="unknown") == 0


def test_the_list_is_paginated_without_gaps(
    enter: Enter, trial: ModuleType, log: Log, study: Study, clock: ManualClock
) -> None:
    caller = trial.Caller(log, study, clock, "busy")
    caller.begin()
    for _ in range(60):
        caller.assign("onebest", study.tasks[0])
    viewer, seen, page = enter("viewer"), [], "/dialogues?system=onebest"
    while page:
        text = viewer.get(page).text
        seen += re.findall(r'<th scope="row"><a href="/dialogues/([\w-]+)[?"]', text)
        onwards = re.search(r'href="([^"]+)" rel="next"', text)
        page = html.unescape(onwards[1]) if onwards else ""
    ours = [one.dialogue_id for one in log.dialogues(study.name, system="onebest")]
    assert seen == ours[::-1] and len(seen) > 60
    opened = viewer.get(f"/dialogues/{seen[55]}?system=onebest").text
    assert 'href="/dialogues?system=onebest&amp;page=2" data-key="list"' in opened, "back to its page"
    first = viewer.get("/dialogues?system=onebest").text
    assert re.search(r'<td class="at"[^>]*><time [^>]*>[\d:]{8}</time>', first), "of one day: time alone"
    assert "All started on " in first
    for strange in ("0", "-1", "999999", "x", "²"):
        assert viewer.get("/dialogues", params={"page": strange}).status_code == 200


def test_a_transcript_shows_each_turn_once(enter: Enter, log: Log, study: Study) -> None:
    viewer = enter("viewer")
    for state in log.dialogues(study.name)[:5]:
        page = viewer.get(f"/dialogues/{state.dialogue_id}").text
        shown = [html.unescape(text) for text in re.findall(r'<p class="text">(.*?)</p>', page, re.S)]
        turns = [one.event for one in log.dialogue_history(state.dialogue_id).events]
        assert shown == [
            one.text for one in turns if isinstance(one, events.UserTurnSent | events.SystemTurnReceived)
        ]
        assert re.search(r'<th scope="row">Turns</th><td class="n">\d+</td><td>turns</td>', page)
        assert page.index('id="turns"') < min(
            map(page.index, ('id="remarks"', 'id="facts"', 'id="evidence"'))
        )


def test_what_participants_and_systems_say_is_only_text(enter: Enter, nasty: str) -> None:
    owner = enter("owner")
    page = owner.get(f"/dialogues/{nasty}").text
    assert page.count(html.escape(NASTY).replace("&quot;", "&#34;").replace("&#x27;", "&#39;")) >= 5
    for path in (
        f"/dialogues/{nasty}",
        "/dialogues?q=%3Cscript%3Ealert",
        "/",
        "/visits",
        f"/dialogues/{nasty}?x=<script>",
    ):
        text = owner.get(path).text
        assert "<script>alert" not in text and "<img src=x" not in text, path
    raw = owner.get(f"/dialogues/{nasty}/events.json")
    assert raw.headers["content-type"] == "application/json"
    assert NASTY in [one["payload"].get("text") for one in raw.json()]


def test_a_failure_stands_between_the_turns(enter: Enter, log: Log, study: Study) -> None:
    failed = next(one for one in log.dialogues(study.name) if one.status == "failed")
    page = enter("viewer").get(f"/dialogues/{failed.dialogue_id}").text
    assert page.count("timeout: no output within 30 s") == 2 and page.count('class="turn failure"') == 2


def test_an_unknown_dialogue_is_not_found(enter: Enter) -> None:
    owner = enter("owner")
    for path in (
        "/dialogues/nobody",
        "/dialogues/nobody/events.json",
        "/export/../../etc/passwd",
        "/export/x",
    ):
        answer = owner.get(path)
        assert answer.status_code == 404, path
    assert "does not exist" in owner.get("/dialogues/nobody").text


def test_pausing_appends_one_event_that_the_session_obeys(enter: Enter, log: Log, token_of: TokenOf) -> None:
    researcher = enter("researcher", "Grace")
    token = token_of(researcher, "/trial")
    for _ in range(2):
        sent = {"form_token": token, "reason": " the bots <b>moved</b> "}
        assert researcher.post("/trial/pause", data=sent).status_code == 303
    switches = [one.event for one in log.trial_events()]
    assert switches == [events.TrialPaused(reason="the bots <b>moved</b>", by="Grace")]
    assert log.transact_now(paused)
    page = researcher.get("/").text
    assert "Paused" in page and "the bots &lt;b&gt;moved&lt;/b&gt;" in page
    for _ in range(2):
        assert researcher.post("/trial/resume", data={"form_token": token}).status_code == 303
    assert [one.event.kind for one in log.trial_events()] == ["trial_paused", "trial_resumed"]
    assert not log.transact_now(paused)
    assert [row[1:3] for row in rows(researcher.get("/trial").text)] == [
        ["resumed", "Grace"],
        ["paused", "Grace"],
    ]


def test_a_pause_needs_a_reason(enter: Enter, log: Log, token_of: TokenOf) -> None:
    researcher = enter("researcher")
    answer = researcher.post(
        "/trial/pause", data={"form_token": token_of(researcher, "/trial"), "reason": "  "}
    )
    assert answer.status_code == 422 and "Please enter a reason" in answer.text and log.trial_events() == []


def test_simulated_visits_are_marked_on_every_page(
    enter: Enter, trial: ModuleType, log: Log, study: Study, clock: ManualClock
) -> None:
    viewer = enter("viewer")
    trial.fill(log, study, clock, participants=1, seed=77, simulated=True)
    dialogue = log.dialogues(study.name)[-1].dialogue_id
    for path in ("/", "/visits", "/dialogues", "/results", "/trial", f"/dialogues/{dialogue}"):
        assert "<strong>SIMULATED</strong>" in viewer.get("/simulated" + path).text, path
        assert "<strong>SIMULATED</strong>" not in viewer.get("/people" + path).text, path
    for path in ("/visits", f"/dialogues/{dialogue}"):
        assert '<span class="tag">simulated</span>' in viewer.get("/simulated" + path).text, path


def test_an_empty_trial_has_pages_too(study: Study, empty_log: Log, tmp_path) -> None:
    app: FastAPI = create_desk(study, empty_log, work_dir=tmp_path / "work", account_optional=True)
    desk = app.state.desk
    browser = TestClient(
        app, base_url="http://desk.test", headers={"sec-fetch-site": "same-origin", "accept": "text/html"}
    )
    browser.post(desk.access.invite("owner", "http://desk.test"))
    for path in ("/", "/overview/numbers", "/visits", "/dialogues", "/export", "/trial", "/accounts"):
        assert browser.get(path).status_code == 200, path
    answer = browser.get("/export/dataset.zip")
    assert answer.status_code == 409 and "the log has no study" in answer.text
    browser.get("/results")
    eventually(lambda: not browser.get("/results/state").json()["computing"])
    desk.snapshots.close()
    assert "No dialogues yet" in browser.get("/results").text
