"""A participant's browser as the end of a spoken dialogue: an open microphone, and loudspeakers beside it.

The page is the clock. Every frame of its microphone says which of our samples were played while it was
recorded: so the two channels of a recording lie as the participant heard and spoke them, however slow the
network is, and we know when our own words have died away. It also says when it was full: so sound that the
page never got is known, and is silence where it is missing. Connections come and go; the leg stays.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final, Generic, Literal, NamedTuple, Protocol, TypeVar

import numpy as np

from vivavoce.audio.sound import Samples, Sound
from vivavoce.core.clock import Clock
from vivavoce_speech.dialogue.playout_spans import HeardSpans
from vivavoce_speech.dialogue.turn_taking import Doing

FRAME_MS: Final = 20
USUAL_MS: Final = 60  # lateness that says nothing: sound cards hand over several frames at once
WATCHED_MS: Final = 500  # so long a frame must be late, and all after it, before it counts as a gap

Frame = TypeVar("Frame")


class PlacedFrame(NamedTuple, Generic[Frame]):
    """A frame, and how many are missing before it."""

    missing: int
    frame: Frame


class Lateness(Generic[Frame]):
    """The frames of one connection in their order; late ones are held until it is known why.

    filled  frames that were missing so far
    """

    def __init__(self) -> None:
        self.filled = 0
        self._least_ms = 0
        self._base_ms: int | None = None
        self._held: list[Frame] = []
        self._held_since_ms = 0

    def take(self, frame: Frame, number: int, at_ms: int, most: int) -> list[PlacedFrame[Frame]]:
        """The frames of which it is known by now where they lie.

        number  of the frame, from 0, those included that were lost on their way
        at_ms   when it was full, on the page's clock
        most    so many can be missing at most, by our own clock; a page's clock may be set anew
        """
        shown_ms = at_ms - FRAME_MS * (number + 1 + self.filled)
        if self._base_ms is None or shown_ms < self._base_ms:
            self._base_ms = shown_ms
        late_ms = shown_ms - self._base_ms
        if late_ms <= USUAL_MS:
            return [*self._release(0), PlacedFrame(0, frame)]
        if not self._held:
            self._held_since_ms, self._least_ms = at_ms, late_ms
        self._held.append(frame)
        self._least_ms = min(self._least_ms, late_ms)
        return self.end(most) if at_ms - self._held_since_ms >= WATCHED_MS else []

    def end(self, most: int) -> list[PlacedFrame[Frame]]:
        """Frames still held: late until the end. Empty without any."""
        if not self._held or self._base_ms is None:
            return []
        missing = max(0, min(self._least_ms // FRAME_MS, most))
        self._base_ms += self._least_ms - FRAME_MS * missing
        self.filled += missing
        return self._release(missing)

    def _release(self, missing: int) -> list[PlacedFrame[Frame]]:
        frames, self._held = self._held, []
        return [PlacedFrame(0 if number else missing, frame) for number, frame in enumerate(frames)]


RATE_HZ: Final = 16_000
FRAME: Final = 320
FRAME_S: Final = FRAME / RATE_HZ
HEAD: Final = np.dtype([("number", "<u4"), ("start", "<u4"), ("end", "<u4"), ("at_ms", "<u4")])
FRAME_BYTES: Final = HEAD.itemsize + 2 * FRAME
AHEAD_S: Final = 3.0  # so much sound a page may hold that it has not played yet
BURST_FRAMES: Final = 500  # what a page may send at once after it was held up: ten seconds
UNHEARD_FRAMES: Final = 3_500  # more than so many waiting to be listened to, a minute, are only recorded
LONGEST_GAP_S: Final = 60.0
FEWEST_LATE: Final = 3  # frames; fewer are on their way
STALLED_S: Final = 1.0  # a page that has sent nothing for so long at the end has lost it
_PIECE: Final = RATE_HZ // 4
_SILENCE: Final = np.zeros(FRAME, np.int16)
_SILENCE.setflags(write=False)

OnFrame = Callable[[Samples, Samples], None]
OnGap = Callable[[float, float], None]


class TooFast(Exception):
    """A page sent more sound than time has passed: it is none of ours."""


class BrowserInput(NamedTuple):
    """Input from the page: a frame of sound, or the end.

    gap   it stands for sound that was lost
    at_s  where it ends in the recording
    """

    kind: Literal["sound", "end"]
    samples: Samples = _SILENCE
    gap: bool = False
    at_s: float = 0.0


class _Taken(NamedTuple):
    """A frame as it came.

    lost            so many before it were lost on their way
    played, said    what it holds; start, end: the places of our samples that were played
    """

    lost: int
    played: Samples
    said: Samples
    start: int
    end: int


class _Named(NamedTuple):
    """Our samples up to a place, and what they are."""

    end: int
    name: str


class BrowserConnection(Protocol):
    """One connection to the page; what is posted goes in order, and sound can be dropped before it went."""

    def post_sound(self, position: int, pcm: bytes) -> None: ...
    def post(self, kind: str, **facts: object) -> None: ...
    def drop_sound(self) -> None: ...


class BrowserLeg:
    """The page's end of one dialogue, over all its connections.

    settle_s  a connection that is away for so long ends what was being said
    on_frame  gets the two channels, frame by frame: what was played, what was said
    on_gap    learns of sound that came from nowhere while there was a connection: after how many seconds, and
              how many; it is silence in both channels
    """

    def __init__(
        self,
        clock: Clock,
        on_frame: OnFrame,
        *,
        settle_s: float = 1.0,
        on_gap: OnGap = lambda at_s, lost_s: None,
    ) -> None:
        self._clock, self._on_frame, self._on_gap, self.settle_s = clock, on_frame, on_gap, settle_s
        self._lateness = Lateness[_Taken]()
        self._heard: deque[BrowserInput] = deque()
        self._came = asyncio.Event()
        self._over = False
        self._line: BrowserConnection | None = None
        self._away_since_s: float | None = clock.monotonic_s()
        self._settled = 0
        self._sound, self._base = bytearray(), 0  # what may still be played or reported, and where it begins
        self._played_to = self._sent_to = 0
        self._named: deque[_Named] = deque()
        self.spans = HeardSpans()
        self._sounded = asyncio.Event()
        self._filling = False
        self._expected, self._line_since_s, self._began_s = 0, 0.0, 0.0
        self.frames = self.lost_frames = 0
        self.broke_off_s = 0.0  # how long the microphone had been open when a connection was lost last
        self._fresh, self._back, self._anchored = True, False, False
        self._doing: Doing = "thinking"

    # --- for who talks with the participant -----------------------------------------------------------

    async def hear(self) -> BrowserInput:
        """The next frame from the page; waits while there is no connection. After the end, always the end."""
        while not self._heard:
            if self._over:
                return BrowserInput("end")
            self._came.clear()
            await self._came.wait()
        item = self._heard.popleft()
        if item.gap:
            await asyncio.sleep(0)  # many come at once, and others want to work, too
        self._filling = item.gap
        return item

    def play(self, sound: Sound, name: str = "") -> None:
        """Play a sound after what is being played; without a connection it waits for the next.

        `spans` says by its name when it was heard.
        """
        if self._over:
            return
        samples = sound.at(RATE_HZ)
        self._sound += samples.pcm
        self._named.append(_Named(self._end, name))
        self.spans.given(name, len(samples.samples))
        self._send_on()

    def stop_playing(self) -> bool:
        """Fall silent at once, also in the page; whether anything was being played."""
        was = self._played_to < self._end
        self._played_to = self._sent_to = self._end
        self.spans.hushed()
        if was and self._line is not None:
            self._line.drop_sound()
            self._line.post("stop", position=self._end)
        self._sounded.set()
        return was

    @property
    def playing(self) -> bool:
        """True while something is still to play, or nothing could be heard at all."""
        return self._played_to < self._end or self._line is None or self._filling

    @property
    def waiting_s(self) -> float:
        """Seconds of sound that wait to be played."""
        return (self._end - self._played_to) / RATE_HZ

    async def played(self) -> None:
        """Wait until everything was played, or the page is gone."""
        while self._played_to < self._end and self._line is not None and not self._over:
            self._sounded.clear()
            await self._sounded.wait()

    def tell(self, doing: Doing) -> None:
        """Let the page say what the program does."""
        self._doing = doing
        if self._line is not None:
            self._line.post("doing", doing=doing)

    @property
    def seconds(self) -> float:
        """Seconds since the microphone was opened, gaps included."""
        return self.frames * FRAME_S

    @property
    def lost_s(self) -> float:
        return self.lost_frames * FRAME_S

    def leave(self) -> None:
        """The participant is not coming back to this leg."""
        if self._line is not None:
            self._place(self._lateness.end(self._missing()))
            if self._anchored and self._missing() >= STALLED_S / FRAME_S:
                self._miss(self._missing())
        self._over = True
        self._came.set()
        self._sounded.set()

    # --- for the connection ---------------------------------------------------------------------------

    def attach(self, line: BrowserConnection) -> float:
        """Go on with a new connection, where the last one broke off; seconds that were lost in between."""
        gap_s = self._gap_s()
        self._lose(round(gap_s / FRAME_S) - self._settled)
        self._line, self._away_since_s = line, None
        self._expected, self._line_since_s = 0, self._clock.monotonic_s()
        self._began_s = self._line_since_s
        self._lateness, self._back, self._anchored = Lateness(), not self._fresh, False
        self._fresh = False
        self._sent_to = self._played_to
        line.post("hello", position=self._played_to, doing=self._doing)
        self._send_on()
        return gap_s

    def detach(self, line: BrowserConnection) -> None:
        """The connection is gone; nothing happens where another one has taken its place."""
        if self._line is not line:
            return
        self._place(self._lateness.end(self._missing()))
        self._line, self._away_since_s, self._settled = None, self._clock.monotonic_s(), 0
        self.broke_off_s = self.seconds
        self._sounded.set()

    def settle(self) -> None:
        """Hear silence, for nothing has come for `settle_s`: what was said before that is over."""
        if self._line is None and not self._settled and not self._fresh:
            self._settled = round(self.settle_s / FRAME_S)
            self._lose(self._settled)

    def take(self, message: bytes) -> None:
        """A frame of the microphone, when it was full, and which of our samples were played meanwhile.

        Raises  ValueError: it is no frame
                TooFast: more sound than time
        """
        if len(message) != FRAME_BYTES:
            raise ValueError(f"invalid frame of {len(message)} bytes")
        number, start, end, at_ms = (int(field) for field in np.frombuffer(message, HEAD, 1)[0])
        passed_s = self._clock.monotonic_s() - self._line_since_s
        if number > passed_s / FRAME_S + BURST_FRAMES:
            raise TooFast
        if number < self._expected:
            return
        lost, self._expected = number - self._expected, number + 1
        if self._back and self._missing() > FEWEST_LATE:
            lost += self._missing()  # what passed until a page that came back had begun
        self._anchor()
        samples = np.frombuffer(message, "<i2", FRAME, HEAD.itemsize).astype(np.int16)
        end = min(end, self._end, start + FRAME)
        frame = _Taken(lost, self._played(start, end), samples, start, end)
        self._place(self._lateness.take(frame, number, at_ms, self._missing()))
        self._send_on()

    # --- inside ---------------------------------------------------------------------------------------

    @property
    def _end(self) -> int:
        return self._base + len(self._sound) // 2

    def _gap_s(self) -> float:
        if self._away_since_s is None or self._fresh:
            return 0.0
        return min(LONGEST_GAP_S, self._clock.monotonic_s() - self._away_since_s)

    def _anchor(self) -> None:
        """Take the quickest frame so far as one that came at once: by it our clock knows when sound began."""
        began_s = self._clock.monotonic_s() - FRAME_S * (self._expected + self._lateness.filled)
        self._began_s = min(self._began_s, began_s) if self._anchored else began_s
        self._back, self._anchored = False, True

    def _missing(self) -> int:
        """Frames that should have come over this connection by now, by our clock, and have not."""
        passed = (self._clock.monotonic_s() - self._began_s) / FRAME_S
        return max(0, int(passed + 1e-6) - self._expected - self._lateness.filled)

    def _place(self, frames: list[PlacedFrame[_Taken]]) -> None:
        for missing, (lost, played, samples, start, end) in frames:
            self._lose(lost)
            self._miss(missing)
            self._note_heard(start, end)
            self._take(played, samples)

    def _note_heard(self, start: int, end: int) -> None:
        """Note that these places of our samples were heard during the next frame."""
        at = start
        while at < end and self._named:
            playing = self._named[0]
            if playing.end > at:
                last = min(playing.end, end)
                first_s, last_s = ((place - start) / RATE_HZ + self.seconds for place in (at, last))
                self.spans.played(playing.name, last - at, first_s, last_s)
                at = last
            if playing.end <= at:
                self._named.popleft()

    def _miss(self, frames: int) -> None:
        if frames:
            self._on_gap(self.seconds, frames * FRAME_S)
            self._lose(frames)

    def _lose(self, frames: int) -> None:
        for _ in range(frames):
            self.lost_frames += 1
            self._take(_SILENCE, _SILENCE, gap=True)

    def _take(self, played: Samples, samples: Samples, *, gap: bool = False) -> None:
        if self._over:
            return
        self.frames += 1
        self._on_frame(played, samples)
        if len(self._heard) < UNHEARD_FRAMES:
            self._heard.append(BrowserInput("sound", samples, gap, self.seconds))
        self._came.set()

    def _played(self, start: int, end: int) -> Samples:
        """Our samples that were played during a frame of the page's, from its start; silence for the rest."""
        frame = np.zeros(FRAME, np.int16)
        if self._base <= start < end:
            first, last = 2 * (start - self._base), 2 * (end - self._base)
            frame[: end - start] = np.frombuffer(bytes(self._sound[first:last]), "<i2")
        self._played_to = max(self._played_to, end if start < end else 0)
        if self._played_to >= self._end:
            self._sounded.set()
        stale = min(start, self._played_to) - self._base - RATE_HZ
        if stale > 10 * RATE_HZ:
            del self._sound[: 2 * stale]
            self._base += stale
        return frame

    def _send_on(self) -> None:
        """Hand the page what it may hold by now."""
        line, most = self._line, self._played_to + round(AHEAD_S * RATE_HZ)
        while line is not None and self._sent_to < min(self._end, most):
            last = min(self._end, most, self._sent_to + _PIECE)
            pcm = bytes(self._sound[2 * (self._sent_to - self._base) : 2 * (last - self._base)])
            line.post_sound(self._sent_to, pcm)
            self._sent_to = last
