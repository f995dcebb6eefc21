"""What a person with a small telephone notices: the task out of the way, Enter, Markdown, a code to copy."""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from scenes.browser import whole
from scenes.browsing import study_with_texts
from scenes.fighting import arena_study
from scenes.visits import Parrot
from scenes.websites import running
from vivavoce.connectors.base import Conversation, SystemOutput, UserTurn
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.study.model import Study, Task
from vivavoce.trial.engine import SessionEngine

pytestmark = [pytest.mark.browser, pytest.mark.long]
TASK = "You move house on Saturday and need a van. " * 7 + "The last thing to find out is the deposit."
COMPOSING = "new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true, cancelable: true})"


class Rental(Parrot):
    """Answers in Markdown."""

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        yield SystemOutput(kind="message", text="We have:\n\n- a **small** van\n- a large one\n\nWhich?")


@contextmanager
def telephone(browser: Browser, study: Study, folder: Path) -> Iterator[Page]:
    """The study's first page on a telephone that lets pages write to its clipboard."""
    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
        engine = SessionEngine(study, log, {name: Rental() for name in study.systems})
        with running(create_app(engine)) as server:
            context = browser.new_context(locale="en-GB", viewport={"width": 320, "height": 568})
            context.grant_permissions(["clipboard-read", "clipboard-write"])
            page = context.new_page()
            page.goto(server.url)
            page.get_by_role("button", name="Start").click()
            yield page
            context.close()


def height(page: Page, selector: str) -> float:
    box = page.locator(selector).bounding_box()
    assert box is not None
    return box["height"]


def test_the_task_is_read_whole_and_then_stays_as_one_line(browser: Browser, tmp_path: Path) -> None:
    task = Task(task_id="van", type="rental", constraints={}, requests=("deposit",), text={"en": TASK})
    with telephone(browser, study_with_texts(tmp_path, tasks=(task,) * 6), tmp_path) as page:
        page.get_by_role("button", name="I agree").click()
        page.get_by_role("button", name="Continue").click()
        expect(page.locator("#send")).to_be_enabled()
        whole(page)
        assert page.evaluate("scrollY") == 0
        cut = "(one => one.scrollHeight - one.clientHeight)(document.querySelector('.task'))"
        assert page.evaluate(cut) == 0 and height(page, ".task") > 250

        page.locator("#text").press_sequentially("hello")
        page.locator("#text").press("Shift+Enter")
        page.evaluate(f"document.getElementById('text').dispatchEvent({COMPOSING})")
        page.locator("#text").press_sequentially("there")
        expect(page.locator("#text")).to_have_value("hello\nthere")
        page.locator("#text").press("Enter")
        expect(page.locator(".turn.system li")).to_have_text(["a small van", "a large one"])
        expect(page.locator(".turn.system strong")).to_have_text("small")
        assert height(page, ".task") < 60
        whole(page)

        page.reload()
        expect(page.locator(".turn.system li")).to_have_text(["a small van", "a large one"])
        assert height(page, ".task") < 60
        page.locator(".task summary").click()
        expect(page.get_by_text("The last thing to find out is the deposit.")).to_be_in_viewport(ratio=1)


def test_enter_sends_in_an_arena_and_the_code_at_the_end_is_copied(browser: Browser, tmp_path: Path) -> None:
    with telephone(browser, arena_study(tmp_path / "study", battles=1, turns=1), tmp_path) as page:
        message = page.get_by_label("Your message to both")
        message.press_sequentially("a van")
        message.press("Shift+Enter")
        page.evaluate(f"document.getElementById('text').dispatchEvent({COMPOSING})")
        message.press_sequentially("for a day")
        expect(message).to_have_value("a van\nfor a day")
        message.press("Enter")
        page.get_by_role("button", name="A is better").click()
        code = page.locator(".completion").inner_text()
        page.get_by_role("button", name="Copy").click()
        expect(page.get_by_role("status")).to_have_text("Copied.")
        assert page.evaluate("navigator.clipboard.readText()") == code
        whole(page)
