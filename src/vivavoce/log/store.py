"""The log: appended to by transactions that are durable when they return, read by everybody.

It has a single writer: one thread, one connection, and one COMMIT for everybody who waits.

A caller hands over a function of a transaction. The writer takes all waiting functions into one database
transaction, commits once, and only then answers. So the cost of a sync to disk is shared, and nothing is ever
acknowledged that is not durable. Several functions share a savepoint; where one of them fails, all run again,
each in a savepoint of its own, for most batches are without a failure.

When the server of the database is lost, callers wait while the writer reconnects, up to `patience_s`.
A COMMIT whose answer was lost may or may not have happened: each batch therefore leaves its number in the
table `runs`, which is read back before anything is run again. A function may run several times; it is
committed at most once.
"""

import asyncio
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final, NamedTuple, TypeVar

import structlog
from sqlalchemy import URL, Connection, Engine, insert, inspect, select, update
from sqlalchemy.exc import DBAPIError, IntegrityError, InterfaceError, InternalError, OperationalError

from vivavoce.core.clock import Clock, SystemClock
from vivavoce.core.errors import LogError
from vivavoce.log.database_file import DatabaseFile
from vivavoce.log.engine import PATIENCE_S, Engines, first_line, open_engines, shown
from vivavoce.log.merkle_tree import EVERY_S, Root, add_witness, record_root
from vivavoce.log.migrate import Schema, migrate, version
from vivavoce.log.models import Conflict, StoredEvent, VisitRecord
from vivavoce.log.queries import Reader
from vivavoce.log.tables import runs
from vivavoce.log.transaction import Transaction

BATCH: Final = 500
FATAL: Final = (OperationalError, InternalError, InterfaceError)
# lock not available, deadlock, too many connections, shutting down (twice), starting up
PASSING_STATES: Final = frozenset({"55P03", "40P01", "53300", "57P01", "57P02", "57P03"})
PASSING_WORDS: Final = (
    "database is locked",
    "connection failed",
    "connection is bad",
    "connection refused",
    "connection timeout expired",
)
_report = structlog.get_logger("vivavoce.log")


class _Caller(NamedTuple):
    run: Callable[[Transaction], Any]
    future: Future[Any]
    since_s: float


class _Outcome(NamedTuple):
    caller: _Caller
    value: Any = None
    error: Exception | None = None

    def deliver(self) -> None:
        if self.caller.future.done():
            return
        if self.error is not None:
            self.caller.future.set_exception(self.error)
        else:
            self.caller.future.set_result(self.value)


