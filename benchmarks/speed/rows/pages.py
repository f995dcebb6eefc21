"""Participants' pages: an information page, ten items, two items, thanks; three submits, all on disk.

Both servers run all the time and are asked in turns, block by block, by the same number of people, who go
from the first page to the last as fast as they are answered and are followed by others. Each server has its
production mode and SQLite. oTree's participants are made before the block, ours come by the link.
"""

import asyncio
import json
import os
import re
import shutil
import time
import urllib.request
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

import aiohttp
from benchmarks.speed import peers
from benchmarks.speed.row import Measured, Row, compared, in_turns, peak_mb, vivavoce, workplace
from benchmarks.speed.servers import Server, cpu_s, free_port, served

PEOPLE, SECONDS, ROUNDS = 20, 8.0, 3
PAGES = 4
MADE = 600  # participants of an oTree session, more than a block needs
OTREE = Path(__file__).parents[1] / "programs" / "otree"
STUDY = """study: pages
languages: [en]
title: Pages
systems:
  none: {connect: http, url: "http://127.0.0.1:9/", allow_private: true}
visit:
  - questionnaire: sus
  - questionnaire: umux_lite
limits: {visits_per_hour: 100000}
"""
PAGE = """{{ block title }}Page{{ endblock }}
{{ block content }}
<p>Please say how far you agree with each sentence.</p>
{{ formfields }}
{{ next_button }}
{{ endblock }}
"""
FIRST, SECOND = [f"q{number}" for number in range(1, 11)], ("capabilities", "ease")
Walk = Callable[[aiohttp.ClientSession, str], Awaitable[None]]


class Block(NamedTuple):
    people_a_second: float
    people_a_cpu_second: float


async def through_ours(http: aiohttp.ClientSession, address: str) -> None:
    key = re.search(r'name="key" value="([^"]+)"', await _text(http.get(address)))
    assert key is not None
    start = {"language": "en", "key": key[1], "participant": "", "sent": ""}
    await _text(http.post(f"{address}/start", data=start))
    for step, items in enumerate((FIRST, SECOND)):
        answers = {"step": step, "position": 0, "language": "en"} | {f"item-{one}": "4" for one in items}
        page = await _text(http.post(f"{address}/answers", data=answers))
    assert "/answers" not in page, "the visit did not end"


async def through_otree(http: aiohttp.ClientSession, address: str) -> None:
    async with http.get(address) as answer:
        await answer.text()
        place = answer.url
    for fields in ((), FIRST, ("u1", "u2")):
        async with http.post(place, data=dict.fromkeys(fields, "4")) as answer:
            answer.raise_for_status()
            await answer.text()
            place = answer.url
    assert "/Thanks/" in str(place), "the visit did not end"


async def _text(asked: aiohttp.client._RequestContextManager) -> str:
    async with asked as answer:
        answer.raise_for_status()
        return await answer.text()


async def _crowd(walk: Walk, address: str, seconds: float) -> tuple[int, float]:
    """How many came to the end, and in how many seconds."""
    begun, finished = time.perf_counter(), 0

    async def people() -> None:
        nonlocal finished
        while time.perf_counter() - begun < seconds:
            jar = aiohttp.CookieJar(unsafe=True)
            async with aiohttp.ClientSession(cookie_jar=jar) as http:
                await walk(http, address)
            finished += 1

    await asyncio.gather(*(people() for _ in range(PEOPLE)))
    return finished, time.perf_counter() - begun


def _block(walk: Walk, address: str, server: Server, seconds: float) -> Block:
    before = cpu_s(server.pid)
    finished, took = asyncio.run(_crowd(walk, address, seconds))
    return Block(finished / took, finished / (cpu_s(server.pid) - before))


def _new_session(server: Server) -> str:
    asked = json.dumps({"session_config_name": "forms", "num_participants": MADE}).encode()
    head = {"content-type": "application/json"}
    request = urllib.request.Request(f"{server.address}/api/sessions", asked, head)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["session_wide_url"]


def write_otree(folder: Path) -> Path:
    shutil.copytree(OTREE, folder)
    for name in ("_static", "_templates"):
        (folder / name).mkdir()
    for name in ("Information", "First", "Second", "Thanks"):
        (folder / "forms" / f"{name}.html").write_text(PAGE, encoding="utf-8")
    return folder


def measure(quick: bool) -> Measured:
    otree, seconds = peers.python("otree").parent / "otree", 3.0 if quick else SECONDS
    mode = {"OTREE_PRODUCTION": "1", "PATH": f"{otree.parent}:{os.environ['PATH']}"}
    with workplace() as folder:
        project, study = write_otree(folder / "otree"), folder / "study"
        study.mkdir()
        (study / "study.yaml").write_text(STUDY, encoding="utf-8")
        mine, desk, theirs = free_port(), free_port(), free_port()
        with (
            served(vivavoce("serve", study, "--port", mine, "--desk-port", desk), mine) as ours,
            served([otree, "prodserver", f"127.0.0.1:{theirs}"], theirs, cwd=project, env=mode) as peer,
        ):
            blocks: dict[str, list[Block]] = {"ours": [], "peer": []}

            def ask(name: str, walk: Walk, address: str, server: Server) -> float:
                blocks[name].append(_block(walk, address, server, seconds))
                return blocks[name][-1].people_a_second

            works = {
                "ours": lambda: ask("ours", through_ours, ours.address, ours),
                "peer": lambda: ask("peer", through_otree, _new_session(peer), peer),
            }
            in_turns(works, 1)  # caches are filled
            blocks["ours"].clear(), blocks["peer"].clear()
            in_turns(works, 1 if quick else ROUNDS)
            memory = (peak_mb(ours.pid), peak_mb(peer.pid))
    rates = [[one.people_a_second for one in blocks[name]] for name in ("ours", "peer")]
    pages = [[PAGES * one for one in values] for values in rates]
    spent = [[one.people_a_cpu_second for one in blocks[name]] for name in ("ours", "peer")]
    common = {"against": "oTree", "rate": True, "direction": "at least"}
    return Measured(
        [
            compared("pages", *pages, unit="pages/s", aim=5, **common),
            compared("participants", *rates, unit="participants/s", aim=5, **common),
            compared("participants by the server's processor", *spent, unit="participants/CPU s", **common),
        ],
        notes=[f"memory of the servers: {memory[0]:.0f} and {memory[1]:.0f} MB; {PEOPLE} people at a time"],
    )


ROW = Row(
    "pages",
    "participant pages and submits",
    "oTree, production server, SQLite",
    measure,
    ("otree",),
    why=("the client shares the cores with the server: it is the limit before the server is"),
)
