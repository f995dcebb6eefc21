"""Recordings: audio files beside the log, each durable before the event that makes it visible.

A file is written under a temporary name, synced, renamed and its folder synced; only then may its event be
appended. A crash in between leaves a file without an event, an orphan, which `check_recordings` names. It is
the other way round when one is removed: first the event, then the file, and `finish_removals` deletes what a
crash has left. So no event stands for a file that was not whole, and no tombstone for one that comes back.

Where the environment holds a key, files are locked with it (`log.locked`); hashes and sizes are those of the
sound. Everybody who reads a recording asks `RecordingFolder.file` where it lies.
"""

import hashlib
import os
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final, NamedTuple

from vivavoce.core.disk import sync_folder
from vivavoce.core.errors import InputError, LogError
from vivavoce.log.encryption import IN_MEMORY, KEY, Altered, Lock, WrongKey, content_of, is_locked, lock_of
from vivavoce.log.models import Recording
from vivavoce.log.recording_events import Content, RecordingRemoved, RecordingStored, Removal, Speaker
from vivavoce.log.store import Log, Transaction

UNFINISHED: Final = ".part"
ENDINGS: Final = {
    "audio/wav": ".wav",
    "audio/flac": ".flac",
    "audio/ogg": ".ogg",
    "audio/webm": ".webm",
    "audio/mpeg": ".mp3",
}


class RecordedSound(NamedTuple):
    """Facts of the sound from a file's header; frames are counted in each channel."""

    media_type: str
    channels: int
    sample_rate_hz: int
    frames: int

    @property
    def duration_s(self) -> float:
        return self.frames / self.sample_rate_hz


class KeptFile(NamedTuple):
    """A file that is on disk for good and waits for its event."""

    file: str
    sha256: str
    byte_count: int

    def event(
        self,
        recording_id: str,
        sound: RecordedSound,
        content: Content,
        speakers: list[Speaker],
        *,
        step: int | None = None,
        position: int | None = None,
        dialogue_id: str | None = None,
        turn_index: int | None = None,
        started_s: float | None = None,
        microphone_distance_m: float | None = None,
        clips: int | None = None,
        clips_placed: int | None = None,
    ) -> RecordingStored:
        """The event that makes it visible.

        Raises  ValueError: there is not one speaker a channel
        """
        if len(speakers) != sound.channels:
            raise ValueError(f"{sound.channels} channels, but {len(speakers)} speakers")
        return RecordingStored(
            recording_id=recording_id,
            **self._asdict(),
            media_type=sound.media_type,
            content=content,
            speakers=speakers,
            sample_rate_hz=sound.sample_rate_hz,
            frames=sound.frames,
            duration_s=sound.duration_s,
            step=step,
            position=position,
            dialogue_id=dialogue_id,
            turn_index=turn_index,
            started_s=started_s,
            microphone_distance_m=microphone_distance_m,
            clips=clips,
            clips_placed=clips_placed,
        )


