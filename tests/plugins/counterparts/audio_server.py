"""A bot that is spoken to through a WebSocket: `python audio_server.py PORT`. Knows nothing of ours.

It says again what it heard, piece by piece. The path says how: `talk` (binary frames, a frame says when a
turn is done), `base64` (sound in JSON), `pause` (a turn ends with silence, and nothing marks the end of its
own), `closes` (it closes the connection when it has answered), `long` (it speaks until it is stopped). To a
turn in writing it tells the first one.
"""

import asyncio
import base64
import json
import sys
from typing import Any

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

PIECE = 3201  # bytes: an odd number, so that samples are cut in two
PAUSE = bytes(16_000)  # half a second at 16 kHz
HUM = b"\x00\x20" * 1600


class Talk:
    def __init__(self, socket: ServerConnection) -> None:
        self.socket, self.how = socket, socket.request.path.partition("?")[0].strip("/")
        self.heard, self.first, self.stopped_ms = b"", "", None
        self.humming: asyncio.Task[None] | None = None

    async def tell(self, **fields: Any) -> None:
        await self.socket.send(json.dumps(fields))

    async def take(self, frame: str | bytes) -> None:
        if isinstance(frame, bytes):
            self.heard += frame
            if self.how == "pause" and self.heard.endswith(PAUSE) and self.heard.strip(b"\x00"):
                await self.answer()
            return
        told = json.loads(frame)
        kind = told.get("type")
        if "sound" in told:
            self.heard += base64.b64decode(told["sound"], validate=True)
        elif kind == "begin":
            await self.tell(type="ready", language=told["language"])
        elif kind == "done":
            await self.answer()
        elif kind == "stop":
            await self.stop(told["at"])
        else:
            self.first = self.first or told["text"]
            await self.tell(say=f"first was {self.first}", done=True)

    async def answer(self) -> None:
        sound, self.heard = self.heard, b""
        if self.how == "long":
            self.humming = asyncio.create_task(self.hum())
            return
        await self.tell(type="thinking")
        for start in range(0, len(sound), PIECE):
            piece = sound[start : start + PIECE]
            if self.how == "base64":
                await self.tell(audio={"data": base64.b64encode(piece).decode()})
            else:
                await self.socket.send(piece)
        if self.how == "closes":
            await self.socket.close()
        elif self.how != "pause":
            known = f"{len(sound)} bytes, first {sound[:6].hex()}"
            await self.tell(say="that was it", understood=known, done=True)

    async def hum(self) -> None:
        while True:
            await self.socket.send(HUM)
            await asyncio.sleep(0.02)

    async def stop(self, at_ms: int) -> None:
        if self.humming is not None:
            self.humming.cancel()
            self.humming = None
            await self.tell(say=f"stopped at {at_ms}", done=True)


async def talk(socket: ServerConnection) -> None:
    one = Talk(socket)
    try:
        async for frame in socket:
            await one.take(frame)
    except ConnectionClosed:
        pass
    finally:
        if one.humming is not None:
            one.humming.cancel()


async def main(port: int) -> None:
    async with serve(talk, "127.0.0.1", port, open_timeout=None) as server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
