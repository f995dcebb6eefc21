"""The demonstration answers whether one system is no worse than the other, a few clicks from its link."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from scenes.command_line import vivavoce
from scenes.watched import served
from vivavoce.dashboard.access import first_link
from vivavoce.dashboard.app import create_desk
from vivavoce.log.store import Log
from vivavoce.study.load import load_study

CLICKS = ("Sign in", "Results")  # five at most, says the aim


@pytest.mark.long
@pytest.mark.browser
def test_it_decides_by_its_margin_two_clicks_from_its_link(tmp_path: Path, browser: Browser) -> None:
    vivavoce("demo", "--no-serve", "--out", tmp_path, "--dialogues", "24", "--seed", "3")
    study = load_study(tmp_path / "study" / "study.yaml")
    assert study.analysis is not None and study.analysis.margins == {"objective_success_inferred": 0.1}
    with Log.open(f"sqlite:///{tmp_path / 'study' / 'log.sqlite'}") as log:
        desk = create_desk(study, log, work_dir=tmp_path / "work", simulated_notice="demonstration")
        with served(desk) as address:
            page = browser.new_page()
            page.goto(first_link(log, address))
            for name in CLICKS:
                page.locator("main").locator("a, button").filter(has_text=name).first.click()
            answer = page.locator("section[aria-labelledby=answer]")
            expect(answer).to_contain_text("within the declared margin of 10.0 points")
            expect(answer).to_contain_text("p is adjusted (Holm) over 3 declared comparisons")
            expect(answer).to_contain_text("Based on SIMULATED data: ")
            page.context.close()
