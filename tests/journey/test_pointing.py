"""Participants point at the drawn kitchen, by mouse, touch and keyboard, and type their command."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from scenes.browser import until, whole
from scenes.websites import Running, running
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.study.load import load_study
from vivavoce.study.scaffold import write_study
from vivavoce.trial.engine import SessionEngine

pytestmark = [pytest.mark.browser, pytest.mark.long]
PICTURES = os.environ.get("VIVAVOCE_PICTURES")
PAN, HOB = (10, 20), (60, 68)  # of the first picture, in per cent


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    write_study(tmp_path / "study", "sugar-2018", name="robot")
    file = tmp_path / "study" / "study.yaml"
    text = file.read_text("utf-8")
    assert "# pointing: true" in text
    file.write_text(text.replace("# pointing: true", "pointing: true"), encoding="utf-8")
    with (
        Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log,
        running(create_app(SessionEngine(load_study(file), log, {}))) as started,
    ):
        yield started


def to_first_frame(browser: Browser, server: Running, language: str, width: int, **context: object) -> Page:
    page = browser.new_context(
        locale={"en": "en-GB", "it": "it-IT"}[language],
        viewport={"width": width, "height": 800},
        has_touch=width < 400,
        **context,  # pyright: ignore[reportArgumentType]
    ).new_page()
    page.goto(server.url)
    for _ in range(3):
        page.locator("main button.primary").first.click()
    until(page, "document.querySelector('#pointing img')?.naturalWidth > 0")
    expect(page.locator("#pointed-news")).not_to_be_empty()
    return page


def at(page: Page, place: tuple[int, int]) -> dict[str, float]:
    """Where a place of the picture, in per cent, lies in its box."""
    size = page.locator("#pointing").bounding_box()
    assert size is not None
    return {"x": size["width"] * place[0] / 100, "y": size["height"] * place[1] / 100}


def look(page: Page, name: str) -> None:
    whole(page)
    if PICTURES:
        page.screenshot(path=f"{PICTURES}/{name}.png", full_page=True)


def pointed(server: Running, folder: Path) -> list[str | None]:
    rows = export_dataset(server.site.engine.log, "robot", folder).read("commands").to_pylist()
    return [row["pointed"] for row in rows]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("language", "width"), [("en", 1280), ("it", 1280), ("en", 320), ("it", 320)])
def test_one_points_and_types(
    browser: Browser, server: Running, tmp_path: Path, language: str, width: int, scheme: str
) -> None:
    page = to_first_frame(browser, server, language, width, color_scheme=scheme)
    if page.locator("#typing:not([open])").count():
        page.locator("#typing summary").click()
    picture = page.locator("#pointing")
    if width < 400:
        picture.tap(position=at(page, PAN))
    else:
        picture.click(position=at(page, PAN))
    page.locator("#pointing rect[aria-label='hob'], #pointing rect[aria-label='fornello']").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Space")
    expect(page.locator("#pointing .mark")).to_have_count(3)
    look(page, f"pointing-{language}-{width}-{scheme}")
    page.locator("#unpoint").click()
    expect(page.locator("#pointing .mark")).to_have_count(2)
    page.locator("#text").fill({"en": "put this here", "it": "metti questa qui"}[language])
    page.reload()
    expect(page.locator("#pointing .mark")).to_have_count(2)  # kept as what was typed is
    page.locator("#text").press("Enter")
    expect(page.locator("#understood")).to_be_visible()
    expect(page.locator("#pointing .mark")).to_have_count(0)
    assert pointed(server, tmp_path / "data") == ["pan; hob"]
