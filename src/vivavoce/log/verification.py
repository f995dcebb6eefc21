"""Verification that events are those that were logged, and rebuilding of what is derived from them."""

import hashlib
import json
from bisect import bisect
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Table, Text, cast, delete, select, type_coerce
from sqlalchemy.types import NullType

from vivavoce.log.events import PartExpired, ParticipantErased, RowRecorded
from vivavoce.log.guarded_rows import STUDIES, altered_rows
from vivavoce.log.merkle_tree import EVERY_S, FACTS, MerkleTree, Root, commit, leaf_of, witnessed_roots
from vivavoce.log.migrate import version
from vivavoce.log.models import stored_event
from vivavoce.log.package_tables import LOG_TABLES
from vivavoce.log.projections import writes
from vivavoce.log.store import Log
from vivavoce.log.tables import PROJECTIONS, events, roots, visits
from vivavoce.log.transaction import Transaction

_OVERDUE_S: Final = 2 * EVERY_S
_VERIFIED: Final = (
    *(events.c[name] for name in FACTS),
    events.c.salt,
    events.c.chain,
    cast(events.c.payload, Text).label("payload"),
)


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
    """Result of verifying a log.

    events        events that are there
    covered       events under the last root, of which `earlier` were logged before there were roots
    earlier_until  when the first root was recorded, over the events from before
    unchained     events of those from before that had no hash at all
    erased        events that were erased or lost words by erasure and retention, which the log records
    size, root, fingerprint, recorded_at  of the last root; null where none is recorded
    roots         recorded roots that hold, in order of their size
    problems      what is not as it was logged, each with its place
    """

    events: int
    covered: int
    earlier: int
    earlier_until: datetime | None
    unchained: int
    erased: int
    size: int
    root: str | None
    fingerprint: str | None
    recorded_at: datetime | None
    roots: list[Root]
    problems: list[str]

    @property
    def uncovered(self) -> int:
        """Number of events after the last root."""
        return self.events - self.covered


def verify(log: Log) -> Verified:
    """Compute every commitment, leaf and root again, in one snapshot."""
    witnessed = witnessed_roots(log.witness_file)  # first: a root is noted after it is in the log
    with log.reading() as connection:
        recorded = [Root(*row) for row in connection.execute(select(roots).order_by(roots.c.size))]
        verified = _Walk(recorded, *_erasures(connection)).verified(connection)
    known = {root.root for root in recorded}
    if missing := [fact for root, fact in witnessed.items() if root not in known]:
        at, size = missing[-1]
        verified.problems.append(
            f"{len(missing)} roots noted in {log.witness_file} are not in the log, the last of {size} events "
            f"at {at}: the log was cut, replaced or put back from a backup"
        )
    return verified


def _erasures(connection: Connection) -> tuple[dict[int, str], dict[int, str]]:
    """Leaves of erased events, and the last commitments of mended ones, by position."""
    kinds = (ParticipantErased.kind, PartExpired.kind)
    query = select(events.c.payload).where(events.c.kind.in_(kinds)).order_by(events.c.position)
    leaves, commitments = dict[int, str](), dict[int, str]()
    for payload in connection.execute(query).scalars():
        leaves |= {int(position): leaf for position, leaf in payload.get("leaves", {}).items()}
        commitments |= {int(position): digest for position, digest in payload.get("commitments", {}).items()}
    return leaves, commitments


class _Last(NamedTuple):
    """The last event of a stream."""

    position: int
    seq: int
    chain: str | None


