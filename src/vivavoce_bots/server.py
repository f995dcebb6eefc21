"""A bot behind a server: HTTP with JSON, chat completions (OpenAI), Rasa's REST channel, WebSocket."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from vivavoce_bots.acts import Reply
from vivavoce_bots.answering import Answering, OutOfOrder
from vivavoce_bots.bot import Bot
from vivavoce_bots.damage import Damage

CHANNELS: Final = ("http", "openai", "rasa", "websocket")
_LONGEST_BODY = 200_000
_RASA_OPENINGS: Final = ("/session_start", "/restart", "/start")


class Malformed(Exception):
    """The request is not what the interface expects; the message says what is wrong."""


class Server:
    """One bot, its conversations, and the damage that it was told to suffer."""

    def __init__(self, bot: Bot, *, seed: int = 1, damage: Damage = Damage()) -> None:
        self._answering = Answering(bot, seed=seed, damage=damage)

    def app(self, channels: Sequence[str] = CHANNELS) -> Starlette:
        """The application with these channels, all by default; `/health` is always there."""
        routes: dict[str, list[BaseRoute]] = {
            "http": [
                Route("/chat", self.chat, methods=["POST"]),
                Route("/reset", self.reset, methods=["POST"]),
            ],
            "openai": [Route("/v1/chat/completions", self.completions, methods=["POST"])],
            "rasa": [Route("/webhooks/rest/webhook", self.rasa, methods=["POST"])],
            "websocket": [WebSocketRoute("/ws", self.websocket)],
        }
        chosen = [route for channel in channels for route in routes[channel]]
        return Starlette(
            routes=[*chosen, Route("/health", self.health)],
            exception_handlers={
                Malformed: _malformed,
                OutOfOrder: _out_of_order,
                ClientDisconnect: _gone,
            },
        )

    async def health(self, _: Request) -> Response:
        held = self._answering
        return JSONResponse({"status": "ok", "bot": held.bot.name, "conversations": held.conversations})

    async def chat(self, request: Request) -> Response:
        body = await _body(request)
        key = _text(body, "conversation")
        if not key:
            raise Malformed("'conversation' is missing")
        language, turn = _text(body, "language", "en"), _text(body, "turn")
        reply = await self._answering.turn(key, language, _hypotheses(body), turn)
        return JSONResponse(reply.as_json())

    async def reset(self, request: Request) -> Response:
        self._answering.forget(_text(await _body(request), "conversation"))
        return JSONResponse({"status": "ok"})

    async def completions(self, request: Request) -> Response:
        """Chat completions keep no memory: the user's messages are answered one after the other afresh."""
        body = await _body(request)
        said = _said(body)
        reply = await self._answering.afresh(said[0] if said else "", _text(body, "language", "en"), said)
        model = _text(body, "model", self._answering.bot.name)
        if body.get("stream") is True:
            return StreamingResponse(_chunks(reply, model), media_type="text/event-stream")
        message = {"role": "assistant", "content": reply.text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return JSONResponse({"id": "bot", "object": "chat.completion", "model": model, "choices": [choice]})

    async def rasa(self, request: Request) -> Response:
        """Rasa's REST channel; `/session_start` begins the sender's conversation anew and is greeted."""
        body = await _body(request)
        sender, message = _text(body, "sender", "default"), _text(body, "message")
        metadata = body.get("metadata")
        language = _text(metadata, "language", "en") if isinstance(metadata, dict) else "en"
        if message.strip() in _RASA_OPENINGS:
            self._answering.forget(sender)
            message = ""
        reply = await self._answering.turn(sender, language, [(message, None)])
        return JSONResponse([{"recipient_id": sender, "text": reply.text}])

    async def websocket(self, socket: WebSocket) -> None:
        """Frames of JSON or text; `?greeting=1` speaks first, `?language=it` is for frames of text."""
        await socket.accept()
        asked = socket.query_params
        key, language = f"socket-{id(socket)}", asked.get("language", "en")
        try:
            if asked.get("greeting"):
                await self._send_turn(socket, key, language, [("", None)])
            while True:
                frame = await socket.receive_text()
                await self._take_frame(socket, key, language, frame)
        except (WebSocketDisconnect, KeyError):
            pass  # gone, or a frame of bytes
        except OutOfOrder:
            with suppress(RuntimeError):
                await socket.close(1011)
        finally:
            self._answering.forget(key)

    async def _take_frame(self, socket: WebSocket, key: str, language: str, frame: str) -> None:
        try:
            body = json.loads(frame)
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            await self._send_turn(socket, key, language, [(frame[:_LONGEST_BODY], None)])
            return
        try:
            texts, language = _hypotheses(body), _text(body, "language", language)
        except Malformed as error:
            await socket.send_json({"error": str(error), "turn_end": True})
            return
        await self._send_turn(socket, key, language, texts)

    async def _send_turn(
        self, socket: WebSocket, key: str, language: str, texts: list[tuple[str, float | None]]
    ) -> None:
        reply = await self._answering.turn(key, language, texts)
        await socket.send_json({**reply.as_json(), "turn_end": True})


async def _chunks(reply: Reply, model: str) -> AsyncIterator[str]:
    frame = {"id": "bot", "object": "chat.completion.chunk", "model": model}
    words = reply.text.split(" ")
    for index, word in enumerate(words):
        piece = word if index == len(words) - 1 else word + " "
        choice = {"index": 0, "delta": {"content": piece}, "finish_reason": None}
        yield f"data: {json.dumps({**frame, 'choices': [choice]})}\n\n"
    stop = {"index": 0, "delta": {}, "finish_reason": "stop"}
    yield f"data: {json.dumps({**frame, 'choices': [stop]})}\n\n"
    yield "data: [DONE]\n\n"


async def _malformed(_: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, status_code=400)


async def _out_of_order(_: Request, __: Exception) -> Response:
    return JSONResponse({"error": {"message": "out of order"}}, status_code=500)


async def _gone(_: Request, __: Exception) -> Response:
    return Response(status_code=499)  # nobody is there to read it


async def _body(request: Request) -> dict[str, Any]:
    received = b""
    async for chunk in request.stream():
        received += chunk
        if len(received) > _LONGEST_BODY:
            raise Malformed(f"the body is larger than {_LONGEST_BODY} bytes")
    try:
        body = json.loads(received)
    except (ValueError, RecursionError):
        raise Malformed("the body is not JSON") from None
    if not isinstance(body, dict):
        raise Malformed("the body is not a JSON object")
    return body


def _text(body: dict[str, Any], name: str, otherwise: str = "") -> str:
    value = body.get(name)
    if value is None:
        return otherwise
    if not isinstance(value, str):
        raise Malformed(f"{name!r} is not text")
    return value


def _hypotheses(body: dict[str, Any]) -> list[tuple[str, float | None]]:
    """Hypotheses of a turn when there are any, else its text."""
    given = body.get("hypotheses")
    if given is None or given == []:
        return [(_text(body, "text"), None)]
    if not isinstance(given, list):
        raise Malformed("'hypotheses' is not a list")
    return [_hypothesis(item) for item in given]


def _hypothesis(item: Any) -> tuple[str, float | None]:
    if not isinstance(item, dict) or not isinstance(item.get("text"), str):
        raise Malformed("a hypothesis has no 'text'")
    score = item.get("score")
    if score is not None and (isinstance(score, bool) or not isinstance(score, (int, float))):
        raise Malformed("the score of a hypothesis is not a number")
    return item["text"], score


def _said(body: dict[str, Any]) -> list[str]:
    """The user's messages of a chat completion request."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise Malformed("'messages' is not a list of messages")
    said = [message.get("content") for message in messages if message.get("role") == "user"]
    if not all(isinstance(text, str) for text in said):
        raise Malformed("the content of a message is not text")
    return [str(text) for text in said]
