"""Rows of the dataset's tables of steps, from the events of one visit."""

from collections.abc import Iterator
from typing import Final

from vivavoce.log.dialogue_rows import Row
from vivavoce.log.events import (
    ConsentDeclined,
    ConsentGiven,
    DialogueEnded,
    PageRead,
    QuestionnaireAnswered,
)
from vivavoce.log.history import VisitHistory
from vivavoce.log.stimulus_events import StepFinished

_DONE: Final = {
    ConsentGiven: "consent",
    ConsentDeclined: "consent",
    PageRead: "page",
    DialogueEnded: "dialogue",
    QuestionnaireAnswered: "questionnaire",
}


def step_rows(visit: VisitHistory) -> list[Row]:
    """One row for every step that was gone through, in order.

    Note    a step begins when the one before it is over, a dialogue when it is opened; times are those of the
            wall clock, so pauses of the participant are in them
    Empty   a dialogue that did not end, and steps that were not reached, have no row
    """
    rows: list[Row] = []
    before = visit.opened_at
    opened = {
        dialogue.dialogue_id: dialogue.opened.at
        for dialogue in visit.dialogues
        if dialogue.opened is not None
    }
    for stored in visit.events:
        event = stored.event
        kind = event.name if isinstance(event, StepFinished) else _DONE.get(type(event))
        if kind is None:
            continue
        dialogue_id = getattr(event, "dialogue_id", None)
        began = opened.get(dialogue_id or "") if isinstance(event, DialogueEnded) else before
        before = stored.at
        if began is None:
            continue
        rows.append(
            {
                "visit_id": stored.visit_id,
                "participant_id": visit.participant_id,
                "number": len(rows) + 1,
                "kind": kind,
                "name": getattr(event, "instrument", None),
                "dialogue_id": dialogue_id,
                "began_at": began,
                "ended_at": stored.at,
                "duration_s": max(0.0, (stored.at - began).total_seconds()),
            }
        )
    return rows


def vote_rows(visit: VisitHistory) -> Iterator[Row]:
    """One row a vote, in the order of voting."""
    for number, bout in enumerate(visit.bouts, 1):
        for vote in bout.votes:
            yield {
                "participant_id": visit.participant_id,
                "simulated": visit.simulated,
                "visit_id": visit.visit_id,
                "bout_id": vote.event.bout_id,
                "bout_number": number,
                "language": visit.opened.language if visit.opened else None,
                "answered_at": vote.at,
                "leaks": " ".join(vote.event.leaks),
                **bout.event.model_dump(
                    include={
                        "left_system",
                        "right_system",
                        "left_dialogue_id",
                        "right_dialogue_id",
                    }
                ),
                **vote.event.model_dump(
                    include={
                        "exchange",
                        "choice",
                        "left_turn_index",
                        "right_turn_index",
                        "response_s",
                    }
                ),
            }
