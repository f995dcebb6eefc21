"""Wizard, overview, lab and report by keyboard alone: at both widths, light and dark, in both languages."""

import itertools
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from scenes.browser import until, whole
from scenes.filled_trial import DECLARED, Trial, sign_in
from scenes.strange_bots import ferry_office
from scenes.watched import served
from vivavoce.dashboard.access import first_link
from vivavoce.dashboard.language import gettext, reading, step_title
from vivavoce.dashboard.study_editor.setup import create_setup
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.reports.html import write_report
from vivavoce.reports.section import ReportOptions
from vivavoce.study.load import load_study

pytestmark = [pytest.mark.browser, pytest.mark.long]
SIZES = [(1280, 900), (320, 640)]
COMBINATIONS = list(itertools.product(SIZES, ("light", "dark"), ("en", "it")))
WIDER = (
    "[...document.querySelectorAll('main .scroll')]"
    ".filter((one) => one.scrollWidth > one.clientWidth + 1).length"
)
Said = Callable[..., str]


def words_of(language: str) -> Said:
    """What the dashboard says in a language."""

    def said(message: str, **values: object) -> str:
        with reading(language):
            return gettext(message, **values)

    return said


def reach(page: Page, wanted: Locator) -> None:
    """Go there by Tab, as somebody does who has no mouse; what has the focus is seen to have it."""
    expect(wanted).to_be_attached()
    for _ in range(400):
        page.keyboard.press("Tab")
        if wanted.evaluate("(one) => one === document.activeElement"):
            break
    expect(wanted).to_be_focused()
    shown = wanted.evaluate("(one) => getComputedStyle(one).outlineStyle")
    assert shown != "none", f"nobody sees that {wanted} has the focus"


def go_by_key(page: Page, role: str, name: str) -> None:
    reach(page, page.get_by_role(role, name=name, exact=True).first)  # type: ignore[arg-type]
    page.keyboard.press("Enter")


def menu_by_key(page: Page, width: int) -> None:
    """Open the menu, where it is folded; where there is room it stands open."""
    links, summary = page.locator("nav.pages-of"), page.locator(".menu > summary")
    if width > 640:
        expect(summary).to_be_hidden()
    else:
        expect(links).to_be_hidden()
        reach(page, summary)
        page.keyboard.press("Enter")
    expect(links).to_be_visible()


def looked_at(page: Page, width: int) -> None:
    """Nothing keeps anybody out, and at a small width nothing has to be pushed sideways."""
    whole(page)
    if width == 320:
        until(page, f"({WIDER}) === 0")


def opened(
    browser: Browser, size: tuple[int, int], scheme: str, language: str, signed_in: Any = None
) -> Page:
    width, height = size
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,  # type: ignore[arg-type]
        locale=language,
        storage_state=signed_in,
    )
    return context.new_page()


@pytest.mark.parametrize(("size", "scheme", "language"), COMBINATIONS)
def test_a_study_is_written_by_keyboard_alone(
    browser: Browser, tmp_path: Path, size: tuple[int, int], scheme: str, language: str
) -> None:
    folder, said = tmp_path / "porto", words_of(language)
    folder.mkdir()
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log, ExitStack() as stack:
        address = stack.enter_context(ferry_office())
        base = stack.enter_context(served(create_setup(folder, log, lambda: None)))
        page = opened(browser, size, scheme, language)
        page.goto(first_link(log, base))
        go_by_key(page, "button", said("Sign in"))
        reach(page, page.get_by_label(said("Bot address")))
        looked_at(page, size[0])
        page.keyboard.type(address)
        go_by_key(page, "button", said("Test bot"))
        expect(page.get_by_role("status")).to_contain_text("The ferry office hears you")
        looked_at(page, size[0])
        tongue = {"en": "English", "it": "Italiano"}[language]
        reach(page, page.get_by_label(said("My tasks (%(language)s)", language=tongue)))
        page.keyboard.type("A ferry\nA price\nA pier")
        go_by_key(page, "button", said("Create study"))
        expect(page.get_by_role("status")).to_contain_text(
            said("Study %(name)s created. Review it, then start the trial.", name="porto")
        )
        looked_at(page, size[0])
        with reading(language):
            consent, instructions, dialogue = map(step_title, ("consent", "instructions", "dialogue"))
        go_by_key(page, "button", said("Move step %(number)s, %(kind)s, down", number=1, kind=consent))
        expect(page.locator(".card strong").first).to_have_text(instructions)
        go_by_key(page, "link", said("Edit step %(number)s, %(kind)s", number=3, kind=dialogue))
        reach(page, page.locator("[name=set-gate]"))
        page.keyboard.type("none")
        looked_at(page, size[0])
        go_by_key(page, "button", said("Save"))
        expect(page.get_by_role("status")).to_have_text(said("Saved."))
        for name in ("Texts and information sheet", "Tasks", "Study file"):
            go_by_key(page, "link", said(name))
            expect(page.get_by_role("link", name=said("Back to the study"))).to_be_visible()
            looked_at(page, size[0])
            go_by_key(page, "link", said("Back to the study"))
        go_by_key(page, "link", said("Analysis and sample size"))
        reach(page, page.get_by_label(said("Margin of this comparison (non-inferiority)")))
        page.keyboard.type("0.1")
        looked_at(page, size[0])
        go_by_key(page, "button", said("Save"))
        expect(page.get_by_role("status")).to_have_text(said("Saved."))
        page.context.close()
    study = load_study(folder)
    assert list(study.languages) == [language]
    assert "\n    margin: 0.1\n" in (folder / "study.yaml").read_text(encoding="utf-8")
    assert [task.text[language] for task in study.tasks] == ["A ferry", "A price", "A pier"]
    assert study.visit[2].gate == "none"


