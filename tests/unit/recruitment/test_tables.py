"""The ledger's tables: made and altered by migrations, and without a participant once one is erased."""

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

from vivavoce.core.errors import InputError
from vivavoce.log.engine import open_engines
from vivavoce.log.erasure import erase_participant
from vivavoce.log.events import VisitOpened
from vivavoce.log.migrate import SCRIPTS, version
from vivavoce.log.store import Log, Transaction
from vivavoce.trial.codes import token_hash
from vivavoce_recruitment import tables
from vivavoce_recruitment.ledger import Ledger
from vivavoce_recruitment.money import Money

POUND = Money(100, "GBP")
OLD = """
create table recruitment_payments (payment_id varchar primary key, study varchar not null,
    recruiter varchar not null, listing varchar not null, ticket varchar not null, kind varchar not null,
    reason varchar not null, minor integer not null, currency varchar not null, state varchar not null,
    reference varchar, note varchar, planned_at {instant} not null, changed_at {instant} not null);
create table recruitment_listings (study varchar, recruiter varchar, mark varchar not null, listing varchar,
    minor integer not null, currency varchar not null, places integer not null, codes json not null,
    primary key (study, recruiter));
create table recruitment_invitations (study varchar, token_hash varchar, made_at {instant} not null,
    primary key (study, token_hash));
insert into recruitment_payments values ('payment-1', 'paid', 'prolific', 's', 'a', 'reward', 'reward', 200,
    'GBP', 'sent', null, null, '2026-11-20 10:00:00.000000', '2026-11-20 10:00:00.000000')
"""


def test_migrated_tables_are_the_tables_of_the_code(log_url: str, tmp_path: Path) -> None:
    with Log.open(log_url, recording_folder=tmp_path) as log:
        Ledger(log, "paid")
        with log.reading() as connection:
            ours = set(tables.metadata.tables)
            options = {
                "compare_type": True,
                "include_name": lambda name, kind, _: kind != "table" or name in ours,
            }
            context = MigrationContext.configure(connection, opts=options)
            assert compare_metadata(context, tables.metadata) == []
            assert version(connection, tables.SCHEMA) == tables.SCHEMA.head


def test_the_head_that_the_code_expects_is_the_last_migration() -> None:
    scripts = ScriptDirectory(str(SCRIPTS), version_locations=[str(tables.SCHEMA.versions)])
    assert scripts.get_current_head() == tables.SCHEMA.head


def test_a_ledger_that_was_made_without_migrations_keeps_its_payments(log_url: str, tmp_path: Path) -> None:
    Log.open(log_url, recording_folder=tmp_path).close_now()
    engines = open_engines(log_url)
    with engines.writer.connect() as connection, connection.begin():
        instant = "datetime" if connection.dialect.name == "sqlite" else "timestamp with time zone"
        for statement in OLD.format(instant=instant).split(";"):
            connection.exec_driver_sql(statement)
    engines.dispose()
    with Log.open(log_url, recording_folder=tmp_path) as log:
        [one] = Ledger(log, "paid").payments()
        assert (one.payment_id, one.state, str(one.amount)) == ("payment-1", "sent", "2.00 GBP")
        assert one.planned_at.isoformat() == "2026-11-20T10:00:00+00:00"
        assert not Ledger(log, "paid").submissions("prolific")


def test_a_ledger_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        Ledger(log, "paid")
        newer = text("update recruitment_alembic_version set version_num = '9999'")
        log.transact_now(lambda tx: tx.connection.execute(newer))
    with (
        Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log,
        pytest.raises(InputError, match="a newer version of recruitment"),
    ):
        Ledger(log, "paid")


def come(log: Log, number: int, ticket: str) -> str:
    """Somebody comes with a ticket; their pseudonym."""
    who = f"participant-{number}"

    def write(tx: Transaction) -> None:
        tx.participant_of("paid", "prolific", f"person-{number}", who)
        tx.bind_visit(f"visit-{number}", "paid", who, "prolific", f"token-{number}", token_hash(ticket))
        opened = VisitOpened(study="paid", revision="1", participant_id=who, pool="prolific", language="en")
        tx.append(f"visit-{number}", opened)

    log.transact_now(write)
    return who


def test_who_is_erased_stays_in_the_accounts_without_a_name(log_url: str, tmp_path: Path) -> None:
    with Log.open(log_url, recording_folder=tmp_path) as log:
        ledger = Ledger(log, "paid")
        first, _ = come(log, 1, "ticket-1"), come(log, 2, "ticket-2")
        ledger.note_submissions("prolific", {"ticket-1": "approved", "ticket-2": "submitted"})
        due = [(ticket, "reward", POUND) for ticket in ("ticket-1", "ticket-2")]
        ledger.move(ledger.plan("prolific", "s", "reward", due), "sent", note="about ticket-1")
        ledger.plan("prolific", "s", "bonus", [("ticket-1", "five", POUND)])
        tombstone = erase_participant(log, "paid", first, by="test")
        left = {one.ticket: one for one in ledger.payments()}
        assert len(left) == 2 and "ticket-2" in left
        [anonymous] = [one for ticket, one in left.items() if ticket != "ticket-2"]
        assert (anonymous.state, str(anonymous.amount), anonymous.note) == ("sent", "1.00 GBP", None)
        assert "ticket-1" not in repr(anonymous)
        assert ledger.submissions("prolific") == {"ticket-2": "submitted"}
        nobody = f"{anonymous.ticket}, without the platform's identifier"
        assert tombstone.kept == [
            f"payment ledger: 1 entries (1.00 GBP) kept for the accounts as {nobody}",
            "payment ledger: 1 planned payments cancelled",
            "1 of these are uncertain: settle them by payment ID",
        ]
        settled = ledger.settle(anonymous.payment_id, paid=False)
        assert [one.state for one in settled] == ["refused"], "nobody can be paid under that name"
        ledger.note_submissions("prolific", {"ticket-1": "approved"})
        assert "ticket-1" not in ledger.submissions("prolific"), "nor do they come back when it is asked"


def test_an_invitation_of_somebody_who_is_erased_leads_nowhere(tmp_path: Path) -> None:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        ledger = Ledger(log, "paid")
        ledger.add_invitations([token_hash("link"), token_hash("other")])
        erase_participant(log, "paid", come(log, 1, "link"), by="test")
        assert not ledger.invited(token_hash("link")) and ledger.invited(token_hash("other"))
