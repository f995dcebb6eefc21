"""The frames in which Asterisk carries a call's sound over TCP, its keys and its end among them.

A frame is a byte of kind, the payload's length in two bytes (big-endian), the payload. What no Asterisk sends
is refused as soon as it is seen: a stream that is out of step is never in step again.

Source  Asterisk documentation: "AudioSocket"
"""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from typing import Final, NamedTuple

import numpy as np

from vivavoce.audio.sound import Samples

HANG_UP: Final = 0x00
TICKET: Final = 0x01
KEY: Final = 0x03
SOUND: Final = 0x10
ERROR: Final = 0xFF

LONGEST_SOUND: Final = 6_400  # 0.4 s; the usual is 20 ms
_HEADER: Final = 3
_LENGTHS: Final = {
    HANG_UP: (0, 0),
    TICKET: (16, 16),
    KEY: (1, 1),
    SOUND: (0, LONGEST_SOUND),
    ERROR: (0, 255),
}
_READ: Final = 16_384


class Frame(NamedTuple):
    """One frame; of a sound the payload is 16-bit samples at 8 kHz, little-endian."""

    kind: int
    payload: bytes = b""

    @property
    def samples(self) -> Samples:
        return np.frombuffer(self.payload, "<i2").astype(np.int16)


class BadFrame(ValueError):
    """Not a frame that Asterisk sends."""


class FrameReader:
    """Puts frames together out of pieces of any length."""

    def __init__(self) -> None:
        self._waiting = bytearray()

    def feed(self, data: bytes) -> Iterator[Frame]:
        """The frames that are whole now; what stands before nonsense is given.

        Raises  BadFrame: an unknown kind, or a length that the kind does not have
        """
        self._waiting += data
        while len(self._waiting) >= _HEADER:
            kind, length = self._waiting[0], int.from_bytes(self._waiting[1:_HEADER], "big")
            _require(kind, length)
            end = _HEADER + length
            if len(self._waiting) < end:
                return
            payload = bytes(self._waiting[_HEADER:end])
            del self._waiting[:end]
            yield Frame(kind, payload)

    def close(self) -> None:
        """End the input.

        Raises  BadFrame: a frame was begun
        """
        if self._waiting:
            raise BadFrame(f"connection closed {len(self._waiting)} bytes into a frame")


def _require(kind: int, length: int) -> None:
    if kind not in _LENGTHS:
        raise BadFrame(f"unknown kind 0x{kind:02x}")
    least, most = _LENGTHS[kind]
    if not least <= length <= most or (kind == SOUND and length % 2):
        raise BadFrame(f"kind 0x{kind:02x} with {length} bytes")


def written(frame: Frame) -> bytes:
    """A frame as it goes over the wire."""
    return bytes([frame.kind]) + len(frame.payload).to_bytes(2, "big") + frame.payload


def sound_frame(samples: Samples) -> bytes:
    """A frame of sound as it goes over the wire."""
    return written(Frame(SOUND, samples.astype("<i2").tobytes()))


async def frames(reader: asyncio.StreamReader) -> AsyncGenerator[Frame]:
    """Frames of a connection, until it is closed or broken off.

    Raises  BadFrame: as `FrameReader`
    """
    frame_reader = FrameReader()
    try:
        while data := await reader.read(_READ):
            for frame in frame_reader.feed(data):
                yield frame
    except ConnectionError:  # an Asterisk that has not read all we sent ends in this way as well
        pass
    frame_reader.close()
