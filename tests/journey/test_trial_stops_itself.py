"""A trial that watches itself stops when its question is answered, else goes on; every look is taken once."""

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect

from scenes.browser import barriers, chromium, overflow
from scenes.patience import eventually
from scenes.translated import same_in_italian
from scenes.watched import alike, apart, hold_trial, served, watched_study
from vivavoce.dashboard.app import create_desk
from vivavoce.log.events import TRIAL, InterimAnalysisRun, TrialPaused, TrialResumed
from vivavoce.log.store import Log
from vivavoce.study.model import Study

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # starlette would rather have httpx2, which nothing else here needs
    from starlette.testclient import TestClient

OURS = {"sec-fetch-site": "same-origin", "accept": "text/html"}


class Dashboard:
    """The dashboard in a log connection of its own, as in its own process; it can be stopped and started."""

    def __init__(self, study: Study, url: str, folder: Path) -> None:
        self.study, self.url, self.folder = study, url, folder

    @contextmanager
    def running(self) -> Iterator[TestClient]:
        with Log.open(self.url) as log:
            app = create_desk(
                self.study, log, work_dir=self.folder, account_optional=True, watch_every_s=0.02
            )
            with TestClient(app, base_url="http://desk.test", headers=OURS) as browser:
                browser.post(app.state.desk.access.invite("researcher", "http://desk.test"))
                yield browser


def trial_events(url: str, *kinds: type) -> list:
    with Log.open(url) as log:
        return [one.event for one in log.events(TRIAL) if isinstance(one.event, kinds)]


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'log.sqlite'}"


def settled(desk: TestClient) -> Callable[[], None]:
    """Waits until the worker has nothing more to compute: every look that is due has been taken."""
    watch = desk.app.state.desk.watch  # type: ignore[attr-defined]

    def wait() -> None:
        def nothing_due() -> bool:
            assert not watch.problem, watch.problem
            return watch.up_to_date()

        eventually(nothing_due)

    return wait


def test_a_trial_pauses_itself_once_its_question_is_answered(tmp_path: Path, url: str) -> None:
    study = watched_study(tmp_path, rule="obrien_fleming", participants=40, interim_analyses=4)
    with Dashboard(study, url, tmp_path / "desk").running() as desk:
        held = hold_trial(study, url, apart, 40, after_each=settled(desk))
        page = desk.get("/trial").text
        assert same_in_italian(desk, "/trial", {study.title["en"], f"– {study.title['en']}"}) == set()
    looks = trial_events(url, InterimAnalysisRun)
    assert [look.number for look in looks] == [1, 2][: len(looks)] and looks[-1].stop == "effect"
    assert held == looks[-1].participants, "nobody is let in after the look that decides"
    (pause,) = trial_events(url, TrialPaused)
    assert pause.by == "the stopping rule" and "the systems differ" in pause.reason
    assert "Result: the systems differ." in page
    assert f"Analysis {looks[-1].number} of 4" in page and "No further interim analyses." in page
    assert "one minus two" in page and "Significant difference." in page


def test_a_trial_without_difference_goes_on_to_its_planned_end(tmp_path: Path, url: str) -> None:
    study = watched_study(tmp_path, rule="pocock", participants=20, interim_analyses=2, futility=False)
    with Dashboard(study, url, tmp_path / "desk").running() as desk:
        wait = settled(desk)
        assert hold_trial(study, url, alike, 12, after_each=wait) == 12
        page = desk.get("/trial").text
        assert (
            "Not decided yet. Data collection continues." in page
            and "Next interim analysis at 20 participants." in page
        )
        assert not trial_events(url, TrialPaused)
        assert hold_trial(study, url, alike, 12, first=12, after_each=wait) == 8
    looks = trial_events(url, InterimAnalysisRun)
    assert [(look.number, look.stop) for look in looks] == [(1, None), (2, "end")]


