"""People and programs stand apart on every page: what is shown, what is counted, what is exported."""

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pyarrow.parquet as pq
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from scenes.watched import apart, hold_trial, watched_study
from vivavoce.annotation.judgement import LABELS
from vivavoce.core.clock import ManualClock
from vivavoce.dashboard.app import create_desk
from vivavoce.dashboard.app_shell import scoped_addresses
from vivavoce.dashboard.board import Board
from vivavoce.dashboard.progress import progress
from vivavoce.log.events import InterimAnalysisRun
from vivavoce.log.models import team_study
from vivavoce.log.store import Log
from vivavoce.participant.accounts import Access
from vivavoce.study.model import Study

Enter = Callable[..., TestClient]
PAGES = (
    "/",
    "/visits",
    "/dialogues",
    "/systems",
    "/pairs",
    "/annotation",
    "/stress",
    "/results",
    "/export",
    "/trial",
    "/accounts",
    "/overview/numbers",
    "/visits/table",
    "/systems/table",
)
OWN = re.compile(r'\s(?!value|placeholder|content)[a-z-]+="(/[^"]*)"')


@pytest.fixture
def mixed(trial: ModuleType, log: Log, study: Study, clock: ManualClock) -> Log:
    """The log of people, in which programs have talked, too."""
    trial.fill(log, study, clock, participants=3, seed=77, simulated=True)
    return log


def ids(log: Log, study: Study, *, simulated: bool) -> set[str]:
    return {one.dialogue_id for one in log.dialogues(study.name) if one.simulated == simulated}


def listed(browser: TestClient, prefix: str = "") -> set[str]:
    """Every dialogue on the pages of the list."""
    found: set[str] = set()
    for page in (1, 2, 3):
        found |= set(
            re.findall(r'/dialogues/(dialogue-\w+)"', browser.get(f"{prefix}/dialogues?page={page}").text)
        )
    return found


def test_people_are_shown_unless_programs_are_asked_for(enter: Enter, mixed: Log, study: Study) -> None:
    browser = enter("owner")
    people, programs = (ids(mixed, study, simulated=flag) for flag in (False, True))
    assert people and programs
    for prefix, expected in (("", people), ("/people", people), ("/simulated", programs)):
        assert listed(browser, prefix) == expected
        numbers = re.sub("<[^>]*>", "", browser.get(f"{prefix}/overview/numbers").text)
        begun = re.search(r"of (\d+) started", numbers)
        assert begun is not None and int(begun[1]) == len(expected)
        exported = re.search(r"visits, (\d+) dialogues", browser.get(f"{prefix}/export").text)
        assert exported is not None and int(exported[1]) == len(expected)


def test_the_team_is_counted_nowhere_and_shown_apart(
    trial: ModuleType, enter: Enter, log: Log, study: Study, clock: ManualClock
) -> None:
    browser = enter("owner")

    def numbers() -> str:
        return re.sub("<[^>]*>", "", browser.get("/people/overview/numbers").text).partition("Updated")[0]

    before = numbers()
    people = ids(log, study, simulated=False)
    caller = trial.Caller(log, study.model_copy(update={"name": team_study(study.name)}), clock, "us")
    caller.begin()
    tried = caller.assign(next(iter(study.systems)), study.tasks[0])
    caller.says(tried, 0, "does this work at all")
    assert listed(browser) == listed(browser, "/people") == people
    assert listed(browser, "/team") == {tried}
    assert numbers() == before
    there = browser.get(f"/people/dialogues/{tried}").headers["location"]  # where it is shown
    assert there == f"/team/dialogues/{tried}"
    page = browser.get(there).text
    assert "TEAM" in page and "does this work at all" in page and "not counted" in page
    for address in ("/", "/visits", "/systems", "/results", "/annotation"):
        assert browser.get(f"/team{address}").status_code == 200
    answer = browser.get("/team/export/dataset.zip")
    assert answer.status_code == 409 and "not included in results or exports" in answer.text


