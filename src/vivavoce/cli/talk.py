"""A conversation with one system in the terminal: `vivavoce talk STUDY SYSTEM`."""

import os
import sys
from contextlib import aclosing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from vivavoce.cli.arguments import Study_, complete_systems, printable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from vivavoce.connectors.base import Audio, Choice, Connector, Conversation, SystemOutput
    from vivavoce.connectors.speak_turn import Speak
    from vivavoce.trial.outputs import SystemTurn

_COMMANDS = "/raw shows the last exchange, /reset starts again, /quit ends"


def talk(
    study: Study_,
    system: Annotated[
        str,
        typer.Argument(metavar="SYSTEM", help="System name in the study.", autocompletion=complete_systems),
    ],
    language: Annotated[str | None, typer.Option("--language", help="Language of the conversation.")] = None,
    save: Annotated[
        Path | None, typer.Option("--save", help="Transcript file to write, one JSON object per line.")
    ] = None,
    sound: Annotated[
        Path | None,
        typer.Option("--sound", help="Folder for the system's speech, one file per turn."),
    ] = None,
) -> None:
    """Chat with one system of a study in the terminal, without logging.

    For a voice-only system, the study's synthesiser speaks each line.
    """
    import asyncio

    from vivavoce.api.studies import make_connectors, read_study
    from vivavoce.cli.check import speaking
    from vivavoce.core.errors import UnknownName
    from vivavoce.languages.base import require_installed

    plan = read_study(study)
    if system not in plan.systems:
        raise UnknownName("system", system, list(plan.systems), place=str(study))
    connector = make_connectors(plan, [system])[system]
    language = require_installed(language, "--language") if language else plan.default_language
    speak = speaking(plan, language)
    failures = asyncio.run(_talk(system, connector, language, save, sound, speak))
    if failures:
        raise typer.Exit(1)


async def _talk(
    system: str, connector: "Connector", language: str, save: Path | None, sound: Path | None, speak: "Speak"
) -> int:
    from vivavoce.cli.check import listen_for_bot

    transcript = save.open("a", encoding="utf-8") if save else None
    terminal = _Terminal(connector, language, transcript, sound, speak)
    try:
        await listen_for_bot(system, connector)
        return await terminal.run()
    finally:
        await connector.shut_down()
        if transcript is not None:
            transcript.close()


