"""What was done beside dialogues, from the events of one visit: rows of the dataset's tables of steps."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final

from vivavoce.log.arena_events import BoutAssigned, VoteCast
from vivavoce.log.dialogue_rows import Row
from vivavoce.log.events import (
    ConsentDeclined,
    ConsentGiven,
    DialogueEnded,
    DialogueOpened,
    PageRead,
    QuestionnaireAnswered,
    VisitOpened,
)
from vivavoce.log.models import StoredEvent
from vivavoce.log.stimulus_events import StepFinished

_DONE: Final = {
    ConsentGiven: "consent", ConsentDeclined: "consent", PageRead: "page", DialogueEnded: "dialogue",
    QuestionnaireAnswered: "questionnaire",
}  # fmt: skip


def step_rows(visit: Sequence[StoredEvent]) -> list[Row]:
    """One row for every step that was gone through, in order.

    Note    a step begins when the one before it is over, a dialogue when it is opened; times are those of the
            wall clock, so pauses of the participant are in them
    Empty   a dialogue that did not end, and steps that were not reached, have no row
    """
    rows: list[Row] = []
    before: datetime | None = None
    participant: str | None = None
    opened: dict[str, datetime] = {}
    for stored in visit:
        event = stored.event
        if isinstance(event, VisitOpened):
            before, participant = stored.at, event.participant_id
        elif isinstance(event, DialogueOpened):
            opened[event.dialogue_id] = stored.at
        kind = event.name if isinstance(event, StepFinished) else _DONE.get(type(event))
        if kind is None:
            continue
        dialogue_id = getattr(event, "dialogue_id", None)
        began = opened.get(dialogue_id or "") if kind == "dialogue" else before
        before = stored.at
        if began is None:
            continue
        rows.append({
            "visit_id": stored.visit_id, "participant_id": participant, "number": len(rows) + 1, "kind": kind,
            "name": getattr(event, "instrument", None), "dialogue_id": dialogue_id, "began_at": began,
            "ended_at": stored.at, "duration_s": max(0.0, (stored.at - began).total_seconds()),
        })  # fmt: skip
    return rows


def vote_rows(visit: Iterable[StoredEvent]) -> Iterator[Row]:
    """One row a vote, in the order of voting."""
    opened: VisitOpened | None = None
    bouts: dict[str, tuple[int, BoutAssigned]] = {}
    for stored in visit:
        event = stored.event
        if isinstance(event, VisitOpened):
            opened = event
        elif isinstance(event, BoutAssigned):
            bouts[event.bout_id] = (len(bouts) + 1, event)
        elif isinstance(event, VoteCast) and opened is not None:
            number, bout = bouts[event.bout_id]
            yield {
                "participant_id": opened.participant_id, "simulated": opened.simulated,
                "visit_id": stored.visit_id, "bout_id": event.bout_id, "bout_number": number,
                "language": opened.language, "answered_at": stored.at, "leaks": " ".join(event.leaks),
                **bout.model_dump(include={
                    "left_system", "right_system", "left_dialogue_id", "right_dialogue_id",
                }),
                **event.model_dump(include={
                    "exchange", "choice", "left_turn_index", "right_turn_index", "response_s",
                }),
            }  # fmt: skip
