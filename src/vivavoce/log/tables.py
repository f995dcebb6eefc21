"""The log's tables in SQL: the events, what is projected from them, and records of the house.

`events` is append-only; `roots` holds hashes over it. `visits`, `dialogues`, `codes` and `recordings` are
projections: written in the same transaction as the event that changes them, and rebuilt from the events at
any time. `recruit_links`
holds what leads from the outside world to a visit (hashes of tokens and tickets), `people` who a pseudonym
is, `follow_ups` who may come to a later session; they are in no export. The rest is no part of the truth
about a trial: studies as they were served, process runs, accounts of the dashboard.
"""

import json
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.types import TypeDecorator


class Instant(TypeDecorator[datetime]):
    """An instant, stored and read as UTC on every database."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        instant = value.astimezone(UTC)
        return instant.replace(tzinfo=None) if dialect.name == "sqlite" else instant

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def json_text(value: Any) -> str:
    """JSON of a column's value; a text is JSON already, such as an event's, which a commitment is over."""
    return value if isinstance(value, str) else json.dumps(value)


NAMES: Final = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
metadata: Final = MetaData(naming_convention=NAMES)
Position = BigInteger().with_variant(Integer(), "sqlite")

events: Final = Table(
    "events",
    metadata,
    Column("position", Position, primary_key=True, autoincrement=True),
    Column("event_id", String, nullable=False, unique=True),
    Column("visit_id", String, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("at", Instant, nullable=False),
    Column("monotonic_s", Float(53), nullable=False),
    Column("boot", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("version", Integer, nullable=False),
    Column("payload", JSON, nullable=False),
    Column("client_key", String),
    Column("chain", String),
    Column("salt", String),
    Column("commitment", String),
    UniqueConstraint("visit_id", "seq"),
    UniqueConstraint("visit_id", "client_key"),
    Index(None, "kind", "position"),
)

roots: Final = Table(
    "roots",
    metadata,
    Column("size", BigInteger, primary_key=True, autoincrement=False),
    Column("last", BigInteger, nullable=False),
    Column("at", Instant, nullable=False),
    Column("root", String, nullable=False),
    Column("peaks", JSON, nullable=False),
)

visits: Final = Table(
    "visits",
    metadata,
    Column("visit_id", String, primary_key=True),
    Column("study", String, nullable=False),
    Column("revision", String, nullable=False),
    Column("participant_id", String, nullable=False),
    Column("pool", String, nullable=False),
    Column("language", String, nullable=False),
    Column("simulated", Boolean, nullable=False),
    Column("status", String, nullable=False),
    Column("outcome", String),
    Column("opened_at", Instant, nullable=False),
    Column("last_at", Instant, nullable=False),
    Column("last_seq", Integer, nullable=False),
    Column("position", BigInteger, nullable=False),
    Index(None, "study", "participant_id"),
)

dialogues: Final = Table(
    "dialogues",
    metadata,
    Column("dialogue_id", String, primary_key=True),
    Column("visit_id", String, nullable=False, index=True),
    Column("study", String, nullable=False),
    Column("participant_id", String, nullable=False),
    Column("simulated", Boolean, nullable=False),
    Column("system", String, nullable=False),
    Column("condition", String),
    Column("task_id", String),
    Column("channel", String, nullable=False),
    Column("language", String, nullable=False),
    Column("status", String, nullable=False),
    Column("user_turns", Integer, nullable=False),
    Column("assigned_at", Instant, nullable=False),
    Column("started_at", Instant),
    Column("ended_at", Instant),
    Column("end_reason", String),
    Column("code_issued", Boolean, nullable=False),
    Column("position", BigInteger, nullable=False),
    Index(None, "study", "system", "status"),
    Index(None, "study", "participant_id"),
)

codes: Final = Table(
    "codes",
    metadata,
    Column("code", String, primary_key=True),
    Column("dialogue_id", String, nullable=False),
    Column("visit_id", String, nullable=False),
    Column("issued_at", Instant, nullable=False),
    Column("used_at", Instant),
)

recordings: Final = Table(
    "recordings",
    metadata,
    Column("recording_id", String, primary_key=True),
    Column("visit_id", String, nullable=False, index=True),
    Column("study", String, nullable=False),
    Column("participant_id", String, nullable=False),
    Column("simulated", Boolean, nullable=False),
    Column("file", String, nullable=False),
    Column("sha256", String, nullable=False),
    Column("byte_count", BigInteger, nullable=False),
    Column("media_type", String, nullable=False),
    Column("content", String, nullable=False),
    Column("speakers", JSON, nullable=False),
    Column("sample_rate_hz", Integer, nullable=False),
    Column("frames", BigInteger, nullable=False),
    Column("duration_s", Float(53), nullable=False),
    Column("step", Integer),
    Column("item", Integer),
    Column("dialogue_id", String, index=True),
    Column("turn_index", Integer),
    Column("started_s", Float(53)),
    Column("microphone_distance_m", Float(53)),
    Column("clips", Integer),
    Column("clips_placed", Integer),
    Column("stored_at", Instant, nullable=False),
    Column("removed_at", Instant),
    Column("removal", String),
    Column("position", BigInteger, nullable=False),
    Index(None, "study", "participant_id"),
)

calls: Final = Table(
    "calls",
    metadata,
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", String, nullable=False),
    Column("study", String, nullable=False),
    Column("dialogue_id", String, index=True),
    Column("party", String),
    Column("at", Instant, nullable=False),
    Index(None, "study", "kind", "at"),
    Index(None, "study", "kind", "party", "at"),
)

bouts: Final = Table(
    "bouts",
    metadata,
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("study", String, nullable=False),
    Column("participant_id", String, nullable=False),
    Column("left_system", String, nullable=False),
    Column("right_system", String, nullable=False),
    Index(None, "study", "left_system", "right_system"),
    Index(None, "study", "participant_id"),
)

PROJECTIONS: Final = (visits, dialogues, codes, recordings, calls, bouts)

recruit_links: Final = Table(
    "recruit_links",
    metadata,
    Column("visit_id", String, primary_key=True),
    Column("study", String, nullable=False),
    Column("participant_id", String, nullable=False),
    Column("pool", String, nullable=False),
    Column("token_hash", String, nullable=False, unique=True),
    Column("ticket_hash", String),
    Column("key_hash", String),
    UniqueConstraint("study", "pool", "ticket_hash"),
)

people: Final = Table(
    "people",
    metadata,
    Column("study", String, primary_key=True),
    Column("pool", String, primary_key=True),
    Column("person_key", String, primary_key=True),
    Column("participant_id", String, nullable=False, unique=True),
)

follow_ups: Final = Table(
    "follow_ups",
    metadata,
    Column("study", String, primary_key=True),
    Column("participant_id", String, primary_key=True),
    Column("pool", String, nullable=False),
    Column("person_key", String),
    Column("token_hash", String, unique=True),
    Column("simulated", Boolean, nullable=False),
    Column("conditions", JSON, nullable=False),
    Column("completed_at", Instant, nullable=False),
)

studies: Final = Table(
    "studies",
    metadata,
    Column("study", String, primary_key=True),
    Column("revision", String, primary_key=True),
    Column("file", Text, nullable=False),
    Column("entities", JSON),
    Column("seen_at", Instant, nullable=False),
)

runs: Final = Table(
    "runs",
    metadata,
    Column("boot", String, primary_key=True),
    Column("batch", BigInteger, nullable=False),
    Column("last_at", Instant, nullable=False),
)

accounts: Final = Table(
    "accounts",
    metadata,
    Column("account_id", String, primary_key=True),
    Column("name", String, nullable=False, unique=True),
    Column("password_hash", Text, nullable=False),
    Column("role", String, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("study", String),
)

api_tokens: Final = Table(
    "api_tokens",
    metadata,
    Column("token_id", String, primary_key=True),
    Column("token_hash", String, nullable=False, unique=True),
    Column("name", String, nullable=False),
    Column("scopes", JSON, nullable=False),
    Column("study", String),
    Column("made_by", String, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("revoked_at", Instant),
    Column("last_used_at", Instant),
)

sign_in_links: Final = Table(
    "sign_in_links",
    metadata,
    Column("token_hash", String, primary_key=True),
    Column("role", String, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("used_at", Instant),
    Column("study", String),
)

sign_ins: Final = Table(
    "sign_ins",
    metadata,
    Column("token_hash", String, primary_key=True),
    Column("account_id", String, ForeignKey("accounts.account_id", ondelete="CASCADE")),
    Column("role", String, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("study", String),
)
