"""A bot that lives only as a widget on a web page: a browser reads and types as a person would.

Wire    the page is opened for each conversation in a browser profile of its own; a turn is typed into `input`
        and sent; what `message` then finds more of is the bot's, until nothing changed for `idle_s` and no
        `typing` is shown
Memory  in the page, as long as it is open; a reset opens it in another profile
Retry   when the page could not be reached
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import ClassVar, Final

from pydantic import Field

from vivavoce.connectors.answers import clean_text
from vivavoce.connectors.base import (
    Capabilities,
    Choice,
    ConnectorSettings,
    Conversation,
    SystemOutput,
    UserTurn,
)
from vivavoce.connectors.browser_pages import Browser, Page, Seen, check_installed
from vivavoce.connectors.deadlines import in_time
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.system_connector import HoldingConnector
from vivavoce.connectors.urls import WebAddress

_LOOK_EVERY_S: Final = 0.05


class BrowserSettings(ConnectorSettings):
    """Settings of a system with `connect: browser`. Selectors are CSS, or what else Playwright takes."""

    starts: ClassVar[str] = "program"

    url: WebAddress = Field(description="page address")
    input: str = Field(min_length=1, description="selector of the message field")
    message: str = Field(min_length=1, description="selector of the bot's messages, one match per message")
    send: str | None = Field(None, description="selector of the send button (default: press Enter)")
    click: list[str] = Field(default_factory=list, description="selectors to click first, in order")
    frame: str | None = Field(None, description="selector of the iframe that contains the widget")
    choices: str | None = Field(None, description="selector of the bot's current buttons")
    typing: str | None = Field(None, description="selector of the typing indicator")
    end: str | None = Field(None, description="selector of the end-of-dialogue sign")
    greeting_s: float = Field(0.0, ge=0, le=120, description="seconds to wait for a greeting; 0: no greeting")
    idle_s: float = Field(1.5, gt=0, le=60, description="silence in seconds that ends the bot's turn")
    program: str | None = Field(None, description="browser program (default: an installed Chromium)")


class BrowserConnector(HoldingConnector[BrowserSettings, Page]):
    """A widget on a page as a bot."""

    name: ClassVar[str] = "browser"
    summary: ClassVar[str] = "a chat widget on a web page, driven by a browser"
    settings: ClassVar[type[ConnectorSettings]] = BrowserSettings
    knows_names: ClassVar[bool] = False
    check_installed = staticmethod(check_installed)

    def __init__(self, settings: BrowserSettings, vault: Vault) -> None:
        super().__init__(settings, vault)
        self._browser = Browser(settings.program, allow_private=settings.allow_private)

    @property
    def capabilities(self) -> Capabilities:
        offers = self._settings.choices is not None
        return Capabilities(choices=offers, memory="process", greets=self._settings.greeting_s > 0)

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        page = await self._page(conversation)
        greeting_s = self._settings.greeting_s
        if greeting_s and not conversation.history:
            async for output in self._heard(page, silent_ok_s=greeting_s):
                yield output

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        complete = False
        page = await self._page(conversation)
        outputs = in_time(self._exchange(page, turn), self._settings)
        try:
            async with aclosing(outputs):
                async for output in outputs:
                    yield output
            complete = True
        finally:
            if not complete:  # what it says late would be taken for its next answer
                await self.close(conversation)

    async def _exchange(self, page: Page, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        text, before = clean_text(turn.text), await page.look()
        for late in before.texts:
            self._wire.received("shown before this turn", self._vault.redact(clean_text(late)))
        page.taken(before)
        self._wire.sent("typed" if turn.payload is None else "pressed", text)
        await (page.type(text) if turn.payload is None else page.press(turn.payload))
        async for output in self._heard(page, silent_ok_s=None):
            yield output

    async def _heard(self, page: Page, silent_ok_s: float | None) -> AsyncIterator[SystemOutput]:
        """New content of the page once complete; a missing greeting is allowed."""
        clock, settings = time.monotonic, self._settings
        begun_s, first, last, seen = clock(), None, clock(), Seen()
        while True:
            now_seen, now = await page.look(), clock()
            if now_seen != seen:
                seen, last = now_seen, now
                if first is None and seen.given:
                    first = now
                    yield SystemOutput(kind="extras")  # says in time that the bot has begun
            if seen.given and now - last >= settings.idle_s and not seen.typing:
                break
            if silent_ok_s is not None and not seen.given and now - begun_s >= silent_ok_s:
                return
            await asyncio.sleep(_LOOK_EVERY_S)
        page.taken(seen)
        for output in self._outputs(seen, clock() - (first or last), clock() - last):
            yield output

    def _outputs(self, seen: Seen, first_ago_s: float, last_ago_s: float) -> list[SystemOutput]:
        """The turn as messages; the buttons belong to the last one."""
        texts = [self._vault.redact(clean_text(text)) for text in seen.texts]
        for text in texts:
            self._wire.received("shown", text)
        images = tuple(self._vault.redact(list(seen.images)))
        choices = tuple(Choice(title, title) for title in seen.choices)
        outputs = [SystemOutput(kind="message", text=text, held_s=first_ago_s) for text in texts[:-1]]
        if texts or images or choices:
            last = texts[-1] if texts else ""
            outputs.append(
                SystemOutput(kind="message", text=last, images=images, choices=choices, held_s=first_ago_s)
            )
        outputs.append(SystemOutput(kind="extras", held_s=last_ago_s))
        return [*outputs, SystemOutput(kind="end", held_s=last_ago_s)] if seen.ended else outputs

    async def _page(self, conversation: Conversation) -> Page:
        page = self._held.get(conversation.key)
        if page is None or page.gone:
            settings = self._settings
            page = Page(settings, await self._browser.context(conversation.language), self._vault)
            self._held[conversation.key] = page
            try:
                await page.open(self._vault.expand(settings.url))
            except BaseException:
                await self.close(conversation)
                raise
        return page

    async def shut_down(self) -> None:
        await super().shut_down()
        await self._browser.stop()
