"""A participant commands a robot by voice in a browser: records, redoes, reloads, goes offline, finishes."""

import io
import wave
from collections.abc import Iterator
from contextlib import AbstractContextManager
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from scenes.browser import barriers, chromium, kept, overflow, until
from scenes.eliciting import beeps, commanding_study, onsets
from scenes.patience import eventually
from scenes.websites import Running, running
from vivavoce.log.events import ResponseGiven
from vivavoce.log.recordings import check_recordings, folder_of
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.trial.engine import SessionEngine
from vivavoce_commands.elicitation.step import GivenCommand

pytestmark = pytest.mark.browser
APART_S = 0.45
PRECISION_S = 0.02


def with_microphone(sound: Path) -> AbstractContextManager[Browser]:
    """A browser whose microphone plays a file over and over."""
    return chromium(
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-audio-capture={sound}",
    )


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


def record(page: Page, least_s: float = 3.0) -> None:
    """Press, wait until so much is recorded, press."""
    page.locator("#record").click()
    expect(page.locator("#news")).to_have_text("Recording. Speak now.")
    eventually_recorded(page, least_s)
    page.locator("#record").click()
    expect(page.locator("#news")).to_contain_text("Recorded:")


def eventually_recorded(page: Page, least_s: float) -> None:
    until(page, f"(document.getElementById('studio').dataset.soFar || 0) >= {least_s}")


def given(server: Running) -> list[tuple[int, GivenCommand]]:
    """Commands in the order in which they came, each with the place of its stimulus."""
    events = [one.event for one in server.site.engine.log.all_events()]
    return [
        (one.position, GivenCommand.model_validate(one.response))
        for one in events
        if isinstance(one, ResponseGiven)
    ]


def test_commands_are_recorded_redone_kept_over_a_reload_and_sent(server: Running, tmp_path: Path) -> None:
    sound = tmp_path / "beeps.wav"
    sound.write_bytes(beeps([APART_S * n for n in range(16)], APART_S * 16))
    log = server.site.engine.log
    with with_microphone(sound) as browser:
        page, errors = begin(browser.new_context(), server)
        expect(page.locator(".progress")).to_have_text("Command 1 of 3")
        record(page, 3.1)
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
        expect(page.locator("#record")).to_be_visible()  # the page's script has folded up the typing
        page.locator("#typing summary").click()
        page.locator("#text").fill("fill the cup")
        page.locator("#text").press("Enter")
        expect(page.locator("h1")).to_contain_text("Thank")
        assert errors == []
    assert [(place, one.by, one.takes) for place, one in given(server)] == [
        (0, "speech", 2),
        (1, "speech", 1),
        (1, "speech", 1),
        (2, "text", 1),
    ]
    standing = [one for one in log.recordings() if one.removed_at is None]
    assert [one.removal for one in log.recordings()] == [None, "redone", None]
    assert check_recordings(log, content=True).lines() == []
    for one in standing:
        audio = folder_of(log).file(one.file).read_bytes()
        with wave.open(io.BytesIO(audio)) as file:
            assert one.duration_s == file.getnframes() / file.getframerate()
        gaps = [later - earlier for earlier, later in pairwise(onsets(audio))]
        # a microphone cuts into what sounds as it comes on, and stops for a moment where the machine is busy
        assert len(gaps) >= 3 and abs(median(gaps) - APART_S) < PRECISION_S, gaps


@pytest.mark.long
def test_what_is_pointed_at_goes_with_the_recording(tmp_path: Path) -> None:
    study, sound = commanding_study(tmp_path / "study", pointing=True), tmp_path / "beeps.wav"
    sound.write_bytes(beeps([APART_S * n for n in range(16)], APART_S * 16))
    with (
        Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log,
        running(create_app(SessionEngine(study, log, {}))) as server,
        with_microphone(sound) as browser,
    ):
        phone = browser.new_context(viewport={"width": 320, "height": 568}, has_touch=True)
        page, errors = begin(phone, server)
        expect(page.locator("#record")).to_be_visible()
        until(page, "document.querySelector('#pointing img')?.naturalWidth > 0")
        page.locator("#record").click()
        page.locator("#pointing").tap()
        eventually_recorded(page, 1)
        page.locator("#record").click()
        page.locator("#send").click()
        expect(page.locator("#understood")).to_be_visible()
        ((_, one),) = given(server)
    assert one.by == "speech" and errors == []
    assert one.pointed is not None and [(round(each.x), round(each.y)) for each in one.pointed] == [(50, 50)]


@pytest.mark.long
def test_without_a_microphone_one_types_by_keyboard_on_a_small_screen_in_italian(server: Running) -> None:
    with chromium() as browser:
        context = browser.new_context(locale="it-IT", viewport={"width": 320, "height": 568})
        page, errors = begin(context, server, "Inizia")
        expect(page.locator("h1")).to_have_text("Che cosa deve fare il robot?")
        expect(page.locator("figure img")).to_have_attribute("alt", "Un bollitore sotto il rubinetto.")
        until(page, "document.querySelector('figure img')?.naturalWidth > 0")
        assert barriers(page) == []
        assert overflow(page) <= 0
        expect(page.locator("#record")).to_be_visible()  # the page's script has run
        page.locator("#record").focus()
        page.keyboard.press("Enter")  # the browser refuses
        expect(page.locator("#news")).to_contain_text("blocca il microfono")
        expect(page.locator("#text")).to_be_focused()
        for words in ("riempi il bollitore", "fai bollire l'acqua", "riempi la tazza"):
            expect(page.locator("#record")).to_be_visible()  # the page's script has run
            if not page.locator("#text").is_visible():
                page.locator("#typing summary").focus()
                page.keyboard.press("Enter")
                page.locator("#text").focus()
            page.keyboard.type(words)
            if words.startswith("riempi il"):
                until(page, f"JSON.stringify(localStorage).includes('{words}')")
                page.reload()
                expect(page.locator("#text")).to_have_value(words)
                page.locator("#text").focus()
            page.keyboard.press("Enter")
            expect(page.locator("#text")).to_have_count(0 if words.endswith("tazza") else 1)
            if not words.endswith("tazza"):
                expect(page.locator("#understood")).to_have_text("Robot: ho capito.")
                expect(page.locator("#text")).to_have_value("")
        expect(page.locator("h1")).to_contain_text("Grazie")
        assert errors == []
    assert [one.text for _, one in given(server)] == [
        "riempi il bollitore",
        "fai bollire l'acqua",
        "riempi la tazza",
    ]


