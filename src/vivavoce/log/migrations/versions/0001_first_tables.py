"""The tables as they were first laid out."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "accounts",
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("name", name=op.f("uq_accounts_name")),
    )
    op.create_table(
        "codes",
        sa.Column("code", sa.String(), nullable=False),
        sa.Column("dialogue_id", sa.String(), nullable=False),
        sa.Column("visit_id", sa.String(), nullable=False),
        sa.Column("issued_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("code", name=op.f("pk_codes")),
    )
    op.create_table(
        "dialogues",
        sa.Column("dialogue_id", sa.String(), nullable=False),
        sa.Column("visit_id", sa.String(), nullable=False),
        sa.Column("study", sa.String(), nullable=False),
        sa.Column("participant_id", sa.String(), nullable=False),
        sa.Column("simulated", sa.Boolean(), nullable=False),
        sa.Column("system", sa.String(), nullable=False),
        sa.Column("condition", sa.String(), nullable=True),
        sa.Column("task_id", sa.String(), nullable=True),
        sa.Column("channel", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("user_turns", sa.Integer(), nullable=False),
        sa.Column("assigned_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("end_reason", sa.String(), nullable=True),
        sa.Column("code_issued", sa.Boolean(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("dialogue_id", name=op.f("pk_dialogues")),
    )
    op.create_index(
        op.f("ix_dialogues_study_participant_id"), "dialogues", ["study", "participant_id"], unique=False
    )
    op.create_index(
        op.f("ix_dialogues_study_system_status"), "dialogues", ["study", "system", "status"], unique=False
    )
    op.create_index(op.f("ix_dialogues_visit_id"), "dialogues", ["visit_id"], unique=False)
    op.create_table(
        "events",
        sa.Column(
            "position",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("event_id", sa.String(), nullable=False),
        sa.Column("visit_id", sa.String(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("monotonic_s", sa.Float(precision=53), nullable=False),
        sa.Column("boot", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("client_key", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_events")),
        sa.UniqueConstraint("event_id", name=op.f("uq_events_event_id")),
        sa.UniqueConstraint("visit_id", "client_key", name=op.f("uq_events_visit_id_client_key")),
        sa.UniqueConstraint("visit_id", "seq", name=op.f("uq_events_visit_id_seq")),
    )
    op.create_table(
        "people",
        sa.Column("study", sa.String(), nullable=False),
        sa.Column("pool", sa.String(), nullable=False),
        sa.Column("person_key", sa.String(), nullable=False),
        sa.Column("participant_id", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("study", "pool", "person_key", name=op.f("pk_people")),
        sa.UniqueConstraint("participant_id", name=op.f("uq_people_participant_id")),
    )
    op.create_table(
        "recruit_links",
        sa.Column("visit_id", sa.String(), nullable=False),
        sa.Column("study", sa.String(), nullable=False),
        sa.Column("participant_id", sa.String(), nullable=False),
        sa.Column("pool", sa.String(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("ticket_hash", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("visit_id", name=op.f("pk_recruit_links")),
        sa.UniqueConstraint(
            "study", "pool", "ticket_hash", name=op.f("uq_recruit_links_study_pool_ticket_hash")
        ),
        sa.UniqueConstraint("token_hash", name=op.f("uq_recruit_links_token_hash")),
    )
    op.create_table(
        "runs",
        sa.Column("boot", sa.String(), nullable=False),
        sa.Column("batch", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("boot", name=op.f("pk_runs")),
    )
    op.create_table(
        "sign_in_links",
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_sign_in_links")),
    )
    op.create_table(
        "studies",
        sa.Column("study", sa.String(), nullable=False),
        sa.Column("revision", sa.String(), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("entities", sa.JSON(), nullable=True),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("study", "revision", name=op.f("pk_studies")),
    )
    op.create_table(
        "visits",
        sa.Column("visit_id", sa.String(), nullable=False),
        sa.Column("study", sa.String(), nullable=False),
        sa.Column("revision", sa.String(), nullable=False),
        sa.Column("participant_id", sa.String(), nullable=False),
        sa.Column("pool", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("simulated", sa.Boolean(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=True),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seq", sa.Integer(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("visit_id", name=op.f("pk_visits")),
    )
    op.create_index(
        op.f("ix_visits_study_participant_id"), "visits", ["study", "participant_id"], unique=False
    )
    op.create_table(
        "sign_ins",
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=True),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.account_id"], name=op.f("fk_sign_ins_account_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_sign_ins")),
    )


def downgrade() -> None:
    """The log is never taken back: it would lose what happened."""
    raise NotImplementedError("tables of the log can only be added")
