"""A program that talks over its standard input and output: one process for each conversation.

Wire    JSON lines: {"type": "user", "conversation", "key", "text"} in, {"type": "bot", "text"} ... and
        {"type": "turn_end"} out. With `plain: true` a line of text in, lines of text out until the prompt
        appears or nothing comes for a while; a prompt before the first answer ends nothing
Memory  in the process; it is started without a shell, and killed with all its children when the conversation
        ends
"""

import asyncio
import json
import re
import signal
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, AnyStr, ClassVar

from pydantic import Field

from vivavoce.connectors.answer_paths import AnswerReader
from vivavoce.connectors.answers import bad_answer, clean_text, read_json
from vivavoce.connectors.base import Capabilities, ConnectorSettings, Conversation, SystemOutput, UserTurn
from vivavoce.connectors.deadlines import in_time
from vivavoce.connectors.processes import child_environment, kill_group, tail
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.system_connector import HoldingConnector
from vivavoce.connectors.transport import reported
from vivavoce.connectors.wire import Wire
from vivavoce.core.errors import SystemUnderTestError
from vivavoce.core.patterns import Match, Pattern, SlowPattern, search

_GRACE_S = 1.0
_COLOURS = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]")  # and whatever else is sent to a terminal by CSI (ECMA-48)


class StdioSettings(ConnectorSettings):
    """Settings of a system with `connect: stdio`."""

    folders: ClassVar[tuple[str, ...]] = ("folder",)
    starts: ClassVar[str] = "command"

    command: list[str] = Field(min_length=1, description="program and arguments, without a shell")
    folder: str | None = Field(None, description="working folder (default: the study's folder)")
    environment: dict[str, str] = Field(default_factory=dict, description="may contain ${SECRET}")
    greets: bool = Field(False, description="the program sends the first message")
    plain: bool = Field(False, description="plain text lines, not JSON")
    prompt: Pattern | None = Field(
        None, description="plain: regular expression of the prompt that ends a turn"
    )
    prefix: Pattern | None = Field(
        None, description="plain: regular expression of the prefix of answer lines: `Bot> ?`"
    )
    idle_s: float = Field(1.5, gt=0, le=60, description="plain: silence that ends a turn")
    longest_answer_bytes: int = Field(
        1_000_000, gt=0, le=50_000_000, description="longer answers are rejected"
    )


def _at_the_end_or_not(prompt: str) -> bytes:
    """The prompt, also where more has come behind it by the time it is read."""
    anywhere = prompt.removesuffix("$") if not prompt.endswith("\\$") else prompt
    return rf"\A\s*(?:{anywhere})".encode()


def _search(pattern: AnyStr, text: AnyStr) -> "Match[AnyStr] | None":
    try:
        return search(pattern, text)
    except SlowPattern as error:
        raise bad_answer(str(error)) from None


class StdioConnector(HoldingConnector[StdioSettings, "_Program"]):
    """A program as a bot."""

    name: ClassVar[str] = "stdio"
    summary: ClassVar[str] = "a program that reads and writes lines, one process per conversation"
    settings: ClassVar[type[ConnectorSettings]] = StdioSettings
    knows_names: ClassVar[bool] = False

    def __init__(self, settings: StdioSettings, vault: Vault) -> None:
        super().__init__(settings, vault)
        self._environment = child_environment(settings.environment, vault)

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(
            streaming=not self._settings.plain,
            choices=not self._settings.plain,
            memory="process",
            greets=self._settings.greets,
        )

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        program = await self._program(conversation)
        if self._settings.greets:
            async for output in self._listen(program):
                yield output

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        fresh = conversation.key not in self._held
        program = await self._program(conversation)
        if fresh and self._settings.greets:
            async for _ in self._listen(program):
                pass
        await program.tell(conversation, turn)
        async for output in self._listen(program):
            yield output

    async def _listen(self, program: "_Program") -> AsyncGenerator[SystemOutput]:
        with reported(self._vault):
            try:
                async with aclosing(in_time(program.turn(), self._settings)) as outputs:
                    async for output in outputs:
                        yield output
            except SystemUnderTestError:
                await program.kill()  # what it says late would be taken for its next answer
                raise

    async def _program(self, conversation: Conversation) -> "_Program":
        """The conversation's process; started when there is none, or when the one there was has died."""
        program = self._held.get(conversation.key)
        if program is None or not program.alive:
            program = self._held[conversation.key] = await _Program.start(
                self._settings, self._environment, self._vault
            )
        return program


