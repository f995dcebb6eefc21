"""A participant writes recordings down in a browser, by keyboard, also on a telephone and in Italian."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from scenes.browser import barriers, overflow, until
from scenes.transcribing import transcribing_study
from scenes.websites import Running, running
from vivavoce.log.events import ResponseGiven
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.trial.engine import SessionEngine

pytestmark = pytest.mark.browser


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    study = transcribing_study(tmp_path / "study", accuracy=0)
    with (
        Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log,
        running(create_app(SessionEngine(study, log, {}))) as started,
    ):
        yield started


@pytest.mark.long
def test_recordings_are_heard_again_by_escape_and_sent_by_enter(browser: Browser, server: Running) -> None:
    context = browser.new_context(locale="it-IT", viewport={"width": 320, "height": 568})
    page, errors, played = context.new_page(), [], []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda one: played.append(one.url) if "/presented/" in one.url else None)
    page.goto(server.url)
    page.get_by_role("button", name="Inizia").click()
    for number in range(1, 6):
        expect(page.locator(".progress")).to_have_text(f"Registrazione {number} di 5")
        expect(page.locator("#text")).to_be_focused()
        until(page, "document.getElementById('recording').readyState > 0")
        if number == 1:
            assert barriers(page) == []
            assert overflow(page) <= 0
            page.keyboard.press("Escape")
            until(page, "document.getElementById('recording').played.length > 0")
            page.keyboard.press("Enter")  # nothing was written: nothing is sent
            expect(page.locator(".progress")).to_have_text("Registrazione 1 di 5")
        page.keyboard.type(f"parole {number}")
        page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("Grazie")
    assert errors == []
    assert len(set(played)) == 5
    log = server.site.engine.log
    given = [one.event for visit in log.visits("transcripts") for one in log.events(visit.visit_id)]
    said = [event.response["text"] for event in given if isinstance(event, ResponseGiven)]
    assert said == [f"parole {number}" for number in range(1, 6)]


def test_what_is_half_written_is_there_again_after_a_reload_and_a_lost_connection(
    browser: Browser, server: Running
) -> None:
    context = browser.new_context(locale="en-GB")
    page = context.new_page()
    page.goto(server.url)
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#text")).to_be_focused()
    page.keyboard.type("half of wh")
    until(page, "JSON.stringify(localStorage).includes('half of wh')")
    page.reload()
    expect(page.locator("#text")).to_have_value("half of wh")
    context.set_offline(True)
    page.locator("#text").press_sequentially("at was said")
    until(page, "JSON.stringify(localStorage).includes('half of what was said')")
    with page.expect_event("requestfailed", predicate=lambda one: one.url.endswith("/respond")):
        page.locator(".primary").click()
    page.wait_for_url("chrome-error://**")
    context.set_offline(False)
    page.goto(server.url + "/visit")
    expect(page.locator(".progress")).to_have_text("Recording 1 of 5")
    expect(page.locator("#text")).to_have_value("half of what was said")
    page.locator(".primary").click()
    expect(page.locator(".progress")).to_have_text("Recording 2 of 5")
    expect(page.locator("#text")).to_have_value("")
