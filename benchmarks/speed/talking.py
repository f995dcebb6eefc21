"""People who chat: with the participants' pages as their script does it, or with a bare relay."""

import asyncio
import random
import time
import uuid
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import aiohttp
import httpx
from benchmarks.speed import peers
from benchmarks.speed.row import vivavoce
from benchmarks.speed.servers import Server, free_port, served

from scenes.browserless import dialogue_of, submit
from vivavoce.participant.connections import allow_connections

BARE = Path(__file__).parent / "programs" / "bare.py"
WORDS = "a cheap pub in the centre"
STUDY = """study: talk
languages: [en]
title: Talk
systems:
  bot: {{connect: http, url: "{bot}/chat", allow_private: true}}
visit:
  - dialogue: {{gate: none}}
limits: {{visits_per_hour: 100000, user_turns: 1000}}
"""


@dataclass
class Times:
    """Seconds of each turn: until it was acknowledged, until its answer was there; how many got none."""

    acknowledged: list[float] = field(default_factory=list)
    answered: list[float] = field(default_factory=list)
    lost: int = 0


class Person(Protocol):
    async def ask(self, times: Times) -> None: ...

    async def leave(self) -> None: ...


allow_connections()  # two a person, of a thousand


@contextmanager
def bare(what: str, *arguments: str | Path) -> Iterator[Server]:
    """One of the bare servers."""
    port = free_port()
    with served([peers.python("starlette"), BARE, what, str(port), *arguments], port) as server:
        yield server


@contextmanager
def ours(folder: Path, bot: Server) -> Iterator[Server]:
    """`vivavoce serve` of a study with one system and nothing but dialogue."""
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY.format(bot=bot.address), encoding="utf-8")
    port = free_port()
    with served(vivavoce("serve", folder, "--port", port, "--desk-port", free_port()), port) as server:
        yield server


class AtRelay:
    """A person at the bare relay: one request a turn."""

    def __init__(self, address: str) -> None:
        self._address, self._key = f"{address}/turns", str(uuid.uuid4())
        self._http = aiohttp.ClientSession()

    async def ask(self, times: Times) -> None:
        begun = time.monotonic()
        async with self._http.post(self._address, json={"dialogue_id": self._key, "text": WORDS}) as answer:
            answer.raise_for_status()
            await answer.json()
        times.answered.append(time.monotonic() - begun)

    async def leave(self) -> None:
        await self._http.close()


class AtPages:
    """A person in a dialogue of the participants' pages: a long poll is open all the time."""

    def __init__(self, address: str, cookies: dict[str, str], dialogue_id: str) -> None:
        self._address, self._dialogue_id = address, dialogue_id
        # as browsers do it, an idle connection is left before the server closes it
        self._http = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(keepalive_timeout=5),
            cookies=cookies,
            cookie_jar=aiohttp.CookieJar(unsafe=True),
        )
        self._said: asyncio.Queue[float] = asyncio.Queue()
        self._listening = asyncio.create_task(self._listen())

    async def ask(self, times: Times) -> None:
        turn = {"key": str(uuid.uuid4()), "dialogue_id": self._dialogue_id, "text": WORDS}
        begun = time.monotonic()
        async with self._http.post(f"{self._address}/turns", json=turn) as answer:
            answer.raise_for_status()
        times.acknowledged.append(time.monotonic() - begun)
        try:
            times.answered.append(await asyncio.wait_for(self._said.get(), 30) - begun)
        except TimeoutError:
            times.lost += 1

    async def _listen(self) -> None:
        after = 0
        while True:
            query = {"after": after, "wait": 25, "dialogue_id": self._dialogue_id}
            async with self._http.get(f"{self._address}/events", params=query) as answer:
                news = await answer.json()
            now, after = time.monotonic(), news["seq"]
            for event in news["events"]:
                if event["kind"] == "system":
                    self._said.put_nowait(now)

    async def leave(self) -> None:
        self._listening.cancel()
        await asyncio.gather(self._listening, return_exceptions=True)
        await self._http.close()


async def arrived(address: str) -> AtPages:
    """Somebody who went from the first page into the dialogue, and knows what has happened."""
    async with httpx.AsyncClient(
        base_url=address, trust_env=False, follow_redirects=True, timeout=60
    ) as client:
        dialogue_id = dialogue_of(await submit(client, await client.get("/"), "/start"))
        while (await client.get("/events", params={"dialogue_id": dialogue_id})).json()["waiting"]:
            await asyncio.sleep(0.05)
        return AtPages(address, dict(client.cookies), dialogue_id)


async def in_tens(work: Sequence[Coroutine[Any, Any, AtPages]]) -> list[AtPages]:
    """The results of what is done ten at a time."""
    tens = [work[start : start + 10] for start in range(0, len(work), 10)]
    return [result for ten in tens for result in await asyncio.gather(*ten)]


async def talk(people: Sequence[Person], seconds: float, pause_s: float) -> Times:
    """All of them talk so long: a turn, then a pause."""
    times, until_s = Times(), time.monotonic() + seconds

    async def one(number: int, person: Person) -> None:
        chance = random.Random(number)
        await asyncio.sleep(chance.random() * pause_s)
        while time.monotonic() < until_s:
            await person.ask(times)
            await asyncio.sleep(pause_s * (0.5 + chance.random()))

    await asyncio.gather(*(one(number, person) for number, person in enumerate(people)))
    return times


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]
