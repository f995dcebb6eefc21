"""Recordings in the dataset: rows of the table `recordings`, and the audio files beside the tables."""

import hashlib
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, select

from vivavoce.core.statement import LocalizedText, statement
from vivavoce.dataset.schema_steps import RECORDINGS
from vivavoce.log.dialogue_rows import Row
from vivavoce.log.encryption import Altered, content_of
from vivavoce.log.models import Recording
from vivavoce.log.queries import Reader
from vivavoce.log.tables import recordings

SAME: Final = (
    "recording_id",
    "participant_id",
    "visit_id",
    "content",
    "step",
    "item",
    "dialogue_id",
    "turn_index",
    "started_s",
    "media_type",
    "sample_rate_hz",
    "frames",
    "duration_s",
    "byte_count",
    "sha256",
    "microphone_distance_m",
    "clips",
    "clips_placed",
    "removed_at",
    "removal",
    "simulated",
)


def recordings_of(connection: Connection, study: str) -> list[Recording]:
    """A study's recordings in the order in which they were stored, removed ones included."""
    query = select(recordings).where(recordings.c.study == study).order_by(recordings.c.position)
    return [Recording(*row) for row in connection.execute(query)]


def recording_rows(recorded: Iterable[Recording]) -> Iterator[Row]:
    """One row a recording; the name of its file stands there whether it is copied or not."""
    for recording in recorded:
        yield {
            **{name: getattr(recording, name) for name in SAME},
            "recorded_at": recording.stored_at,
            "channels": len(recording.speakers),
            "speakers": " ".join(recording.speakers),
            "file": dataset_file(recording),
        }


def dataset_file(recording: Recording) -> str | None:
    """A recording's file relative to the dataset; None for one that was removed."""
    return f"{RECORDINGS.name}/{recording.file}" if recording.removed_at is None else None


def copy_recordings(log: Reader, recorded: Iterable[Recording], into: Path) -> list[LocalizedText]:
    """Copy the audio files into a dataset in place of those of an older one; notes on what is missing there.

    A file whose hash is not the stored one is not copied; locked ones lie open in the dataset.

    Raises  WrongKey: they are locked, and their key is not at hand
    """
    folder, notes = into / RECORDINGS.name, list[LocalizedText]()
    source: Path | None = getattr(log, "recording_folder", None)
    shutil.rmtree(folder, ignore_errors=True)
    for recording in recorded:
        if recording.removed_at is not None:
            continue
        folder.mkdir(exist_ok=True)
        if source is None or not (source / recording.file).is_file():
            notes.append(statement("the file of recording {id} is missing", id=recording.recording_id))
            continue
        if not _copied(source / recording.file, folder / recording.file, recording.sha256):
            notes.append(
                statement(
                    "the file of recording {id} was modified and is left out", id=recording.recording_id
                )
            )
    return notes


def _copied(path: Path, into: Path, sha256: str) -> bool:
    try:
        content = content_of(path)
    except Altered:
        return False
    if hashlib.sha256(content).hexdigest() != sha256:
        return False
    into.write_bytes(content)
    return True
