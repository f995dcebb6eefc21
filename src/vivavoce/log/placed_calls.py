"""The calls that the laboratory made to participants: how many, to whom, and who wants none any more."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, select

from vivavoce.log.call_events import CallPlaced, CallsUnwanted
from vivavoce.log.tables import events


class Placed(NamedTuple):
    """Calls that were made since an instant; callees are pseudonyms."""

    all_: int
    to_callee: int
    for_dialogue: int


def placed_since(
    connection: Connection, study: str, since: datetime, *, callee: str, dialogue_id: str
) -> Placed:
    """What counts against the limits: in the study and to one callee since then; ever for one dialogue."""
    calls = [
        (at, CallPlaced.model_validate(payload))
        for at, payload in connection.execute(
            select(events.c.at, events.c.payload).where(events.c.kind == CallPlaced.kind)
        )
    ]
    ours = [(at, one) for at, one in calls if one.study == study]
    recent = [one for at, one in ours if at >= since]
    return Placed(
        len(recent), sum(one.callee == callee for one in recent),
        sum(one.dialogue_id == dialogue_id for _, one in ours),
    )  # fmt: skip


def unwanted(connection: Connection, study: str, callee: str) -> bool:
    """Whether somebody at this number has asked never to be called again."""
    wanted = select(events.c.payload).where(events.c.kind == CallsUnwanted.kind)
    found = (CallsUnwanted.model_validate(payload) for (payload,) in connection.execute(wanted))
    return any(one.study == study and one.callee == callee for one in found)
