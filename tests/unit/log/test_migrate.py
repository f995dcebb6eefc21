"""The migrations make exactly the tables that the code reads and writes."""

from pathlib import Path
from threading import Thread

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, MetaData, Table, insert, select, text

from scenes.patience import PATIENCE_S
from vivavoce.core.errors import InputError
from vivavoce.log.arena_events import BoutAssigned
from vivavoce.log.call_events import CallConnected, CallPlaced, CallsUnwanted
from vivavoce.log.engine import open_engines
from vivavoce.log.events import (
    TRIAL,
    DialogueAssigned,
    DialogueEnded,
    UserTurnSent,
    VisitEnded,
    VisitOpened,
)
from vivavoce.log.migrate import LOG, SCRIPTS, migrate, version
from vivavoce.log.store import Log, Transaction
from vivavoce.log.tables import PROJECTIONS, metadata
from vivavoce.log.verification import rebuild


def test_migrated_tables_are_the_tables_of_the_code(log_url: str) -> None:
    engines = open_engines(log_url)
    migrate(engines.writer)
    with engines.reader.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
        assert version(connection) == LOG.head
    engines.dispose()


def test_the_head_that_the_code_expects_is_the_last_migration() -> None:
    scripts = ScriptDirectory(str(SCRIPTS))
    assert scripts.get_current_head() == LOG.head


def test_a_log_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'log.sqlite'}"
    engines = open_engines(url)
    migrate(engines.writer)
    with engines.writer.connect() as connection, connection.begin():
        connection.execute(text("update alembic_version set version_num = '9999'"))
    engines.dispose()
    with pytest.raises(InputError, match="the log was written by a newer version of vivavoce"):
        Log.open(url)


def test_several_processes_may_make_a_new_log_at_once(log_url: str) -> None:
    failures: list[BaseException] = []

    def open_it() -> None:
        try:
            with Log.open(log_url) as log:
                log.transact_now(lambda tx: tx.last_seq("v1"))
        except BaseException as error:
            failures.append(error)

    threads = [Thread(target=open_it) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def some_trial(tx: Transaction) -> None:
    """A bit of everything that projections are made of."""
    opened = VisitOpened(study="s", revision="r", participant_id="p1", pool="link", language="en")
    tx.append("v1", opened)
    for number, system in enumerate("ab"):
        tx.append(
            "v1",
            DialogueAssigned(
                dialogue_id=f"d{number}",
                step=0,
                round=0,
                system=system,
                task_id=None,
                task=None,
                channel="phone",
                spoken=True,
                calls_out=True,
                language="en",
                conversation=f"c{number}",
                condition=None,
                factors={},
            ),
        )
    tx.append("v1", UserTurnSent(dialogue_id="d0", turn_index=0, text="a \0 b"))
    tx.append("v1", CallPlaced(study="s", dialogue_id="d0", call_id="x", callee="caller-1"))
    connected = CallConnected(dialogue_id="d0", call_id="x", adapter="sip", caller=None, joined_by="placed")
    tx.append("v1", connected)
    tx.append(TRIAL, CallsUnwanted(study="s", callee="caller-1"))
    bout = BoutAssigned(
        bout_id="b",
        step=0,
        round=0,
        left_dialogue_id="d0",
        right_dialogue_id="d1",
        left_system="a",
        right_system="b",
    )
    tx.append("v1", bout)


def to_version(connection: Connection, revision: str) -> None:
    """Make the tables of an older version."""
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def rows_of(log: Log) -> list[list[tuple]]:
    with log.reading() as connection:
        tables = [table.select().order_by(*table.primary_key) for table in PROJECTIONS]
        return [[tuple(row) for row in connection.execute(one)] for one in tables]


@pytest.mark.parametrize("revision", ["0001", "0002", "0003", "0004"])
def test_a_log_of_an_older_version_keeps_its_data_and_gets_the_projections_of_today(
    log_url: str, tmp_path: Path, revision: str
) -> None:
    with Log.open(f"sqlite:///{tmp_path / 'new.sqlite'}") as new:
        new.transact_now(some_trial)
        today = rows_of(new)
        with new.reading() as connection:
            stored = {
                name: [dict(row._mapping) for row in connection.execute(select(metadata.tables[name]))]
                for name in ("events", "visits", "dialogues")
            }
    engines = open_engines(log_url)
    with engines.writer.connect() as connection, connection.begin():
        to_version(connection, revision)
        known = _tables(connection)
        for name, rows in stored.items():
            kept = [{key: row[key] for key in row if key in known[name].c} for row in rows]
            connection.execute(insert(metadata.tables[name]), kept)
        assert ("calls" in known) == (revision >= "0004") and "events" in known
    engines.dispose()
    with Log.open(log_url, patience_s=PATIENCE_S) as again:
        assert rows_of(again) == today or revision >= "0004"  # which has filled its projections itself
        assert again.events("v1")[3].event == UserTurnSent(dialogue_id="d0", turn_index=0, text="a \0 b")
        rebuild(again)
        assert rows_of(again) == today


def test_dialogues_that_withdrawing_cut_off_are_counted_anew(log_url: str) -> None:
    with Log.open(log_url) as log:
        log.transact_now(some_trial)
        log.transact_now(
            lambda tx: tx.append("v1", DialogueEnded(dialogue_id="d0", reason="user", user_turns=1))
        )
        log.transact_now(lambda tx: tx.append("v1", VisitEnded(outcome="withdrew")))
        today = rows_of(log)
    engines = open_engines(log_url)
    with engines.writer.connect() as connection, connection.begin():
        connection.execute(text("update dialogues set status = 'completed', end_reason = 'user'"))
        connection.execute(text("update dialogues set end_reason = 'limit' where dialogue_id = 'd1'"))
        connection.execute(text("update alembic_version set version_num = '0007'"))
        connection.execute(text("drop table roots"))
        for column in ("salt", "commitment"):
            connection.execute(text(f"alter table events drop column {column}"))
    engines.dispose()
    with Log.open(log_url) as again:
        assert [one.status for one in again.dialogues("s")] == ["abandoned", "completed"]
        rebuild(again)
        assert rows_of(again) == today


def _tables(connection: Connection) -> dict[str, Table]:
    found = MetaData()
    found.reflect(connection)
    return dict(found.tables)