class _Program:
    """One running program."""

    def __init__(self, process: asyncio.subprocess.Process, settings: StdioSettings, vault: Vault) -> None:
        self._process, self._settings, self._vault = process, settings, vault
        self._reader, self._said, self._killed = AnswerReader(), bytearray(), False
        self._wire = Wire(settings, vault)
        self._tail = asyncio.create_task(tail(process.stderr, self._said))
        self._prompt = settings.prompt.encode() if settings.prompt else None
        # a program that reads by `input("> ")` prints this before it has been told anything
        waits = settings.prompt is not None and not settings.greets
        self._first_prompt = _at_the_end_or_not(settings.prompt) if waits and settings.prompt else None
        self._prefix = rf"\A(?:{settings.prefix})" if settings.prefix else None

    @classmethod
    async def start(cls, settings: StdioSettings, environment: dict[str, str], vault: Vault) -> "_Program":
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(
                *settings.command,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                cwd=settings.folder,
                env=environment,
                limit=settings.longest_answer_bytes,
                start_new_session=True,
            )
        except OSError as error:
            problem = f"cannot start {settings.command[0]} ({error.strerror})"
            raise SystemUnderTestError("unreachable", problem, reached=False) from None
        return cls(process, settings, vault)

    @property
    def alive(self) -> bool:
        return self._process.returncode is None

    async def tell(self, conversation: Conversation, turn: UserTurn) -> None:
        text = clean_text(turn.message)
        if self._settings.plain:
            line = " ".join(text.splitlines())
        else:
            message: dict[str, Any] = {
                "type": "user",
                "conversation": conversation.key,
                "key": turn.key,
                "text": text,
            }
            if turn.heard:
                message["heard"] = [
                    {"text": clean_text(hypothesis.text), "score": hypothesis.score}
                    for hypothesis in turn.heard
                ]
            line = json.dumps({**message, "language": conversation.language})
        self._wire.sent("line", line)
        stdin = self._process.stdin
        assert stdin is not None
        try:
            stdin.write(line.encode() + b"\n")
            await stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            raise await self._ended() from None

    def turn(self) -> AsyncGenerator[SystemOutput]:
        return self._plain_turn() if self._settings.plain else self._json_turn()

    async def _json_turn(self) -> AsyncGenerator[SystemOutput]:
        received = 0
        while True:
            line = await self._line()
            received += len(line)
            if received > self._settings.longest_answer_bytes:
                raise self._too_long()
            answer = self._vault.redact(read_json(line))
            kind = answer.get("type") if isinstance(answer, dict) else None
            if kind == "turn_end":
                if answer.get("end") is True:
                    yield SystemOutput(kind="end")
                return
            if kind == "delta" and isinstance(answer.get("text"), str):
                yield SystemOutput(kind="delta", text=answer["text"])
            elif kind == "bot":
                for output in self._reader.read(answer):
                    yield output
            else:
                raise bad_answer(f"the line {line[:80]!r} is neither of type bot nor turn_end")

    async def _line(self) -> bytes:
        out = self._process.stdout
        assert out is not None
        try:
            line = await out.readline()
        except ValueError:
            raise self._too_long() from None
        if not line.endswith(b"\n"):
            raise await self._ended()
        self._wire.received("line", line[:-1])
        return line

    async def _plain_turn(self) -> AsyncGenerator[SystemOutput]:
        """Text until the prompt, or until nothing comes for idle_s; the prompt is not part of it."""
        out, received = self._process.stdout, b""
        assert out is not None
        held_s = 0.0
        while True:
            idle_s = self._settings.idle_s if received and self._prompt is None else None
            try:
                async with asyncio.timeout(idle_s):
                    piece = await out.read(65_536)
            except TimeoutError:
                held_s = self._settings.idle_s
                break
            received += piece
            if len(received) > self._settings.longest_answer_bytes:
                raise self._too_long()
            if self._answer_in(received) is not None:
                break
            if not piece:
                if not received.strip():
                    raise await self._ended()
                break
        self._wire.received("text", received)
        answer = self._answer_in(received)
        text = self._text_of(received if answer is None else answer)
        self._first_prompt = None
        if text:
            yield SystemOutput(kind="message", text=self._vault.redact(text), held_s=held_s)

    def _answer_in(self, received: bytes) -> bytes | None:
        """Text before the prompt that ends a turn; None: no prompt yet, or none set."""
        if self._prompt is None:
            return None
        output = self._without_first_prompt(_COLOURS.sub(b"", received))
        match = _search(self._prompt, output)
        return output[: match.start()] if match else None

    def _without_first_prompt(self, output: bytes) -> bytes:
        first = _search(self._first_prompt, output) if self._first_prompt else None
        return output[first.end() :] if first else output

    def _text_of(self, output: bytes) -> str:
        try:
            text = clean_text(self._without_first_prompt(_COLOURS.sub(b"", output)).decode("utf-8"))
        except UnicodeDecodeError:
            raise bad_answer("the answer is not UTF-8 text") from None
        return "".join(map(self._without_prefix, text.splitlines(keepends=True))).strip()

    def _without_prefix(self, line: str) -> str:
        match = _search(self._prefix, line) if self._prefix else None
        return line[match.end() :] if match else line

    def _too_long(self) -> SystemUnderTestError:
        return bad_answer(f"the answer is larger than {self._settings.longest_answer_bytes} bytes")

    async def _ended(self) -> SystemUnderTestError:
        """The failure that tells how the process ended."""
        await self.kill()
        stderr = self._said.decode("utf-8", "replace").strip()[-300:]
        status = self._process.returncode
        return SystemUnderTestError(
            "closed", f"the program ended with {status}{': ' + stderr if stderr else ''}"
        )

    async def kill(self) -> None:
        if self._killed:
            return
        self._killed = True
        kill_group(self._process)
        await self._process.wait()
        await asyncio.wait({self._tail}, timeout=_GRACE_S)
        self._tail.cancel()

    async def close(self) -> None:
        """Ask it to stop, then kill what is left of it."""
        if self.alive:
            kill_group(self._process, signal.SIGTERM)
        try:
            async with asyncio.timeout(_GRACE_S):
                await self._process.wait()
        except TimeoutError:
            pass
        await self.kill()
