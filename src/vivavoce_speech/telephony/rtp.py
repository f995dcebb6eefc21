"""RTP packets of telephone speech, and the key presses that travel among them.

Source  RFC 3550 section 5.1 (packets), RFC 4733 section 2.3 (telephone events)
"""

import secrets
import struct
from dataclasses import dataclass
from typing import Final, NamedTuple

KEYS: Final = "0123456789*#ABCD"
KEY_FRAMES: Final = 5  # that a key is held, then its end is told three times
_HEADER: Final = struct.Struct(">BBHII")


class Packet(NamedTuple):
    """One packet; marker: the first after silence."""

    payload_type: int
    sequence: int
    timestamp: int
    payload: bytes
    marker: bool = False


def read_packet(data: bytes) -> Packet | None:
    """The packet in a datagram; None for what is no RTP version 2, or cut off."""
    if len(data) < _HEADER.size or data[0] >> 6 != 2:
        return None
    first, second, sequence, timestamp, _ = _HEADER.unpack_from(data)
    start = _HEADER.size + 4 * (first & 0x0F)
    if first & 0x10:  # a header extension: its length in words stands in its third and fourth byte
        if len(data) < start + 4:
            return None
        start += 4 + 4 * int.from_bytes(data[start + 2 : start + 4], "big")
    end = len(data) - (data[-1] if first & 0x20 else 0)
    if start > end:
        return None
    return Packet(second & 0x7F, sequence, timestamp, data[start:end], bool(second & 0x80))


class Sender:
    """Numbers and stamps the packets of one stream."""

    def __init__(self) -> None:
        self._sequence, self._timestamp = secrets.randbelow(1 << 16), secrets.randbelow(1 << 31)
        self._source, self._first = secrets.randbelow(1 << 32), True

    def packet(self, payload_type: int, payload: bytes, samples: int) -> bytes:
        """The next packet, which stands for so many samples."""
        marker = 0x80 if self._first else 0
        header = _HEADER.pack(0x80, marker | payload_type, self._sequence, self._timestamp, self._source)
        self._first = False
        self._sequence = (self._sequence + 1) & 0xFFFF
        self._timestamp = (self._timestamp + samples) & 0xFFFFFFFF
        return header + payload

    def key_packets(self, payload_type: int, key: str, samples: int) -> list[bytes]:
        """The packets of one key press, to be sent one a frame of so many samples (RFC 4733, 2.5.1)."""
        number, began = KEYS.index(key), self._timestamp
        packets: list[bytes] = []
        for frame in range(1, KEY_FRAMES + 4):
            end = 0x80 if frame > KEY_FRAMES else 0
            lasted = min(frame, KEY_FRAMES) * samples
            self._first = frame == 1
            packets.append(self.packet(payload_type, struct.pack(">BBH", number, end | 10, lasted), 0))
        self._timestamp = (began + samples * (KEY_FRAMES + 3)) & 0xFFFFFFFF
        return packets


@dataclass(slots=True)
class KeyPresses:
    """Tells each key press once, however often its packets are repeated or lost but for one."""

    _last: int | None = None

    def key(self, packet: Packet) -> str | None:
        """The key that this event packet is the first to tell of; None where it was told already."""
        if len(packet.payload) < 4 or packet.payload[0] >= len(KEYS) or packet.timestamp == self._last:
            return None
        self._last = packet.timestamp
        return KEYS[packet.payload[0]]
