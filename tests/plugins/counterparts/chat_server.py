"""A bot behind HTTP that remembers the first thing it was told: `python chat_server.py PORT`.

/chat takes {"conversation", "text"}; /v1/chat/completions takes messages and streams.
"""

import asyncio
import json
import sys

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

first: dict[str, str] = {}


async def chat(request: Request) -> Response:
    body = await request.json()
    await asyncio.sleep(0.02)
    return JSONResponse({"text": f"first was {first.setdefault(body['conversation'], body['text'])}"})


async def completions(request: Request) -> Response:
    messages = (await request.json())["messages"]
    said = next(message["content"] for message in messages if message["role"] == "user")
    await asyncio.sleep(0.02)

    async def stream():
        for piece in ("first ", "was ", said):
            choice = {"delta": {"content": piece}, "finish_reason": None}
            yield f"data: {json.dumps({'choices': [choice]})}\n\n"
        yield "data: [DONE]\n\n"

    return StreamingResponse(stream(), media_type="text/event-stream")


app = Starlette(
    routes=[
        Route("/chat", chat, methods=["POST"]),
        Route("/v1/chat/completions", completions, methods=["POST"]),
    ]
)

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
