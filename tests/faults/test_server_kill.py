"""kill -9 of the server under talking participants: no acknowledged turn lost, none doubled."""

import asyncio
import random
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from scenes.patience import PATIENCE_S
from scenes.processes import free_port, process, study_with_bots, wait_for_port
from scenes.talkers import Talker, acknowledged, check, until_talked
from vivavoce.log.store import Log

SERVER = str(Path(__file__).with_name("server_process.py"))


async def kill_again_and_again(study: Path, log_url: str, kills: int, people: int) -> list[Talker]:
    port = free_port()
    talkers = [Talker(number) for number in range(people)]
    stop = asyncio.Event()
    chance = random.Random(7)
    tasks: list[asyncio.Task[None]] = []
    for kill in range(kills + 1):
        with process(SERVER, str(study), log_url, str(port)) as server:
            await asyncio.to_thread(wait_for_port, port)
            if not tasks:
                base = f"http://127.0.0.1:{port}"
                tasks = [asyncio.create_task(talker.talk(base, stop)) for talker in talkers]
            if kill == kills:
                stop.set()
                await asyncio.wait_for(asyncio.gather(*tasks), PATIENCE_S)
                server.send_signal(signal.SIGTERM)
                await asyncio.to_thread(server.wait, PATIENCE_S)
                return talkers
            await until_talked(talkers, acknowledged(talkers) + people)
            await asyncio.sleep(chance.uniform(0.0, 0.6))
            server.send_signal(signal.SIGKILL)
            await asyncio.to_thread(server.wait, PATIENCE_S)
    raise AssertionError("unreachable")


@pytest.mark.reliability
@pytest.mark.parametrize(
    "log_url",
    ["sqlite", pytest.param("postgresql", marks=[pytest.mark.postgresql, pytest.mark.long])],
    indirect=True,
)
@pytest.mark.parametrize(("kills", "people"), [(2, 20), pytest.param(200, 50, marks=pytest.mark.long)])
def test_kills_under_people_who_talk_lose_and_double_nothing(
    log_url: str, tmp_path: Path, kills: int, people: int, note_figures: Callable[..., None]
) -> None:
    changes = {
        "allocation: least": "limits: {user_turns: 10000}\nallocation: least",
    }
    with study_with_bots(tmp_path / "study", changes) as study:
        talkers = asyncio.run(kill_again_and_again(study, log_url, kills, people))
    with Log.open(log_url) as log:
        tally = check(log, talkers)
    database = log_url.partition(":")[0]
    note_figures("acknowledged turns", kills=kills, people=people, database=database, **tally)
    assert (tally["lost"], tally["doubled"]) == (0, 0)
    assert tally["acknowledged"] >= kills * people / 2, "too little was said for this to mean anything"
