"""Seats that people booked in a laboratory, how they are reached, and what supervisors noted."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "recruitment_bookings",
        sa.Column("study", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("code_hash", sa.String(), nullable=False),
        sa.Column("start", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seat", sa.Integer()),
        sa.Column("let_in", sa.Boolean(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("study", "number", name=op.f("pk_recruitment_bookings")),
        sa.UniqueConstraint("study", "code_hash", name=op.f("uq_recruitment_bookings_study_code_hash")),
        sa.UniqueConstraint("study", "start", "seat", name=op.f("uq_recruitment_bookings_study_start_seat")),
    )
    op.create_table(
        "recruitment_contacts",
        sa.Column("study", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("study", "number", name=op.f("pk_recruitment_contacts")),
        sa.UniqueConstraint("study", "email", name=op.f("uq_recruitment_contacts_study_email")),
    )
    op.create_table(
        "recruitment_notes",
        sa.Column("note_id", sa.String(), nullable=False),
        sa.Column("study", sa.String(), nullable=False),
        sa.Column("start", sa.DateTime(timezone=True), nullable=False),
        sa.Column("number", sa.Integer()),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("text", sa.String()),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("noted_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("note_id", name=op.f("pk_recruitment_notes")),
    )
