"""Annotators label dialogues by keyboard in a browser; two of them disagree and a researcher decides."""

from collections.abc import Iterator
from pathlib import Path

import krippendorff
import pytest
from playwright.sync_api import Browser, Page, expect

from scenes.annotating import PASSWORD, annotated_study, hold_dialogue
from scenes.browser import until, whole
from scenes.transcribing import silence
from scenes.websites import Running, running
from vivavoce.annotation.judgement import LABELS
from vivavoce.annotation.workplace import Workplace
from vivavoce.dashboard.app import create_desk
from vivavoce.dataset.annotation_layers import Labels
from vivavoce.log.annotation_state import Place
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.participant.accounts import ANNOTATOR, Access
from vivavoce.participant.app import create_app
from vivavoce.trial.engine import SessionEngine

pytestmark = pytest.mark.browser


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    for number in range(3):
        silence(tmp_path / "study" / "audio" / f"dialogue-{number:03}.wav", seconds=6)
    section = "schemes: [context, maxim, avp]\n  double: 1\n  recordings: audio"
    study = annotated_study(tmp_path / "study", section)
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        for number in range(3):
            hold_dialogue(log, study, number)
        with running(create_app(SessionEngine(study, log, {}))) as started:
            yield started


def workplace(server: Running) -> Workplace:
    return LABELS.open(server.site.study, server.site.engine.log)


def come_in(browser: Browser, server: Running, name: str, **context: object) -> Page:
    """A new annotator: by the one-time link to an account, by keyboard."""
    page = browser.new_context(**context).new_page()  # pyright: ignore[reportArgumentType]
    page.goto(Access(server.site.engine.log).invite(ANNOTATOR, server.url + "/annotate"))
    whole(page)
    page.locator("main button").press("Enter")
    page.locator("#name").fill(name)
    page.locator("#password").fill(PASSWORD)
    page.locator("#again").fill(PASSWORD)
    whole(page)
    page.keyboard.press("Enter")
    page.wait_for_url("**/annotate")
    return page


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def at(page: Page, number: int, total: int) -> None:
    expect(page.locator(".progress").first).to_contain_text(f"{number} of {total}")


@pytest.mark.long
def test_an_annotator_labels_a_dialogue_by_keyboard_alone(browser: Browser, server: Running) -> None:
    page, errors = come_in(browser, server, "Anna"), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    whole(page)
    page.get_by_role("button", name="Begin a dialogue").press("Enter")
    at(page, 1, 5)
    whole(page)
    expect(page.locator("#asked")).to_be_focused()
    until(page, "document.querySelector('audio')?.readyState > 0")
    press(page, ".")
    until(page, "document.querySelector('audio')?.played.length > 0")
    until(page, "document.querySelector('audio')?.paused")  # at the end of the turn
    heard = page.evaluate("document.querySelector('audio').currentTime")
    assert 0.5 <= heard < 3, "the first turn ends after half a second"
    press(page, "a", "i", "i")  # faster than the page saves: nothing is lost
    at(page, 4, 7)
    expect(page.locator("#asked")).to_contain_text("Maxims violated")
    press(page, "m", "e")
    expect(page.locator(".given li")).to_have_count(2)
    press(page, "Enter", "0")
    at(page, 6, 7)
    page.reload()
    at(page, 6, 7)
    whole(page)
    expect(page.locator("#asked")).to_be_focused()  # now the page listens
    press(page, "c")
    expect(page.locator("#value")).to_be_focused()
    page.keyboard.type("food=thai")
    press(page, "Enter")
    expect(page.locator(".given")).to_contain_text("Understood (food=thai)")
    press(page, "Enter")
    at(page, 7, 7)
    press(page, "ArrowLeft")
    at(page, 6, 7)
    expect(page.locator("#asked")).to_be_focused()
    expect(page.locator(".given")).to_contain_text("food=thai")
    press(page, "Enter")
    at(page, 7, 7)
    press(page, "0")
    expect(page.locator("h1")).to_have_text("This dialogue is complete")
    whole(page)
    press(page, "Enter")
    at(page, 1, 5)
    (work,) = [
        work
        for found in workplace(server).see().dialogues.values()
        for work in found.work.values()
        if work.finished_at is not None
    ]
    said = {
        (place.scheme, place.turn_index): [one.label for one in judged.labels]
        for place, judged in work.judged.items()
    }
    assert said == {
        ("context", 0): ["AP"],
        ("context", 2): ["IA"],
        ("context", 4): ["IA"],
        ("maxim", 2): ["manner", "repair"],
        ("maxim", 4): [],
        ("avp", 1): ["c"],
        ("avp", 3): [],
    }
    assert work.judged[Place("avp", 1)].labels[0].value == "food=thai"
    assert errors == []


