"""Invitations to a later session: people who completed an earlier one, under that pseudonym.

What leads to them (a recruiter's key, the hash of a personal link) is in no export and in no event. An event
says which session a visit follows, and in which conditions somebody was there.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from vivavoce.log.events import VisitEnded
from vivavoce.log.models import VisitRecord
from vivavoce.log.queries import Reader
from vivavoce.log.store import Log
from vivavoce.log.tables import dialogues, events, follow_ups, people, visits


@dataclass(frozen=True)
class Invited:
    """A person who completed the earlier session.

    pool, person_key  how the recruiter of the earlier session knows them; None: it does not
    conditions        those of the dialogues that they held there
    linked            a personal link was made for them
    """

    participant_id: str
    pool: str
    person_key: str | None
    conditions: tuple[str, ...]
    completed_at: datetime
    simulated: bool = False
    linked: bool = False


def completed_people(log: Reader, study: str) -> list[Invited]:
    """People who completed a study, each with their last completed visit, in the order of their ends."""
    completed_visits = (
        select(
            visits.c.participant_id,
            visits.c.pool,
            visits.c.visit_id,
            visits.c.simulated,
            events.c.at,
            people.c.person_key,
        )
        .join(events, (events.c.visit_id == visits.c.visit_id) & (events.c.kind == VisitEnded.kind))
        .outerjoin(people, people.c.participant_id == visits.c.participant_id)
        .where(visits.c.study == study, visits.c.outcome == "completed")
        .order_by(events.c.position)
    )
    held_dialogues = select(dialogues.c.visit_id, dialogues.c.condition).where(
        dialogues.c.study == study, dialogues.c.status == "completed"
    )
    with log.reading() as connection:
        conditions: dict[str, set[str]] = {}
        for visit_id, condition in connection.execute(held_dialogues):
            conditions.setdefault(visit_id, set()).add(condition)
        rows = connection.execute(completed_visits).all()
    invited = {
        row.participant_id: Invited(
            row.participant_id,
            row.pool,
            row.person_key,
            tuple(sorted(conditions.get(row.visit_id, ()))),
            row.at,
            row.simulated,
        )
        for row in rows
    }
    return sorted(invited.values(), key=lambda person: person.completed_at)


def note_invited(log: Log, study: str, invited: Iterable[Invited]) -> None:
    """Remember who may come; what is known of somebody already stays as it is."""
    rows = [
        {
            "study": study,
            "participant_id": person.participant_id,
            "pool": person.pool,
            "person_key": person.person_key,
            "conditions": list(person.conditions),
            "completed_at": person.completed_at,
            "simulated": person.simulated,
        }
        for person in invited
    ]

    def write(connection: Connection) -> None:
        query = select(follow_ups.c.participant_id).where(follow_ups.c.study == study)
        participants = set(connection.execute(query).scalars())
        if new := [row for row in rows if row["participant_id"] not in participants]:
            connection.execute(insert(follow_ups), new)

    log.transact_now(lambda tx: write(tx.connection))


def invited_people(log: Reader, study: str) -> list[Invited]:
    """Everybody who may come to a study, in the order in which they completed the earlier one."""
    query = select(follow_ups).where(follow_ups.c.study == study)
    query = query.order_by(follow_ups.c.completed_at, follow_ups.c.participant_id)
    with log.reading() as connection:
        return [_invited(row) for row in connection.execute(query)]


def invited_as(connection: Connection, study: str, participant_id: str) -> Invited | None:
    """An invited person, by pseudonym."""
    return _one(connection, study, follow_ups.c.participant_id == participant_id)


def invited_person(log: Reader, study: str, pool: str, person_key: str) -> Invited | None:
    """An invited person, by a recruiter's identifiers."""
    same = (follow_ups.c.pool == pool) & (follow_ups.c.person_key == person_key)
    with log.reading() as connection:
        return _one(connection, study, same)


def invited_by_link(log: Reader, study: str, token_hash: str) -> Invited | None:
    """An invited person, by the hash of their personal link's token."""
    with log.reading() as connection:
        return _one(connection, study, follow_ups.c.token_hash == token_hash)


def link_invited(log: Log, study: str, hashes: dict[str, str]) -> None:
    """Give people links by the hashes of their tokens; one that they had leads nowhere any more."""

    def write(connection: Connection) -> None:
        for participant_id, token_hash in hashes.items():
            mine = (follow_ups.c.study == study) & (follow_ups.c.participant_id == participant_id)
            connection.execute(update(follow_ups).where(mine).values(token_hash=token_hash))

    log.transact_now(lambda tx: write(tx.connection))


def visits_of(log: Reader, study: str, participant_id: str) -> list[VisitRecord]:
    """Visits of one person to a study, in their order."""
    query = select(visits).where(visits.c.study == study, visits.c.participant_id == participant_id)
    with log.reading() as connection:
        return [VisitRecord(*row) for row in connection.execute(query.order_by(visits.c.position))]


def forget_invited(connection: Connection, study: str, participant_id: str, *, wholly: bool) -> None:
    """Take out what leads to somebody; wholly: that they may come, too."""
    mine = (follow_ups.c.study == study) & (follow_ups.c.participant_id == participant_id)
    nobody = {"person_key": None, "token_hash": None}
    connection.execute(
        delete(follow_ups).where(mine) if wholly else update(follow_ups).where(mine).values(nobody)
    )


def _one(connection: Connection, study: str, which: Any) -> Invited | None:
    row = connection.execute(select(follow_ups).where(follow_ups.c.study == study, which)).first()
    return _invited(row) if row is not None else None


def _invited(row: Any) -> Invited:
    return Invited(
        row.participant_id,
        row.pool,
        row.person_key,
        tuple(row.conditions),
        row.completed_at,
        simulated=row.simulated,
        linked=row.token_hash is not None,
    )
