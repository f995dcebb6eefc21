"""One study served by several workers on one PostgreSQL, which are killed in turn under people who talk."""

import asyncio
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import psutil
import pytest

import scenes.stand_in
from scenes.browserless import Forms, dialogue_of, patiently, submit
from scenes.patience import PATIENCE_S, eventually
from scenes.processes import free_port, process, wait_for_port
from scenes.talkers import Talker, acknowledged, check, until_talked
from vivavoce.log.store import Log
from vivavoce.log.verification import verify
from vivavoce.study.scaffold import write_study

pytestmark = [pytest.mark.reliability, pytest.mark.postgresql]
LIMITS = {"allocation: least": "limits: {user_turns: 10000, visits_per_hour: 10000}\nallocation: least"}


@contextmanager
def a_study(folder: Path, changes: dict[str, str]) -> Iterator[Path]:
    """A study whose systems are one bot that answers at once."""
    bot = free_port()
    write_study(folder, "cambridge-2011", name="city")
    text = (folder / "study.yaml").read_text("utf-8")
    for old, new in (changes | {"9101/chat": f"{bot}/", "9102/chat": f"{bot}/"}).items():
        assert old in text, f"{old!r} is not in the study file"
        text = text.replace(old, new)
    (folder / "study.yaml").write_text(text, "utf-8")
    with process(scenes.stand_in.__file__, str(bot)) as running:
        wait_for_port(bot, running)
        yield folder / "study.yaml"


@contextmanager
def service(study: Path, log_url: str, port: int, workers: int) -> Iterator[psutil.Process]:
    """`vivavoce serve --workers`, whose pages answer; ended as Ctrl-C ends it."""
    command = [sys.executable, "-m", "vivavoce", "serve", str(study), "--log", log_url]
    command += ["--port", str(port), "--desk-port", str(free_port()), "--workers", str(workers)]
    said = study.with_name("said.txt")
    with said.open("w") as told:
        serving = psutil.Popen(command, stdin=subprocess.DEVNULL, stderr=told)

    def announced() -> bool:
        assert serving.poll() is None, said.read_text()
        return "Ctrl-C" in said.read_text()

    try:
        eventually(announced, "the service never came up")
        yield serving
        serving.send_signal(signal.SIGINT)
        assert serving.wait(PATIENCE_S) == 130
    finally:
        with suppress(psutil.NoSuchProcess):
            for one in (*serving.children(recursive=True), serving):
                one.kill()
            serving.wait()
        print(said.read_text())


def workers_of(serving: psutil.Popen) -> dict[int, psutil.Process]:
    """The workers that run, by their numbers."""
    found = {}
    for child in serving.children():
        with suppress(psutil.Error):  # it is gone, and not buried yet
            number = re.search(r"vivavoce worker .*--number (\d+)", " ".join(child.cmdline()))
            found |= {int(number[1]): child} if number is not None else {}
    return found


def killed(serving: psutil.Popen, number: int) -> None:
    """Kill a worker, and wait for its successor."""
    before = workers_of(serving)[number]
    before.kill()

    def followed() -> bool:
        now = workers_of(serving).get(number)
        return now is not None and now.pid != before.pid

    eventually(followed, "nobody came after the worker")


async def talked_through_kills(
    serving: psutil.Popen, port: int, people: int, kills: list[int]
) -> list[Talker]:
    talkers, stop = [Talker(number) for number in range(people)], asyncio.Event()
    tasks = [asyncio.create_task(talker.talk(f"http://127.0.0.1:{port}", stop)) for talker in talkers]
    for number in kills:
        await until_talked(talkers, acknowledged(talkers) + people)
        await asyncio.to_thread(killed, serving, number)
    await until_talked(talkers, acknowledged(talkers) + people)
    stop.set()
    await asyncio.wait_for(asyncio.gather(*tasks), PATIENCE_S)
    return talkers


@pytest.mark.parametrize(
    ("workers", "people", "kills"), [(2, 6, [1]), pytest.param(3, 36, [0, 1, 2], marks=pytest.mark.long)]
)
def test_workers_killed_under_people_who_talk_lose_and_double_nothing(
    postgresql_url: str,
    tmp_path: Path,
    workers: int,
    people: int,
    kills: list[int],
    note_figures: Callable[..., None],
) -> None:
    port = free_port()
    with (
        a_study(tmp_path / "study", LIMITS) as study,
        service(study, postgresql_url, port, workers) as serving,
    ):
        talkers = asyncio.run(talked_through_kills(serving, port, people, kills))
    with Log.open(postgresql_url) as log:
        tally, verified = check(log, talkers), verify(log)
        boots = {one.boot for visit in log.visits("city") for one in log.events(visit.visit_id)}
        systems = Counter(dialogue.system for dialogue in log.dialogues("city"))
    note_figures("acknowledged turns", workers=workers, kills=len(kills), people=people, **tally)
    assert (tally["lost"], tally["doubled"]) == (0, 0)
    assert tally["acknowledged"] >= people, "too little was said for this to mean anything"
    assert verified.problems == []
    assert len(boots) >= workers, "one worker led everybody"
    assert systems.total() == people


@pytest.mark.long
def test_of_many_who_come_at_once_to_three_workers_as_many_as_there_are_places_are_admitted(
    postgresql_url: str, tmp_path: Path, note_figures: Callable[..., None]
) -> None:
    arrivals, places = 200, 50
    changes = {
        "allocation: least-used-by-participant": "limits: {visits_per_hour: 10000}\n"
        f"quotas: {{participants: {places}}}\nallocation: balanced"
    }

    async def arrive(port: int) -> bool:
        """Come with connections of one's own; whether there was a place."""
        async with httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}", follow_redirects=True, timeout=PATIENCE_S
        ) as client:
            page = await submit(client, await patiently(client.get, "/"), "/start")
            if not Forms(page.text).has("/consent"):
                return False
            page = await submit(client, page, "/consent", answer="agree")
            if not Forms(page.text).has("/read"):
                return False
            page = await submit(client, page, "/read")
            return Forms(page.text).has("/dialogue/end/form") and bool(dialogue_of(page))

    async def all_arrive(port: int) -> list[bool]:
        return await asyncio.gather(*(arrive(port) for _ in range(arrivals)))

    port = free_port()
    with (
        a_study(tmp_path / "study", changes) as study,
        service(study, postgresql_url, port, workers=3),
    ):
        admitted = asyncio.run(all_arrive(port))
    with Log.open(postgresql_url) as log:
        outcomes = Counter(visit.outcome for visit in log.visits("city"))
        systems = Counter(dialogue.system for dialogue in log.dialogues("city"))
    note_figures(
        "places",
        workers=3,
        arrivals=arrivals,
        places=places,
        admitted=sum(admitted),
        systems_differ_by=abs(systems["nbest"] - systems["onebest"]),
    )
    assert sum(admitted) == places
    assert outcomes == {None: places, "no_place": arrivals - places}
    assert systems.total() == places and abs(systems["nbest"] - systems["onebest"]) <= 1
