"""Projections for what is counted while others wait: calls, and who met whom in the arena; events by kind."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

CALLS = {"call_placed": "callee", "calls_unwanted": "callee", "call_connected": "caller"}


def upgrade() -> None:
    op.create_index(op.f("ix_events_kind_position"), "events", ["kind", "position"], unique=False)
    calls = op.create_table(
        "calls",
        sa.Column("position", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("study", sa.String(), nullable=False),
        sa.Column("dialogue_id", sa.String(), nullable=True),
        sa.Column("party", sa.String(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_calls")),
    )
    for columns in (["dialogue_id"], ["study", "kind", "at"], ["study", "kind", "party", "at"]):
        op.create_index(op.f(f"ix_calls_{'_'.join(columns)}"), "calls", columns, unique=False)
    bouts = op.create_table(
        "bouts",
        sa.Column("position", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("study", sa.String(), nullable=False),
        sa.Column("participant_id", sa.String(), nullable=False),
        sa.Column("left_system", sa.String(), nullable=False),
        sa.Column("right_system", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_bouts")),
    )
    for columns in (["study", "left_system", "right_system"], ["study", "participant_id"]):
        op.create_index(op.f(f"ix_bouts_{'_'.join(columns)}"), "bouts", columns, unique=False)
    _fill(op.get_bind(), calls, bouts)


def _fill(connection: sa.Connection, calls: sa.Table, bouts: sa.Table) -> None:
    """What the events say so far."""
    rows = connection.execute(
        sa.text(
            "select e.position, e.kind, e.at, e.payload, v.study, v.participant_id from events e "
            "left join visits v on v.visit_id = e.visit_id "
            "where e.kind in ('call_placed', 'calls_unwanted', 'call_connected', 'bout_assigned') "
            "order by e.position"
        ).columns(at=sa.DateTime(timezone=True))
    ).all()
    for row in rows:
        payload = json.loads(row.payload) if isinstance(row.payload, str) else row.payload
        if row.kind == "bout_assigned":
            sides = {side: payload[side] for side in ("left_system", "right_system")}
            whose = {"study": row.study, "participant_id": row.participant_id}
            connection.execute(bouts.insert().values(position=row.position, **whose, **sides))
            continue
        study = payload.get("study", row.study)
        if study is not None:
            connection.execute(
                calls.insert().values(
                    position=row.position,
                    kind=row.kind,
                    study=study,
                    at=row.at,
                    dialogue_id=payload.get("dialogue_id"),
                    party=payload.get(CALLS[row.kind]),
                )
            )
