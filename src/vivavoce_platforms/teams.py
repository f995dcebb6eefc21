"""A bot for Microsoft Teams, on the Bot Framework's SDK or its successors, that takes us for Teams.

Wire    each turn is an activity posted to the bot's messaging endpoint; it names our address as `serviceUrl`,
        and the bot answers there, by POST /v3/conversations/{conversation}/activities
Signed  events are not: the bot is started without app id and password, as for the Bot Framework Emulator
Source  https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference
"""

import json
import secrets
import time
from datetime import UTC, datetime
from typing import Any, ClassVar, Final
from urllib.parse import unquote

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from vivavoce.connectors.base import Choice, ConnectorSettings
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.transport import check_status, reported
from vivavoce.connectors.urls import WebAddress
from vivavoce.core.errors import SystemUnderTestError
from vivavoce_platforms.activities import Action, read_activity
from vivavoce_platforms.platform import PlatformConnector, WebhookSettings
from vivavoce_platforms.platform_chat import BotMessage, Chat
from vivavoce_platforms.platform_requests import UnreadableCall, parameters, text_of

JOINS: Final = "conversationUpdate"
LONGEST_TEXT: Final = 28_000
_BOT: Final = {"id": "28:vivavoce-system", "name": "System"}
_TENANT: Final = "00000000-0000-0000-0000-000000000001"


class ActivityError(Exception):
    """Errors of Teams for rejected calls."""

    def __init__(self, code: str, message: str, status: int = 400) -> None:
        self.code, self.message, self.status = code, message, status
        super().__init__(message)


class TeamsSettings(WebhookSettings):
    """Settings of a system with `connect: teams`."""

    port: int = Field(8086, ge=0, le=65535, description="port that the bot connects to")
    url: WebAddress = Field(
        description="the bot's messaging endpoint, such as http://127.0.0.1:3978/api/messages"
    )
    start: str | None = Field(
        None,
        description="first event of a conversation: conversationUpdate, which lets bots greet, or a text",
    )


