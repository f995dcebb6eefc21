"""The laboratory calls: a participant asks on the page, answers, talks, hears the code and types it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from scenes.browser import barriers, overflow
from scenes.patience import eventually
from scenes.telephones import baresip, sipp_called
from scenes.voices import voice
from scenes.websites import Running, running
from vivavoce.api.studies import make_connectors
from vivavoce.audio.files import pcm16
from vivavoce.audio.sound import Sound
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.study.load import load_study
from vivavoce.trial.engine import SessionEngine
from vivavoce_speech.telephony.switchboard import Switchboard

pytestmark = pytest.mark.browser

WISH = "I am looking for a cheap restaurant in the city centre"
STUDY = """study: calls
languages: [en, it]
systems:
  waiter: {connect: scripted, greeting: Hello., replies: [{match: "", say: Goodbye., end: true}]}
visit:
  - consent: consent.md
  - dialogue: {repeat: 1, gate: code, channel: phone}
  - debrief: debrief.md
telephone:
  outbound: {allowed: ["sip:*@127.0.0.1:*", "+39"], hours: "00:00-24:00", pause_s: 0, ring_s: RING_S}
  recogniser: {use: pocketsphinx, sentences: callers.txt}
  synthesiser: {use: flite, voice: rms}
  silence_s: 60
"""


class Laboratory:
    """The study served, and one participant's page in Chromium."""

    def __init__(self, pages: Running, log: Log) -> None:
        self.pages, self.log = pages, log

    def events(self, kind: str) -> list[Any]:
        return [
            one.event
            for visit in self.log.visits("calls")
            for one in self.log.events(visit.visit_id)
            if one.event.kind == kind
        ]


@contextmanager
def laboratory(folder: Path, *, ring_s: int = 120) -> Iterator[Laboratory]:
    folder.mkdir(parents=True)
    (folder / "study.yaml").write_text(STUDY.replace("RING_S", str(ring_s)))
    (folder / "callers.txt").write_text(f"{WISH}\nwhat is the address\nthank you goodbye\n")
    for name in ("consent", "debrief"):
        for ending in ("md", "it.md"):
            (folder / f"{name}.{ending}").write_text(f"# {name}\n\nYour call is recorded.\n")
    study = load_study(folder)
    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
        engine = SessionEngine(study, log, make_connectors(study))
        assert study.telephone is not None
        with running(create_app(engine, lines={"phone": Switchboard(engine, study.telephone)})) as pages:
            yield Laboratory(pages, log)


def page_of_a_visit(browser: Browser, lab: Laboratory, *, locale: str = "en-GB", **more: Any) -> Page:
    page = browser.new_context(locale=locale, **more).new_page()
    page.goto(lab.pages.url)
    page.locator("form[action$='/start'] button").click()
    page.locator("button[value=agree]").click()
    expect(page.locator("#callee")).to_be_visible()
    return page


def ask(page: Page, number: str) -> None:
    """Fill in the form and send it by keyboard alone."""
    page.locator("#callee").fill(number)
    page.keyboard.press("Tab")
    if not page.locator("[name=agreed]").is_checked():
        page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")


def said(page: Page, words: str) -> None:
    expect(page.locator("#call-state")).to_have_text(words)


def test_a_participant_is_called_talks_and_types_the_code(browser: Browser, tmp_path: Path) -> None:
    with (
        laboratory(tmp_path / "study") as lab,
        baresip(tmp_path / "telephone", "5550101", answers=True) as telephone,
    ):
        page = page_of_a_visit(browser, lab)
        assert barriers(page) == []
        expect(page.locator("#number")).to_have_count(0)
        ask(page, telephone.address)
        telephone.wait_until_called()
        said(page, "You are connected. If you hear a question, press 1 to begin.")
        assert barriers(page) == []
        telephone.press("1")
        eventually(lambda: lab.events("system_turn_received"), "the system did not speak")
        legs = lab.events("call_connected")
        assert [one.joined_by for one in legs] == ["placed"]
        telephone.say(Sound(pcm16(voice(WISH, "slt")), 16_000))
        telephone.wait_until_hung_up()
        eventually(lambda: lab.events("call_ended"), "the call was not ended")
        said(page, "The call is over.")
        assert lab.events("code_spoken")[0].times == 2
        page.locator("#code").fill(lab.events("code_issued")[0].code)
        page.get_by_role("button", name="Continue").click()
        expect(page.get_by_role("heading", name="debrief")).to_be_visible()
        stored = "".join(
            one.event.model_dump_json()
            for visit in lab.log.visits("calls")
            for one in lab.log.events(visit.visit_id)
        )
        assert "5550101" not in stored


@pytest.mark.long
def test_busy_declined_and_unanswered_calls_are_told_in_italian_and_tried_again(
    browser: Browser, tmp_path: Path
) -> None:
    with laboratory(tmp_path / "study", ring_s=5) as lab:
        page = page_of_a_visit(browser, lab, locale="it-IT", viewport={"width": 320, "height": 700})
        assert overflow(page) <= 0
        for scenario, words in (
            ("busy", "La linea era occupata. Riprova, per favore."),
            ("declines", "La chiamata è stata rifiutata. Puoi riprovare."),
            ("rings", "Non ha risposto nessuno. Riprova quando hai il telefono a portata di mano."),
        ):
            with sipp_called(tmp_path / scenario, f"sipp_{scenario}.xml") as address:
                ask(page, address)
                said(page, words)
                expect(page.locator("#call-me")).to_be_enabled()
                expect(page.locator("#callee")).to_have_value(address)  # nobody types it again
        assert barriers(page) == []
        assert [one.outcome for one in lab.events("call_unanswered")] == ["busy", "declined", "no_answer"]
        for number in ("+39 899 123456", "sip:someone@127.0.0.2"):
            with page.expect_response(lambda one: one.request.method == "POST"):
                ask(page, number)
            said(page, "Questo studio non può chiamare quel numero.")
            expect(page.locator("#call-me")).to_be_enabled()
        assert overflow(page) <= 0
        assert len(lab.events("call_placed")) == 3
