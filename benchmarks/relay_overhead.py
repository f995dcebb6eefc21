"""What the service adds to a turn, from a participant's browser to the bot and back, against a bare proxy.

    python benchmarks/relay_overhead.py [--dialogues 1 50 200] [--pairs 6] [--seconds 12] [--pause 5]
        [--peer proxy|durable]

With `--peer durable` the other way is the least that does the same work: a Starlette application with the two
addresses that the page's script uses, which commits each turn to SQLite (WAL, `synchronous=FULL`, one writer,
one COMMIT for all who wait) before it acknowledges, before it asks the bot and before it shows the answer. It
has no study, no keys that are looked up again, no chain and no state: it is the limit. `ratios` are service
to peer: of processor time a turn, and of the 99th percentile of the time to the bot and back from it.

The same people talk to the same bot process, now through a bare proxy (one request a turn, one shared client
to the bot, nothing kept), now through the participants' pages as their script does it: a long poll is open
all the time, a turn is posted by its side; all is committed before it is sent and before it is shown, the raw
exchange is logged. Bot, proxy and service are processes of their own; the bot stamps arrival and departure on
the clock that all processes of a machine share, the participant's side stamps sending and receipt.

Both ways are gone in turns, block by block (bare, service, service, bare, ...), so that a machine that gets
slower meanwhile is as slow for both. What the service adds is the median over the pairs of blocks of the
difference of their medians; of six pairs the lowest and highest difference enclose it with 96.9 %. Printed,
too: the load of the machine, and how long the disk under `--folder` takes to write something for good, a part
of each way. Fewer than fifty people pause less, so that there are turns enough to count.
"""

import argparse
import asyncio
import json
import os
import queue
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import aiohttp
import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from scenes.browserless import dialogue_of, submit
from scenes.processes import free_port, wait_for_port
from scenes.visits import make_study
from vivavoce.connectors.factory import make_connector
from vivavoce.log.store import Log
from vivavoce.study import model as study_model
from vivavoce.trial.engine import SessionEngine
from vivavoce.web.app import create_app
from vivavoce.web.serving import PageServer
from vivavoce.web.site import RateLimits

Result = TypeVar("Result")
Times = list[tuple[float, float]]
WAYS = ("to_bot", "from_bot")
ENOUGH = 50  # people; fewer pause less
WORDS = "a cheap pub in the centre"


class Person(Protocol):
    """Who can say something and tell how long it took to the bot and back from it, in seconds."""

    async def ask(self) -> tuple[float, float]: ...


class Block(NamedTuple):
    """Delays of all turns of a stretch of time, in seconds, and the processor time of what stood between."""

    to_bot: list[float]
    from_bot: list[float]
    cpu_ms: float


STAYING: dict[str, Any] = {
    "timeout_keep_alive": 75,
    "timeout_graceful_shutdown": 1,
}  # nobody's pause ends a connection


async def _body(receive: Any) -> bytes:
    body, more = b"", True
    while more:
        part = await receive()
        body, more = body + part.get("body", b""), part.get("more_body", False)
    return body


async def _answer(send: Any, body: bytes) -> None:
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": body})