class Filled(NamedTuple):
    """A filled trial, the state of a browser that is signed in there, and its report by language."""

    trial: Trial
    signed_in: Any
    reports: dict[str, Path]


@pytest.fixture(scope="module")
def filled(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    folder = tmp_path_factory.mktemp("filled")
    with ExitStack() as stack:
        trial = Trial(folder, lambda app: stack.enter_context(served(app)), DECLARED)
        page = browser.new_page()
        sign_in(page, trial)
        signed_in = page.context.storage_state()
        page.context.close()
        study = trial.study
        dataset = export_dataset(trial.log, study.name, folder / "dataset", domain_entities=study.entities())
        reports = {
            language: write_report(
                dataset, folder / f"{language}.html", options=ReportOptions(language=language)
            )
            for language in ("en", "it")
        }
        yield Filled(trial, signed_in, reports)
        trial.log.close_now()


@pytest.mark.parametrize(("size", "scheme", "language"), COMBINATIONS)
def test_overview_lab_and_answer_by_keyboard_alone(
    browser: Browser, filled: Filled, size: tuple[int, int], scheme: str, language: str
) -> None:
    said, tag = words_of(language), f"t{size[0]}-{scheme}-{language}"
    page = opened(browser, size, scheme, language, filled.signed_in)
    page.goto(filled.trial.address)
    expect(page.get_by_role("heading", level=1)).to_have_text(said("Overview"))
    looked_at(page, size[0])
    go_by_key(page, "link", said("View results"))
    answer = {"en": "nbest is non-inferior to onebest", "it": "nbest è non inferiore a onebest"}[language]
    expect(page.locator("section[aria-labelledby=answer]")).to_contain_text(answer)
    looked_at(page, size[0])
    reach(page, page.locator("figure.chart summary").first)
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Vega-Lite").first).to_be_visible()
    menu_by_key(page, size[0])
    go_by_key(page, "link", said("Dialogues"))
    expect(page.get_by_role("heading", level=1)).to_have_text(said("Dialogues"))
    box = page.get_by_role("heading", level=1).bounding_box()
    assert box is not None and box["y"] < 220, "menu and notices push the page down"
    looked_at(page, size[0])
    for key in "jxt":
        page.keyboard.press(key)
    expect(page.locator("#tag")).to_be_focused()
    page.keyboard.type(tag)
    go_by_key(page, "button", said("Add tag"))
    expect(page.locator(".found .label", has_text=tag)).to_have_count(1)
    looked_at(page, size[0])
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator(".turns").first).to_be_visible()
    expect(page.locator("h1")).to_be_focused()
    first = page.locator(".turns > .turn").first.bounding_box()
    assert first is not None and first["y"] < size[1], "what was said begins below what one sees first"
    looked_at(page, size[0])
    page.keyboard.press("u")
    expect(page.get_by_role("heading", level=1)).to_have_text(said("Dialogues"))
    expect(page.locator(".found tbody tr").nth(1).locator("th a")).to_be_focused()
    page.keyboard.press("/")
    page.keyboard.type("xylophone")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=said("No matching dialogues"))).to_be_visible()
    looked_at(page, size[0])
    page.context.close()


@pytest.mark.parametrize(("size", "scheme", "language"), COMBINATIONS)
def test_the_report_by_keyboard_alone(
    browser: Browser, filled: Filled, size: tuple[int, int], scheme: str, language: str
) -> None:
    page = opened(browser, size, scheme, language)
    page.goto(filled.reports[language].as_uri())
    whole(page)
    answer = page.locator("section.answer .first")
    assert answer.bounding_box()["y"] < 2 * size[1], "the answer is far below what one sees first"
    if size[0] == 320:
        reach(page, page.locator("details.folded summary"))
        page.keyboard.press("Enter")
    reach(page, page.locator("nav a:visible[href='#declared']").first)
    page.keyboard.press("Enter")
    expect(page.locator("#declared")).to_be_in_viewport()
    expect(page.locator("#table-declared")).to_contain_text(
        {"en": "Non-inferior?", "it": "Non inferiore"}[language]
    )
    reach(page, page.locator("figure details.behind summary").first)
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="SVG").first).to_be_visible()
    whole(page)
    page.context.close()
