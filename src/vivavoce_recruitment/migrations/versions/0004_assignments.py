"""Assignments of panels with which people came, and where their forms go at the end."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "recruitment_assignments",
        sa.Column("study", sa.String(), nullable=False),
        sa.Column("ticket_hash", sa.String(), nullable=False),
        sa.Column("assignment", sa.String(), nullable=False),
        sa.Column("panel", sa.String(), nullable=False),
        sa.Column("came_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("study", "ticket_hash", name=op.f("pk_recruitment_assignments")),
    )
