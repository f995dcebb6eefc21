"""Projections: what each event changes in the current state, written in the event's own transaction.

The statements are built once and an event supplies the parameters: building costs more than running.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import Executable, bindparam, delete, insert, select, update

from vivavoce.log.arena_events import BoutAssigned
from vivavoce.log.call_events import (
    PIN_MARK,
    CallAwaited,
    CallConnected,
    CallPlaced,
    CallRouted,
    CallsUnwanted,
)
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
from vivavoce.log.history import AT_ONCE_S
from vivavoce.log.models import DialogueStatus, StoredEvent
from vivavoce.log.recording_events import RecordingRemoved, RecordingStored
from vivavoce.log.tables import bouts, calls, codes, dialogues, recordings, visits

Write = tuple[Executable, dict[str, Any]]

STATUS_AFTER: Final[dict[str, DialogueStatus]] = {
    "user": "completed",
    "system": "completed",
    "limit": "completed",
    "failure": "failed",
    "abandoned": "abandoned",
}

_OF_VISIT: Final = {"study", "revision", "participant_id", "pool", "language", "simulated"}
_OF_DIALOGUE: Final = {"dialogue_id", "system", "condition", "task_id", "channel", "language"}

# Parameters with the name of a column set that column; `this_...` says which row is meant.
_THIS_VISIT: Final = visits.c.visit_id == bindparam("this_visit")


def _of_visit(*columns: str) -> dict[str, Any]:
    """Values that a row takes from its visit."""
    return {name: select(visits.c[name]).where(_THIS_VISIT).scalar_subquery() for name in columns}


_UPDATE_VISIT: Final = update(visits).where(_THIS_VISIT)
_UPDATE_DIALOGUE: Final = update(dialogues).where(dialogues.c.dialogue_id == bindparam("this_dialogue"))
_COUNT_USER_TURN: Final = _UPDATE_DIALOGUE.values(user_turns=dialogues.c.user_turns + 1)
_INSERT_VISIT: Final = insert(visits)
_INSERT_DIALOGUE: Final = insert(dialogues).values(_of_visit("study", "participant_id", "simulated"))
_ABANDON_DIALOGUES: Final = (
    update(dialogues)
    .where(dialogues.c.visit_id == bindparam("this_visit"), dialogues.c.status == "running")
    .values(status="abandoned", end_reason="abandoned")
)
_CUT_OFF_DIALOGUES: Final = (  # as `VisitHistory.end_reason` tells them, in logs of before
    update(dialogues)
    .where(
        dialogues.c.visit_id == bindparam("this_visit"),
        dialogues.c.end_reason == "user",
        dialogues.c.code_issued.is_(False),
        dialogues.c.ended_at > bindparam("at_once"),
    )
    .values(status="abandoned", end_reason="abandoned")
)
_INSERT_CODE: Final = insert(codes)
_UPDATE_CODE: Final = update(codes).where(codes.c.code == bindparam("this_code"))
_DELETE_RESERVATION: Final = delete(codes).where(
    codes.c.code == bindparam("this_code"), codes.c.dialogue_id == bindparam("this_dialogue")
)

_INSERT_RECORDING: Final = insert(recordings).values(_of_visit("study", "participant_id", "simulated"))
_INSERT_CALL: Final = insert(calls)
_INSERT_CALL_OF_VISIT: Final = insert(calls).values(_of_visit("study"))
_INSERT_BOUT: Final = insert(bouts).values(_of_visit("study", "participant_id"))
_UPDATE_RECORDING: Final = update(recordings).where(
    recordings.c.recording_id == bindparam("this_recording"), recordings.c.removed_at.is_(None)
)


def writes(stored: StoredEvent) -> list[Write]:
    """The statements, with their parameters, that carry one event over into the projections, in order."""
    rule = _RULES.get(type(stored.event))
    changed = rule(stored, stored.event) if rule else []
    if isinstance(stored.event, VisitOpened):
        return changed
    return [*changed, _visit(stored, last_at=stored.at, last_seq=stored.seq)]


def _visit(stored: StoredEvent, **changes: Any) -> Write:
    return _UPDATE_VISIT, {"this_visit": stored.visit_id, **changes}


def _dialogue(dialogue_id: str, **changes: Any) -> Write:
    return _UPDATE_DIALOGUE, {"this_dialogue": dialogue_id, **changes}


def _visit_opened(stored: StoredEvent, event: VisitOpened) -> list[Write]:
    row = {
        "visit_id": stored.visit_id,
        "status": "running",
        "opened_at": stored.at,
        "last_at": stored.at,
        "last_seq": stored.seq,
        "position": stored.position,
    }
    return [(_INSERT_VISIT, row | event.model_dump(include=_OF_VISIT))]


def _language_chosen(stored: StoredEvent, event: LanguageChosen) -> list[Write]:
    return [_visit(stored, language=event.language)]


def _dialogue_assigned(stored: StoredEvent, event: DialogueAssigned) -> list[Write]:
    row = {
        "visit_id": stored.visit_id,
        "this_visit": stored.visit_id,
        "status": "running",
        "user_turns": 0,
        "assigned_at": stored.at,
        "code_issued": False,
        "position": stored.position,
    }
    return [(_INSERT_DIALOGUE, row | event.model_dump(include=_OF_DIALOGUE))]


def _dialogue_opened(stored: StoredEvent, event: DialogueOpened) -> list[Write]:
    return [_dialogue(event.dialogue_id, started_at=stored.at)]


def _user_turn_sent(stored: StoredEvent, event: UserTurnSent) -> list[Write]:
    return [(_COUNT_USER_TURN, {"this_dialogue": event.dialogue_id})]


def _dialogue_ended(stored: StoredEvent, event: DialogueEnded) -> list[Write]:
    status = STATUS_AFTER[event.reason]
    return [_dialogue(event.dialogue_id, status=status, end_reason=event.reason, ended_at=stored.at)]


def _code_issued(stored: StoredEvent, event: CodeIssued) -> list[Write]:
    row = {"dialogue_id": event.dialogue_id, "visit_id": stored.visit_id, "issued_at": stored.at}
    return [
        (_DELETE_RESERVATION, {"this_code": event.code, "this_dialogue": event.dialogue_id}),
        (_INSERT_CODE, {"code": event.code, **row}),
        _dialogue(event.dialogue_id, code_issued=True),
    ]


def _call_awaited(stored: StoredEvent, event: CallAwaited) -> list[Write]:
    code = PIN_MARK + event.pin
    row = {"dialogue_id": event.dialogue_id, "visit_id": stored.visit_id, "issued_at": stored.at}
    return [
        (_DELETE_RESERVATION, {"this_code": code, "this_dialogue": event.dialogue_id}),
        (_INSERT_CODE, {"code": code, **row}),
    ]


def _call_routed(stored: StoredEvent, event: CallRouted) -> list[Write]:
    return [_dialogue(event.dialogue_id, system=event.system, condition=event.condition)]


def _call_placed(stored: StoredEvent, event: CallPlaced) -> list[Write]:
    return [(_INSERT_CALL, _call(stored, event.dialogue_id, event.callee) | {"study": event.study})]


def _calls_unwanted(stored: StoredEvent, event: CallsUnwanted) -> list[Write]:
    return [(_INSERT_CALL, _call(stored, None, event.callee) | {"study": event.study})]


def _call_connected(stored: StoredEvent, event: CallConnected) -> list[Write]:
    whose = {"this_visit": stored.visit_id}
    return [(_INSERT_CALL_OF_VISIT, _call(stored, event.dialogue_id, event.caller) | whose)]


def _call(stored: StoredEvent, dialogue_id: str | None, party: str | None) -> dict[str, Any]:
    facts = {"position": stored.position, "kind": stored.event.kind, "at": stored.at}
    return {**facts, "dialogue_id": dialogue_id, "party": party}


def _bout_assigned(stored: StoredEvent, event: BoutAssigned) -> list[Write]:
    sides = event.model_dump(include={"left_system", "right_system"})
    return [(_INSERT_BOUT, {"position": stored.position, "this_visit": stored.visit_id, **sides})]


def _code_entered(stored: StoredEvent, event: CodeEntered) -> list[Write]:
    return [(_UPDATE_CODE, {"this_code": event.entered, "used_at": stored.at})] if event.accepted else []


def _visit_ended(stored: StoredEvent, event: VisitEnded) -> list[Write]:
    this = {"this_visit": stored.visit_id}
    changed = [_visit(stored, status="ended", outcome=event.outcome), (_ABANDON_DIALOGUES, this)]
    if event.outcome == "withdrew":
        at_once = stored.at - timedelta(seconds=AT_ONCE_S)
        changed.append((_CUT_OFF_DIALOGUES, {**this, "at_once": at_once}))
    return changed


def _recording_stored(stored: StoredEvent, event: RecordingStored) -> list[Write]:
    row = event.model_dump(exclude={"position"}) | {"item": event.position, "position": stored.position}
    where = {"visit_id": stored.visit_id, "this_visit": stored.visit_id, "stored_at": stored.at}
    return [(_INSERT_RECORDING, row | where)]


def _recording_removed(stored: StoredEvent, event: RecordingRemoved) -> list[Write]:
    tombstone = {"this_recording": event.recording_id, "removed_at": stored.at, "removal": event.reason}
    return [(_UPDATE_RECORDING, tombstone)]


_RULES: Final[dict[type[Event], Callable[[StoredEvent, Any], list[Write]]]] = {
    VisitOpened: _visit_opened,
    LanguageChosen: _language_chosen,
    DialogueAssigned: _dialogue_assigned,
    DialogueOpened: _dialogue_opened,
    UserTurnSent: _user_turn_sent,
    DialogueEnded: _dialogue_ended,
    CodeIssued: _code_issued,
    CodeEntered: _code_entered,
    CallAwaited: _call_awaited,
    CallRouted: _call_routed,
    CallPlaced: _call_placed,
    CallsUnwanted: _calls_unwanted,
    CallConnected: _call_connected,
    BoutAssigned: _bout_assigned,
    VisitEnded: _visit_ended,
    RecordingStored: _recording_stored,
    RecordingRemoved: _recording_removed,
}
