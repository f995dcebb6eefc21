"""Somebody with a browser without a screen: walks by the pages' forms, talks as the page's script does."""

import asyncio
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from random import Random
from typing import Any, Final
from urllib.parse import urljoin

import aiohttp

WORDS: Final = "I am looking for a cheap pub in the centre"
LONGEST_WALK: Final = 40  # pages before the first dialogue
AGAIN_S: Final = 0.5  # until what was not taken is sent again, as the page does
POLL_S: Final = 25
KEPT_ALIVE_S: Final = 5  # as browsers keep a connection that asks for nothing
PATIENCE: Final = aiohttp.ClientTimeout(total=60)
_FORMS: Final = ("/start", "/consent", "/read", "/answers", "/dialogue/next")


class TurnedAway(Exception):
    """The pages led somebody to no dialogue; says where they ended."""


@dataclass
class SentTurn:
    """One turn: when it was sent first, acknowledged and answered, on the monotonic clock; None: never."""

    key: str
    text: str
    sent_s: float
    seq: int | None = None
    acknowledged_s: float | None = None
    answered_s: float | None = None


@dataclass
class Findings:
    """What happened to everybody: their turns, how long it took them to come in (s), what went wrong."""

    said: list[SentTurn] = field(default_factory=list)
    arrivals_s: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)