class _Walk:
    """One reading of all events in the order of their leaves."""

    def __init__(self, recorded: list[Root], leaves: dict[int, str], commitments: dict[int, str]) -> None:
        self.recorded, self.leaves, self.commitments = recorded, leaves, commitments
        self.pending = deque(recorded)
        self.positions = sorted(leaves)
        self.erased = deque(self.positions)
        self.tree, self.start = MerkleTree(), Root(0, 0, datetime.min.replace(tzinfo=UTC), "", [])
        self.first = recorded[0] if recorded else self.start
        self.streams: dict[str, _Last] = {}
        self.sound: list[Root] = []
        self.broken: list[tuple[Root, Root, int]] = []
        self.problems: list[str] = []
        self.count = self.covered = self.unchained = 0
        self.chained = False
        self.uncovered: tuple[datetime, datetime] | None = None
        self.uncovered_s: dict[str, tuple[float, float]] = {}  # by process, whose clock never jumps

    def verified(self, connection: Connection) -> Verified:
        try:
            self._read(connection)
        except (ValueError, TypeError, IndexError) as error:  # where the database takes any value
            self.problems.append(f"after {self.count} events: a value cannot be read ({error})")
        self.problems += [_interval(*broken) for broken in _joined(self.broken)]
        if not self.recorded:
            self.problems.append("all roots were removed; nothing protects the events")
        if self.uncovered and any(end - begin > _OVERDUE_S for begin, end in self.uncovered_s.values()):
            since, until = map(_time, self.uncovered)
            number = self.count - self.covered
            self.problems.append(
                f"nothing protects {number} events from {since} to {until}: roots are missing"
            )
        self.problems += altered_rows(connection, STUDIES, self.first.at)
        for _, beside in LOG_TABLES:
            if version(connection, beside.schema) == beside.schema.head:
                for guarded in beside.guarded:
                    self.problems += altered_rows(connection, guarded, self.first.at)
        last = self.recorded[-1] if self.recorded else None
        return Verified(
            events=self.count,
            covered=self.covered,
            earlier=self.first.size,
            earlier_until=self.first.at if self.first.size else None,
            unchained=self.unchained,
            erased=len(self.leaves) + len(self.commitments),
            size=last.size if last else 0,
            root=last.root if last else None,
            fingerprint=last.fingerprint if last else None,
            recorded_at=last.at if last else None,
            roots=self.sound,
            problems=self.problems,
        )

    def _read(self, connection: Connection) -> None:
        ordered = select(*_VERIFIED).order_by(events.c.position).execution_options(yield_per=1000)
        with connection.execute(ordered) as rows:
            for row in rows.mappings():
                self._add_erased(row["position"])
                self._pass_roots(row["position"])
                self._check(row)
                self.tree.add(leaf_of(row))
        self._add_erased(None)
        self._pass_roots(None)
        self._check_ends(connection)

    def _add_erased(self, before: int | None) -> None:
        """Add the leaves of erased events up to a position; None: all."""
        while self.erased and (before is None or self.erased[0] <= before):
            position = self.erased.popleft()
            if position == before:
                self.problems.append(f"position {position}: an erased event is there again")
                continue
            self._pass_roots(position)
            self.tree.add(bytes.fromhex(self.leaves[position]))

    def _pass_roots(self, before: int | None) -> None:
        """Compare the tree with the roots that were recorded before a position; None: with all."""
        while self.pending and (before is None or self.pending[0].last < before):
            root = self.pending.popleft()
            self.covered = self.count
            if self.tree.facts() == (root.size, root.root, root.peaks):
                self.sound.append(root)
            elif MerkleTree(root.size, root.peaks).root() != root.root:
                self.problems.append(f"the root recorded at {_time(root.at)} was altered")
                continue
            else:
                self.broken.append((self.start, root, self.tree.size - self.start.size))
                self.tree = MerkleTree(root.size, root.peaks)
            self.start = root

    def _check(self, row: Mapping[Any, Any]) -> None:
        stream, position = row["visit_id"], row["position"]
        last = self.streams.get(stream, _Last(0, 0, None))
        self.count += 1
        if not self.pending:
            self.uncovered = (self.uncovered or (row["at"],))[0], row["at"]
            begin, end = self.uncovered_s.get(row["boot"], (row["monotonic_s"], row["monotonic_s"]))
            self.uncovered_s[row["boot"]] = min(begin, row["monotonic_s"]), max(end, row["monotonic_s"])
        earlier = position <= self.first.last
        if row["commitment"] is None or row["salt"] is None:
            self._report(row, "its hash was removed")
        elif (digest := commit(row["salt"], row["payload"])) != row["commitment"] and (
            digest != self.commitments.get(position)
        ):
            self._report(row, "its content was altered")
        if earlier:
            self._check_chain(row, last)
            if row["kind"] == RowRecorded.kind:  # earlier versions logged none
                self._report(row, "the root over it was removed")
        elif row["seq"] != last.seq + 1 and not self._is_erased(last.position, position):
            gap = f"events {last.seq + 1} to {row['seq'] - 1} before it are missing"
            self._report(row, gap if row["seq"] > last.seq + 1 else "it is out of order")
        self.streams[stream] = _Last(position, row["seq"], row["chain"])

    def _check_chain(self, row: Mapping[Any, Any], last: _Last) -> None:
        """Check the hash of an event from before there were roots."""
        changed = row["position"] in self.commitments or self._is_erased(last.position, row["position"])
        if row["chain"] is None and not self.chained:
            self.unchained += 1
        elif not changed and row["chain"] != link(last.chain, row):
            self._report(row, "this event or the previous one was modified or removed")
        self.chained |= row["chain"] is not None

    def _is_erased(self, after: int, before: int) -> bool:
        """True if an event between two positions was erased."""
        return bisect(self.positions, before) > bisect(self.positions, after)

    def _check_ends(self, connection: Connection) -> None:
        """Name visits that had more events than there are."""
        query = select(visits.c.visit_id, visits.c.last_seq).order_by(visits.c.position)
        for visit_id, expected in connection.execute(query):
            seq = self.streams[visit_id].seq if visit_id in self.streams else 0
            if seq < expected:
                missing = f"expected {expected} events, the last ones are missing"
                self.problems.append(f"stream {visit_id}, event {seq + 1}: {missing}")

    def _report(self, row: Mapping[Any, Any], problem: str) -> None:
        place = f"stream {row['visit_id']}, event {row['seq']} ({row['kind']}, {_time(row['at'])})"
        self.problems.append(f"{place}: {problem}")


def _joined(broken: list[tuple[Root, Root, int]]) -> list[tuple[Root, Root, int]]:
    """Adjoining intervals as one."""
    joined: list[tuple[Root, Root, int]] = []
    for start, end, count in broken:
        if joined and joined[-1][1] is start:
            start, _, before = joined.pop()
            count += before
        joined.append((start, end, count))
    return joined


def _interval(start: Root, end: Root, count: int) -> str:
    since = f"{_time(start.at)} to " if start.size else "until "
    place = f"between events {start.size + 1} and {end.size}, {since}{_time(end.at)}"
    expected = end.size - start.size
    if count == expected:
        return f"{place}: at least one of the {expected} events was altered, moved or replaced"
    return f"{place}: {expected} events were recorded, {count} are there"


def _time(at: datetime) -> str:
    return at.isoformat(timespec="seconds")


def link(previous: str | None, event: Mapping[Any, Any]) -> str:
    """Hash of an event from before there were roots, over it and the one before it in its stream."""
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
