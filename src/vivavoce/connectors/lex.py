"""An Amazon Lex V2 bot, by boto3.

Wire    RecognizeText of lexv2-runtime; messages, interpretations and the session's state come back
Memory  in the bot's session; a reset takes another
Retry   never: whether Lex heard a turn cannot be known
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any, ClassVar, Final
from urllib.parse import urlsplit

import httpx
from pydantic import Field, StringConstraints, model_validator

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
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.system_connector import SystemConnector, name_of
from vivavoce.connectors.transport import checked_addresses
from vivavoce.connectors.urls import WebAddress
from vivavoce.core.errors import InputError, SystemUnderTestError
from vivavoce.core.validation import mistake

_LONGEST: Final = 1024


class LexSettings(ConnectorSettings):
    """Settings of a system with `connect: lex`."""

    bot: Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z]{10}$")] = Field(description="id of the bot")
    alias: str = Field("TSTALIASID", min_length=1, description="id of the bot's alias")
    locale: str = Field("en_US", description="locale of the bot")
    region: str = Field("us-east-1", description="region of the service")
    url: WebAddress | None = Field(None, description="address of the service, when it is not Amazon's")
    access_key: str | None = Field(None, description="${NAME} of the access key; else what AWS tools use")
    secret_key: str | None = Field(None, description="${NAME} of the secret key")

    @model_validator(mode="after")
    def _both_keys(self) -> "LexSettings":
        if (self.access_key is None) != (self.secret_key is None):
            missing = "access_key" if self.access_key is None else "secret_key"
            raise mistake(f"one key without the other: {missing!r} is missing", "write both, or none")
        return self


class LexConnector(SystemConnector[LexSettings]):
    """A Lex V2 bot."""

    name: ClassVar[str] = "lex"
    summary: ClassVar[str] = "an Amazon Lex V2 bot"
    settings: ClassVar[type[ConnectorSettings]] = LexSettings

    def __init__(self, settings: LexSettings, vault: Vault) -> None:
        super().__init__(settings, vault)
        self._lex = _client(settings, vault)

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(choices=True, memory="system", greets=False, longest_message=_LONGEST)

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        text = clean_text(turn.message)
        if len(text) > _LONGEST:
            problem = f"the turn is longer than the {_LONGEST} characters that Lex takes"
            raise SystemUnderTestError("refused", problem, reached=False)
        await self._check_address()
        asked = {"sessionId": _session(conversation), "text": text}
        self._wire.sent("RecognizeText", json.dumps(asked, ensure_ascii=False))
        settings = self._settings
        try:
            async with asyncio.timeout(min(settings.first_output_timeout_s, settings.turn_timeout_s)):
                answer = await asyncio.to_thread(self._recognise, asked)
        except TimeoutError:
            raise SystemUnderTestError("timeout", "the answer did not come in time") from None
        answer.pop("ResponseMetadata", None)
        answer = self._vault.redact(clean(answer))
        self._wire.received("RecognizeText", json.dumps(answer, ensure_ascii=False, default=str))
        for output in _read(answer):
            yield output

    async def _check_address(self) -> None:
        settings = self._settings
        if settings.url is not None:
            try:
                host = urlsplit(settings.url).hostname or ""
                await checked_addresses(host, allow_private=settings.allow_private)
            except httpx.ConnectError as error:
                raise SystemUnderTestError("unreachable", str(error), reached=False) from None

    def _recognise(self, asked: dict[str, str]) -> dict[str, Any]:
        from botocore import exceptions

        settings = self._settings
        try:
            return self._lex.recognize_text(
                botId=settings.bot, botAliasId=settings.alias, localeId=settings.locale, **asked
            )
        except (exceptions.EndpointConnectionError, exceptions.ConnectTimeoutError) as error:
            raise self._failed("unreachable", error, reached=False) from None
        except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError) as error:
            raise self._failed("refused", error, reached=False) from None
        except exceptions.ReadTimeoutError as error:
            raise self._failed("timeout", error) from None
        except exceptions.ClientError as error:
            status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
            raise self._failed("refused" if status < 500 else "bad_answer", error) from None
        except (exceptions.ConnectionClosedError, exceptions.HTTPClientError) as error:
            raise self._failed("closed", error) from None
        except (exceptions.BotoCoreError, ValueError) as error:
            raise self._failed("bad_answer", error) from None

    def _failed(self, failure: Any, error: Exception, reached: bool = True) -> SystemUnderTestError:
        return SystemUnderTestError(failure, self._vault.redact(str(error)), reached=reached)

    async def shut_down(self) -> None:
        self._lex.close()


def _client(settings: LexSettings, vault: Vault) -> Any:
    try:
        import boto3
        from botocore.config import Config
    except ImportError:
        hint = "pip install 'vivavoce[lex]'"
        raise InputError("boto3 is not installed", place="connect", hint=hint) from None
    config = Config(
        connect_timeout=settings.connect_timeout_s, read_timeout=settings.turn_timeout_s,
        retries={"total_max_attempts": 1}, max_pool_connections=100, proxies={},
    )  # fmt: skip
    keys = {}
    if settings.access_key and settings.secret_key:
        keys["aws_access_key_id"] = vault.expand(settings.access_key)
        keys["aws_secret_access_key"] = vault.expand(settings.secret_key)
    url = vault.expand(settings.url) if settings.url else None
    return boto3.client("lexv2-runtime", region_name=settings.region, endpoint_url=url, config=config, **keys)


def _session(conversation: Conversation) -> str:
    return hashlib.sha256(name_of(conversation).encode()).hexdigest()


def _read(answer: dict[str, Any]) -> list[SystemOutput]:
    if "messages" not in answer and "sessionState" not in answer:
        raise bad_answer("the answer has neither messages nor a session's state")
    outputs = [_message(one) for one in answer.get("messages") or []]
    understood = tuple(_interpreted(one) for one in answer.get("interpretations") or [] if one.get("intent"))
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
    choices = tuple(Choice(one["text"], one["value"]) for one in card.get("buttons") or [])
    images = (card["imageUrl"],) if card.get("imageUrl") else ()
    return SystemOutput(kind="message", text="\n".join(lines), choices=choices, images=images)


def _interpreted(one: dict[str, Any]) -> Understood:
    """One intent with its slots, and Lex's confidence."""
    intent = one["intent"]
    acts = tuple(
        Act(intent["name"], slot, str((filled.get("value") or {}).get("interpretedValue")), "=")
        for slot, filled in (intent.get("slots") or {}).items()
        if filled
    )
    score = (one.get("nluConfidence") or {}).get("score")
    return Understood(acts or (Act(intent["name"]),), score)
