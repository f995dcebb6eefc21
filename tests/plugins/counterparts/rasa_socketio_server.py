"""A Rasa server as its Socket.IO channel shows it: `python rasa_socketio_server.py PORT`.

Knows nothing of ours. What it is told may be a fault.
"""

import asyncio
import sys
from typing import Any

import socketio
import uvicorn

server = socketio.AsyncServer(async_mode="asgi")
first: dict[str, str] = {}


@server.on("session_request")
async def begin(sid: str, content: dict[str, Any]) -> None:
    await server.emit("session_confirm", content["session_id"], to=sid)


@server.on("user_uttered")
async def uttered(sid: str, content: dict[str, Any]) -> None:
    text = content["message"]
    if text == "silent":
        return
    if text == "garbage":
        await server.emit("bot_uttered", [1, 2], to=sid)
        return
    if text == "closed":
        await server.disconnect(sid)
        return
    if text == "slow":
        for _ in range(40):
            await server.emit("bot_uttered", {"text": "x"}, to=sid)
            await asyncio.sleep(0.05)
    if text == "menu":
        replies = [{"title": "Yes", "payload": "/affirm", "content_type": "text"}]
        await server.emit("bot_uttered", {"text": "Well?", "quick_replies": replies}, to=sid)
        picture = {"type": "image", "payload": {"src": "https://example.org/a.png"}}
        await server.emit("bot_uttered", {"attachment": picture}, to=sid)
        return
    said = first.setdefault(content["session_id"], text)
    await server.emit("bot_uttered", {"text": f"first was {said}"}, to=sid)


if __name__ == "__main__":
    uvicorn.run(socketio.ASGIApp(server), host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
