"""One hello to a system under test, for `vivavoce check` and for the dashboard."""

import json
import secrets
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Final

from vivavoce.connectors.base import (
    CalledSystem,
    Connector,
    Conversation,
    PastTurn,
    SystemOutput,
    UserTurn,
    called_system,
)
from vivavoce.connectors.speak_turn import Speak, said
from vivavoce.core.clock import Clock, SystemClock
from vivavoce.core.errors import SystemUnderTestError
from vivavoce.languages.data import greeting, things_to_say

NONSENSE: Final = "zxq vlomp 417"
SAID_BACK: Final = 4  # letters by which words, or a name, are known again


@dataclass(frozen=True, slots=True)
class Hello:
    """Result of one test message.

    ok             it answered; if a reset was requested, it was reset and answered again
    seconds        from the test message (or the opening) to its complete answer, or to the problem
    reachable      false only if the system cannot have seen anything
    resets         null if not tested; only its answers show if it forgot everything
    streams        a piece of the answer came before the whole
    listens        the test message was spoken to it; spoken_s: seconds of speech in its answer
    gives          further content of greeting and answers: `acts`, `understood`, `tools`, `usage`; null if
           not tested
    heeds          another message gets another reply; null if not tested, or if the replies only echo the
           message
    unread         its opening reply, if no text was found in it; else ""
    """

    ok: bool
    text: str
    seconds: float
    problem: str | None = None
    reachable: bool = True
    answers: bool = False
    resets: bool | None = None
    streams: bool = False
    first_output_s: float | None = None
    listens: bool = False
    spoken_s: float = 0.0
    gives: tuple[str, ...] | None = None
    unread: str = ""
    heeds: bool | None = None


async def hello(
    connector: Connector,
    *,
    language: str = "en",
    clock: Clock | None = None,
    reset: bool = False,
    speak: Speak | None = None,
    words: bool = False,
    tasks: Sequence[str] = (),
) -> Hello:
    """Open a conversation, say hello, close it; with `reset`, reset it before and say hello once more.

    With `words`, other messages are sent in new conversations until one gets another reply: nonsense, common
    requests, then the texts of `tasks`.

    A system that listens by itself is spoken to by `speak`, where there is one.
    Failures of the system are in the result, never raised.
    """
    clock = clock or SystemClock()
    if (phone := called_system(connector)) is not None:
        return await _pinged(phone, clock)
    conversation = Conversation(key=secrets.token_hex(16), language=language)
    probe = _Heard(clock, speak)
    try:
        await _open(connector, conversation, probe)
        await probe.say_hello(connector, conversation, 1)
        resets = await _reset(connector, conversation, _Heard(clock, speak)) if reset else None
        greeting_result = probe.result(problem=resets, resets=resets is None if reset else None)
        if not words or not greeting_result.ok or greeting_result.listens or not greeting_result.text:
            return greeting_result
        heeds = await _heeds(connector, conversation, greeting_result.text, clock, tasks)
        return replace(greeting_result, heeds=heeds)
    except SystemUnderTestError as error:
        return probe.result(problem=str(error), reachable=error.reached)
    finally:
        await connector.close(conversation)


async def _pinged(phone: CalledSystem, clock: Clock) -> Hello:
    """Check that a telephone number is registered, without ringing."""
    began_s = clock.monotonic_s()
    try:
        status = await phone.ping()
    except SystemUnderTestError as error:
        return Hello(False, "", clock.monotonic_s() - began_s, str(error), reachable=error.reached)
    return Hello(True, status, clock.monotonic_s() - began_s)


async def _heeds(
    connector: Connector, greeted: Conversation, answer: str, clock: Clock, tasks: Sequence[str]
) -> bool | None:
    """Check that another message gets another reply; None: it fails, or only echoes the message.

    Conversation IDs differ each time, so an echoed ID does not count as a difference.
    """
    answer_text = without(answer, greeted.key)
    unsaid, echoes = without(answer_text, greeting(greeted.language)), False
    for text in (NONSENSE, *things_to_say(greeted.language, answer), *tasks):
        conversation = Conversation(key=secrets.token_hex(16), language=greeted.language)
        probe = _Heard(clock)
        try:
            await _open(connector, conversation, probe)
            await probe.say_hello(connector, conversation, 1, text)
        except SystemUnderTestError:
            return None
        finally:
            await connector.close(conversation)
        second_text = without("\n".join(probe.texts), conversation.key)
        if second_text == answer_text:
            continue
        if without(second_text, text) != unsaid:
            return True
        echoes = True
    return None if echoes else False


