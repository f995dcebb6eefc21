"""Debian's Chromium, driven by Playwright; tests that ask for it are skipped where it is absent."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeVar

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Error, Locator, Page, Route, expect, sync_playwright

from scenes.patience import PATIENCE_S, eventually

CHROMIUM: Final = shutil.which("chromium")
ARGUMENTS: Final = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_MS: Final = PATIENCE_S * 1000
expect.set_options(timeout=PATIENCE_MS)  # Playwright's own limit is five seconds
Result = TypeVar("Result")
# in a chat nothing can be sent while the bot is waited for, at first for whether it begins
HEARS: Final = "document.readyState === 'complete' && !document.querySelector('p#typing:not([hidden])')"
DOCUMENT: Final = "document.readyState === 'complete' ? String(performance.timeOrigin) : ''"
KEPT: Final = """([database, things]) => new Promise((resolve) => {
    const opening = indexedDB.open(database);
    opening.onupgradeneeded = () => opening.transaction.abort();  // else there would be an empty one
    opening.onerror = () => resolve(0);
    opening.onsuccess = () => {
        const counted = opening.result.transaction(things).objectStore(things).count();
        counted.onsuccess = () => (opening.result.close(), resolve(counted.result));
    };
})"""
TAGS: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def microphone(sound: Path) -> tuple[str, ...]:
    """Arguments for a browser whose microphone is allowed and hears a WAV file, over and over."""
    return (
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-audio-capture={sound}",
        "--autoplay-policy=no-user-gesture-required",
    )


def _patient(make: Callable[..., Result]) -> Callable[..., Result]:
    """Makes contexts and pages on which all may take its time; Playwright's own limit is thirty seconds."""

    def made(*arguments: Any, **more: Any) -> Result:
        found: Any = make(*arguments, **more)
        found.set_default_timeout(PATIENCE_MS)
        return found

    return made


Browser.new_context, Browser.new_page = _patient(Browser.new_context), _patient(Browser.new_page)


@contextmanager
def chromium(*extra: str) -> Iterator[Browser]:
    """A browser; `extra` are arguments beside the usual ones, such as a microphone that plays a file."""
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine: make test installs it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=[*ARGUMENTS, *extra], timeout=PATIENCE_MS
        )
        browser.on("context", lambda context: context.on("page", _listening))
        try:
            yield browser
        finally:
            browser.close()


def _listening(page: Page) -> None:
    for name in ("press", "type", "insert_text"):
        setattr(page.keyboard, name, _heard(getattr(page.keyboard, name), lambda *_: page))


def _heard(key: Callable[..., Any], hearer_of: Callable[..., Page | Locator]) -> Callable[..., Any]:
    """Keys wait until a page hears them: its scripts, which come after all that can be seen, and the bot."""

    @wraps(key)
    def heard(*given: Any, **more: Any) -> Any:
        until(hearer_of(*given[:1]), HEARS)  # the page that is there now, or the element's own frame
        return key(*given, **more)

    return heard


Locator.press = _heard(Locator.press, lambda element: element)
Locator.press_sequentially = _heard(Locator.press_sequentially, lambda element: element)


def of_one_page(page: Page, look: Callable[[], Result]) -> Result:
    """What is seen of a page that is there, styles and all, until the look is over.

    A page that comes while one looks has no styles yet: what is then found is true of no page.
    """

    def looked() -> list[Result]:
        with suppress(Error):  # of a page that goes while one looks
            before, seen, after = page.evaluate(DOCUMENT), look(), page.evaluate(DOCUMENT)
            return [seen] if before and before == after else []
        return []

    return eventually(looked, "no page stayed while it was looked at")[0]


def barriers(page: Page) -> list[str]:
    """What axe finds that keeps people out, one line each; [] when it finds nothing."""
    options = {"resultTypes": ["violations"], "runOnly": {"type": "tag", "values": TAGS}}
    found = of_one_page(page, lambda: Axe().run(page, options=options).response["violations"])
    return [f"{one['id']} ({one['impact']}): {node['html'][:120]}" for one in found for node in one["nodes"]]


def until(page: Page | Locator, expression: str) -> None:
    """Wait until a JavaScript expression is true; the pages' own policy forbids Playwright's own way.

    It is not true of a page that goes, or of what is not there yet.
    """

    def holds() -> bool:
        with suppress(Error):
            return bool(page.evaluate(expression))
        return False

    eventually(holds, f"never true: {expression}")


def kept(page: Page, database: str, things: str) -> int:
    """How much a page keeps in the browser's own database; 0 where there is none yet."""
    return page.evaluate(KEPT, [database, things])


@contextmanager
def held_back(page: Page, address: str) -> Iterator[list[Route]]:
    """What the page asks of an address gets there when the block is left, as over a slow network."""
    held: list[Route] = []
    page.route(address, lambda route: held.append(route))
    yield held
    eventually(lambda: page.title() is not None and held, f"{address} was not asked for")
    for route in held:
        route.continue_()
    page.unroute(address)


def press(page: Page, button: str) -> None:
    """Press a button by keyboard once it is there; else the key goes to whatever has the focus."""
    expect(page.locator(button)).to_be_visible()
    expect(page.locator(button)).to_be_enabled()
    page.locator(button).press("Enter")


def told(said: ConsoleMessage) -> str:
    """What a page complains of, and where."""
    return f"{said.text} {said.location.get('url', '')}"


def overflow(page: Page) -> int:
    """By how many pixels the page is wider than the window."""
    wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    return int(of_one_page(page, lambda: page.evaluate(wider)))


def whole(page: Page) -> None:
    """A page that is there keeps nobody out: one first heading, no barrier, nothing wider than the window."""
    page.wait_for_load_state()
    expect(page.locator("h1")).to_have_count(1)
    assert barriers(page) == []
    assert overflow(page) <= 0


def every(page: Page, selector: str) -> list[Locator]:
    """All of these once the page is there, and at least one: `all` and `count` do not wait."""
    page.wait_for_load_state()
    expect(page.locator(selector).first).to_be_visible()
    return page.locator(selector).all()