class TeamsConnector(PlatformConnector[TeamsSettings]):
    """A Teams bot that takes us for Teams."""

    name: ClassVar[str] = "teams"
    summary: ClassVar[str] = "an unmodified bot for Microsoft Teams (Bot Framework); Vivavoce acts as Teams"
    settings: ClassVar[type[ConnectorSettings]] = TeamsSettings
    platform: ClassVar[str] = "Teams"
    real_host: ClassVar[str] = "smba.trafficmanager.net"
    longest_text: ClassVar[int] = LONGEST_TEXT
    acknowledge_s: ClassVar[float] = 15.0

    def __init__(self, settings: TeamsSettings, vault: Vault) -> None:
        super().__init__(settings, vault)
        self._url = vault.expand(settings.url)
        self._numbers = time.time_ns() // 1_000_000

    def _number(self) -> str:
        self._numbers += 1
        return str(self._numbers)

    # --- what the bot is told -------------------------------------------------------------------------

    def _new_chat_id(self) -> str:
        return f"a:{secrets.token_hex(16)}"

    def _event(self, chat: Chat, text: str, payload: str | None) -> dict[str, Any]:
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        user = _user(chat)
        event: dict[str, Any] = {
            "type": "message",
            "id": self._number(),
            "timestamp": now,
            "serviceUrl": f"{self.address}/",
            "channelId": "msteams",
            "from": user,
            "recipient": _BOT,
            "locale": chat.language,
            "conversation": {"id": chat.chat_id, "conversationType": "personal", "tenantId": _TENANT},
            "channelData": {"tenant": {"id": _TENANT}},
        }
        if text == JOINS == self._settings.start:
            return {**event, "type": JOINS, "membersAdded": [user, _BOT]}
        pressed = chat.buttons[payload] if payload is not None else {"text": text}
        return {**event, "textFormat": "plain", **pressed}

    async def _give(self, chat: Chat, event: dict[str, Any], again: int, reason: str) -> None:
        body = json.dumps(event, ensure_ascii=False)
        with reported(self._vault):
            headers = {"content-type": "application/json"}
            request = self._client.build_request("POST", self._url, content=body, headers=headers)
            response = await self._knock(request)
            check_status(response, response.content)

    # --- what the bot calls ---------------------------------------------------------------------------

    def _routes(self) -> list[BaseRoute]:
        return [Route("/{path:path}", self._serve, methods=["GET", "POST", "PUT", "DELETE"])]

    async def _serve(self, request: Request) -> Response:
        path = [unquote(part) for part in request.url.path.split("/") if part]
        try:
            params = await parameters(request, self._settings.longest_answer_bytes)
            return self._call(request.method, path, params)
        except UnreadableCall as problem:
            return _refused(ActivityError("BadSyntax", f"the body is {problem}"))
        except SystemUnderTestError as problem:
            return _refused(ActivityError("BadSyntax", str(problem)))
        except ActivityError as problem:
            return _refused(problem)

    def _call(self, method: str, path: list[str], params: dict[str, Any]) -> Response:
        match method, path:
            case "POST", ["v3", "conversations"]:
                chat = self._with(params)
                return JSONResponse({"id": chat.chat_id, "serviceUrl": f"{self.address}/"}, 201)
            case "POST", ["v3", "conversations", key, "activities", *_]:
                return JSONResponse({"id": self._sent(self._of(key), params, None)}, 201)
            case "PUT", ["v3", "conversations", key, "activities", number]:
                return JSONResponse({"id": self._sent(self._of(key), params, number)})
            case "DELETE", ["v3", "conversations", key, "activities", number]:
                chat = self._of(key)
                chat.delete(number)
                chat.stirred("deleteActivity", {"id": number}, time.monotonic())
                return Response(status_code=200)
            case "GET", ["v3", "conversations", key, "members"]:
                return JSONResponse([_member(self._of(key))])
            case "GET", ["v3", "conversations", key, "pagedmembers"]:
                return JSONResponse({"members": [_member(self._of(key))]})
            case "GET", ["v3", "conversations", key, "activities", _, "members"]:
                return JSONResponse([_member(self._of(key))])
            case "GET", ["v3", "conversations", key, "members", _]:
                return JSONResponse(_member(self._of(key)))
        raise ActivityError("ServiceError", f"Unsupported request: {method} /{'/'.join(path)}", 404)

    def _of(self, key: str) -> Chat:
        if (chat := self._chats.get(key)) is None:
            raise ActivityError("ConversationNotFound", "Conversation not found.", 404)
        return chat

    def _with(self, params: dict[str, Any]) -> Chat:
        """The chat with a member: there is one for each user."""
        members = params.get("members")
        ids = (
            {member.get("id") for member in members if isinstance(member, dict)}
            if isinstance(members, list)
            else set()
        )
        existing = next((chat for chat in self._chats.values() if _user(chat)["id"] in ids), None)
        if existing is None:
            raise ActivityError(
                "BotNotInConversationRoster", "The bot is not part of the conversation roster.", 403
            )
        return existing

    def _sent(self, chat: Chat, params: dict[str, Any], changed: str | None) -> str:
        """The bot wrote, or changed what it wrote; the number of the message."""
        kind, now_s = text_of(params, "type"), time.monotonic()
        name = "updateActivity" if changed is not None else f"sendActivity ({kind})"
        number = changed or self._number()
        if kind == "typing":
            chat.stirred(name, params, now_s)
            chat.typing_until_s = now_s + self._settings.typing_s
            return number
        if kind not in ("message", "endOfConversation"):
            chat.stirred(name, params, now_s)
            return number
        activity = read_activity(params)
        if len(activity.text) > LONGEST_TEXT:
            raise ActivityError("MessageSizeTooBig", "Message size too large.", 413)
        choices = [Choice(action.title, _remember(chat, action)) for action in activity.actions]
        if kind == "message" and not (activity.text or activity.images or choices):
            raise ActivityError(
                "BadSyntax", "Activity must include non-empty 'text' field, or at least one attachment."
            )
        if activity.text or activity.images or choices:
            message = BotMessage(number, activity.text, choices, list(activity.images), now_s)
            chat.texts[number] = activity.text
            chat.edit(message)
        chat.stirred(name, params, now_s)
        return number


def _remember(chat: Chat, action: Action) -> str:
    """The payload of a button; the chat knows by it what pressing it tells the bot."""
    submit = {
        name: value
        for name, value in (("text", action.text), ("value", action.value))
        if value not in (None, "")
    }
    payload = action.text if action.value is None else json.dumps(submit, ensure_ascii=False, sort_keys=True)
    chat.buttons[payload] = submit
    return payload


def _user(chat: Chat) -> dict[str, str]:
    return {
        "id": f"29:{chat.chat_id.removeprefix('a:')}",
        "name": "Participant",
        "aadObjectId": chat.chat_id[2:34],
    }


def _member(chat: Chat) -> dict[str, str]:
    mail = "participant@example.org"
    names = {"givenName": "Participant", "surname": "", "userPrincipalName": mail, "userRole": "user"}
    return {**_user(chat), **names, "tenantId": _TENANT}


def _refused(problem: ActivityError) -> Response:
    return JSONResponse({"error": {"code": problem.code, "message": problem.message}}, problem.status)
