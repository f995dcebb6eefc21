"""Verification that a log's events are those that were logged: every hash computed again."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Table, delete, func, select, type_coerce
from sqlalchemy.types import NullType

from vivavoce.log.hash_chain import CHAINED, link
from vivavoce.log.models import stored_event
from vivavoce.log.projections import writes
from vivavoce.log.store import Log
from vivavoce.log.tables import PROJECTIONS, events, visits
from vivavoce.log.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """Counts of a rebuilding: rows read and rows repaired.

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


@dataclass(frozen=True, slots=True)
class Verified:
    """Result of checking a log's chains.

    events       events that were read, of which the first `unchained` were written without a hash
    fingerprint  hash over the ends of all streams; the same as long as nothing is added, altered or erased
    broken       the first event that is not what was logged, with its place; null where all is as it was
    """

    events: int
    unchained: int
    fingerprint: str
    broken: str | None = None


def verify(log: Log) -> Verified:
    """Recompute every hash, in one snapshot."""
    count, unchained = 0, 0
    ends: dict[str, str] = {}
    last: dict[str, int] = {}
    with log.reading() as connection:
        query = select(func.min(events.c.position)).where(events.c.chain.is_not(None))
        first_chained = connection.execute(query).scalar_one()
        ordered = select(*CHAINED).order_by(events.c.visit_id, events.c.seq)
        with connection.execute(ordered.execution_options(yield_per=1000)) as rows:
            for row in rows.mappings():
                stream, count = row["visit_id"], count + 1
                last[stream] = row["seq"]
                if row["chain"] is None and (first_chained is None or row["position"] < first_chained):
                    unchained += 1
                elif row["chain"] != link(ends.get(stream), row):
                    return Verified(count, unchained, "", _place(row))
                else:
                    ends[stream] = row["chain"]
        cut = _cut(connection, last)
    digest = hashlib.sha256(json.dumps(sorted(ends.items())).encode()).hexdigest()
    return Verified(count, unchained, digest, cut)


def _place(row: Mapping[Any, Any]) -> str:
    at = row["at"].isoformat(timespec="seconds")
    what = f"stream {row['visit_id']}, event {row['seq']} ({row['kind']}, {at})"
    return f"{what}: this event or the previous one was modified or removed"


def _cut(connection: Connection, last: Mapping[str, int]) -> str | None:
    """The first visit that had more events than there are: a chain does not show what its end has lost."""
    visits_query = select(visits.c.visit_id, visits.c.last_seq).order_by(visits.c.position)
    for visit_id, seq in connection.execute(visits_query):
        if (last_seq := last.get(visit_id, 0)) < seq:
            return (
                f"stream {visit_id}, event {last_seq + 1}: expected {seq} events, the last ones are missing"
            )
    return None