@pytest.mark.long
def test_a_page_with_a_recording_keeps_nobody_out(server: Running, tmp_path: Path) -> None:
    sound = tmp_path / "beeps.wav"
    sound.write_bytes(beeps([0.0], 1.0, length_s=1.0))  # at any moment
    with with_microphone(sound) as browser:
        page, _ = begin(browser.new_context(viewport={"width": 320, "height": 700}), server)
        expect(page.locator("#record")).to_be_visible()  # the page's script has run
        page.locator("#record").focus()
        page.keyboard.press("Space")
        expect(page.locator("#news")).to_have_text("Recording. Speak now.")
        eventually_recorded(page, 0.3)
        assert barriers(page) == []
        eventually(lambda: kept(page, "vivavoce-takes", "pieces"), "nothing is kept")
        page.reload()  # while it records: what was said so far is there
        expect(page.locator("#news")).to_contain_text("was kept")
        page.locator("#record").focus()
        page.keyboard.press("Space")
        expect(page.locator("#news")).to_have_text("Recording. Speak now.")
        eventually_recorded(page, 0.3)
        expect(page.locator("#record")).to_be_focused()  # who pressed it by keyboard ends it by keyboard
        page.keyboard.press("Space")
        expect(page.locator("#send")).to_be_focused()
        assert barriers(page) == []
        assert overflow(page) <= 0
        page.locator("footer a").click()
        expect(page.get_by_role("button", name="Stop now")).to_be_visible()
        expect(page.locator("main")).not_to_contain_text("your voice recordings")  # nothing was sent yet
        page.go_back()
        expect(page.locator("#news")).to_contain_text("was kept")
        page.locator("#send").press("Enter")
        expect(page.locator(".progress")).to_have_text("Command 2 of 3")
        page.locator("footer a").click()
        expect(page.locator("main")).to_contain_text("your voice recordings are deleted")
        page.get_by_role("button", name="Stop now").click()
        expect(page.locator("h1")).to_contain_text("You have stopped")
    assert folder_of(server.site.engine.log).names() == set()


@pytest.fixture
def single_take(tmp_path: Path) -> Iterator[Running]:
    study = commanding_study(tmp_path / "study", single_take=True)
    with (
        Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log,
        running(create_app(SessionEngine(study, log, {}))) as started,
    ):
        yield started


@pytest.mark.long
def test_one_recording_is_cut_and_its_borders_moved_by_keyboard(single_take: Running, tmp_path: Path) -> None:
    sound = tmp_path / "beeps.wav"
    sound.write_bytes(beeps([0.2], APART_S))
    with with_microphone(sound) as browser:
        context = browser.new_context(locale="it-IT", viewport={"width": 320, "height": 700})
        page, errors = begin(context, single_take, "Inizia")
        expect(page.locator(".frames li")).to_have_count(3)
        expect(page.locator("#record")).to_be_visible()
        assert barriers(page) == []
        assert overflow(page) <= 0
        page.locator("#record").click()
        eventually_recorded(page, 2.6)
        page.locator("#record").click()
        expect(page.locator("#send")).to_be_visible()
        page.locator("#send").click()
        expect(page.locator("h1")).to_have_text("Segna i comandi")
        until(page, "document.querySelectorAll('.cut output')[0].textContent !== ''")
        assert barriers(page) == []
        assert overflow(page) <= 0
        for place, spoken in enumerate((True, False, True)):
            page.locator(f"[name=absent-{place}]").set_checked(not spoken)
        first = page.locator("#onset-0")
        first.focus()
        page.keyboard.press("Home")
        for _ in range(5):
            page.keyboard.press("ArrowRight")
        page.locator("#offset-0").focus()
        page.keyboard.press("Home")
        for _ in range(10):
            page.keyboard.press("PageUp")
        moved = page.locator("#offset-0").input_value()
        assert float(moved) > 0.5
        page.reload()
        expect(page.locator("#offset-0")).to_have_value(moved)
        expect(first).to_have_value("0.05")
        expect(page.locator("#marks rect")).to_have_count(2)
        page.locator("#done").click()
        expect(page.locator("h1")).to_contain_text("Grazie")
        assert errors == []
    commands = given(single_take)
    assert [place for place, _ in commands] == [0, 2]
    assert (commands[0][1].onset_s, commands[0][1].offset_s) == (0.05, float(moved))
    lengths = [one.duration_s for one in single_take.site.engine.log.recordings() if one.content == "command"]
    assert abs(lengths[0] - (float(moved) - 0.05)) < PRECISION_S
    assert check_recordings(single_take.site.engine.log, content=True).lines() == []
