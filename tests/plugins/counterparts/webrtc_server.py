"""A bot that is spoken to over WebRTC: `python webrtc_server.py PORT`. Knows nothing of ours.

It takes an offer by POST, as JSON at `/offer` and as plain SDP at `/sdp`, and says again what it heard once
it was told `{"type": "done"}` or, on a channel `pauses`, heard half a second of silence; then it sends a
message. `{"type": "stop"}` stops it. To a turn in writing it tells the first one. Other paths answer an offer
in wrong ways.
"""

import asyncio
import fractions
import json
import sys
from collections import deque
from typing import Any

import numpy as np
from aiohttp import web
from aiortc import MediaStreamTrack, RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError
from av import AudioFrame

FRAME, RATE = 960, 48_000
HALF_A_SECOND = 25  # frames


class Mouth(MediaStreamTrack):
    kind = "audio"

    def __init__(self) -> None:
        super().__init__()
        self.going: deque[np.ndarray] = deque()
        self.sent, self.due = 0, 0.0

    async def recv(self) -> AudioFrame:
        now = asyncio.get_running_loop().time()
        due = self.due if now - self.due < 0.06 else now  # late frames in a burst would be lost
        self.due = due + 0.02
        await asyncio.sleep(max(0.0, due - now))
        samples = self.going.popleft() if self.going else np.zeros(FRAME, np.int16)
        frame = AudioFrame.from_ndarray(samples.reshape(1, -1), format="s16", layout="mono")
        frame.sample_rate, frame.time_base = RATE, fractions.Fraction(1, RATE)
        frame.pts, self.sent = self.sent * FRAME, self.sent + 1
        return frame


class Talk:
    def __init__(self) -> None:
        self.connection, self.mouth = RTCPeerConnection(), Mouth()
        self.connection.addTrack(self.mouth)
        self.connection.on("track", lambda track: asyncio.ensure_future(self.listen(track)))
        self.connection.on("datachannel", self.channel_came)
        self.heard: list[np.ndarray] = []
        self.quiet, self.first, self.channel = 0, "", None
        self.working: list[asyncio.Future[None]] = []

    def channel_came(self, channel: Any) -> None:
        self.channel = channel
        channel.on("message", lambda message: self.told(json.loads(message)))

    def tell(self, **fields: Any) -> None:
        self.channel.send(json.dumps(fields))

    def told(self, message: dict[str, Any]) -> None:
        if message.get("type") == "done":
            self.working.append(asyncio.ensure_future(self.answer()))
        elif message.get("type") == "stop":
            self.mouth.going.clear()
        elif "text" in message:
            self.first = self.first or message["text"]
            self.tell(say=f"first was {self.first}", done=True)

    async def listen(self, track: MediaStreamTrack) -> None:
        while True:
            try:
                frame = await track.recv()
            except MediaStreamError:
                return
            samples = frame.to_ndarray().reshape(-1, len(frame.layout.channels))[:, 0].copy()
            loud = np.abs(samples.astype(int)).max() > 300
            self.quiet = 0 if loud else self.quiet + 1
            if loud or self.heard:
                self.heard.append(samples)
            if self.heard and self.quiet == HALF_A_SECOND and self.channel.label == "pauses":
                await self.answer()

    async def answer(self) -> None:
        await asyncio.sleep(0.3)  # the last of it may be on its way
        sound, self.heard = (np.concatenate(self.heard), []) if self.heard else (np.zeros(0, np.int16), [])
        whole = sound[: len(sound) // FRAME * FRAME].reshape(-1, FRAME)
        self.mouth.going.extend(whole)
        self.tell(understood=f"{len(whole) / 50:.1f} s", type="thinking")
        while self.mouth.going:
            await asyncio.sleep(0.01)
        self.tell(say="that was it", done=True)


async def offered(request: web.Request) -> web.Response:
    talk = Talk()
    request.app["talks"].append(talk)
    if request.path == "/sdp":
        offer = RTCSessionDescription(await request.text(), "offer")
    else:
        offer = RTCSessionDescription(**await request.json())
    await talk.connection.setRemoteDescription(offer)
    await talk.connection.setLocalDescription(await talk.connection.createAnswer())
    made = talk.connection.localDescription
    if request.path == "/sdp":
        return web.Response(text=made.sdp, content_type="application/sdp", status=201)
    return web.json_response({"sdp": made.sdp, "type": made.type, "pc_id": "one"})


async def wrong(request: web.Request) -> web.Response:
    if request.match_info["fault"] == "garbage":
        return web.Response(text="\x00 this is no JSON")
    if request.match_info["fault"] == "nowhere":
        return web.json_response({"sdp": "v=0\r\n", "type": "answer"})
    return web.json_response({"nothing": True})


async def main(port: int) -> None:
    app = web.Application()
    app["talks"] = []
    app.add_routes([web.post("/offer", offered), web.post("/sdp", offered), web.post("/{fault}", wrong)])
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
