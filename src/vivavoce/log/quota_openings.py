"""Who has a place in a study now: read in the transaction that gives the next one, so nobody is counted late.

A participant has a place in a condition as soon as they were given a dialogue in it, for as long as that
visit goes on, and for good when it was completed. A dialogue that failed takes none.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, or_, select

from vivavoce.log.tables import dialogues, visits


@dataclass(frozen=True)
class Places:
    """How many participants have one, in all and by condition; mine: the conditions in which this one has."""

    participants: int
    by_condition: dict[str, int]
    mine: frozenset[str]


def taken_places(connection: Connection, study: str, participant_id: str, *, simulated: bool) -> Places:
    """The places that people, or programs, have now."""
    counts = or_(visits.c.status == "running", visits.c.outcome == "completed")
    wanted = (
        select(dialogues.c.condition, dialogues.c.participant_id)
        .join(visits, visits.c.visit_id == dialogues.c.visit_id)
        .where(dialogues.c.study == study, dialogues.c.simulated == simulated)
        .where(dialogues.c.status != "failed", counts)
        .distinct()
    )
    everybody, by_condition, mine = set[str](), dict[str, int](), set[str]()
    for condition, who in connection.execute(wanted):
        everybody.add(who)
        by_condition[condition] = by_condition.get(condition, 0) + 1
        mine |= {condition} if who == participant_id else set()
    return Places(len(everybody), by_condition, frozenset(mine))


def left_visits(
    connection: Connection, study: str, since: datetime, *, simulated: bool, but: str
) -> list[str]:
    """Visits with dialogues that go on, but for one, in which nothing has happened since then."""
    held = select(dialogues.c.visit_id).where(dialogues.c.study == study)
    wanted = select(visits.c.visit_id).where(
        visits.c.study == study,
        visits.c.simulated == simulated,
        visits.c.status == "running",
        visits.c.last_at < since,
        visits.c.visit_id != but,
        visits.c.visit_id.in_(held),
    )
    return list(connection.execute(wanted.order_by(visits.c.position)).scalars())


def dialogues_held(connection: Connection, study: str, participant_id: str) -> int:
    """How many dialogues a participant was given, over all visits; those that failed are not counted."""
    mine = (dialogues.c.study == study) & (dialogues.c.participant_id == participant_id)
    wanted = select(func.count()).select_from(dialogues).where(mine, dialogues.c.status != "failed")
    return connection.execute(wanted).scalar_one()


def visits_made(connection: Connection, study: str, participant_id: str, but: str) -> int:
    """How many visits a participant has begun beside this one; those that found no place are not counted."""
    mine = (
        (visits.c.study == study) & (visits.c.participant_id == participant_id) & (visits.c.visit_id != but)
    )
    found = or_(visits.c.outcome.is_(None), visits.c.outcome != "no_place")
    return connection.execute(select(func.count()).select_from(visits).where(mine, found)).scalar_one()
