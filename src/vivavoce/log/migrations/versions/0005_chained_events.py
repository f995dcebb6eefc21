"""Events hold a hash over the one before; a link remembers with which key of a page its visit was opened."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("events", sa.Column("chain", sa.String(), nullable=True))
    op.add_column("recruit_links", sa.Column("key_hash", sa.String(), nullable=True))
