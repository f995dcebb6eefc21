"""A bot behind HTTP, with three interfaces: `python chat_server.py PORT`. Knows nothing of ours.

/chat takes {"conversation", "text"} and /v1/chat/completions streams; both tell the first thing said.
/webhooks/rest/webhook speaks as Rasa does, /events streams server-sent events, /talk is a WebSocket.
/sessions opens a session of its own, with messages and an end.
"""

import asyncio
import json
import sys

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

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


async def rasa(request: Request) -> Response:
    """As Rasa 3.6: a conversation's first message begins a session, and so does /session_start."""
    body = await request.json()
    sender, text = body["sender"], body["message"]
    starts = (sender not in begun) + (text == "/session_start")
    begun.add(sender)
    welcomes = starts if body.get("metadata", {}).get("welcome") else 0
    said: list[dict[str, object]] = [{"recipient_id": sender, "text": "Welcome."}] * welcomes
    if text == "menu":
        buttons = [{"title": "Yes", "payload": "/affirm"}]
        said += [{"recipient_id": sender, "text": "Well?", "buttons": buttons}]
        said += [{"recipient_id": sender, "image": "https://example.org/a.png"}]
    elif text not in ("/session_start", "hush"):
        said += [{"recipient_id": sender, "text": f"first was {first.setdefault(sender, text)}"}]
    return JSONResponse(said)


async def events(request: Request) -> Response:
    body = await request.json()
    said = first.setdefault(body["conversation"], body["text"])

    async def stream():
        for piece in ("first ", "was ", said):
            yield f"data: {json.dumps({'delta': piece})}\n\n"
        yield "event: end\ndata: {}\n\n"

    return StreamingResponse(stream(), media_type="text/event-stream")


async def talk(socket: WebSocket) -> None:
    await socket.accept()
    said = None
    try:
        while True:
            frame = await socket.receive_json()
            said = said or frame["text"]
            await socket.send_json({"piece": "first "})
            await socket.send_json({"piece": f"was {said}"})
            await socket.send_json({"text": f"first was {said}", "choices": ["again"]})
            await socket.send_json({"done": True})
    except WebSocketDisconnect:
        pass


async def begin(request: Request) -> Response:
    session = f"s{len(sessions) + 1}"
    sessions[session] = []
    return JSONResponse({"id": session, "replies": [{"say": "hi"}], "key": request.headers.get("x-key")})


async def message(request: Request) -> Response:
    said = sessions.get(request.path_params["session"])
    if said is None:
        return JSONResponse({"error": "no such session"}, status_code=404)
    said.append((await request.json())["q"])
    replies = [] if said[-1] == "be quiet" else [{"say": "so far:"}, {"say": ", ".join(said)}]
    return JSONResponse({"replies": replies, "over": said[-1] == "bye", "buttons": ["again"]})


async def finish(request: Request) -> Response:
    sessions.pop(request.path_params["session"], None)
    return Response(status_code=204)


async def count(_: Request) -> Response:
    return JSONResponse({"text": str(len(sessions))})


sessions: dict[str, list[str]] = {}
begun: set[str] = set()
app = Starlette(
    routes=[
        Route("/sessions", begin, methods=["POST"]),
        Route("/sessions/{session}/messages", message, methods=["POST"]),
        Route("/sessions/{session}", finish, methods=["DELETE"]),
        Route("/count", count, methods=["POST"]),
        Route("/webhooks/rest/webhook", rasa, methods=["POST"]),
        Route("/events", events, methods=["POST"]),
        WebSocketRoute("/talk", talk),
        Route("/chat", chat, methods=["POST"]),
        Route("/v1/chat/completions", completions, methods=["POST"]),
    ]
)

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
