"""The payment ledger: what is to be paid, what was sent, and what of it is known to have arrived.

A payment goes from `planned` (perhaps `set_up`, at platforms that pay in two steps) to `sent`, which is
committed before the platform is called, and from there to `accepted`, `confirmed`, `refused` or `unknown`.
Nothing that is `sent` or `unknown` is ever sent again by a program: reconciliation may find it paid, or a
person says what became of it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, Literal
from uuid import uuid4

from sqlalchemy import Connection, delete, insert, select, update

from vivavoce.core.errors import InputError
from vivavoce.log.guarded_rows import recorded
from vivavoce.log.store import Log
from vivavoce.log.tables import recruit_links
from vivavoce.log.transaction import Transaction
from vivavoce.trial.codes import token_hash
from vivavoce_recruitment import tables
from vivavoce_recruitment.money import Money

Kind = Literal["reward", "bonus", "screen_out", "credit"]
PaymentState = Literal["planned", "set_up", "sent", "accepted", "confirmed", "unknown", "refused"]
SubmissionStatus = Literal[
    "running", "submitted", "approved", "rejected", "returned", "timed_out", "screened_out", "other"
]
OPEN: Final = frozenset({"sent", "unknown"})
"""Payment with an unknown result."""
PAID: Final = frozenset({"accepted", "confirmed"})


@dataclass(frozen=True, slots=True)
class Payment:
    """One payment to one person for one reason; `reference` is the platform's word for it."""

    payment_id: str
    study: str
    recruiter: str
    listing: str
    ticket: str
    kind: Kind
    reason: str
    minor: int
    currency: str
    state: PaymentState
    reference: str | None
    note: str | None
    planned_at: datetime
    changed_at: datetime

    @property
    def amount(self) -> Money:
        return Money(self.minor, self.currency)


@dataclass(frozen=True, slots=True)
class Listing:
    """A study as a platform offers it.

    mark     the name under which it can be found there, also where nobody heard its identifier
    listing  its identifier there; None: it may not have been made yet
    codes    what a participant enters there at the end, by the outcome of the visit
    """

    study: str
    recruiter: str
    mark: str
    listing: str | None
    minor: int
    currency: str
    places: int
    codes: dict[str, str]


