"""A call that Asterisk carries: frames both ways over one connection, on the beat."""

import asyncio
import secrets
import time
from typing import Final

from vivavoce_speech.telephony.audio_socket import ERROR, HANG_UP, KEY, SOUND, Frame, sound_frame, written
from vivavoce_speech.telephony.leg import RATE_HZ, PhoneLeg

LONGEST_BACKLOG: Final = 64_000  # bytes that Asterisk has not taken, four seconds: the line is dead
AHEAD_S: Final = 30.0  # sound that may come faster than time passes; more is no telephone
MOST_KEYS: Final = 1_000
_KEYS: Final = frozenset("0123456789*#ABCD")
_CALLER_HUNG_UP: Final = b"\x01"


class AsteriskLeg(PhoneLeg):
    """A call whose sound comes and goes by `writer`'s connection.

    Asterisk closes the connection when the caller hangs up, and in the same way when it is stopped
    itself: both are an end by the caller.
    """

    def __init__(self, caller_id: str, called: str, writer: asyncio.StreamWriter) -> None:
        super().__init__(f"call-{secrets.token_hex(8)}", caller_id, called, "asterisk")
        self._writer = writer
        self._began_s = time.monotonic()
        self._received = 0

    def send_frame(self) -> None:
        """On the beat: one frame each way, silence too, so that the line to the caller stays open."""
        frame = self.beat()
        if self.over.is_set():
            return
        if self._writer.transport.get_write_buffer_size() > LONGEST_BACKLOG:
            self.ended("failure")
        else:
            self._writer.write(sound_frame(frame))

    def take_frame(self, frame: Frame) -> None:
        """What Asterisk sends; a ticket is none of it."""
        if frame.kind == SOUND:
            self._take_samples(frame)
        elif frame.kind == KEY:
            key = frame.payload.decode("ascii", "replace").upper()
            if key in _KEYS and len(self.keys) < MOST_KEYS:
                self.take_key(key)
        elif frame.kind == HANG_UP or (frame.kind == ERROR and frame.payload == _CALLER_HUNG_UP):
            self.ended("caller")
        else:
            self.ended("failure")

    def _take_samples(self, frame: Frame) -> None:
        self._received += len(frame.payload) // 2
        if self._received > RATE_HZ * (time.monotonic() - self._began_s + AHEAD_S):
            self.ended("failure")
        else:
            self.take_sound(frame.samples)

    async def disconnect(self) -> None:
        if not self._writer.transport.is_closing():
            self._writer.write(written(Frame(HANG_UP)))