class _Page(HTMLParser):
    """The forms of a page with what is filled in, and the dialogue that it holds."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: list[tuple[str, dict[str, str]]] = []
        self.dialogue, self.title, self._in_title = "", "", False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        facts = {name: value or "" for name, value in attrs}
        self._in_title = tag == "title"
        if tag == "form":
            self.forms.append((facts.get("action", ""), {}))
            return
        if facts.get("name") == "dialogue_id":
            self.dialogue = facts.get("value", "")
        if not self.forms:
            return
        fields, name, kind = self.forms[-1][1], facts.get("name", ""), facts.get("type", "")
        if tag == "input" and kind == "range":
            fields[facts.get("id", "")] = facts.get("value", "")  # its answer is a hidden field of that name
        elif tag == "input" and kind == "radio":
            fields[name] = facts.get("value", "")  # the last one
        elif tag in ("input", "textarea") and name:
            fields[name] = facts.get("value", "") or ("nothing" if tag == "textarea" else "")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title, self._in_title = data.strip(), False


class Person:
    """One participant of a service, with a browser of their own."""

    def __init__(self, link: str, findings: Findings, chance: Random, pause_s: float) -> None:
        self._link, self._findings, self._chance, self._pause_s = link, findings, chance, pause_s
        self._free, self._over = asyncio.Event(), asyncio.Event()  # nothing is owed; the dialogue is over
        self._last: SentTurn | None = None
        self._after = 0
        self.dialogue = ""

    async def take_part(self, leaves: asyncio.Event) -> None:
        """Come in, talk until told to leave, and wait for the last answer."""
        browser: dict[str, Any] = {
            "cookie_jar": aiohttp.CookieJar(unsafe=True),  # of addresses that are numbers, too
            "connector": aiohttp.TCPConnector(keepalive_timeout=KEPT_ALIVE_S),
        }
        async with aiohttp.ClientSession(timeout=PATIENCE, **browser) as self._http:
            begun_s = time.monotonic()
            try:
                self.dialogue = await self._walk()
            except (TurnedAway, aiohttp.ClientError, TimeoutError) as error:
                told = str(error) if isinstance(error, TurnedAway) else type(error).__name__
                self._findings.errors[f"arrival: {told}"] += 1
                return
            self._findings.arrivals_s.append(time.monotonic() - begun_s)
            listening = asyncio.create_task(self._listen())
            try:
                await self._talk(leaves)
            finally:
                listening.cancel()
                await asyncio.gather(listening, return_exceptions=True)

    async def _walk(self) -> str:
        """From the first page to the first dialogue; its key. Raises TurnedAway, ClientError"""
        address, html = await self._page("GET", self._link)
        for _ in range(LONGEST_WALK):
            page = _Page(html)
            if page.dialogue:
                return page.dialogue
            forms = [
                (action, fields) for end in _FORMS for action, fields in page.forms if action.endswith(end)
            ]
            if not forms:
                raise TurnedAway(f"no dialogue behind the page {page.title or address!r}")
            action, fields = forms[0]
            fields |= {"answer": "agree"} if action.endswith("/consent") else {}
            address, html = await self._page("POST", urljoin(address, action), fields)
        raise TurnedAway(f"no dialogue within {LONGEST_WALK} pages")

    async def _page(self, method: str, address: str, fields: dict[str, str] | None = None) -> tuple[str, str]:
        """A page, asked for until it is given."""
        while True:
            async with self._http.request(method, address, data=fields) as answer:
                if answer.status not in (429, 503):
                    return str(answer.url), await answer.text()
            self._findings.errors[f"page: {answer.status}"] += 1
            await asyncio.sleep(AGAIN_S)

    async def _talk(self, leaves: asyncio.Event) -> None:
        await self._wait(leaves, self._pause_s * self._chance.random())
        while not leaves.is_set() and not self._over.is_set():
            await self._wait_until_free()
            if not self._over.is_set():
                await self._say()
            await self._wait_until_free()
            await self._wait(leaves, self._pause_s * (0.5 + self._chance.random()))

    async def _wait(self, leaves: asyncio.Event, seconds: float) -> None:
        try:
            await asyncio.wait_for(leaves.wait(), seconds)
        except TimeoutError:
            pass

    async def _wait_until_free(self) -> None:
        """Wait until the system owes nothing: the page takes no turn before that."""
        waits = [asyncio.create_task(one.wait()) for one in (self._free, self._over)]
        await asyncio.wait(waits, timeout=PATIENCE.total, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()

    async def _say(self) -> None:
        """Send a turn until it is taken, with one key."""
        key = uuid.uuid4().hex
        said = self._last = SentTurn(key, f"{WORDS} {key}", time.monotonic())
        self._findings.said.append(said)
        self._free.clear()
        turn = {"key": key, "dialogue_id": self.dialogue, "text": said.text}
        while not self._over.is_set():
            try:
                async with self._http.post(urljoin(self._link, "/turns"), json=turn) as answer:
                    body = await answer.json(content_type=None)
                    if answer.status == 200:
                        said.acknowledged_s, said.seq = time.monotonic(), body["seq"]
                        return
                    self._findings.errors[f"turn: {body.get('error', answer.status)}"] += 1
                    if answer.status not in (409, 429) and answer.status < 500:
                        return
            except (aiohttp.ClientError, TimeoutError, ValueError) as error:
                self._findings.errors[f"turn: {type(error).__name__}"] += 1
            await asyncio.sleep(AGAIN_S)

    async def _listen(self) -> None:
        """Wait for news all the time, as the page does."""
        while not self._over.is_set():
            asked = {"after": self._after, "wait": POLL_S, "dialogue_id": self.dialogue}
            try:
                async with self._http.get(urljoin(self._link, "/events"), params=asked) as answer:
                    if answer.status != 200:
                        raise ValueError(answer.status)
                    self._take(await answer.json())
            except (aiohttp.ClientError, TimeoutError, ValueError) as error:
                self._findings.errors[f"news: {type(error).__name__}"] += 1
                await asyncio.sleep(AGAIN_S)

    def _take(self, news: dict[str, Any]) -> None:
        self._after = news["seq"]
        kinds = [event["kind"] for event in news["events"]]
        if "failure" in kinds:
            self._findings.errors["answer: failure"] += 1
        if self._last is not None and self._last.answered_s is None and "system" in kinds:
            self._last.answered_s = time.monotonic()
        if not news["running"]:
            self._over.set()
        if not news["waiting"] and (self._last is None or {"system", "failure"} & set(kinds)):
            self._free.set()
