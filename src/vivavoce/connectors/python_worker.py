"""Runs a user's bot function as a script, in a separate process that imports nothing of ours.

Requests and answers are JSON objects, one a line. A request has `id` and `op` (turn, reset, close, cancel);
the answers to it have the same `id` and a `kind`: delta, message (any JSON value), error, done, stuck.
"""

import asyncio
import importlib
import inspect
import json
import os
import sys
from collections.abc import AsyncGenerator, Callable
from typing import Any

LINE_LIMIT = 8_000_000


class Runner:
    """The bot and its sessions, one dictionary for each conversation."""

    def __init__(self, target: str) -> None:
        module, _, name = target.partition(":")
        function: Any = importlib.import_module(module)
        for part in name.split("."):
            function = getattr(function, part)
        if not callable(function):
            raise TypeError(f"{target} is not callable")
        self._function: Callable[[str, dict[str, Any]], Any] = function
        self._sessions: dict[str, dict[str, Any]] = {}
        self.blocking = not (inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function))

    async def turn(self, request: dict[str, Any]) -> AsyncGenerator[tuple[str, Any]]:
        """The bot's answer to one turn: pairs of kind (delta, message) and value."""
        session = self._sessions.setdefault(
            request["conversation"], {"conversation": request["conversation"]}
        )
        session.update(language=request["language"], heard=request["heard"])
        if self.blocking:
            answer = await asyncio.to_thread(self._function, request["text"], session)
        else:
            answer = self._function(request["text"], session)
        if inspect.isawaitable(answer):
            answer = await answer
        if hasattr(answer, "__aiter__"):
            async for piece in answer:
                yield "delta", piece
        elif inspect.isgenerator(answer):
            for piece in answer:
                yield "delta", piece
        else:
            yield "message", answer

    def forget(self, conversation: str) -> None:
        self._sessions.pop(conversation, None)


class Worker:
    """Serves requests from a pipe until it closes."""

    def __init__(self, runner: Runner, answer: Callable[[dict[str, Any]], None]) -> None:
        self._runner, self._answer = runner, answer
        self._running: dict[int, asyncio.Task[None]] = {}

    async def serve(self, lines: asyncio.StreamReader) -> None:
        while line := await lines.readline():
            request = json.loads(line)
            if request["op"] == "turn":
                task = asyncio.create_task(self._turn(request))
                self._running[request["id"]] = task
                task.add_done_callback(lambda _, key=request["id"]: self._running.pop(key, None))
            elif request["op"] == "cancel":
                task = self._running.get(request["id"])
                if task is not None:
                    task.cancel()
            else:
                self._runner.forget(request["conversation"])

    async def _turn(self, request: dict[str, Any]) -> None:
        answer: dict[str, Any] = {"id": request["id"], "kind": "done"}
        try:
            async for kind, value in self._runner.turn(request):
                self._answer({"id": request["id"], "kind": kind, "value": value})
        except asyncio.CancelledError:
            if self._runner.blocking:
                answer["kind"] = "stuck"
        except Exception as error:
            answer |= {"kind": "error", "value": f"{type(error).__name__}: {error}"}
        self._answer(answer)


async def main(target: str) -> None:
    """Answers go to the original standard output; what the bot prints goes to standard error."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def answer(value: dict[str, Any]) -> None:
        try:
            line = json.dumps(value)
        except (TypeError, ValueError) as error:
            line = json.dumps(
                {"id": value["id"], "kind": "error", "value": f"the answer is not JSON: {error}"}
            )
        print(line, file=out, flush=True)

    try:
        runner = Runner(target)
    except Exception as error:
        answer({"id": 0, "kind": "error", "value": f"{type(error).__name__}: {error}"})
        return
    answer({"id": 0, "kind": "ready"})
    lines = asyncio.StreamReader(limit=LINE_LIMIT)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    await Worker(runner, answer).serve(lines)


if __name__ == "__main__":
    sys.path[:0] = sys.argv[2:] or [""]
    asyncio.run(main(sys.argv[1]))
    os._exit(0)
