"""The overview answers: is it done yet, where do people leave, who answers late, what needs a person now."""

import html
import re
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import parse_qsl

import pytest
from fastapi import APIRouter, FastAPI
from starlette.testclient import TestClient

from scenes.desks import desk_of
from scenes.translated import same_in_italian
from vivavoce.core.clock import ManualClock
from vivavoce.core.errors import InputError
from vivavoce.dashboard.app import create_desk
from vivavoce.dashboard.board import Board
from vivavoce.dashboard.page import CostLine, DashboardPage, DueAction
from vivavoce.dashboard.study_size import study_size
from vivavoce.dashboard.systems import healths
from vivavoce.dashboard.visit_flow import visit_flow
from vivavoce.dashboard.visit_list import VisitQuery, visits_of
from vivavoce.log import events
from vivavoce.log.store import Log
from vivavoce.study.model import Analysis, Study

BASE = "http://desk.test"
Enter = Callable[..., Any]
DIALOGUES = 2  # the step in which they are held


def text_of(page: str, section: str) -> str:
    """What a section of the overview says, named by the key of its heading."""
    part = page.partition(f'id="{section}"')[2].partition("</section>")[0]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", part.partition(">")[2])).split())


def declared(study: Study, **analysis: Any) -> Study:
    return study.model_copy(update={"analysis": Analysis.model_validate(analysis)})


def failed(dialogue: str, failure: str) -> events.SystemTurnFailed:
    facts = {"dialogue_id": dialogue, "reply_to": None, "failure": failure, "detail": ""}
    return events.SystemTurnFailed.model_validate(facts)


def answered(dialogue: str, turn: int, wait_s: float) -> events.SystemTurnReceived:
    """An answer that came so many seconds after the turn before it was handed over."""
    facts = {
        "dialogue_id": dialogue,
        "turn_index": turn,
        "reply_to": turn - 1,
        "messages": [{"text": "Yes."}],
        "sent_s": 100.0,
        "first_output_s": 100.1,
        "complete_s": 100.0 + wait_s,
    }
    return events.SystemTurnReceived.model_validate(facts)


class Walk:
    """Visits that stop where they are told to."""

    def __init__(self, trial: ModuleType, log: Log, study: Study, clock: ManualClock) -> None:
        self.trial, self.log, self.study, self.clock, self.n = trial, log, study, clock, 0

    def caller(self, *, simulated: bool = False) -> Any:
        self.n += 1
        return self.trial.Caller(self.log, self.study, self.clock, f"{self.n:04}", simulated)

    def opened(self, revision: str = "r") -> Any:
        made = self.caller()
        made.add(
            events.VisitOpened(
                study=self.study.name,
                revision=revision,
                participant_id=f"participant-{made.key}",
                pool="link",
                language="en",
            )
        )
        return made

    def completed(self, *, simulated: bool = False) -> Any:
        made = self.caller(simulated=simulated)
        made.begin()
        self.trial.hold(made, next(iter(self.study.systems)), self.study.tasks[0])
        made.add(events.DialoguesFinished(step=DIALOGUES), 5)
        made.add(events.PageRead(step=DIALOGUES + 1), 40)
        made.add(events.VisitEnded(outcome="completed", completion_code="AAAA"), 0)
        return made


@pytest.fixture
def walk(trial: ModuleType, empty_log: Log, study: Study, clock: ManualClock) -> Walk:
    return Walk(trial, empty_log, study, clock)


def test_visits_that_left_at_each_step_are_counted_where_they_left(walk: Walk, study: Study) -> None:
    declined, reading, talking = walk.opened(), walk.opened(), walk.caller()
    declined.add(events.ConsentDeclined(step=0, document="0" * 64, language="en"), 10)
    declined.add(events.VisitEnded(outcome="no_consent"))
    reading.add(events.ConsentGiven(step=0, document="0" * 64, language="en"), 25)
    reading.add(events.VisitEnded(outcome="timed_out"), 900)
    talking.begin()
    walk.trial.hold(talking, "nbest", study.tasks[0], stop_after=1)
    talking.leaves("withdrew")
    walk.caller().begin()  # stands before its first dialogue
    for _ in range(3):
        walk.completed()
    flow = Board(study, walk.log).see(visit_flow)
    assert (flow.arrived, flow.consented, flow.completed, flow.after) == (7, 6, 3, {})
    counts = [(one.step, one.begun, one.ended, one.left, one.here) for one in flow.steps]
    assert counts == [
        ("consent", 7, 6, 1, 0),
        ("instructions", 6, 5, 1, 0),
        ("dialogue", 5, 3, 1, 1),
        ("debrief", 3, 3, 0, 0),
    ]
    assert [one.outcomes for one in flow.steps] == [{"no_consent": 1}, {"timed_out": 1}, {"withdrew": 1}, {}]
    # consent took 25 s once and 20 s five times; reading 30 s; the last page 40 s
    assert [flow.steps[place].median_s for place in (0, 1, 3)] == [20, 30, 40]
    assert [one.dialogues for one in flow.steps] == ["", "", "participant=participant-0003", ""]


