"""Keys that we press: as telephone events among the packets, or as the pair of tones that everybody hears.

Source  ITU-T Q.23 (frequencies), RFC 4733 sections 2.3 and 2.5 (events)
"""

from typing import Final

import numpy as np

from vivavoce.audio.sound import Samples

RATE_HZ: Final = 8000
TONE_S: Final = 0.1
GAP_S: Final = 0.06
COMMA_S: Final = 1.0
_ROWS_HZ: Final = (697, 770, 852, 941)
_COLUMNS_HZ: Final = (1209, 1336, 1477, 1633)
_PAD: Final = ("123A", "456B", "789C", "*0#D")
_LEVEL: Final = 6000.0


def key_sound(key: str) -> Samples:
    """The two tones of a key, then a gap; a comma is a second of silence, and what is no key is nothing."""
    if key == ",":
        return np.zeros(round(COMMA_S * RATE_HZ), np.int16)
    place = next(((row, keys.index(key)) for row, keys in enumerate(_PAD) if key in keys), None)
    if place is None:
        return np.zeros(0, np.int16)
    times = np.arange(round(TONE_S * RATE_HZ)) / RATE_HZ
    low, high = _ROWS_HZ[place[0]], _COLUMNS_HZ[place[1]]
    tones = _LEVEL * (np.sin(2 * np.pi * low * times) + np.sin(2 * np.pi * high * times))
    return np.concatenate([tones, np.zeros(round(GAP_S * RATE_HZ))]).astype(np.int16)
