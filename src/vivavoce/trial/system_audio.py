"""Sound to systems that listen by themselves, and from those that speak.

What a participant said is a recording before the system hears it. Each piece of the system's answer is
written to a file that the log does not know before anybody hears it; when the answer is complete the
recording takes its place. What a crash interrupts leaves that file, which `vivavoce check` names.
"""

import asyncio
import os
import secrets
import struct
import threading
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import Final

import structlog

from vivavoce.audio.degradation import Degradation, damaged
from vivavoce.audio.files import encode_sound, read_sound
from vivavoce.audio.sound import Sound
from vivavoce.connectors.base import Audio, UserTurn
from vivavoce.core.errors import InputError, LogError, SystemUnderTestError
from vivavoce.log.encryption import Lock, lock_of
from vivavoce.log.history import DialogueHistory
from vivavoce.log.recording_events import RecordingStored
from vivavoce.log.recordings import RecordedSound as Facts
from vivavoce.log.recordings import RecordingFolder, UnfinishedRecording, folder_of
from vivavoce.log.store import Log
from vivavoce.study.model import Study
from vivavoce.trial.state import VisitState

LONGEST_S: Final = 900.0
RATES: Final = range(4000, 192_001)
_WAV: Final = "audio/wav"
_LENGTH: Final = struct.Struct("<I")  # before each piece that is locked
_ENDLESS: Final = 0xFFFFFFFF  # the length that a WAV file tells while it is being written

Play = Callable[[Sound], None]

_report = structlog.get_logger("vivavoce.trial")


class SystemAudio:
    """One answer's sound; `close` leaves nothing of it but what was kept."""

    def __init__(self, folder: RecordingFolder, play: Play | None = None) -> None:
        self._folder, self._play = folder, play
        self._pieces: list[bytes] = []
        self._half = b""
        self._rate_hz = 0
        self._bytes = 0
        self._unfinished: UnfinishedRecording | None = None
        self._held = threading.Lock()  # whoever writes to the file, or removes it
        self._closed = False
        self._lock: Lock | None = None
        self.recording_id = f"recording-{secrets.token_hex(8)}"

    @property
    def heard(self) -> bool:
        """True if any sound has arrived."""
        return bool(self._pieces)

    @property
    def so_far(self) -> Sound | None:
        """Sound so far, for listeners who join late; None without sound."""
        return Sound.of_pcm(b"".join(self._pieces), self._rate_hz) if self._pieces else None

    async def take(self, audio: Audio) -> None:
        """One more piece; when this returns it is on disk, and is being played.

        Raises  SystemUnderTestError("bad_answer"): a rate that is none, or another one than before; sound
                without end
                LogError: it could not be written
        """
        self._check(audio)
        samples = self._half + audio.samples
        complete = samples[: len(samples) // 2 * 2]
        self._half = samples[len(complete) :]
        if not complete:
            return
        await asyncio.to_thread(self._write, complete)
        self._pieces.append(complete)
        if self._play is not None:
            self._play(Sound.of_pcm(complete, self._rate_hz))

    def _check(self, audio: Audio) -> None:
        if audio.rate_hz not in RATES or self._rate_hz not in (0, audio.rate_hz):
            problem = f"its speech has {audio.rate_hz} samples per second"
            if self._rate_hz:
                problem += f", and had {self._rate_hz}"
            raise SystemUnderTestError("bad_answer", problem)
        self._rate_hz = audio.rate_hz
        self._bytes += len(audio.samples)
        if self._bytes > LONGEST_S * 2 * self._rate_hz:
            raise SystemUnderTestError("bad_answer", f"more than {LONGEST_S:.0f} s of speech in one turn")

    def _write(self, samples: bytes) -> None:
        with self._held:
            if not self._closed:
                self._write_on(samples)

    def _write_on(self, samples: bytes) -> None:
        if self._unfinished is None:
            self._lock = lock_of()
            self._unfinished = self._folder.begin(self.recording_id, _WAV).__enter__()
            if self._lock is None:
                self._unfinished.file.write(_endless_header(self._rate_hz))
        if self._lock is not None:  # nothing of it may lie open on disk
            samples = self._lock.close(samples, f"{self.recording_id}:{len(self._pieces)}")
            self._unfinished.file.write(_LENGTH.pack(len(samples)))
        self._unfinished.file.write(samples)
        self._unfinished.file.flush()
        os.fdatasync(self._unfinished.file.fileno())

    async def keep(
        self, *, dialogue_id: str, step: int, turn_index: int | None, started_s: float | None
    ) -> RecordingStored | None:
        """Put the recording on disk; the event that makes it visible, or None where no sound came.

        It was heard already, so it is tried until it can be written.
        """
        if not self._pieces:
            return None
        sound = Sound.of_pcm(b"".join(self._pieces), self._rate_hz)
        audio, pause_s = await asyncio.to_thread(encode_sound, sound), 0.5
        while True:
            try:
                stored = await asyncio.to_thread(self._folder.keep, self.recording_id, audio, _WAV)
                break
            except LogError as error:
                _report.error("recording_not_written", error=str(error), retry_in_s=pause_s)
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, 30.0)
        return stored.event(
            self.recording_id,
            Facts(_WAV, 1, self._rate_hz, len(sound.samples)),
            "turn",
            ["system"],
            step=step,
            dialogue_id=dialogue_id,
            turn_index=turn_index,
            started_s=started_s,
        )

    async def close(self) -> None:
        """Remove the unfinished file after whoever still writes to it, though the caller be interrupted."""
        # no task, which whoever ends the loop would cancel
        await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, self._remove))

    def _remove(self) -> None:
        with self._held:
            self._closed = True
            if self._unfinished is not None:
                self._unfinished.__exit__()
                self._unfinished = None