def test_who_left_opens_their_dialogues(enter: Enter, log: Log, study: Study) -> None:
    desk = enter("viewer")
    page = desk.get("/").text
    links = re.findall(r'href="(/dialogues\?participant[^"]+)" title="[^"]+dropped out"', page)
    (address,) = (html.unescape(one) for one in links)
    left = {one.participant_id for one in log.visits(study.name) if one.outcome in ("withdrew", "timed_out")}
    assert left and set(re.findall(r"participant-\w+", address)) == left
    assert desk.get(address).status_code == 200


def test_a_visit_of_other_steps_is_told_and_not_counted(walk: Walk, study: Study) -> None:
    walk.caller().begin()
    walk.caller().begin()
    shorter = study.model_copy(update={"visit": study.visit[:1]})
    talking = walk.caller()
    talking.begin()
    talking.ends(talking.assign("nbest", study.tasks[0]), "user", 0)
    flow = Board(shorter, walk.log).see(visit_flow)
    assert (flow.arrived, flow.unplaced) == (2, 1)


def test_a_visit_that_began_with_other_steps_is_not_counted_where_those_of_today_stand(
    walk: Walk, study: Study
) -> None:
    before = re.sub(r"\n *- instructions: .*", "", study.file_text)
    assert before != study.file_text
    reworded = study.file_text + "\n# with a comment\n"
    for revision, file in (("before", before), ("reworded", reworded)):
        walk.log.transact_now(
            lambda tx, revision=revision, file=file: tx.record_study(study.name, revision, file, [])
        )
        walk.opened(revision).add(events.ConsentGiven(step=0, document="0" * 64, language="en"), 9)
    flow = Board(study, walk.log).see(visit_flow)
    assert (flow.arrived, flow.consented, flow.unplaced) == (1, 1, 1)


def test_waiting_times_and_failed_turns_are_those_of_each_system(
    walk: Walk, study: Study, clock: ManualClock
) -> None:
    caller = walk.caller()
    caller.begin()
    dialogue = caller.assign("nbest", study.tasks[0])
    caller.hears(dialogue, 0, "Hello.", [])  # a greeting answers nobody: no wait
    for number, wait_s in enumerate((1.0, 2.0, 3.0, 4.0, 5.0)):
        caller.add(answered(dialogue, 2 * number + 2, wait_s), 7)
    answered_at = clock.now()
    for _ in range(2):
        caller.add(failed(dialogue, "timeout"), 30)
    found, other = Board(study, walk.log).see(healths)
    assert (found.system, found.waits, found.median_s) == ("nbest", 5, 3.0)
    assert found.p95_s == pytest.approx(4.8)  # by linear interpolation, as R's quantile() does
    assert (found.turns, found.failed, found.in_a_row, found.last_at) == (8, 2, 2, answered_at)
    assert found.dialogues == "system=nbest&errors=timeout"
    assert (other.turns, other.failed_share, other.median_s, other.last_at) == (0, None, None, None)


