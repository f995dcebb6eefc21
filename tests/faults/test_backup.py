"""A log copied as the guide says while people come, put back, and served on."""

import sqlite3
import subprocess
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from scenes.patience import PATIENCE_S, eventually
from vivavoce.log.events import VisitOpened
from vivavoce.log.store import Log
from vivavoce.log.verification import verify

PEOPLE, BEFORE = 4, 40


def come(log: Log, person: str) -> str:
    opened = VisitOpened(study="s", revision="r", participant_id=person, pool="link", language="en")
    log.transact_now(lambda tx: tx.append(person, opened))
    return person


def put_back(url: str, folder: Path) -> str:
    """The address of a new log, made of a backup of this one by the commands of the guide to deploying."""
    if url.startswith("sqlite"):
        copy = folder / "copy.sqlite"
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as log:
            log.execute("VACUUM INTO ?", (str(copy),))
        return f"sqlite:///{copy}"
    again, dump = url.replace("/test_", "/test_again_"), folder / "trial.dump"
    with psycopg.connect(url, autocommit=True) as server:
        places = server.execute("select setting from pg_config where name = 'BINDIR'").fetchall()
        server.execute(f"create database {conninfo_to_dict(again)['dbname']}".encode())
    programs = Path(places[0][0])
    for run in (
        [programs / "pg_dump", "--format=custom", f"--file={dump}", url],
        [programs / "pg_restore", "--exit-on-error", "--no-owner", f"--dbname={again}", dump],
    ):
        subprocess.run(run, check=True)
    return again


@pytest.mark.reliability
def test_a_backup_made_while_people_come_holds_whoever_had_come_and_is_served_on(
    log_url: str, tmp_path: Path, note_figures: Callable[..., None]
) -> None:
    acknowledged: list[str] = []
    over = threading.Event()
    with Log.open(log_url, recording_folder=tmp_path) as log:

        def arrive(door: int) -> None:
            number = 0
            while not over.is_set():
                acknowledged.append(come(log, f"p{door}-{number}"))
                number += 1

        doors = [threading.Thread(target=arrive, args=(door,)) for door in range(PEOPLE)]
        for one in doors:
            one.start()
        try:
            eventually(lambda: len(acknowledged) >= BEFORE, "nobody came")
            promised = list(acknowledged)
            again = put_back(log_url, tmp_path)
            meanwhile = len(acknowledged)
        finally:
            over.set()
            for one in doors:
                one.join(PATIENCE_S)
        came = [one.participant_id for one in log.visits("s")]
    with Log.open(again, recording_folder=tmp_path) as copy:
        there = [one.participant_id for one in copy.visits("s")]
        assert set(promised) <= set(there), "whoever was let in before the backup began"
        assert sorted(there) == sorted(came[: len(there)]), "the log as it was at one moment, without a hole"
        found = verify(copy)
        assert (found.problems, found.events, found.unchained) == ([], len(there), 0)
        come(copy, "after")
        assert verify(copy).problems == []
    note_figures(
        "backup and restore",
        database=log_url.partition(":")[0],
        acknowledged_before=len(promised),
        lost=len(set(promised) - set(there)),
        acknowledged_meanwhile=meanwhile - len(promised),
        events_put_back=len(there),
    )