class Writer:
    """Runs functions of a transaction on one thread, many to a commit.

    witness  file in which the recorded roots are noted
    """

    def __init__(
        self,
        engine: Engine,
        clock: Clock,
        boot: str,
        *,
        patience_s: float = PATIENCE_S,
        witness: Path | None = None,
    ) -> None:
        self._engine, self._clock, self._boot, self._patience_s = engine, clock, boot, patience_s
        self._witness = witness
        self._uncovered_since_s: float | None = None
        self._covers = False  # what a killed process left is covered with the first batch
        self._numbered = engine.dialect.name == "postgresql"
        self._number = 0
        self._file = DatabaseFile(engine.url)
        self._transaction: Transaction | None = None
        self._queue: SimpleQueue[_Caller | None] = SimpleQueue()
        self._gate = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="vivavoce-log-writer", daemon=True)
        self._thread.start()

    def submit(self, run: Callable[[Transaction], Any]) -> Future[Any]:
        """A future of what `run` returns, resolved after its commit."""
        future: Future[Any] = Future()
        with self._gate:
            if self._closed:
                raise LogError("the log is closed")
            self._queue.put(_Caller(run, future, time.monotonic()))
        return future

    def on_own_thread(self) -> bool:
        return threading.current_thread() is self._thread

    def close(self) -> None:
        """Commit what waits, then stop."""
        with self._gate:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        running = True
        while running:
            batch, running = self._collect()
            batch = [caller for caller in batch if caller.future.set_running_or_notify_cancel()]
            if batch:
                self._settle(batch)
        if self._uncovered_since_s is not None:
            self._settle([_Caller(Transaction.request_root, Future(), -self._patience_s)])
        self._disconnect()

    def _collect(self) -> tuple[list[_Caller], bool]:
        """Everybody who waits; blocks while nobody does. False when the writer is to stop."""
        try:
            first = self._queue.get(timeout=None if self._uncovered_since_s is None else EVERY_S)
        except Empty:
            return [_Caller(Transaction.request_root, Future(), time.monotonic())], True
        batch: list[_Caller] = []
        waiting = first
        while waiting is not None:
            batch.append(waiting)
            if len(batch) == BATCH:
                return batch, True
            try:
                waiting = self._queue.get_nowait()
            except Empty:
                return batch, True
        return batch, False

    def _settle(self, batch: list[_Caller]) -> None:
        """Answer every caller of a batch, after its commit or with the reason why there is none."""
        self._number += 1
        unsure: list[_Outcome] | None = None
        for pause_s in _pauses():
            outcomes: list[_Outcome] = []
            root: Root | None = None
            committing = False
            try:
                transaction = self._connect()
                with transaction.connection.begin():
                    if unsure is None or not self._is_committed(transaction.connection):
                        outcomes, root = self._run(transaction, batch)
                        committing = True
                if transaction.root_due:
                    self._covers, self._uncovered_since_s = True, None
                    self._note(root)
                for outcome in outcomes or unsure or ():
                    outcome.deliver()
                return
            except DBAPIError as error:
                self._disconnect()
                cause = _first_cause(error)
                if not _passing(cause):
                    self._refuse(batch, cause, at_commit=committing)
                    return
                if committing:
                    unsure = outcomes
                batch = self._give_up_overdue(batch, cause)
            except LogError as error:
                _fail(batch, error)
                return
            except BaseException as error:  # a defect of ours must not leave callers waiting for ever
                self._disconnect()
                _fail(batch, LogError(f"the writer of the log failed: {error!r}"))
                return
            if not batch:
                return
            time.sleep(pause_s)

    def _connect(self) -> Transaction:
        self._file.check(self._transaction.connection if self._transaction else None)
        if self._transaction is None:
            self._transaction = Transaction(self._engine.connect(), self._clock, self._boot)
        return self._transaction

    def _disconnect(self) -> None:
        if self._transaction is not None:
            connection, self._transaction = self._transaction.connection, None
            connection.invalidate()
            connection.close()

    def _note(self, root: Root | None) -> None:
        try:
            if root is not None and self._witness is not None:
                add_witness(self._witness, root)
        except OSError as error:
            _report.warning("root_not_noted", file=str(self._witness), problem=str(error))

    def _run(self, transaction: Transaction, batch: list[_Caller]) -> tuple[list[_Outcome], Root | None]:
        connection = transaction.connection
        transaction.root_due = False
        if len(batch) == 1:
            outcomes = [self._run_alone(connection, transaction, batch[0])]
        else:
            outcomes = self._run_together(connection, transaction, batch) or [
                self._run_one(connection, transaction, caller) for caller in batch
            ]
        if not connection.in_transaction():
            return outcomes, None
        if self._numbered:
            self._leave_number(connection)
        return outcomes, self._record_root(transaction)

    def _record_root(self, transaction: Transaction) -> Root | None:
        """Record a root where one is asked for, or due."""
        now_s = self._clock.monotonic_s()
        if self._uncovered_since_s is None:
            self._uncovered_since_s = now_s
        transaction.root_due |= not self._covers or now_s - self._uncovered_since_s >= EVERY_S
        try:
            return record_root(transaction.connection, self._clock.now()) if transaction.root_due else None
        except (ValueError, TypeError, IndexError) as error:  # what altered the last root stops no trial
            _report.error("root_not_recorded", problem=f"the last root was altered: {error}")
            return None

    def _run_alone(self, connection: Connection, transaction: Transaction, caller: _Caller) -> _Outcome:
        """Without a savepoint: what fails takes nobody else's work with it."""
        try:
            return _Outcome(caller, caller.run(transaction))
        except FATAL:
            raise
        except Exception as error:
            if (open_transaction := connection.get_transaction()) is not None:
                open_transaction.rollback()
            return _Outcome(caller, error=_told(error))

    def _run_together(
        self, connection: Connection, transaction: Transaction, batch: list[_Caller]
    ) -> list[_Outcome]:
        """All of a batch in one savepoint; [], and nothing of it is done, where one of them failed."""
        savepoint = connection.begin_nested()
        try:
            outcomes = [_Outcome(caller, caller.run(transaction)) for caller in batch]
        except FATAL:
            raise
        except Exception:
            savepoint.rollback()
            return []
        savepoint.commit()
        return outcomes

    def _run_one(self, connection: Connection, transaction: Transaction, caller: _Caller) -> _Outcome:
        savepoint = connection.begin_nested()
        try:
            outcome = _Outcome(caller, caller.run(transaction))
            savepoint.commit()
            return outcome
        except FATAL:
            raise  # the whole transaction is lost, and its savepoints with it
        except Exception as error:
            savepoint.rollback()
            return _Outcome(caller, error=_told(error))

    def _leave_number(self, connection: Connection) -> None:
        mark = {"batch": self._number, "last_at": self._clock.now()}
        updated = connection.execute(update(runs).where(runs.c.boot == self._boot).values(mark)).rowcount
        if not updated:
            connection.execute(insert(runs).values(boot=self._boot, **mark))

    def _is_committed(self, connection: Connection) -> bool:
        last = connection.execute(select(runs.c.batch).where(runs.c.boot == self._boot)).scalar_one_or_none()
        return last == self._number

    def _refuse(self, batch: list[_Caller], error: DBAPIError, *, at_commit: bool) -> None:
        """The database cannot take this. Before COMMIT one caller may be the cause: try each alone."""
        if at_commit or len(batch) == 1:
            _fail(batch, LogError(self._explain(error)))
            return
        for caller in batch:
            self._settle([caller])

    def _give_up_overdue(self, batch: list[_Caller], error: DBAPIError) -> list[_Caller]:
        now_s = time.monotonic()
        overdue = [caller for caller in batch if now_s - caller.since_s >= self._patience_s]
        _fail(overdue, LogError(f"{self._explain(error)} (waited {self._patience_s:g} s)"))
        return [caller for caller in batch if not caller.future.done()]

    def _explain(self, error: DBAPIError) -> str:
        message = first_line(error)
        full = any(word in message.lower() for word in ("full", "no space", "disk i/o error"))
        hint = "; free disk space, then try again" if full else ""
        return f"{shown(self._engine.url)}: cannot write the log, nothing was saved: {message}{hint}"


