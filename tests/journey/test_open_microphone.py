"""A participant just talks in a browser: answered, interrupting, cut off, back again, or without one."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from scenes.broken_line import broken_line
from scenes.browser import barriers, chromium, overflow, press, until
from scenes.open_talking import (
    FAREWELL,
    MICROPHONE,
    OWN_RATE_ONLY,
    QUESTION,
    WISH,
    Parlour,
    checked,
    doing,
    into_the_dialogue,
    served,
    speak,
    talking_study,
)
from scenes.patience import eventually
from scenes.processes import free_port
from vivavoce.audio.files import read_tracks
from vivavoce.dataset.timing import recorded_dialogues, time_from_sound
from vivavoce.log.export import export_dataset
from vivavoce.log.recordings import folder_of
from vivavoce.log.soundtrack import dialogue_recordings, soundtrack
from vivavoce.log.spool import tapes_in

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium("--autoplay-policy=no-user-gesture-required", "--deny-permission-prompts") as launched:
        yield launched


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with talking_study(tmp_path_factory.mktemp("talks") / "study") as folder:
        yield folder


@pytest.fixture
def parlour(study: Path, tmp_path: Path) -> Iterator[Parlour]:
    with served(study, tmp_path / "log.sqlite") as opened:
        yield opened


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    opened, errors = browser.new_context(viewport={"width": 320, "height": 700}), []
    opened.add_init_script(MICROPHONE)
    opened.on("weberror", lambda error: errors.append(str(error.error)))
    yield opened
    opened.close()
    assert errors == []


def answered(parlour: Parlour, turns: int) -> None:
    eventually(lambda: len(parlour.events("system_turn_received")) >= turns, "the bot never answered")


def end(page: Page, *, too_short: bool) -> None:
    page.locator("#end-button").click()
    if too_short:
        page.locator("#end-anyway").click()
    expect(page.locator("#voice")).to_have_count(0)


def test_a_whole_dialogue_is_just_talked_recorded_and_timed_from_its_sound(
    parlour: Parlour, context: BrowserContext, tmp_path: Path
) -> None:
    page = into_the_dialogue(context, parlour.pages.url)
    assert barriers(page) == []
    assert overflow(page) <= 0
    press(page, "#check")
    until(page, "Number(document.getElementById('voice').dataset.soFar) > 0")
    speak(page, "Hello.")
    press(page, "#check")
    until(page, "document.getElementById('check-listen').readyState > 0")
    press(page, "#ready")
    expect(page.locator("#mute")).to_be_focused()
    doing(page, "speaking")  # the greeting
    expect(page.locator("#doing")).to_have_text("The program is speaking. You can interrupt it.")
    assert barriers(page) == []
    assert overflow(page) <= 0
    doing(page, "listening")
    for number, text in enumerate((WISH, QUESTION), 2):
        speak(page, text)
        doing(page, "speaking")
        expect(page.locator(".turn.system")).to_have_count(number)
        doing(page, "listening")
    page.keyboard.press("Enter")  # the microphone is off
    expect(page.locator("#doing")).to_contain_text("cannot hear you")
    speak(page, FAREWELL)
    page.keyboard.press("Enter")
    doing(page, "listening")
    assert len(parlour.events("user_turn_sent")) == 2
    speak(page, FAREWELL)
    doing(page, "closed")
    expect(page.get_by_role("heading", name="The conversation is over.")).to_be_visible()
    assert [one.text for one in parlour.events("user_turn_sent")] == [WISH.lower(), QUESTION, FAREWELL]
    assert all(one.heard and not one.barge_in for one in parlour.events("user_turn_sent"))

    eventually(lambda: parlour.events("microphone_closed"), "the recording was never kept")
    (closed,) = parlour.events("microphone_closed")
    assert closed.reason == "over"
    stalled = [one.lost_s for one in parlour.events("microphone_stalled")]  # by a busy machine
    assert closed.lost_s == pytest.approx(sum(stalled), abs=0.01 * (len(stalled) + 1))
    (stored,) = parlour.events("recording_stored")
    assert (stored.content, stored.speakers, stored.media_type) == (
        "dialogue",
        ["system", "user"],
        "audio/flac",
    )
    assert read_tracks(folder_of(parlour.log).file(stored.file)).channels == 2
    _check_sound(parlour, tmp_path)


def _check_sound(parlour: Parlour, tmp_path: Path) -> None:
    """The dashboard's waveform and the times of turns come from the recording."""
    (dialogue,) = parlour.log.dialogues("talks")
    (recording,) = dialogue_recordings(parlour.log, dialogue.dialogue_id)
    shown = soundtrack(parlour.log, dialogue.dialogue_id, recording)
    parties = ["system", "user"] * 3 + ["system"]
    assert [one["party"] for one in shown["turns"]] == parties
    assert [one["text"] is not None for one in shown["turns"]] == [True] * 7
    dataset = export_dataset(parlour.log, "talks", tmp_path / "dataset", audio=True)
    timed, (facts,) = time_from_sound(dataset, recorded_dialogues(dataset), tmp_path / "timed")
    assert (facts.logged, facts.spoken, facts.timed) == (7, 7, 7)
    turns = sorted(timed.read("turns").to_pylist(), key=lambda one: one["turn_index"])
    onsets = [one["onset_s"] for one in turns]
    assert onsets == sorted(onsets)
    assert all(one["offset_s"] <= then["onset_s"] for one, then in pairwise(turns))


