"""A participant compares transcripts on a telephone, by touch and by keyboard; a reload costs nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from scenes.browser import every, held_back, whole
from scenes.comparing import comparing_study
from scenes.websites import Website, running
from vivavoce.analysis.preference_results import study_rating
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.stats.preferences import StudyRating
from vivavoce.trial.engine import SessionEngine

pytestmark = pytest.mark.browser


@pytest.fixture
def website(tmp_path: Path) -> Iterator[Website]:
    study = comparing_study(tmp_path / "study")
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        engine = SessionEngine(study, log, {})
        with running(create_app(engine)) as server:
            yield Website(server.url, engine, log)


def choose_all(page: Page, version: str) -> None:
    for question in every(page, "fieldset"):
        question.get_by_text(f"Conversazione {version}", exact=True).click()


def test_a_whole_comparison_on_a_small_telephone(browser: Browser, website: Website, tmp_path: Path) -> None:
    context = browser.new_context(locale="it-IT", viewport={"width": 320, "height": 568}, has_touch=True)
    page, errors = context.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(website.url)
    expect(page.locator("html")).to_have_attribute("lang", "it")
    whole(page)
    page.get_by_role("button", name="Inizia").click()
    whole(page)
    page.get_by_role("button", name="Acconsento e voglio").click()
    whole(page)
    page.get_by_role("button", name="Continua").click()
    whole(page)

    first = page.locator("fieldset").first
    first.get_by_text("Conversazione A", exact=True).click()
    pair = page.locator(".version").first.inner_text()
    choose_before_the_script_comes(page, "B")
    first.get_by_text("Conversazione A", exact=True).click()
    page.reload()  # in the middle: what was chosen is still chosen, and the sides stay
    expect(first.locator("input").first).to_be_checked()
    assert page.locator(".version").first.inner_text() == pair
    page.get_by_role("button", name="Continua").click()
    expect(page.get_by_role("alert")).to_contain_text("3 domande")
    whole(page)
    choose_all(page, "A")
    page.get_by_role("button", name="Continua").click()

    expect(page.locator(".progress")).to_have_text("Coppia 2 di 6")
    answer_by_keyboard(page)
    for number in range(3, 7):
        expect(page.locator(".progress")).to_have_text(f"Coppia {number} di 6")
        choose_all(page, "B")
        page.get_by_role("button", name="Continua").click()
    for title in ("Su di te", "Tu e i chatbot"):
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        whole(page)
        for answer in page.get_by_text("Preferisco non dirlo", exact=True).all():
            answer.click()
        page.get_by_role("button", name="Continua").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Su questo studio")
    whole(page)
    page.get_by_text("Molto positiva").click()
    page.get_by_role("button", name="Continua").click()
    page.get_by_role("button", name="Continua").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    whole(page)
    assert errors == []
    dataset = export_dataset(website.log, "city", tmp_path / "data")
    assert study_rating(dataset) == StudyRating(mean=5.0, of=5, participants=1)
    rows = dataset.read("preferences").to_pylist()
    sides = ["left"] * 4 + ["right"] * 4 + ["right"] * 16
    assert [row["side"] for row in rows] == sides
    assert {row["language"] for row in rows} == {"it"}
    context.close()


def choose_before_the_script_comes(page: Page, version: str) -> None:
    """Reload, and answer the first question while what was answered before is not restored yet."""
    first = page.locator("fieldset").first
    with held_back(page, "**/drafts.js"):
        page.reload(wait_until="commit")
        first.get_by_text(f"Conversazione {version}", exact=True).click()
    page.wait_for_load_state()
    expect(first.get_by_label(f"Conversazione {version}", exact=True)).to_be_checked()


def answer_by_keyboard(page: Page) -> None:
    """Every question by arrow keys, one after another by Tab, and the form by Enter."""
    page.wait_for_load_state()
    page.locator("fieldset input").first.focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Continua")).to_be_focused()
    page.keyboard.press("Enter")
