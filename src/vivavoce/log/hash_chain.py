"""Every event holds a hash over itself and the one before it in its stream, so that what is altered shows.

A stream is a visit's events, or one of those that belong to none. Logs that were begun before there were
hashes have events without one; each of their streams is chained from its first new event on. Whoever may
write to the database may also chain it anew: against that, note the fingerprint of a finished trial.
"""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC
from typing import Any, Final

from sqlalchemy import Connection, Text, cast, select, update

from vivavoce.log.tables import events

CHAINED: Final = (
    events.c.visit_id,
    events.c.seq,
    events.c.position,
    events.c.event_id,
    events.c.at,
    events.c.monotonic_s,
    events.c.boot,
    events.c.kind,
    events.c.version,
    events.c.client_key,
    events.c.chain,
    cast(events.c.payload, Text).label("payload"),
)


def link(previous: str | None, event: Mapping[Any, Any]) -> str:
    """The hash of an event; `payload` is the text of its JSON, previous the hash of the one before it."""
    facts = [
        previous,
        event["event_id"],
        event["visit_id"],
        event["seq"],
        event["at"].astimezone(UTC).isoformat(timespec="microseconds"),
        float(event["monotonic_s"]),
        event["boot"],
        event["kind"],
        event["version"],
        event["client_key"],
        event["payload"],
    ]
    return hashlib.sha256(json.dumps(facts, ensure_ascii=True).encode()).hexdigest()


def chain_anew(connection: Connection, stream: str, first: int) -> None:
    """Chain the events of a stream again from seq `first` on: something was erased there."""
    before = select(events.c.chain).where(events.c.visit_id == stream, events.c.seq < first)
    previous = connection.execute(before.order_by(events.c.seq.desc()).limit(1)).scalar_one_or_none()
    rows = connection.execute(
        select(*CHAINED)
        .where(events.c.visit_id == stream, events.c.seq >= first, events.c.chain.is_not(None))
        .order_by(events.c.seq)
    )
    for row in rows.mappings().all():
        previous = link(previous, row)
        this = update(events).where(events.c.position == row["position"])
        connection.execute(this.values(chain=previous))
