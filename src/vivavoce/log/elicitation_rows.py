"""Rows of the dataset's table `commands`, from the events of one visit."""

from collections.abc import Iterable

from vivavoce.log.dialogue_rows import Row
from vivavoce.log.elicitation_events import CommandGiven
from vivavoce.log.events import VisitOpened
from vivavoce.log.models import StoredEvent
from vivavoce.log.recording_events import RecordingRemoved, RecordingStored
from vivavoce.log.recording_rows import FOLDER


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
