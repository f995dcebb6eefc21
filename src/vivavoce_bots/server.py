"""A bot behind HTTP: /chat with JSON, /v1/chat/completions as OpenAI speaks it, /reset, /health."""

import asyncio
import json
from collections.abc import AsyncIterator
from random import Random
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from vivavoce_bots.acts import Reply
from vivavoce_bots.bot import Bot
from vivavoce_bots.damage import Damage, damaged
from vivavoce_bots.memory import Memory

_LONGEST_BODY = 200_000


class Malformed(Exception):
    """The request is not what the interface expects; the message says what is wrong."""


class Server:
    """One bot, its conversations, and the damage that it was told to suffer."""

    def __init__(self, bot: Bot, *, seed: int = 1, damage: Damage = Damage()) -> None:
        self._bot, self._delay_s, self._fail_rate = (
            damaged(bot, damage, seed),
            damage.delay_s,
            damage.fail_rate,
        )
        self._chance = Random(f"failures:{seed}")
        self._memory: Memory[Any] = Memory()

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/chat", self.chat, methods=["POST"]),
                Route("/reset", self.reset, methods=["POST"]),
                Route("/v1/chat/completions", self.completions, methods=["POST"]),
                Route("/health", self.health),
            ],
            exception_handlers={Malformed: _malformed, ClientDisconnect: _gone},
        )

    async def health(self, _: Request) -> Response:
        return JSONResponse({"status": "ok", "bot": self._bot.name, "conversations": len(self._memory)})

    async def chat(self, request: Request) -> Response:
        body = await _body(request)
        key = _text(body, "conversation")
        if not key:
            raise Malformed("'conversation' is missing")
        language = _text(body, "language", "en")
        held = self._memory.get(key, lambda: self._bot.session(key, language))
        turn = _text(body, "turn")
        answered = held.answers.get(turn) if turn else None
        if answered is not None:
            return JSONResponse(answered.as_json())
        texts = _hypotheses(body)
        await asyncio.sleep(self._delay_s)
        if self._chance.random() < self._fail_rate:
            return JSONResponse({"error": "out of order"}, status_code=500)
        reply = held.answers.get(turn) or self._answer(held.state, texts)
        if turn:
            held.answers[turn] = reply
        return JSONResponse(reply.as_json())

    async def reset(self, request: Request) -> Response:
        self._memory.forget(_text(await _body(request), "conversation"))
        return JSONResponse({"status": "ok"})

    async def completions(self, request: Request) -> Response:
        """Chat completions keep no memory: the user's messages are answered one after the other afresh."""
        body = await _body(request)
        said = _said(body)
        await asyncio.sleep(self._delay_s)
        if self._chance.random() < self._fail_rate:
            return JSONResponse({"error": {"message": "out of order"}}, status_code=500)
        session = self._bot.session(said[0] if said else "", _text(body, "language", "en"))
        reply = self._bot.greet(session)
        for text in said:
            reply = self._answer(session, [(text, None)])
        model = _text(body, "model", self._bot.name)
        if body.get("stream") is True:
            return StreamingResponse(_chunks(reply, model), media_type="text/event-stream")
        message = {"role": "assistant", "content": reply.text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return JSONResponse({"id": "bot", "object": "chat.completion", "model": model, "choices": [choice]})

    def _answer(self, session: Any, texts: list[tuple[str, float | None]]) -> Reply:
        if not any(text.strip() for text, _ in texts):
            return self._bot.greet(session)
        return self._bot.reply(session, texts)


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
    """What was said: the hypotheses when there are any, else the text."""
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
