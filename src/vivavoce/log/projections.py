"""Projections: what each event changes in the current state, written in the event's own transaction."""

from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import Executable, delete, insert, select, update

from vivavoce.log.events import (
    CodeEntered,
    CodeIssued,
    DialogueAssigned,
    DialogueEnded,
    DialogueOpened,
    Event,
    LanguageChosen,
    UserTurnSent,
    VisitEnded,
    VisitOpened,
)
from vivavoce.log.records import DialogueStatus, StoredEvent
from vivavoce.log.tables import codes, dialogues, visits

STATUS_AFTER: Final[dict[str, DialogueStatus]] = {
    "user": "completed", "system": "completed", "limit": "completed",
    "failure": "failed", "abandoned": "abandoned",
}  # fmt: skip

_OF_VISIT: Final = {"study", "revision", "participant_id", "pool", "language", "simulated"}
_OF_DIALOGUE: Final = {"dialogue_id", "system", "condition", "task_id", "channel", "language"}


def writes(stored: StoredEvent) -> list[Executable]:
    """The statements that carry one event over into the projections, in order."""
    rule = _RULES.get(type(stored.event))
    changed = rule(stored, stored.event) if rule else []
    if isinstance(stored.event, VisitOpened):
        return changed
    seen = _visit(stored).values(last_at=stored.at, last_seq=stored.seq)
    return [*changed, seen]


def _visit(stored: StoredEvent) -> Any:
    return update(visits).where(visits.c.visit_id == stored.visit_id)


def _dialogue(dialogue_id: str) -> Any:
    return update(dialogues).where(dialogues.c.dialogue_id == dialogue_id)


def _of_visit(stored: StoredEvent, column: str) -> Any:
    return select(visits.c[column]).where(visits.c.visit_id == stored.visit_id).scalar_subquery()


def _visit_opened(stored: StoredEvent, event: VisitOpened) -> list[Executable]:
    return [
        insert(visits).values(
            visit_id=stored.visit_id,
            **event.model_dump(
                include={"study", "revision", "participant_id", "pool", "language", "simulated"}
            ),
            status="running",
            opened_at=stored.at,
            last_at=stored.at,
            last_seq=stored.seq,
            position=stored.position,
        )
    ]


def _language_chosen(stored: StoredEvent, event: LanguageChosen) -> list[Executable]:
    return [_visit(stored).values(language=event.language)]


def _dialogue_assigned(stored: StoredEvent, event: DialogueAssigned) -> list[Executable]:
    return [
        insert(dialogues).values(
            **event.model_dump(
                include={"dialogue_id", "system", "condition", "task_id", "channel", "language"}
            ),
            visit_id=stored.visit_id,
            study=_of_visit(stored, "study"),
            participant_id=_of_visit(stored, "participant_id"),
            simulated=_of_visit(stored, "simulated"),
            status="running",
            user_turns=0,
            assigned_at=stored.at,
            code_issued=False,
            position=stored.position,
        )
    ]


def _dialogue_opened(stored: StoredEvent, event: DialogueOpened) -> list[Executable]:
    return [_dialogue(event.dialogue_id).values(started_at=stored.at)]


def _user_turn_sent(stored: StoredEvent, event: UserTurnSent) -> list[Executable]:
    return [_dialogue(event.dialogue_id).values(user_turns=dialogues.c.user_turns + 1)]


def _dialogue_ended(stored: StoredEvent, event: DialogueEnded) -> list[Executable]:
    return [
        _dialogue(event.dialogue_id).values(
            status=STATUS_AFTER[event.reason], end_reason=event.reason, ended_at=stored.at
        )
    ]


def _code_issued(stored: StoredEvent, event: CodeIssued) -> list[Executable]:
    reservation = delete(codes).where(codes.c.code == event.code, codes.c.dialogue_id == event.dialogue_id)
    issued = insert(codes).values(
        code=event.code, dialogue_id=event.dialogue_id, visit_id=stored.visit_id, issued_at=stored.at
    )
    return [reservation, issued, _dialogue(event.dialogue_id).values(code_issued=True)]


def _code_entered(stored: StoredEvent, event: CodeEntered) -> list[Executable]:
    if not event.accepted:
        return []
    return [update(codes).where(codes.c.code == event.entered).values(used_at=stored.at)]


def _visit_ended(stored: StoredEvent, event: VisitEnded) -> list[Executable]:
    left_open = update(dialogues).where(
        dialogues.c.visit_id == stored.visit_id, dialogues.c.status == "running"
    )
    return [
        _visit(stored).values(status="ended", outcome=event.outcome),
        left_open.values(status="abandoned", end_reason="abandoned"),
    ]


_RULES: Final[dict[type[Event], Callable[[StoredEvent, Any], list[Executable]]]] = {
    VisitOpened: _visit_opened,
    LanguageChosen: _language_chosen,
    DialogueAssigned: _dialogue_assigned,
    DialogueOpened: _dialogue_opened,
    UserTurnSent: _user_turn_sent,
    DialogueEnded: _dialogue_ended,
    CodeIssued: _code_issued,
    CodeEntered: _code_entered,
    VisitEnded: _visit_ended,
}