class _Terminal:
    """Conversation between the keyboard and the system; a failure ends the turn only."""

    def __init__(
        self,
        connector: "Connector",
        language: str,
        transcript: TextIO | None,
        sound: Path | None,
        speak: "Speak",
    ) -> None:
        from vivavoce.core.clock import SystemClock

        self._connector, self._language, self._transcript = connector, language, transcript
        self._sound, self._speak = sound, speak
        self._now = SystemClock().monotonic_s
        self._conversation = self._fresh()
        self._turn: SystemTurn | None = None
        self._heard: list[Audio] = []
        self._choices: list[Choice] = []
        self._number, self._failures, self._over = 0, 0, False

    def _fresh(self) -> "Conversation":
        import secrets

        from vivavoce.connectors.base import Conversation

        return Conversation(key=secrets.token_hex(16), language=self._language)

    async def run(self) -> int:
        keyboard = _Keyboard()
        if sys.stdin.isatty():
            _show(f"({_COMMANDS})")
        if self._connector.capabilities.audio:
            way = "in writing" if self._connector.capabilities.writing else "spoken by the synthesiser"
            _show(f"(the system listens continuously; your lines go to it {way})")
        await self._listen(self._connector.open(self._conversation))
        while not self._over:
            line = await keyboard.line()
            if line is None or line == "/quit":
                break
            if line == "/raw":
                self._show_wire()
            elif line == "/reset":
                await self._reset()
            elif line:
                await self._say(line)
        await self._connector.close(self._conversation)
        return self._failures

    async def _reset(self) -> None:
        from vivavoce.core.errors import SystemUnderTestError

        try:
            await self._connector.reset(self._conversation)
        except SystemUnderTestError as error:
            self._failed(error)
            return
        self._choices, self._number = [], 0
        self._write({"party": "user", "reset": True})
        _show("(the system has been reset)")
        await self._listen(self._connector.open(self._conversation))

    async def _say(self, line: str) -> None:
        from vivavoce.connectors.base import PastTurn, UserTurn
        from vivavoce.connectors.speak_turn import said as said_to
        from vivavoce.core.errors import SystemUnderTestError

        self._number += 1
        pressed = self._pressed(line)
        text, payload = (pressed.title, pressed.payload) if pressed else (line, None)
        key = f"{self._conversation.key}-{self._number}"
        turn = UserTurn(key=key, number=self._number, text=text, payload=payload)
        self._write({"party": "user", "text": text, "payload": payload})
        try:
            turn = await said_to(turn, self._connector.capabilities, self._speak, by_voice=False)
        except SystemUnderTestError as error:
            self._turn = None
            self._failed(error)
            return
        await self._listen(self._connector.send(self._conversation, turn))
        said = "\n".join(message.text for message in self._turn.messages) if self._turn else ""
        past = (PastTurn("user", text), PastTurn("system", said)) if said else (PastTurn("user", text),)
        self._conversation.history += past

    def _pressed(self, line: str) -> "Choice | None":
        """The choice with this number or title."""
        if line.isdecimal() and 1 <= int(line) <= len(self._choices):
            return self._choices[int(line) - 1]
        return next((choice for choice in self._choices if choice.title == line), None)

    async def _listen(self, outputs: Any) -> None:
        from vivavoce.core.errors import SystemUnderTestError
        from vivavoce.trial.outputs import SystemTurn, gather

        start_s, self._turn, self._heard = self._now(), SystemTurn(), []
        try:
            async with aclosing(outputs):
                await gather(self._hearing(outputs), lambda: self._now() - start_s, self._turn)
        except SystemUnderTestError as error:
            self._failed(error)
            return
        self._show_turn(self._turn)

    async def _hearing(self, outputs: "AsyncIterator[SystemOutput]") -> "AsyncIterator[SystemOutput]":
        async for output in outputs:
            if output.audio is not None:
                self._heard.append(output.audio)
            yield output

    def _kept(self) -> Path | None:
        """File for the system's speech, if requested."""
        from vivavoce.audio.files import write_sound
        from vivavoce.audio.sound import Sound

        if self._sound is None or not self._heard:
            return None
        self._sound.mkdir(parents=True, exist_ok=True)
        path = self._sound / f"turn-{self._number:03}.wav"
        pcm = b"".join(one.samples for one in self._heard)
        write_sound(Sound.of_pcm(pcm, self._heard[0].rate_hz), path)
        return path

    def _failed(self, error: Exception) -> None:
        self._failures += 1
        partial = self._turn.streamed if self._turn else ""
        self._write({"party": "system", "failure": str(error), "partial": partial, "wire": self._wire})
        _show(f"(failed: {error})")

    def _show_turn(self, turn: "SystemTurn") -> None:
        from vivavoce.connectors.base import Choice

        if turn.silent and not turn.spoken_s and not turn.ends_dialogue:
            if self._number:
                self._show_work(turn)
                self._write({"party": "system", "messages": [], "agent": _told(turn), "wire": self._wire})
                _show("(the system said nothing)")
            return
        self._choices = [
            Choice(one["title"], one["payload"]) for said in turn.messages for one in said.choices
        ]
        for message in turn.messages:
            for line in [*message.text.splitlines(), *(f"[image {image}]" for image in message.images)]:
                _show(f"< {line}")
        if turn.spoken_s:
            kept = self._kept()
            _show(f"(spoke {turn.spoken_s:.2f} s{f', in {kept}' if kept else ''})")
        self._show_work(turn)
        for heard in turn.heard[:1]:
            _show(f"(heard: {heard.text})")
        for number, choice in enumerate(self._choices, 1):
            _show(f"  {number}. {choice.title}")
        if turn.first_output_s is not None and turn.complete_s is not None:
            _show(f"(first output {turn.first_output_s:.2f} s, complete {turn.complete_s:.2f} s)")
        self._write(_record(turn))
        if turn.ends_dialogue:
            _show("(the system ended the conversation)")
            self._over = True

    def _show_work(self, turn: "SystemTurn") -> None:
        """Actions of the system besides talking, one line each."""
        work = turn.agent
        if work is None:
            return
        for call in work.tools or ():
            ended = f" failed: {call.error or '?'}" if call.failed else f" -> {call.result or '?'}"
            _show(f"(called {call.name} {_short(call.arguments or '')}{_short(ended)})")
        for used in work.usage:
            counts = (used.input_tokens, used.output_tokens)
            read, wrote = ("?" if count is None else count for count in counts)
            _show(f"({used.model or 'a model'}: {read} tokens read, {wrote} written)")
        for retrieval in work.retrievals:
            _show(f"(looked up {_short(retrieval.source or retrieval.document or '?')})")

    @property
    def _wire(self) -> list[dict[str, Any]] | None:
        return self._turn.wire if self._turn else None

    def _show_wire(self) -> None:
        for frame in self._wire or []:
            arrow = ">" if "sent" in frame else "<"
            _show(f"{arrow} {frame.get('sent') or frame.get('received')}")
            for line in str(frame["body"]).splitlines():
                _show(f"    {line}")
        if not self._wire:
            _show("(no exchange recorded)")

    def _write(self, record: dict[str, Any]) -> None:
        import json

        if self._transcript is not None:
            self._transcript.write(json.dumps(record, ensure_ascii=False) + "\n")
            self._transcript.flush()


