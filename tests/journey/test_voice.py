"""A participant talks with a text system by voice in a browser; without a microphone they write instead."""

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from scenes.browser import barriers, chromium, kept, microphone, overflow, press, until
from scenes.patience import eventually
from scenes.visits import Parrot, make_study
from scenes.voices import RATE, voice
from scenes.websites import running
from vivavoce.audio.files import pcm16, read_sound, read_tracks, write_sound
from vivavoce.audio.sound import Sound
from vivavoce.connectors.factory import make_connector
from vivavoce.log.events import DialogueEnded, SystemTurnReceived, UserTurnSent
from vivavoce.log.playback_events import SoundPlayed
from vivavoce.log.recording_events import RecordingStored
from vivavoce.log.recordings import folder_of
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.study import model as study_model
from vivavoce.study.voice import Voice
from vivavoce.trial.engine import SessionEngine

pytestmark = pytest.mark.browser
SAID = "hello, good morning"


@pytest.fixture
def said(tmp_path: Path) -> Path:
    """What the microphone hears, over and over."""
    path = tmp_path / "microphone.wav"
    write_sound(Sound(pcm16(np.concatenate([np.zeros(RATE // 4), voice(SAID)])), RATE), path)
    return path


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("vivavoce_speech.browser.mixdown.SETTLE_S", 1.0)  # for what the page tells at the end
    monkeypatch.setattr("vivavoce_speech.browser.mixdown.LOOK_EVERY_S", 0.2)
    step = study_model.DialogueStep(
        repeat=study_model.Range(min=1, max=1),
        gate="dialogue",
        channel="voice",
        nontrivial=study_model.Nontrivial(user_turns=1),
    )
    study = make_study(tmp_path, visit=(step,), systems={"one": {"connect": "parrot"}})
    with (
        Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log,
        running(create_app(SessionEngine(study, log, {"one": Parrot()}))) as server,
    ):
        yield server, log


def events_of(log: Log, kind: type) -> list:
    found = [one.event for visit in log.visits("city") for one in log.events(visit.visit_id)]
    return [one for one in found if isinstance(one, kind)]


def enough(page: Page) -> None:
    until(page, "Number(document.getElementById('voice').dataset.soFar) > 4")


def test_a_spoken_dialogue_from_the_microphone_check_to_its_end(started, said: Path) -> None:
    server, log = started
    with chromium(*microphone(said)) as browser:
        context = browser.new_context(viewport={"width": 320, "height": 568})
        page, errors = context.new_page(), []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(server.url)
        page.get_by_role("button", name="Start", exact=True).click()
        expect(page.get_by_role("heading", name="Check your microphone")).to_be_visible()
        expect(page.locator("#say")).to_be_hidden()
        assert barriers(page) == []
        assert overflow(page) <= 0
        press(page, "#check")
        until(page, "document.getElementById('level').value > 0")
        enough(page)
        press(page, "#check")
        until(page, "document.getElementById('check-listen').readyState > 0")
        press(page, "#ready")
        until(page, "document.getElementById('voice').dataset.heard !== undefined")  # the greeting
        assert barriers(page) == []
        press(page, "#talk")
        expect(page.locator("#talk")).to_have_text("Done speaking")
        enough(page)
        page.evaluate("for (let i = 0; i < 2; i++) document.getElementById('talk').click()")  # in a hurry
        expect(page.locator(".turn.system")).to_have_count(2)
        (turn,) = events_of(log, UserTurnSent)
        assert turn.heard
        assert turn.heard[0].text == turn.text
        until(
            page,
            "document.querySelectorAll('.turn.system')[1].dataset.seq === "
            "document.getElementById('voice').dataset.heard",
        )
        (stored,) = [one for one in events_of(log, RecordingStored) if one.speakers == ["user"]]
        assert (stored.content, stored.turn_index) == ("turn", turn.turn_index)
        sound = read_sound(folder_of(log).file(stored.file))
        assert sound.duration_s >= 2
        assert np.abs(sound.samples).max() > 1000
        page.get_by_label("Show transcript").uncheck()
        expect(page.locator("#transcript")).to_be_hidden()
        page.close()  # the tab is closed, and the participant comes back
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{server.url}/visit")
        expect(page.locator(".turn.user")).to_have_count(1)
        expect(page.locator("#check")).to_be_visible()
        page.locator("#end-button").click()
        expect(page.locator("h1")).to_contain_text("Thank you")
        assert errors == []
    eventually(lambda: whole_of(log) != [], "the dialogue was not laid out as one recording")
    ((whole,), (first, second)) = whole_of(log), events_of(log, SoundPlayed)
    assert (whole.clips, whole.clips_placed, whole.speakers) == (3, 0, ["system", "user"])
    assert first.started_s + first.played_s <= stored.started_s
    assert stored.started_s + stored.duration_s <= second.started_s
    system, user = read_tracks(folder_of(log).file(whole.file)).samples.T
    at = lambda seconds: round((seconds - whole.started_s) * 16_000)  # noqa: E731
    assert np.abs(system[at(first.started_s) : at(first.started_s + first.played_s)]).max() > 1000
    assert np.abs(user[at(stored.started_s) : at(stored.started_s + stored.duration_s)]).max() > 1000
    assert not user[: at(stored.started_s)].any()


def test_words_that_did_not_arrive_are_sent_when_the_page_is_opened_again(started, said: Path) -> None:
    server, log = started
    with chromium(*microphone(said)) as browser:
        context = browser.new_context()
        page = context.new_page()
        page.goto(server.url)
        page.get_by_role("button", name="Start", exact=True).click()
        press(page, "#check")
        until(page, "document.getElementById('level').value > 0")
        press(page, "#check")
        press(page, "#ready")
        until(page, "document.getElementById('voice').dataset.heard !== undefined")
        press(page, "#talk")
        expect(page.locator("#talk")).to_have_text("Done speaking")
        enough(page)
        context.set_offline(True)
        press(page, "#talk")
        expect(page.locator("#voice-news")).to_contain_text("connection")
        page.close()
        assert events_of(log, UserTurnSent) == []
        context.set_offline(False)
        page = context.new_page()
        page.goto(f"{server.url}/visit")
        expect(page.locator(".turn.user")).to_have_count(1)
        expect(page.locator(".turn.system")).to_have_count(2)
        page.reload()
        expect(page.locator(".turn.system")).to_have_count(2)
        # a page that is reloaded before it has read the acknowledgement sends once more, with the same key
        eventually(lambda: kept(page, "vivavoce-turns", "turns") == 0, "the recording stays in the browser")
    (turn,) = events_of(log, UserTurnSent)
    assert turn.heard[0].text == turn.text != ""


def whole_of(log: Log) -> list[RecordingStored]:
    return [one for one in events_of(log, RecordingStored) if one.content == "dialogue"]


@pytest.mark.long
def test_without_a_microphone_the_dialogue_goes_on_in_writing(started) -> None:
    server, log = started
    with chromium("--deny-permission-prompts") as browser:
        context = browser.new_context(locale="it-IT")
        page, errors = context.new_page(), []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(server.url)
        page.get_by_role("button", name="Inizia").click()
        press(page, "#check")
        expect(page.locator("#voice-news")).to_contain_text("Puoi scrivere")
        expect(page.locator("#text")).to_be_focused()
        assert barriers(page) == []
        expect(page.locator("#send")).to_be_enabled()
        page.keyboard.type("good morning")
        page.keyboard.press("Enter")
        expect(page.locator(".turn.system")).to_have_count(2)
        assert [one.text for one in events_of(log, UserTurnSent)] == ["good morning"]
        assert len(events_of(log, SystemTurnReceived)) == 2
        page.locator("#end-button").click()
        expect(page.locator("h1")).to_contain_text("Grazie")
        assert errors == []


@pytest.mark.long
def test_with_a_telephone_and_without_a_microphone_the_page_says_what_can_be_done(tmp_path: Path) -> None:
    hotline = {"connect": "phone", "number": "sip:hotline@127.0.0.1:5070"}
    step = study_model.DialogueStep(
        repeat=study_model.Range(min=1, max=1),
        gate="dialogue",
        channel="voice",
        nontrivial=study_model.Nontrivial(user_turns=1),
    )
    study = make_study(tmp_path, visit=(step,), systems={"hotline": hotline}, voice=Voice(microphone="open"))
    engine_of = lambda log: SessionEngine(study, log, {"hotline": make_connector(hotline)})  # noqa: E731
    with (
        Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log,
        running(create_app(engine_of(log))) as server,
        chromium("--deny-permission-prompts") as browser,
    ):
        page, errors = browser.new_context(viewport={"width": 320, "height": 568}).new_page(), []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(server.url)
        page.get_by_role("button", name="Start", exact=True).click()
        press(page, "#check")
        expect(page.locator("#voice-news")).to_contain_text("needs a microphone")
        expect(page.locator("#say")).to_be_hidden()
        expect(page.get_by_text("Type instead")).to_have_count(0)
        assert barriers(page) == []
        assert overflow(page) <= 0
        page.locator("#end-button").click()
        page.locator("#end-anyway").click()
        eventually(lambda: [one.reason for one in events_of(log, DialogueEnded)] == ["user"], "it went on")
        assert errors == []
