"""What the relay adds to a turn: from send to the bot, and from the bot's answer to who listens to the visit.

    python benchmarks/relay_overhead.py [--dialogues 1 50 200] [--seconds 10] [--pause 2.0]

The same simulated people talk to the same bot process, first through a bare proxy (one shared client, nothing
kept), then through a session (committed before sent, committed before shown, raw exchange logged). The bot
stamps arrival and departure on the clock that all processes of a machine share. The hop from the service to
the browser is left out on both sides. Compare the differences of the medians within one run.
"""

import argparse
import asyncio
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from scenes.processes import free_port, wait_for_port
from scenes.visits import make_study
from vivavoce.connectors.make import make_connector
from vivavoce.log.events import SystemTurnReceived
from vivavoce.log.store import Log
from vivavoce.session.engine import SessionEngine
from vivavoce.study import model as study_model

BOT = """
import json, sys, time, uvicorn
async def app(scope, receive, send):
    arrived = time.monotonic()
    while (await receive()).get("more_body"):
        pass
    body = json.dumps({"text": "In which area?", "arrived": arrived, "left": time.monotonic()}).encode()
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": body})
uvicorn.run(app, port=int(sys.argv[1]), log_level="warning", lifespan="off")
"""

Ask = Callable[[int], Awaitable[tuple[float, float]]]
Times = list[tuple[float, float]]


async def talk(ask: Ask, number: int, until_s: float, pause_s: float, times: Times) -> None:
    """One person: a turn, then a pause; the delays to and from the bot."""
    chance = random.Random(number)
    await asyncio.sleep(chance.random() * pause_s)
    while time.monotonic() < until_s:
        times.append(await ask(number))
        await asyncio.sleep(pause_s * (0.5 + chance.random()))


async def held(ask: Ask, dialogues: int, seconds: float, pause_s: float) -> dict[str, Any]:
    times: Times = []
    until_s = time.monotonic() + seconds
    await asyncio.gather(*(talk(ask, number, until_s, pause_s, times) for number in range(dialogues)))
    to_bot, from_bot = sorted(one for one, _ in times), sorted(one for _, one in times)
    return {"turns": len(times), "to_bot_ms": _shown(to_bot), "from_bot_ms": _shown(from_bot)}


def _shown(delays: list[float]) -> dict[str, float]:
    p95 = delays[int(len(delays) * 0.95)]
    return {"median": round(1000 * statistics.median(delays), 2), "p95": round(1000 * p95, 2)}


async def bare(url: str, dialogues: int, seconds: float, pause_s: float) -> dict[str, Any]:
    async with httpx.AsyncClient(trust_env=False, limits=httpx.Limits(max_connections=None)) as client:

        async def ask(number: int) -> tuple[float, float]:
            begun = time.monotonic()
            answer = (await client.post(url, json={"conversation": str(number), "text": "cheap food"})).json()
            return answer["arrived"] - begun, time.monotonic() - answer["left"]

        return await held(ask, dialogues, seconds, pause_s)


async def relayed(url: str, dialogues: int, seconds: float, pause_s: float, folder: Path) -> dict[str, Any]:
    step = study_model.DialogueStep(
        repeat=study_model.Range(min=1, max=1), gate="none", feedback=(),
        nontrivial=study_model.Nontrivial(user_turns=1),
    )  # fmt: skip
    limits = study_model.Limits(user_turns=1000)
    systems = {"bot": {"connect": "http", "url": url, "allow_private": True}}
    study = make_study(folder, systems=systems, visit=(step,), limits=limits)
    with Log.open(f"sqlite:///{folder / f'log-{dialogues}.sqlite'}") as log:
        engine = SessionEngine(study, log, {"bot": make_connector(systems["bot"])})
        await engine.start()
        visits = [(await engine.open_visit(language="en", simulated=True)).visit_id for _ in range(dialogues)]
        await asyncio.sleep(0.5)

        async def ask(number: int) -> tuple[float, float]:
            visit_id = visits[number]
            state = await engine.state(visit_id)
            begun, key = time.monotonic(), f"{number}-{state.seq}"
            said = await engine.say(visit_id, state.dialogues[-1].dialogue_id, key=key, text="cheap food")
            while True:
                for stored in await engine.updates(visit_id, said.seq, wait_s=30):
                    if isinstance(stored.event, SystemTurnReceived):
                        now, answer = time.monotonic(), stored.event.raw[0]
                        while engine.answering(visit_id):
                            await asyncio.sleep(0)
                        return answer["arrived"] - begun, now - answer["left"]

        try:
            return await held(ask, dialogues, seconds, pause_s)
        finally:
            await engine.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dialogues", type=int, nargs="+", default=[1, 50, 200])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--pause", type=float, default=2.0)
    options = parser.parse_args()
    port = free_port()
    url = f"http://127.0.0.1:{port}/chat"
    bot = subprocess.Popen([sys.executable, "-c", BOT, str(port)])
    try:
        wait_for_port(port)
        with tempfile.TemporaryDirectory(dir=".") as made:
            folder = Path(made).resolve()
            results = [asyncio.run(compare(url, count, options, folder)) for count in options.dialogues]
    finally:
        bot.kill()
        bot.wait()
    print(json.dumps({"pause_s": options.pause, "by_dialogues": results}, indent=2))


async def compare(url: str, dialogues: int, options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """A bare run, a relayed one, and the difference of their medians, there and back."""
    seconds = max(options.seconds, 4 * options.pause)
    proxy = await bare(url, dialogues, seconds, options.pause)
    relay = await relayed(url, dialogues, seconds, options.pause, folder)
    added = {
        way: round(relay[way]["median"] - proxy[way]["median"], 2) for way in ("to_bot_ms", "from_bot_ms")
    }
    return {"dialogues": dialogues, "bare": proxy, "relay": relay, "added_median_ms": added}


if __name__ == "__main__":
    main()