def _record(turn: "SystemTurn") -> dict[str, Any]:
    return {
        "party": "system",
        "messages": [message.model_dump(mode="json") for message in turn.messages],
        "first_output_s": turn.first_output_s,
        "complete_s": turn.complete_s,
        "ends_dialogue": turn.ends_dialogue,
        "spoken_s": turn.spoken_s,
        "heard": [one.text for one in turn.heard],
        "agent": _told(turn),
        "wire": turn.wire,
    }


def _told(turn: "SystemTurn") -> dict[str, Any] | None:
    return turn.agent.model_dump(mode="json") if turn.agent is not None else None


def _short(text: str) -> str:
    line = " ".join(text.split())
    line = f" {line}" if text.startswith(" ") else line
    return line if len(line) <= 200 else line[:199] + "…"


class _Keyboard:
    """Lines from the keyboard or pipe, read beside the conversation.

    A plain thread waits for each line. `asyncio.run` would wait for an executor's thread, and a lock of
    `sys.stdin` would block the interpreter at exit.
    """

    def __init__(self) -> None:
        self._pending = b""

    async def line(self) -> str | None:
        """The next line without its end; None at the end of input."""
        import asyncio
        from threading import Thread

        loop = asyncio.get_running_loop()
        found: asyncio.Future[str | None] = loop.create_future()

        def read() -> None:
            line = self._read()
            with suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(lambda: found.done() or found.set_result(line))

        Thread(target=read, daemon=True).start()
        return await found

    def _read(self) -> str | None:
        try:
            line = input("> ") if sys.stdin.isatty() else self._piped()
        except (EOFError, UnicodeDecodeError):
            return None
        return None if line is None else line.strip()

    def _piped(self) -> str | None:
        try:
            handle = sys.stdin.fileno()
        except (OSError, ValueError):
            return sys.stdin.readline() or None
        while b"\n" not in self._pending and (more := os.read(handle, 65_536)):
            self._pending += more
        line, end, self._pending = self._pending.partition(b"\n")
        return (line + end).decode() or None


def _show(line: str) -> None:
    print(printable(line), flush=True)
