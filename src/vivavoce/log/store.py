"""The log: appended to by transactions that are durable when they return, read by everybody."""

import asyncio
import secrets
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import URL, inspect

from vivavoce.core.clock import Clock, SystemClock
from vivavoce.core.errors import LogError
from vivavoce.log.engine import PATIENCE_S, Engines, open_engines
from vivavoce.log.migrate import Schema, migrate, version
from vivavoce.log.models import Conflict, StoredEvent, VisitRecord
from vivavoce.log.queries import Reader
from vivavoce.log.transaction import Transaction
from vivavoce.log.writer import Writer

__all__ = ["Conflict", "Log", "StoredEvent", "Transaction", "VisitRecord"]

Result = TypeVar("Result")


class Log(Reader):
    """The log of a trial, in one database.

    Writing goes through `transact`; the reading methods of `Reader` work at any time.

        log = Log.open("sqlite:///trial.sqlite")
        stored = await log.transact(lambda tx: tx.append(visit_id, event, client_key=key))
    """

    def __init__(
        self,
        engines: Engines,
        clock: Clock,
        *,
        patience_s: float = PATIENCE_S,
        recording_folder: Path | None = None,
    ) -> None:
        super().__init__(engines.reader)
        self.recording_folder = recording_folder
        self._engines = engines
        self.clock = clock
        self.boot = secrets.token_hex(8)
        self._writer = Writer(engines.writer, clock, self.boot, patience_s=patience_s)
        self._patience_s = patience_s
        self._brought: set[Schema] = set()

    @classmethod
    def open(
        cls,
        url: str,
        clock: Clock | None = None,
        *,
        patience_s: float = PATIENCE_S,
        recording_folder: Path | None = None,
        **engine_options: Any,
    ) -> "Log":
        """Open a log, make it if it is new, and bring its tables up to date.

        url               `sqlite:///path` or `postgresql://user@host/database`
        patience_s        how long to wait for another process that writes, or a server that is away
        recording_folder  where audio files lie; left out, beside the file of a SQLite log
        engine_options    passed on to SQLAlchemy's create_engine
        Raises            InputError: no such database, one that may forget commits, or one of a newer version
        """
        engines = open_engines(url, patience_s=patience_s, **engine_options)
        try:
            migrate(engines.writer, patience_s=patience_s)
        except BaseException:
            engines.dispose()
            raise
        folder = recording_folder or _beside(engines.writer.url)
        return cls(engines, clock or SystemClock(), patience_s=patience_s, recording_folder=folder)

    @property
    def address(self) -> str:
        """Address of the log, however it was opened, and without a password."""
        url = self._engines.writer.url
        if url.database and url.drivername.startswith("sqlite"):
            url = url.set(database=str(Path(url.database).resolve()))
        return url.render_as_string(hide_password=True)

    def bring_tables(self, schema: Schema) -> None:
        """Make a package's tables in this database, or alter them to the version that it reads and writes.

        Raises  InputError: they were made by a newer version; LogError: they could not be made
        """
        if schema in self._brought:
            return
        with self.reading() as connection:
            exists = version(connection, schema) == schema.head
        if not exists:
            migrate(self._engines.writer, schema, patience_s=self._patience_s)
        self._brought.add(schema)

    async def transact(self, fn: Callable[[Transaction], Result]) -> Result:
        """Run `fn` in a transaction of its own and return its result once it is on disk.

        fn runs on the writer's thread, so it is short and waits for nothing; it may run more than once but
        is committed at most once. An exception undoes what fn did, and only that, and is raised here.

        Raises  LogError: it could not be written; Conflict: the log has moved on
        """
        return await asyncio.wrap_future(self._writer.submit(fn))

    def transact_now(self, fn: Callable[[Transaction], Result]) -> Result:
        """`transact` for callers that are not asynchronous."""
        if self._writer.on_own_thread():
            raise LogError("a transaction was begun inside a transaction")
        return self._writer.submit(fn).result()

    def folders(self) -> list[Path]:
        """The folders on this machine that must have room: of a database that is a file, of recordings."""
        address = self._engines.writer.url
        file = [Path(address.database or "").absolute().parent] if _is_file(address) else []
        sound = self.recording_folder
        return file + ([sound] if sound is not None and sound.is_dir() else [])

    def forget_deleted(self) -> None:
        """See that what was deleted is in the database's files no more, as far as nobody reads them now.

        Both databases write everything anew: rows that grew or moved to another page before have left their
        bytes behind, and no later deletion finds those. Whoever writes meanwhile waits.

        Note    what a server's own journal still holds, its administrator lets go of
        Raises  LogError: it could not be written anew, as where the disk is full
        """
        if self._engines.writer.dialect.name == "sqlite":
            with self._engines.writer.connect() as connection:
                raw: Any = connection.connection.dbapi_connection
                try:
                    raw.execute("VACUUM")
                    raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                except sqlite3.Error as error:
                    file = self._engines.writer.url.database
                    raise LogError(
                        f"it is deleted, but bytes of it may still be in {file}, which could not be written "
                        f"anew ({error}): make room, stop who uses it, and run `sqlite3 {file} VACUUM`"
                    ) from error
            return
        with self._engines.writer.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            quote = connection.dialect.identifier_preparer.quote
            tables = ", ".join(map(quote, inspect(connection).get_table_names()))
            connection.exec_driver_sql(f"VACUUM FULL {tables}")  # the plain one leaves bytes in their pages

    async def close(self) -> None:
        """Commit what is waiting and let go of the database."""
        await asyncio.to_thread(self.close_now)

    def close_now(self) -> None:
        self._writer.close()
        self._engines.dispose()

    def __enter__(self) -> "Log":
        return self

    def __exit__(self, *_: object) -> None:
        self.close_now()


def _is_file(address: URL) -> bool:
    return address.get_backend_name() == "sqlite"


def _beside(address: URL) -> Path | None:
    """`recordings` beside `log.sqlite`, `X-recordings` beside `X.sqlite`; None for a log on a server."""
    if address.get_backend_name() != "sqlite" or not address.database:
        return None
    file = Path(address.database).resolve()
    return file.with_name("recordings" if file.stem == "log" else f"{file.stem}-recordings")
