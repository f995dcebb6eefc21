"""Deletion of recordings that are due: tombstones with their hashes stay in the log.

One that was killed is finished by the next one, or when the service starts: first the tombstones are in
the log, all at once, then the files go.
"""

from datetime import timedelta
from typing import NamedTuple

from vivavoce.log.dialogue_rows import logged_dialogue
from vivavoce.log.models import Recording
from vivavoce.log.recordings import erase_recordings, finish_removals
from vivavoce.log.store import Log
from vivavoce.log.transcriptions import references


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


def _is_transcribed(log: Log, one: Recording, said: set[tuple[str, int]]) -> bool:
    if one.dialogue_id is None or one.content not in ("turn", "dialogue"):
        return False
    if one.content == "turn" and one.speakers == ["user"]:
        return one.turn_index is not None and (one.dialogue_id, one.turn_index) in said
    rows = logged_dialogue(log, one.dialogue_id)
    spoken = [turn["turn_index"] for turn in rows.turns if turn["party"] == "user"] if rows else []
    return bool(spoken) and all((one.dialogue_id, index) in said for index in spoken)
