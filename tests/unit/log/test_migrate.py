"""The migrations make exactly the tables that the code reads and writes."""

from pathlib import Path
from threading import Thread

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

from vivavoce.core.errors import InputError
from vivavoce.log.engine import open_engines
from vivavoce.log.migrate import HEAD, SCRIPTS, migrate, version
from vivavoce.log.store import Log
from vivavoce.log.tables import metadata


def test_migrated_tables_are_the_tables_of_the_code(log_url: str) -> None:
    engines = open_engines(log_url)
    migrate(engines.writer)
    with engines.reader.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
        assert version(connection) == HEAD
    engines.dispose()


def test_the_head_that_the_code_expects_is_the_last_migration() -> None:
    scripts = ScriptDirectory(str(SCRIPTS))
    assert scripts.get_current_head() == HEAD


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
