"""One browser for a system, one profile with one page for each conversation."""

import asyncio
import os
import shutil
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

import httpx

from vivavoce.connectors.answers import bad_answer
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.transport import checked_addresses
from vivavoce.core.errors import SystemUnderTestError
from vivavoce.core.extras import require

_PROGRAMS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS: Final = ("--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking")
_UNREACHABLE: Final = (
    "ERR_CONNECTION_REFUSED",
    "ERR_NAME_NOT_RESOLVED",
    "ERR_ADDRESS_UNREACHABLE",
    "ERR_CONNECTION_TIMED_OUT",
    "ERR_UNSAFE_PORT",
    "ERR_INTERNET_DISCONNECTED",
)
_CLOSED: Final = ("ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET", "ERR_CONNECTION_CLOSED", "ERR_INCOMPLETE")
_READ: Final = """elements => elements.map(one => ({
    text: one.innerText.trim(),
    images: [...(one.matches('img') ? [one] : one.querySelectorAll('img'))].map(image => image.src),
}))"""
_TITLES: Final = "elements => elements.map(one => one.innerText.trim()).filter(title => title)"


class Selectors(Protocol):
    """The settings that a page is read by."""

    @property
    def input(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def send(self) -> str | None: ...
    @property
    def click(self) -> list[str]: ...
    @property
    def frame(self) -> str | None: ...
    @property
    def choices(self) -> str | None: ...
    @property
    def typing(self) -> str | None: ...
    @property
    def end(self) -> str | None: ...
    @property
    def first_output_timeout_s(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Seen:
    """Content of the bot's current turn on a page; upto counts all its messages on the page."""

    texts: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    typing: bool = False
    ended: bool = False
    upto: int = 0

    @property
    def given(self) -> bool:
        return bool(self.texts or self.images or self.ended)


class Browser:
    """A browser that is started when it is first needed."""

    def __init__(self, program: str | None, *, allow_private: bool) -> None:
        self._program, self._allow_private = program, allow_private
        self._starting = asyncio.Lock()
        self._running = AsyncExitStack()
        self._driver: Any = None
        self._browser: Any = None

    async def context(self, language: str) -> Any:
        """A fresh profile. Raises SystemUnderTestError("unreachable"): the browser cannot be started."""
        async with self._starting:
            if self._browser is None or not self._browser.is_connected():
                self._browser = await self._started()
            browser = self._browser
        context = await browser.new_context(locale=language, accept_downloads=False)
        if not self._allow_private:
            await context.route("**/*", self._checked)
        return context

    async def _started(self) -> Any:
        from playwright.async_api import Error, async_playwright

        program = self._program or next(filter(None, map(shutil.which, _PROGRAMS)), None)
        self._driver = self._driver or await self._running.enter_async_context(async_playwright())
        boxed = os.geteuid() != 0  # Chromium has no sandbox for root
        try:
            browser = await self._driver.chromium.launch(
                executable_path=program, args=list(_FLAGS), chromium_sandbox=boxed
            )
            self._running.push_async_callback(browser.close)
            return browser
        except Error as error:
            problem = f"the browser cannot be started: {_first_line(error)}"
            raise SystemUnderTestError("unreachable", problem, reached=False) from None

    async def _checked(self, route: Any) -> None:
        """Let a request of the page go on only to addresses that a bot may be reached at."""
        parts = urlsplit(route.request.url)
        if parts.scheme in ("http", "https", "ws", "wss"):
            try:
                await checked_addresses(parts.hostname or "", allow_private=False)
            except (SystemUnderTestError, httpx.ConnectError):
                await route.abort("addressunreachable")
                return
        await route.continue_()

    async def stop(self) -> None:
        async with self._starting:
            self._browser = self._driver = None
            with suppress(Exception):  # what is broken already is closed
                await self._running.aclose()


class Page:
    """One conversation's page."""

    def __init__(self, selectors: Selectors, context: Any, vault: Vault) -> None:
        self._selectors, self._context, self._vault = selectors, context, vault
        self._page: Any = None
        self._taken = 0

    @property
    def gone(self) -> bool:
        return self._page is None or self._page.is_closed()

    async def open(self, url: str) -> None:
        """Load the page and wait for the field to type into. Raises SystemUnderTestError."""
        limit_ms = self._selectors.first_output_timeout_s * 1000
        with self._reported():
            self._page = await self._context.new_page()
            self._page.set_default_timeout(limit_ms)
            response = await self._page.goto(url, wait_until="domcontentloaded")
        if response is not None and response.status >= 400:
            failure = "refused" if response.status < 500 else "bad_answer"
            raise SystemUnderTestError(failure, f"HTTP {response.status}")
        for selector in self._selectors.click:
            with self._reported(f"nothing to click matches {selector!r}"):
                await self._inside(selector).first.click()
        with self._reported(f"no message field matches {self._selectors.input!r}"):
            await self._inside(self._selectors.input).first.wait_for(state="visible")

    async def type(self, text: str) -> None:
        with self._reported(f"cannot type into {self._selectors.input!r}"):
            field = self._inside(self._selectors.input).first
            await field.fill(text)
            if self._selectors.send is None:
                await field.press("Enter")
            else:
                await self._inside(self._selectors.send).first.click()

    async def press(self, title: str) -> None:
        """Press a button that the bot offers; where it is gone, type what it says."""
        if self._selectors.choices is not None:
            with self._reported("cannot press the button"):
                buttons = self._inside(self._selectors.choices)
                titles = await buttons.evaluate_all("elements => elements.map(one => one.innerText.trim())")
                if title in titles:
                    await buttons.nth(titles.index(title)).click()
                    return
        await self.type(title)

    async def look(self) -> Seen:
        """Bot content since its last turn."""
        selectors = self._selectors
        with self._reported("cannot read the page"):
            messages = (await self._inside(selectors.message).evaluate_all(_READ))[self._taken :]
            choices = await self._inside(selectors.choices).evaluate_all(_TITLES) if selectors.choices else []
            return Seen(
                texts=tuple(message["text"] for message in messages if message["text"]),
                images=tuple(image for message in messages for image in message["images"]),
                choices=tuple(choices),
                upto=self._taken + len(messages),
                typing=await self._shown(selectors.typing),
                ended=await self._shown(selectors.end),
            )

    def taken(self, seen: Seen) -> None:
        """Mark the content seen as belonging to the previous turn."""
        self._taken = seen.upto

    async def _shown(self, selector: str | None) -> bool:
        if selector is None:
            return False
        return any([await element.is_visible() for element in await self._inside(selector).all()])

    def _inside(self, selector: str) -> Any:
        page = (
            self._page if self._selectors.frame is None else self._page.frame_locator(self._selectors.frame)
        )
        return page.locator(selector)

    async def close(self) -> None:
        with suppress(Exception):
            await self._context.close()

    @contextmanager
    def _reported(self, what: str | None = None) -> Iterator[None]:
        """Turns what goes wrong in the browser into SystemUnderTestError; what: if something is not found."""
        from playwright.async_api import Error
        from playwright.async_api import TimeoutError as TooLong

        try:
            yield
        except TooLong:
            if what is None:
                raise SystemUnderTestError("timeout", "the page did not load in time") from None
            raise bad_answer(what) from None
        except Error as error:
            message = self._vault.redact(_first_line(error))
            if any(code in message for code in _UNREACHABLE):
                raise SystemUnderTestError("unreachable", message, reached=False) from None
            if (
                "has been closed" in message
                or "crashed" in message
                or any(code in message for code in _CLOSED)
            ):
                raise SystemUnderTestError("closed", message) from None
            raise bad_answer(message) from None


def check_installed() -> None:
    """Raises InputError: Playwright is not installed."""
    require("playwright", place="connect")


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]
