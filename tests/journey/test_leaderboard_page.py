"""The leaderboard that anybody reads: on a telephone each system is a card, and nothing is cut off."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from scenes.browser import whole
from scenes.fighting import arena_engine, arena_study, fight_all
from scenes.watched import served
from vivavoce.dashboard.app import create_desk
from vivavoce.log.store import Log

pytestmark = [pytest.mark.browser, pytest.mark.long]
PICTURES = os.environ.get("VIVAVOCE_PICTURES")
WORTH = {"beryl-9": 1.2, "cobalt": 0.0, "topaz": -1.2}
WIDER = "[...document.querySelectorAll('.scroll')].some((one) => one.scrollWidth > one.clientWidth)"


def test_nothing_of_the_public_leaderboard_is_cut_off(browser: Browser, tmp_path: Path) -> None:
    study = arena_study(tmp_path / "study", more=", leaderboard: public")
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        with ThreadPoolExecutor() as aside:  # the browser's loop runs in this thread
            aside.submit(lambda: asyncio.run(fight_all(arena_engine(study, log), 30, WORTH))).result()
        app = create_desk(study, log, work_dir=tmp_path / "work", account_optional=True)
        with served(app) as address:
            browser.new_page().goto(f"{address}/leaderboard/public")  # who asks first has the figures made
            app.state.desk.snapshots.of("people").make(lambda made: None)
            for locale, rank in (("en-GB", "Rank"), ("it-IT", "Posto")):
                for width in (1280, 320):
                    page = browser.new_context(
                        locale=locale, viewport={"width": width, "height": 800}
                    ).new_page()
                    page.goto(f"{address}/leaderboard/public")
                    cell = page.locator("td[data-head]").first
                    expect(cell).to_be_visible()
                    whole(page)
                    assert page.evaluate(WIDER) is False, (locale, width)
                    shown = cell.evaluate("(one) => getComputedStyle(one, '::before').content")
                    assert (shown != "none") is (width == 320)
                    assert cell.get_attribute("data-head") == rank
                    if PICTURES:
                        page.screenshot(path=f"{PICTURES}/leaderboard-{locale}-{width}.png", full_page=True)
        app.state.desk.snapshots.close()