def without(text: str, message: str) -> str:
    """Text without an echo of the message, of the conversation's name or of their beginning."""
    folded, prefix = text.lower(), message.lower().strip()
    if len(folded) != len(text):
        return text.replace(message, "")
    for length in range(len(prefix), SAID_BACK - 1, -1):
        if (at := folded.find(prefix[:length])) >= 0:
            return text[:at] + text[at + length :]
    return text


async def _open(connector: Connector, conversation: Conversation, probe: "_Heard") -> None:
    async with aclosing(connector.open(conversation)) as greeting:  # pyright: ignore[reportArgumentType]
        outputs = [output async for output in greeting]
    for output in outputs:
        probe.note(output)
    if not any(output.kind in ("delta", "audio", "message") for output in outputs):
        raw = next((output.raw for output in outputs if output.raw), None)
        probe.unread = "" if raw is None else json.dumps(raw, ensure_ascii=False)


async def _reset(connector: Connector, conversation: Conversation, probe: "_Heard") -> str | None:
    """Reset and say hello again; the problem, if there was one."""
    try:
        await connector.reset(conversation)
        await _open(connector, conversation, probe)
        await probe.say_hello(connector, conversation, 2)
    except SystemUnderTestError as error:
        return f"after a reset: {error}"
    return None


@dataclass
class _Heard:
    """The answer to a hello as it grows."""

    clock: Clock
    speak: Speak | None = None
    texts: list[str] = field(default_factory=list)
    start_s: float | None = None
    first_s: float | None = None
    complete_s: float | None = None
    streams: bool = False
    listens: bool = False
    spoken_s: float = 0.0
    gives: set[str] = field(default_factory=set)
    unread: str = ""

    def __post_init__(self) -> None:
        self.begun_s = self.clock.monotonic_s()

    def note(self, output: SystemOutput) -> None:
        """Content of an answer besides text."""
        self.gives |= {name for name in ("acts", "understood", "usage") if getattr(output, name)}
        if output.tools is not None:
            self.gives.add("tools")

    async def say_hello(
        self, connector: Connector, conversation: Conversation, number: int, text: str = ""
    ) -> None:
        text = text or greeting(conversation.language)
        turn = UserTurn(key=f"{conversation.key}-{number}", number=number, text=text)
        turn = await said(turn, connector.capabilities, self.speak)
        self.listens = turn.audio is not None
        self.start_s, held_s = self.clock.monotonic_s(), 0.0
        async with aclosing(connector.send(conversation, turn)) as answer:  # pyright: ignore[reportArgumentType]
            async for output in answer:
                held_s = output.held_s
                self._take(output)
        self.complete_s = self.clock.monotonic_s() - held_s
        conversation.history += (PastTurn("user", text), PastTurn("system", "\n".join(self.texts)))

    def _take(self, output: SystemOutput) -> None:
        self.note(output)
        if output.kind == "sent":
            self.start_s = self.clock.monotonic_s()
        if output.kind in ("delta", "audio", "message") and self.first_s is None:
            self.first_s = self.clock.monotonic_s() - output.held_s
        self.streams = self.streams or output.kind in ("delta", "audio")
        if output.audio is not None:
            self.spoken_s += len(output.audio.samples) / 2 / output.audio.rate_hz
        if output.kind == "message":
            self.texts.append(output.text)

    def result(
        self, *, problem: str | None = None, reachable: bool = True, resets: bool | None = None
    ) -> Hello:
        now_s = self.clock.monotonic_s()
        start_s = self.begun_s if self.start_s is None else self.start_s
        return Hello(
            ok=problem is None,
            text="\n".join(self.texts),
            problem=problem,
            reachable=reachable,
            seconds=(now_s if self.complete_s is None else self.complete_s) - start_s,
            answers=self.complete_s is not None,
            resets=resets,
            streams=self.streams,
            first_output_s=None if self.first_s is None else self.first_s - start_s,
            listens=self.listens,
            spoken_s=round(self.spoken_s, 3),
            gives=tuple(sorted(self.gives)),
            unread=self.unread,
        )
