"""Participants of an arena and readers of transcripts in a browser: small screens, keyboards, reloads."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from scenes.browser import every, whole
from scenes.fighting import SYSTEMS, arena_engine, arena_study
from scenes.websites import Website, running
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.study.load import load_study
from vivavoce.study.scaffold import write_study
from vivavoce.trial.engine import SessionEngine

pytestmark = pytest.mark.browser


@contextmanager
def served(log_file: Path, engine_of) -> Iterator[Website]:
    with Log.open(f"sqlite:///{log_file}") as log:
        engine = engine_of(log)
        with running(create_app(engine)) as server:
            yield Website(server.url, engine, log)


@contextmanager
def telephone(browser: Browser, url: str) -> Iterator[tuple[Page, list[str]]]:
    """A small Italian telephone, and everything that the server has told it."""
    context = browser.new_context(locale="it-IT", viewport={"width": 320, "height": 568}, has_touch=True)
    page, told, errors = context.new_page(), [], []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("response", lambda answer: told.append(f"{answer.url} {answer.headers}"))
    page.goto(url)
    yield page, told
    assert errors == []
    context.close()


def check(page: Page) -> str:
    whole(page)
    return page.content().lower()


def test_a_whole_arena_on_a_small_telephone_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    study = arena_study(tmp_path / "study", battles=2, turns=2)
    with (
        served(tmp_path / "log.sqlite", lambda log: arena_engine(study, log)) as website,
        telephone(browser, website.url) as (page, told),
    ):
        seen = [check(page)]
        page.get_by_role("button", name="Inizia").click()
        message = page.get_by_label("Il tuo messaggio a entrambi")
        expect(message).to_be_visible()
        seen.append(check(page))
        message.focus()
        page.keyboard.type("Dove mangio?")
        page.reload()  # a half-written message is still there
        expect(message).to_have_value("Dove mangio?")
        message.focus()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        best = page.get_by_role("button", name="A è migliore")
        expect(best).to_be_visible()
        seen.append(check(page))
        page.reload()  # and both answers
        expect(page.get_by_text("has heard: Dove mangio?")).to_have_count(2)
        best.focus()
        page.keyboard.press("Enter")
        for number, vote in enumerate(("Sono ugualmente buone", "Sono entrambe scadenti", "B è migliore"), 2):
            expect(message).to_be_visible()
            seen.append(check(page))
            message.fill(f"Domanda {number}")
            page.get_by_role("button", name="Invia").click()
            page.get_by_role("button", name=vote).click()
        expect(page.locator("h1")).to_contain_text("Grazie")
        seen.append(check(page))
        for name in (*SYSTEMS, "scripted"):
            assert not any(name in html for html in (*seen, *map(str.lower, told)))
        rows = export_dataset(website.log, "city", tmp_path / "data").read("votes").to_pylist()
        assert [row["choice"] for row in rows] == ["left", "tie", "both_bad", "right"]


@pytest.mark.long
def test_transcripts_are_rated_on_a_small_telephone(browser: Browser, tmp_path: Path) -> None:
    write_study(tmp_path / "study", "guerini-2018", name="city")
    file = tmp_path / "study" / "study.yaml"
    file.write_text(
        file.read_text().split("visit:")[0] + "visit:\n  - rate: {pairs: pairs.yaml, versions: one}\n"
    )
    study = load_study(file)
    with (
        served(tmp_path / "log.sqlite", lambda log: SessionEngine(study, log, {})) as website,
        telephone(browser, website.url) as (page, _),
    ):
        check(page)
        page.get_by_role("button", name="Inizia").click()
        check(page)
        page.locator("fieldset").first.get_by_text("Abbastanza").click()
        page.reload()
        expect(page.locator("fieldset").first.locator("input:checked")).to_have_value("4")
        page.get_by_role("button", name="Continua").click()
        expect(page.get_by_role("alert")).to_contain_text("3 domande")
        check(page)
        for number in range(1, 6):
            expect(page.locator(".progress")).to_have_text(f"Conversazione {number} di 5")
            for question in every(page, "fieldset"):
                question.locator("input").nth(3).focus()
                page.keyboard.press("Space")
            page.get_by_role("button", name="Continua").click()
        expect(page.locator("h1")).to_contain_text("Grazie")
        rows = export_dataset(website.log, "city", tmp_path / "data").read("readings").to_pylist()
        assert [row["value"] for row in rows] == [4.0] * 20
