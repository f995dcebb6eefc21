"""One Merkle tree over all events (RFC 6962), so that nothing of a log can be altered unnoticed.

A leaf commits to an event and, by a salted hash, to its payload: payload and salt may be erased, and roots
from before stay verifiable. Leaves stand in the order of `position`, which is that of the commits, for one
writes at a time. A root is recorded every minute, with a visit's end and when a log is closed; with it the
peaks of the tree (roots of its full subtrees), from which the next root goes on.
"""

import base64
import hashlib
import json
import secrets
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, insert, select, update

from vivavoce.log.tables import events, roots

EVERY_S: Final = 60.0
FACTS: Final = (
    "position",
    "event_id",
    "visit_id",
    "seq",
    "at",
    "monotonic_s",
    "boot",
    "kind",
    "version",
    "client_key",
    "commitment",
)
_LEAVES: Final = select(*(events.c[name] for name in FACTS)).order_by(events.c.position)


class Root(NamedTuple):
    """A recorded root: of the first `size` events, of which the last has the position `last`."""

    size: int
    last: int
    at: datetime
    root: str
    peaks: list[str]

    @property
    def fingerprint(self) -> str:
        return short_fingerprint(self.root)


class MerkleTree:
    """The peaks of a tree that grows leaf by leaf."""

    def __init__(self, size: int = 0, peaks: Iterable[str] = ()) -> None:
        self.size, self.peaks = size, [bytes.fromhex(peak) for peak in peaks]

    def add(self, leaf: bytes) -> None:
        size = self.size
        while size & 1:
            leaf = _parent(self.peaks.pop(), leaf)
            size >>= 1
        self.peaks.append(leaf)
        self.size += 1

    def root(self) -> str:
        *others, root = self.peaks or [hashlib.sha256().digest()]
        for peak in reversed(others):
            root = _parent(peak, root)
        return root.hex()

    def facts(self) -> tuple[int, str, list[str]]:
        """Size, root and peaks, as they are recorded."""
        return self.size, self.root(), [peak.hex() for peak in self.peaks]


def _parent(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def commit(salt: str, payload: str) -> str:
    """Commitment to an event's payload, which is the text of its JSON."""
    return hashlib.sha256((salt + payload).encode()).hexdigest()


def new_commitment(payload: str) -> dict[str, str]:
    """Salt and commitment of an event that is written."""
    salt = secrets.token_hex(16)
    return {"salt": salt, "commitment": commit(salt, payload)}


def leaf_of(event: Mapping[Any, Any]) -> bytes:
    """Leaf of an event."""
    facts = [event[name] for name in FACTS]
    facts[4] = event["at"].astimezone(UTC).isoformat(timespec="microseconds")
    facts[5] = float(event["monotonic_s"])
    return hashlib.sha256(b"\x00" + json.dumps(facts).encode()).digest()


def short_fingerprint(root: str) -> str:
    """Short form of a root, for people: its first 60 bits."""
    text = base64.b32encode(bytes.fromhex(root)).decode()
    return f"{text[:4]}-{text[4:8]}-{text[8:12]}"


def last_root(connection: Connection) -> Root | None:
    """The root that was recorded last."""
    row = connection.execute(select(roots).order_by(roots.c.size.desc()).limit(1)).one_or_none()
    return Root(*row) if row else None


def record_root(connection: Connection, at: datetime) -> Root | None:
    """Record the root over all events that are there, in the transaction that writes; None: none is new."""
    before = last_root(connection)
    tree = MerkleTree(before.size, before.peaks) if before else MerkleTree()
    position = before.last if before else 0
    for row in connection.execute(_LEAVES.where(events.c.position > position)).mappings():
        tree.add(leaf_of(row))
        position = row["position"]
    if before and tree.size == before.size:
        return None
    size, digest, peaks = tree.facts()
    root = Root(size, position, at, digest, peaks)
    connection.execute(insert(roots).values(root._asdict()))
    return root


def leaves_of(connection: Connection, positions: Iterable[int]) -> dict[int, str]:
    """Leaves of events that are about to be erased, by position."""
    leaves = dict[int, str]()
    for position in positions:
        row = connection.execute(_LEAVES.where(events.c.position == position)).mappings().one()
        leaves[position] = leaf_of(row).hex()
    return leaves


def replace_payload(connection: Connection, position: int, payload: Any) -> str:
    """Replace an event's payload by what may stay of it; the commitment to that, for its own stays."""
    text = json.dumps(payload)
    new = new_commitment(text)
    this = update(events).where(events.c.position == position)
    connection.execute(this.values(payload=text, salt=new["salt"]))
    return new["commitment"]


def add_witness(file: Path, root: Root) -> None:
    """Note a root in a file beside the log, where the end of the log cannot be cut off unnoticed.

    Raises  OSError: it cannot be written
    """
    with file.open("a", encoding="ascii") as lines:
        lines.write(f"{root.at.astimezone(UTC).isoformat(timespec='seconds')} {root.size} {root.root}\n")


def witnessed_roots(file: Path | None) -> dict[str, tuple[str, int]]:
    """Time and size of the roots in the file beside the log, by root."""
    if file is None or not file.is_file():
        return {}
    lines = [line.split() for line in file.read_text(encoding="ascii", errors="replace").splitlines()]
    return {line[2]: (line[0], int(line[1])) for line in lines if len(line) == 3 and line[1].isdecimal()}
