"""A person in place of the system, or of one module of it (Wizard of Oz).

Wire    none: a conversation waits in a room until a wizard takes it; the wizard's page shows what was said
        and brings the reply. With `behind`, another system does the rest: it is told what the wizard heard
        (recognition) or understood (understanding), or its answer is only a proposal (management)
Memory  in the caller: a wizard who takes a conversation sees all of it; with `behind`, in that system
"""

import asyncio
import hashlib
import json
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from vivavoce.connectors.answers import clean_text
from vivavoce.connectors.base import (
    Capabilities,
    Connector,
    ConnectorSettings,
    Conversation,
    Heard,
    PastTurn,
    SystemOutput,
    UserTurn,
)
from vivavoce.connectors.deadlines import until
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.wire import Wire
from vivavoce.connectors.wizard_room import Reply, Room, Seat
from vivavoce.core.errors import SystemUnderTestError
from vivavoce.core.validation import mistake

Replies = dict[str, str]


class WizardSettings(ConnectorSettings):
    """Settings of a system with `connect: wizard`."""

    replaces: Literal["system", "recognition", "understanding", "management"] = Field(
        "system", description="part played by the wizard"
    )
    behind: dict[str, Any] | None = Field(
        None, description="settings of the system with a module that the wizard replaces"
    )
    instructions: str | dict[str, str] = Field(
        "", description="instructions for the wizard in Markdown, optionally by language"
    )
    greeting: str | None = Field(None, description="first message, sent as soon as a wizard is present")
    begins: bool = Field(False, description="the wizard sends the first message")
    prompts: Replies = Field(default_factory=dict, description="canned prompts by label, in every dialogue")
    strategies: dict[str, Replies] = Field(
        default_factory=dict, description="scripted replies by label, for each strategy of the dialogue"
    )
    strategy: str | None = Field(None, description="strategy (default: drawn for each dialogue)")
    free_text: bool = Field(True, description="the wizard may write freely; false: scripted replies only")
    delay_s: float = Field(0.0, ge=0, le=120, description="minimum delay of a reply after the user's turn")
    pairing_timeout_s: float = Field(
        150.0, gt=0, le=850, description="timeout for a wizard to join, in seconds"
    )
    first_output_timeout_s: float = Field(
        300.0, gt=0, le=600, description="timeout for the wizard's reply, in seconds"
    )
    turn_timeout_s: float = Field(
        400.0, gt=0, le=3600, description="timeout for the complete turn, in seconds"
    )

    @model_validator(mode="after")
    def _consistent(self) -> "WizardSettings":
        if self.replaces != "system" and self.behind is None:
            hint = "write behind: {connect: ...} for the rest of the system"
            raise mistake(f"a wizard for {self.replaces} needs the key 'behind'", hint)
        if self.replaces == "system" and self.behind is not None:
            raise mistake("a wizard for the whole system cannot have 'behind'", "leave 'behind' out")
        if self.strategy is not None and self.strategy not in self.strategies:
            names = ", ".join(self.strategies) or "none"
            raise mistake(f"unknown strategy {self.strategy!r}. Known: {names}", "add it to strategies")
        if not self.free_text and not self.prompts and not self.strategies and self.replaces == "system":
            raise mistake("a wizard without free text needs scripted replies", "add prompts or strategies")
        return self


