"""Bare servers, run by a peer's interpreter: they import Starlette or FastAPI, and nothing of ours.

bare.py bot PORT                 a system under test that answers at once
bare.py relay PORT BOT DATABASE  passes turns on and answers back, each on disk before anybody sees it
bare.py empty PORT               an application of FastAPI with one page
"""

import asyncio
import queue
import sqlite3
import sys
import threading

STAYING = {"timeout_keep_alive": 75, "timeout_graceful_shutdown": 1}  # nobody's pause ends a connection


def serve(app, port: str) -> None:
    import uvicorn

    uvicorn.run(app, port=int(port), log_level="warning", access_log=False, lifespan="on", **STAYING)


def bot(port: str) -> None:
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    async def chat(request):
        await request.body()
        return JSONResponse({"text": "It is a cheap pub in the centre."})

    serve(Starlette(routes=[Route("/chat", chat, methods=["POST"])]), port)


class Book:
    """Commits everybody who waits in one transaction, as any careful relay would."""

    def __init__(self, path: str) -> None:
        self._waiting: queue.SimpleQueue = queue.SimpleQueue()
        threading.Thread(target=self._write, args=(path,), daemon=True).start()

    async def add(self, dialogue: str, party: str, text: str) -> None:
        loop = asyncio.get_running_loop()
        done = loop.create_future()
        self._waiting.put(((dialogue, party, text), loop, done))
        await done

    def _write(self, path: str) -> None:
        database = sqlite3.connect(path, isolation_level=None)
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=FULL")
        database.execute("CREATE TABLE turns (id INTEGER PRIMARY KEY, dialogue, party, text)")
        while True:
            batch = [self._waiting.get()]
            while not self._waiting.empty():
                batch.append(self._waiting.get())
            database.execute("BEGIN IMMEDIATE")
            rows = [row for row, _, _ in batch]
            database.executemany("INSERT INTO turns (dialogue, party, text) VALUES (?, ?, ?)", rows)
            database.execute("COMMIT")
            for _, loop, done in batch:
                loop.call_soon_threadsafe(done.set_result, None)


def relay(port: str, address: str, database: str) -> None:
    from contextlib import asynccontextmanager

    import aiohttp
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    book, reached = Book(database), {}

    @asynccontextmanager
    async def lifespan(_):
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as client:
            reached["bot"] = client
            yield

    async def turn(request):
        said = await request.json()
        await book.add(said["dialogue_id"], "user", said["text"])
        async with reached["bot"].post(address, json={"text": said["text"]}) as answer:
            told = await answer.json()
        await book.add(said["dialogue_id"], "system", told["text"])
        return JSONResponse(told)

    serve(Starlette(routes=[Route("/turns", turn, methods=["POST"])], lifespan=lifespan), port)


def empty(port: str) -> None:
    from fastapi import FastAPI

    app = FastAPI()

    @app.get("/")
    def page():
        return {}

    serve(app, port)


if __name__ == "__main__":
    words = sys.argv[2:]
    {"bot": bot, "relay": relay, "empty": empty}[sys.argv[1]](*words)