@pytest.mark.long
def test_the_page_is_whole_on_a_small_telephone_in_italian(browser: Browser, server: Running) -> None:
    small = {"viewport": {"width": 320, "height": 568}, "has_touch": True, "locale": "it-IT"}
    page = come_in(browser, server, "Bruno", **small)
    expect(page.locator("html")).to_have_attribute("lang", "it")
    whole(page)
    page.get_by_role("link", name="Bruno").tap()
    expect(page.locator("h1")).to_have_text("Il tuo account")
    whole(page)
    page.get_by_role("link", name="Torna ai tuoi compiti").tap()
    page.get_by_role("button", name="Comincia un dialogo").tap()
    expect(page.locator(".progress").first).to_contain_text("1 di 5")
    whole(page)
    page.get_by_role("button", name="Inadeguato").tap()
    expect(page.locator(".progress").first).to_contain_text("2 di 6")
    whole(page)


def test_a_label_that_cannot_be_saved_is_told_and_can_be_pressed_again(
    browser: Browser, server: Running
) -> None:
    page = come_in(browser, server, "Carla")
    page.get_by_role("button", name="Begin a dialogue").click()
    page.wait_for_url("**/annotate/work")
    at(page, 1, 5)
    page.context.set_offline(True)
    press(page, "a")
    expect(page.locator("#unsaved")).to_be_visible()
    page.context.set_offline(False)
    press(page, "a")
    at(page, 2, 5)


@pytest.fixture
def dashboard(server: Running, tmp_path: Path) -> Iterator[Running]:
    """The dashboard of the same log."""
    site = server.site
    desk = create_desk(site.study, site.engine.log, work_dir=tmp_path / "desk", account_optional=True)
    desk.state.site = site  # whom a page server tells that it closes
    with running(desk) as started:
        yield started
    desk.state.desk.snapshots.close()


def annotate(page: Page, *keys: str) -> None:
    """Press keys, each when the page has come to the next place."""
    page.get_by_role("button", name="Begin a dialogue").click()
    page.wait_for_url("**/annotate/work")  # and its script, which listens to the keys
    for number, key in enumerate(keys, 1):
        expect(page.locator(".progress").first).to_contain_text(f"{number} of")
        page.keyboard.press(key)
    expect(page.locator("h1")).to_have_text("This dialogue is complete")
    page.get_by_role("button", name="Finish and pause").click()
    expect(page.locator("h1")).to_have_text("Annotate")


def test_two_annotate_the_same_and_a_researcher_decides_by_keyboard(
    browser: Browser, server: Running, dashboard: Running, tmp_path: Path
) -> None:
    annotate(come_in(browser, server, "Anna"), "a", "t", "c", "0", "0")
    annotate(come_in(browser, server, "Bruno"), "a", "t", "t", "0", "0")
    page = browser.new_context(viewport={"width": 320, "height": 640}).new_page()
    page.goto(Access(server.site.engine.log).invite("researcher", dashboard.url))
    page.get_by_role("button", name="Sign in").click()
    page.goto(f"{dashboard.url}/annotation")
    whole(page)
    dataset = export_dataset(server.site.engine.log, "city", tmp_path / "data")
    rows = [row for row in dataset.read("annotations").to_pylist() if row["layer"] == "context"]
    who = sorted({row["annotator_id"] for row in rows})
    labels = ["AP", "TF", "IC"]
    data = [[labels.index(row["label"]) for row in rows if row["annotator_id"] == one] for one in who]
    expected = krippendorff.alpha(reliability_data=data, level_of_measurement="nominal")
    cell = page.locator('[data-alpha="context"]')
    assert float(cell.get_attribute("data-value") or "nan") == pytest.approx(expected, abs=1e-12)
    assert cell.inner_text().startswith(f"{expected:.3f}")
    page.get_by_role("link", name="Decide").click()
    whole(page)
    expect(page.locator(".verdict")).to_have_count(2)
    assert sorted(page.locator(".verdict").all_inner_texts()) == ["Incomprehensible", "Total failure"]
    expect(page.locator("#asked")).to_be_focused()
    page.keyboard.press("i")
    expect(page.get_by_role("status")).to_have_text("All disagreements are decided.")
    decided = (
        export_dataset(server.site.engine.log, "city", tmp_path / "after").read("annotations").to_pylist()
    )
    standing = next(iter(Labels(decided).of("context").values()))
    assert [(one.turn_index, one.label) for one in standing] == [(0, "AP"), (2, "TF"), (4, "IA")]