def test_a_microphone_that_gives_silence_does_not_pass_the_check(parlour: Parlour, browser: Browser) -> None:
    context = browser.new_context(locale="it-IT", viewport={"width": 320, "height": 700})
    context.add_init_script(MICROPHONE)
    page = into_the_dialogue(context, parlour.pages.url, start="Inizia")
    page.locator("#check").click()
    until(page, "Number(document.getElementById('voice').dataset.soFar) > 0.1")
    page.locator("#check").click()
    expect(page.locator("#voice-news")).to_contain_text("non dà alcun suono")
    expect(page.locator("#ready")).to_be_hidden()
    assert overflow(page) <= 0
    checked(page)
    context.close()


def test_who_speaks_into_the_answer_silences_the_page(parlour: Parlour, context: BrowserContext) -> None:
    page = into_the_dialogue(context, parlour.pages.url)
    checked(page)
    doing(page, "speaking")
    speak(page, WISH)
    answered(parlour, 2)
    (turn,) = parlour.events("user_turn_sent")
    assert turn.barge_in
    assert turn.text == WISH.lower()
    doing(page, "listening")
    end(page, too_short=True)
    eventually(lambda: parlour.events("recording_stored"), "the recording was never kept")
    samples = read_tracks(folder_of(parlour.log).file(parlour.events("recording_stored")[0].file)).samples
    said = np.flatnonzero(np.abs(samples[:, 1]) > 2000)
    greeted = np.flatnonzero(samples[: said[-1], 0])
    assert said[0] < greeted[-1] < said[-1] - 8_000, "the greeting went on under what was said"


def test_a_lost_connection_is_told_and_taken_up_again(parlour: Parlour, context: BrowserContext) -> None:
    context.add_init_script(OWN_RATE_ONLY)
    with broken_line(parlour.pages.port) as line:
        page = into_the_dialogue(context, line.url)
        checked(page)
        doing(page, "listening")
        speak(page, WISH)
        answered(parlour, 2)
        line.cut()
        doing(page, "lost")
        expect(page.locator("#doing")).to_contain_text("Reconnecting")
        speak(page, QUESTION)
        line.mend()
        doing(page, "speaking", "listening")
        doing(page, "listening")
        assert len(parlour.events("user_turn_sent")) == 1
        (lost,) = eventually(lambda: parlour.events("microphone_lost"), "the loss was never logged")
        assert lost.lost_s > 0.5
        assert len(parlour.events("microphone_opened")) == 1
        speak(page, QUESTION)
        answered(parlour, 3)
        assert [one.text for one in parlour.events("user_turn_sent")] == [WISH.lower(), QUESTION]
        page.evaluate("window.hearing.suspend()")  # as browsers do with a page that nobody has touched
        doing(page, "asleep")
        page.get_by_role("button", name="Keep talking").last.click()
        doing(page, "listening", "speaking")
        line.cut()
        doing(page, "lost")
        page.get_by_role("button", name="Use a button to speak").click()
        line.mend()
        eventually(lambda: parlour.events("microphone_closed"), "the service was never told")


