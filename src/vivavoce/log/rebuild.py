"""Rebuilds the projections from the events, which are the truth."""

from sqlalchemy import delete, select

from vivavoce.log.models import stored_event
from vivavoce.log.projections import writes
from vivavoce.log.store import Log
from vivavoce.log.tables import PROJECTIONS, events
from vivavoce.log.transaction import Transaction


def rebuild(log: Log) -> int:
    """Empty the projections and write them anew, in one transaction; gives back the number of events.

    Everybody else waits meanwhile. What comes out is what was there, unless a projection was damaged or its
    rules have changed; an earned code that was reserved and never issued is forgotten.
    """
    return log.transact_now(_rebuild)


def _rebuild(tx: Transaction) -> int:
    for table in PROJECTIONS:
        tx.connection.execute(delete(table))
    rows = tx.connection.execute(select(events).order_by(events.c.position)).all()
    for row in rows:
        for statement, parameters in writes(stored_event(row)):
            tx.connection.execute(statement, parameters)
    return len(rows)
