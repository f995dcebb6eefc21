"""A researcher's day in a real browser: in by the one-time link, through every page, out again."""

import re
import socket
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from scenes.browser import chromium, of_one_page, overflow, told
from scenes.filled_trial import DECLARED, PASSWORD, Trial, sign_in
from scenes.log_counts import counts_by_system
from scenes.patience import PATIENCE_S, eventually
from vivavoce.dataset.reader import Dataset
from vivavoce.log.events import TrialPaused

PAGES = (
    "Overview",
    "Running visits",
    "Dialogues",
    "Systems",
    "Stress tests",
    "Results",
    "Export",
    "Trial",
    "Accounts",
)

pytestmark = pytest.mark.browser


@pytest.fixture
def trial(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Trial]:
    """A parameter is what its study file declares as analysis."""
    import uvicorn

    servers: list[tuple[uvicorn.Server, threading.Thread]] = []

    def serve(app: Any) -> str:
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=3))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        servers.append((server, thread))
        eventually(lambda: server.started, "the dashboard never started")
        return f"http://127.0.0.1:{listener.getsockname()[1]}"

    made = Trial(tmp_path, serve, getattr(request, "param", ""))
    yield made
    for server, thread in servers:
        server.should_exit = True
        thread.join(PATIENCE_S)
    made.log.close_now()


@pytest.fixture
def context() -> Iterator[Any]:
    """A browser's fresh profile; complaints of the page fail the test."""
    with chromium() as browser:
        context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
        complaints: list[str] = []
        context.on("weberror", lambda error: complaints.append(str(error.error)))
        context.on("console", lambda said: said.type == "error" and complaints.append(told(said)))
        yield context
        context.close()
    meant = re.compile(r"Failed to load resource: .* status of (410 \(Gone|422 \(Unprocessable Entity)\) .*")
    assert [complaint for complaint in complaints if not meant.fullmatch(complaint)] == []


def unfold(page: Any) -> None:
    page.wait_for_load_state()  # before its styles have come, a wide page shows the menu of a small one, too
    if (menu := page.locator(".menu > summary")).is_visible():
        menu.click()


def go_to(page: Any, name: str) -> None:
    """Follow a link of the dashboard's own navigation, which a small screen folds."""
    unfold(page)
    with page.expect_navigation():
        page.get_by_role("navigation", name="Dashboard").get_by_role("link", name=name, exact=True).click()
    page.get_by_role("heading", name=name, level=1).wait_for()


def test_a_researcher_goes_from_the_one_time_link_to_the_dataset_and_out(trial: Trial, context: Any) -> None:
    page = context.new_page()
    page.goto(trial.address)
    assert page.url.endswith("/sign-in") and trial.study.name not in page.content()
    sign_in(page, trial)

    counts = counts_by_system(trial.log, trial.study.name)
    row = page.get_by_role("row").filter(has_text="nbest").first
    completed = str(counts["nbest"]["completed"])
    expect(row.get_by_role("cell", name=completed, exact=True).first).to_be_visible()

    go_to(page, "Dialogues")
    page.get_by_role("complementary", name="Filters").get_by_role("link", name="completed").click()
    page.wait_for_url("**status=completed**")
    page.locator("tbody th a").first.click()
    state = next(one for one in reversed(trial.log.dialogues(trial.study.name)) if one.status == "completed")
    said = [getattr(one.event, "text", None) for one in trial.log.dialogue_history(state.dialogue_id).events]
    expect(page.locator(".turn .text")).to_have_text([text for text in said if text is not None])
    page.locator(".turn summary").first.click()
    page.get_by_text("hello()").wait_for()

    go_to(page, "Results")
    page.get_by_role("table", name="Subjective success").wait_for()
    expect(page.locator("svg.interval"), "the comparison is kept back").to_have_count(3)
    page.get_by_role("link", name="View results early").click()
    page.locator("svg.interval").nth(5).wait_for()

    go_to(page, "Export")
    with page.expect_download() as started:
        page.get_by_role("link", name="dataset.zip").click()
    started.value.save_as(trial.folder / "dataset.zip")
    with zipfile.ZipFile(trial.folder / "dataset.zip") as archive:
        archive.extractall(trial.folder / "dataset")
    held = Dataset(trial.folder / "dataset").everything.read("dialogues").num_rows
    assert held == len(trial.log.dialogues(trial.study.name))

    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("heading", name="Sign in").wait_for()
    page.goto(trial.address + "/dialogues/" + state.dialogue_id)
    assert page.url.endswith("/sign-in")
    page.go_back()
    assert state.dialogue_id not in page.content()
    page.goto(trial.link)
    page.get_by_role("heading", name="This link is no longer valid").wait_for()
    page.goto(trial.address)
    page.get_by_label("Name").fill("Ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Overview", level=1).wait_for()


def test_the_overview_keeps_itself_fresh_and_a_pause_is_one_event(trial: Trial, context: Any) -> None:
    page = context.new_page()
    sign_in(page, trial)
    before = len(trial.log.dialogues(trial.study.name))
    page.get_by_text(f"of {before} started").wait_for()
    caller = trial.filler.Caller(trial.log, trial.study, trial.clock, "late")
    caller.begin()
    caller.assign("nbest", trial.study.tasks[0])
    page.get_by_text(f"of {before + 1} started").wait_for()

    go_to(page, "Trial")
    page.get_by_label("Reason").fill("the bots are being moved")
    page.get_by_role("button", name="Pause trial").click()
    page.get_by_role("heading", name="Trial paused").wait_for()
    pause = TrialPaused(reason="the bots are being moved", by="Ada")
    assert [one.event for one in trial.log.trial_events()] == [pause]
    page.get_by_role("button", name="Resume trial").click()
    page.get_by_role("heading", name="Trial running").wait_for()


