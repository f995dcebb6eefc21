"""A recorded call is drawn with its turns and played turn by turn, for researchers and for annotators."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from scenes.annotating import PASSWORD, annotated_study, hold_dialogue
from scenes.browser import barriers, overflow, told, until
from scenes.voices import Spoken, conversation
from scenes.websites import Running, running
from vivavoce.audio.files import encode_sound
from vivavoce.dashboard.access import first_link
from vivavoce.dashboard.app import create_desk
from vivavoce.log.recordings import RecordedSound, folder_of
from vivavoce.log.store import Log
from vivavoce.participant.accounts import ANNOTATOR, Access
from vivavoce.participant.app import create_app
from vivavoce.trial.engine import SessionEngine

pytestmark = pytest.mark.browser
SAID = (
    ("system", "Which part of town?"),
    ("user", "The <b>north</b>."),
    ("system", "And what food?"),
    ("user", "Chinese."),
)
Call = tuple[Running, Log, list[Spoken]]


@pytest.fixture
def call(tmp_path: Path) -> Iterator[Call]:
    """The pages over a log with one call of four turns, recorded; when they were spoken."""
    study = annotated_study(tmp_path / "study", "schemes: [context]")
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        hold_dialogue(log, study, 0, said=SAID, channel="phone")
        tracks, spoken = conversation([0.5, 0.7, 0.8, 0.6])
        kept = folder_of(log).keep("call", encode_sound(tracks, "flac"), "audio/flac")
        sound = RecordedSound("audio/flac", 2, tracks.rate_hz, len(tracks.samples))
        event = kept.event("call", sound, "dialogue", ["system", "user"], dialogue_id="dialogue-000")
        log.transact_now(lambda tx: tx.append("visit-0", event))
        with running(create_app(SessionEngine(study, log, {}))) as server:
            yield server, log, spoken


def listen_to(page: Page) -> list[str]:
    """What the page complains of, from now on."""
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: said.type == "error" and errors.append(told(said)))
    return errors


def drawn(page: Page) -> None:
    until(page, "document.querySelector('.wave')?.dataset.drawn === '4'")
    until(page, "document.querySelector('.wave audio')?.readyState > 0")
    expect(page.locator(".wave-turn")).to_have_count(4)
    assert page.locator(".wave-turn text").all_text_contents() == ["0", "1", "2", "3"]
    assert barriers(page) == []
    assert overflow(page) <= 0


def now(page: Page) -> float:
    return page.evaluate("document.querySelector('.wave audio').currentTime")


def slowly(page: Page, at_s: float) -> None:
    """Go to a moment, and let sound take ten times its time, so that a slow machine keeps up with it."""
    page.locator(".wave audio").evaluate(
        "(player, at) => { player.pause(); player.playbackRate = 0.1; player.currentTime = at; }", at_s
    )
    until(page, "document.querySelector('.wave audio')?.seeking === false")


def test_a_researcher_sees_the_turns_of_a_call_and_goes_through_them_by_keyboard(
    browser: Browser, call: Call, tmp_path: Path
) -> None:
    server, log, spoken = call
    desk = create_desk(server.site.study, log, work_dir=tmp_path / "desk", account_optional=True)
    desk.state.site = server.site
    with running(desk) as dashboard:
        page = browser.new_context(viewport={"width": 320, "height": 640}).new_page()
        errors = listen_to(page)
        page.goto(first_link(log, dashboard.url, always=True))
        page.get_by_role("button", name="Sign in").click()
        page.goto(f"{dashboard.url}/dialogues/dialogue-000")
        drawn(page)
        frame = page.get_by_role("region", name="Recording of the dialogue: waveform")
        slowly(page, 0)
        frame.press("n")  # the first turn, from before it
        until(page, "document.querySelector('.wave audio')?.played.length > 0")
        frame.press("Space")
        expect(page.locator("[data-wave=play]")).to_have_text("Play")
        assert spoken[0].onset_s - 0.15 <= now(page) <= spoken[0].offset_s
        frame.press("n")
        expect(page.locator("li.turn.heard .text")).to_have_text("The <b>north</b>.")
        expect(page.locator(".wave-news")).to_contain_text("Participant, turn 1: The <b>north</b>.")
        frame.press("Space")
        assert spoken[1].onset_s - 0.15 <= now(page) <= spoken[1].offset_s + 0.15
        page.locator(".wave summary").press("Enter")
        assert [one.split(", ")[1] for one in page.locator(".wave-jump").all_text_contents()] == [
            f"turn {number}: {text}" for number, (_, text) in enumerate(SAID)
        ]
        page.locator(".wave-jump").nth(3).press("Enter")
        expect(page.locator("li.turn.heard .text")).to_have_text("Chinese.")
        page.locator(".wave audio").evaluate("player => player.pause()")
        assert barriers(page) == []
        assert errors == []
        page.context.close()
    desk.state.desk.snapshots.close()


@pytest.mark.long
def test_an_annotator_hears_the_turn_that_is_judged_and_no_more_in_italian(
    browser: Browser, call: Call
) -> None:
    server, log, spoken = call
    context = browser.new_context(viewport={"width": 320, "height": 640}, locale="it-IT")
    page = context.new_page()
    errors = listen_to(page)
    page.goto(Access(log).invite(ANNOTATOR, server.url + "/annotate"))
    page.locator("main button").press("Enter")
    for field, entered in (("#name", "Anna"), ("#password", PASSWORD), ("#again", PASSWORD)):
        page.locator(field).fill(entered)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Comincia un dialogo").click()
    drawn(page)
    expect(page.locator("[data-wave=next]")).to_have_text("Turno successivo")
    page.keyboard.press("a")  # the first turn is judged, and the next place comes without a new picture
    expect(page.locator(".progress").first).to_contain_text("2 di")
    expect(page.locator(".wave-turn")).to_have_count(4)
    page.locator(".wave audio").evaluate("player => { player.playbackRate = 0.1; }")  # for a slow machine
    page.keyboard.press(".")
    until(page, "document.querySelector('.wave audio')?.played.length > 0")
    until(page, "document.querySelector('.wave audio')?.paused")
    asked = spoken[2]
    assert page.evaluate("document.querySelector('.wave audio').played.start(0)") == pytest.approx(
        asked.onset_s, abs=0.3
    )
    assert asked.offset_s - 0.3 <= now(page) <= asked.offset_s + 0.3
    assert not page.evaluate("document.querySelector('.wave audio').ended")
    slowly(page, asked.onset_s + 0.2)
    page.locator(".wave-frame").press("n")  # the picture's own keys label nothing
    expect(page.locator(".wave-news")).to_contain_text("Utente, turno 3: Chinese.")
    expect(page.locator(".progress").first).to_contain_text("2 di")
    assert barriers(page) == []
    assert overflow(page) <= 0
    assert errors == []
    context.close()