def test_the_declared_size_is_reached_by_people_and_its_end_is_told_from_five_visits_on(
    walk: Walk, study: Study, clock: ManualClock
) -> None:
    sized = declared(study, stopping={"words": "Ten people.", "participants": 10})
    for _ in range(4):
        walk.completed()
        walk.completed(simulated=True)
    board = Board(sized, walk.log)
    size = board.of("people").see(study_size)
    assert (size.declared, size.declared_by, size.reached, size.to_come) == (10, "stopping", 4, None)
    assert board.of("simulated").see(study_size).declared is None
    walk.completed()
    size, now = board.of("people").see(study_size), clock.now()
    assert size.to_come is not None and (size.to_come.visits, size.to_come.wanted) == (5, 5)
    assert size.first_at is not None and size.expected == now + (now - size.first_at)
    assert size.expected is not None and size.earliest is not None and size.latest is not None
    assert size.earliest < size.expected < size.latest
    fewest = sized.visit[DIALOGUES].repeat.min  # type: ignore[union-attr]
    assert [(one.condition, one.completed, one.planned) for one in size.conditions] == [
        ("nbest", 5, 10 * fewest / 2),
        ("onebest", 0, 10 * fewest / 2),
    ]
    clock.advance(timedelta(days=8).total_seconds())
    assert board.of("people").see(study_size).to_come is None, "nobody came in the last seven days"
    for _ in range(5):
        walk.completed()
    size = board.of("people").see(study_size)
    assert (size.reached, size.expected, size.last_at) == (10, None, clock.now())


def test_a_study_without_a_size_and_without_visits_says_what_to_do(
    study: Study, empty_log: Log, app: FastAPI, enter: Enter
) -> None:
    app.state.desk.board = Board(study, empty_log)
    page = enter("researcher").get("/").text
    assert "No target set." in text_of(page, "size") and "analysis.stopping.participants" in page
    assert "No visits yet." in text_of(page, "flow")
    assert text_of(page, "due") == "Needs attention Nothing right now."


def test_what_needs_a_person_is_said_first_what_is_urgent_before_the_rest(
    enter: Enter, app: FastAPI, trial: ModuleType, log: Log, study: Study, clock: ManualClock
) -> None:
    desk = enter("viewer")
    assert "Urgent" not in text_of(desk.get("/").text, "due")
    caller = trial.Caller(log, study, clock, "unheard")
    caller.begin()
    trial.fail(caller, "onebest", study.tasks[0])
    trial.fail(caller, "onebest", study.tasks[0])
    log.transact_now(lambda tx: tx.append(events.TRIAL, events.TrialPaused(reason="why", by="Ada")))
    page = desk.get("/overview/numbers").text
    assert page.index('id="due"') < page.index('id="size"') < page.index('class="tiles"')
    lines = re.findall(r'<li>(<strong class="urgent">)?.*?<a href="([^"]+)">([^<]+)</a></li>', page)
    told = {text: (bool(urgent), html.unescape(address)) for urgent, address, text in lines}
    assert told["The trial is paused; new participants cannot start"] == (True, "/trial")
    today = clock.now().date().isoformat()
    assert told["2 dialogues with failed turns today"] == (
        False,
        f"/dialogues?errors=timeout&since={today}&until={today}",
    )
    urgent = [bool(one[0]) for one in lines]
    assert urgent == sorted(urgent, reverse=True)
    listed = desk.get(told["2 dialogues with failed turns today"][1]).text
    assert "2 dialogues" in " ".join(re.sub(r"<[^>]+>", " ", listed).split())


def test_a_system_that_gives_no_answer_any_more_is_urgent(
    walk: Walk, study: Study, app: FastAPI, enter: Enter
) -> None:
    caller = walk.caller()
    caller.begin()
    dialogue = caller.assign("nbest", study.tasks[0])
    for _ in range(3):
        caller.add(failed(dialogue, "closed"), 5)
    app.state.desk.board = Board(study, walk.log)
    desk = enter("viewer")
    assert "Urgent nbest is not answering (3 failed turns since its last answer)" in text_of(
        desk.get("/").text, "due"
    )
    suspended = events.SystemSuspended(system="nbest", reason="it keeps failing")
    walk.log.transact_now(lambda tx: tx.append(events.TRIAL, suspended))
    told = text_of(desk.get("/").text, "due")
    assert "1 system suspended" in told and "not answering" not in told


def test_problems_of_the_study_file_wait_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "jam"
    folder.mkdir()
    (folder / "agree.md").write_text("# Agree\n")
    file = folder / "study.yaml"
    file.write_text(
        "study: jam\nsystems: {plum: {connect: scripted, greeting: Hi.}}\n"
        "visit: [{consent: agree.md}, dialogue]\n"
    )
    with (
        Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log,
        desk_of(folder, log, "owner") as owner,
        desk_of(folder, log, "researcher") as other,
    ):
        assert "problem" not in text_of(owner.get("/").text, "due")
        file.write_text(file.read_text().replace("agree.md", "argee.md"))
        due = text_of(owner.get("/").text, "due")
        assert "Urgent 1 problem in the study file" in due
        assert "1 problema nel file dello studio" in owner.get("/?interface=it").text
        assert "problem" not in text_of(other.get("/").text, "due"), "who cannot mend it is not told"
        file.write_text(file.read_text().replace("argee.md", "agree.md"))
        assert "problem" not in text_of(owner.get("/?interface=en").text, "due")


