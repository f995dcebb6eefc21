"""Rows of tables beside the events that nobody may alter unnoticed: events hold hashes over them.

Studies as they were served, and what packages offer, such as payments. A row is written under `recorded`,
which logs its new hash; `altered_rows` names the rows that are not as the log says.
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final, NamedTuple, Protocol

from sqlalchemy import ColumnElement, Connection, Table, select, true

from vivavoce.log.event import Event
from vivavoce.log.events import ROWS, RowRecorded
from vivavoce.log.tables import events, studies


class Appending(Protocol):
    """A transaction to which events are appended."""

    connection: Connection

    def append(self, visit_id: str, event: Event) -> object: ...


class Guarded(NamedTuple):
    """Guarded columns of a table; its primary key names a row, since says when it was written first."""

    table: Table
    columns: tuple[str, ...]
    since: str


STUDIES: Final = Guarded(studies, ("study", "revision", "file", "entities"), "seen_at")


@contextmanager
def recorded(tx: Appending, guarded: Guarded, condition: ColumnElement[bool] | None = None) -> Iterator[None]:
    """Log the hashes of the rows that are written or deleted meanwhile.

    condition  which rows may be, where there are many
    """
    before = _hashes(tx.connection, guarded, condition)
    yield
    after = _hashes(tx.connection, guarded, condition)
    for key in sorted(before.keys() | after.keys()):
        if before.get(key) != after.get(key):
            tx.append(ROWS, RowRecorded(table=guarded.table.name, key=list(key), sha256=after.get(key)))


def altered_rows(connection: Connection, guarded: Guarded, since: datetime) -> Iterator[str]:
    """Rows that are not as the log says; those from before `since` may be unknown to it."""
    table = guarded.table
    query = select(events.c.payload).where(events.c.kind == RowRecorded.kind).order_by(events.c.position)
    payloads = connection.execute(query).scalars()
    logged = {
        tuple(payload["key"]): payload["sha256"] for payload in payloads if payload["table"] == table.name
    }
    hashes = _hashes(connection, guarded, None)
    earlier = _hashes(connection, guarded, table.c[guarded.since] <= since)
    for key in sorted(logged.keys() | hashes.keys()):
        name = f"{table.name} {'/'.join(key)}"
        if key not in hashes and logged[key] is not None:
            yield f"{name}: the row was removed"
        elif key not in logged and key not in earlier:
            yield f"{name}: the row was added"
        elif key in logged and hashes.get(key) != logged[key]:
            yield f"{name}: the row was altered"


def _hashes(
    connection: Connection, guarded: Guarded, condition: ColumnElement[bool] | None
) -> dict[tuple[str, ...], str]:
    rows = connection.execute(select(guarded.table).where(true() if condition is None else condition))
    return {_key(guarded.table, row): _hash(row, guarded.columns) for row in rows.mappings()}


def _key(table: Table, row: Any) -> tuple[str, ...]:
    return tuple(str(row[column.name]) for column in table.primary_key)


def _hash(row: Any, columns: tuple[str, ...]) -> str:
    facts = json.dumps([row[name] for name in columns], sort_keys=True, default=datetime.isoformat)
    return hashlib.sha256(facts.encode()).hexdigest()
