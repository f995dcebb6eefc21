"""Both laboratories walked in a browser, in both languages, on a large screen and on a small one.

Pairs of transcripts: written, drafted, saved, piloted by simulated judges. Commands: given by a participant,
annotated from a program's draft, seen on the dashboard. Every page is one that keeps nobody out.
"""

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from scenes.annotating import PASSWORD
from scenes.annotating_commands import commanding_study
from scenes.browser import whole
from scenes.comparing import comparing_study
from scenes.watched import served
from scenes.websites import running
from vivavoce.dashboard.app import create_desk
from vivavoce.log.store import Log
from vivavoce.participant.accounts import ANNOTATOR, Access
from vivavoce.participant.app import create_app
from vivavoce.study.load import load_study
from vivavoce.study.model import Study
from vivavoce.study.scaffold import write_study
from vivavoce.trial.engine import SessionEngine

pytestmark = [pytest.mark.browser, pytest.mark.long]
PICTURES = os.environ.get("VIVAVOCE_PICTURES")
SIZES = {1280: 900, 320: 568}
FRAMES = 33  # of the three recipes that ship
CONTROL = {
    "en": "System: Where would you like to go?\nUser: I missed the 17:20 train to Lindwood.\n"
    "System: The next train to Lindwood leaves at 18:05 from platform 3, and it arrives at 18:55.\n",
    "it": "System: Dove vuole andare?\nUser: Ho perso il treno delle 17:20 per Borgo.\n"
    "System: Il prossimo treno per Borgo parte alle 18:05 dal binario 3 e arriva alle 18:55.\n",
}
KINDER = {
    "en": CONTROL["en"].replace("The next", "I am sorry. The next"),
    "it": CONTROL["it"].replace("Il prossimo", "Mi dispiace. Il prossimo"),
}


@pytest.fixture(params=["en", "it"])
def language(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=list(SIZES))
def page(request: pytest.FixtureRequest, browser: Browser, language: str) -> Iterator[Page]:
    width = request.param
    context = browser.new_context(
        locale={"en": "en-GB", "it": "it-IT"}[language],
        has_touch=width < 400,
        viewport={"width": width, "height": SIZES[width]},
    )
    page, errors = context.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    assert errors == []
    context.close()


def look(page: Page, language: str, name: str) -> None:
    """The page is in the reader's language, keeps nobody out, and fits."""
    expect(page.locator("html")).to_have_attribute("lang", language)
    whole(page)
    if PICTURES and page.viewport_size is not None:
        width = page.viewport_size["width"]
        page.screenshot(path=f"{PICTURES}/{name}-{language}-{width}.png", full_page=True)


def into_desk(page: Page, study: Study, log: Log, folder: Path, stack: ExitStack) -> str:
    app = create_desk(study, log, work_dir=folder / "work", account_optional=True)
    stack.callback(app.state.desk.snapshots.close)
    address = stack.enter_context(served(app))
    page.goto(app.state.desk.access.invite("researcher", address))
    page.get_by_role("button").first.click()
    return address


def test_the_laboratory_of_pairs(page: Page, language: str, tmp_path: Path) -> None:
    study = comparing_study(tmp_path / "study")
    with ExitStack() as stack:
        log = stack.enter_context(Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}"))
        address = into_desk(page, study, log, tmp_path, stack)
        page.goto(f"{address}/pairs")
        look(page, language, "pairs")
        page.goto(f"{address}/pairs/edit?language={language}")
        look(page, language, "pair-empty")
        page.locator("#pair_id").fill("missed-train")
        page.locator("#control").fill(CONTROL[language])
        page.locator("#variable").fill("empathy")
        page.locator("#experimental").fill(KINDER[language])
        expect(page.locator("#difference ins").first).to_be_visible()
        assert "18:05" in page.locator("#experimental").input_value()
        look(page, language, "pair-drafted")
        page.locator("button[formaction$='/pairs/save']").click()
        page.wait_for_url(re.compile("saved=missed-train"))
        expect(page.locator("main")).to_contain_text("missed-train")
        look(page, language, "pairs-saved")
        page.goto(f"{address}/pairs/pilot")
        look(page, language, "pilot-empty")
        page.locator("#share-empathy").fill("0.8")
        page.locator("main form button").click()
        expect(page.locator("#power")).to_be_visible()
        look(page, language, "pilot")


