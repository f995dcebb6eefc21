"""Bookings of seats in a laboratory, with what supervisors note of them, in tables beside the log's own.

A seat of a session is given once, also where many book in the same moment: it is chosen and taken in one
transaction, and a unique key stands behind it where several processes write. A booking is known by the hash
of its code, which its person alone keeps, and so is an invitation. Notes are only ever added.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, TypeVar

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from vivavoce.log.store import Conflict, Log
from vivavoce.log.tables import recruit_links
from vivavoce.log.transaction import Transaction
from vivavoce.trial.codes import new_key, token_hash
from vivavoce_recruitment.ledger import Ledger
from vivavoce_recruitment.tables import SCHEMA, bookings, contacts, invitations, notes

NAME: Final = "laboratory"
"""Key in study files, and the recruiter's visit pool."""
TRIES: Final = 50
Result = TypeVar("Result")
NoteKind = Literal["note", "no_show", "technical_problem", "let_in", "cancelled"]
Refusal = Literal["full", "known_email", "begun", "gone", "not_invited", "used_invitation"]


class NotBooked(Exception):
    """A seat was not given; `reason` says why."""

    def __init__(self, reason: Refusal) -> None:
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class Booking:
    """A seat in a session.

    number    by which people in the laboratory call it; never given again in this study
    seat      counted from 1; None: it was cancelled
    let_in    a supervisor lets its person begin or go on, once, whatever the time and the computer
    waiting_since  when they said that they are there and cannot begin; None: nobody waits
    visit_id  the visit that came of it; None: its person did not begin
    """

    number: int
    start: datetime
    seat: int | None
    let_in: bool
    changed_at: datetime
    waiting_since: datetime | None = None
    visit_id: str | None = None

    @property
    def person(self) -> str:
        """The recruiter's key for whoever has it."""
        return f"booking-{self.number}"


@dataclass(frozen=True, slots=True)
class Note:
    """A supervisor's note on a session; number: of the booking that it is about."""

    note_id: str
    start: datetime
    number: int | None
    kind: NoteKind
    text: str | None
    author: str
    noted_at: datetime


