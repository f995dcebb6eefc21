"""One service a log on a database server: a lock that its server holds as long as the service is connected.

It is free again when the process ends, however it ends, and some 25 seconds after its machine has vanished.
"""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, NamedTuple

import structlog
from sqlalchemy import Connection, Engine, NullPool, create_engine, text
from sqlalchemy.exc import DBAPIError

from vivavoce.core.errors import InputError
from vivavoce.log.engine import WRITE_LOCK, address_of, first_line, shown

LOCK: Final = WRITE_LOCK + 1
ASKED_EVERY_S: Final = 10.0
_SERVER: Final = "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
_HOLDER: Final = text(
    "SELECT application_name, pid FROM pg_stat_activity JOIN pg_locks USING (pid) "
    "WHERE locktype = 'advisory' AND granted AND classid = :high AND objid = :low "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
_report = structlog.get_logger("vivavoce.log")


class _Holder(NamedTuple):
    """The holder of the lock; process: the server's for their connection, None without a holder."""

    name: str
    process: int | None


@contextmanager
def served_alone(url: str, lost: Callable[[], object], *, every_s: float = ASKED_EVERY_S) -> Iterator[None]:
    """Keep others from serving a log of a PostgreSQL server until the block ends.

    lost    called when the server went away and another service had the log when it was back
    Raises  InputError: another process serves it; names that process
    """
    name = f"vivavoce, process {os.getpid()} on {socket.gethostname()}"
    engine = create_engine(
        address_of(url),
        poolclass=NullPool,
        isolation_level="AUTOCOMMIT",
        connect_args={"connect_timeout": 5, "application_name": name[:63], "options": _SERVER},
    )
    try:
        connection = engine.connect()
    except DBAPIError as error:
        problem = f"cannot open the log's database: {first_line(error)}"
        raise InputError(problem, place=shown(engine.url), hint="check that the server is running") from None
    over = threading.Event()
    try:
        if not _taken(connection):
            raise InputError(
                f"{_holder(connection).name} already serves this log",
                place=shown(engine.url),
                hint="use the pages that it printed, stop it first, or choose another log with --log",
            )
        keeper = threading.Thread(
            target=_keep,
            args=(engine, connection, over, lost, every_s),
            name="vivavoce-log-lock",
            daemon=True,
        )
        keeper.start()
        yield
        over.set()
        keeper.join()
    finally:
        over.set()
        _let_go(connection)
        engine.dispose()


def _keep(
    engine: Engine, connection: Connection, over: threading.Event, lost: Callable[[], object], every_s: float
) -> None:
    """See that the lock is held; take it again where the server was away.

    A server may notice late that it has lost us: the lock that an old connection of ours holds is waited for.
    """
    current: Connection | None = connection
    ours = {_server_process(connection), None}
    while not over.wait(every_s):
        try:
            if current is None:
                current = engine.connect()
                if not _taken(current):
                    holder = _holder(current)
                    if holder.process not in ours:
                        _report.error("log_served_by_another", by=holder.name)
                        lost()
                        break
                    _let_go(current)
                    current = None
                    continue
                ours.add(_server_process(current))
            current.execute(text("SELECT 1"))
        except DBAPIError:
            if current is not None:
                _let_go(current)
            current = None
    if current is not None and current is not connection:
        _let_go(current)


def _taken(connection: Connection) -> bool:
    return bool(connection.execute(text("SELECT pg_try_advisory_lock(:lock)"), {"lock": LOCK}).scalar_one())


def _holder(connection: Connection) -> _Holder:
    key: dict[str, Any] = {"high": LOCK >> 32, "low": LOCK & 0xFFFF_FFFF}
    row = connection.execute(_HOLDER, key).first()
    return _Holder(*row) if row is not None else _Holder("another process", None)


def _server_process(connection: Connection) -> int | None:
    """The process that the server has for a connection."""
    raw: Any = connection.connection.dbapi_connection
    return raw.info.backend_pid


def _let_go(connection: Connection) -> None:
    """Close a connection; the lock is free when this returns, and not when the server comes to it."""
    with suppress(DBAPIError):
        if not connection.closed and not connection.invalidated:
            connection.execute(text("SELECT pg_advisory_unlock_all()"))
    with suppress(DBAPIError):
        connection.close()
