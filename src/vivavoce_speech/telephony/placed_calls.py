"""The calls that the laboratory made to participants: how many, to whom, and who wants none any more."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, func, select

from vivavoce.log.call_events import CallPlaced, CallsUnwanted
from vivavoce.log.tables import calls


class CallsPlaced(NamedTuple):
    """Calls that were made since an instant; callees are pseudonyms."""

    all_: int
    to_callee: int
    for_dialogue: int


def placed_since(
    connection: Connection, study: str, since: datetime, *, callee: str, dialogue_id: str
) -> CallsPlaced:
    """What counts against the limits: in the study and to one callee since then; ever for one dialogue."""
    ours = (calls.c.study == study) & (calls.c.kind == CallPlaced.kind)

    def count(*conditions: ColumnElement[bool]) -> int:
        return connection.execute(select(func.count()).where(ours, *conditions)).scalar_one()

    recent = calls.c.at >= since
    of_dialogue = connection.execute(select(calls.c.kind).where(calls.c.dialogue_id == dialogue_id)).scalars()
    return CallsPlaced(
        count(recent), count(recent, calls.c.party == callee), list(of_dialogue).count(CallPlaced.kind)
    )


def unwanted(connection: Connection, study: str, callee: str) -> bool:
    """Whether somebody at this number has asked never to be called again."""
    asked = (calls.c.study == study) & (calls.c.kind == CallsUnwanted.kind) & (calls.c.party == callee)
    return connection.execute(select(calls.c.position).where(asked).limit(1)).one_or_none() is not None
