"""Every event holds a hash over itself and the one before it in its stream, so that what is altered shows.

A stream is a visit's events, or one of those that belong to none. Logs that were begun before there were
hashes have events without one; each of their streams is chained from its first new event on. Whoever may
write to the database may also chain it anew: against that, note the fingerprint of a finished trial.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, Text, cast, func, select, update

from vivavoce.log.tables import events, visits

if TYPE_CHECKING:
    from vivavoce.log.store import Log

_CHAINED: Final = (
    events.c.visit_id, events.c.seq, events.c.position, events.c.event_id, events.c.at, events.c.monotonic_s,
    events.c.boot, events.c.kind, events.c.version, events.c.client_key, events.c.chain,
    cast(events.c.payload, Text).label("payload"),
)  # fmt: skip


def link(previous: str | None, event: Mapping[Any, Any]) -> str:
    """The hash of an event; `payload` is the text of its JSON, previous the hash of the one before it."""
    facts = [
        previous, event["event_id"], event["visit_id"], event["seq"],
        event["at"].astimezone(UTC).isoformat(timespec="microseconds"), float(event["monotonic_s"]),
        event["boot"], event["kind"], event["version"], event["client_key"], event["payload"],
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(facts, ensure_ascii=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Verified:
    """What a log's chains show.

    events       events that were read, of which the first `unchained` were written without a hash
    fingerprint  hash over the ends of all streams; the same as long as nothing is added, altered or erased
    broken       the first event that is not what was logged, with its place; null where all is as it was
    """

    events: int
    unchained: int
    fingerprint: str
    broken: str | None = None


def verify(log: "Log") -> Verified:
    """Recompute every hash, in one snapshot."""
    count, unchained = 0, 0
    ends: dict[str, str] = {}
    last: dict[str, int] = {}
    with log.reading() as connection:
        wanted = select(func.min(events.c.position)).where(events.c.chain.is_not(None))
        begun = connection.execute(wanted).scalar_one()
        ordered = select(*_CHAINED).order_by(events.c.visit_id, events.c.seq)
        with connection.execute(ordered.execution_options(yield_per=1000)) as rows:
            for row in rows.mappings():
                stream, count = row["visit_id"], count + 1
                last[stream] = row["seq"]
                if row["chain"] is None and (begun is None or row["position"] < begun):
                    unchained += 1
                elif row["chain"] != link(ends.get(stream), row):
                    return Verified(count, unchained, "", _place(row))
                else:
                    ends[stream] = row["chain"]
        cut = _cut(connection, last)
    whole = hashlib.sha256(json.dumps(sorted(ends.items())).encode()).hexdigest()
    return Verified(count, unchained, whole, cut)


def _place(row: Mapping[Any, Any]) -> str:
    at = row["at"].isoformat(timespec="seconds")
    what = f"stream {row['visit_id']}, event {row['seq']} ({row['kind']}, {at})"
    return f"{what}: it, or the one before it, was altered or removed"


def _cut(connection: Connection, last: Mapping[str, int]) -> str | None:
    """The first visit that had more events than there are: a chain does not show what its end has lost."""
    known = select(visits.c.visit_id, visits.c.last_seq).order_by(visits.c.position)
    for visit_id, seq in connection.execute(known):
        if (left := last.get(visit_id, 0)) < seq:
            return f"stream {visit_id}, event {left + 1}: there were {seq} events, the last are gone"
    return None


def chain_anew(connection: Connection, stream: str, first: int) -> None:
    """Chain the events of a stream again from seq `first` on: something was erased there."""
    before = select(events.c.chain).where(events.c.visit_id == stream, events.c.seq < first)
    previous = connection.execute(before.order_by(events.c.seq.desc()).limit(1)).scalar_one_or_none()
    rows = connection.execute(
        select(*_CHAINED)
        .where(events.c.visit_id == stream, events.c.seq >= first, events.c.chain.is_not(None))
        .order_by(events.c.seq)
    )
    for row in rows.mappings().all():
        previous = link(previous, row)
        this = update(events).where(events.c.position == row["position"])
        connection.execute(this.values(chain=previous))
