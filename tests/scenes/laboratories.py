"""A laboratory with sessions, people who book and come, beside a crowd by an open link."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from scenes.patience import eventually
from scenes.recruiting import code_shown, hold_dialogue, talks
from vivavoce.api.studies import make_connectors
from vivavoce.core.clock import ManualClock
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.study.load import load_study
from vivavoce.study.model import Study
from vivavoce.testing.pages import Running, Visitor, running
from vivavoce.trial.engine import SessionEngine

STUDY = """
study: lab
languages: [en, it]
systems: {{one: {{connect: scripted, otherwise: I see.}}}}
visit:
  - dialogue: {{repeat: 1..4, gate: none}}
  - debrief: bye.md
limits: {{visits_per_hour: 1000}}
recruitment:
  links: {{open: true}}
  laboratory:
    room: Engineering Department, room 12
    time_zone: Europe/Rome
    days: [2026-12-01, 2026-12-02]
    times: ['10:00', '11:30']
    seats: 2
    dialogues: 2..3
    reward: 12.00 EUR
    {more}
populations:
  crowd: {{recruiters: [links], cost: {{currency: EUR, dialogue: 0.50}}}}
  laboratory: {{}}
"""
TWO_DAYS_BEFORE = datetime(2026, 11, 29, 12, tzinfo=UTC)
FIRST = datetime(2026, 12, 1, 9, tzinfo=UTC)
"""The first session, at ten in Rome."""


def write_laboratory(folder: Path, more: str = "") -> Path:
    """The folder of a study with a laboratory."""
    folder.mkdir()
    for name in ("bye.md", "bye.it.md"):
        (folder / name).write_text("# Bye\n\nThat was it.\n", "utf-8")
    (folder / "study.yaml").write_text(STUDY.format(more=more), "utf-8")
    return folder


@dataclass
class OpenLaboratory:
    """A laboratory's pages, on a clock that the test turns."""

    study: Study
    log: Log
    clock: ManualClock
    browser: Callable[[], Visitor]
    server: Running

    def at(self, instant: datetime) -> None:
        """Turn the clock on to an instant."""
        self.clock.advance((instant - self.clock.now()).total_seconds())

    def book(self, start: datetime = FIRST, email: str = "") -> str:
        """Somebody books a seat; their code."""
        browser = self.browser()
        browser.look("/laboratory")
        return code_of(browser.press("/laboratory/book?lang=en", slot=start.isoformat(), email=email))

    def arrive(self, code: str) -> Visitor:
        """Somebody opens their booking at a computer, and begins."""
        browser = self.browser()
        page = browser.look(f"/laboratory/booking?seat={code}")
        link = re.search(r'href="(/\?seat=[^"]+)"', page)
        assert link is not None, page
        browser.look(link[1].replace("&amp;", "&"))
        browser.press("/start")
        eventually(lambda: talks(browser), "the dialogue never began")
        return browser


def hold_dialogues(browser: Visitor, number: int) -> str:
    """Hold so many dialogues and go to the end of the visit; the code on its last page."""
    for held in range(number):
        if held:
            browser.press("/dialogue/next")
        hold_dialogue(browser)
    if "/dialogue/finish" in browser.html:
        browser.press("/dialogue/finish")
    browser.press("/read")
    return code_shown(browser)


@contextmanager
def open_laboratory(folder: Path, begin: datetime = TWO_DAYS_BEFORE) -> Iterator[OpenLaboratory]:
    """The pages of a laboratory."""
    study, clock = load_study(folder), ManualClock(begin)
    with ExitStack() as stack:
        log = stack.enter_context(Log.open(f"sqlite:///{folder / 'log.sqlite'}", clock))
        engine = SessionEngine(study, log, make_connectors(study), clock=clock)
        server = stack.enter_context(running(create_app(engine)))

        def browser() -> Visitor:
            visitor = Visitor(server.url)
            stack.callback(visitor.close)
            return visitor

        yield OpenLaboratory(study, log, clock, browser, server)


def code_of(page: str) -> str:
    """The code on the page of a booking."""
    found = re.search(r'class="completion"[^>]*>([^<]+)<', page)
    assert found is not None, page
    return found[1]
