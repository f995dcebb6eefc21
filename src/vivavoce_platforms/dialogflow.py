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
from collections.abc import AsyncIterator
from typing import Annotated, Any, ClassVar, Final

from pydantic import AfterValidator, Field

from vivavoce.connectors.answers import bad_answer, clean_text, outputs
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
from vivavoce.connectors.json_client import Asking
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.system_connector import SystemConnector, name_of
from vivavoce.connectors.urls import WebAddress
from vivavoce.core.errors import InputError, SystemUnderTestError
from vivavoce.core.extras import require
from vivavoce.core.validation import mistake

_ES: Final = re.compile(r"projects/[^/]+(?:/locations/([^/]+))?/agent")
_CX: Final = re.compile(r"projects/[^/]+/locations/([^/]+)/agents/[^/]+(/environments/[^/]+)?")
_LONGEST_ES: Final = 256  # TextInput of the API's v2


def _agent(agent: str) -> str:
    if not (_ES.fullmatch(agent) or _CX.fullmatch(agent)):
        raise mistake(
            f"{agent!r} is not an agent name",
            "write projects/P/agent (ES) or projects/P/locations/L/agents/A (CX)",
        )
    return agent


class DialogflowSettings(ConnectorSettings):
    """Settings of a system with `connect: dialogflow`."""

    agent: Annotated[str, AfterValidator(_agent)] = Field(
        description="agent: projects/P/agent (ES) or projects/P/locations/L/agents/A (CX)"
    )
    url: WebAddress | None = Field(None, description="service address, if different from Google's")
    token: str | None = Field(None, description="${NAME} of an access token")
    service_account: str | None = Field(None, description="${NAME} of the path to a service account's key")
    start: str | None = Field(None, description="event that starts a conversation, such as WELCOME")
    longest_answer_bytes: int = Field(
        1_000_000, gt=0, le=50_000_000, description="longer answers are rejected"
    )


class DialogflowConnector(SystemConnector[DialogflowSettings]):
    """A Dialogflow agent."""

    name: ClassVar[str] = "dialogflow"
    summary: ClassVar[str] = "a Dialogflow agent, ES or CX"
    settings: ClassVar[type[ConnectorSettings]] = DialogflowSettings

    def __init__(self, settings: DialogflowSettings, vault: Vault) -> None:
        super().__init__(settings, vault)
        cx = _CX.fullmatch(settings.agent)
        self._cx, match = cx is not None, cx or _ES.fullmatch(settings.agent)
        region = "" if match is None or match[1] in (None, "global") else f"{match[1]}-"
        url = settings.url or f"https://{region}dialogflow.googleapis.com"
        version = "v3" if self._cx else "v2"
        self._base = f"{vault.expand(url).rstrip('/')}/{version}/{settings.agent}/sessions"
        self._asking = Asking(settings, vault, settings.longest_answer_bytes)
        self._key = _signer(vault.expand(settings.service_account)) if settings.service_account else None

    @property
    def capabilities(self) -> Capabilities:
        longest = None if self._cx else _LONGEST_ES
        greets = self._settings.start is not None
        return Capabilities(choices=True, memory="system", greets=greets, longest_message=longest)

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        event = self._settings.start
        if event is not None and not conversation.history:
            query = {"event": {"event": event}} if self._cx else {"event": {"name": event}}
            for output in await self._ask(conversation, query):
                yield output

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        text, longest = clean_text(turn.message), self.capabilities.longest_message
        if longest is not None and len(text) > longest:
            problem = f"the turn exceeds the {longest} characters that Dialogflow ES accepts"
            raise SystemUnderTestError("refused", problem, reached=False)
        for output in await self._ask(conversation, {"text": {"text": text}}):
            yield output

    async def _ask(self, conversation: Conversation, query_input: dict[str, Any]) -> list[SystemOutput]:
        language = {"languageCode": conversation.language}
        if self._cx:
            query = {**query_input, **language}
        else:
            ((kind, content),) = query_input.items()
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

    async def shut_down(self) -> None:
        await self._asking.close()


def _session(conversation: Conversation) -> str:
    """The session's name, which may have 36 bytes."""
    return hashlib.sha256(name_of(conversation).encode()).hexdigest()[:32]