def serve_bot(port: int) -> None:
    """A bot that answers at once with the times of arrival and departure."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        arrived = time.monotonic()
        await _body(receive)
        await _answer(send, json.dumps({"text": f"{arrived!r} {time.monotonic()!r}"}).encode())

    uvicorn.run(app, port=port, log_level="warning", lifespan="off", **STAYING)


def serve_proxy(port: int, bot: str) -> None:
    """Passes a turn on and the answer back."""
    client = httpx.AsyncClient(trust_env=False, limits=httpx.Limits(max_connections=None))

    async def app(scope: Any, receive: Any, send: Any) -> None:
        answer = await client.post(bot, content=await _body(receive))
        await _answer(send, answer.content)

    uvicorn.run(app, port=port, log_level="warning", lifespan="off", **STAYING)


def serve_durable(port: int, bot: str, folder: Path) -> None:
    """Takes turns and gives news as the pages do, with each committed before anybody sees it, and no more."""
    client = httpx.AsyncClient(trust_env=False, limits=httpx.Limits(max_connections=None))
    rows: queue.SimpleQueue[tuple[str, str, asyncio.Future[None], asyncio.AbstractEventLoop]] = (
        queue.SimpleQueue()
    )
    said: dict[str, list[str]] = {}
    news: dict[str, asyncio.Event] = {}
    working: set[asyncio.Task[None]] = set()

    def write() -> None:
        database = sqlite3.connect(folder / "peer.sqlite", isolation_level=None)
        database.execute("PRAGMA journal_mode=WAL").fetchall()
        database.execute("PRAGMA synchronous=FULL")
        database.execute("CREATE TABLE turns (dialogue TEXT, text TEXT)")
        while True:
            batch = [rows.get()]
            while not rows.empty():
                batch.append(rows.get())
            database.execute("BEGIN IMMEDIATE")
            database.executemany("INSERT INTO turns VALUES (?, ?)", [row[:2] for row in batch])
            database.execute("COMMIT")
            for _, _, done, loop in batch:
                loop.call_soon_threadsafe(done.set_result, None)

    async def commit(dialogue: str, text: str) -> None:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        rows.put((dialogue, text, done, loop))
        await done

    async def answer(dialogue: str, text: str) -> None:
        got = (await client.post(bot, json={"text": text})).json()["text"]
        await commit(dialogue, got)
        said.setdefault(dialogue, []).append(got)
        news.pop(dialogue, asyncio.Event()).set()

    async def turns(request: Request) -> Response:
        turn = await request.json()
        await commit(turn["dialogue_id"], turn["text"])
        task = asyncio.create_task(answer(turn["dialogue_id"], turn["text"]))
        working.add(task)
        task.add_done_callback(working.discard)
        return JSONResponse({"seq": 1})

    async def events(request: Request) -> Response:
        dialogue, after = request.query_params["dialogue_id"], int(request.query_params["after"])
        if len(said.get(dialogue, ())) <= after:
            with suppress(TimeoutError):
                wait = news.setdefault(dialogue, asyncio.Event()).wait()
                await asyncio.wait_for(wait, float(request.query_params["wait"]))
        fresh = said.get(dialogue, [])[after:]
        shown = [{"kind": "system", "messages": [{"text": text}]} for text in fresh]
        return JSONResponse({"seq": after + len(fresh), "events": shown})

    threading.Thread(target=write, daemon=True).start()
    routes = [Route("/turns", turns, methods=["POST"]), Route("/events", events)]
    uvicorn.run(Starlette(routes=routes), port=port, log_level="warning", lifespan="off", **STAYING)


def serve_pages(port: int, bot: str, folder: Path) -> None:
    """The participants' pages of a study with one system and nothing but dialogue."""
    step = study_model.DialogueStep(
        repeat=study_model.Range(min=1, max=1), gate="none", feedback=(),
        nontrivial=study_model.Nontrivial(user_turns=1),
    )  # fmt: skip
    systems = {"bot": {"connect": "http", "url": bot, "allow_private": True}}
    limits = study_model.Limits(user_turns=10_000)
    study = make_study(folder, systems=systems, visit=(step,), limits=limits)
    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
        engine = SessionEngine(study, log, {"bot": make_connector(systems["bot"])})
        rates = RateLimits(turns_per_minute=10**6, visits_per_hour=10**6)
        PageServer(create_app(engine, rates=rates), port=port, **STAYING).run()


@contextmanager
def process(what: str, *arguments: str) -> Iterator[tuple[str, int]]:
    """One of the servers above in a process of its own: its address, its number."""
    port = free_port()
    server = subprocess.Popen([sys.executable, __file__, "--serve", what, str(port), *arguments])
    try:
        wait_for_port(port)
        yield f"http://127.0.0.1:{port}", server.pid
    finally:
        server.terminate()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


class Proxied:
    """A person at the bare proxy."""

    def __init__(self, address: str) -> None:
        self._address, self._http = address, aiohttp.ClientSession()

    async def ask(self) -> tuple[float, float]:
        begun = time.monotonic()
        async with self._http.post(self._address, json={"text": WORDS}) as answer:
            said = await answer.json()
        return _delays(begun, said["text"])

    async def leave(self) -> None:
        await self._http.close()


