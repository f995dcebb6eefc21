"""A call by WebSocket: its sound as base64 mu-law in messages of JSON, its keys and its end among them.

Source  Twilio documentation: "Media Streams: WebSocket messages"
"""

import asyncio
import json
import secrets
from base64 import b64decode, b64encode
from collections.abc import Awaitable, Callable
from typing import Any, Final

from vivavoce_speech.telephony.g711 import PCMU
from vivavoce_speech.telephony.leg import PhoneLeg

LONGEST_PAYLOAD: Final = 65_536  # eight seconds in one message; the usual is 20 ms
LONGEST_BACKLOG: Final = 1_000  # messages that the carrier has not taken: the line is dead
MARK_S: Final = 5.0  # how long the carrier may take to play what it holds
_KEYS: Final = frozenset("0123456789*#ABCD")


class MediaStreamLeg(PhoneLeg):
    """A call that a carrier streams; `outgoing` is what is to be sent to it, `close` ends its connection.

    The carrier keeps sound before it plays it. A mark after the last frame comes back when that was heard, so
    that the call is not cut off before the end of what was said, and silence is never sent.
    """

    def __init__(
        self, stream: str, caller_id: str, called: str, close: Callable[[], Awaitable[None]]
    ) -> None:
        super().__init__(f"call-{secrets.token_hex(8)}", caller_id, called, "media_streams")
        self.stream = stream
        self.outgoing: asyncio.Queue[str] = asyncio.Queue()
        self._close = close
        self._marks = 0
        self._awaited: set[str] = set()
        self._heard_all = asyncio.Event()
        self._heard_all.set()

    def send_frame(self) -> None:
        """On the beat: one frame each way."""
        sounding = self.playing
        frame = self.beat()
        if not sounding or self.over.is_set():
            return
        self._send("media", media={"payload": b64encode(PCMU.encode(frame)).decode()})
        if not self.playing and not self.live:
            self._marks += 1
            name = f"mark-{self._marks}"
            self._awaited.add(name)
            self._heard_all.clear()
            self._send("mark", mark={"name": name})

    def take_message(self, text: str) -> None:
        """A message of the carrier's; one that makes no sense is dropped.

        Raises  ValueError: it is no message at all
        """
        message = json.loads(text)
        kind = message.get("event") if isinstance(message, dict) else None
        content = message.get(kind) if isinstance(kind, str) else None
        content = content if isinstance(content, dict) else {}
        if kind == "media" and content.get("track", "inbound") == "inbound":
            self._take_payload(content.get("payload"))
        elif kind == "dtmf" and str(content.get("digit")) in _KEYS:
            self.take_key(str(content["digit"]))
        elif kind == "mark":
            self._awaited.discard(str(content.get("name")))
            if not self._awaited:
                self._heard_all.set()
        elif kind == "stop":
            self.ended("caller")

    def _take_payload(self, payload: Any) -> None:
        if not isinstance(payload, str) or not 0 < len(payload) <= LONGEST_PAYLOAD:
            return
        try:
            self.take_sound(PCMU.decode(b64decode(payload, validate=True)))
        except ValueError:
            return

    def stop_playing(self) -> bool:
        was = super().stop_playing()
        if (was or self._awaited) and not self.over.is_set():
            self._send("clear")
        return was

    async def played(self) -> None:
        """Wait until the caller has heard everything, as far as the carrier tells."""
        await super().played()
        over = asyncio.create_task(self.over.wait())
        heard = asyncio.create_task(self._heard_all.wait())
        await asyncio.wait((over, heard), timeout=MARK_S, return_when=asyncio.FIRST_COMPLETED)
        over.cancel()
        heard.cancel()

    async def disconnect(self) -> None:
        await self._close()

    def _send(self, event: str, **content: Any) -> None:
        if self.outgoing.qsize() >= LONGEST_BACKLOG:
            self.ended("failure")
            return
        self.outgoing.put_nowait(json.dumps({"event": event, "streamSid": self.stream, **content}))
