"""Recruitment's tables in SQL, beside the log's own, and what of them goes when a participant is erased.

`recruitment_payments` is the ledger: no row of it leaves once it was sent. `recruitment_listings` has what is
offered where, `recruitment_invitations` hashes of links, `recruitment_submissions` how a platform last told
that people's work stands, `recruitment_notices` which of its notices were taken, `recruitment_assignments`
with which assignments of panels people came. Of a laboratory
`recruitment_bookings` has the seats that people booked, `recruitment_contacts` how they are reached, and
`recruitment_notes` what supervisors noted. The last alone is in an export, as the dataset's table `notes`.
"""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final
from uuid import uuid4

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    and_,
    delete,
    select,
    update,
)

from vivavoce.log.guarded_rows import Guarded
from vivavoce.log.migrate import Schema
from vivavoce.log.package_tables import ErasedParticipant, ExportedVisits, PackageTables, Rows
from vivavoce.log.tables import NAMES, Instant, recruit_links
from vivavoce.trial.codes import token_hash
from vivavoce_recruitment.money import Money

ERASED: Final = "erased-"
"""Ticket prefix of erased participants, shared by all payments to one of them."""

metadata: Final = MetaData(naming_convention=NAMES)

payments: Final = Table(
    "recruitment_payments",
    metadata,
    Column("payment_id", String, primary_key=True),
    Column("study", String, nullable=False),
    Column("recruiter", String, nullable=False),
    Column("listing", String, nullable=False),
    Column("ticket", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("reason", String, nullable=False),
    Column("minor", Integer, nullable=False),
    Column("currency", String, nullable=False),
    Column("state", String, nullable=False),
    Column("reference", String),
    Column("note", String),
    Column("planned_at", Instant, nullable=False),
    Column("changed_at", Instant, nullable=False),
    UniqueConstraint("study", "recruiter", "listing", "ticket", "kind", "reason"),
)

listings: Final = Table(
    "recruitment_listings",
    metadata,
    Column("study", String, primary_key=True),
    Column("recruiter", String, primary_key=True),
    Column("mark", String, nullable=False),
    Column("listing", String),
    Column("minor", Integer, nullable=False),
    Column("currency", String, nullable=False),
    Column("places", Integer, nullable=False),
    Column("codes", JSON, nullable=False),
)

invitations: Final = Table(
    "recruitment_invitations",
    metadata,
    Column("study", String, primary_key=True),
    Column("token_hash", String, primary_key=True),
    Column("made_at", Instant, nullable=False),
)

submissions: Final = Table(
    "recruitment_submissions",
    metadata,
    Column("study", String, primary_key=True),
    Column("recruiter", String, primary_key=True),
    Column("ticket", String, primary_key=True),
    Column("status", String, nullable=False),
    Column("told_at", Instant, nullable=False),
)

notices: Final = Table(
    "recruitment_notices",
    metadata,
    Column("study", String, primary_key=True),
    Column("recruiter", String, primary_key=True),
    Column("notice_id", String, primary_key=True),
    Column("taken_at", Instant, nullable=False),
)

bookings: Final = Table(
    "recruitment_bookings",
    metadata,
    Column("study", String, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("code_hash", String, nullable=False),
    Column("start", Instant, nullable=False),
    Column("seat", Integer),
    Column("let_in", Boolean, nullable=False),
    Column("changed_at", Instant, nullable=False),
    Column("invitation", String),
    Column("waiting_since", Instant),
    Index(None, "study", "invitation", unique=True),
    UniqueConstraint("study", "code_hash"),
    UniqueConstraint("study", "start", "seat"),
)

contacts: Final = Table(
    "recruitment_contacts",
    metadata,
    Column("study", String, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("email", String, nullable=False),
    UniqueConstraint("study", "email"),
)

notes: Final = Table(
    "recruitment_notes",
    metadata,
    Column("note_id", String, primary_key=True),
    Column("study", String, nullable=False),
    Column("start", Instant, nullable=False),
    Column("number", Integer),
    Column("kind", String, nullable=False),
    Column("text", String),
    Column("author", String, nullable=False),
    Column("noted_at", Instant, nullable=False),
)

assignments: Final = Table(
    "recruitment_assignments",
    metadata,
    Column("study", String, primary_key=True),
    Column("ticket_hash", String, primary_key=True),
    Column("assignment", String, nullable=False),
    Column("panel", String, nullable=False),
    Column("came_at", Instant, nullable=False),
)

SCHEMA: Final = Schema("recruitment", "0005", Path(__file__).parent / "migrations" / "versions")


def erase(connection: Connection, whose: ErasedParticipant) -> list[str]:
    """Take out what leads to a participant.

    What was never sent is not paid any more. What was sent stays, for the accounts: its reason, amount, date
    and the platform's word for the payment, under a name that leads to nobody.
    """
    scalars = connection.execute(
        select(submissions.c.ticket).where(submissions.c.study == whose.study)
    ).scalars()
    for ticket in [scalar for scalar in scalars if _theirs(scalar, whose)]:
        same = (submissions.c.study == whose.study) & (submissions.c.ticket == ticket)
        connection.execute(delete(submissions).where(same))
    links = and_(invitations.c.study == whose.study, invitations.c.token_hash.in_(whose.tickets))
    connection.execute(delete(invitations).where(links))
    erased_visits = and_(assignments.c.study == whose.study, assignments.c.ticket_hash.in_(whose.tickets))
    connection.execute(delete(assignments).where(erased_visits))
    _erase_booking(connection, whose)
    return _erase_payments(connection, whose)


def _erase_booking(connection: Connection, whose: ErasedParticipant) -> None:
    """Its number stays, so that nobody gets it again."""
    mine = (bookings.c.study == whose.study) & bookings.c.code_hash.in_(whose.tickets)
    theirs = select(bookings.c.number, bookings.c.invitation).where(mine)
    for number, invited in connection.execute(theirs).all():
        links = (invitations.c.study == whose.study) & (invitations.c.token_hash == invited)
        connection.execute(delete(invitations).where(links))
        for table in (contacts, notes):
            about = (table.c.study == whose.study) & (table.c.number == number)
            connection.execute(delete(table).where(about))
        same = (bookings.c.study == whose.study) & (bookings.c.number == number)
        nobody = {
            "code_hash": f"{ERASED}{uuid4().hex}",
            "seat": None,
            "let_in": False,
            "invitation": None,
            "waiting_since": None,
        }
        connection.execute(update(bookings).where(same).values(nobody))


def _dataset_rows(connection: Connection, exported: ExportedVisits) -> Iterator[tuple[str, Rows]]:
    """Notes on the visits of the dataset and, unless it is of programs alone, on sessions as a whole."""
    booked = (notes.c.study == bookings.c.study) & (notes.c.number == bookings.c.number)
    link_of_note = (recruit_links.c.study == notes.c.study) & (
        recruit_links.c.ticket_hash == bookings.c.code_hash
    )
    query = select(notes, recruit_links.c.visit_id).select_from(
        notes.outerjoin(bookings, booked).outerjoin(recruit_links, link_of_note)
    )
    rows = connection.execute(
        query.where(notes.c.study == exported.study).order_by(notes.c.noted_at, notes.c.note_id)
    )
    yield (
        "notes",
        [
            {
                "note_id": row.note_id,
                "participant_id": exported.visits.get(row.visit_id or ""),
                "visit_id": row.visit_id,
                "session_at": row.start,
                "kind": row.kind,
                "text": row.text,
                "author_id": _supervisor(exported.salt, row.author),
                "noted_at": row.noted_at,
            }
            for row in rows
            if row.visit_id in exported.visits or (row.visit_id is None and exported.simulated is not True)
        ],
    )


def _supervisor(salt: str, author: str) -> str:
    return f"supervisor-{sha256(f'{salt}:{author}'.encode()).hexdigest()[:12]}"


def _theirs(ticket: str, whose: ErasedParticipant) -> bool:
    return ticket in whose.persons or token_hash(ticket) in whose.tickets


def _erase_payments(connection: Connection, whose: ErasedParticipant) -> list[str]:
    all_payments = connection.execute(select(payments).where(payments.c.study == whose.study))
    rows = [row for row in all_payments if _theirs(row.ticket, whose)]
    unsent = [row.payment_id for row in rows if row.state == "planned"]
    connection.execute(delete(payments).where(payments.c.payment_id.in_(unsent)))
    kept_rows = [row for row in rows if row.state != "planned"]
    nobody = f"{ERASED}{uuid4().hex[:12]}"
    for row in kept_rows:
        same = payments.c.payment_id == row.payment_id
        connection.execute(update(payments).where(same).values(ticket=nobody, note=None))
    lines = [
        f"payment ledger: {len(rows)} entries ({Money(sum(row.minor for row in rows), currency)}) "
        f"kept for the accounts as {nobody}, without the platform's identifier"
        for currency in sorted({row.currency for row in kept_rows})
        if (rows := [row for row in kept_rows if row.currency == currency])
    ]
    lines += [f"payment ledger: {len(unsent)} planned payments cancelled"] if unsent else []
    perhaps = sum(row.state in ("sent", "unknown") for row in kept_rows)
    lines += [f"{perhaps} of these are uncertain: settle them by payment ID"] if perhaps else []
    return lines


def _open_payments(connection: Connection, whose: ErasedParticipant) -> list[str]:
    all_payments = connection.execute(select(payments).where(payments.c.study == whose.study))
    number = sum(
        _theirs(row.ticket, whose) and row.state in ("planned", "sent", "unknown") for row in all_payments
    )
    return [f"{number} payments to them are due or uncertain: pay or settle them first"] if number else []


PAYMENTS: Final = Guarded(
    payments,
    tuple(c.name for c in payments.c if c.name not in ("ticket", "note", "changed_at")),
    "planned_at",
)
TABLES: Final = PackageTables(
    "recruitment", SCHEMA, erase, _dataset_rows, _open_payments, guarded=(PAYMENTS,)
)
