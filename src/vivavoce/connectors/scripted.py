"""A system that follows a script in the study file: for trying a study out, and for tests.

Wire    none; the first reply whose pattern is found in the user's turn is given, else `otherwise`
Memory  in this process: with `in_turn: true` the replies are given one after the other
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.connectors.base import (
    Capabilities,
    Choice,
    ConnectorSettings,
    Conversation,
    SystemOutput,
    UserTurn,
)
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.system_connector import SystemConnector
from vivavoce.core.errors import FailureKind, SystemUnderTestError
from vivavoce.core.patterns import Pattern, SlowPattern, search


class ScriptedReply(BaseModel):
    """Reply to a turn that matches the pattern."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    match: Pattern = ""
    say: list[str] | str = Field(default_factory=list)
    choices: list[str] = Field(default_factory=list)
    end: bool = False
    fail: FailureKind | None = None


class ScriptedSettings(ConnectorSettings):
    """Settings of a system with `connect: scripted`."""

    replies: list[ScriptedReply] = Field(
        default_factory=list, description="mappings with match, say, choices, end, fail"
    )
    otherwise: str = Field("I did not understand.", description="reply when nothing matches")
    greeting: str | None = Field(None, description="first message from the system")
    in_turn: bool = Field(False, description="give the replies in order, whatever the message")
    delay_s: float = Field(0.0, ge=0, le=600, description="delay in seconds before each answer")


class ScriptedConnector(SystemConnector[ScriptedSettings]):
    """A script as a bot; {text} and {first} in a reply are the turn, and the conversation's first one."""

    name: ClassVar[str] = "scripted"
    summary: ClassVar[str] = "replies in the study file, for trying things out"
    settings: ClassVar[type[ConnectorSettings]] = ScriptedSettings
    knows_names: ClassVar[bool] = False

    @classmethod
    def make(cls, settings: Any, secrets: Mapping[str, str]) -> "ScriptedConnector":
        return cls(settings, Vault((), {}))

    @property
    def capabilities(self) -> Capabilities:
        greets = self._settings.greeting is not None
        return Capabilities(choices=True, idempotent=True, memory="caller", greets=greets)

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        if self._settings.greeting is not None and not conversation.history:
            yield SystemOutput(kind="message", text=self._settings.greeting)

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        await asyncio.sleep(self._settings.delay_s)
        earlier = [past.text for past in conversation.history if past.party == "user"]
        message = turn.message
        reply = self._reply(message, len(earlier))
        if reply.fail is not None:
            raise SystemUnderTestError(reply.fail, "failure by script", reached=reply.fail != "unreachable")
        first = earlier[0] if earlier else message
        texts = [reply.say] if isinstance(reply.say, str) else list(reply.say)
        choices = tuple(Choice(title, title) for title in reply.choices)
        for number, text in enumerate(texts, 1):
            filled = text.replace("{first}", first) if "{first}" in text else text.replace("{text}", message)
            yield SystemOutput(kind="message", text=filled, choices=choices if number == len(texts) else ())
        if reply.end:
            yield SystemOutput(kind="end")

    def _reply(self, text: str, number: int) -> ScriptedReply:
        replies = self._settings.replies
        if self._settings.in_turn:
            return replies[number] if number < len(replies) else ScriptedReply(say=self._settings.otherwise)
        matching = (reply for reply in replies if search(reply.match, text, ignore_case=True))
        try:
            return next(matching, ScriptedReply(say=self._settings.otherwise))
        except SlowPattern as error:
            raise SystemUnderTestError("bad_answer", str(error)) from None
