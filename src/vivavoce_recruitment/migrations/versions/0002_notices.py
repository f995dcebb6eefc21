"""Last states of submissions by platform, and the notices taken into account."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "recruitment_submissions",
        sa.Column("study", sa.String(), nullable=False),
        sa.Column("recruiter", sa.String(), nullable=False),
        sa.Column("ticket", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("told_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("study", "recruiter", "ticket", name=op.f("pk_recruitment_submissions")),
    )
    op.create_table(
        "recruitment_notices",
        sa.Column("study", sa.String(), nullable=False),
        sa.Column("recruiter", sa.String(), nullable=False),
        sa.Column("notice_id", sa.String(), nullable=False),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("study", "recruiter", "notice_id", name=op.f("pk_recruitment_notices")),
    )
