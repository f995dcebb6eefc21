"""How long each step of a visit took, from its events: rows of the dataset's table `steps`."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from vivavoce.log.elicitation_events import CommandsFinished
from vivavoce.log.events import (
    ComparisonsFinished,
    ConsentDeclined,
    ConsentGiven,
    DialogueEnded,
    DialogueOpened,
    PageRead,
    QuestionnaireAnswered,
    VisitOpened,
)
from vivavoce.log.listening_events import ListeningFinished
from vivavoce.log.models import StoredEvent
from vivavoce.log.rating_events import TranscriptsFinished
from vivavoce.log.transcription_events import TranscriptionsFinished

Row = dict[str, Any]
_DONE: Final = {
    ConsentGiven: "consent", ConsentDeclined: "consent", PageRead: "page", DialogueEnded: "dialogue",
    QuestionnaireAnswered: "questionnaire", CommandsFinished: "elicit", ListeningFinished: "listen",
    ComparisonsFinished: "compare", TranscriptsFinished: "rate", TranscriptionsFinished: "transcribe",
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
        kind = _DONE.get(type(event))
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
