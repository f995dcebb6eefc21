"""The payment ledger: what is to be paid, what was sent, and what of it is known to have arrived.

A payment goes from `planned` (perhaps `set_up`, at platforms that pay in two steps) to `sent`, which is
committed before the platform is called, and from there to `accepted`, `confirmed`, `refused` or `unknown`.
Nothing that is `sent` or `unknown` is ever sent again by a program: reconciliation may find it paid, or a
person says what became of it.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, Literal
from uuid import uuid4

from sqlalchemy import (
    JSON,
    Column,
    DateTime,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    insert,
    inspect,
    select,
    update,
)
from sqlalchemy.exc import DBAPIError

from vivavoce.core.errors import InputError
from vivavoce.log.store import Log
from vivavoce.log.transaction import Transaction
from vivavoce_recruitment.money import Money

Kind = Literal["reward", "bonus"]
PaymentState = Literal["planned", "set_up", "sent", "accepted", "confirmed", "unknown", "refused"]
OPEN: Final = frozenset({"sent", "unknown"})
"""Perhaps paid, perhaps not."""
PAID: Final = frozenset({"accepted", "confirmed"})

_metadata: Final = MetaData()
_payments: Final = Table(
    "recruitment_payments",
    _metadata,
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
    Column("planned_at", DateTime(timezone=True), nullable=False),
    Column("changed_at", DateTime(timezone=True), nullable=False),
    UniqueConstraint("study", "recruiter", "listing", "ticket", "kind", "reason"),
)
_listings: Final = Table(
    "recruitment_listings",
    _metadata,
    Column("study", String, primary_key=True),
    Column("recruiter", String, primary_key=True),
    Column("mark", String, nullable=False),
    Column("listing", String),
    Column("minor", Integer, nullable=False),
    Column("currency", String, nullable=False),
    Column("places", Integer, nullable=False),
    Column("codes", JSON, nullable=False),
)
_invitations: Final = Table(
    "recruitment_invitations",
    _metadata,
    Column("study", String, primary_key=True),
    Column("token_hash", String, primary_key=True),
    Column("made_at", DateTime(timezone=True), nullable=False),
)


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
        self._make_tables()

    def _make_tables(self) -> None:
        with self.log.reading() as connection:
            known = inspect(connection).get_table_names()
        if not {table.name for table in _metadata.sorted_tables} <= set(known):
            with suppress(DBAPIError):  # another process makes them at the same moment
                self.log.transact_now(lambda tx: _metadata.create_all(tx.connection))

    def listing(self, recruiter: str) -> Listing | None:
        """What is offered by a recruiter; None: nothing yet."""
        wanted = select(_listings).where(_listings.c.study == self.study, _listings.c.recruiter == recruiter)
        with self.log.reading() as connection:
            row = connection.execute(wanted).one_or_none()
        return Listing(*row) if row else None

    def begin_listing(self, listing: Listing) -> Listing:
        """Note what is about to be made at a platform, or what was noted before."""
        known = self.listing(listing.recruiter)
        if known is None:
            values = {name: getattr(listing, name) for name in Listing.__slots__}
            self.log.transact_now(lambda tx: tx.connection.execute(insert(_listings).values(values)))
        return known or listing

    def name_listing(self, listing: Listing, identifier: str) -> None:
        """Note what the platform calls a listing that was made there."""
        ours = (_listings.c.study == self.study) & (_listings.c.recruiter == listing.recruiter)
        change = update(_listings).where(ours).values(listing=identifier)
        self.log.transact_now(lambda tx: tx.connection.execute(change))

    def add_invitations(self, hashes: Iterable[str]) -> None:
        """Note invitations by the SHA-256 of their tokens."""
        now = self.log.clock.now()
        rows = [{"study": self.study, "token_hash": one, "made_at": now} for one in hashes]
        self.log.transact_now(lambda tx: tx.connection.execute(insert(_invitations), rows))

    def invited(self, token_hash: str) -> bool:
        """Whether an invitation was made with this token."""
        ours = (_invitations.c.study == self.study) & (_invitations.c.token_hash == token_hash)
        with self.log.reading() as connection:
            return connection.execute(select(_invitations.c.made_at).where(ours)).first() is not None

    def payments(self, *states: PaymentState, recruiter: str | None = None) -> list[Payment]:
        """All payments, or those in these states, in the order in which they were planned."""
        wanted = select(_payments).where(_payments.c.study == self.study)
        if states:
            wanted = wanted.where(_payments.c.state.in_(states))
        if recruiter is not None:
            wanted = wanted.where(_payments.c.recruiter == recruiter)
        with self.log.reading() as connection:
            rows = connection.execute(wanted.order_by(_payments.c.planned_at, _payments.c.payment_id))
            return [Payment(*row) for row in rows]

    def plan(
        self, recruiter: str, listing: str, kind: Kind, due: Iterable[tuple[str, str, Money]]
    ) -> list[Payment]:
        """Note what is due, as ticket, reason and amount; what is noted already is not noted again."""
        now = self.log.clock.now()
        rows = [
            {"payment_id": f"payment-{uuid4().hex[:16]}", "study": self.study, "recruiter": recruiter,
             "listing": listing, "ticket": ticket, "kind": kind, "reason": reason, "minor": amount.minor,
             "currency": amount.currency, "state": "planned", "planned_at": now, "changed_at": now}
            for ticket, reason, amount in due
        ]  # fmt: skip

        def write(tx: Transaction) -> None:
            ours = (_payments.c.study == self.study) & (_payments.c.recruiter == recruiter)
            keys = select(_payments.c.listing, _payments.c.ticket, _payments.c.kind, _payments.c.reason)
            known = {tuple(row) for row in tx.connection.execute(keys.where(ours))}
            new = [row for row in rows if (listing, row["ticket"], kind, row["reason"]) not in known]
            if new:
                tx.connection.execute(insert(_payments), new)

        self.log.transact_now(write)
        return [one for one in self.payments("planned", recruiter=recruiter) if one.kind == kind]

    def move(
        self, payments: Sequence[Payment], state: PaymentState, *, reference: str | None = None,
        note: str | None = None,
    ) -> list[Payment]:  # fmt: skip
        """Bring payments into a state, all or none, on disk when this returns; as they are then.

        Raises  InputError: one of them is no longer in the state in which it was read: somebody else pays
        """

        now = self.log.clock.now()
        values: dict[str, Any] = {"state": state, "changed_at": now}
        values |= {"reference": reference} if reference is not None else {}
        values |= {"note": note} if note is not None else {}

        def write(tx: Transaction) -> None:
            for one in payments:
                same = (_payments.c.payment_id == one.payment_id) & (_payments.c.state == one.state)
                if tx.connection.execute(update(_payments).where(same).values(values)).rowcount != 1:
                    raise InputError(
                        f"{one.payment_id} is no longer {one.state}", place="ledger",
                        hint="somebody else pays at the same time; look with `vivavoce recruit status`",
                    )  # fmt: skip

        self.log.transact_now(write)
        return [replace(one, **values) for one in payments]
