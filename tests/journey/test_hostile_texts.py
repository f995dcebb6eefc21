"""What systems, participants and researchers wrote stays text wherever a real browser shows it."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from scenes.browsing import study_with_texts
from scenes.payloads import Markup, markup
from scenes.visits import Parrot
from scenes.watched import served
from scenes.websites import running
from vivavoce.connectors.base import Conversation, SystemOutput, UserTurn
from vivavoce.dashboard.access import first_link
from vivavoce.dashboard.app import create_desk
from vivavoce.dataset.reader import Dataset
from vivavoce.log.events import TRIAL, TrialPaused
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.reports.html import write_report
from vivavoce.trial.engine import SessionEngine

pytestmark = [pytest.mark.browser, pytest.mark.reliability]
WATCHED = """window.ran = []; window.stopped = [];
addEventListener('securitypolicyviolation',
    (found) => stopped.push(`${found.violatedDirective} ${found.blockedURI}`));"""
# a link in a study's Markdown may lead elsewhere, if it takes nothing along
ACTIVE = """() => {
    const safe = [...document.querySelectorAll('a[rel="noopener noreferrer nofollow"][href^="http://far"]')]
        .map((one) => one.getAttribute('href'));
    return [...document.querySelectorAll('*')]
        .flatMap((one) => ['href', 'src', 'action', 'data', 'xlink:href'].map((at) => one.getAttribute(at)))
        .filter((to) => to && !safe.includes(to))
        .filter((to) => /far\\.invalid|^\\s*(javascript|data|vbscript):/i.test(to));
}"""
HANDLED = """() => [...document.querySelectorAll('*')]
    .flatMap((one) => one.getAttributeNames()).filter((name) => name.startsWith('on'))"""
CONTROL = """(texts) => Promise.all(texts.map((text) => new Promise((done) => {
    const frame = document.createElement('iframe');
    frame.srcdoc = text;
    frame.onload = () => setTimeout(done, 300);
    document.body.append(frame);
}))).then(() => new Set(ran).size)"""


class Hostile(Parrot):
    """A bot that answers with markup: all of it, in two answers."""

    def __init__(self, texts: list[Markup]) -> None:
        super().__init__()
        self.texts = texts
        self.greeting = None

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        self.sent.append(turn)
        half = len(self.texts) // 2
        for one in self.texts[half:] if len(self.sent) % 2 else self.texts[:half]:
            yield SystemOutput(kind="message", text=one.text)


class Watched:
    """A page of which is known what ran, what its policy had to stop, and what was asked from afar."""

    def __init__(self, browser: Browser) -> None:
        context = browser.new_context(locale="en-GB")
        context.add_init_script(WATCHED)
        self.page: Page = context.new_page()
        self.far: list[str] = []
        self.looked = 0
        self.page.on("request", self._asked)
        self.page.on("dialog", lambda one: self.far.append(one.message))

    def _asked(self, request: Request) -> None:
        if "far.invalid" in request.url:
            self.far.append(request.url)

    def is_quiet(self) -> None:
        """Nothing of it became markup on the page that is shown."""
        self.page.wait_for_load_state()
        self.looked += 1
        seen = [self.page.evaluate(one) for one in ("ran", "stopped", ACTIVE, HANDLED)]
        assert [*seen, self.far] == [[]] * 5, self.page.url


def chunks(texts: list[Markup], most: int) -> list[str]:
    """The texts, joined to as few as may be said at once."""
    made = [""]
    for one in texts:
        if len(made[-1]) + len(one.text) + 1 > most:
            made.append("")
        made[-1] += one.text + " "
    return made


@pytest.mark.long
def test_the_texts_would_run_where_they_are_taken_for_markup(
    browser: Browser, note_figures: Callable[..., None]
) -> None:
    """Else the test below could not fail."""
    texts, watched = markup(), Watched(browser)
    ran = watched.page.evaluate(CONTROL, [one.place.replace("{text}", one.text) for one in texts])
    note_figures(
        "hostile texts as markup, the control", texts=len(texts), ran=ran, fetched=len(set(watched.far))
    )
    assert len(texts) >= 200 and ran + len(set(watched.far)) > 120
    watched.page.context.close()


def test_what_anybody_wrote_runs_and_fetches_nothing_on_any_page(
    browser: Browser, tmp_path: Path, note_figures: Callable[..., None]
) -> None:
    texts, watched = markup(), Watched(browser)
    page = watched.page
    written = "\n\n".join(one.text for one in texts)
    study = study_with_texts(
        tmp_path,
        title={"en": texts[0].text, "it": texts[0].text},
        systems={name: {"connect": "parrot", "title": texts[2].text} for name in ("one", "two")},
    )
    for name in ("consent.md", "how.md"):
        study.documents[name]["en"] = f"# {texts[1].text}\n\n{written}"
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        engine = SessionEngine(study, log, dict.fromkeys(study.systems, Hostile(texts)))
        with running(create_app(engine)) as pages:
            page.goto(pages.url)
            page.get_by_role("button", name="Start").click()
            watched.is_quiet()
            page.get_by_role("button", name="I agree").click()
            watched.is_quiet()
            page.get_by_role("button", name="Continue").click()
            for number, said in enumerate(chunks(texts, 1900)):
                expect(page.locator("#send")).to_be_enabled()
                page.locator("#text").fill(said)
                page.locator("#text").press("Enter")
                expect(page.locator(".turn.user")).to_have_count(number + 1)
            expect(page.locator("#send")).to_be_enabled()
            watched.is_quiet()
            page.reload()
            watched.is_quiet()
            (dialogue,) = log.dialogues("city")
        log.transact_now(lambda tx: tx.append(TRIAL, TrialPaused(reason=written[:400], by=texts[4].text)))
        desk = create_desk(study, log, work_dir=tmp_path / "work", account_optional=True)
        with served(desk) as dashboard:
            page.goto(first_link(log, dashboard))
            page.get_by_role("button", name="Sign in").click()
            address = f"/dialogues?q={texts[2].text}&system={texts[20].text}"
            for path in (
                "/",
                "/visits",
                "/systems",
                f"/dialogues/{dialogue.dialogue_id}",
                address,
                "/trial",
                "/accounts",
            ):
                page.goto(dashboard + path)
                watched.is_quiet()
                assert page.locator("h1").count() == 1, path
        export_dataset(log, "city", tmp_path / "data")
    page.goto(write_report(Dataset(tmp_path / "data"), tmp_path / "report.html").as_uri())
    watched.is_quiet()
    note_figures(
        "hostile texts on pages, in Chromium", texts=len(texts), pages=watched.looked, ran=0, fetched=0
    )
    page.context.close()
