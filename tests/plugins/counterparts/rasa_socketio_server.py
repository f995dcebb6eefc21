"""A Rasa server as its Socket.IO channel shows it: `rasa_socketio_server.py PORT`, and what follows.

Knows nothing of ours. As in Rasa 3.6 a conversation belongs to the connection, or with `persistent` to the
session id; its first message begins a session, and so does `/session_start`, each with a welcome where the
metadata ask for one; a message is acknowledged when all is said. `renamed` has other names for its events;
`mute` confirms no session. What it is told may be a fault.
"""

import asyncio
import sys
from typing import Any

import socketio
import uvicorn

PERSISTENT, RENAMED = "persistent" in sys.argv, "renamed" in sys.argv
BOT, USER = ("said_bot", "said_user") if RENAMED else ("bot_uttered", "user_uttered")
server = socketio.AsyncServer(async_mode="asgi")
first: dict[str, str] = {}
begun: set[str] = set()
later: set[asyncio.Task[None]] = set()


@server.on("session_request")
async def begin(sid: str, content: dict[str, Any]) -> None:
    if PERSISTENT:
        await server.enter_room(sid, content["session_id"])
    if "mute" not in sys.argv:
        await server.emit("session_confirm", content["session_id"], to=sid)


async def tell(sid: str, content: Any) -> None:
    await server.emit(BOT, content, to=sid)


async def tell_later(sid: str, text: str, seconds: float) -> None:
    await asyncio.sleep(seconds)
    await tell(sid, {"text": text})


@server.on(USER)
async def uttered(sid: str, content: dict[str, Any]) -> None:
    sender = content["session_id"] if PERSISTENT else sid
    text = content["message"]
    starts = (sender not in begun) + (text == "/session_start")
    begun.add(sender)
    for _ in range(starts if content.get("metadata", {}).get("welcome") else 0):
        await tell(sender, {"text": "Welcome."})
    if text not in FAULTS:
        await answer(sender, text, content.get("metadata"))
    elif (fault := FAULTS[text]) is not None:
        await fault(sid, sender)


async def answer(sender: str, text: str, metadata: Any) -> None:
    if text in ("/session_start", "hush"):
        return
    if text == "metadata":
        await tell(sender, {"text": str(metadata)})
    elif text == "hasty":
        later.add(asyncio.create_task(tell_later(sender, "there you are", 0.1)))
    elif text == "menu":
        replies = [{"title": "Yes", "payload": "/affirm", "content_type": "text"}]
        await tell(sender, {"text": "Well?", "quick_replies": replies})
        picture = {"type": "image", "payload": {"src": "https://example.org/a.png"}}
        await tell(sender, {"attachment": picture})
    elif text == "cards":
        link = {"type": "web_url", "title": "See", "url": "https://example.org"}
        press = {"type": "postback", "title": "Take it", "payload": "/take"}
        card = {"title": "Margherita", "subtitle": "5 euro", "image_url": "https://example.org/m.png"}
        payload = {"template_type": "generic", "elements": {**card, "buttons": [link, press]}}
        await tell(sender, {"attachment": {"type": "template", "payload": payload}})
    else:
        await tell(sender, {"text": f"first was {first.setdefault(sender, text)}"})


async def silent(sid: str, sender: str) -> None:
    await asyncio.sleep(3600)


async def garbage(sid: str, sender: str) -> None:
    await tell(sender, [1, 2])


async def closed(sid: str, sender: str) -> None:
    await server.disconnect(sid)


async def slow(sid: str, sender: str) -> None:
    for _ in range(400):
        await tell(sender, {"text": "x"})
        await asyncio.sleep(0.05)


async def tardy(sid: str, sender: str) -> None:
    await tell(sender, {"text": "here you are"})
    await asyncio.sleep(1.0)  # and is acknowledged


FAULTS = {"tardy": tardy, "silent": silent, "garbage": garbage, "closed": closed, "slow": slow}

if __name__ == "__main__":
    uvicorn.run(socketio.ASGIApp(server), host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
