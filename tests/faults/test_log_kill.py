"""kill -9 of a process that writes to the log: nothing acknowledged is lost, nothing is there twice."""

import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text

from vivavoce.log.events import UserTurnSent
from vivavoce.log.store import Log
from vivavoce.log.tables import PROJECTIONS
from vivavoce.log.verification import rebuild

pytestmark = pytest.mark.long  # `make test-long` runs it; kills of the server stay in `make test`

TALKER = Path(__file__).with_name("log_talker.py")
VISITS = [f"v{number}" for number in range(12)]


def talk_and_kill(url: str, kills: int, seed: int) -> dict[str, dict[int, int]]:
    """Run the talker, kill it at a random moment, and again; gives back what was acknowledged."""
    chance = random.Random(seed)
    acknowledged: dict[str, dict[int, int]] = {visit_id: {} for visit_id in VISITS}
    for _ in range(kills):
        numbers = {visit_id: len(said) for visit_id, said in acknowledged.items()}
        command = [sys.executable, str(TALKER), url, json.dumps(numbers)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            lines = [process.stdout.readline() for _ in range(chance.randrange(1, 80))]
            time.sleep(chance.random() * 0.01)  # anywhere between two acknowledgements
            process.kill()
            for line in [*lines, *process.stdout]:
                if line.endswith("\n"):
                    visit_id, number, seq = line.split()
                    acknowledged[visit_id][int(number)] = int(seq)
    return acknowledged


def check(url: str, acknowledged: dict[str, dict[int, int]]) -> None:
    with Log.open(url) as log:
        total = unheard = 0
        for visit_id, said in acknowledged.items():
            stored = log.events(visit_id)
            assert [event.seq for event in stored] == list(range(1, len(stored) + 1))
            turns = [event for event in stored if isinstance(event.event, UserTurnSent)]
            assert [event.client_key for event in turns] == [str(number) for number in range(len(turns))]
            there = {int(event.client_key or -1): event.seq for event in turns}
            assert said.items() <= there.items()
            assert len(there) - len(said) <= 1  # at most the one that was on its way
            total += len(said)
            unheard += len(there) - len(said)
        assert total > len(VISITS)
        print(f"{total} turns acknowledged, none lost or doubled; {unheard} more committed at the last kill")
        before = projections(log)
        rebuild(log)
        assert projections(log) == before
        if url.startswith("sqlite"):
            with log.reading() as connection:
                assert connection.execute(text("PRAGMA integrity_check")).scalar_one() == "ok"


def projections(log: Log) -> list[Any]:
    with log.reading() as connection:
        return [connection.execute(select(table).order_by(*table.primary_key)).all() for table in PROJECTIONS]


def test_a_process_killed_four_times_loses_and_doubles_nothing(log_url: str) -> None:
    check(log_url, talk_and_kill(log_url, kills=4, seed=7))


@pytest.mark.long
def test_a_process_killed_a_hundred_times_loses_and_doubles_nothing(log_url: str) -> None:
    check(log_url, talk_and_kill(log_url, kills=100, seed=8))
