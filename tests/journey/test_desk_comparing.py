"""A researcher writes a pair of transcripts in a browser and reads what judges preferred."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from scenes.browser import barriers, overflow
from scenes.comparing import comparing_study, judge_all
from scenes.watched import served
from vivavoce.dashboard.app import create_desk
from vivavoce.log.store import Log
from vivavoce.study.pairs_file import read_pairs

pytestmark = pytest.mark.browser
LIKES = {"alignment": 0.6, "empathy": 0.9, "facing": 0.7, "formality": 0.1, "vocabulary": 0.8}
CONTROL = "System: Where to?\nUser: To Lindwood.\nSystem: The train leaves at 18:05.\n"


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    study = comparing_study(tmp_path / "study", steps=False, attention=False)
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        judge_all(study, log, 16, LIKES)
        app = create_desk(study, log, work_dir=tmp_path / "work", account_optional=True)
        with served(app) as address:
            context = browser.new_context(viewport={"width": 1280, "height": 900}, base_url=address)
            page, errors = context.new_page(), []
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.goto(app.state.desk.access.invite("viewer", address))
            page.get_by_role("button").first.click()
            yield page
            assert errors == []
            context.close()
        app.state.desk.snapshots.close()


def check(page: Page) -> None:
    """Nobody is locked out, on a large screen and on a small one."""
    for width in (1280, 320):
        page.set_viewport_size({"width": width, "height": 900})
        assert barriers(page) == []
        assert overflow(page) <= 0
    page.set_viewport_size({"width": 1280, "height": 900})


@pytest.mark.long
def test_the_difference_is_marked_as_a_pair_is_typed(page: Page, tmp_path: Path) -> None:
    page.goto("/pairs")
    check(page)
    page.goto("/pairs/edit")
    page.get_by_label("Control", exact=True).focus()  # from here on by keyboard
    page.keyboard.insert_text(CONTROL)
    page.keyboard.press("Tab")
    expect(page.get_by_label("Experimental", exact=True)).to_be_focused()
    page.keyboard.insert_text(CONTROL)
    shown = page.locator("#difference")
    expect(shown).to_contain_text("the transcripts do not differ")
    page.keyboard.press("Control+Home")
    for _ in range(len("System: Where to?")):
        page.keyboard.press("ArrowRight")
    page.keyboard.type(" Please.")
    expect(shown.locator("ins")).to_contain_text("Please.")
    expect(shown).to_contain_text("Doubtful pair.")
    expect(shown).to_contain_text("declared as substitution, but text was only added")
    page.get_by_label("Type of change").select_option("insertion")
    expect(shown).not_to_contain_text("declared as substitution")
    expect(shown).to_contain_text("Balanced pair.")
    page.get_by_label("Outcome").fill("18:05")
    page.get_by_label("Pair name").fill("patience-train")
    page.get_by_label("Variable").fill("patience")
    check(page)
    shown.locator("summary").click()
    expect(shown.locator("pre")).to_contain_text("patience-train")
    expect(shown.locator("pre")).to_contain_text('variable: "patience"')  # the last that was filled in
    lines = shown.locator("pre").inner_text()
    (tmp_path / "pairs.yaml").write_text("pairs:\n" + lines + "\n", encoding="utf-8")
    ((_, pair),) = read_pairs(tmp_path / "pairs.yaml").pairs
    assert (pair.pair_id, pair.variable, pair.change) == ("patience-train", "patience", "insertion")
    assert pair.text["en"].experimental[0].text == "Where to? Please."

    page.get_by_label("Experimental", exact=True).fill(CONTROL.replace("To Lindwood", "To Northam"))
    expect(shown).to_contain_text("user turn 1 differs")


def test_what_judges_preferred_stands_on_the_page_of_results(page: Page) -> None:
    page.goto("/results?early=1")  # the declared comparison is kept back until the trial ends
    section = page.locator("#section-preferences")
    expect(section).to_be_visible()
    for said in ("formality", "Marginal", "Cochran's Q"):
        expect(page.locator("main")).to_contain_text(said)
    row = page.get_by_role("row", name="formality").first
    expect(row).to_contain_text("12.5%")  # the experimental version's share, also where the control won
    expect(row).not_to_contain_text("*")
    expect(page.locator("main")).not_to_contain_text("The dataset has no dialogues")
    check(page)