class AtPages:
    """A person in a dialogue of the participants' pages, as their script holds it."""

    def __init__(self, address: str, cookies: dict[str, str], dialogue_id: str) -> None:
        self._address, self._dialogue_id = address, dialogue_id
        self._http = aiohttp.ClientSession(cookies=cookies, cookie_jar=aiohttp.CookieJar(unsafe=True))
        self._said: asyncio.Queue[str] = asyncio.Queue()
        self._listening = asyncio.create_task(self._listen())

    async def ask(self) -> tuple[float, float]:
        turn = {"key": str(uuid.uuid4()), "dialogue_id": self._dialogue_id, "text": WORDS}
        begun = time.monotonic()
        async with self._http.post(f"{self._address}/turns", json=turn) as answer:
            answer.raise_for_status()
        return _delays(begun, await self._said.get())

    async def _listen(self) -> None:
        after = 0
        while True:
            query = {"after": after, "wait": 25, "dialogue_id": self._dialogue_id}
            async with self._http.get(f"{self._address}/events", params=query) as answer:
                news = await answer.json()
            now, after = time.monotonic(), news["seq"]
            for event in news["events"]:
                if event["kind"] == "system":
                    self._said.put_nowait(f"{event['messages'][0]['text']} {now!r}")

    async def leave(self) -> None:
        self._listening.cancel()
        await asyncio.gather(self._listening, return_exceptions=True)
        await self._http.close()


def _delays(begun: float, stamps: str) -> tuple[float, float]:
    """Seconds to the bot and back from it; stamps: its arrival, its departure, and the receipt if not now."""
    arrived, left, *received = map(float, stamps.split())
    return arrived - begun, (received or [time.monotonic()])[0] - left


async def begun(address: str) -> AtPages:
    """Somebody who went from the first page into the dialogue, and knows what has happened."""
    async with httpx.AsyncClient(
        base_url=address, trust_env=False, follow_redirects=True, timeout=60
    ) as client:
        dialogue_id = dialogue_of(await submit(client, await client.get("/"), "/start"))
        while (await client.get("/events", params={"dialogue_id": dialogue_id})).json()["waiting"]:
            await asyncio.sleep(0.05)
        return AtPages(address, dict(client.cookies), dialogue_id)


async def talk(person: Person, number: int, until_s: float, pause_s: float, times: Times) -> None:
    """One person: a turn, then a pause; the delays to and from the bot."""
    chance = random.Random(number)
    await asyncio.sleep(chance.random() * pause_s)
    while time.monotonic() < until_s:
        times.append(await person.ask())
        await asyncio.sleep(pause_s * (0.5 + chance.random()))


def _cpu_ms(process_id: int) -> float:
    """How long a process has computed; that says more than waiting does where the machine is busy."""
    facts = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
    return 1000 * (int(facts[11]) + int(facts[12])) / os.sysconf("SC_CLK_TCK")


async def held(people: Sequence[Person], seconds: float, pause_s: float, process_id: int) -> Block:
    """What a block of talk was like."""
    times: Times = []
    until_s, computed_ms = time.monotonic() + seconds, _cpu_ms(process_id)
    talks = [talk(person, number, until_s, pause_s, times) for number, person in enumerate(people)]
    await asyncio.gather(*talks)
    cpu_ms = _cpu_ms(process_id) - computed_ms
    return Block([one for one, _ in times], [one for _, one in times], cpu_ms)


async def in_tens(work: list[Coroutine[Any, Any, Result]]) -> list[Result]:
    """The results of what is done ten at a time."""
    tens = [work[start : start + 10] for start in range(0, len(work), 10)]
    return [result for ten in tens for result in await asyncio.gather(*ten)]


def sync_ms(folder: Path) -> float:
    """How long a page of the log takes to reach the disk, median of 50."""
    took = []
    with (folder / "probe").open("wb", buffering=0) as file:
        for _ in range(50):
            file.write(b"x" * 4096)
            begun = time.monotonic()
            os.fsync(file.fileno())
            took.append(time.monotonic() - begun)
    return round(1000 * statistics.median(took), 2)


def shown(blocks: Sequence[Block]) -> dict[str, Any]:
    """All blocks of one way together."""
    turns = sum(len(block.to_bot) for block in blocks)
    facts: dict[str, Any] = {
        "turns": turns,
        "cpu_ms_a_turn": round(sum(block.cpu_ms for block in blocks) / turns, 2),
    }
    for way in WAYS:
        delays = sorted(delay for block in blocks for delay in getattr(block, way))
        p95 = delays[int(len(delays) * 0.95)]
        facts[f"{way}_ms"] = {
            "median": round(1000 * statistics.median(delays), 2), "p95": round(1000 * p95, 2)
        }  # fmt: skip
    return facts


