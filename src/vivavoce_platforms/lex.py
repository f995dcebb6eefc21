"""An Amazon Lex V2 bot, by boto3.

Wire    RecognizeText of lexv2-runtime; messages, interpretations and the session's state come back
Memory  in the bot's session; a reset takes another
Retry   never: whether Lex heard a turn cannot be known
"""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any, ClassVar, Final

from pydantic import Field, StringConstraints

from vivavoce.connectors.answers import bad_answer, clean, clean_text
from vivavoce.connectors.base import (
    Act,
    Capabilities,
    Choice,
    ConnectorSettings,
    Conversation,
    SystemOutput,
    Understood,
    UserTurn,
)
from vivavoce.core.errors import SystemUnderTestError
from vivavoce_platforms.amazon import AmazonConnector, AmazonSettings, session_of

_LONGEST: Final = 1024


class LexSettings(AmazonSettings):
    """Settings of a system with `connect: lex`."""

    bot: Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z]{10}$")] = Field(description="bot ID")
    alias: str = Field("TSTALIASID", min_length=1, description="alias ID")
    locale: str = Field("en_US", description="locale of the bot")


class LexConnector(AmazonConnector[LexSettings]):
    """A Lex V2 bot."""

    name: ClassVar[str] = "lex"
    summary: ClassVar[str] = "an Amazon Lex V2 bot"
    settings: ClassVar[type[ConnectorSettings]] = LexSettings
    service = "lexv2-runtime"

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(choices=True, memory="system", greets=False, longest_message=_LONGEST)

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        text = clean_text(turn.message)
        if len(text) > _LONGEST:
            problem = f"the turn exceeds the {_LONGEST} characters that Lex accepts"
            raise SystemUnderTestError("refused", problem, reached=False)
        await self._check_address()
        request = {"sessionId": session_of(conversation), "text": text}
        self._wire.sent("RecognizeText", json.dumps(request, ensure_ascii=False))
        settings = self._settings
        try:
            async with asyncio.timeout(min(settings.first_output_timeout_s, settings.turn_timeout_s)):
                answer = await asyncio.to_thread(self._recognise, request)
        except TimeoutError:
            raise SystemUnderTestError("timeout", "the answer timed out") from None
        answer.pop("ResponseMetadata", None)
        answer = self._vault.redact(clean(answer))
        self._wire.received("RecognizeText", json.dumps(answer, ensure_ascii=False, default=str))
        for output in _read(answer):
            yield output

    def _recognise(self, request: dict[str, str]) -> dict[str, Any]:
        settings = self._settings
        with self._failures():
            return self._client.recognize_text(
                botId=settings.bot, botAliasId=settings.alias, localeId=settings.locale, **request
            )


def _read(answer: dict[str, Any]) -> list[SystemOutput]:
    if "messages" not in answer and "sessionState" not in answer:
        raise bad_answer("the answer has neither messages nor a session's state")
    outputs = [_message(message) for message in answer.get("messages") or []]
    understood = tuple(
        _interpreted(interpretation)
        for interpretation in answer.get("interpretations") or []
        if interpretation.get("intent")
    )
    outputs.append(SystemOutput(kind="extras", understood=understood, raw=answer))
    action = (answer.get("sessionState") or {}).get("dialogAction") or {}
    intent = (answer.get("sessionState") or {}).get("intent") or {}
    if action.get("type") == "Close" and intent.get("state") in ("Fulfilled", "Failed"):
        outputs.append(SystemOutput(kind="end"))
    return outputs


def _message(message: dict[str, Any]) -> SystemOutput:
    card = message.get("imageResponseCard")
    if not card:
        return SystemOutput(kind="message", text=str(message.get("content") or ""))
    lines = [card[part] for part in ("title", "subtitle") if card.get(part)]
    choices = tuple(Choice(button["text"], button["value"]) for button in card.get("buttons") or [])
    images = (card["imageUrl"],) if card.get("imageUrl") else ()
    return SystemOutput(kind="message", text="\n".join(lines), choices=choices, images=images)


def _interpreted(interpretation: dict[str, Any]) -> Understood:
    """One intent with its slots, and Lex's confidence."""
    intent = interpretation["intent"]
    acts = tuple(
        Act(intent["name"], slot, str((filled.get("value") or {}).get("interpretedValue")), "=")
        for slot, filled in (intent.get("slots") or {}).items()
        if filled
    )
    score = (interpretation.get("nluConfidence") or {}).get("score")
    return Understood(acts or (Act(intent["name"]),), score)
