"""An agent with tools behind OpenAI's chat interface: `python agent_server.py PORT [DOMAIN]`.

It runs its tools itself and tells of them in the stream, as servers of agents do: pieces of a tool call, a
message of the role `tool`, the words, the tokens. What it says is what the bundled restaurant bot says.
Every third search fails once and is tried again with the same arguments.
"""

import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from vivavoce_bots.answering import Answering
from vivavoce_bots.catalogue import BOTS

domain = Path(sys.argv[2]) if len(sys.argv) > 2 else None
answering = Answering(BOTS["restaurant"].make(BOTS["restaurant"].variants[0], 1, domain))


def chunk(delta: dict[str, Any], **facts: Any) -> str:
    frame = {"id": "agent", "model": "scripted-agent-2", "choices": [{"index": 0, "delta": delta}], **facts}
    return f"data: {json.dumps(frame)}\n\n"


def searching(key: str, query: str, result: str) -> list[str]:
    """One call of a tool: its name, its arguments in two pieces, and what it gave back."""
    given = json.dumps({"query": query})
    call = {"index": 0, "id": key, "type": "function", "function": {"name": "find_venue", "arguments": ""}}
    pieces = [{"index": 0, "function": {"arguments": part}} for part in (given[:7], given[7:])]
    return [
        *(chunk({"role": "assistant", "tool_calls": [one]}) for one in (call, *pieces)),
        chunk({"role": "tool", "tool_call_id": key, "content": result}),
    ]


async def completions(request: Request) -> Response:
    body = await request.json()
    said = [one["content"] for one in body["messages"] if one["role"] == "user"]
    reply = await answering.afresh(said[0], "en", said)
    read = sum(len(one["content"].split()) for one in body["messages"])

    async def stream() -> AsyncIterator[str]:
        tries = ["timed out"] if len(said) % 3 == 0 else []
        for number, result in enumerate([*tries, f"{len(reply.text)} characters"]):
            for piece in searching(f"call-{len(said)}-{number}", said[-1], result):
                yield piece
        yield chunk({"role": "assistant", "content": reply.text[:5]})
        yield chunk({"content": reply.text[5:]})
        usage = {"prompt_tokens": read, "completion_tokens": len(reply.text.split())}
        yield chunk({}, choices=[], usage=usage | {"prompt_tokens_details": {"cached_tokens": read // 2}})
        yield "data: [DONE]\n\n"

    return StreamingResponse(stream(), media_type="text/event-stream")


async def models(_: Request) -> Response:
    return JSONResponse({"object": "list", "data": [{"id": "scripted-agent-2", "object": "model"}]})


app = Starlette(
    routes=[
        Route("/v1/chat/completions", completions, methods=["POST"]),
        Route("/v1/models", models),
    ]
)

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning", access_log=False)
