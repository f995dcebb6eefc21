"""Places taken in a study now: read in the transaction that gives the next one, so counts are current.

A participant has a place in a condition as soon as they were given a dialogue in it, for as long as that
visit goes on, and for good when it was completed. A dialogue that failed takes none.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, or_, select

from vivavoce.log.tables import dialogues, visits


@dataclass(frozen=True)
class Places:
    """Number of places taken, in all and by condition; mine: conditions in which this participant has one."""

    participants: int
    by_condition: dict[str, int]
    mine: frozenset[str]


def taken_places(connection: Connection, study: str, participant_id: str, *, simulated: bool) -> Places:
    """The places that people, or programs, have now."""
    counts = or_(visits.c.status == "running", visits.c.outcome == "completed")
    query = (
        select(dialogues.c.condition, dialogues.c.participant_id)
        .join(visits, visits.c.visit_id == dialogues.c.visit_id)
        .where(dialogues.c.study == study, dialogues.c.simulated == simulated)
        .where(dialogues.c.status != "failed", counts)
        .distinct()
    )
    everybody, by_condition, mine = set[str](), dict[str, int](), set[str]()
    for condition, who in connection.execute(query):
        everybody.add(who)
        by_condition[condition] = by_condition.get(condition, 0) + 1
        mine |= {condition} if who == participant_id else set()
    return Places(len(everybody), by_condition, frozenset(mine))


def left_visits(
    connection: Connection, study: str, since: datetime, *, simulated: bool, but: str
) -> list[str]:
    """Visits with dialogues that go on, but for one, in which nothing has happened since then."""
    dialogue_visits = select(dialogues.c.visit_id).where(dialogues.c.study == study)
    query = select(visits.c.visit_id).where(
        visits.c.study == study,
        visits.c.simulated == simulated,
        visits.c.status == "running",
        visits.c.last_at < since,
        visits.c.visit_id != but,
        visits.c.visit_id.in_(dialogue_visits),
    )
    return list(connection.execute(query.order_by(visits.c.position)).scalars())


def dialogues_held(connection: Connection, study: str, participant_id: str) -> int:
    """Number of dialogues given to a participant, over all visits, without failed ones."""
    mine = (dialogues.c.study == study) & (dialogues.c.participant_id == participant_id)
    query = select(func.count()).select_from(dialogues).where(mine, dialogues.c.status != "failed")
    return connection.execute(query).scalar_one()


def visits_made(connection: Connection, study: str, participant_id: str, but: str) -> int:
    """Number of a participant's other visits; those that found no place are not counted."""
    mine = (
        (visits.c.study == study) & (visits.c.participant_id == participant_id) & (visits.c.visit_id != but)
    )
    admitted = or_(visits.c.outcome.is_(None), visits.c.outcome != "no_place")
    return connection.execute(select(func.count()).select_from(visits).where(mine, admitted)).scalar_one()
