"""A turn handed to its system while it is being spoken, where the system wants that and nothing forbids it.

The system hears it before it is a recording: that is the price, and `overheard` of the turn in the log says
so. What the study damages is not handed over so, for the damage is drawn from the whole turn.
"""

from collections.abc import Callable, Sequence

import numpy as np

from vivavoce.audio.files import StreamResampler
from vivavoce.audio.sound import Samples
from vivavoce.connectors.base import Audio, AudioStreaming, Connector, Conversation

HandOn = Callable[[Audio, bool], bool]


def attentive(connector: Connector, conversation: Conversation | None) -> tuple[HandOn, int] | None:
    """Input stream and rate of a system; None where it takes whole turns only."""
    facts = connector.capabilities
    if conversation is None or not facts.attentive or not isinstance(connector, AudioStreaming):
        return None
    return (
        lambda piece, begins: connector.feed_audio(conversation, piece, begins=begins)
    ), facts.audio_rate_hz


class Overhearing:
    """One turn on its way; `whole` tells afterwards whether all of it went."""

    def __init__(self, hand_on: HandOn, rate_hz: int, wanted_hz: int) -> None:
        self._hand_on, self._wanted_hz = hand_on, wanted_hz
        self._resampler = StreamResampler(rate_hz, wanted_hz)
        self._begins, self.whole = True, True

    def hear(self, frames: Sequence[Samples], *, last: bool = False) -> None:
        """Hand on what was said now."""
        if not self.whole:
            return
        samples = np.concatenate(frames) if frames else np.zeros(0, np.int16)
        piece = self._resampler.feed(samples, last=last)
        if len(piece):
            audio = Audio(piece.astype("<i2").tobytes(), self._wanted_hz)
            self.whole, self._begins = self._hand_on(audio, self._begins), False
