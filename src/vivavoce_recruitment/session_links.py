"""Participants due for the next session, with those who came and those who are late."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from vivavoce.log.follow_ups import Invited, completed_people, invited_people, note_invited
from vivavoce.log.store import Log
from vivavoce.study.session_link import FollowUp

Stand = Literal["waits", "due", "came", "late"]


@dataclass(frozen=True)
class Return:
    """Place of a participant between two sessions.

    stand    waits: they may not come yet; due: they may, and have not; came; late: they did not come in time
    outcome  of their last visit here; None: it goes on, or there is none
    """

    invited: Invited
    stand: Stand
    opens_at: datetime
    closes_at: datetime | None
    outcome: str | None = None


def take_over(first: Log, first_study: str, log: Log, study: str) -> None:
    """Note everybody who has completed the earlier session; nobody is noted twice."""
    note_invited(log, study, completed_people(first, first_study))


def returns(log: Log, study: str, follow_up: FollowUp) -> list[Return]:
    """Everybody who may come, in the order in which they completed the earlier session."""
    visits = {visit.participant_id: visit for visit in log.visits(study)}
    states = []
    for invited_person in invited_people(log, study):
        opens, closes = (
            follow_up.opens(invited_person.completed_at),
            follow_up.closes(invited_person.completed_at),
        )
        visit = visits.get(invited_person.participant_id)
        stand = _stand(log.clock.now(), opens, closes, came=visit is not None)
        states.append(
            Return(invited_person, stand, opens, closes, visit.outcome if visit is not None else None)
        )
    return states


def keys_due(found: Sequence[Return], pool: str) -> list[str]:
    """A recruiter's keys of those who are due, or will be, and have not come: who is offered the session."""
    return [
        state.invited.person_key
        for state in found
        if state.invited.pool == pool
        and state.stand in ("waits", "due")
        and state.invited.person_key is not None
    ]


def _stand(now: datetime, opens: datetime, closes: datetime | None, *, came: bool) -> Stand:
    if came:
        return "came"
    if now < opens:
        return "waits"
    return "late" if closes is not None and now >= closes else "due"