@pytest.mark.parametrize("trial", [DECLARED], indirect=True)
@pytest.mark.parametrize(
    ("width", "scheme", "language", "words"),
    [
        (1280, "light", "en", ("View results", "nbest is non-inferior to onebest in subjective success")),
        pytest.param(
            320,
            "dark",
            "it",
            ("Vedi i risultati", "nbest non è peggiore di onebest in successo"),
            marks=pytest.mark.long,
        ),
    ],
)
def test_from_a_finished_trial_to_a_decision_in_two_presses_of_a_key(
    trial: Trial, context: Any, width: int, scheme: str, language: str, words: tuple[str, str]
) -> None:
    page = context.new_page()
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    sign_in(page, trial)
    page.set_extra_http_headers({"accept-language": language})
    page.goto(trial.address)
    expect(page.get_by_role("link", name=words[0])).to_be_visible()
    fits(page, "overview")
    page.get_by_role("link", name=words[0]).press("Enter")
    answer = page.locator("section[aria-labelledby=answer]")
    expect(answer).to_contain_text(words[1])
    expect(answer.locator("details[open]")).to_have_count(0)
    expect(answer.get_by_text(words[1])).to_be_visible()
    fits(page, "the answer")
    (declared,) = page.request.get(f"{trial.address}/api/results").json()["summary"]["declared"]["results"]
    assert [(one["system"], one["than"], one["shown"]) for one in declared["no_worse"]] == [
        ("nbest", "onebest", True),
        ("onebest", "nbest", False),
    ]
    page.get_by_text({"en": "View as table", "it": "Mostra come tabella"}[language]).first.click()
    with page.expect_download() as started:
        page.get_by_role("link", name="PNG").first.click()
    assert started.value.path().read_bytes().startswith(b"\x89PNG")


def test_a_click_while_results_become_ready_leads_where_it_says(trial: Trial, context: Any) -> None:
    page, held = context.new_page(), list[Any]()
    page.route("**/results/state*", lambda route: route.fulfill(json={"computing": not held}))
    page.route("**/export", lambda route: held.append(route))
    sign_in(page, trial)
    go_to(page, "Results")
    navigation = page.get_by_role("navigation", name="Dashboard")
    navigation.get_by_role("link", name="Export", exact=True).click(no_wait_after=True)
    for _ in "told that they are ready", "the page has heard it":
        with page.expect_request("**/results/state*"):
            pass
    held[0].continue_()
    page.get_by_role("heading", name="Export", level=1).wait_for()


def test_looks_that_are_answered_late_and_together_leave_the_list_of_dialogues_where_it_is(
    trial: Trial, context: Any
) -> None:
    page, held = context.new_page(), list[Any]()
    page.route("**/dialogues/state", lambda route: held.append(route))
    sign_in(page, trial)
    go_to(page, "Dialogues")
    for _ in range(2):
        with page.expect_request("**/dialogues/state"):
            pass
    held[0].fulfill(json={"computing": False})
    page.get_by_role("link", name="Refresh").wait_for()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    with page.expect_response("**/dialogues/state") as late:
        held[1].fulfill(json={"computing": False})
    late.value.finished()
    page.evaluate("fetch('/help').then((answer) => answer.text())")  # by then the late answer was read, too
    assert asked == [f"{trial.address}/help"]


def test_every_page_fits_a_small_screen_and_keeps_nobody_out(trial: Trial, context: Any) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": 320, "height": 640})
    sign_in(page, trial)
    dialogue = trial.log.dialogues(trial.study.name)[0].dialogue_id
    for name in PAGES:
        go_to(page, name)
        fits(page, name)
    page.goto(f"{trial.address}/dialogues/{dialogue}")
    fits(page, "transcript")
    unfold(page)
    page.get_by_role("link", name="Ada").click()
    page.get_by_label("Current password").fill("not this one")
    page.get_by_label("New password", exact=True).fill(PASSWORD + ", and more")
    page.get_by_label("Repeat new password").fill(PASSWORD + ", and more")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("the old password is wrong")
    expect(page.get_by_label("Current password")).to_have_accessible_description(re.compile("is wrong"))
    fits(page, "a refused password")
    page.get_by_label("Current password").fill(PASSWORD)
    page.get_by_label("New password", exact=True).fill(PASSWORD + ", and more")
    page.get_by_label("Repeat new password").fill(PASSWORD + ", and more")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Password changed")
    fits(page, "a changed password")
    page.reload()
    expect(page.get_by_role("status")).to_contain_text("Password changed")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()


def fits(page: Any, name: str) -> None:
    """The page at which one is, also where it gives way to another one, as that of results does."""
    nameless = "[...document.querySelectorAll('table')].filter(t => !t.caption?.textContent.trim()).length"
    pushed = "[...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth + 1).length"
    unnamed, sideways, found = of_one_page(
        page,
        lambda: (page.evaluate(nameless), page.evaluate(pushed), Axe().run(page).response["violations"]),
    )
    assert overflow(page) <= 0, f"{name} is too wide"
    assert unnamed == 0, f"{name} has a table without a caption"
    assert page.viewport_size["width"] > 320 or sideways == 0, f"a table of {name} is pushed sideways"
    assert [(one["id"], one["nodes"][0]["html"][:120]) for one in found] == [], f"{name} keeps people out"
