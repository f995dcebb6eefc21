"""Payments, listings and invitations; where a version without migrations made them, they are taken over."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    if sa.inspect(op.get_bind()).has_table("recruitment_payments"):
        return
    op.create_table(
        "recruitment_payments",
        sa.Column("payment_id", sa.String(), nullable=False),
        sa.Column("study", sa.String(), nullable=False),
        sa.Column("recruiter", sa.String(), nullable=False),
        sa.Column("listing", sa.String(), nullable=False),
        sa.Column("ticket", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("minor", sa.Integer(), nullable=False),
        sa.Column("currency", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("reference", sa.String(), nullable=True),
        sa.Column("note", sa.String(), nullable=True),
        sa.Column("planned_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("payment_id", name=op.f("pk_recruitment_payments")),
        sa.UniqueConstraint(
            "study",
            "recruiter",
            "listing",
            "ticket",
            "kind",
            "reason",
            name=op.f("uq_recruitment_payments_study_recruiter_listing_ticket_kind_reason"),
        ),
    )
    op.create_table(
        "recruitment_listings",
        sa.Column("study", sa.String(), nullable=False),
        sa.Column("recruiter", sa.String(), nullable=False),
        sa.Column("mark", sa.String(), nullable=False),
        sa.Column("listing", sa.String(), nullable=True),
        sa.Column("minor", sa.Integer(), nullable=False),
        sa.Column("currency", sa.String(), nullable=False),
        sa.Column("places", sa.Integer(), nullable=False),
        sa.Column("codes", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("study", "recruiter", name=op.f("pk_recruitment_listings")),
    )
    op.create_table(
        "recruitment_invitations",
        sa.Column("study", sa.String(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("study", "token_hash", name=op.f("pk_recruitment_invitations")),
    )
