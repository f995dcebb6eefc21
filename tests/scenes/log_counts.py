"""Counts of a log that only tests need."""

from sqlalchemy import select

from vivavoce.log.store import Log
from vivavoce.log.tables import visits

STATUSES = ("running", "completed", "failed", "abandoned")


def study_names(log: Log) -> list[str]:
    """Every study that has a visit."""
    with log.reading() as connection:
        return list(connection.execute(select(visits.c.study).distinct().order_by(visits.c.study)).scalars())


def counts_by_system(log: Log, study: str) -> dict[str, dict[str, int]]:
    """Participants, dialogues, and dialogues by status, for every system."""
    held = log.dialogues(study)
    return {
        system: {
            "participants": len({one.participant_id for one in held if one.system == system}),
            **{name: sum(one.system == system and one.status == name for one in held) for name in STATUSES},
            "dialogues": sum(one.system == system for one in held),
        }
        for system in sorted({one.system for one in held})
    }
