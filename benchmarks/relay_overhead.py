"""What the service adds to a turn, from a participant's browser to the bot and back, against a bare proxy.

    python benchmarks/relay_overhead.py [--dialogues 1 50 200] [--seconds 30] [--pause 5] [--folder .]

The same simulated people talk to the same bot process, first through a bare proxy (one request a turn, one
shared client to the bot, nothing kept), then through the participants' pages as their script does it: a turn
is posted, the answer comes by long poll; all is committed before it is sent and before it is shown, the raw
exchange is logged. Bot, proxy and service are processes of their own; the bot stamps arrival and departure on
the clock that all processes of a machine share, the participant's side stamps sending and receipt. Compare
the differences of the medians within one run, and mind two things that are printed too: the load of the
machine, and how long the disk under `--folder` takes to write something for good: part of each way.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx
import uvicorn

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from scenes.browserless import dialogue_of, submit
from scenes.processes import free_port, wait_for_port
from scenes.visits import make_study
from vivavoce.connectors.make import make_connector
from vivavoce.log.store import Log
from vivavoce.session.engine import SessionEngine
from vivavoce.study import model as study_model
from vivavoce.web.app import create_app
from vivavoce.web.serving import PageServer
from vivavoce.web.site import RateLimits

Ask = Callable[[], Awaitable[tuple[float, float]]]
Result = TypeVar("Result")
Times = list[tuple[float, float]]
WORDS = "a cheap pub in the centre"
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


def browser(address: str = "") -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=address, trust_env=False, follow_redirects=True, timeout=60)


def asks_proxy(client: httpx.AsyncClient) -> Ask:
    async def ask() -> tuple[float, float]:
        begun = time.monotonic()
        answer = await client.post("/", json={"text": WORDS})
        return _delays(begun, answer.json()["text"])

    return ask


def asks_pages(client: httpx.AsyncClient, dialogue_id: str) -> Ask:
    """As the page's script does it: the long poll is open all the time, the turn goes by its side."""
    after = 0

    async def ask() -> tuple[float, float]:
        nonlocal after
        turn = {"key": str(uuid.uuid4()), "dialogue_id": dialogue_id, "text": WORDS}
        begun = time.monotonic()
        sending = asyncio.create_task(client.post("/turns", json=turn))
        while True:
            query = {"after": after, "wait": 25, "dialogue_id": dialogue_id}
            news = (await client.get("/events", params=query)).json()
            after = news["seq"]
            for event in news["events"]:
                if event["kind"] == "system":
                    delays = _delays(begun, event["messages"][0]["text"])
                    (await sending).raise_for_status()
                    return delays

    return ask


def _delays(begun: float, stamps: str) -> tuple[float, float]:
    arrived, left = map(float, stamps.split())
    return arrived - begun, time.monotonic() - left


async def _begun(client: httpx.AsyncClient) -> Ask:
    """From the first page into the dialogue, and up to date with what has happened."""
    dialogue_id = dialogue_of(await submit(client, await client.get("/"), "/start"))
    while (await client.get("/events", params={"dialogue_id": dialogue_id})).json()["waiting"]:
        await asyncio.sleep(0.05)
    return asks_pages(client, dialogue_id)


async def talk(ask: Ask, number: int, until_s: float, pause_s: float, times: Times) -> None:
    """One person: a turn, then a pause; the delays to and from the bot."""
    chance = random.Random(number)
    await asyncio.sleep(chance.random() * pause_s)
    while time.monotonic() < until_s:
        times.append(await ask())
        await asyncio.sleep(pause_s * (0.5 + chance.random()))


def _cpu_ms(process_id: int) -> float:
    """How long a process has computed; that says more than waiting does where the machine is busy."""
    facts = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
    return 1000 * (int(facts[11]) + int(facts[12])) / os.sysconf("SC_CLK_TCK")


async def held(asks: list[Ask], seconds: float, pause_s: float, process_id: int) -> dict[str, Any]:
    times: Times = []
    await in_tens([ask() for ask in asks])  # connections are made, caches are filled
    until_s, computed_ms = time.monotonic() + seconds, _cpu_ms(process_id)
    await asyncio.gather(*(talk(ask, number, until_s, pause_s, times) for number, ask in enumerate(asks)))
    to_bot, from_bot = sorted(one for one, _ in times), sorted(one for _, one in times)
    cpu_ms = round((_cpu_ms(process_id) - computed_ms) / len(times), 2)
    delays = {"to_bot_ms": _shown(to_bot), "from_bot_ms": _shown(from_bot)}
    return {"turns": len(times), "cpu_ms_a_turn": cpu_ms, **delays}


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


def _shown(delays: list[float]) -> dict[str, float]:
    p95 = delays[int(len(delays) * 0.95)]
    return {"median": round(1000 * statistics.median(delays), 2), "p95": round(1000 * p95, 2)}


async def compare(bot: str, dialogues: int, options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """A bare run, one through the pages, and the difference of their medians, there and back."""
    seconds, load = max(options.seconds, 2 * options.pause), os.getloadavg()[0]
    clients: list[httpx.AsyncClient] = []
    with process("proxy", bot) as (proxy, number):
        clients = [browser(proxy) for _ in range(dialogues)]
        bare = await held([asks_proxy(client) for client in clients], seconds, options.pause, number)
    with process("pages", bot, str(folder)) as (pages, service_number):
        talking = [browser(pages) for _ in range(dialogues)]
        service = await held(
            await in_tens([_begun(one) for one in talking]), seconds, options.pause, service_number
        )
        for client in clients + talking:
            await client.aclose()
    added = {
        way: round(service[way]["median"] - bare[way]["median"], 2) for way in ("to_bot_ms", "from_bot_ms")
    }
    facts = {"dialogues": dialogues, "load_before": round(load, 2), "sync_ms": sync_ms(folder)}
    return facts | {"bare": bare, "service": service, "added_median_ms": added}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dialogues", type=int, nargs="+", default=[1, 50, 200])
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--pause", type=float, default=5.0)
    parser.add_argument("--folder", default=".", help="where the log is written")
    options = parser.parse_args()
    results = []
    with process("bot") as (bot, _):
        for count in options.dialogues:
            with tempfile.TemporaryDirectory(dir=options.folder) as made:
                results.append(asyncio.run(compare(bot, count, options, Path(made).resolve())))
    print(json.dumps({"pause_s": options.pause, "by_dialogues": results}, indent=2))


SERVERS = {
    "bot": lambda port: serve_bot(int(port)),
    "proxy": lambda port, bot: serve_proxy(int(port), bot),
    "pages": lambda port, bot, folder: serve_pages(int(port), bot, Path(folder)),
}

if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        SERVERS[sys.argv[2]](*sys.argv[3:])
    else:
        main()
