"""A stand-in for OpenAI's Realtime interface: `python realtime_server.py PORT`. Knows nothing of ours.

It takes the events that the published interface has, answers others with an error event, and tells the first
thing said: in text, or in speech with a transcript. What it hears of speech is how long it was. The model
`tools` calls a tool, `fails` fails, `echo` says again what it heard, `long` speaks until it is cancelled, and
then tells what it was made to forget; every event it sends has the fields of the published types.
"""

import asyncio
import base64
import itertools
import json
import sys
from typing import Any
from urllib.parse import parse_qs, urlsplit

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

numbers = itertools.count(1)


def new(prefix: str) -> str:
    return f"{prefix}_{next(numbers)}"


class Session:
    def __init__(self, socket: ServerConnection) -> None:
        query = parse_qs(urlsplit(socket.request.path).query)
        self.socket, self.model = socket, query["model"][0]
        self.session: dict[str, Any] = {"output_modalities": ["audio"]}
        self.said: list[str] = []
        self.buffer = self.sound = b""
        self.truncated: list[int] = []
        self.speaking: asyncio.Task[None] | None = None
        self.sent_ms = 0

    async def send(self, kind: str, **fields: Any) -> None:
        await self.socket.send(json.dumps({"event_id": new("event"), "type": kind, **fields}))

    async def wrong(self, message: str, by: str | None = None) -> None:
        error = {"type": "invalid_request_error", "code": "invalid_value", "message": message, "event_id": by}
        await self.send("error", error=error)

    async def take(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        if kind == "session.update":
            if event["session"].get("type") != "realtime":
                return await self.wrong("session.type must be realtime")
            self.session |= event["session"]
            await self.send("session.updated", session=self.session)
        elif kind == "conversation.item.create":
            await self.add(event["item"])
        elif kind == "input_audio_buffer.append":
            self.buffer += base64.b64decode(event["audio"])
        elif kind == "input_audio_buffer.commit":
            await self.commit()
        elif kind == "response.create":
            await self.respond()
        elif kind == "response.cancel":
            await self.cancel(event)
        elif kind == "conversation.item.truncate":
            await self.truncate(event)
        else:
            await self.wrong(f"unknown event {kind}")
        return None

    async def add(self, item: dict[str, Any]) -> None:
        wanted = {"user": "input_text", "assistant": "output_text"}.get(item.get("role", ""))
        if item.get("type") != "message" or any(part["type"] != wanted for part in item["content"]):
            return await self.wrong("the item is no message")
        if item["role"] == "user":
            self.said.append(item["content"][0]["text"])
        known = {"id": new("item"), "status": "completed", **item}
        await self.send("conversation.item.added", item=known, previous_item_id=None)
        await self.send("conversation.item.done", item=known, previous_item_id=None)
        return None

    async def commit(self) -> None:
        if not self.buffer:
            return await self.wrong("the buffer is empty")
        heard, item = f"{len(self.buffer) // 2} samples", new("item")
        self.sound, self.buffer = self.buffer, b""
        self.said.append(heard)
        await self.send("input_audio_buffer.committed", item_id=item, previous_item_id=None)
        if (writing := self.session["audio"]["input"].get("transcription")) is not None:
            takes_s = 2.0 if writing["model"] == "unhurried" else 0.2
            later = asyncio.get_running_loop().call_later
            later(takes_s, lambda: asyncio.ensure_future(self.write_down(item)))
        return None

    async def write_down(self, item: str) -> None:
        kind = "conversation.item.input_audio_transcription.completed"
        usage = {"type": "duration", "seconds": 1}
        await self.send(kind, item_id=item, content_index=0, transcript=self.said[-1], usage=usage)

    async def respond(self) -> None:
        response, item = new("resp"), new("item")
        await self.send("response.created", response={"id": response, "status": "in_progress", "output": []})
        if self.model == "fails":
            error = {"type": "server_error", "code": "overloaded"}
            details = {"type": "failed", "error": error}
            done = {"id": response, "status": "failed", "status_details": details, "output": []}
            return await self.send("response.done", response=done)
        if self.model == "tools":
            call = {"id": item, "type": "function_call", "status": "completed", "call_id": "c1"}
            call |= {"name": "book", "arguments": '{"at": 7}'}
            await self.send("response.output_item.done", response_id=response, output_index=0, item=call)
            done = {"id": response, "status": "completed", "output": [call]}
            return await self.send("response.done", response=done)
        if self.model == "long" and not self.truncated:
            self.speaking = asyncio.create_task(self.speak_long(response, item))
            return None
        if self.model == "long":
            return await self.speak(response, item, f"forgot after {self.truncated[-1]} ms")
        await self.speak(response, item, f"first was {self.said[0]}" if self.said else "Hello!")
        return None

    async def speak(self, response: str, item: str, words: str) -> None:
        spoken = "audio" in self.session["output_modalities"]
        place = {"response_id": response, "item_id": item, "output_index": 0, "content_index": 0}
        kind = "response.output_audio_transcript.delta" if spoken else "response.output_text.delta"
        for piece in (words[:6], words[6:]):
            await self.send(kind, delta=piece, **place)
            if spoken:
                half = len(self.sound) // 4 * 2
                heard = self.sound[:half] if piece == words[:6] else self.sound[half:]
                sound = base64.b64encode(heard if self.model == "echo" else b"\x01\x02" * 2400).decode()
                await self.send("response.output_audio.delta", delta=sound, **place)
        part = (
            {"type": "output_audio", "transcript": words}
            if spoken
            else {"type": "output_text", "text": words}
        )
        made = {"id": item, "type": "message", "role": "assistant", "status": "completed", "content": [part]}
        await self.send("response.output_item.done", response_id=response, output_index=0, item=made)
        done = {"id": response, "status": "completed", "output": [made], "usage": {"total_tokens": 7}}
        await self.send("response.done", response=done)

    async def speak_long(self, response: str, item: str) -> None:
        place = {"response_id": response, "item_id": item, "output_index": 0, "content_index": 0}
        sound = base64.b64encode(b"\x00\x20" * 2400).decode()
        while True:
            self.sent_ms += 100
            await self.send("response.output_audio_transcript.delta", delta="la ", **place)
            await self.send("response.output_audio.delta", delta=sound, **place)
            await asyncio.sleep(0.02)

    async def cancel(self, event: dict[str, Any]) -> None:
        if self.speaking is None:
            return await self.wrong("Cancellation failed: no active response found", event.get("event_id"))
        self.speaking.cancel()
        self.speaking = None
        done = {
            "id": new("resp"),
            "status": "cancelled",
            "output": [],
            "status_details": {"type": "cancelled", "reason": "client_cancelled"},
        }
        await self.send("response.done", response=done)
        return None

    async def truncate(self, event: dict[str, Any]) -> None:
        end_ms = event["audio_end_ms"]
        if self.sent_ms and end_ms > self.sent_ms:
            problem = f"Audio content of {self.sent_ms}ms is already shorter than {end_ms}ms"
            return await self.wrong(problem, event.get("event_id"))
        self.truncated.append(end_ms)
        place = {"item_id": event["item_id"], "content_index": event["content_index"], "audio_end_ms": end_ms}
        await self.send("conversation.item.truncated", **place)
        return None


async def answer(socket: ServerConnection) -> None:
    session = Session(socket)
    try:
        await session.send("session.created", session={"type": "realtime", "model": session.model})
        async for frame in socket:
            await session.take(json.loads(frame))
    except ConnectionClosed:
        pass


async def main(port: int) -> None:
    async with serve(answer, "127.0.0.1", port, open_timeout=None) as server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
