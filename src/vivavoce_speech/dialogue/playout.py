"""A system's turn on its way to the ear: in pieces as it comes, or whole, until somebody speaks into it."""

from typing import Final, Protocol

import numpy as np

from vivavoce.audio.files import StreamResampler
from vivavoce.audio.sound import Samples, Sound
from vivavoce_speech.dialogue.degradation_stream import DamageStream

PIECE_S: Final = 0.02  # legs play whole frames, so pieces are whole frames


class Plays(Protocol):
    """Receiver of sound."""

    def play(self, sound: Sound, name: str = "") -> None: ...
    def stop_playing(self) -> bool: ...
    @property
    def waiting_s(self) -> float: ...


class Playing:
    """Sound of one system turn given to the leg.

    own_voice  the system spoke it by itself; else it is a text that was synthesised
    name       by which the leg tells when it was heard
    damage     what it goes through while it comes; None: it is heard as it comes
    finished   nothing more will come
    """

    def __init__(
        self,
        leg: Plays,
        rate_hz: int,
        *,
        own_voice: bool,
        name: str = "",
        damage: DamageStream | None = None,
    ) -> None:
        self._name = name
        self._leg, self._rate_hz, self.own_voice, self.damage = leg, rate_hz, own_voice, damage
        self._resampler: StreamResampler | None = None
        self._rest: Samples = np.zeros(0, np.int16)
        self._given_s = 0.0
        self._hushed = False
        self.finished = False

    def feed(self, sound: Sound, *, last: bool = False) -> None:
        """Pass on one piece of it; the last one ends it."""
        if self._resampler is None:
            self._resampler = StreamResampler(sound.rate_hz, self._rate_hz)
        resampled = self._resampler.feed(sound.samples, last=last)
        if self.damage is not None:
            resampled = self.damage.feed(resampled, last=last)
        samples = np.concatenate([self._rest, resampled])
        self.finished = self.finished or last
        piece = round(PIECE_S * self._rate_hz)
        ready = len(samples) if last else len(samples) // piece * piece
        self._rest = samples[ready:]
        if ready and not self._hushed:
            self._given_s += ready / self._rate_hz
            self._leg.play(Sound(samples[:ready], self._rate_hz), self._name)

    @property
    def over(self) -> bool:
        """True if nothing more of it is given to the leg."""
        return self.finished or self._hushed

    def finish(self) -> None:
        """Finish the turn: give out what was kept back to fill a frame."""
        if not self.finished:
            self.feed(Sound(np.zeros(0, np.int16), self._rate_hz), last=True)

    def hush(self) -> tuple[bool, float]:
        """Fall silent for good; whether that cut anything off, and the seconds that were heard."""
        heard_s = max(0.0, self._given_s - self._leg.waiting_s)
        cut = self._leg.stop_playing() or not self.finished
        self._hushed = self._hushed or cut
        return cut, round(heard_s, 3)
