"""With which invitation a seat was booked, and since when its person waits for the supervisor."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("recruitment_bookings", sa.Column("invitation", sa.String()))
    op.add_column("recruitment_bookings", sa.Column("waiting_since", sa.DateTime(timezone=True)))
    op.create_index(
        op.f("ix_recruitment_bookings_study_invitation"),
        "recruitment_bookings",
        ["study", "invitation"],
        unique=True,
    )