@pytest.mark.long
def test_a_closed_tab_comes_back_and_a_second_tab_goes_on_alone(
    parlour: Parlour, context: BrowserContext
) -> None:
    page = into_the_dialogue(context, parlour.pages.url)
    checked(page)
    doing(page, "listening")
    page.close()
    page = context.new_page()
    page.goto(f"{parlour.pages.url}/visit")
    checked(page)
    doing(page, "listening")
    speak(page, WISH)
    answered(parlour, 2)
    page.reload()  # the check is over in this tab, and the dialogue goes on
    doing(page, "speaking", "listening")
    second = context.new_page()
    second.goto(f"{parlour.pages.url}/visit")
    checked(second)
    doing(second, "speaking", "listening")
    expect(page.get_by_role("heading", name="Continued elsewhere")).to_be_visible()
    doing(page, "closed")
    doing(second, "listening")
    speak(second, QUESTION)
    answered(parlour, 3)
    assert len(parlour.events("microphone_opened")) == 1
    assert len(parlour.events("user_turn_sent")) == 2
    second.get_by_role("button", name="Use a button to speak").click()
    expect(second.locator("#talk")).to_be_focused()
    eventually(lambda: parlour.events("recording_stored"), "the recording was never kept")
    assert parlour.events("microphone_closed")[0].reason == "left"
    expect(second.locator(".turn.system")).to_have_count(3)  # from then on it is not too short
    end(second, too_short=False)


@pytest.mark.long
def test_a_restarted_service_goes_on_with_the_dialogue(
    study: Path, context: BrowserContext, tmp_path: Path
) -> None:
    port = free_port()
    with served(study, tmp_path / "log.sqlite", port) as parlour:
        page = into_the_dialogue(context, parlour.pages.url)
        checked(page)
        doing(page, "listening")
        speak(page, WISH)
        answered(parlour, 2)
    doing(page, "lost")
    with served(study, tmp_path / "log.sqlite", port) as parlour:
        doing(page, "speaking")
        doing(page, "listening")
        speak(page, QUESTION)
        answered(parlour, 3)
        assert [one.text for one in parlour.events("user_turn_sent")] == [WISH.lower(), QUESTION]
        opened = parlour.events("microphone_opened")
        assert [one.again for one in opened] == [False, True]
        assert opened[1].lost_s > 0
        end(page, too_short=False)
        eventually(lambda: len(parlour.events("recording_stored")) == 2, "the second part was never kept")
        first, second = parlour.events("recording_stored")
        assert second.started_s > first.started_s + first.duration_s
        assert tapes_in(folder_of(parlour.log)) == []


@pytest.mark.long
def test_without_a_microphone_the_dialogue_is_held_in_writing_in_italian(
    parlour: Parlour, browser: Browser
) -> None:
    context = browser.new_context(locale="it-IT", viewport={"width": 320, "height": 700})
    page = into_the_dialogue(context, parlour.pages.url, start="Inizia")
    expect(page.locator("#checking")).to_contain_text("Il tuo microfono resta aperto")
    press(page, "#check")
    expect(page.locator("#voice-news")).to_contain_text("Puoi scrivere")
    assert barriers(page) == []
    assert overflow(page) <= 0
    expect(page.locator("#send")).to_be_enabled()
    page.keyboard.type(WISH)
    page.keyboard.press("Enter")
    expect(page.locator(".turn.system")).to_have_count(2)
    end(page, too_short=True)
    context.close()
    assert parlour.events("microphone_opened") == []