def test_the_laboratory_of_commands(page: Page, language: str, tmp_path: Path) -> None:
    with ExitStack() as stack:
        give_commands(page, language, tmp_path / "robot", stack)
        annotate_commands(page, language, tmp_path / "annotating", stack)


def give_commands(page: Page, language: str, folder: Path, stack: ExitStack) -> None:
    """A participant, in writing: the whole visit."""
    write_study(folder, "sugar-2018", name="robot")
    file = folder / "study.yaml"
    file.write_text(file.read_text("utf-8").replace("by: speech", "by: text"), encoding="utf-8")
    study = load_study(file)
    log = stack.enter_context(Log.open(f"sqlite:///{folder / 'log.sqlite'}"))
    server = stack.enter_context(running(create_app(SessionEngine(study, log, {}))))
    page.goto(server.url)
    for name in ("welcome", "consent", "instructions"):
        look(page, language, name)
        page.locator("main button.primary").first.click()
    for number in range(FRAMES):
        expect(page.locator(".progress")).to_contain_text(f" {number + 1} ")
        if number in (0, FRAMES - 1):
            look(page, language, f"frame-{number + 1}")
        page.locator("#text").fill(f"command {number + 1}")
        page.locator("#text").press("Enter")
    expect(page.locator(".progress")).to_have_count(0)
    look(page, language, "debrief")


def annotate_commands(page: Page, language: str, folder: Path, stack: ExitStack) -> None:
    """An annotator: one recipe, each command from a draft; what a researcher sees of it."""
    folder.mkdir(parents=True)
    (folder / "drafts.csv").write_text(
        "command_id,annotation,confidence\n"
        'ada-1,"[take(pot), put(pot, fire)]",0.9\nada-2,"add(onion, *pot*)",0.4\nada-3,stir(*onion*),0.8\n'
        'ben-1,"add(flowers, *oil*)",0.95\nben-2,stir(*flowers*),0.99\n',
        encoding="utf-8",
    )
    study = commanding_study(
        folder, "commands: {templates: kitchen-en, dataset: commands, drafts: drafts.csv}\n  double: 1"
    )
    log = stack.enter_context(Log.open(f"sqlite:///{folder / 'log.sqlite'}"))
    server = stack.enter_context(running(create_app(SessionEngine(study, log, {}))))
    page.goto(Access(log).invite(ANNOTATOR, server.url + "/annotate"))
    look(page, language, "annotator-link")
    page.locator("main button").press("Enter")
    for field, text in (("#name", "anna"), ("#password", PASSWORD), ("#again", PASSWORD)):
        page.locator(field).fill(text)
    look(page, language, "annotator-account")
    page.keyboard.press("Enter")
    page.wait_for_url("**/annotate/commands")
    look(page, language, "annotator-home")
    page.locator("main button").press("Enter")
    expect(page.locator("#draft")).to_be_visible()
    expect(page.locator(".quoted")).to_contain_text("take the pot")
    look(page, language, "draft")
    for following in ("add the onion", "stir"):
        page.locator("h1").focus()
        page.keyboard.press("0")
        expect(page.locator(".quoted")).to_contain_text(following)
    page.locator("h1").focus()
    page.keyboard.press("0")
    expect(page.locator("#go")).to_be_visible()
    look(page, language, "recipe-done")
    page.locator("button[name=pause]").click()
    address = into_desk(page, study, log, folder, stack)
    for name in ("annotation", "annotation/commands"):
        page.goto(f"{address}/{name}")
        look(page, language, name.replace("/", "-"))
    expect(page.locator("main")).to_contain_text("3")