def test_the_button_leads_to_pages_that_do_not_count(
    app: FastAPI, enter: Enter, log: Log, study: Study
) -> None:
    app.state.desk.participant_url = "http://pages.test"
    assert "(not counted)" in enter("researcher").get("/").text
    address = enter("researcher", "grace").get("/try").headers["location"]
    assert address.startswith("http://pages.test/?team=")
    assert Access(log, study.name).tries_out(address.partition("=")[2])


def test_programs_are_shown_as_long_as_nobody_has_come(
    trial: ModuleType, study: Study, empty_log: Log, clock: ManualClock
) -> None:
    board = Board(study, empty_log)
    assert board.see(lambda board: board.usual) == "people"
    trial.fill(empty_log, study, clock, participants=1, seed=5, simulated=True)
    assert board.see(lambda board: board.usual) == "simulated"
    trial.Caller(empty_log, study, clock, "ada").begin()
    assert board.see(lambda board: board.usual) == "people"


def test_every_address_on_every_page_keeps_to_the_scope(enter: Enter, mixed: Log, study: Study) -> None:
    browser = enter("owner")
    dialogue = min(ids(mixed, study, simulated=True))
    for page in (
        *PAGES,
        f"/dialogues/{dialogue}",
        f"/pairs/edit?dialogue={dialogue}",
        "/dialogues?q=thai&page=2",
    ):
        answer = browser.get("/simulated" + page)
        assert answer.status_code == 200, page
        assert answer.headers["vivavoce-scope"] == "simulated"
        switch = r'<nav class="switch".*?</nav>'
        elsewhere = re.sub(switch, "", answer.text, flags=re.S)
        assert {one for one in OWN.findall(elsewhere) if not one.startswith("/simulated/")} <= {"/simulated"}
        if page not in ("/overview/numbers", "/visits/table", "/systems/table"):
            (found,) = re.findall(switch, answer.text, re.S)
            assert [bool(re.search(f'href="/{one}[/"]', found)) for one in ("people", "simulated")] == [
                True,
                True,
            ]


def test_the_switch_keeps_the_filters_of_a_page(enter: Enter, mixed: Log) -> None:
    page = enter("viewer").get("/dialogues?q=thai%20%22food%22&system=nbest").text
    assert 'href="/simulated/dialogues?q=thai+%22food%22&amp;system=nbest"' in page


def test_every_button_of_the_list_of_simulated_dialogues_acts_on_them(
    enter: Enter, mixed: Log, study: Study, token_of: Callable[..., str]
) -> None:
    browser = enter("researcher")
    chosen = sorted(ids(mixed, study, simulated=True))[:2]
    form = {"form_token": token_of(browser, "/trial"), "which": "ticked", "dialogue": chosen}
    buttons = re.findall(r'formaction="([^"]+)"', browser.get("/simulated/dialogues").text)
    answers = {address.rpartition("/")[2]: browser.post(address, data=form) for address in buttons}
    assert set(answers) == {"two", "export"}
    assert all(f"={name}" in answers["two"].headers["location"] for name in chosen)
    assert "simulated" in answers["export"].headers["content-disposition"]


def test_a_redirect_keeps_to_the_scope(enter: Enter, mixed: Log, token_of: Callable[..., str]) -> None:
    browser = enter("researcher")
    form = {"form_token": token_of(browser, "/trial"), "reason": "lunch"}
    answer = browser.post("/simulated/trial/pause", data=form)
    assert answer.headers["location"] == "/simulated/trial"


def test_a_kept_address_of_a_dialogue_leads_to_where_it_is_shown(
    enter: Enter, mixed: Log, study: Study
) -> None:
    browser = enter("viewer")
    for simulated, scope, other in ((True, "simulated", ""), (False, "people", "/simulated")):
        dialogue = min(ids(mixed, study, simulated=simulated))
        answer = browser.get(f"{other}/dialogues/{dialogue}?wire=1")
        assert answer.headers["location"] == f"/{scope}/dialogues/{dialogue}?wire=1"


