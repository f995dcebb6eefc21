"""Deletion of recordings that are due: tombstones with their hashes stay in the log.

One that was killed is finished by the next one, or when the service starts: first the tombstones are in
the log, all at once, then the files go.
"""

from datetime import timedelta
from typing import NamedTuple

from vivavoce.log.dialogue_rows import logged_dialogue
from vivavoce.log.models import Recording
from vivavoce.log.recordings import erase_recordings, finish_removals
from vivavoce.log.stimulus_rows import references
from vivavoce.log.store import Log


class Keeping(NamedTuple):
    """Retention period of sound: days after it was stored, or until it is transcribed; the earlier one."""

    days: float | None = None
    until_transcribed: bool = False


def due(log: Log, study: str, keeping: Keeping) -> list[Recording]:
    """Recordings that may be deleted now, in the order in which they were stored.

    Note    a recording of a whole dialogue, and one of what the system said, is transcribed when all turns of
            the user in it are
    Empty   nothing says that sound may be deleted: []
    """
    recordings = [recording for recording in log.recordings(study) if recording.removed_at is None]
    oldest = None if keeping.days is None else log.clock.now() - timedelta(days=keeping.days)
    transcribed = _transcribed(log) if keeping.until_transcribed else set[tuple[str, int]]()
    return [
        recording
        for recording in recordings
        if (oldest is not None and recording.stored_at <= oldest)
        or (keeping.until_transcribed and _is_transcribed(log, recording, transcribed))
    ]


def expire(log: Log, study: str, keeping: Keeping) -> list[Recording]:
    """Delete what is due, and what an interrupted deletion has left; the recordings that were deleted now."""
    finish_removals(log)
    recordings = due(log, study, keeping)
    erase_recordings(log, recordings, "retention")
    return recordings


def _transcribed(log: Log) -> set[tuple[str, int]]:
    with log.reading() as connection:
        return set(references(connection))


def _is_transcribed(log: Log, recording: Recording, transcribed: set[tuple[str, int]]) -> bool:
    if recording.dialogue_id is None or recording.content not in ("turn", "dialogue"):
        return False
    if recording.content == "turn" and recording.speakers == ["user"]:
        return (
            recording.turn_index is not None and (recording.dialogue_id, recording.turn_index) in transcribed
        )
    rows = logged_dialogue(log, recording.dialogue_id)
    spoken = [turn["turn_index"] for turn in rows.turns if turn["party"] == "user"] if rows else []
    return bool(spoken) and all((recording.dialogue_id, index) in transcribed for index in spoken)
