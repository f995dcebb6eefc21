"""Recordings of dialogues that are written while they go on, so that a crash costs their last seconds only.

A tape lies among the recordings under the name of an unfinished file: a line that says what it belongs to,
then the samples as they come. When its dialogue is over, or the next process finds it, a recording is made.
"""

import json
import os
import struct
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from vivavoce.audio.sound import Samples
from vivavoce.core.errors import LogError
from vivavoce.core.extras import later
from vivavoce.log.encryption import Lock, WrongKey, lock_of
from vivavoce.log.recordings import UNFINISHED, KeptFile, RecordedSound, RecordingFolder
from vivavoce.log.store import Log

if TYPE_CHECKING:
    import numpy as np
    import soundfile
else:
    np = later("numpy", "speech")
    soundfile = later("soundfile")

TAPE: Final = f".tape{UNFINISHED}"
CHANNELS: Final = 2
_FRAME_BYTES: Final = 2 * CHANNELS
_BLOCK: Final = 65_536
_LENGTH: Final = struct.Struct("<I")


class TapeFacts(NamedTuple):
    """Identity of a tape; `started_s` after the opening of the dialogue.

    locked  its samples lie in pieces that are locked one by one, each with its length before it
    """

    recording_id: str
    visit_id: str
    dialogue_id: str
    rate_hz: int
    started_s: float
    locked: bool = False


class SpooledRecording:
    """A recording that goes on, the system on channel 0 and the user on channel 1.

    `add` only keeps what it is given; `flush` puts it on disk and may run in a thread of its own. The file is
    made with the first samples.
    """

    def __init__(self, folder: RecordingFolder, facts: TapeFacts) -> None:
        self.facts, self.path = facts, folder.path / f"{facts.recording_id}{TAPE}"
        self.frames = 0
        self._folder = folder
        self._waiting: list[Samples] = []
        self._file: int | None = None
        self._written = self._pieces = 0
        self._lock: Lock | None = None
        self._flushing = threading.Lock()

    def add(self, system: Samples, user: Samples) -> None:
        """The next frames of both channels, of one length."""
        self._waiting.append(np.stack([system, user], axis=1))
        self.frames += len(system)

    def flush(self) -> None:
        """Write added sound to disk before returning; failed writes are tried again next time.

        Raises  LogError: the file cannot be made or written
                InputError: a key for recordings that is none
        """
        with self._flushing:
            self._flush()

    def _flush(self) -> None:
        count = len(self._waiting)
        if not count:
            return
        try:
            if self._file is None:
                self._folder.make()
                self._lock = lock_of()
                self.facts = self.facts._replace(locked=self._lock is not None)
                self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            if not self._written:
                self._write(json.dumps(self.facts._asdict()).encode() + b"\n")
            self._write(self._piece(np.concatenate(self._waiting[:count]).astype("<i2").tobytes()))
        except OSError as error:
            raise _not_written(self.path, error) from error
        self._pieces += 1
        del self._waiting[:count]

    def _piece(self, samples: bytes) -> bytes:
        if self._lock is None:
            return samples
        locked = self._lock.close(samples, _piece_name(self.facts, self._pieces))
        return _LENGTH.pack(len(locked)) + locked

    def close(self) -> None:
        """Put the rest on disk; the file stays. Raises LogError: it cannot be written."""
        try:
            self.flush()
        finally:
            if self._file is not None:
                with suppress(OSError):
                    os.close(self._file)

    def _write(self, content: bytes) -> None:
        """All of it or nothing: half a frame would exchange the channels of what follows."""
        remaining, file = memoryview(content), self._file
        assert file is not None
        try:
            while remaining:
                remaining = remaining[os.write(file, remaining) :]
            os.fsync(file)
        except OSError:
            with suppress(OSError):
                os.ftruncate(file, self._written)
                os.lseek(file, self._written, os.SEEK_SET)
            raise
        self._written += len(content)


def tapes_in(folder: RecordingFolder) -> list[Path]:
    """Tapes that no recording was made of yet, those that still go on included."""
    return sorted(folder.path / name for name in folder.names() if name.endswith(TAPE))


def tapes_of(log: Log, study: str) -> dict[str, list[Path]]:
    """Each participant's tapes that no recording was made of yet; participants without one are left out."""
    if log.recording_folder is None:
        return {}
    people = {visit.visit_id: visit.participant_id for visit in log.visits(study)}
    tapes: dict[str, list[Path]] = defaultdict(list)
    for path in tapes_in(RecordingFolder(log.recording_folder)):
        facts = facts_of(path)
        if facts is not None and facts.visit_id in people:
            tapes[people[facts.visit_id]].append(path)
    return dict(tapes)


def facts_of(tape: Path) -> TapeFacts | None:
    """Identity of a tape; None where the crash came before it was written."""
    with tape.open("rb") as file:
        head = file.readline()
    try:
        facts: dict[str, Any] = json.loads(head)
        return TapeFacts(**facts)
    except (ValueError, TypeError):
        return None


def sealed(folder: RecordingFolder, tape: Path, facts: TapeFacts) -> tuple[KeptFile, RecordedSound] | None:
    """The recording of a tape that nobody writes any more; the same tape gives the same file. The tape stays.

    Empty   no sound: None
    Raises  LogError: the recording could not be written
            InputError: the tape is locked, and its key is not at hand
    """
    encoded, frames = BytesIO(), 0
    with soundfile.SoundFile(
        encoded, "w", samplerate=facts.rate_hz, channels=CHANNELS, subtype="PCM_16", format="FLAC"
    ) as flac:
        for block in _locked_blocks(tape, facts) if facts.locked else _blocks(tape):
            flac.write(block)
            frames += len(block)
    if not frames:
        return None
    path = folder.keep(facts.recording_id, encoded.getvalue(), "audio/flac")
    return path, RecordedSound("audio/flac", CHANNELS, facts.rate_hz, frames)


def _blocks(tape: Path) -> Iterator[Samples]:
    """The samples, shape (frames, channels); half a frame at the end, which a crash left, is dropped."""
    with tape.open("rb") as file:
        file.readline()
        while content := file.read(_BLOCK * _FRAME_BYTES):
            frames = content[: len(content) // _FRAME_BYTES * _FRAME_BYTES]
            yield np.frombuffer(frames, "<i2").astype(np.int16).reshape(-1, CHANNELS)


def _locked_blocks(tape: Path, facts: TapeFacts) -> Iterator[Samples]:
    """Blocks of a locked tape; a piece at the end that a crash tore is dropped."""
    lock = lock_of()
    if lock is None:
        raise WrongKey(
            "the recording is encrypted, and no key is set",
            place=tape.name,
            hint="set the key that encrypted it",
        )
    with tape.open("rb") as file:
        file.readline()
        number = 0
        while len(head := file.read(_LENGTH.size)) == _LENGTH.size:
            (length,) = _LENGTH.unpack(head)
            piece = file.read(length)
            if len(piece) < length:
                return
            samples = lock.open(piece, _piece_name(facts, number))
            yield np.frombuffer(samples, "<i2").astype(np.int16).reshape(-1, CHANNELS)
            number += 1


def _piece_name(facts: TapeFacts, number: int) -> str:
    return f"{facts.recording_id}/{number}"


def _not_written(path: Path, error: OSError) -> LogError:
    return LogError(f"{path}: cannot write the recording: {error.strerror}")
