"""What was done beside dialogues, from the events of one visit: rows of the dataset's tables of steps."""

from collections.abc import Iterable, Iterator
from typing import Final

from vivavoce.log.dialogue_rows import Row
from vivavoce.log.elicitation_events import CommandGiven, CommandsFinished
from vivavoce.log.events import (
    ConsentDeclined,
    ConsentGiven,
    DialogueEnded,
    PageRead,
    QuestionnaireAnswered,
    VisitOpened,
)
from vivavoce.log.history import VisitHistory
from vivavoce.log.models import StoredEvent
from vivavoce.log.recording_events import RecordingRemoved, RecordingStored
from vivavoce.log.recording_rows import FOLDER
from vivavoce.log.stimulus_events import StepFinished

_DONE: Final = {
    ConsentGiven: "consent", ConsentDeclined: "consent", PageRead: "page", DialogueEnded: "dialogue",
    QuestionnaireAnswered: "questionnaire", CommandsFinished: "elicit",
}  # fmt: skip


def step_rows(visit: VisitHistory) -> list[Row]:
    """One row for every step that was gone through, in order.

    Note    a step begins when the one before it is over, a dialogue when it is opened; times are those of the
            wall clock, so pauses of the participant are in them
    Empty   a dialogue that did not end, and steps that were not reached, have no row
    """
    rows: list[Row] = []
    before = visit.opened_at
    opened = {one.dialogue_id: one.opened.at for one in visit.dialogues if one.opened is not None}
    for stored in visit.events:
        event = stored.event
        kind = event.name if isinstance(event, StepFinished) else _DONE.get(type(event))
        if kind is None:
            continue
        dialogue_id = getattr(event, "dialogue_id", None)
        began = opened.get(dialogue_id or "") if kind == "dialogue" else before
        before = stored.at
        if began is None:
            continue
        rows.append({
            "visit_id": stored.visit_id, "participant_id": visit.participant_id, "number": len(rows) + 1,
            "kind": kind, "name": getattr(event, "instrument", None), "dialogue_id": dialogue_id,
            "began_at": began, "ended_at": stored.at,
            "duration_s": max(0.0, (stored.at - began).total_seconds()),
        })  # fmt: skip
    return rows


def vote_rows(visit: VisitHistory) -> Iterator[Row]:
    """One row a vote, in the order of voting."""
    for number, bout in enumerate(visit.bouts, 1):
        for vote in bout.votes:
            yield {
                "participant_id": visit.participant_id, "simulated": visit.simulated,
                "visit_id": visit.visit_id, "bout_id": vote.event.bout_id, "bout_number": number,
                "language": visit.opened.language if visit.opened else None, "answered_at": vote.at,
                "leaks": " ".join(vote.event.leaks),
                **bout.event.model_dump(include={
                    "left_system", "right_system", "left_dialogue_id", "right_dialogue_id",
                }),
                **vote.event.model_dump(include={
                    "exchange", "choice", "left_turn_index", "right_turn_index", "response_s",
                }),
            }  # fmt: skip


def command_rows(visit: Iterable[StoredEvent]) -> list[Row]:
    """One row a stimulus that got a command, the last one where it was given anew.

    Note  a spoken command has no text until it is transcribed; one whose recording was removed keeps its
          row and its duration, without the file
    """
    opened: VisitOpened | None = None
    heard: dict[str, RecordingStored] = {}
    removed: set[str] = set()
    given: dict[tuple[int, int], tuple[StoredEvent, CommandGiven]] = {}
    for stored in visit:
        match stored.event:
            case VisitOpened() as event:
                opened = event
            case RecordingStored() as event:
                heard[event.recording_id] = event
            case RecordingRemoved() as event:
                removed.add(event.recording_id)
            case CommandGiven() as event:
                given[event.step, event.position] = stored, event
            case _:
                pass
    if opened is None:
        return []
    return [_row(opened, *given[place], heard, removed) for place in sorted(given)]


def _row(
    opened: VisitOpened, stored: StoredEvent, event: CommandGiven, heard: dict[str, RecordingStored],
    removed: set[str],
) -> Row:  # fmt: skip
    recording = heard.get(event.recording_id or "")
    there = recording is not None and recording.recording_id not in removed
    return {
        "command_id": f"{stored.visit_id}-{event.step}-{event.position}",
        "participant_id": opened.participant_id, "recipe": event.stimulus.recipe,
        "utterance": event.position + 1, "frame": event.stimulus.stimulus_id, "language": event.language,
        "text": event.text, "recording": f"{FOLDER}/{recording.file}" if recording and there else None,
        "duration_s": recording.duration_s if recording else None,
        "microphone_distance_m": recording.microphone_distance_m if recording else None,
        "given_at": stored.at, "simulated": opened.simulated,
    }  # fmt: skip
