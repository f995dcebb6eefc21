"""Reads of the log while somebody waits: a trial of 5,000 participants beside one of 500.

Every participant has two dialogues in a bout, one of them by telephone, whose call we placed.
"""

import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from benchmarks.speed.row import Measured, Row, compared, workplace

from vivavoce.dashboard.board import Board
from vivavoce.log.arena_events import BoutAssigned
from vivavoce.log.call_events import CallConnected, CallNotTaken, CallPlaced
from vivavoce.log.events import TRIAL, DialogueAssigned, DialogueEnded, VisitOpened
from vivavoce.log.store import Log, Transaction
from vivavoce.study.load import load_study
from vivavoce.study.scaffold import write_study
from vivavoce_speech.telephony.outbound import placed_since, unwanted

SYSTEMS = ("a", "b", "c", "d")
SIZES, QUICK_SIZES, AT_ONCE, RUNS = (500, 5_000), (20, 200), 100, 7


def _visit(tx: Transaction, number: int) -> None:
    visit_id, sides = f"v{number}", (SYSTEMS[number % 4], SYSTEMS[(number + 1) % 4])
    opened = VisitOpened(study="s", revision="r", participant_id=f"p{number}", pool="link", language="en")
    tx.append(visit_id, opened)
    for place, system in enumerate(sides):
        assigned = DialogueAssigned(
            dialogue_id=f"d{number}-{place}",
            step=0,
            round=0,
            system=system,
            task_id=f"t{number % 50}",
            task=None,
            channel="phone",
            language="en",
            conversation=f"d{number}-{place}",
            condition=None,
            factors={},
        )
        tx.append(visit_id, assigned)
    call = {"dialogue_id": f"d{number}-0", "call_id": f"x{number}"}
    tx.append(visit_id, CallPlaced(study="s", callee=f"c{number}", **call))
    tx.append(visit_id, CallConnected(adapter="sip", caller=f"c{number}", joined_by="placed", **call))
    left, right = (
        {f"{side}_dialogue_id": f"d{number}-{at}", f"{side}_system": sides[at]}
        for at, side in enumerate(("left", "right"))
    )
    tx.append(visit_id, BoutAssigned(bout_id=f"b{number}", step=0, round=0, **left, **right))
    for place in range(2):
        ended = DialogueEnded(dialogue_id=f"d{number}-{place}", reason="user", user_turns=3, duration_s=60.0)
        tx.append(visit_id, ended)
    tx.append(TRIAL, CallNotTaken(study="s", call_id=f"y{number}", caller=None, reason="no_visit"))


def _filled(folder: Path, participants: int) -> Log:
    log = Log.open(f"sqlite:///{folder / f'{participants}.sqlite'}")
    for begin in range(0, participants, AT_ONCE):
        several = range(begin, min(begin + AT_ONCE, participants))
        log.transact_now(lambda tx, several=several: [_visit(tx, number) for number in several])
    return log


def _reads(log: Log) -> dict[str, Callable[[Transaction], Any]]:
    since = log.clock.now() - timedelta(days=1)
    who = {"callee": "c7", "dialogue_id": "d7-0"}
    return {
        "dialogues by system (allocation)": lambda tx: tx.allocation_counts("s"),
        "dialogues of a participant": lambda tx: tx.participant_counts("s", "p7"),
        "tasks of a participant": lambda tx: tx.used_tasks("s", "p7"),
        "bouts": lambda tx: tx.bouts("s"),
        "bouts of a participant": lambda tx: tx.bouts("s", "p7"),
        "calls placed in a day": lambda tx: placed_since(tx.connection, "s", since, **who),
        "unwanted calls": lambda tx: unwanted(tx.connection, "s", "c7"),
        "calls of a caller": lambda tx: tx.call_counts("s", caller="c7"),
        "calls": lambda tx: tx.call_counts("s"),
        "pause of the trial": lambda tx: tx.paused(),
    }


def _cpu_ms(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return 1000 * (time.process_time() - begun)


def _times(log: Log, board: Board) -> dict[str, float]:
    found = {
        name: min(
            _cpu_ms(lambda read=read: log.transact_now(lambda tx: [read(tx) for _ in range(10)])) / 10
            for _ in range(RUNS)
        )
        for name, read in _reads(log).items()
    }
    for look in ("first", "next"):
        found[f"dashboard, {look} look"] = _cpu_ms(lambda: board.see(lambda seen: len(seen.dialogues)))
    return found


def measure(quick: bool) -> Measured:
    sizes = QUICK_SIZES if quick else SIZES
    with workplace() as folder:
        write_study(folder / "study", "cambridge-2011", name="s")
        study = load_study(folder / "study")
        logs = [_filled(folder, size) for size in sizes]
        small, large = (_times(log, Board(study, log)) for log in logs)
        for log in logs:
            log.close_now()
    against = f"{sizes[0]} participants"
    return Measured(
        [compared(name, [large[name]], [small[name]], against=against, unit="CPU ms") for name in large]
    )


ROW = Row("reads", "reads of the log, 5,000 participants", "500 participants", measure, limit_s=120)