def test_a_dashboard_that_comes_and_goes_loses_no_look_and_takes_none_twice(tmp_path: Path, url: str) -> None:
    study = watched_study(
        tmp_path, rule="obrien_fleming", participants=24, interim_analyses=4, futility=False
    )
    dashboard = Dashboard(study, url, tmp_path / "desk")
    hold_trial(study, url, alike, 7)
    for _ in range(2):
        with dashboard.running() as desk:
            settled(desk)()
    assert [look.number for look in trial_events(url, InterimAnalysisRun)] == [1]
    hold_trial(study, url, alike, 11, first=7)
    with dashboard.running() as one, Dashboard(study, url, tmp_path / "other").running() as other:
        settled(one)()
        settled(other)()
    looks = trial_events(url, InterimAnalysisRun)
    assert [(look.number, look.participants) for look in looks] == [(1, 7), (3, 18)], (
        "one look for both desks"
    )
    assert looks[1].verdicts[0].bar is not None


def test_whoever_resumes_a_stopped_trial_is_not_overruled(tmp_path: Path, url: str) -> None:
    study = watched_study(tmp_path, rule="anytime", participants=60)
    with Dashboard(study, url, tmp_path / "desk").running() as desk:
        wait = settled(desk)
        held = hold_trial(study, url, apart, 60, after_each=wait)
        (look,) = trial_events(url, InterimAnalysisRun)
        assert look.stop == "effect" and held == look.participants < 60
        page = desk.get("/trial").text
        token = re.search(r'name="form_token" value="([0-9a-f]+)"', page)
        assert token is not None
        desk.post("/trial/resume", data={"form_token": token[1]})
        assert hold_trial(study, url, apart, 3, first=60, after_each=wait) == 3
    assert len(trial_events(url, TrialPaused)) == len(trial_events(url, TrialResumed)) == 1


@pytest.mark.long
@pytest.mark.browser
def test_the_looks_are_read_on_a_telephone_and_by_the_keyboard(tmp_path: Path, url: str) -> None:
    """One filled page at two widths: no barrier for axe, nothing wider than the window."""
    study = watched_study(tmp_path, rule="obrien_fleming", participants=40, interim_analyses=4)
    with Dashboard(study, url, tmp_path / "desk").running() as desk:
        hold_trial(study, url, alike, 12, after_each=settled(desk))
    with Log.open(url) as log, chromium() as browser:
        app = create_desk(study, log, work_dir=tmp_path / "shown", account_optional=True)
        with served(app) as address:
            for width in (1280, 320):
                page = browser.new_page(viewport={"width": width, "height": 900})
                page.goto(app.state.desk.access.invite("viewer", address))
                page.get_by_role("button").first.click()
                page.goto(f"{address}/trial")
                page.get_by_role("heading", name="Stopping rule").wait_for()
                expect(page.locator("main")).to_contain_text("Analysis 1 of 4")
                assert barriers(page) == [] and overflow(page) == 0
                region = page.get_by_role("region", name="Interim analyses")
                region.focus()
                assert region.evaluate("one => one === document.activeElement")
                page.close()


@pytest.mark.long
@pytest.mark.browser
def test_the_overview_tells_the_looks_in_both_schemes_and_widths_and_leads_to_them_by_the_keyboard(
    tmp_path: Path, url: str
) -> None:
    study = watched_study(tmp_path, rule="obrien_fleming", participants=40, interim_analyses=4)
    with Dashboard(study, url, tmp_path / "desk").running() as desk:
        hold_trial(study, url, alike, 12, after_each=settled(desk))
    with Log.open(url) as log, chromium() as browser:
        log.transact_now(lambda tx: tx.append(TRIAL, TrialPaused(reason="a holiday", by="Ada")))
        app = create_desk(study, log, work_dir=tmp_path / "shown", account_optional=True)
        with served(app) as address:
            for width in (1280, 320):
                page = browser.new_page(viewport={"width": width, "height": 900})
                page.goto(app.state.desk.access.invite("researcher", address))
                page.get_by_role("button").first.click()
                for scheme in ("light", "dark"):
                    page.emulate_media(color_scheme=scheme)
                    page.goto(f"{address}/")
                    expect(page.locator("figure.looks")).to_contain_text("Analysis 1 of 4, 10 participants")
                    expect(page.get_by_role("region", name="Step by step")).to_contain_text(
                        "2. dialogue cambridge"
                    )
                    assert barriers(page) == [] and overflow(page) == 0, (width, scheme)
                page.get_by_role("link", name="The trial is paused").press("Enter")
                expect(page.get_by_role("button", name="Resume trial")).to_be_visible()
                page.close()