def test_calls_of_models_cost_what_the_study_says_and_those_without_a_price_are_told(
    walk: Walk, study: Study, app: FastAPI, enter: Enter
) -> None:
    prices = "prices: {currency: EUR, models: {tall-*: {input: 2.00, cached: 0.50, output: 10.00}}}"
    priced = study.model_copy(update={"file_text": f"{study.file_text}\n{prices}\n"})
    usage = [
        {"model": "tall-1", "input_tokens": 500_000, "cached_tokens": 100_000, "output_tokens": 20_000},
        {"model": "unheard-of", "input_tokens": 9, "output_tokens": 9},
    ]
    for simulated in (False, True):
        caller = walk.caller(simulated=simulated)
        caller.begin()
        dialogue = caller.assign("nbest", study.tasks[0])
        told = answered(dialogue, 2, 1.0).model_dump() | {"agent": {"usage": usage}}
        caller.add(events.SystemTurnReceived.model_validate(told))
    app.state.desk.board, app.state.desk.study = Board(priced, walk.log), priced
    told_costs = text_of(enter("viewer").get("/").text, "costs")
    # by hand: (400 000 x 2.00 + 100 000 x 0.50 + 20 000 x 10.00) / 1 000 000 = 1.05, and once only: of people
    assert "Models of systems 1.05 EUR –" in told_costs
    assert "2 model calls" in told_costs and "1 has no price" in told_costs


def test_a_page_of_anybody_says_what_waits_on_it_and_what_it_costs_to_those_who_may_open_it(
    app: FastAPI, enter: Enter
) -> None:
    def fails(request: Any, desk: Any) -> list[DueAction]:
        raise InputError("the <b>ledger</b> is away", hint="start it")

    theirs = DashboardPage(
        name="orders",
        router=APIRouter(),
        role="researcher",
        due=lambda request, desk: [DueAction("4 <i>orders</i> wait", "/orders")],
        costs=lambda request, desk: [CostLine("Snacks", "12.50 EUR", "", "by 3 receipts", "/orders")],
    )
    broken = DashboardPage(name="ledger", router=APIRouter(), due=fails)
    faulty = DashboardPage(name="weather", router=APIRouter(), costs=lambda request, desk: {}["rain"])
    app.state.desk.pages = (*app.state.desk.pages, theirs, broken, faulty)
    page = enter("researcher").get("/").text
    assert '<a href="/orders">4 &lt;i&gt;orders&lt;/i&gt; wait</a>' in page
    assert "Snacks 12.50 EUR – by 3 receipts" in text_of(page, "costs")
    assert "weather – – not available; see the terminal output for the reason" in text_of(page, "costs")
    assert "ledger: the &lt;b&gt;ledger&lt;/b&gt; is away. Start it" in page
    seen = enter("viewer").get("/").text
    assert "/orders" not in seen and "is away" in seen


def test_where_a_stopping_rule_watches_the_size_is_counted_as_the_rule_counts(
    walk: Walk, study: Study
) -> None:
    watched = declared(
        study,
        primary={"measure": "subjective_success", "compare": ["nbest", "onebest"]},
        stopping={"rule": "pocock", "participants": 10, "interim_analyses": 2},
    )
    walk.completed()
    left_early, left_late = walk.caller(), walk.caller()
    left_early.begin()
    left_early.leaves("withdrew")
    left_late.begin()
    walk.trial.hold(left_late, "nbest", study.tasks[0])
    left_late.leaves("withdrew")
    size = Board(watched, walk.log).see(study_size)
    assert (size.unit, size.reached, size.declared) == ("finished", 2, 10)
    unwatched = declared(study, stopping={"participants": 10})
    assert Board(unwatched, walk.log).see(study_size).reached == 1


def looks(study: Study, log: Log) -> None:
    for number, (low, high, z, bar) in enumerate([(-0.6, 0.8, 0.4, 4.2), (-0.1, 0.5, 1.9, 2.9)], 1):
        verdict = events.LoggedVerdict(
            a="nbest", b="onebest", difference=(low + high) / 2, low=low, high=high, statistic=z, bar=bar
        )
        look = events.InterimAnalysisRun(
            study=study.name,
            rule="obrien_fleming",
            measure="subjective_success",
            number=number,
            of=4,
            participants=20 * number,
            planned=80,
            information=number / 4,
            verdicts=[verdict],
        )
        log.transact_now(lambda tx, look=look: tx.append(events.TRIAL, look))


