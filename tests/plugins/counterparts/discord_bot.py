"""A Discord bot without a library: `python discord_bot.py BASE_URL`. It connects again and again.

It tells the first thing said in a channel. What it is told may be a fault.
"""

import asyncio
import json
import sys

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

BASE = sys.argv[1]
first: dict[str, str] = {}


async def say(client: httpx.AsyncClient, channel: str, text: str) -> None:
    await client.post(f"{BASE}/api/v10/channels/{channel}/messages", json={"content": text})


async def answer(client: httpx.AsyncClient, channel: str, text: str) -> None:
    if text == "silent":
        return
    if text == "slow":
        for number in range(40):
            await say(client, channel, str(number))
            await asyncio.sleep(0.05)
    await say(client, channel, f"first was {first.setdefault(channel, text)}")


async def talk(client: httpx.AsyncClient) -> None:
    answering = set()
    async with connect(BASE.replace("http", "ws", 1) + "/gateway?v=10&encoding=json", proxy=None) as line:
        async for frame in line:
            event = json.loads(frame)
            if event["op"] == 10:
                await line.send(json.dumps({"op": 2, "d": {"token": "TEST", "intents": 1}}))
            if event["t"] == "MESSAGE_CREATE":
                said = event["d"]
                answering.add(asyncio.create_task(answer(client, said["channel_id"], said["content"])))


async def main() -> None:
    async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
        while True:
            try:
                await talk(client)
            except (OSError, WebSocketException):
                pass
            await asyncio.sleep(0.05)


asyncio.run(main())
