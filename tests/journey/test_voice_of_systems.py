"""A participant speaks in a browser with systems that listen and speak by themselves, and hears them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from scenes.browser import barriers, chromium, microphone, press, until
from scenes.counterparts import Counterparts
from scenes.speaking import likeness
from scenes.visits import make_study
from scenes.voices import RATE, voice
from scenes.websites import running
from vivavoce.audio.files import pcm16, read_sound, write_sound
from vivavoce.audio.sound import Sound
from vivavoce.connectors.factory import make_connector
from vivavoce.log.events import SystemTurnReceived, UserTurnSent
from vivavoce.log.recordings import check_recordings, folder_of
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.study import model as study_model
from vivavoce.trial.engine import SessionEngine

pytestmark = pytest.mark.browser
REALTIME = {"connect": "openai-realtime", "model": "echo", "speech": True, "transcribe": "some-model"}
SOCKET = {"connect": "websocket-audio", "turn_done": {"type": "done"}, "turn_end": "done", "rate_hz": 8000}


@pytest.mark.parametrize(
    ("settings", "server", "path", "known"),
    [
        (REALTIME, "realtime_server.py", "/v1/realtime", True),
        pytest.param(SOCKET, "audio_server.py", "/talk", False, marks=pytest.mark.long),
    ],
)
def test_what_is_spoken_reaches_the_system_and_what_it_speaks_is_heard(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    settings: dict[str, Any],
    server: str,
    path: str,
    known: bool,
) -> None:
    heard = tmp_path / "microphone.wav"
    said = np.concatenate([np.zeros(RATE // 4), voice("hello, good morning")])
    write_sound(Sound(pcm16(said), RATE), heard)
    step = study_model.DialogueStep(
        repeat=study_model.Range(min=1, max=1),
        gate="dialogue",
        channel="voice",
        nontrivial=study_model.Nontrivial(user_turns=1),
    )
    study = make_study(tmp_path, visit=(step,), systems={"one": {"connect": settings["connect"]}})
    counterparts = Counterparts()
    request.addfinalizer(counterparts.stop)
    url = f"ws://{counterparts.server(server)}{path}"
    system = make_connector({"url": url, "allow_private": True, **settings}, {})
    with (
        Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log,
        running(create_app(SessionEngine(study, log, {"one": system}))) as website,
        chromium(*microphone(heard)) as browser,
    ):
        page, errors = browser.new_page(), list[str]()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(website.url)
        page.get_by_role("button", name="Start", exact=True).click()
        press(page, "#check")
        until(page, "Number(document.getElementById('voice').dataset.soFar) > 1")
        press(page, "#check")
        press(page, "#ready")
        press(page, "#talk")
        expect(page.locator("#talk")).to_have_text("Done speaking")
        until(page, "Number(document.getElementById('voice').dataset.soFar) > 3")
        press(page, "#talk")
        expect(page.locator(".turn.system")).to_have_count(1)
        until(
            page,
            "document.getElementById('voice').dataset.heard === "
            "document.querySelector('.turn.system').dataset.seq",
        )
        heard_s = page.evaluate("document.getElementById('said').duration")
        words = page.locator(".turn.user p").inner_text()
        assert barriers(page) == []
        page.locator("#end-button").click()
        expect(page.locator("h1")).to_contain_text("Thank you")
        assert errors == []
        stored = [one.event for visit in log.visits("city") for one in log.events(visit.visit_id)]
        (turn,) = [one for one in stored if isinstance(one, UserTurnSent)]
        (answer,) = [one for one in stored if isinstance(one, SystemTurnReceived)]
        files = {one.recording_id: folder_of(log).file(one.file) for one in log.recordings()}
        spoken, answered = read_sound(files[turn.sound or ""]), read_sound(files[answer.sound or ""])
        assert check_recordings(log, content=True).lines() == []
    assert turn.text == "" and not turn.heard
    assert words == (answer.heard[0].text if known else "(spoken)")
    assert answered.duration_s == pytest.approx(spoken.duration_s, abs=0.01)
    assert heard_s == pytest.approx(spoken.duration_s, abs=0.1)
    assert np.abs(spoken.samples).max() > 1000
    assert likeness(spoken, answered) > 0.95  # it says again what it heard