class WizardConnector:
    """A person as a bot; `room` is where the wizard's page finds the conversations."""

    name: ClassVar[str] = "wizard"
    summary: ClassVar[str] = "a person in place of the system or of one of its modules"
    settings: ClassVar[type[ConnectorSettings]] = WizardSettings

    def __init__(self, settings: WizardSettings) -> None:
        self._settings, self._wire = settings, Wire(settings, Vault((), {}))
        self._behind: Connector | None = None
        self.room = Room(settings)

    @classmethod
    def make(cls, settings: Any, secrets: Mapping[str, str]) -> "WizardConnector":
        return cls(settings)

    def stand_before(self, behind: Connector) -> None:
        """The system of which the wizard replaces a module."""
        self._behind = behind

    async def start(self) -> None:
        begin = getattr(self._behind, "start", None)
        if begin is not None:
            await begin()

    @property
    def capabilities(self) -> Capabilities:
        settings, behind = self._settings, self._behind.capabilities if self._behind is not None else None
        greets = settings.begins or settings.greeting is not None or bool(behind and behind.greets)
        if behind is None:
            return Capabilities(memory="caller", greets=greets)
        return replace(behind, greets=greets, idempotent=False)

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        seat = await self._seat(conversation)
        if conversation.history:
            if self._behind is not None:
                async for _ in self._behind.open(conversation):
                    pass
            return
        if self._behind is not None:
            async for output in self._behind.open(conversation):
                self._shown(seat, output)
                yield output
        if self._settings.begins and self._settings.greeting is None:
            reply = await self._reply(seat, None)
            for output in self._outputs(seat, reply):
                yield output
            return
        if self._settings.greeting is not None:
            seat.lines.append(PastTurn("system", self._settings.greeting))
            self.room.touched()
            yield SystemOutput(kind="message", text=self._settings.greeting)
        yield SystemOutput(kind="extras", raw=self._as_wizard(seat, Reply("", seat.wizard or "", "greeting")))

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        seat = await self._seat(conversation)
        if self._settings.replaces == "management":
            proposed = await self._propose(seat, conversation, turn)
            reply = await self._reply(seat, turn.text)
            for output in self._decided(seat, proposed, reply):
                yield output
            return
        reply = await self._reply(seat, turn.text)
        if self._behind is None:
            for output in self._outputs(seat, reply):
                yield output
            return
        yield SystemOutput(kind="extras", raw=self._as_wizard(seat, reply))
        if reply.text.strip():
            async for output in self._behind.send(conversation, self._instead(turn, reply)):
                self._shown(seat, output)
                yield output
        if reply.ends:
            yield SystemOutput(kind="end")

    def _instead(self, turn: UserTurn, reply: Reply) -> UserTurn:
        """The turn as the system behind receives it."""
        if self._settings.replaces == "recognition":
            return replace(turn, text=reply.text, payload=None, heard=(Heard(reply.text, 1.0),))
        return replace(turn, payload=reply.text)

    async def _propose(self, seat: Seat, conversation: Conversation, turn: UserTurn) -> list[SystemOutput]:
        """The system's result for the turn, as a suggestion to the wizard."""
        assert self._behind is not None
        outputs = [output async for output in self._behind.send(conversation, turn)]
        seat.proposal = _words(outputs)
        seat.closing = any(output.kind == "end" for output in outputs)
        seat.understood = [
            ", ".join(
                f"{act.act}({act.slot or ''}{act.op or '='}{act.value or ''})" for act in understood.acts
            )
            for output in outputs
            for understood in output.understood
        ]
        self._wire.received("proposal", seat.proposal)
        return [replace(output, held_s=0.0) for output in outputs if output.kind != "sent"]

    def _decided(self, seat: Seat, proposed: list[SystemOutput], reply: Reply) -> list[SystemOutput]:
        """The proposal as it is, where the wizard sends it unchanged; else only what it says of the user.

        What a program would have done it has not done: its acts, buttons and end go with its words.
        """
        words, closing = _words(proposed), any(output.kind == "end" for output in proposed)
        facts: dict[str, Any] = {"proposed": words}
        if reply.source == "proposal":
            seat.lines.append(PastTurn("system", words))
            self.room.touched()
            facts = self._as_wizard(seat, reply) | facts
            end = [SystemOutput(kind="end")] if reply.ends and not closing else []
            return [*proposed, SystemOutput(kind="extras", raw=facts), *end]
        facts["proposed_acts"] = [asdict(act) for output in proposed for act in output.acts]
        facts["proposed_end"] = closing
        of_user = [
            SystemOutput(kind="extras", understood=output.understood, raw=output.raw, heard=output.heard)
            for output in proposed
            if output.understood or output.raw is not None or output.heard
        ]
        return [*of_user, *self._outputs(seat, reply, facts)]

    async def _reply(self, seat: Seat, text: str | None) -> Reply:
        """The wizard's reply, not sooner than the delay. Raises SystemUnderTestError("timeout")."""
        settings = self._settings
        begun_s, limit = time.monotonic(), settings.first_output_timeout_s
        self._wire.sent("to the wizard", text or "")
        try:
            async with asyncio.timeout(limit):
                reply = await self.room.answered(seat, text)
        except TimeoutError:
            raise SystemUnderTestError("timeout", f"the wizard did not reply within {limit:g} s") from None
        self._wire.received("from the wizard", json.dumps(asdict(reply), ensure_ascii=False))
        await until(begun_s + settings.delay_s)
        return replace(reply, text=clean_text(reply.text))

    def _outputs(self, seat: Seat, reply: Reply, more: Mapping[str, Any] | None = None) -> list[SystemOutput]:
        seat.lines.append(PastTurn("system", reply.text))
        self.room.touched()
        message = [SystemOutput(kind="message", text=reply.text)] if reply.text.strip() else []
        facts = self._as_wizard(seat, reply) | dict(more or {})
        outputs = [*message, SystemOutput(kind="extras", raw=facts)]
        return [*outputs, SystemOutput(kind="end")] if reply.ends else outputs

    def _as_wizard(self, seat: Seat, reply: Reply) -> dict[str, Any]:
        """Log entry of the wizard: name, and source of the reply."""
        facts: dict[str, Any] = {
            "wizard": reply.wizard,
            "replaces": self._settings.replaces,
            "source": reply.source,
        }
        if reply.label:
            facts["label"] = reply.label
        if seat.strategy:
            facts["strategy"] = seat.strategy
        if self._settings.replaces in ("recognition", "understanding") and reply.source != "greeting":
            facts["gave"] = reply.text
        return facts

    def _shown(self, seat: Seat, output: SystemOutput) -> None:
        if output.kind == "message" and output.text:
            seat.lines.append(PastTurn("system", output.text))
            self.room.touched()

    async def _seat(self, conversation: Conversation) -> Seat:
        """The conversation's seat, once a wizard has taken it."""
        seat = self.room.seats.get(conversation.key)
        if seat is None:
            now_s = time.monotonic()
            strategy = self._strategy(conversation.key)
            seat = Seat(conversation.key, conversation.language, strategy, now_s, list(conversation.history))
            self.room.enter(seat)
        limit = self._settings.pairing_timeout_s
        try:
            async with asyncio.timeout(limit):
                await self.room.paired(seat)
        except TimeoutError:
            self.room.leave(conversation.key)
            problem = f"no wizard joined within {limit:g} s"
            raise SystemUnderTestError("unreachable", problem, reached=False) from None
        return seat

    def _strategy(self, key: str) -> str:
        """The strategy of a conversation: the study's, else one by its key, the same after a restart."""
        names = sorted(self._settings.strategies)
        if self._settings.strategy is not None or not names:
            return self._settings.strategy or ""
        return names[int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big") % len(names)]

    async def reset(self, conversation: Conversation) -> None:
        self.room.leave(conversation.key)
        conversation.history = ()
        if self._behind is not None:
            await self._behind.reset(conversation)

    async def close(self, conversation: Conversation) -> None:
        self.room.leave(conversation.key)
        if self._behind is not None:
            await self._behind.close(conversation)

    async def shut_down(self) -> None:
        for key in list(self.room.seats):
            self.room.leave(key)
        if self._behind is not None:
            with suppress(SystemUnderTestError):
                await self._behind.shut_down()


def _words(outputs: Iterable[SystemOutput]) -> str:
    """Content of a turn: its messages, and pieces that no message closed."""
    texts: list[str] = []
    pieces = ""
    for output in outputs:
        if output.kind == "delta":
            pieces += output.text
        elif output.kind == "message":
            pieces = ""
            texts.append(output.text)
    return "\n".join([*texts, pieces] if pieces else texts)