def test_declared_looks_show_an_interval_that_narrows_and_its_boundary(
    study: Study, log: Log, tmp_path: Path
) -> None:
    watched = declared(
        study,
        primary={"measure": "subjective_success", "compare": ["nbest", "onebest"]},
        stopping={"rule": "obrien_fleming", "participants": 80, "interim_analyses": 4},
    )
    looks(watched, log)
    app = create_desk(watched, log, work_dir=tmp_path / "work", account_optional=True)
    desk = TestClient(app, base_url=BASE, headers={"sec-fetch-site": "same-origin", "accept": "text/html"})
    desk.post(app.state.desk.access.invite("viewer", BASE).removeprefix(BASE))
    page, of_programs = desk.get("/").text, desk.get("/simulated/").text
    title = study.title["en"]
    data = {
        title,
        f"– {title}",
        *study.systems,
        *(f"{n}. {one.kind}" for n, one in enumerate(study.visit, 1)),
    }
    assert same_in_italian(desk, "/overview/numbers", {*data, "cambridge", "viewer"}) == set()
    app.state.desk.snapshots.close()
    figure = page.partition('<svg class="looks"')[2].partition("</svg>")[0]
    words = html.unescape(page.partition('<figure class="looks"')[2].partition("</figure>")[0])
    assert "Analysis 1 of 4, 20 participants: +10.0 (−60.0 to +80.0), |z| 0.40, boundary 4.20." in words
    heights = [
        abs(float(y1) - float(y2))
        for x1, x2, y1, y2 in re.findall(
            r'<line x1="([\d.]+)%" x2="([\d.]+)%" y1="([\d.]+)%" y2="([\d.]+)%"/>', figure
        )
    ]
    assert len(heights) == 2 and heights[0] / heights[1] == pytest.approx(1.4 / 0.6, rel=0.01)
    boundaries = re.findall(r'class="boundary"[^>]*y1="([\d.]+)%"', page)
    assert len(boundaries) == 2 and float(boundaries[0]) < float(boundaries[1]), "it comes down"
    assert 'href="/trial"' in page.partition('id="declared"')[2].partition("</section>")[0]
    assert '<svg class="looks"' not in of_programs and "not trial results" in of_programs


def test_without_declared_looks_no_result_is_shown_and_one_sentence_says_why(enter: Enter) -> None:
    told = text_of(enter("viewer").get("/").text, "declared")
    assert told.startswith("Declared comparison Results are hidden")
    assert "%" not in told


def test_counts_of_the_flow_open_the_visits_that_they_count(walk: Walk, enter: Enter, study: Study) -> None:
    """Every number of the flow and of participants is the number of visits, or people, in its list."""
    board = Board(study, walk.log)
    walk.completed()
    walk.completed()
    left = walk.caller()
    left.begin()
    walk.trial.hold(left, "nbest", study.tasks[0], stop_after=1)
    left.leaves("withdrew")
    walk.caller().begin()
    flow = board.see(visit_flow)
    for step in flow.steps:
        for way, n in (
            ("begun", step.begun),
            ("ended", step.ended),
            ("left", step.left),
            ("here", step.here),
        ):
            wanted = VisitQuery.read(
                dict(parse_qsl(VisitQuery(step=step.number, way=way).address.partition("?")[2]))
            )
            assert len(list(board.see(partial(visits_of, query=wanted)))) == n, (step.step, way)
    page = enter("viewer").get("/").text
    browser = enter("viewer", "second")
    links = re.findall(r'<a href="(/visits/all\?[^"]+)">(\d+)</a>', page)
    assert len(links) > 12
    for address, n in links:
        found = browser.get(html.unescape(address)).text
        told = re.search(r"(\d+) visits? by (\d+) participants?\.", found)
        assert told is not None and n in told.groups(), address
    bars = re.findall(r'<a href="(/visits/all\?held=[^"]+)" aria-label="[^:]+: (\d+)"', page)
    assert bars
    for address, n in bars:
        found = browser.get(html.unescape(address)).text
        assert re.search(rf"by {n} participants?\.", found), address