def _told(error: Exception) -> Exception:
    """An exception of a caller's function as its caller sees it: no error of the database's driver."""
    if isinstance(error, IntegrityError):
        return Conflict(f"already in the log: {first_line(error)}")
    if isinstance(error, DBAPIError):
        return LogError(f"the log rejected this: {first_line(error)}")
    return error


def _first_cause(error: DBAPIError) -> DBAPIError:
    """First cause of the error: rollback may have failed, too, for SQLite does that by itself."""
    while isinstance(error.__context__, DBAPIError):
        error = error.__context__
    return error


def _passing(error: DBAPIError) -> bool:
    """True if waiting may help: the server is away, or another process is writing."""
    if error.connection_invalidated or getattr(error.orig, "sqlstate", None) in PASSING_STATES:
        return True
    return any(word in str(error.orig).lower() for word in PASSING_WORDS)


def _fail(callers: list[_Caller], error: LogError) -> None:
    for caller in callers:
        _Outcome(caller, error=error).deliver()


def _pauses() -> Iterator[float]:
    pause_s = 0.05
    while True:
        yield pause_s
        pause_s = min(2 * pause_s, 2.0)


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
        self.witness_file = _witness_file(engines.writer.url, recording_folder)
        self._writer = Writer(
            engines.writer, clock, self.boot, patience_s=patience_s, witness=self.witness_file
        )
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
            raise LogError("nested transactions are not supported")
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
                        f"deleted, but traces may remain in {file}, which could not be "
                        f"compacted ({error}): free disk space, stop programs that use it, "
                        f"and run `sqlite3 {file} VACUUM`"
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


def _witness_file(address: URL, recording_folder: Path | None) -> Path | None:
    """`NAME.roots` beside `NAME.sqlite`; for a log on a server, beside the folder of its recordings."""
    name = Path(address.database or "log")
    if _is_file(address):
        return name.resolve().with_suffix(".roots")
    return recording_folder.with_name(f"{name.name}.roots") if recording_folder is not None else None


def _beside(address: URL) -> Path | None:
    """`recordings` beside `log.sqlite`, `X-recordings` beside `X.sqlite`; None for a log on a server."""
    if address.get_backend_name() != "sqlite" or not address.database:
        return None
    file = Path(address.database).resolve()
    return file.with_name("recordings" if file.stem == "log" else f"{file.stem}-recordings")
