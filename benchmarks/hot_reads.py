"""What the log reads while somebody waits, in a small and in a large trial: ratios of processor time.

    python benchmarks/hot_reads.py [--participants 500] [--times 10]

`ratio` is the time in a trial with so many times as many participants to that in the small one: 1 where it
does not matter how large a trial has become, `times` where everything is read. `ms` is that of the large one.
Every participant has two dialogues in a bout, one of them by telephone, whose call we placed.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from vivavoce.desk.board import Board
from vivavoce.log.arena_events import BoutAssigned
from vivavoce.log.call_events import CallConnected, CallNotTaken, CallPlaced
from vivavoce.log.events import TRIAL, DialogueAssigned, DialogueEnded, VisitOpened
from vivavoce.log.placed_calls import placed_since, unwanted
from vivavoce.log.store import Log, Transaction
from vivavoce.study.load import load_study
from vivavoce.study.scaffold import write_study

SYSTEMS = ("a", "b", "c", "d")
AT_ONCE = 100
RUNS = 7


def participant(tx: Transaction, number: int) -> None:
    """Somebody's whole visit."""
    visit_id, sides = f"v{number}", (SYSTEMS[number % 4], SYSTEMS[(number + 1) % 4])
    opened = VisitOpened(study="s", revision="r", participant_id=f"p{number}", pool="link", language="en")
    tx.append(visit_id, opened)
    for place, system in enumerate(sides):
        key = f"d{number}-{place}"
        assigned = DialogueAssigned(
            dialogue_id=key, step=0, round=0, system=system, task_id=f"t{number % 50}", task=None,
            channel="phone", language="en", conversation=key, condition=None, factors={},
        )  # fmt: skip
        tx.append(visit_id, assigned)
    call = {"dialogue_id": f"d{number}-0", "call_id": f"x{number}"}
    tx.append(visit_id, CallPlaced(study="s", callee=f"c{number}", **call))
    tx.append(visit_id, CallConnected(adapter="sip", caller=f"c{number}", joined_by="placed", **call))
    bout = BoutAssigned(
        bout_id=f"b{number}", step=0, round=0, left_dialogue_id=f"d{number}-0",
        right_dialogue_id=f"d{number}-1", left_system=sides[0], right_system=sides[1],
    )  # fmt: skip
    tx.append(visit_id, bout)
    for place in range(2):
        ended = DialogueEnded(dialogue_id=f"d{number}-{place}", reason="user", user_turns=3, duration_s=60.0)
        tx.append(visit_id, ended)
    tx.append(TRIAL, CallNotTaken(study="s", call_id=f"y{number}", caller=None, reason="no_visit"))


def filled(folder: Path, participants: int) -> Log:
    log = Log.open(f"sqlite:///{folder / f'{participants}.sqlite'}")
    for begin in range(0, participants, AT_ONCE):
        several = range(begin, min(begin + AT_ONCE, participants))
        log.transact_now(lambda tx, several=several: [participant(tx, number) for number in several])
    return log


def reads(log: Log) -> dict[str, Callable[[Transaction], Any]]:
    since = log.clock.now() - timedelta(days=1)
    last_hour = log.clock.now() + timedelta(hours=1)  # nobody called since then
    who = {"callee": "c7", "dialogue_id": "d7-0"}
    return {
        "systems by dialogues (allocation)": lambda tx: tx.allocation_counts("s"),
        "one participant's dialogues": lambda tx: tx.participant_counts("s", "p7"),
        "one participant's tasks": lambda tx: tx.used_tasks("s", "p7"),
        "bouts of all": lambda tx: tx.bouts("s"),
        "bouts of one participant": lambda tx: tx.bouts("s", "p7"),
        "calls placed in a day, all of them": lambda tx: placed_since(tx.connection, "s", since, **who),
        "calls placed in a day, none of them": lambda tx: placed_since(tx.connection, "s", last_hour, **who),
        "calls unwanted": lambda tx: unwanted(tx.connection, "s", "c7"),
        "calls of one caller": lambda tx: tx.call_counts("s", caller="c7"),
        "calls of all": lambda tx: tx.call_counts("s"),
        "whether the trial is paused": lambda tx: tx.paused(),
    }


def processor_ms(work: Callable[[], object]) -> float:
    """The least of some runs."""
    found = []
    for _ in range(RUNS):
        begun = time.process_time()
        work()
        found.append(1000 * (time.process_time() - begun))
    return min(found)


def measured(log: Log, board: Board) -> dict[str, float]:
    found = {
        name: processor_ms(lambda read=read: log.transact_now(lambda tx: [read(tx) for _ in range(10)])) / 10
        for name, read in reads(log).items()
    }
    begun = time.process_time()
    board.see(lambda seen: len(seen.dialogues))
    found["dashboard, first look"] = 1000 * (time.process_time() - begun)
    found["dashboard, next look"] = processor_ms(lambda: board.see(lambda seen: len(seen.dialogues)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--participants", type=int, default=500)
    parser.add_argument("--times", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_study(folder / "study", "cambridge-2011", name="s")
        study = load_study(folder / "study")
        sizes = (options.participants, options.participants * options.times)
        logs = [filled(folder, size) for size in sizes]
        small, large = (measured(log, Board(study, log)) for log in logs)
        for log in logs:
            log.close_now()
    compared = {
        key: {"ratio": round(large[key] / small[key], 1), "ms": round(large[key], 2)} for key in large
    }
    told = {"load": round(os.getloadavg()[0], 1), "participants": sizes[1], "times": options.times}
    print(json.dumps({**told, "reads": compared}, indent=2))


if __name__ == "__main__":
    main()