async def with_sound(
    turn: UserTurn,
    log: Log,
    state: VisitState,
    recording_id: str,
    rate_hz: int,
    line: Callable[[Sound], Sound] = lambda sound: sound,
) -> UserTurn:
    """A turn with its sound, as the system wants it, after what `line` does to it.

    Raises  SystemUnderTestError("refused"): the recording is gone
    """
    try:
        path = folder_of(log).file(state.recordings[recording_id])
        sound = await asyncio.to_thread(lambda: line(read_sound(path)).at(rate_hz))
    except (LookupError, InputError) as error:
        problem = f"the recording of the turn cannot be read ({error})"
        raise SystemUnderTestError("refused", problem, reached=False) from None
    return replace(turn, audio=Audio(sound.pcm, rate_hz))


def as_heard(sound: Sound, study: Study, dialogue: DialogueHistory | None) -> Sound:
    """A participant's speech as the dialogue's system hears it; as it was where nothing happens to it.

    Note  it is damaged by a draw from the dialogue and the clean sound: the same recording of the same
          dialogue can be damaged again, and sounds as it was heard
    """
    damage = damage_of(study, dialogue)
    return sound if damage is None or dialogue is None else degraded(sound, damage, dialogue.dialogue_id)


def damage_of(study: Study, dialogue: DialogueHistory | None) -> Degradation | None:
    """Degradation of a participant's speech in this dialogue; None: clean."""
    if study.degradation is None or dialogue is None:
        return None
    return study.degradation.of(study.factors.get(dialogue.system, {}))


def degraded(sound: Sound, damage: Degradation, dialogue_id: str) -> Sound:
    """A participant's speech after its damage."""
    seed = f"{dialogue_id}:{sound.rate_hz}:{sha256(sound.pcm).hexdigest()}"
    return damaged(sound, damage, seed).sound


def _endless_header(rate_hz: int) -> bytes:
    """The head of a WAV file whose length is not known yet; programs read it to its end."""
    return struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        b"RIFF",
        _ENDLESS,
        b"WAVE",
        b"fmt ",
        16,
        1,
        1,
        rate_hz,
        2 * rate_hz,
        2,
        16,
        b"data",
        _ENDLESS,
    )