class RecordingFolder:
    """The folder of a log's recordings; only who runs the trial may read it. It is made when first needed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def keep(self, recording_id: str, audio: bytes, media_type: str) -> KeptFile:
        """Put a whole recording on disk; the same bytes again give the same file.

        Raises  LogError: it could not be written, and nothing of it is there; InputError: a key that is none
        """
        lock = lock_of()
        with self.begin(recording_id, media_type) as unfinished:
            if lock is not None:  # so that nothing of it ever lies open on disk
                return unfinished.keep_locked(audio, lock)
            unfinished.file.write(audio)
            return unfinished.keep()

    def make(self) -> None:
        """Make the folder where it is not there yet."""
        _make_folder(self.path)

    def begin(self, recording_id: str, media_type: str) -> "UnfinishedRecording":
        """A recording that is written while it goes on; used as a context, gone unless it is kept."""
        return UnfinishedRecording(self.path, recording_id, ENDINGS[media_type])

    def file(self, name: str) -> Path:
        """From where this process reads a recording: its file, or the opened one in memory if it is locked.

        Raises  LookupError: it is not there; WrongKey, Altered: it cannot be opened
        """
        path = self.path / name
        if path.parent != self.path or not path.is_file():
            raise LookupError(f"recording {name!r} not found in {self.path}")
        return IN_MEMORY.path(path) if is_locked(path) else path

    def remove(self, name: str) -> None:
        """Delete a file, if it is there, for good; its tombstone must be in the log already."""
        path = self.path / name
        if path.parent == self.path and path.is_file():
            IN_MEMORY.forget(path)
            path.unlink()
            sync_folder(self.path)

    def names(self) -> set[str]:
        """Every file, unfinished ones included."""
        return {path.name for path in self.path.iterdir() if path.is_file()} if self.path.is_dir() else set()


class UnfinishedRecording:
    """A recording under a temporary name; `path` may also be written by a library of sound."""

    def __init__(self, folder: Path, recording_id: str, ending: str) -> None:
        if not recording_id or not all(ch.isalnum() or ch in "-_" for ch in recording_id):
            raise ValueError(f"{recording_id!r} is not a valid file name")
        self._folder, self._name, self._ending = folder, recording_id, ending
        self.path = folder / f"{recording_id}-{secrets.token_hex(4)}{UNFINISHED}"
        self.file: IO[bytes]

    def __enter__(self) -> "UnfinishedRecording":
        try:
            _make_folder(self._folder)
            self.file = os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b")
        except OSError as error:
            raise _not_written(self.path, error) from error
        return self

    def keep(self) -> KeptFile:
        """Make the file durable under its final name, `<recording_id>-<hash>`; locked where there is a key.

        Raises  LogError: it could not be written; InputError: a key that is none
        """
        if (lock := lock_of()) is not None:
            self.file.flush()
            return self.keep_locked(self.path.read_bytes(), lock)
        try:
            self.file.flush()
            os.fsync(self.file.fileno())
            digest = _digest(self.path)
            name = f"{self._name}-{digest[:12]}{self._ending}"
            byte_count = self.path.stat().st_size
            self.path.replace(self._folder / name)
            sync_folder(self._folder)
        except OSError as error:
            raise _not_written(self.path, error) from error
        return KeptFile(name, digest, byte_count)

    def keep_locked(self, audio: bytes, lock: Lock) -> KeptFile:
        """Keep this content locked; no open copy is left on disk."""
        digest = hashlib.sha256(audio).hexdigest()
        name = f"{self._name}-{digest[:12]}{self._ending}"
        try:
            self.file.seek(0)
            self.file.write(lock.close(audio, name))
            self.file.truncate()
            self.file.flush()
            os.fsync(self.file.fileno())
            self.path.replace(self._folder / name)
            sync_folder(self._folder)
        except OSError as error:
            raise _not_written(self.path, error) from error
        return KeptFile(name, digest, len(audio))

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self.file.close()
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


def folder_of(log: Log) -> RecordingFolder:
    """Folder of a log's recordings: `recordings` beside `log.sqlite`, `X-recordings` beside `X.sqlite`.

    Raises  InputError: a log on a server, and nobody said which folder
    """
    if log.recording_folder is None:
        raise InputError(
            "this log has no recording folder",
            place="recordings",
            hint="set it when you open the log: Log.open(url, recording_folder=PATH)",
        )
    return RecordingFolder(log.recording_folder)


@dataclass(frozen=True, slots=True)
class RecordingProblems:
    """Mismatches of the log and the folder; file names, or keys of recordings.

    orphans     whole files that no event knows: a crash came before the event, or somebody put them there
    unfinished  files that were being written
    missing     recordings whose file is gone, though no tombstone says so
    altered     recordings whose file is not the one that was stored
    undeleted   files whose recording was removed
    closed      locked files whose key is not at hand, so that nobody can say whether they are right
    """

    orphans: list[str]
    unfinished: list[str]
    missing: list[str]
    altered: list[str]
    undeleted: list[str]
    closed: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """One line for a person on each problem."""
        problems = {
            "no event refers to this file": self.orphans,
            "this file is incomplete": self.unfinished,
            "the file of this recording is missing": self.missing,
            "the file of this recording was modified": self.altered,
            "this file should have been deleted": self.undeleted,
            f"encrypted, and {KEY} does not hold its key": self.closed,
        }
        return [f"recordings/{name}: {problem}" for problem, names in problems.items() for name in names]


def check_recordings(log: Log, *, content: bool = False) -> RecordingProblems:
    """Compare the log with the folder; content: read every file and compare its hash, too."""
    if log.recording_folder is None:
        return RecordingProblems([], [], [], [], [])
    folder = RecordingFolder(log.recording_folder)
    names = folder.names()  # before the log is read, so that what is being stored meanwhile is no orphan
    recordings = log.recordings()
    by_file = {recording.file: recording for recording in recordings if recording.removed_at is None}
    removed = {
        recording.file for recording in recordings if recording.removed_at is not None
    } - by_file.keys()
    present = folder.names()
    states = {
        name: _state(folder.path / name, by_file[name].sha256)
        for name in sorted(by_file.keys() & present)
        if content
    }
    return RecordingProblems(
        orphans=sorted(name for name in names - by_file.keys() - removed if not name.endswith(UNFINISHED)),
        unfinished=sorted(name for name in names if name.endswith(UNFINISHED)),
        missing=sorted(by_file.keys() - present),
        altered=[name for name, state in states.items() if state == "altered"],
        undeleted=sorted(removed & present),
        closed=[name for name, state in states.items() if state == "closed"],
    )


def _state(path: Path, sha256: str) -> str:
    """`right`, `altered`, or `closed` where its key is not at hand."""
    try:
        digest = hashlib.sha256(content_of(path)).hexdigest() if is_locked(path) else _digest(path)
    except WrongKey:
        return "closed"
    except Altered:
        return "altered"
    return "right" if digest == sha256 else "altered"


def finish_removals(log: Log) -> int:
    """Delete the files whose tombstones are in the log; gives back how many there were."""
    undeleted = check_recordings(log).undeleted
    for name in undeleted:
        folder_of(log).remove(name)
    return len(undeleted)


def erase_recordings(log: Log, recordings: list[Recording], reason: Removal = "erasure") -> int:
    """Leave a tombstone for each recording that is there, then delete its file; how many were erased."""
    present = [recording for recording in recordings if recording.removed_at is None]

    def write(tx: Transaction) -> None:
        for recording in present:
            tx.append(
                recording.visit_id, RecordingRemoved(recording_id=recording.recording_id, reason=reason)
            )

    if present:
        log.transact_now(write)
    for recording_row in present:
        folder_of(log).remove(recording_row.file)
    return len(present)


def _make_folder(path: Path) -> None:
    if not path.is_dir():
        path.mkdir(mode=0o700, exist_ok=True)
        sync_folder(path.parent)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _not_written(path: Path, error: OSError) -> LogError:
    return LogError(f"{path}: cannot write the recording, nothing was saved: {error.strerror}")