def test_text_that_looks_like_an_address_stays_as_it_was_typed(enter: Enter, mixed: Log) -> None:
    typed = 'href="/x" action="/y"'
    page = enter("viewer").get("/simulated/dialogues", params={"q": typed}).text
    assert "href=&#34;/x&#34; action=&#34;/y&#34;" in page
    assert scoped_addresses('<a href="/a"><a href="//b"><a href="/people/c">', "simulated") == (
        '<a href="/simulated/a"><a href="//b"><a href="/people/c">'
    )


def test_a_download_holds_one_kind_and_says_which(enter: Enter, mixed: Log, study: Study) -> None:
    browser = enter("researcher")
    for prefix, scope in (("", "people"), ("/simulated", "simulated")):
        answer = browser.get(f"{prefix}/export/dataset.zip")
        assert f'filename="city-venues-{scope}-dataset.zip"' in answer.headers["content-disposition"]
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            table = pq.read_table(io.BytesIO(archive.read("dialogues.parquet")))
        assert set(table.column("dialogue_id").to_pylist()) == ids(
            mixed, study, simulated=scope == "simulated"
        )
        assert set(table.column("simulated").to_pylist()) == {scope == "simulated"}


def test_a_study_of_people_alone_has_no_switch(enter: Enter) -> None:
    page = enter("viewer").get("/").text
    assert 'class="switch"' not in page and 'href="/people' not in page


def test_costs_are_those_of_everybody_and_counts_of_those_shown(
    trial: ModuleType, study: Study, mixed: Log, tmp_path: Path
) -> None:
    from vivavoce.dashboard.systems import standings

    priced = study.model_copy(update={"systems": {"nbest": {"connect": "http", "price_per_turn": 1}}})
    held = mixed.dialogues(study.name, system="nbest")
    turns = {flag: sum(one.user_turns for one in held if one.simulated == flag) for flag in (True, False)}
    (shown,) = Board(priced, mixed).of("simulated").see(standings)
    assert (shown.user_turns, shown.cost) == (turns[True], turns[True] + turns[False])


def test_a_stopping_rule_never_counts_programs(tmp_path: Path) -> None:
    """Programs show a difference that would stop any trial; no look is due before people have come."""
    study = watched_study(tmp_path, rule="obrien_fleming", participants=8, interim_analyses=2)
    url = f"sqlite:///{tmp_path / 'log.sqlite'}"
    hold_trial(study, url, apart, 8, simulated=True)
    with Log.open(url) as log:
        app: FastAPI = create_desk(study, log, work_dir=tmp_path / "desk")
        watch = app.state.desk.watch
        assert watch.up_to_date() and watch.check() is None
        assert not [one for one in log.trial_events() if isinstance(one.event, InterimAnalysisRun)]
    hold_trial(study, url, apart, 4)
    with Log.open(url) as log:
        app = create_desk(study, log, work_dir=tmp_path / "desk")
        look = app.state.desk.watch.check()
        assert look is not None and (look.number, look.participants) == (1, 4)
        app.state.desk.snapshots.close()


def test_annotators_get_dialogues_of_people_once_there_are_any(
    trial: ModuleType, study: Study, empty_log: Log, clock: ManualClock
) -> None:
    trial.fill(empty_log, study, clock, participants=1, seed=3, simulated=True)
    workplace = LABELS.open(study, empty_log)
    programs = {one.dialogue_id for one in workplace.waiting()}
    assert programs and programs <= ids(empty_log, study, simulated=True)
    trial.fill(empty_log, study, clock, participants=1, seed=4)
    assert {one.dialogue_id for one in workplace.waiting()} <= ids(empty_log, study, simulated=False)
    assert {one.dialogue_id for one in workplace.waiting("simulated")} == programs


def test_the_numbers_of_both_kinds_add_up_to_those_of_all(study: Study, mixed: Log) -> None:
    board = Board(study, mixed)
    people, programs = (board.of(scope).see(progress).all.dialogues for scope in ("people", "simulated"))
    assert people and programs and people + programs == board.see(progress).all.dialogues
