"""Commands become predicates in a browser, by keyboard; two annotators differ and a researcher decides."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from scenes.annotating import PASSWORD
from scenes.annotating_commands import ANNA, BRUNO, annotate_all, commanding_study
from scenes.browser import whole
from scenes.websites import Running, running
from vivavoce.dashboard.app import create_desk
from vivavoce.log.store import Log
from vivavoce.participant.accounts import ANNOTATOR, Access
from vivavoce.participant.app import create_app
from vivavoce.trial.engine import SessionEngine
from vivavoce_commands.annotation.kind import COMMANDS
from vivavoce_commands.annotation.standing import annotation_of, place_of, standing

pytestmark = pytest.mark.browser
PICTURES = os.environ.get("VIVAVOCE_PICTURES")


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as opened:
        yield opened


@pytest.fixture
def server(tmp_path: Path, log: Log) -> Iterator[Running]:
    study = commanding_study(tmp_path / "study")
    with running(create_app(SessionEngine(study, log, {}))) as started:
        yield started


def sound(page: Page, picture: str = "") -> None:
    whole(page)
    if PICTURES and picture:
        page.screenshot(path=f"{PICTURES}/{picture}.png", full_page=True)


def come_in(browser: Browser, server: Running, name: str, **context: object) -> Page:
    page = browser.new_context(**context).new_page()  # pyright: ignore[reportArgumentType]
    page.goto(Access(server.site.engine.log).invite(ANNOTATOR, server.url + "/annotate"))
    page.locator("main button").press("Enter")
    for field, text in (("#name", name), ("#password", PASSWORD), ("#again", PASSWORD)):
        page.locator(field).fill(text)
    page.keyboard.press("Enter")
    page.wait_for_url("**/annotate/commands")
    return page


def to_soup(page: Page) -> None:
    """Begin; where the flowers come first, deal with them in the notation alone."""
    page.locator("main button").press("Enter")
    expect(page.locator("#action")).to_be_focused()  # by the page's script
    if "fry the flowers" in page.locator(".quoted").inner_text():
        page.locator("#annotation").fill("add(flowers, *oil*)")
        page.locator("#annotation").press("Enter")
        expect(page.locator(".quoted")).to_contain_text("well done")
        page.locator("button[value=none]").press("Enter")
        page.locator("#go").press("Enter")
        expect(page.locator(".quoted")).to_contain_text("take the pot")


def said(server: Running) -> list[str | None]:
    state = COMMANDS.open(server.site.study, server.site.engine.log).see()
    (work,) = state.dialogues["ada/soup"].work.values()
    return [annotation_of(work.judged[place_of(n)].labels) for n in range(3) if place_of(n) in work.judged]


@pytest.mark.long
def test_a_recipe_is_annotated_by_keyboard_with_an_offer_taken_by_one_key(browser, server):
    page = come_in(browser, server, "anna")
    sound(page, "home")
    to_soup(page)
    expect(page.locator("#action")).to_be_focused()
    while page.locator("#action").input_value() != "take":  # letters typed slowly would begin another word
        page.keyboard.press("ArrowDown")
    expect(page.locator(".argument:visible")).to_have_count(2)
    expect(page.locator("[data-place]").nth(1)).to_have_text("ingredient or container")
    page.locator("#argument_1").focus()
    page.keyboard.type("pot")
    sound(page, "template")
    page.keyboard.press("Enter")
    expect(page.locator("#annotation")).to_have_value("take(pot)")
    expect(page.locator("#action")).to_be_focused()
    page.locator("#annotation").focus()
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("[take(pot), put(pot fire]")
    expect(page.locator("#checked .problem")).to_contain_text("Column 25")
    sound(page, "mistake")
    page.keyboard.press("ArrowLeft")
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    page.keyboard.type(",")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.type(")")
    expect(page.locator("#checked .problem")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.locator(".quoted")).to_contain_text("add the onion")
    assert said(server) == ["[take(pot), put(pot, fire)]"]
    page.locator("#annotation").fill("add(onion)")
    expect(page.locator("#checked [data-key='1']")).to_be_visible()
    sound(page, "offer")
    page.locator("#action").focus()
    page.keyboard.press("1")
    expect(page.locator("#annotation")).to_have_value("add(onion, *pot*)")
    expect(page.locator("#save")).to_be_focused()  # also before the script is there
    page.keyboard.press("Enter")
    expect(page.locator(".quoted")).to_contain_text("stir")
    page.locator("#annotation").fill("stir(*onion*)")
    page.locator("#annotation").press("Enter")
    expect(page.locator("#go")).to_be_focused()
    sound(page, "finish")
    page.keyboard.press("Enter")
    expect(page.locator("#go")).to_have_count(0)
    assert said(server) == ["[take(pot), put(pot, fire)]", "add(onion, *pot*)", "stir(*onion*)"]


def test_the_page_speaks_italian_and_fits_a_narrow_screen(browser, server):
    page = come_in(browser, server, "ada", locale="it-IT", viewport={"width": 320, "height": 640})
    expect(page.locator("h1")).to_have_text("Annota i comandi")
    sound(page, "it-home")
    page.locator("main button").press("Enter")
    expect(page.locator("#asked")).to_have_text("Che cosa significa questo comando?")
    page.locator("#annotation").fill("take(pot")
    expect(page.locator("#checked .problem")).to_contain_text("Colonna 9: manca ')' alla fine")
    sound(page, "it-work")


def test_a_researcher_reads_the_agreement_and_decides_by_keyboard(browser, server, log, tmp_path):
    workplace = COMMANDS.open(server.site.study, log)
    annotate_all(workplace, "anna", ANNA)
    annotate_all(workplace, "bruno", BRUNO)
    desk = create_desk(server.site.study, log, work_dir=tmp_path / "desk", account_optional=True)
    desk.state.site = server.site  # whom a page server tells that it closes
    with running(desk) as dashboard:
        page = browser.new_page()
        page.goto(Access(log).invite("researcher", dashboard.url))
        page.get_by_role("button", name="Sign in").press("Enter")
        page.wait_for_load_state()
        page.goto(f"{dashboard.url}/annotation/commands")
        expect(page.locator("[data-share=predicates]")).to_have_text("80.0 %")
        sound(page, "desk")
        page.goto(f"{dashboard.url}/annotation/commands/decide")
        sound(page, "desk-decide")
        page.locator("#annotation").fill("add(onion")
        page.locator("button", has_text="Save decision").press("Enter")
        expect(page.locator("#wrong")).to_contain_text("Column 10")
        expect(page.locator("#asked")).to_be_focused()  # by the script that listens to keys
        page.keyboard.press("1")
        expect(page.locator(".spread p")).to_contain_text("1 open")
        expect(page.locator("#asked")).to_be_focused()  # by the script that listens to keys
        page.keyboard.press("1")
        expect(page.locator("main [role=status]")).to_contain_text("All disagreements are decided")
    desk.state.desk.snapshots.close()
    found = standing(workplace.see(), workplace.sequences())
    assert found["ada-2"].annotation == "add(onion, *pot*)" and len(found) == 5
