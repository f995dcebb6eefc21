"""A participant commands a robot by voice in a real browser: records, redoes, reloads, loses the network, finishes."""

import io
import wave
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from scenes.browser import ARGUMENTS, CHROMIUM, barriers, chromium, overflow, until
from scenes.commanding import beeps, commanding_study, onsets
from scenes.websites import Running, running
from vivavoce.log.elicitation_events import CommandGiven
from vivavoce.log.recordings import check_recordings, folder_of
from vivavoce.log.store import Log
from vivavoce.session.engine import SessionEngine
from vivavoce.web.app import create_app

pytestmark = pytest.mark.browser
APART_S = 1.25
PRECISION_S = 0.02


@contextmanager
def with_microphone(sound: Path) -> Iterator[Browser]:
    """A browser whose microphone plays a file over and over."""
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine: make test installs it")
    extra = ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream",
             f"--use-file-for-fake-audio-capture={sound}", "--autoplay-policy=no-user-gesture-required"]  # fmt: skip
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*ARGUMENTS, *extra])
        try:
            yield browser
        finally:
            browser.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    study = commanding_study(tmp_path / "study")
    with (
        Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log,
        running(create_app(SessionEngine(study, log, {}))) as started,
    ):
        yield started


def begin(context: BrowserContext, server: Running, start: str = "Start") -> tuple[Page, list[str]]:
    page, errors = context.new_page(), list[str]()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(server.url)
    page.get_by_role("button", name=start, exact=True).click()
    return page, errors


def record(page: Page, least_s: float = 2.6) -> None:
    """Press, wait until so much is recorded, press."""
    page.locator("#record").click()
    expect(page.locator("#news")).to_have_text("Recording. Speak now.")
    eventually_recorded(page, least_s)
    page.locator("#record").click()
    expect(page.locator("#news")).to_contain_text("Recorded:")


def eventually_recorded(page: Page, least_s: float) -> None:
    until(page, f"(document.getElementById('studio').dataset.soFar || 0) >= {least_s}")


def given(server: Running) -> list[CommandGiven]:
    log = server.site.engine.log
    return [one.event for one in log.all_events() if isinstance(one.event, CommandGiven)]


def test_commands_are_recorded_redone_kept_over_a_reload_and_sent(server: Running, tmp_path: Path) -> None:
    sound = tmp_path / "beeps.wav"
    sound.write_bytes(beeps([APART_S * n for n in range(8)], APART_S * 8))
    log = server.site.engine.log
    with with_microphone(sound) as browser:
        page, errors = begin(browser.new_context(), server)
        expect(page.locator(".progress")).to_have_text("Command 1 of 3")
        record(page, 0.4)
        record(page)  # redone before it is sent
        assert folder_of(log).names() == set()  # what was discarded never left the browser
        page.reload()
        expect(page.locator("#news")).to_contain_text("was kept")
        page.locator("#send").click()
        expect(page.locator(".progress")).to_have_text("Command 2 of 3")
        expect(page.locator("#understood")).to_have_text("Robot: understood.")

        record(page)
        page.context.set_offline(True)
        page.locator("#send").click()
        expect(page.locator("#news")).to_contain_text("Not sent yet")
        assert len(given(server)) == 1
        page.context.set_offline(False)
        expect(page.locator(".progress")).to_have_text("Command 3 of 3")

        page.locator("#again").click()  # redone after it was sent
        record(page)
        page.locator("#send").click()
        expect(page.locator(".progress")).to_have_text("Command 3 of 3")
        page.locator("#typing summary").click()
        page.locator("#text").fill("fill the cup")
        page.locator("#text").press("Enter")
        expect(page.locator("h1")).to_contain_text("Thank")
        assert errors == []
    assert [(one.position, one.by, one.takes) for one in given(server)] == [
        (0, "speech", 2), (1, "speech", 1), (1, "speech", 1), (2, "text", 1),
    ]  # fmt: skip
    kept = [one for one in log.recordings() if one.removed_at is None]
    assert [one.removal for one in log.recordings()] == [None, "redone", None]
    assert check_recordings(log, content=True).lines() == []
    for one in kept:
        audio = folder_of(log).file(one.file).read_bytes()
        with wave.open(io.BytesIO(audio)) as file:
            assert one.duration_s == file.getnframes() / file.getframerate()
        heard = onsets(audio)
        assert len(heard) >= 2
        gaps = [later - earlier for earlier, later in zip(heard, heard[1:], strict=False)]
        assert [gap for gap in gaps if abs(gap - APART_S) > PRECISION_S] == []
