"""A Dialogflow agent, ES or CX, over its REST interface.

Wire    POST .../sessions/{session}:detectIntent with the text; messages, the matched intent and its
        confidence come back
Memory  in the agent's session; a reset takes another
Retry   when the connection was never made
"""

import asyncio
import hashlib
import re
import time
from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any, ClassVar, Final

from pydantic import AfterValidator, Field

from vivavoce.connectors.answers import bad_answer, clean_text
from vivavoce.connectors.asking import Asking
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
from vivavoce.connectors.naming import name_of, renamed
from vivavoce.connectors.secrets import Vault, names_in
from vivavoce.connectors.urls import WebAddress, check_address
from vivavoce.core.errors import InputError
from vivavoce.core.validation import mistake

_ES: Final = re.compile(r"projects/[^/]+(/locations/[^/]+)?/agent")
_CX: Final = re.compile(r"projects/[^/]+/locations/([^/]+)/agents/[^/]+(/environments/[^/]+)?")


def _agent(written: str) -> str:
    if not (_ES.fullmatch(written) or _CX.fullmatch(written)):
        raise mistake(
            f"{written!r} names no agent",
            "write projects/P/agent (ES) or projects/P/locations/L/agents/A (CX)",
        )
    return written


class DialogflowSettings(ConnectorSettings):
    """Settings of a system with `connect: dialogflow`."""

    agent: Annotated[str, AfterValidator(_agent)] = Field(
        description="projects/P/agent (ES) or projects/P/locations/L/agents/A (CX)"
    )
    url: WebAddress | None = Field(None, description="address of the service, when it is not Google's")
    token: str | None = Field(None, description="${NAME} of an access token")
    service_account: str | None = Field(None, description="${NAME} of the path of a service account's key")
    start: str | None = Field(None, description="event that opens a conversation, such as WELCOME")
    longest_answer_bytes: int = Field(1_000_000, gt=0, le=50_000_000, description="more is a bad answer")


class DialogflowConnector:
    """A Dialogflow agent."""

    name: ClassVar[str] = "dialogflow"
    summary: ClassVar[str] = "a Dialogflow agent, ES or CX"
    settings: ClassVar[type[ConnectorSettings]] = DialogflowSettings

    def __init__(self, settings: DialogflowSettings, vault: Vault) -> None:
        self._settings, self._vault = settings, vault
        found = _CX.fullmatch(settings.agent)
        self._cx = found is not None
        region = "" if found is None or found[1] == "global" else f"{found[1]}-"
        url = settings.url or f"https://{region}dialogflow.googleapis.com"
        check_address(url, allow_private=settings.allow_private, place="url")
        version = "v3" if self._cx else "v2"
        self._base = f"{vault.expand(url).rstrip('/')}/{version}/{settings.agent}/sessions"
        self._asking = Asking(settings, vault, settings.longest_answer_bytes)
        self._key = _signer(vault.expand(settings.service_account)) if settings.service_account else None

    @classmethod
    def make(cls, settings: Any, secrets: Mapping[str, str]) -> "DialogflowConnector":
        return cls(settings, Vault(names_in(settings.model_dump()), secrets))

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(choices=True, memory="system", greets=self._settings.start is not None)

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        event = self._settings.start
        if event is not None and not conversation.history:
            asked = {"event": {"event": event}} if self._cx else {"event": {"name": event}}
            for output in await self._ask(conversation, asked):
                yield output

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        for output in await self._ask(conversation, {"text": {"text": clean_text(turn.message)}}):
            yield output

    async def _ask(self, conversation: Conversation, asked: dict[str, Any]) -> list[SystemOutput]:
        language = {"languageCode": conversation.language}
        if self._cx:
            query = {**asked, **language}
        else:
            ((kind, content),) = asked.items()
            query = {kind: {**content, **language}}
        url = f"{self._base}/{_session(conversation)}:detectIntent"
        headers = await self._authorised()
        answer = await self._asking.ask("POST", url, json={"queryInput": query}, headers=headers)
        result = answer.get("queryResult") if isinstance(answer, dict) else None
        if not isinstance(result, dict):
            raise bad_answer("the answer has no queryResult")
        return _read(result)

    async def _authorised(self) -> dict[str, str]:
        if self._key is not None:
            return {"authorization": f"Bearer {await asyncio.to_thread(self._key)}"}
        if self._settings.token:
            return {"authorization": f"Bearer {self._vault.expand(self._settings.token)}"}
        return {}

    async def reset(self, conversation: Conversation) -> None:
        renamed(conversation)

    async def close(self, conversation: Conversation) -> None:
        """A session ends by itself."""

    async def shut_down(self) -> None:
        await self._asking.close()


def _session(conversation: Conversation) -> str:
    """The session's name, which may have 36 bytes."""
    return hashlib.sha256(name_of(conversation).encode()).hexdigest()[:32]


def _read(result: dict[str, Any]) -> list[SystemOutput]:
    texts: list[str] = []
    choices: list[Choice] = []
    ends = False
    for message in result.get("responseMessages") or result.get("fulfillmentMessages") or []:
        if not isinstance(message, dict):
            raise bad_answer("a message of the answer is no mapping")
        texts += _texts(message.get("text"))
        replies = message.get("quickReplies")
        if isinstance(replies, dict):
            choices += [Choice(str(one), str(one)) for one in replies.get("quickReplies") or []]
        ends = ends or "endInteraction" in message
    outputs = [SystemOutput(kind="message", text=text) for text in texts[:-1]]
    if texts or choices:
        last = texts[-1] if texts else ""
        outputs.append(SystemOutput(kind="message", text=last, choices=tuple(choices)))
    outputs.append(SystemOutput(kind="extras", understood=_understood(result), raw=result))
    if ends:
        outputs.append(SystemOutput(kind="end"))
    return outputs


def _texts(found: Any) -> list[str]:
    texts = found.get("text") if isinstance(found, dict) else None
    return [text for text in texts if isinstance(text, str) and text] if isinstance(texts, list) else []


def _understood(result: dict[str, Any]) -> tuple[Understood, ...]:
    """The matched intent with its parameters, and the agent's confidence."""
    match = result.get("match")
    where = match if isinstance(match, dict) else result
    intent = where.get("intent")
    if not isinstance(intent, dict) or not isinstance(intent.get("displayName"), str):
        return ()
    name = intent["displayName"]
    found = where.get("parameters")
    slots = found if isinstance(found, dict) else {}
    acts = tuple(Act(name, slot, str(value), "=") for slot, value in slots.items() if value not in ("", None))
    score = where.get("confidence", result.get("intentDetectionConfidence"))
    number = float(score) if isinstance(score, (int, float)) and not isinstance(score, bool) else None
    return (Understood(acts or (Act(name),), number),)


def _signer(path: str) -> Any:
    """A function that gives a signed token, made anew before the last one ends."""
    try:
        from google.auth import jwt
    except ImportError:
        cure = "pip install 'vivavoce[dialogflow]'"
        raise InputError("google-auth is not installed", place="service_account", cure=cure) from None
    try:
        credentials: Any = jwt.Credentials.from_service_account_file(
            path, audience="https://dialogflow.googleapis.com/"
        )
    except (OSError, ValueError) as error:
        raise InputError(
            f"the key cannot be read ({type(error).__name__})", place="service_account", cure="check the path"
        ) from None
    made: list[tuple[float, str]] = []

    def token() -> str:
        if not made or time.monotonic() - made[-1][0] > 1800:
            credentials.refresh(None)
            signed = credentials.token
            made[:] = [(time.monotonic(), signed if isinstance(signed, str) else signed.decode())]
        return made[-1][1]

    return token
