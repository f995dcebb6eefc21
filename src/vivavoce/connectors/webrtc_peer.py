"""One end of a WebRTC connection: sound both ways at its own speed, and a channel of messages beside it.

aiortc carries it. Imported when a connection is made: it is an extra, and heavy.
"""

import asyncio
import ipaddress
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from typing import Any, Final

import numpy as np

from vivavoce.audio.files import StreamResampler
from vivavoce.audio.sound import Samples
from vivavoce.connectors.transport import permitted
from vivavoce.core.extras import require

RATE_HZ: Final = 48_000  # of Opus
HEARD_HZ: Final = 24_000  # what comes in is handed on at this rate
FRAME: Final = 960
_FRAME_S: Final = 0.02
_LATE_S: Final = 0.06  # frames that are later than this are not made up for
_SILENCE: Final = np.zeros(FRAME, np.int16)

Take = Callable[[Samples | str | None], None]


def aiortc() -> Any:
    """The library. Raises InputError with the command that installs it."""
    require("aiortc", place="connect: webrtc")
    import aiortc as library

    return library


class Peer:
    """A connection; `take` is given samples at HEARD_HZ, messages, and None when it is gone."""

    def __init__(self, label: str, take: Take) -> None:
        library = aiortc()
        self._take = take
        self._connection = library.RTCPeerConnection(library.RTCConfiguration(iceServers=[]))
        self._voice = _voice_track(library)
        self._connection.addTrack(self._voice)
        self._channel = self._connection.createDataChannel(label)
        self._opened, self._listening = asyncio.Event(), list[asyncio.Task[None]]()
        self._connection.on("track", self._hear)
        self._connection.on("connectionstatechange", self._changed)
        self._channel.on("open", self._opened.set)
        self._channel.on("message", self._message)

    async def offer(self) -> str:
        """The description of this end, all of its addresses in it."""
        await self._connection.setLocalDescription(await self._connection.createOffer())
        return self._connection.localDescription.sdp

    async def accept(self, description: str, *, allow_private: bool) -> None:
        """Connect to the other end; returns when messages can be sent.

        Raises  ValueError: no description that can be read, or no address in it that may be reached
        """
        answer = aiortc().RTCSessionDescription(reachable(description, allow_private=allow_private), "answer")
        await self._connection.setRemoteDescription(answer)
        await self._opened.wait()

    def say(self, samples: Samples) -> None:
        """Queue audio at RATE_HZ after the current audio."""
        self._voice.say(samples)

    async def said(self) -> None:
        """Wait until all audio has been sent."""
        await self._voice.silent.wait()

    def tell(self, message: str) -> None:
        self._channel.send(message)

    @property
    def connected(self) -> bool:
        return self._connection.connectionState == "connected"

    async def close(self) -> None:
        for task in self._listening:
            task.cancel()
        await asyncio.gather(*self._listening, return_exceptions=True)
        with suppress(Exception):  # what is broken already is closed
            await self._connection.close()

    def _hear(self, track: Any) -> None:
        if track.kind == "audio":
            self._listening.append(asyncio.create_task(self._listen(track)))

    async def _listen(self, track: Any) -> None:
        resampler = StreamResampler(RATE_HZ, HEARD_HZ)
        with suppress(aiortc().mediastreams.MediaStreamError):
            while True:
                frame = await track.recv()
                samples = frame.to_ndarray().reshape(-1, len(frame.layout.channels))[:, 0]
                self._take(resampler.feed(np.ascontiguousarray(samples, np.int16)))
        self._take(None)

    def _message(self, message: Any) -> None:
        self._take(message if isinstance(message, str) else message.decode("utf-8", "replace"))

    def _changed(self) -> None:
        if self._connection.connectionState in ("failed", "closed"):
            self._take(None)


def reachable(description: str, *, allow_private: bool) -> str:
    """A description without the addresses that no bot may be reached at.

    Raises  ValueError: none is left
    """
    lines: list[str] = []
    addresses = 0
    for line in description.splitlines():
        if line.startswith("a=candidate:"):
            if not _may_be_reached(line, allow_private):
                continue
            addresses += 1
        lines.append(line)
    if not addresses:
        raise ValueError("its description has no reachable address")
    return "\r\n".join([*lines, ""])


def _may_be_reached(candidate: str, allow_private: bool) -> bool:
    parts = candidate.split()
    try:
        return permitted(ipaddress.ip_address(parts[4]), allow_private=allow_private)
    except (IndexError, ValueError):
        return False  # a name of the local network, which we could not resolve safely


def _voice_track(library: Any) -> Any:
    """Our speech as a track: frames of 20 ms in real time, silence in between.

    After a delay the track continues without catching up: a burst would overflow the small buffer at the
    other end, which discards it.
    """
    from av import AudioFrame

    class Voice(library.MediaStreamTrack):
        kind = "audio"

        def __init__(self) -> None:
            super().__init__()
            self._going: deque[Samples] = deque()
            self._sent, self._due_s = 0, 0.0
            self.silent = asyncio.Event()
            self.silent.set()

        def say(self, samples: Samples) -> None:
            padded = np.pad(samples, (0, -len(samples) % FRAME))
            if len(padded):
                self.silent.clear()
                self._going.extend(padded.reshape(-1, FRAME))

        async def recv(self) -> Any:
            now = asyncio.get_running_loop().time()
            due = self._due_s if now - self._due_s <= _LATE_S else now
            self._due_s = due + _FRAME_S
            await asyncio.sleep(max(0.0, due - now))
            samples = self._going.popleft() if self._going else _SILENCE
            if not self._going:
                self.silent.set()
            frame = AudioFrame.from_ndarray(samples.reshape(1, -1), format="s16", layout="mono")
            frame.sample_rate, frame.time_base = RATE_HZ, Fraction(1, RATE_HZ)
            frame.pts = self._sent * FRAME
            self._sent += 1
            return frame

    return Voice()