class Ledger:
    """Listings, invitations and payments of one study, in tables of their own in the log's database."""

    def __init__(self, log: Log, study: str) -> None:
        self.log, self.study = log, study
        log.bring_tables(tables.SCHEMA)

    def listing(self, recruiter: str) -> Listing | None:
        """Listing of a recruiter; None before publication."""
        query = select(tables.listings).where(
            tables.listings.c.study == self.study, tables.listings.c.recruiter == recruiter
        )
        with self.log.reading() as connection:
            row = connection.execute(query).one_or_none()
        return Listing(*row) if row else None

    def begin_listing(self, listing: Listing) -> Listing:
        """Note what is about to be made at a platform, or what was noted before."""
        existing = self.listing(listing.recruiter)
        if existing is None:
            values = {name: getattr(listing, name) for name in Listing.__slots__}
            self.log.transact_now(lambda tx: tx.connection.execute(insert(tables.listings).values(values)))
        return existing or listing

    def name_listing(self, listing: Listing, identifier: str) -> None:
        """Note what the platform calls a listing that was made there."""
        ours = (tables.listings.c.study == self.study) & (tables.listings.c.recruiter == listing.recruiter)
        change = update(tables.listings).where(ours).values(listing=identifier)
        self.log.transact_now(lambda tx: tx.connection.execute(change))

    def add_invitations(self, hashes: Iterable[str]) -> None:
        """Note invitations by the SHA-256 of their tokens."""
        now = self.log.clock.now()
        rows = [{"study": self.study, "token_hash": token, "made_at": now} for token in hashes]
        self.log.transact_now(lambda tx: tx.connection.execute(insert(tables.invitations), rows))

    def invited(self, token_hash: str) -> bool:
        """True if an invitation was made with this token."""
        ours = (tables.invitations.c.study == self.study) & (tables.invitations.c.token_hash == token_hash)
        with self.log.reading() as connection:
            return connection.execute(select(tables.invitations.c.made_at).where(ours)).first() is not None

    def set_places(self, recruiter: str, places: int) -> None:
        """Note how many places a listing has now."""
        ours = (tables.listings.c.study == self.study) & (tables.listings.c.recruiter == recruiter)
        change = update(tables.listings).where(ours).values(places=places)
        self.log.transact_now(lambda tx: tx.connection.execute(change))

    def submissions(self, recruiter: str) -> dict[str, SubmissionStatus]:
        """Last known submission state by ticket, for participants who came."""
        table = tables.submissions
        ours = (table.c.study == self.study) & (table.c.recruiter == recruiter)
        with self.log.reading() as connection:
            return {row.ticket: row.status for row in connection.execute(select(table).where(ours))}

    def note_submissions(self, recruiter: str, statuses: Mapping[str, SubmissionStatus]) -> None:
        """Note how everybody's work stands, as the platform told when it was asked."""
        now = self.log.clock.now()

        def write(tx: Transaction) -> None:
            for ticket, status in statuses.items():
                self._note(tx.connection, recruiter, ticket, status, now)

        self.log.transact_now(write)

    def take_notice(
        self, recruiter: str, notice_id: str, ticket: str, status: SubmissionStatus, at: datetime
    ) -> bool:
        """Note what a platform tells by itself; False: this or a later one was taken, or nobody came so.

        Input  notice_id: the same however often it is sent; at: by the platform's clock
        """
        row = {"study": self.study, "recruiter": recruiter, "notice_id": notice_id}
        same = [tables.notices.c[name] == value for name, value in row.items()]

        def write(tx: Transaction) -> bool:
            if tx.connection.execute(select(tables.notices.c.taken_at).where(*same)).first() is not None:
                return False
            row_taken = {**row, "taken_at": self.log.clock.now()}
            tx.connection.execute(insert(tables.notices).values(row_taken))
            return self._note(tx.connection, recruiter, ticket, status, at)

        return self.log.transact_now(write)

    def _note(self, connection: Connection, recruiter: str, ticket: str, status: str, at: datetime) -> bool:
        """Note it of somebody who came here: who never did, or was erased, leaves no identifier."""
        visit_filter = (recruit_links.c.study == self.study) & (recruit_links.c.pool == recruiter)
        visit_filter &= recruit_links.c.ticket_hash == token_hash(ticket)
        if connection.execute(select(recruit_links.c.visit_id).where(visit_filter)).first() is None:
            return False
        table = tables.submissions
        row = {"study": self.study, "recruiter": recruiter, "ticket": ticket}
        same = [table.c[name] == value for name, value in row.items()]
        told_at = connection.execute(select(table.c.told_at).where(*same)).scalar_one_or_none()
        if told_at is not None and told_at > at:
            return False
        connection.execute(delete(table).where(*same))
        connection.execute(insert(table).values({**row, "status": status, "told_at": at}))
        return True

    def payments(self, *states: PaymentState, recruiter: str | None = None) -> list[Payment]:
        """All payments, or those in these states, in the order in which they were planned."""
        query = select(tables.payments).where(tables.payments.c.study == self.study)
        if states:
            query = query.where(tables.payments.c.state.in_(states))
        if recruiter is not None:
            query = query.where(tables.payments.c.recruiter == recruiter)
        with self.log.reading() as connection:
            rows = connection.execute(
                query.order_by(tables.payments.c.planned_at, tables.payments.c.payment_id)
            )
            return [Payment(*row) for row in rows]

    def plan(
        self, recruiter: str, listing: str, kind: Kind, due: Iterable[tuple[str, str, Money]]
    ) -> list[Payment]:
        """Note what is due, as ticket, reason and amount; what is noted already is not noted again."""
        now = self.log.clock.now()
        rows = [
            {
                "payment_id": f"payment-{uuid4().hex[:16]}",
                "study": self.study,
                "recruiter": recruiter,
                "listing": listing,
                "ticket": ticket,
                "kind": kind,
                "reason": reason,
                "minor": amount.minor,
                "currency": amount.currency,
                "state": "planned",
                "planned_at": now,
                "changed_at": now,
            }
            for ticket, reason, amount in due
        ]

        def write(tx: Transaction) -> None:
            ours = (tables.payments.c.study == self.study) & (tables.payments.c.recruiter == recruiter)
            keys = select(
                tables.payments.c.listing,
                tables.payments.c.ticket,
                tables.payments.c.kind,
                tables.payments.c.reason,
            )
            existing = {tuple(row) for row in tx.connection.execute(keys.where(ours))}
            new = [row for row in rows if (listing, row["ticket"], kind, row["reason"]) not in existing]
            if new:
                with recorded(tx, tables.PAYMENTS, ours):
                    tx.connection.execute(insert(tables.payments), new)

        self.log.transact_now(write)
        return [payment for payment in self.payments("planned", recruiter=recruiter) if payment.kind == kind]

    def move(
        self,
        payments: Sequence[Payment],
        state: PaymentState,
        *,
        reference: str | None = None,
        note: str | None = None,
    ) -> list[Payment]:
        """Bring payments into a state, all or none, on disk when this returns; as they are then.

        Raises  InputError: one of them is no longer in the state in which it was read: somebody else pays
        """

        now = self.log.clock.now()
        values: dict[str, Any] = {"state": state, "changed_at": now}
        values |= {"reference": reference} if reference is not None else {}
        values |= {"note": note} if note is not None else {}

        def write(tx: Transaction) -> None:
            for payment in payments:
                same = (tables.payments.c.payment_id == payment.payment_id) & (
                    tables.payments.c.state == payment.state
                )
                with recorded(tx, tables.PAYMENTS, tables.payments.c.payment_id == payment.payment_id):
                    changed = tx.connection.execute(update(tables.payments).where(same).values(values))
                if changed.rowcount != 1:
                    raise InputError(
                        f"{payment.payment_id} is no longer {payment.state}",
                        place="ledger",
                        hint=(
                            "another process is paying at the same time; check with `vivavoce recruit status`"
                        ),
                    )

        self.log.transact_now(write)
        return [replace(payment, **values) for payment in payments]

    def settle(self, name: str, *, paid: bool, by: str = "a person") -> list[Payment]:
        """Note what a person saw of a payment that is perhaps paid or refused; if unpaid, it is due again.

        Input   name: of a payment, or the platform's word for several
        Raises  InputError: there is none, or it is known what became of it
        """
        matching = [payment for payment in self.payments() if name in (payment.payment_id, payment.reference)]
        open_payments = [
            payment for payment in matching if payment.state in OPEN or payment.state == "refused"
        ]
        if not open_payments:
            problem = f"{name!r} is {matching[0].state}" if matching else f"payment {name!r} not found"
            raise InputError(
                problem, place="ledger", hint="choose an open payment listed by `recruit status`"
            )
        gone = [payment for payment in open_payments if payment.ticket.startswith(tables.ERASED)]
        settleable = [payment for payment in open_payments if payment not in gone]
        note = f"settled by {by}"
        settled = self.move(settleable, "confirmed" if paid else "planned", note=note)
        return settled + self.move(gone, "confirmed" if paid else "refused", note=note)
