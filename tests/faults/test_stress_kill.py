"""A run of stress tests that is killed in the middle is taken up where it stood: nothing is run twice."""

import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import islice, product
from pathlib import Path
from typing import Any

import pytest

from scenes.patience import PATIENCE_S, eventually
from scenes.processes import free_port, process, wait_for_port
from vivavoce_stress.case import Case, LoggedTurn
from vivavoce_stress.suite import Suite, write_suite

pytestmark = pytest.mark.long  # `make test-long` runs it; kills of the server stay in `make test`

FOODS = ("Chinese", "French", "Greek", "Indian", "Italian")
PRICES = ("cheap", "expensive")
AREAS = ("centre", "north", "south", "east", "west")
WISHES = (
    "please",
    "today",
    "if you can",
    "for my family",
    "thank you",
    "tonight",
    "quickly",
    "with friends",
    "for lunch",
    "for dinner",
)
DELAY_S = 0.2
AT_ONCE = 16


def cases(count: int) -> Iterator[Case]:
    """Distinct wishes, each with two letters swapped in a word that no value hangs on."""
    for number, (food, price, area, wish) in enumerate(islice(product(FOODS, PRICES, AREAS, WISHES), count)):
        said = f"would like a {price} {food} restaurant in the {area} {wish}"
        yield Case(
            case_id=f"c{number}",
            test="ST-4",
            family="spelling",
            language="en",
            original=f"I {said}",
            variant=f"I {said.replace('would', 'wuold', 1)}",
            after=(LoggedTurn(text="what is the address"),),
        )


@contextmanager
def bot(delay_s: float) -> Iterator[int]:
    port = free_port()
    with process("-m", "vivavoce_bots", "restaurant", "--port", str(port), "--delay", str(delay_s)):
        wait_for_port(port)
        yield port


def health(port: int) -> dict[str, Any] | None:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=PATIENCE_S) as answer:
            return json.load(answer)
    except OSError:
        return None


def suite(folder: Path, port: int, count: int) -> Path:
    path = folder / "suite.yaml"
    system = {"connect": "http", "url": f"http://127.0.0.1:{port}/chat", "allow_private": True, "open": True}
    write_suite(Suite(suite="kill", version=1, system=system, cases=tuple(cases(count))), path)
    return path


def events(path: Path, kind: str) -> list[dict[str, Any]]:
    log = path.with_suffix(".stress.sqlite")
    if not log.exists():
        return []
    with closing(sqlite3.connect(f"file:{log}?mode=ro", uri=True)) as connection:
        try:
            rows = connection.execute("select payload from events where kind = ?", (kind,)).fetchall()
        except sqlite3.OperationalError:
            return []
    return [json.loads(row[0]) for row in rows]


def hold(path: Path, at_once: int = AT_ONCE) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "vivavoce", "stress", "run", str(path), "--at-once", str(at_once)]
    command.append("--json")
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize(
    ("replays", "at_once"), [(60, 4), pytest.param(1000, AT_ONCE, marks=pytest.mark.long)]
)
def test_a_killed_run_is_taken_up_and_nothing_is_run_twice(
    tmp_path: Path, replays: int, at_once: int
) -> None:
    """The run that is killed has its pace `at_once`: so slow that it is not over before the kill comes."""
    with bot(DELAY_S) as port:
        path = suite(tmp_path, port, replays // 2)
        killed = hold(path, at_once)
        eventually(lambda: len(events(path, "replay_finished")) > replays * 0.2)
        os.kill(killed.pid, signal.SIGKILL)
        killed.communicate()
        before = len(events(path, "replay_finished"))
        assert replays * 0.2 < before < replays
        began_s, ours_s = time.monotonic(), cpu_s()
        again = hold(path)
        out, told = again.communicate()
        elapsed_s, ours_s = time.monotonic() - began_s, cpu_s() - ours_s
        assert again.returncode == 0, told
        facts = json.loads(out)["runs"][0]
        conversations = (health(port) or {})["conversations"]
    finished, begun = events(path, "replay_finished"), events(path, "replay_begun")
    once = Counter((one["case_id"], one["arm"], one["repetition"]) for one in finished)
    assert len(once) == replays and set(once.values()) == {1}
    assert len({one["run_id"] for one in finished}) == 1
    assert replays <= conversations <= len(begun)  # the bot saw no other; some had not reached it
    assert 0 <= len(begun) - replays <= at_once  # only what was in flight when it died was begun again
    assert f"{replays - before} replays, {before} kept" in told
    assert facts["whole"]["applied"] == replays // 2 and facts["whole"]["unfinished"] == 0
    assert facts["whole"]["ratio"] == 1.0, facts["failures"][:3]
    if replays == 1000:
        turns = sum(turn["party"] == "system" for one in finished[before:] for turn in one["turns"])
        bound_s = turns * DELAY_S / AT_ONCE
        print(f"{replays - before} replays: {elapsed_s:.1f} s, bot {bound_s:.1f} s, our work {ours_s:.1f} s")
        assert most_at_once(path) == {AT_ONCE}  # as many as were asked for: the bot is what one waits for


def most_at_once(path: Path) -> set[int]:
    """The most replays that each process had begun and not yet finished, by the order of the log."""
    with closing(sqlite3.connect(f"file:{path.with_suffix('.stress.sqlite')}?mode=ro", uri=True)) as log:
        rows = log.execute("select boot, kind, payload from events order by position").fetchall()
    going, most = Counter[str](), Counter[str]()
    for boot, kind, _ in rows:
        going[boot] += (kind == "replay_begun") - (kind == "replay_finished")
        most[boot] = max(most[boot], going[boot])
    return set(most.values())


def cpu_s() -> float:
    """Seconds of work of processes that have ended: the bot, which still runs, is not among them."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
