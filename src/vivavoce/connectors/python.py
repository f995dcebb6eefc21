"""A Python callable as a bot: `async def bot(text, session) -> str | dict | AsyncIterator[str]`.

Wire    the function runs in one worker process for all conversations, reached by JSON lines;
        `in_process: true` calls it in this process instead (for training)
Memory  in the worker: `session` is a dictionary that the bot may fill, one for each conversation
Failure an exception is a bad answer; a turn that takes too long is cancelled, and a worker that does not
        obey is killed and started again, without its sessions
"""

import asyncio
import itertools
import json
import re
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final

from pydantic import AfterValidator, Field

from vivavoce.connectors.answer_paths import AnswerReader
from vivavoce.connectors.answers import bad_answer, clean, clean_text
from vivavoce.connectors.base import Capabilities, ConnectorSettings, Conversation, SystemOutput, UserTurn
from vivavoce.connectors.deadlines import in_time
from vivavoce.connectors.processes import child_environment, kill_group, tail
from vivavoce.connectors.python_worker import LINE_LIMIT, Runner
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.system_connector import SystemConnector
from vivavoce.connectors.transport import reported
from vivavoce.core.errors import InputError, SystemUnderTestError
from vivavoce.core.validation import mistake

_WORKER: Final = Path(__file__).with_name("python_worker.py")
_TARGET: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
_GRACE_S: Final = 1.0


def _target(target: str) -> str:
    if not _TARGET.fullmatch(target):
        raise mistake(f"{target!r} is not a function name", "write package.module:function")
    return target


class PythonSettings(ConnectorSettings):
    """Settings of a system with `connect: python`."""

    folders: ClassVar[tuple[str, ...]] = ("path",)
    starts: ClassVar[str] = "call"

    call: Annotated[str, AfterValidator(_target)] = Field(description="package.module:function")
    connect_timeout_s: float = Field(
        120.0, gt=0, le=600, description="timeout for its process to be ready, for example to load a model"
    )
    path: str | None = Field(None, description="folder of the module (default: the study's)")
    in_process: bool = Field(False, description="run in this process, not in a worker")
    greeting: bool = Field(False, description="call the bot with empty text at the start of a conversation")
    environment: dict[str, str] = Field(
        default_factory=dict, description="environment of the worker; may contain ${SECRET}"
    )


class PythonConnector(SystemConnector[PythonSettings]):
    """A bot that is a Python function."""

    name: ClassVar[str] = "python"
    summary: ClassVar[str] = "a Python function in a separate process"
    settings: ClassVar[type[ConnectorSettings]] = PythonSettings
    knows_names: ClassVar[bool] = False

    def __init__(self, settings: PythonSettings, vault: Vault) -> None:
        super().__init__(settings, vault)
        self._reader = AnswerReader()
        self._worker = _InProcess(settings) if settings.in_process else _Worker(settings, vault)

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(streaming=True, choices=True, memory="process", greets=self._settings.greeting)

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        if self._settings.greeting and not conversation.history:
            async for output in self.send(conversation, UserTurn(key="open", number=0, text="")):
                yield output

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        request = {
            "conversation": conversation.key,
            "language": conversation.language,
            "text": clean_text(turn.message),
            "heard": [
                {"text": clean_text(hypothesis.text), "score": hypothesis.score} for hypothesis in turn.heard
            ],
        }
        with reported(self._vault):
            await self._worker.ready()  # within the time to reach the bot, not that of its answer
            async with aclosing(in_time(self._outputs(request), self._settings)) as outputs:
                async for output in outputs:
                    yield output

    async def _outputs(self, request: dict[str, Any]) -> AsyncIterator[SystemOutput]:
        streamed = ""
        if self._wire.listened_to:
            self._wire.sent("call", json.dumps(request, ensure_ascii=False))
        async with aclosing(self._worker.turn(request)) as answers:
            async for kind, value in answers:
                value = self._vault.redact(clean(value))
                if self._wire.listened_to:
                    self._wire.received(kind, json.dumps(value, ensure_ascii=False, default=repr))
                if kind == "message":
                    for output in self._reader.read({"text": value} if isinstance(value, str) else value):
                        yield output
                elif not isinstance(value, str):
                    raise bad_answer(f"the bot returned {value!r:.60} where text is expected")
                elif value:
                    streamed += value
                    yield SystemOutput(kind="delta", text=value)
        if streamed:
            yield SystemOutput(kind="message", text=streamed)

    async def close(self, conversation: Conversation) -> None:
        await self._worker.forget(conversation.key)

    async def shut_down(self) -> None:
        await self._worker.stop()


class _InProcess:
    """The bot in this very process."""

    def __init__(self, settings: PythonSettings) -> None:
        if settings.path and settings.path not in sys.path:
            sys.path.insert(0, settings.path)
        try:
            self._runner = Runner(settings.call)
        except Exception as error:
            problem = f"cannot load {settings.call} ({type(error).__name__}: {error})"
            raise InputError(problem, place="call", hint="check the name and the path") from None

    async def ready(self) -> None:
        """It always is."""

    async def turn(self, request: dict[str, Any]) -> AsyncGenerator[tuple[str, Any]]:
        try:
            async for pair in self._runner.turn(request):
                yield pair
        except Exception as error:
            raise bad_answer(f"the bot failed with {type(error).__name__}: {error}") from None

    async def forget(self, conversation: str) -> None:
        self._runner.forget(conversation)

    async def stop(self) -> None:
        """Do nothing."""


