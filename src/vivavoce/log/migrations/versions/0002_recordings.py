"""A projection for recordings, which lie as files beside the log."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "recordings",
        sa.Column("recording_id", sa.String(), nullable=False),
        sa.Column("visit_id", sa.String(), nullable=False),
        sa.Column("study", sa.String(), nullable=False),
        sa.Column("participant_id", sa.String(), nullable=False),
        sa.Column("simulated", sa.Boolean(), nullable=False),
        sa.Column("file", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("byte_count", sa.BigInteger(), nullable=False),
        sa.Column("media_type", sa.String(), nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.Column("speakers", sa.JSON(), nullable=False),
        sa.Column("sample_rate_hz", sa.Integer(), nullable=False),
        sa.Column("frames", sa.BigInteger(), nullable=False),
        sa.Column("duration_s", sa.Float(precision=53), nullable=False),
        sa.Column("step", sa.Integer(), nullable=True),
        sa.Column("item", sa.Integer(), nullable=True),
        sa.Column("dialogue_id", sa.String(), nullable=True),
        sa.Column("turn_index", sa.Integer(), nullable=True),
        sa.Column("started_s", sa.Float(precision=53), nullable=True),
        sa.Column("microphone_distance_m", sa.Float(precision=53), nullable=True),
        sa.Column("stored_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("removed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("removal", sa.String(), nullable=True),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("recording_id", name=op.f("pk_recordings")),
    )
    for columns in (["dialogue_id"], ["study", "participant_id"], ["visit_id"]):
        op.create_index(op.f(f"ix_recordings_{'_'.join(columns)}"), "recordings", columns, unique=False)
