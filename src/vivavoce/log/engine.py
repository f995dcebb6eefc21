"""Connections to the log's database, made safe before anything is written.

SQLite      WAL, synchronous=FULL, foreign keys; a transaction that writes begins with BEGIN IMMEDIATE
PostgreSQL  a transaction that writes begins with one advisory lock, so that there, too, one writes at a time
            however many processes share the log; servers that may forget a commit are refused
"""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from vivavoce.core.errors import InputError
from vivavoce.log.tables import json_text

Result = TypeVar("Result")

BUSY_S: Final = 5
PATIENCE_S: Final = 30.0
# "vivavoce" in bytes; held by whoever writes, until the end of its transaction
WRITE_LOCK: Final = 0x7669_7661_766F_6365
NETWORK_FILE_SYSTEMS: Final = frozenset(
    {
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "davfs",
        "fuse.ceph",
        "fuse.gcsfuse",
        "fuse.glusterfs",
        "fuse.rclone",
        "fuse.s3fs",
        "fuse.sshfs",
        "gfs2",
        "glusterfs",
        "gpfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "ocfs2",
        "smb3",
        "smbfs",
    }
)
SQLITE_SETTINGS: Final = (
    "journal_mode=WAL",
    "synchronous=FULL",
    "foreign_keys=ON",
    f"busy_timeout={BUSY_S * 1000}",
)
UNSAFE_WHEN_OFF: Final = ("fsync", "full_page_writes", "synchronous_commit")


class Engines(NamedTuple):
    """One engine for the single writer, one for the many readers."""

    writer: Engine
    reader: Engine

    def dispose(self) -> None:
        """Let go of every connection."""
        self.writer.dispose()
        self.reader.dispose()


def open_engines(url: str, *, patience_s: float = PATIENCE_S, **options: Any) -> Engines:
    """Engines for `sqlite:///path` or `postgresql://...`; options go to SQLAlchemy's create_engine.

    patience_s  how long to wait while another process holds the database

    Raises  InputError: not such a URL, a network file system, an unreachable or a forgetful server
    """
    address = address_of(url)
    options.setdefault("json_serializer", json_text)
    if address.get_backend_name() == "sqlite":
        engines = _sqlite(address, options)
    else:
        engines = _postgresql(address, options)
    try:
        when_free(lambda: _look_at(engines.writer), patience_s)
    except DBAPIError as error:
        raise InputError(
            f"cannot open the log's database: {first_line(error)}",
            place=shown(address),
            hint="check that the folder or server exists and that you have write access",
        ) from None
    return engines


def _look_at(writer: Engine) -> None:
    with writer.connect() as connection:
        check_settings(connection)


def when_free(work: Callable[[], Result], patience_s: float) -> Result:
    """The result of `work`, which is tried again while another process writes to the database."""
    until = time.monotonic() + patience_s
    while True:
        try:
            return work()
        except DBAPIError as error:
            locked = "database is locked" in str(error.orig) or getattr(error.orig, "sqlstate", "") == "55P03"
            if not locked or time.monotonic() > until:
                raise
        time.sleep(0.05)


def shown(address: URL) -> str:
    """A database's address without its password."""
    return address.render_as_string(hide_password=True)


def first_line(error: DBAPIError) -> str:
    """First line of the database's message."""
    lines = str(error.orig).strip().splitlines()
    return lines[0] if lines else type(error.orig).__name__


def missing_file(url: str) -> Path | None:
    """The file of a SQLite log that is not there yet; None where it is, or where a server keeps the log."""
    address = address_of(url)
    file = Path(address.database or "") if address.get_backend_name() == "sqlite" else None
    return file if file is not None and not file.is_file() else None


def address_of(url: str) -> URL:
    """The address of a log's database, with the driver that we use. Raises InputError."""
    hint = "use sqlite:///FILE or postgresql://USER@HOST/DATABASE"
    try:
        address = make_url(url)
    except ArgumentError:
        raise InputError(f"not a log URL: {url!r}", hint=hint) from None
    if address.drivername in {"postgresql", "postgres", "postgresql+psycopg"}:
        return address.set(drivername="postgresql+psycopg")
    if address.drivername != "sqlite":
        raise InputError("this kind of database cannot store a log", place=shown(address), hint=hint)
    if address.database in {None, "", ":memory:"}:
        raise InputError("an in-memory log is not saved", place=shown(address), hint="use sqlite:///FILE")
    return address


