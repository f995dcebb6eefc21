"""Preset p851 walked in a browser: part A, dialogues, part B with its continuous scale, part C."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from scenes.browser import every, whole
from scenes.websites import Website, restaurant_bot, running
from vivavoce.connectors.factory import make_connector
from vivavoce.log.events import QuestionnaireAnswered
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.study.load import load_study
from vivavoce.study.scaffold import write_study
from vivavoce.trial.engine import SessionEngine

pytestmark = pytest.mark.browser
LABELS = {
    "en": ("extremely bad", "bad", "poor", "fair", "good", "excellent", "ideal"),
    "it": ("pessima", "cattiva", "scarsa", "discreta", "buona", "eccellente", "ideale"),
}
TURNS = {"en": "a cheap restaurant", "it": "un ristorante economico"}
DOORS = {
    "en": ("Start", "I agree and want to take part", "Continue", "End the conversation"),
    "it": ("Inizia", "Acconsento e voglio partecipare", "Continua", "Termina la conversazione"),
}


@pytest.fixture
def laboratory(tmp_path: Path) -> Iterator[Website]:
    """The shipped study of the preset in two languages, with one dialogue of one turn a visit."""
    folder = tmp_path / "study"
    write_study(folder, "p851", name="lab")
    file = folder / "study.yaml"
    with restaurant_bot() as port:
        text = file.read_text(encoding="utf-8")
        for old, new in (
            (":9101/", f":{port}/"),
            (":9102/", f":{port}/"),
            ("repeat: 4", "repeat: 1"),
            ("user_turns: 2", "user_turns: 1"),
            ("generate: 200", "generate: 5"),
        ):
            text = text.replace(old, new)
        file.write_text(text, encoding="utf-8")
        study = load_study(folder)
        connectors = {name: make_connector(raw, {}) for name, raw in study.systems.items()}
        with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
            engine = SessionEngine(study, log, connectors)
            with running(create_app(engine)) as server:
                yield Website(server.url, engine, log)
                for connector in connectors.values():
                    server.call(connector.shut_down())


def to_part_b(page: Page, website: Website, language: str) -> None:
    """Through consent, part A and a dialogue of one turn, to the form with the line."""
    start, agree, onwards, end = DOORS[language]
    page.goto(website.url)
    go_on(page, start)
    go_on(page, agree)
    answer_choices(page)
    go_on(page, onwards)
    go_on(page, onwards)
    expect(page.locator("#send")).to_be_enabled()
    answers = page.locator(".turn.system")
    before = answers.count()
    page.locator("#text").fill(TURNS[language])
    page.locator("#text").press("Enter")
    expect(answers).to_have_count(before + 1)
    expect(page.locator("#end-button")).to_be_enabled()
    page.get_by_role("button", name=end).click()
    expect(page.locator("input[type=range]")).to_have_count(1)


def go_on(page: Page, button: str) -> None:
    """Press a button that leads to another page, and wait for that page."""
    with page.expect_navigation():
        page.get_by_role("button", name=button).click()


def answer_choices(page: Page) -> None:
    for question in every(page, "fieldset"):
        question.locator("label").nth(1).click()


def line_of(page: Page) -> tuple[Locator, Locator]:
    return page.locator("input[type=range]"), page.locator(".line input[type=hidden]")


def overall(website: Website, instrument: str = "p851_dialogue") -> list[float | None]:
    (visit,) = website.log.visits("lab")
    return [
        rating.value
        for stored in website.log.events(visit.visit_id)
        if isinstance(stored.event, QuestionnaireAnswered) and stored.event.instrument == instrument
        for rating in stored.event.ratings
        if rating.item_id == "overall"
    ]


@pytest.mark.long
def test_the_line_is_marked_anywhere_with_the_pointer_and_only_what_was_marked_counts(
    browser: Browser, laboratory: Website
) -> None:
    page = browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 800}).new_page()
    to_part_b(page, laboratory, "en")
    whole(page)
    line, answer = line_of(page)
    expect(page.locator(".points li")).to_have_text(list(LABELS["en"]))
    assert answer.input_value() == ""
    expect(page.get_by_text("Please choose a place on the line.")).to_have_count(0)
    answer_choices(page)
    go_on(page, "Continue")
    expect(page.get_by_text("Please choose a place on the line.")).to_be_visible()
    assert overall(laboratory) == []
    box = line.bounding_box()
    assert box is not None
    line.click(position={"x": box["width"] * 0.72, "y": box["height"] / 2})
    marked = float(answer.input_value())
    assert 4.0 < marked < 4.8
    assert marked != round(marked)
    whole(page)
    go_on(page, "Continue")
    assert overall(laboratory) == [marked]


def test_the_line_is_marked_by_keyboard_alone_in_italian_on_a_small_screen(
    browser: Browser, laboratory: Website
) -> None:
    page = browser.new_context(locale="it-IT", viewport={"width": 320, "height": 640}).new_page()
    to_part_b(page, laboratory, "it")
    whole(page)
    line, answer = line_of(page)
    expect(page.locator(".points li")).to_have_text(list(LABELS["it"]))
    while not line.evaluate("line => line === document.activeElement"):
        page.keyboard.press("Tab")
    assert answer.input_value() == ""
    page.keyboard.press("Space")
    assert float(answer.input_value()) == 3
    page.keyboard.press("Home")
    assert float(answer.input_value()) == 0
    page.keyboard.press("End")
    assert float(answer.input_value()) == 6
    for _ in range(13):
        page.keyboard.press("ArrowLeft")
    assert float(answer.input_value()) == pytest.approx(4.7)
    assert line.get_attribute("aria-valuetext") == "eccellente (4.7)"
    answer_choices(page)
    go_on(page, "Continua")
    assert overall(laboratory) == [pytest.approx(4.7)]
    expect(page.locator("input[type=range]")).to_have_count(1)  # part C
    whole(page)