class Bookings:
    """The bookings of one study."""

    def __init__(self, log: Log, study: str) -> None:
        self._log, self._study = log, study
        log.bring_tables(SCHEMA)

    def all(self) -> list[Booking]:
        """All bookings by session and seat, those that were cancelled last."""
        with self._log.reading() as connection:
            rows = [_booking(row) for row in connection.execute(_WITH_VISITS.where(self._ours))]
        return sorted(rows, key=lambda one: (one.seat is None, one.start, one.seat or 0, one.number))

    def of(self, code: str) -> Booking | None:
        """The booking with this code, as it was entered; None: there is none."""
        with self._log.reading() as connection:
            return self._of(connection, _hash(code))

    def taken(self) -> Counter[datetime]:
        """Number of taken seats by session."""
        with self._log.reading() as connection:
            starts = select(bookings.c.start).where(self._ours, bookings.c.seat.is_not(None))
            return Counter(connection.execute(starts).scalars())

    def emails(self) -> dict[int, str]:
        """The e-mail addresses that people left, by the number of their booking."""
        with self._log.reading() as connection:
            ours = select(contacts.c.number, contacts.c.email).where(contacts.c.study == self._study)
            return {row.number: row.email for row in connection.execute(ours)}

    def notes(self) -> list[Note]:
        """Notes of supervisors, the earliest first."""
        query = select(*(notes.c[name] for name in Note.__slots__)).where(notes.c.study == self._study)
        with self._log.reading() as connection:
            return [Note(*row) for row in connection.execute(query.order_by(notes.c.noted_at))]

    def invite(self, tokens: Iterable[str]) -> None:
        """Note new invitations; who has the token of one can book a seat with it."""
        Ledger(self._log, self._study).add_invitations(map(_invitation, tokens))

    def refused(self, token: str) -> Refusal | None:
        """Reason why this invitation cannot be used to book; None if it can."""
        with self._log.reading() as connection:
            return self._refused(connection, _invitation(token))

    def book(
        self, code: str, start: datetime, seats: int, email: str | None = None, token: str | None = None
    ) -> Booking:
        """Take a free seat, with an invitation if any; where this code has one, that booking as it is.

        Raises  NotBooked: `full`, `known_email`, `not_invited`, `used_invitation`
        """

        def write(tx: Transaction) -> Booking:
            connection, hashed = tx.connection, _hash(code)
            if (existing := self._of(connection, hashed)) is not None:
                return existing
            invited = _invitation(token) if token is not None else None
            if invited is not None and (refused := self._refused(connection, invited)) is not None:
                raise NotBooked(refused)
            mail = email.strip().lower() if email else None
            theirs = (contacts.c.study == self._study) & (contacts.c.email == mail)
            if mail and connection.execute(select(contacts.c.number).where(theirs)).first():
                raise NotBooked("known_email")
            last = select(func.max(bookings.c.number)).where(self._ours)
            number = (connection.execute(last).scalar_one() or 0) + 1
            row = {
                "study": self._study,
                "number": number,
                "code_hash": hashed,
                "start": start,
                "seat": self._free_seat(connection, start, seats),
                "let_in": False,
                "changed_at": self._log.clock.now(),
                "invitation": invited,
            }
            connection.execute(insert(bookings).values(row))
            if mail:
                mine = {"study": self._study, "number": number, "email": mail}
                connection.execute(insert(contacts).values(mine))
            return Booking(number, start, row["seat"], False, row["changed_at"])

        return self._exactly(write)

    def move(self, code: str, start: datetime, seats: int) -> None:
        """Take a free seat in another session, and give back the one that was booked.

        Raises  NotBooked: `full`, `begun`; `gone`: it is cancelled
        """

        def write(tx: Transaction) -> None:
            booking = self._changeable(tx.connection, code)
            if booking.start != start:
                seat = self._free_seat(tx.connection, start, seats)
                self._change(tx.connection, booking.number, start=start, seat=seat)

        self._exactly(write)

    def cancel(self, code: str) -> None:
        """Give a seat back; the e-mail address goes with it, and the invitation can be used again.

        Raises  NotBooked: `begun`, `gone`
        """
        self._exactly(lambda tx: self._give_back(tx.connection, self._changeable(tx.connection, code).number))

    def use_let_in(self, code: str) -> bool:
        """Use a supervisor's permission to enter; True the first time only."""
        change = update(bookings).where(self._ours, bookings.c.code_hash == _hash(code), bookings.c.let_in)
        return self._exactly(lambda tx: tx.connection.execute(change.values(let_in=False)).rowcount == 1)

    def wait(self, code: str) -> None:
        """Note that the person of this code is there and waits; the first time stands.

        Raises  NotBooked: `gone`
        """

        def write(tx: Transaction) -> None:
            booking = self._of(tx.connection, _hash(code))
            if booking is None or booking.seat is None:
                raise NotBooked("gone")
            if booking.waiting_since is None:
                self._change(tx.connection, booking.number, waiting_since=self._log.clock.now())

        self._exactly(write)

    def end_wait(self, code: str) -> None:
        """Note that the person of this code waits no more: they were admitted."""
        mine = update(bookings).where(self._ours, bookings.c.code_hash == _hash(code))
        self._exactly(lambda tx: tx.connection.execute(mine.values(waiting_since=None)))

    def add_note(
        self, note_id: str, start: datetime, number: int | None, kind: NoteKind, text: str | None, author: str
    ) -> None:
        """Note something of a session or a booking in it, with what follows; the same form twice is one note.

        Raises  NotBooked: `gone`: there is no such booking; `begun`: it cannot be cancelled any more
        """

        def write(tx: Transaction) -> None:
            connection = tx.connection
            row = {"note_id": note_id, "start": start, "number": number, "kind": kind, "text": text}
            query = select(*(notes.c[name] for name in row)).where(notes.c.note_id == note_id)
            if (existing := connection.execute(query).one_or_none()) is not None:
                if dict(existing._mapping) == row:
                    return
                row["note_id"] = new_key(
                    "note"
                )  # the page was gone back to, and something else written in it
            now = self._log.clock.now()
            connection.execute(insert(notes).values(study=self._study, author=author, noted_at=now, **row))
            if number is None:
                return
            about = _WITH_VISITS.where(self._ours, bookings.c.number == number)
            if (booked := connection.execute(about).one_or_none()) is None:
                raise NotBooked("gone")
            if kind in ("let_in", "no_show"):
                change = {"let_in": True} if kind == "let_in" else {}
                self._change(connection, number, waiting_since=None, **change)
            elif kind == "cancelled":
                if booked.visit_id is not None:
                    raise NotBooked("begun")
                self._give_back(connection, number)

        self._exactly(write)

    def forget_emails(self, before: datetime) -> int:
        """Delete the addresses of who booked sessions that began before; how many."""
        over = select(bookings.c.number).where(self._ours, bookings.c.start < before)
        gone = delete(contacts).where(contacts.c.study == self._study, contacts.c.number.in_(over))
        count = self._exactly(lambda tx: tx.connection.execute(gone).rowcount)
        self._log.forget_deleted()
        return count

    @property
    def _ours(self) -> Any:
        return bookings.c.study == self._study

    def _of(self, connection: Connection, hashed: str) -> Booking | None:
        row = connection.execute(_WITH_VISITS.where(self._ours, bookings.c.code_hash == hashed)).one_or_none()
        return _booking(row) if row is not None else None

    def _refused(self, connection: Connection, invited: str) -> Refusal | None:
        invitation = (invitations.c.study == self._study) & (invitations.c.token_hash == invited)
        if connection.execute(select(invitations.c.made_at).where(invitation)).first() is None:
            return "not_invited"
        used = select(bookings.c.number).where(self._ours, bookings.c.invitation == invited)
        return "used_invitation" if connection.execute(used).first() is not None else None

    def _free_seat(self, connection: Connection, start: datetime, seats: int) -> int:
        """Raises  NotBooked: `full`"""
        query = select(bookings.c.seat).where(self._ours, bookings.c.start == start)
        taken_seats = set(connection.execute(query).scalars())
        free = next((seat for seat in range(1, seats + 1) if seat not in taken_seats), None)
        if free is None:
            raise NotBooked("full")
        return free

    def _changeable(self, connection: Connection, code: str) -> Booking:
        booking = self._of(connection, _hash(code))
        if booking is None or booking.seat is None:
            raise NotBooked("gone")
        if booking.visit_id is not None:
            raise NotBooked("begun")
        return booking

    def _give_back(self, connection: Connection, number: int) -> None:
        self._change(connection, number, seat=None, let_in=False, waiting_since=None, invitation=None)
        mine = (contacts.c.study == self._study) & (contacts.c.number == number)
        connection.execute(delete(contacts).where(mine))

    def _change(self, connection: Connection, number: int, **values: Any) -> None:
        mine = update(bookings).where(self._ours, bookings.c.number == number)
        connection.execute(mine.values(changed_at=self._log.clock.now(), **values))

    def _exactly(self, write: Callable[[Transaction], Result]) -> Result:
        """Write, and once more where another process took the seat or the number in the same moment."""
        for _ in range(TRIES - 1):
            try:
                return self._log.transact_now(write)
            except Conflict:
                continue
        return self._log.transact_now(write)


def _hash(code: str) -> str:
    return token_hash(plain_code(code))


def _invitation(token: str) -> str:
    """As what an invitation is kept, apart from those of links."""
    return token_hash(f"{NAME}:{token}")


def plain_code(entered: str) -> str:
    """A code as it is kept: capital letters and digits alone."""
    return "".join(character for character in entered.upper() if character.isalnum())


_VISIT: Final = (recruit_links.c.study == bookings.c.study) & (recruit_links.c.pool == NAME)
_WITH_VISITS: Final = select(bookings, recruit_links.c.visit_id).outerjoin(
    recruit_links, _VISIT & (recruit_links.c.ticket_hash == bookings.c.code_hash)
)


def _booking(row: Row[Any]) -> Booking:
    return Booking(*(getattr(row, name) for name in Booking.__slots__))


def seats_by_start(found: Iterable[Booking]) -> dict[datetime, list[Booking]]:
    """Bookings that stand, by session."""
    by_start: dict[datetime, list[Booking]] = {}
    for booking in found:
        if booking.seat is not None:
            by_start.setdefault(booking.start, []).append(booking)
    return by_start
