"""The two codecs of the telephone network, mu-law (PCMU) and A-law (PCMA), by table.

Source  ITU-T G.711 (11/1988), tables 1a, 1b, 2a, 2b
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vivavoce.audio.sound import Samples

Bytes = NDArray[np.uint8]


class Codec(NamedTuple):
    """Name in SDP, static payload type of RTP, samples of every byte, bytes of every sample."""

    name: str
    payload_type: int
    samples: Samples
    bytes_: Bytes

    def decode(self, payload: bytes) -> Samples:
        """16-bit samples at 8 kHz."""
        return self.samples[np.frombuffer(payload, np.uint8)]

    def encode(self, samples: Samples) -> bytes:
        return self.bytes_[samples.astype(np.int32) + 32768].tobytes()


def _mu_law_samples() -> Samples:
    code = ~np.arange(256) & 0xFF
    segment, step = code >> 4 & 7, code & 15
    size = (((step << 3) + 0x84) << segment) - 0x84
    return np.where(code & 0x80, -size, size).astype(np.int16)


def _a_law_samples() -> Samples:
    code = np.arange(256) ^ 0x55
    segment, step = code >> 4 & 7, code & 15
    size = np.where(segment == 0, (step << 4) + 8, ((step << 4) + 0x108) << np.maximum(segment - 1, 0))
    return np.where(code & 0x80, size, -size).astype(np.int16)


def _nearest(samples: Samples) -> Bytes:
    """For every 16-bit sample the byte whose sample is nearest."""
    order = np.argsort(samples, kind="stable")
    levels = samples[order].astype(np.int32)
    between = (levels[1:] + levels[:-1]) // 2
    return order[np.searchsorted(between, np.arange(-32768, 32768), side="left")].astype(np.uint8)


def _codec(name: str, payload_type: int, samples: Samples) -> Codec:
    return Codec(name, payload_type, samples, _nearest(samples))


PCMU: Final = _codec("PCMU", 0, _mu_law_samples())
PCMA: Final = _codec("PCMA", 8, _a_law_samples())
CODECS: Final = {codec.payload_type: codec for codec in (PCMU, PCMA)}
