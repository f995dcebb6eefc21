"""Salted commitments to payloads, and roots of the tree over all events, of which the first is made here."""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

from vivavoce.log.merkle_tree import new_commitment, record_root
from vivavoce.log.tables import Instant

revision = "0009"
down_revision = "0008"

MANY = 5000
EVENTS = sa.table(
    "events", sa.column("position"), sa.column("payload"), sa.column("salt"), sa.column("commitment")
)


def upgrade() -> None:
    op.add_column("events", sa.Column("salt", sa.String(), nullable=True))
    op.add_column("events", sa.Column("commitment", sa.String(), nullable=True))
    op.create_table(
        "roots",
        sa.Column("size", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("last", sa.BigInteger(), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.Column("root", sa.String(), nullable=False),
        sa.Column("peaks", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("size", name=op.f("pk_roots")),
    )
    connection = op.get_bind()
    payloads = sa.select(EVENTS.c.position, sa.cast(EVENTS.c.payload, sa.Text)).order_by(EVENTS.c.position)
    this = sa.update(EVENTS).where(EVENTS.c.position == sa.bindparam("this"))
    write = this.values(salt=sa.bindparam("salt"), commitment=sa.bindparam("commitment"))
    last = 0
    while rows := connection.execute(payloads.where(EVENTS.c.position > last).limit(MANY)).all():
        connection.execute(write, [{"this": position, **new_commitment(text)} for position, text in rows])
        last = rows[-1].position
    record_root(connection, datetime.now(UTC))
