"""Rebuilds the projections from the events, which are the truth."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Table, delete, select, type_coerce
from sqlalchemy.types import NullType

from vivavoce.log.models import stored_event
from vivavoce.log.projections import writes
from vivavoce.log.store import Log
from vivavoce.log.tables import PROJECTIONS, events
from vivavoce.log.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuilding read and what it put right.

    events  events that were read
    mended  for each projection that was not what the events say, how many of its rows were missing, altered
            or too many; empty where all were right
    """

    events: int
    mended: dict[str, int]


def rebuild(log: Log) -> Rebuilt:
    """Empty the projections and write them anew, in one transaction.

    Everybody else waits meanwhile. What comes out is what was there, unless a projection was damaged or its
    rules have changed; an earned code that was reserved and never issued is forgotten.
    """
    return log.transact_now(_rebuild)


def _rebuild(tx: Transaction) -> Rebuilt:
    before = {table.name: _rows(tx, table) for table in PROJECTIONS}
    for table in PROJECTIONS:
        tx.connection.execute(delete(table))
    rows = tx.connection.execute(select(events).order_by(events.c.position)).all()
    for row in rows:
        for statement, parameters in writes(stored_event(row)):
            tx.connection.execute(statement, parameters)
    mended = {table.name: _differing(before[table.name], _rows(tx, table)) for table in PROJECTIONS}
    return Rebuilt(len(rows), {name: count for name, count in mended.items() if count})


def _rows(tx: Transaction, table: Table) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """The rows of a projection by their primary key, as they lie there: what is damaged may be unreadable."""
    keys = [column.name for column in table.primary_key]
    raw = select(*(type_coerce(column, NullType()).label(column.name) for column in table.columns))
    return {
        tuple(row[key] for key in keys): tuple(row.values()) for row in tx.connection.execute(raw).mappings()
    }


def _differing(before: dict[tuple[Any, ...], Any], after: dict[tuple[Any, ...], Any]) -> int:
    return sum(before.get(key) != after.get(key) for key in before.keys() | after.keys())