def _read(result: dict[str, Any]) -> list[SystemOutput]:
    texts: list[str] = []
    choices: list[Choice] = []
    images: list[str] = []
    messages = _messages(result)
    for message in messages:
        texts += _texts(message.get("text")) + _card_texts(message.get("card"))
        choices += _offers(message)
        images += _pictures(message.get("image")) + _pictures(message.get("card"))
    if not texts and isinstance(result.get("fulfillmentText"), str) and result["fulfillmentText"]:
        texts = [result["fulfillmentText"]]
    extras = SystemOutput(kind="extras", understood=_understood(result), raw=result)
    return outputs(
        texts, choices=tuple(choices), images=tuple(images), extras=extras, ends=_ends(result, messages)
    )


def _messages(result: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages for a client of no platform; an agent of ES may have others for Telegram and the like."""
    messages = result.get("responseMessages") or result.get("fulfillmentMessages") or []
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise bad_answer("a message of the answer is not a mapping")
    return [
        message for message in messages if message.get("platform") in (None, "PLATFORM_UNSPECIFIED")
    ] or messages


def _ends(result: dict[str, Any], messages: list[dict[str, Any]]) -> bool:
    """True if the agent ended the dialogue: in CX by a message, in ES by its intent's mark."""
    diagnostics, intent = result.get("diagnosticInfo"), result.get("intent")
    marked = isinstance(diagnostics, dict) and diagnostics.get("end_conversation") is True
    marked = marked or (isinstance(intent, dict) and intent.get("endInteraction") is True)
    return marked or any("endInteraction" in message for message in messages)


def _card_texts(card: Any) -> list[str]:
    texts = [card.get(part) for part in ("title", "subtitle")] if isinstance(card, dict) else []
    lines = [text for text in texts if isinstance(text, str) and text]
    return ["\n".join(lines)] if lines else []


def _pictures(holder: Any) -> list[str]:
    uri = holder.get("imageUri") if isinstance(holder, dict) else None
    return [uri] if isinstance(uri, str) and uri else []


def _offers(message: dict[str, Any]) -> list[Choice]:
    """Quick replies, buttons of a card (ES), and chips of Dialogflow Messenger (both)."""
    replies, card, payload = (message.get(name) for name in ("quickReplies", "card", "payload"))
    offered = _list(replies, "quickReplies")
    offered += [button.get("text") for button in _list(card, "buttons") if isinstance(button, dict)]
    for row in _list(payload, "richContent"):
        for element in row if isinstance(row, list) else []:
            if isinstance(element, dict) and element.get("type") == "chips":
                offered += [
                    option.get("text") for option in _list(element, "options") if isinstance(option, dict)
                ]
    return [Choice(text, text) for text in offered if isinstance(text, str) and text]


def _list(holder: Any, name: str) -> list[Any]:
    entries = holder.get(name) if isinstance(holder, dict) else None
    return list(entries) if isinstance(entries, list) else []


def _texts(message: Any) -> list[str]:
    texts = message.get("text") if isinstance(message, dict) else None
    return [text for text in texts if isinstance(text, str) and text] if isinstance(texts, list) else []


def _understood(result: dict[str, Any]) -> tuple[Understood, ...]:
    """The matched intent with its parameters, and the agent's confidence."""
    match = result.get("match")
    where = match if isinstance(match, dict) else result
    intent = where.get("intent")
    if not isinstance(intent, dict) or not isinstance(intent.get("displayName"), str):
        return ()
    name = intent["displayName"]
    parameters = where.get("parameters")
    slots = parameters if isinstance(parameters, dict) else {}
    acts = tuple(Act(name, slot, str(value), "=") for slot, value in slots.items() if value not in ("", None))
    score = where.get("confidence", result.get("intentDetectionConfidence"))
    number = float(score) if isinstance(score, (int, float)) and not isinstance(score, bool) else None
    return (Understood(acts or (Act(name),), number),)


def _signer(path: str) -> Any:
    """A function that gives a signed token, made anew before the last one ends."""
    require("google", place="service_account")
    from google.auth import jwt

    try:
        credentials: Any = jwt.Credentials.from_service_account_file(
            path, audience="https://dialogflow.googleapis.com/"
        )
    except (OSError, ValueError) as error:
        raise InputError(
            f"the key cannot be read ({type(error).__name__})", place="service_account", hint="check the path"
        ) from None
    tokens: list[tuple[float, str]] = []

    def token() -> str:
        if not tokens or time.monotonic() - tokens[-1][0] > 1800:
            credentials.refresh(None)
            signed = credentials.token
            tokens[:] = [(time.monotonic(), signed if isinstance(signed, str) else signed.decode())]
        return tokens[-1][1]

    return token
