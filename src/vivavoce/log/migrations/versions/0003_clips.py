"""Recordings of dialogues that were laid out from clips say of how many, and how many nobody timed."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("recordings", sa.Column("clips", sa.Integer(), nullable=True))
    op.add_column("recordings", sa.Column("clips_placed", sa.Integer(), nullable=True))
