"""Bots that are Python functions, good and bad."""

import os
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any


async def remembers(text: str, session: dict[str, Any]) -> str:
    session.setdefault("first", text)
    return f"first was {session['first']}"


async def streams(text: str, session: dict[str, Any]) -> AsyncIterator[str]:
    yield "all "
    yield "well"


def blocking(text: str, session: dict[str, Any]) -> str:
    time.sleep(30 if text == "block" else 0)
    return f"said {text}"


def generates(text: str, session: dict[str, Any]) -> Iterator[str]:
    yield from ("one ", "two")


async def mapping(text: str, session: dict[str, Any]) -> dict[str, Any]:
    print("this goes to standard error")
    acts = [{"act": "request", "slot": "area"}]
    return {"text": "where?", "choices": ["north", "south"], "acts": acts, "end": text == "bye"}


async def faulty(text: str, session: dict[str, Any]) -> Any:
    if text == "raise":
        raise ValueError("no such thing, hunter2secret")
    if text == "exit":
        os._exit(7)
    if text == "sleep":
        import asyncio

        await asyncio.sleep(60)
    if text == "block":
        time.sleep(60)
    if text == "object":
        return object()
    if text == "none":
        return None
    if text == "environment":
        return os.environ.get("SECRET_OF_THE_SERVER", "nothing") + " " + os.environ.get("MINE", "nothing")
    return "well"
