"""Dialogues that withdrawing cut off were abandoned; they stood as completed."""

from datetime import timedelta

import sqlalchemy as sa
from alembic import op

from vivavoce.log.history import AT_ONCE_S
from vivavoce.log.tables import Instant

revision = "0008"
down_revision = "0007"

DIALOGUES = sa.table(
    "dialogues",
    sa.column("dialogue_id"),
    sa.column("visit_id"),
    sa.column("status"),
    sa.column("end_reason"),
    sa.column("code_issued", sa.Boolean()),
    sa.column("ended_at", Instant()),
)
VISITS = sa.table("visits", sa.column("visit_id"), sa.column("outcome"))
EVENTS = sa.table("events", sa.column("visit_id"), sa.column("kind"), sa.column("at", Instant()))


def upgrade() -> None:
    query = sa.select(DIALOGUES.c.dialogue_id, DIALOGUES.c.ended_at, EVENTS.c.at).where(
        DIALOGUES.c.end_reason == "user",
        DIALOGUES.c.code_issued.is_(False),
        VISITS.c.visit_id == DIALOGUES.c.visit_id,
        VISITS.c.outcome == "withdrew",
        EVENTS.c.visit_id == DIALOGUES.c.visit_id,
        EVENTS.c.kind == "visit_ended",
    )
    at_once = timedelta(seconds=AT_ONCE_S)
    cut_off = [row.dialogue_id for row in op.get_bind().execute(query) if row.at - row.ended_at < at_once]
    for dialogue_id in cut_off:
        mended = sa.update(DIALOGUES).where(DIALOGUES.c.dialogue_id == dialogue_id)
        op.execute(mended.values(status="abandoned", end_reason="abandoned"))
