"""Answers that grow in a browser: locked until they are whole, kept over reloads, read out once."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from scenes.browser import whole
from scenes.browsing import events_of
from scenes.fighting import arena_engine, write_arena
from scenes.patience import eventually
from scenes.streaming import StreamingModels, streaming_models, write_chat
from scenes.websites import Website, running
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.study.load import load_study

pytestmark = pytest.mark.browser


@pytest.fixture
def models() -> Iterator[StreamingModels]:
    with streaming_models() as server:
        yield server


@contextmanager
def served(folder: Path) -> Iterator[Website]:
    study = load_study(folder)
    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
        engine = arena_engine(study, log)
        with running(create_app(engine)) as server:
            yield Website(server.url, engine, log)


@contextmanager
def opened(browser: Browser, url: str, **settings: object) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 320, "height": 568}, **settings)  # pyright: ignore
    page, errors = context.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(url)
    yield page
    assert errors == []
    context.close()


def logged(log: Log, kind: str) -> list[Any]:
    return [one.event for one in events_of(log, kind)]


def test_an_answer_grows_in_the_chat_and_is_one_turn(
    browser: Browser, tmp_path: Path, models: StreamingModels
) -> None:
    folder = write_chat(tmp_path, models.system("m"))
    with served(folder) as website, opened(browser, website.url) as page:
        page.get_by_role("button", name="Start").click()
        page.get_by_label("Your message").fill("Where do I eat?")
        page.keyboard.press("Enter")
        growing, transcript = page.locator("#growing"), page.locator("#transcript")
        send = page.locator("#send")
        models.say("m", "At the **old")
        expect(growing).to_contain_text("At the **old")
        assert [one.text for one in logged(website.log, "words_shown")] == ["At the **old"]
        models.say("m", " mill** <img src=x onerror=alert(1)>")
        expect(growing.locator("strong")).to_have_text("old mill")
        expect(growing).to_contain_text("<img src=x onerror=alert(1)>")
        expect(send).to_be_disabled()
        page.get_by_label("Your message").fill("too early")
        page.get_by_label("Your message").dispatch_event("keydown", {"key": "Enter"})
        assert len(models.asked) == 1 and "too early" not in transcript.inner_text()
        expect(growing).to_have_attribute("inert", "")
        assert growing.evaluate("one => one.closest('[aria-live]') === null"), "pieces are not read out"
        whole(page)
        page.reload()
        expect(growing.locator("strong")).to_have_text("old mill")
        page.evaluate(
            "window.heard = 0;"
            "new MutationObserver(seen => seen.forEach(one => heard += one.addedNodes.length))"
            ".observe(document.getElementById('transcript'), {childList: true})"
        )
        models.say("m", ".", None)
        expect(transcript.locator(".turn.system strong")).to_have_text("old mill")
        expect(growing).to_be_hidden()
        expect(send).to_be_enabled()
        assert page.evaluate("window.heard") == 1, "what is read out is the whole answer, once"
        page.get_by_role("button", name="End the conversation").click()
        expect(page.locator("h1")).to_contain_text("Thank you")
        turns = export_dataset(website.log, "city", tmp_path / "data").read("turns").to_pylist()
        assert [one["text"] for one in turns] == [
            "Where do I eat?",
            "At the **old mill** <img src=x onerror=alert(1)>.",
        ]
        assert turns[1]["first_output_s"] <= turns[1]["first_shown_s"] <= turns[1]["complete_s"]


def test_an_answer_that_breaks_off_stays_and_is_asked_for_again(
    browser: Browser, tmp_path: Path, models: StreamingModels
) -> None:
    folder = write_chat(tmp_path, models.system("m"))
    with served(folder) as website, opened(browser, website.url, locale="it-IT") as page:
        page.get_by_role("button", name="Inizia").click()
        page.get_by_label("Il tuo messaggio").fill("Dove mangio?")
        page.keyboard.press("Enter")
        models.say("m", "Al vecchio")
        expect(page.locator("#growing")).to_contain_text("Al vecchio")
        models.say("m", ConnectionError())
        for _ in range(2):
            expect(page.locator("#transcript .failure")).to_contain_text("si è interrotta")
            expect(page.locator("#transcript .turn.system")).to_contain_text("Al vecchio")
            expect(page.locator("#growing")).to_be_hidden()
            page.reload()
        (failed,) = logged(website.log, "system_turn_failed")
        assert (failed.failure, failed.shown) == ("bad_answer", "Al vecchio")
        models.say("m", "Al mulino.", None)
        page.get_by_role("button", name="Invia di nuovo").click()
        expect(page.locator("#transcript .turn.system").last).to_contain_text("Al mulino.")
        whole(page)


def test_whoever_reads_or_wants_no_motion_is_not_moved(
    browser: Browser, tmp_path: Path, models: StreamingModels
) -> None:
    folder = write_chat(tmp_path, models.system("m"))
    lines = "".join(f"Line {number}\n\n" for number in range(60))
    with served(folder) as website:
        for motion, moves in (("no-preference", True), ("reduce", False)):
            with opened(browser, website.url, reduced_motion=motion) as page:
                page.get_by_role("button", name="Start").click()
                page.get_by_label("Your message").fill("Tell me a lot")
                page.keyboard.press("Enter")
                models.say("m", lines)
                expect(page.locator("#growing")).to_contain_text("Line 59")
                assert (page.evaluate("window.scrollY") > 500) is moves
                page.evaluate("window.scrollTo(0, 200)")
                models.say("m", "The end", None)
                expect(page.locator("#transcript")).to_contain_text("The end")
                assert page.evaluate("window.scrollY") == 200, "whoever reads is left where they are"


@pytest.mark.parametrize("pace", ["same", pytest.param("own", marks=pytest.mark.long)])
def test_both_answers_of_an_arena_grow_and_are_voted_on_when_they_are_whole(
    browser: Browser, tmp_path: Path, models: StreamingModels, pace: str
) -> None:
    systems = {name: models.system(name) for name in ("beryl", "topaz")}
    folder = write_arena(tmp_path, systems=systems, turns=3, more=f", answers: streamed, pace: {pace}")
    with served(folder) as website, opened(browser, website.url) as page:
        page.get_by_role("button", name="Start").click()
        page.get_by_label("Your message to both").fill("Where do I eat?")
        page.keyboard.press("Enter")
        expect(page.locator(".said.growing")).to_have_count(2)
        left, right = page.locator(".said.growing").all()
        (bout,) = logged(website.log, "bout_assigned")
        name = bout.left_system
        models.say(name, f"I am {name[:3]}")
        if pace == "own":
            expect(left).to_have_text("I am")
            expect(right).to_be_hidden()
        models.say(name, f"{name[3:]}, a **machine** of many words.")
        eventually(lambda: "machine" in "".join(one.text for one in logged(website.log, "words_shown")))
        if pace == "same":
            expect(left).to_be_hidden()
        models.say(bout.right_system, "Go to the old mill")
        expect(right).to_have_text("Go to the old mill")
        if pace == "same":
            expect(left).to_have_text("I am ▇▇▇, a **ma")
        else:
            expect(left.locator("strong")).to_have_text("machine")
        assert name not in page.content()
        expect(page.get_by_role("button", name="A is better")).to_have_count(0)
        whole(page)
        page.reload()
        expect(page.locator(".said.growing").last).to_have_text("Go to the old mill")
        models.say(bout.left_system, None)
        expect(page.locator(".said.growing").first).to_be_visible()
        expect(page.get_by_role("button", name="A is better")).to_have_count(0)
        models.say(bout.right_system, ".", None)
        page.get_by_role("button", name="A is better").click()
        expect(page.locator(".said").first).to_have_text("I am ▇▇▇, a machine of many words.")
        assert len(logged(website.log, "system_turn_received")) == 2
        page.get_by_label("Your message to both").fill("And drink?")
        page.keyboard.press("Enter")
        models.say(bout.left_system, "Along the")
        eventually(lambda: logged(website.log, "words_shown")[-1].text == "Along the")
        models.say(bout.left_system, ConnectionError())
        models.say(bout.right_system, "At the bar.", None)
        expect(page.get_by_text("This answer broke off.")).to_have_count(1)
        expect(page.locator(".said").nth(2)).to_have_text("Along the")
        whole(page)
