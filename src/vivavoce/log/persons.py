"""Identities of participants by their link identifiers: known to the log alone, in no export."""

from sqlalchemy import select

from vivavoce.log.queries import Reader
from vivavoce.log.tables import people


def identifiers(log: Reader, study: str) -> dict[str, str]:
    """The identifier with which each participant of a study came, by pseudonym.

    Empty  who came by the plain link, and simulated users, are not in it
    """
    with log.reading() as connection:
        query = select(people.c.participant_id, people.c.person_key).where(people.c.study == study)
        return {row.participant_id: row.person_key for row in connection.execute(query)}