def _sqlite(address: URL, options: dict[str, Any]) -> Engines:
    path = Path(address.database or "").absolute()
    if not path.parent.is_dir():
        raise InputError("folder not found", place=str(path.parent), hint="create it, or choose another file")
    kind = network_file_system(path.parent)
    if kind:
        raise InputError(
            f"SQLite loses data on network file systems ({kind})",
            place=str(path),
            hint="move the log to a local disk, or use PostgreSQL",
        )
    _make_private(path)
    writer = create_engine(address, poolclass=NullPool, connect_args={"timeout": BUSY_S}, **options)
    reader = create_engine(address, connect_args={"timeout": BUSY_S}, **options)
    for engine, begin in ((writer, "BEGIN IMMEDIATE"), (reader, "BEGIN")):
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", partial(Connection.exec_driver_sql, statement=begin))
    event.listen(reader, "connect", _forbid_writing)
    return Engines(writer, reader)


def _make_private(path: Path) -> None:
    """Make a new log's file readable by its owner only; SQLite gives its companions the same rights."""
    with suppress(OSError):  # it is there, or cannot be made, which SQLite says better
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _set_up_sqlite(connection: Any, _: object) -> None:
    connection.isolation_level = None  # transactions are begun by us, never by the driver
    cursor = connection.cursor()
    until = time.monotonic() + BUSY_S
    for setting in SQLITE_SETTINGS:
        _settle(cursor, f"PRAGMA {setting}", until)
    cursor.close()


def _settle(cursor: Any, statement: str, until: float) -> None:
    """Run a setting; the change to WAL heeds no busy time-out, so who opens at the same moment waits here."""
    while True:
        try:
            cursor.execute(statement)
            cursor.fetchall()
            return
        except Exception as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.02)


def _forbid_writing(connection: Any, _: object) -> None:
    connection.cursor().execute("PRAGMA query_only=ON").close()


def _postgresql(address: URL, options: dict[str, Any]) -> Engines:
    common = "-c lock_timeout=5s -c idle_in_transaction_session_timeout=30s"
    connect = {
        "connect_timeout": 5,
        "tcp_user_timeout": 10_000,
        "keepalives_idle": 10,
        "keepalives_interval": 5,
    }
    writer = create_engine(
        address, poolclass=NullPool, connect_args={**connect, "options": common}, **options
    )
    reader = create_engine(
        address,
        pool_pre_ping=True,
        connect_args={**connect, "options": f"{common} -c default_transaction_read_only=on"},
        **options,
    )
    lock = f"SELECT pg_advisory_xact_lock({WRITE_LOCK})"
    event.listen(writer, "begin", partial(Connection.exec_driver_sql, statement=lock))
    return Engines(writer, reader)


def check_settings(connection: Connection) -> None:
    """Refuse a database that may forget what it has committed.

    Raises  InputError: names the setting and how to put it right
    """
    place = shown(connection.engine.url)
    if connection.dialect.name == "sqlite":
        mode = connection.exec_driver_sql("PRAGMA journal_mode").scalar_one()
        synchronous = connection.exec_driver_sql("PRAGMA synchronous").scalar_one()
        if mode != "wal" or synchronous < 2:
            raise InputError(
                (f"SQLite uses journal_mode={mode}, synchronous={synchronous} instead of wal and 2"),
                place=place,
                hint="move the log to a local disk, or use PostgreSQL",
            )
        return
    for setting in UNSAFE_WHEN_OFF:
        if connection.exec_driver_sql(f"SHOW {setting}").scalar_one() == "off":
            raise InputError(
                f"the server runs with {setting}=off and may lose acknowledged turns",
                place=place,
                hint=f"set {setting} = on in postgresql.conf and reload the server",
            )


def network_file_system(folder: Path, mounts: Path = Path("/proc/mounts")) -> str | None:
    """The kind of network file system that a folder lies on; None when local or not to be found out."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    folder = folder.resolve()
    mount: tuple[int, str] = (-1, "")
    for line in lines:
        _, point, kind, *_ = line.split(" ")
        point = point.replace("\\040", " ")
        if folder.is_relative_to(point):
            mount = max(mount, (len(point), kind))
    return mount[1] if mount[1] in NETWORK_FILE_SYSTEMS else None
