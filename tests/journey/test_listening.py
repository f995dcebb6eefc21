"""Clips are judged in a browser: nobody answers before the end, by keyboard, small, and in Italian."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from scenes.browser import barriers, every, overflow, until
from scenes.listening import listening_study
from scenes.websites import Running, running
from vivavoce.log.events import ResponseGiven, StimuliPlanned
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.trial.engine import SessionEngine

pytestmark = pytest.mark.browser


BUSY = "for (const until = Date.now() + 1200; Date.now() < until; );"


def play(page: Page) -> None:
    """Play every sound to its end; the page is busy meanwhile, and the sound goes on."""
    for number in range(len(every(page, "audio"))):
        page.evaluate(f"document.querySelectorAll('audio')[{number}].play()")
        page.evaluate(BUSY)
        until(page, f"document.querySelectorAll('audio')[{number}].ended")


def tones_of(server: Running) -> list[int]:
    (visit,) = server.site.engine.log.visits("clips")
    events = [one.event for one in server.site.engine.log.events(visit.visit_id)]
    (plan,) = [one for one in events if isinstance(one, StimuliPlanned)]
    return [one["tones"] for one in plan.tries]


@pytest.mark.parametrize("method", ["opinion", pytest.param("pairs", marks=pytest.mark.long)])
def test_clips_are_judged_once_they_were_heard_to_their_end(
    browser: Browser, tmp_path: Path, method: str
) -> None:
    study = listening_study(tmp_path / "study", sentences=1, seconds=1.5, method=method)
    with (
        Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log,
        running(create_app(SessionEngine(study, log, {}))) as server,
    ):
        context = browser.new_context(locale="it-IT", viewport={"width": 320, "height": 568})
        page, errors = context.new_page(), []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(server.url)
        page.get_by_role("button", name="Inizia").click()
        expect(page.get_by_role("heading")).to_have_text("Si sente bene?")
        assert barriers(page) == []
        assert overflow(page) <= 0
        wrong, right, _ = tones_of(server)
        play(page)
        page.get_by_label("Quanti toni hai sentito?").select_option(str(wrong + 1))
        page.locator(".primary").click()
        expect(page.get_by_role("alert")).to_contain_text("tentativo 2 di 3")
        page.get_by_label("Quanti toni hai sentito?").select_option(str(right))
        page.locator(".primary").click()
        total = 2 if method == "opinion" else 1
        for number in range(1, total + 1):
            what = "Brano" if method == "opinion" else "Coppia"
            expect(page.locator(".progress")).to_have_text(f"{what} {number} di {total}")
            assert barriers(page) == []
            assert overflow(page) <= 0
            expect(page.locator(".primary")).to_be_disabled()
            expect(page.get_by_role("radio").first).to_be_disabled()
            until(page, "document.querySelector('audio')?.readyState > 0")
            page.evaluate("document.querySelector('audio').currentTime = 1.4")  # nobody jumps ahead
            expect(page.locator(".primary")).to_be_disabled()
            play(page)
            expect(page.locator(".primary")).to_be_enabled()
            page.reload()  # what was heard stays heard
            expect(page.locator(".primary")).to_be_enabled()
            page.get_by_role("radio").nth(1).focus()
            page.keyboard.press("Space")
            page.keyboard.press("Enter")
        expect(page.locator("h1")).to_contain_text("Grazie")
        assert errors == []
        (visit,) = log.visits("clips")
        events = [one.event for one in log.events(visit.visit_id)]
        answers = [one.response for one in events if isinstance(one, ResponseGiven)]
        one = {"value": 4, "choice": None, "plays": 1}
        both = {"value": None, "choice": "second", "plays": 2}
        assert answers == ([one] * 2 if method == "opinion" else [both])
        context.close()
