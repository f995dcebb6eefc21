"""A wizard and a participant in two windows: waiting room, scripted replies, the log, an end, a lost turn."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from scenes.browser import barriers, chromium, held_back, overflow
from scenes.visits import make_study
from scenes.websites import Website, running
from vivavoce.connectors.factory import make_connector
from vivavoce.log import events
from vivavoce.log.store import Log
from vivavoce.participant.accounts import Access
from vivavoce.participant.app import create_app
from vivavoce.participant.wizard import first_wizard_link
from vivavoce.study import model as study_model
from vivavoce.trial.engine import SessionEngine

pytestmark = pytest.mark.browser
WIZARD: dict[str, Any] = {
    "connect": "wizard",
    "instructions": {
        "en": "# The town guide\n\nFind out the *area* first.",
        "it": "# La guida\n\nChieda prima la *zona*.",
    },
    "greeting": "Hello, how can I help you?",
    "prompts": {"again": "Could you say that again?"},
    "strategies": {"explicit": {"area": "Which area, please?", "bye": "Goodbye."}},
    "delay_s": 0.2,
}


@contextmanager
def served(folder: Path, system: dict[str, Any]) -> Iterator[Website]:
    """A study of one dialogue with this system, on a free port."""
    step = study_model.DialogueStep(
        repeat=study_model.Range(min=1, max=1),
        gate="none",
        feedback=(),
        nontrivial=study_model.Nontrivial(user_turns=1),
    )
    study = make_study(folder, systems={"oz": system}, visit=(step,))
    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
        engine = SessionEngine(study, log, {"oz": make_connector(system, {}, folder=folder)})
        with running(create_app(engine)) as server:
            yield Website(server.url, engine, log)


def wizard_window(browser: Any, site: Website, name: str = "Merlin", **options: Any) -> Any:
    page = browser.new_context(**options).new_page()
    page.goto(first_wizard_link(Access(site.log), site.url))
    page.locator("input[name=name]").fill(name)
    page.locator("main button.primary").click()
    page.wait_for_url("**/wizard*")
    return page


def participant_window(browser: Any, site: Website) -> Any:
    page = browser.new_context().new_page()
    page.goto(site.url)
    page.locator("main form button.primary").first.click()
    page.locator("#transcript").wait_for()
    return page


def say(page: Any, text: str) -> None:
    page.locator("#send:enabled").wait_for()
    page.locator("#text").fill(text)
    page.keyboard.press("Enter")


def system_turns(log: Log) -> list[events.SystemTurnReceived]:
    return [one.event for one in log.all_events() if isinstance(one.event, events.SystemTurnReceived)]


def test_a_wizard_and_a_participant_meet_and_talk(tmp_path: Path) -> None:
    with served(tmp_path, WIZARD) as site, chromium() as browser:
        wizard = wizard_window(browser, site)
        wizard.get_by_text("Nobody is waiting.").wait_for()
        participant = participant_window(browser, site)
        take = wizard.get_by_role("button", name="Take this conversation")
        take.focus()
        wizard.keyboard.press("Enter")
        participant.get_by_text("Hello, how can I help you?").wait_for()
        say(participant, "a cheap pub <b>please</b>")
        wizard.get_by_text("a cheap pub <b>please</b>").wait_for()
        assert barriers(wizard) == [] and overflow(wizard) == 0
        wizard.get_by_role("button", name="area").click()
        wizard.locator("#reply").press("Enter")
        participant.get_by_text("Which area, please?").wait_for()
        say(participant, "the centre")
        wizard.get_by_text("the centre").wait_for()
        with held_back(wizard, "**/wizard/say") as sent:
            wizard.locator("#reply").fill("The Swan, in Mill Lane.")
            wizard.get_by_role("button", name="Send", exact=True).dblclick()
            wizard.locator("#reply").press_sequentially("It")  # the next one
            expect(wizard.locator("#reply")).to_have_value("It")
        assert len(sent) == 1
        participant.get_by_text("The Swan, in Mill Lane.").wait_for()
        expect(wizard.locator("#standing")).to_have_text("The participant is writing.")
        expect(wizard.locator("#reply")).to_have_value("It")
        say(participant, "thanks")
        wizard.get_by_text("thanks").wait_for()
        wizard.get_by_role("button", name="bye").click()
        wizard.get_by_role("button", name="Send and end the conversation").click()
        participant.get_by_text("The conversation is over.").wait_for()
        wizard.get_by_text("Nobody is waiting.").wait_for()
        assert "wizard" not in participant.content().lower()
        greeted, *answered = system_turns(site.log)
    assert greeted.raw == [
        {"wizard": "Merlin", "replaces": "system", "source": "greeting", "strategy": "explicit"}
    ]
    assert [one.raw[0] for one in answered] == [
        {
            "wizard": "Merlin",
            "replaces": "system",
            "source": "script",
            "label": "area",
            "strategy": "explicit",
        },
        {"wizard": "Merlin", "replaces": "system", "source": "free", "strategy": "explicit"},
        {
            "wizard": "Merlin",
            "replaces": "system",
            "source": "script",
            "label": "bye",
            "strategy": "explicit",
        },
    ]
    assert all((one.complete_s or 0) - (one.sent_s or 0) >= 0.2 for one in answered)


def test_what_one_wizard_has_taken_another_sees_only_when_it_is_given_back(tmp_path: Path) -> None:
    with served(tmp_path, WIZARD) as site, chromium() as browser:
        merlin, morgana = wizard_window(browser, site), wizard_window(browser, site, "Morgana")
        participant = participant_window(browser, site)
        morgana.get_by_role("button", name="Take this conversation").wait_for()
        merlin.get_by_role("button", name="Take this conversation").click()
        morgana.get_by_text("Nobody is waiting.").wait_for()
        say(participant, "hello there")
        merlin.get_by_text("hello there").wait_for()
        merlin.get_by_role("button", name="Hand over to another wizard").click()
        morgana.get_by_role("button", name="Take this conversation").click()
        morgana.get_by_text("hello there").wait_for()
        morgana.locator("#reply").fill("Good day.")
        morgana.locator("#reply").press("Enter")
        participant.get_by_text("Good day.").wait_for()
        assert system_turns(site.log)[-1].raw[0]["wizard"] == "Morgana"


@pytest.mark.long
def test_an_italian_wizard_on_a_telephone_reads_italian(tmp_path: Path) -> None:
    with served(tmp_path, WIZARD) as site, chromium() as browser:
        wizard = wizard_window(browser, site, locale="it-IT", viewport={"width": 320, "height": 700})
        wizard.get_by_text("Nessuno aspetta.").wait_for()
        wizard.get_by_text("La guida").wait_for()
        participant_window(browser, site)
        wizard.get_by_role("button", name="Prendi questa conversazione").click()
        wizard.get_by_role("button", name="Invia", exact=True).wait_for()
        assert barriers(wizard) == [] and overflow(wizard) == 0


def test_the_link_works_once_and_nobody_else_comes_in(tmp_path: Path) -> None:
    with served(tmp_path, WIZARD) as site, chromium() as browser:
        link = first_wizard_link(Access(site.log), site.url)
        page = browser.new_context().new_page()
        assert page.goto(site.url.rstrip("/") + "/wizard").status == 401
        assert page.goto(site.url.rstrip("/") + "/wizard/state").status == 401
        page.goto(link)
        page.goto(link)
        page.locator("input[name=name]").fill("Merlin")
        page.locator("main button.primary").click()
        page.wait_for_url("**/wizard")
        other = browser.new_context().new_page()
        assert other.goto(link).status == 410
        participant = participant_window(browser, site)
        assert participant.goto(site.url.rstrip("/") + "/wizard").status == 401
