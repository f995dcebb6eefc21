"""A server that answers in every wrong way there is: `python faulty_server.py PORT`. Knows nothing of ours.

The path names the fault. Each connection is answered once; requests are counted by path under /count/PATH.
"""

import asyncio
import json
import sys

CHUNK = {"id": "x", "object": "chat.completion.chunk"}
counts: dict[str, int] = {}


def http(body: bytes, status: str = "200 OK", kind: str = "application/json", extra: str = "") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
    head += f"Connection: close\r\n{extra}\r\n"
    return head.encode() + body


def frame(text: str) -> bytes:
    return (
        f"data: {json.dumps({**CHUNK, 'choices': [{'index': 0, 'delta': {'content': text}}]})}\n\n".encode()
    )


def tool_call(**call: object) -> bytes:
    delta = {"tool_calls": [{"index": 0, **call}]}
    return f"data: {json.dumps({**CHUNK, 'choices': [{'index': 0, 'delta': delta}]})}\n\n".encode()


STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
ANSWERS = {
    "error500": http(b'{"error": "broken"}', "500 Internal Server Error"),
    "error401": http(b'{"error": {"message": "no such key hunter2secret"}}', "401 Unauthorized"),
    "html": http(b"<html><body>Welcome</body></html>", kind="text/html"),
    "empty": http(b""),
    "notext": http(b'{"answer": "hello"}'),
    "wrongtype": http(b'{"text": 42}'),
    "wronglist": http(b'{"text": ["a", {"b": 1}]}'),
    "notutf8": http(b'{"text": "caf\xe9"}'),
    "nul": http(b'{"text": "a\\u0000b\\ud800c", "score": NaN}'),
    "deep": http(b"[" * 100_000),
    "redirect": http(b"", "302 Found", extra="Location: http://127.0.0.1:1/elsewhere\r\n"),
    "huge": http(b'{"text": "' + b"x" * 5_000_000 + b'"}'),
    "half": http(b'{"text": "hello"}')[:-8],
    "garbage": b"\x00\x01\x02 this is not HTTP\r\n\r\n",
    "closed": b"",
    "badextras": http(b'{"text": "fine", "acts": ["x"], "understood": 3, "choices": 7, "end": "no"}'),
    "echokey": http(b'{"text": "your key is hunter2secret"}'),
    "streamcut": STREAM + frame("half an ") + frame("answer"),
    "streamerror": STREAM + frame("half") + b'data: {"error": {"message": "overloaded"}}\n\n',
    "streamjunk": STREAM + b"data: not json\n\n",
    "streamodd": STREAM
    + b": a comment\n\n"
    + frame("all ")
    + b'data: {"choices": [], "usage": {"total_tokens": 3}}\n\n'
    + b": ping\n\n"
    + frame("well")
    + b"data: [DONE]\n\n",
    "tools": STREAM
    + tool_call(id="c1", function={"name": "book"})
    + tool_call(function={"arguments": '{"at":'})
    + tool_call(function={"arguments": " 7}"})
    + frame("Booked.")
    + b"data: [DONE]\n\n",
    "streamempty": STREAM + b"data: [DONE]\n\n",
    "plain": http(b'{"choices": [{"message": {"content": "not streamed"}, "finish_reason": "stop"}]}'),
    "nochoices": http(b'{"choices": []}'),
}


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        path = head.split(b" ")[1].decode().split("?")[0].strip("/").split("/")
        length = next(
            (int(line[15:]) for line in head.lower().split(b"\r\n") if line[:15] == b"content-length:"), 0
        )
        await reader.readexactly(length)
        name = path[0]
        if name == "count":
            writer.write(http(json.dumps({"text": str(counts.get(path[1], 0))}).encode()))
        else:
            counts[name] = counts.get(name, 0) + 1
            await fault(name, writer)
        await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


async def fault(name: str, writer: asyncio.StreamWriter) -> None:
    if name == "silent":
        await asyncio.sleep(30)
    elif name == "slow":
        head, body = http(b'{"text": "' + b"x" * 40 + b'"}').split(b"\r\n\r\n")
        writer.write(head + b"\r\n\r\n")
        for index in range(len(body)):
            writer.write(body[index : index + 1])
            await writer.drain()
            await asyncio.sleep(0.05)
    elif name == "streamslow":
        writer.write(STREAM + frame("begun"))
        await writer.drain()
        await asyncio.sleep(30)
    elif name == "busy":
        busy = http(b"{}", "429 Too Many Requests", extra="Retry-After: 0.2\r\n")
        writer.write(http(b'{"text": "second time"}') if counts["busy"] > 1 else busy)
    elif name == "once":
        writer.write(http(b'{"text": "second time"}') if counts["once"] > 1 else b"")
    else:
        writer.write(ANSWERS[name])


async def main(port: int) -> None:
    server = await asyncio.start_server(answer, "127.0.0.1", port)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