def added(bare: Sequence[Block], service: Sequence[Block]) -> dict[str, Any]:
    """Median of the pairs' differences of medians, with the lowest and the highest, in ms."""
    facts = {}
    for way in WAYS:
        pairs = zip(bare, service, strict=True)
        differences = sorted(
            1000 * (statistics.median(getattr(ours, way)) - statistics.median(getattr(theirs, way)))
            for theirs, ours in pairs
        )
        facts[f"{way}_ms"] = {
            "median": round(statistics.median(differences), 2),
            "lowest": round(differences[0], 2), "highest": round(differences[-1], 2),
        }  # fmt: skip
    return facts


async def compare(bot: str, dialogues: int, options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Blocks of both ways in turns, and what the service adds."""
    pause_s, load = options.pause * min(1.0, dialogues / ENOUGH), os.getloadavg()[0]
    seconds = max(options.seconds, 2 * pause_s)
    durable = options.peer == "durable"
    peer = ("durable", bot, str(folder)) if durable else ("proxy", bot)
    bare: list[Block] = []
    service: list[Block] = []
    with (
        process(*peer) as (proxy, proxy_number),
        process("pages", bot, str(folder)) as (pages, number),
    ):
        proxied: list[Any] = [
            AtPages(proxy, {}, f"d{number}") if durable else Proxied(proxy) for number in range(dialogues)
        ]
        at_pages = await in_tens([begun(pages) for _ in range(dialogues)])
        for person in (*proxied, *at_pages):
            await person.ask()  # connections are made, caches are filled
        for pair in range(options.pairs):
            order = [(proxied, proxy_number, bare), (at_pages, number, service)]
            for people, process_id, blocks in order if pair % 2 == 0 else reversed(order):
                blocks.append(await held(people, seconds, pause_s, process_id))
        for person in (*proxied, *at_pages):
            await person.leave()
    facts = {"dialogues": dialogues, "pause_s": pause_s, "load_before": round(load, 2)}
    facts |= {"sync_ms": sync_ms(folder), "bare": shown(bare), "service": shown(service)}
    return facts | {"added": added(bare, service), "ratios": ratios(bare, service)}


def ratios(bare: Sequence[Block], service: Sequence[Block]) -> dict[str, float]:
    """Service to peer, over all blocks."""

    def facts(blocks: Sequence[Block]) -> tuple[float, float]:
        whole = sorted(
            there + back for one in blocks for there, back in zip(one.to_bot, one.from_bot, strict=True)
        )
        return sum(one.cpu_ms for one in blocks) / len(whole), whole[int(len(whole) * 0.99)]

    (cpu, p99), (our_cpu, our_p99) = facts(bare), facts(service)
    return {"cpu_a_turn": round(our_cpu / cpu, 2), "p99": round(our_p99 / p99, 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dialogues", type=int, nargs="+", default=[1, 50, 200])
    parser.add_argument("--pairs", type=int, default=6, help="pairs of blocks")
    parser.add_argument("--seconds", type=float, default=12.0, help="length of a block")
    parser.add_argument("--pause", type=float, default=5.0)
    parser.add_argument("--peer", choices=["proxy", "durable"], default="proxy")
    parser.add_argument("--folder", default=".", help="where the log is written")
    options = parser.parse_args()
    results = []
    with process("bot") as (bot, _):
        for count in options.dialogues:
            with tempfile.TemporaryDirectory(dir=options.folder) as made:
                results.append(asyncio.run(compare(bot, count, options, Path(made).resolve())))
    print(json.dumps({"by_dialogues": results}, indent=2))


SERVERS = {
    "bot": lambda port: serve_bot(int(port)),
    "proxy": lambda port, bot: serve_proxy(int(port), bot),
    "durable": lambda port, bot, folder: serve_durable(int(port), bot, Path(folder)),
    "pages": lambda port, bot, folder: serve_pages(int(port), bot, Path(folder)),
}

if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        SERVERS[sys.argv[2]](*sys.argv[3:])
    else:
        main()