class _Worker:
    """The worker process: started when it is first needed, and again after it died."""

    def __init__(self, settings: PythonSettings, vault: Vault) -> None:
        self._settings = settings
        self._environment = child_environment(settings.environment, vault)
        self._starting = asyncio.Lock()
        self._process: _Process | None = None

    async def turn(self, request: dict[str, Any]) -> AsyncGenerator[tuple[str, Any]]:
        process = await self.ready()
        key, answers = process.ask({"op": "turn", **request})
        has_ended = False
        try:
            while True:
                answer = await answers.get()
                kind, value = answer["kind"], answer.get("value")
                has_ended = kind in ("done", "error", "closed")
                if kind == "done":
                    return
                if kind == "error":
                    raise bad_answer(f"the bot failed with {value}")
                if kind == "closed":
                    raise SystemUnderTestError("closed", f"the bot's process ended{value}")
                yield kind, value
        finally:
            if not has_ended:
                await self._cancel(process, key, answers)
            process.drop(key)

    async def _cancel(self, process: "_Process", key: int, answers: "asyncio.Queue[dict[str, Any]]") -> None:
        """Stop a turn; a worker that does not obey is killed."""
        process.tell({"op": "cancel", "id": key})
        try:
            async with asyncio.timeout(_GRACE_S):
                while (kind := (await answers.get())["kind"]) not in ("done", "error", "closed", "stuck"):
                    pass
            if kind == "stuck":
                process.kill()
        except TimeoutError:
            process.kill()

    async def ready(self) -> "_Process":
        """The process, alive. Raises SystemUnderTestError, `reached` false."""
        async with self._starting:
            if self._process is None or not self._process.alive:
                self._process = await _Process.start(self._settings, self._environment)
            return self._process

    async def forget(self, conversation: str) -> None:
        if self._process is not None and self._process.alive:
            self._process.tell({"op": "forget", "conversation": conversation})

    async def stop(self) -> None:
        if self._process is not None:
            await self._process.end()


class _Process:
    """One run of the worker."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._keys = itertools.count(1)
        self._waiting: dict[int, asyncio.Queue[dict[str, Any]]] = {}
        self._said = bytearray()
        self._tail = asyncio.create_task(tail(process.stderr, self._said))
        self._reading = asyncio.create_task(self._read())
        self.alive, self._killed = True, False

    @classmethod
    async def start(cls, settings: PythonSettings, environment: dict[str, str]) -> "_Process":
        arguments = [
            sys.executable,
            "-P",
            str(_WORKER),
            settings.call,
            *([settings.path] if settings.path else []),
        ]
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *arguments,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            env=environment,
            limit=LINE_LIMIT,
            start_new_session=True,
        )
        worker = cls(process)
        ready = worker._waiting.setdefault(0, asyncio.Queue())
        try:
            async with asyncio.timeout(settings.connect_timeout_s):
                answer = await ready.get()
            if answer["kind"] == "ready":
                return worker
            problem = f"cannot load {settings.call} ({answer.get('value')})"
        except TimeoutError:
            problem = f"the bot's process was not ready after {settings.connect_timeout_s:g} s"
        except BaseException:  # whoever waited for it has gone
            await worker.end()
            raise
        await worker.end()
        raise SystemUnderTestError("unreachable", problem, reached=False)

    def ask(self, request: dict[str, Any]) -> tuple[int, asyncio.Queue[dict[str, Any]]]:
        key = next(self._keys)
        answers = self._waiting[key] = asyncio.Queue()
        self.tell({**request, "id": key})
        return key, answers

    def tell(self, request: dict[str, Any]) -> None:
        if self.alive and self._process.stdin is not None:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")

    def drop(self, key: int) -> None:
        self._waiting.pop(key, None)

    def kill(self) -> None:
        self.alive = False
        if not self._killed:
            self._killed = True
            kill_group(self._process)

    async def end(self) -> None:
        self.kill()
        await asyncio.wait({self._reading}, timeout=_GRACE_S)
        self._reading.cancel()

    async def _read(self) -> None:
        out = self._process.stdout
        assert out is not None
        try:
            while line := await out.readline():
                answer = json.loads(line)
                waiting = self._waiting.get(answer["id"])
                if waiting is not None:
                    waiting.put_nowait(answer)
        except ValueError:
            self.kill()  # a line beyond the limit: the pipe cannot be trusted any more
        await self._process.wait()
        await asyncio.wait({self._tail}, timeout=_GRACE_S)
        self._tail.cancel()
        self.alive = False
        stderr = self._said.decode("utf-8", "replace").strip()
        for waiting in self._waiting.values():
            waiting.put_nowait({"kind": "closed", "value": f": {stderr[-300:]}" if stderr else ""})
