"""Annotators label dialogues by keyboard in a browser; two of them disagree and a researcher decides."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from scenes.annotating import PASSWORD, annotated_study, hold_dialogue
from scenes.browser import barriers, chromium, overflow
from scenes.websites import Running, running
from vivavoce.annotation.workplace import Workplace
from vivavoce.log.annotation_state import Place
from vivavoce.log.store import Log
from vivavoce.session.engine import SessionEngine
from vivavoce.web.accounts import ANNOTATOR, Access
from vivavoce.web.app import create_app

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as launched:
        yield launched


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    study = annotated_study(tmp_path / "study", "schemes: [context, maxim, avp]\n  double: 1")
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        for number in range(3):
            hold_dialogue(log, study, number)
        with running(create_app(SessionEngine(study, log, {}))) as started:
            yield started


def workplace(server: Running) -> Workplace:
    return Workplace(server.site.study, server.site.engine.log)


def come_in(browser: Browser, server: Running, name: str, **context: object) -> Page:
    """A new annotator: by the one-time link to an account, by keyboard."""
    page = browser.new_context(**context).new_page()  # pyright: ignore[reportArgumentType]
    page.goto(Access(server.site.engine.log).invite(ANNOTATOR, server.url + "/annotate"))
    sound(page)
    page.locator("main button").press("Enter")
    page.locator("#name").fill(name)
    page.locator("#password").fill(PASSWORD)
    page.locator("#again").fill(PASSWORD)
    sound(page)
    page.keyboard.press("Enter")
    page.wait_for_url("**/annotate")
    return page


def sound(page: Page) -> None:
    page.wait_for_load_state()
    expect(page.locator("h1")).to_have_count(1)
    assert barriers(page) == []
    assert overflow(page) <= 0


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def at(page: Page, number: int, total: int) -> None:
    expect(page.locator(".progress").first).to_contain_text(f"{number} of {total}")


def test_an_annotator_labels_a_dialogue_by_keyboard_alone(browser: Browser, server: Running) -> None:
    page, errors = come_in(browser, server, "Anna"), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    sound(page)
    page.get_by_role("button", name="Begin a dialogue").press("Enter")
    at(page, 1, 5)
    sound(page)
    expect(page.locator("#asked")).to_be_focused()
    press(page, "a", "i", "i")  # faster than the page saves: nothing is lost
    at(page, 4, 7)
    expect(page.locator("#asked")).to_contain_text("Maxims violated")
    press(page, "m", "e")
    expect(page.locator(".given li")).to_have_count(2)
    press(page, "Enter", "0")
    at(page, 6, 7)
    page.reload()
    at(page, 6, 7)
    sound(page)
    press(page, "c")
    expect(page.locator("#value")).to_be_focused()
    page.keyboard.type("food=thai")
    press(page, "Enter")
    expect(page.locator(".given")).to_contain_text("Understood (food=thai)")
    press(page, "Enter")
    at(page, 7, 7)
    press(page, "ArrowLeft")
    at(page, 6, 7)
    expect(page.locator(".given")).to_contain_text("food=thai")
    press(page, "Enter")
    at(page, 7, 7)
    press(page, "0")
    expect(page.locator("h1")).to_have_text("All of this dialogue is judged")
    sound(page)
    press(page, "Enter")
    at(page, 1, 5)
    ((_, work),) = [
        (key, work)
        for found in workplace(server).see().dialogues.values()
        for key, work in found.work.items()
        if work.finished_at is not None
    ]
    said = {
        (place.scheme, place.turn_index): [one.label for one in judged.labels]
        for place, judged in work.judged.items()
    }
    assert said == {
        ("context", 0): ["AP"], ("context", 2): ["IA"], ("context", 4): ["IA"],
        ("maxim", 2): ["manner", "repair"], ("maxim", 4): [], ("avp", 1): ["c"], ("avp", 3): [],
    }  # fmt: skip
    assert work.judged[Place("avp", 1)].labels[0].value == "food=thai"
    assert errors == []


def test_the_page_is_whole_on_a_small_telephone_in_italian(browser: Browser, server: Running) -> None:
    small = {"viewport": {"width": 320, "height": 568}, "has_touch": True, "locale": "it-IT"}
    page = come_in(browser, server, "Bruno", **small)
    expect(page.locator("html")).to_have_attribute("lang", "it")
    sound(page)
    page.get_by_role("button", name="Comincia un dialogo").tap()
    sound(page)
    page.get_by_role("button", name="Inadeguato").tap()
    expect(page.locator(".progress").first).to_contain_text("2 di 6")
    sound(page)


def test_a_label_that_cannot_be_saved_is_told_and_can_be_pressed_again(
    browser: Browser, server: Running
) -> None:
    page = come_in(browser, server, "Carla")
    page.get_by_role("button", name="Begin a dialogue").click()
    at(page, 1, 5)
    page.context.set_offline(True)
    press(page, "a")
    expect(page.locator("#unsaved")).to_be_visible()
    page.context.set_offline(False)
    press(page, "a")
    at(page, 2, 5)
