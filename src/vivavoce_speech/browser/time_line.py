"""Clips laid on one time line, each on its channel: a recording of what was only recorded in pieces."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from vivavoce.audio.sound import Samples, Sound

BLOCK: Final = 160_000


class PlacedClip(NamedTuple):
    """A sound on a channel, from `start_s` on the common clock."""

    sound: Sound
    channel: int
    start_s: float


def beginning_s(clips: Iterable[PlacedClip]) -> float:
    """Start of the first clip. Raises ValueError: there are none."""
    return min(clip.start_s for clip in clips)


def merge_clips(clips: Sequence[PlacedClip], channels: int, rate_hz: int) -> Iterator[Samples]:
    """The samples from the beginning of the first clip to the end of the last, shape (frames, channels).

    Between clips there is silence. Where two of one channel overlap, the one that begins later is heard.

    Empty  no clips: nothing
    """
    if not clips:
        return
    first_s = beginning_s(clips)
    ordered = sorted(clips, key=lambda clip: clip.start_s)
    placed = [
        (round((clip.start_s - first_s) * rate_hz), clip.channel, clip.sound.at(rate_hz).samples)
        for clip in ordered
    ]
    length = max(start + len(samples) for start, _, samples in placed)
    for at in range(0, length, BLOCK):
        block = np.zeros((min(BLOCK, length - at), channels), np.int16)
        for start, channel, samples in placed:
            first, last = max(at, start), min(at + len(block), start + len(samples))
            if first < last:
                block[first - at : last - at, channel] = samples[first - start : last - start]
        yield block
