"""An agent that speaks A2A 1.0 (JSON-RPC).

Wire    the agent's card names the address; SendMessage with the text and, from the second turn on, the
        context that the agent gave; a task or a message comes back
Memory  in the agent, under that context; a reset leaves it out
Retry   when the connection was never made
"""

import uuid
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, ClassVar, Final
from urllib.parse import urljoin, urlsplit

from pydantic import Field

from vivavoce.connectors.agent_work import read_tools
from vivavoce.connectors.answer_paths import WorkPaths, WorkReader
from vivavoce.connectors.answers import bad_answer, clean_text
from vivavoce.connectors.base import Capabilities, ConnectorSettings, Conversation, SystemOutput, UserTurn
from vivavoce.connectors.json_client import Asking
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.system_connector import SystemConnector
from vivavoce.connectors.templates import compile_template
from vivavoce.connectors.urls import WebAddress
from vivavoce.core.errors import SystemUnderTestError

_CARD: Final = "/.well-known/agent-card.json"
_BAD: Final = {"TASK_STATE_FAILED", "TASK_STATE_REJECTED", "TASK_STATE_CANCELED", "TASK_STATE_AUTH_REQUIRED"}


class A2ASettings(ConnectorSettings):
    """Settings of a system with `connect: a2a`."""

    url: WebAddress = Field(description="base address of the agent, with its agent card")
    headers: dict[str, str] = Field(default_factory=dict, description="may contain ${SECRET}")
    work: WorkPaths = Field(
        default=WorkPaths(), description="paths to tools, usage and retrievals in the task or message"
    )
    longest_answer_bytes: int = Field(
        2_000_000, gt=0, le=50_000_000, description="longer answers are rejected"
    )


class A2AConnector(SystemConnector[A2ASettings]):
    """An A2A agent."""

    name: ClassVar[str] = "a2a"
    summary: ClassVar[str] = "an agent that speaks A2A 1.0"
    settings: ClassVar[type[ConnectorSettings]] = A2ASettings
    knows_names: ClassVar[bool] = False

    def __init__(self, settings: A2ASettings, vault: Vault) -> None:
        super().__init__(settings, vault)
        self._url = vault.expand(settings.url).rstrip("/")
        headers = compile_template(settings.headers, set(), place="headers")
        self._headers = {"A2A-Version": "1.0", **headers({"secrets": vault.values})}
        self._asking = Asking(settings, vault, settings.longest_answer_bytes)
        self._address: str | None = None
        self._work = WorkReader(settings.work)

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(memory="system", greets=False)

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        address = self._address or await self._find()
        identifiers = {
            name: conversation.state[name] for name in ("contextId", "taskId") if name in conversation.state
        }
        message = {
            "messageId": str(uuid.uuid5(uuid.NAMESPACE_OID, turn.key)),
            "role": "ROLE_USER",
            "parts": [{"text": clean_text(turn.message)}],
            **identifiers,
        }
        request = {
            "jsonrpc": "2.0",
            "id": turn.key,
            "method": "SendMessage",
            "params": {"message": message, "configuration": {"returnImmediately": False}},
        }
        answer = await self._asking.ask("POST", address, json=request, headers=self._headers)
        result = _result(answer)
        *outputs, facts = _read(result, conversation)
        for output in outputs:
            yield output
        yield replace(facts, **(self._work.work(_inside(result)) | _told(result)))

    async def _find(self) -> str:
        """The address in the agent's card; before it is known, nothing was said."""
        try:
            card = await self._asking.ask("GET", self._url + _CARD, headers=self._headers, idempotent=True)
        except SystemUnderTestError as error:
            detail = f"no agent card: {error.detail}"
            raise SystemUnderTestError(error.failure, detail, reached=error.reached) from None
        offered = card.get("supportedInterfaces") if isinstance(card, dict) else None
        for interface in offered if isinstance(offered, list) else []:
            if isinstance(interface, dict) and interface.get("protocolBinding") == "JSONRPC":
                address = urljoin(self._url + "/", str(interface.get("url")))
                self._check_origin(address)
                self._address = address
                return address
        raise bad_answer("the agent's card names no interface with JSONRPC")

    def _check_origin(self, address: str) -> None:
        """Headers go to the origin in the study file only, whatever a card says."""
        if self._settings.headers and urlsplit(address)[:2] != urlsplit(self._url)[:2]:
            raise bad_answer(
                f"the agent card names the other address {address}, which gets no headers; "
                "write its origin as `url` if it is yours"
            )

    async def shut_down(self) -> None:
        await self._asking.close()


def _result(answer: Any) -> dict[str, Any]:
    if not isinstance(answer, dict):
        raise bad_answer("the answer is not a mapping")
    error = answer.get("error")
    if error:
        message = error.get("message") if isinstance(error, dict) else error
        raise bad_answer(f"the agent reports: {message}")
    result = answer.get("result")
    if not isinstance(result, dict):
        raise bad_answer("the answer has no result")
    return result


def _read(result: dict[str, Any], conversation: Conversation) -> list[SystemOutput]:
    task, message = result.get("task"), result.get("message")
    if isinstance(message, dict):
        _remember(conversation, message.get("contextId"), None)
        parts = _list(message.get("parts"))
    elif isinstance(task, dict):
        parts = _of_task(task, conversation)
    else:
        raise bad_answer("the answer is neither a task nor a message")
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str) and part["text"].strip()]
    images = [
        str(part["url"])
        for part in parts
        if "url" in part and str(part.get("mediaType", "")).startswith("image/")
    ]
    if not texts and not images:
        raise bad_answer("the answer has no text")
    outputs = [SystemOutput(kind="message", text=text) for text in texts[:-1]]
    outputs.append(SystemOutput(kind="message", text=texts[-1] if texts else "", images=tuple(images)))
    return [*outputs, SystemOutput(kind="extras", raw=result)]


def _inside(result: dict[str, Any]) -> Any:
    """The answer: a task, or a message."""
    return result.get("task") or result.get("message")


def _told(result: dict[str, Any]) -> dict[str, Any]:
    """Calls of tools as Google's agents hand them on, in parts of data with a mark; nothing of others'."""
    task = result.get("task")
    messages = [*_list(task.get("history")), *_list(task.get("artifacts"))] if isinstance(task, dict) else []
    parts = [part for message in [*messages, result.get("message")] for part in _parts(message)]
    calls = [
        part["data"]
        for part in parts
        if isinstance(part.get("data"), dict) and _mark(part) in ("function_call", "function_response")
    ]
    return {"tools": read_tools(calls)} if calls else {}


def _parts(holder: Any) -> list[dict[str, Any]]:
    return _list(holder.get("parts")) if isinstance(holder, dict) else []


def _mark(part: dict[str, Any]) -> Any:
    marks = part.get("metadata")
    return (marks.get("adk_type") or marks.get("type")) if isinstance(marks, dict) else None


def _of_task(task: dict[str, Any], conversation: Conversation) -> list[dict[str, Any]]:
    """The parts of a task's artifacts and of its state's message. Raises for one that failed."""
    status = task.get("status") if isinstance(task.get("status"), dict) else {}
    assert isinstance(status, dict)
    message = status.get("message")
    words = _list(message.get("parts")) if isinstance(message, dict) else []
    state = status.get("state")
    if state in _BAD:
        why = " ".join(str(part.get("text", "")) for part in words)
        raise bad_answer(f"the task ended as {state}{': ' + why if why.strip() else ''}")
    waits = state == "TASK_STATE_INPUT_REQUIRED"
    _remember(conversation, task.get("contextId"), task.get("id") if waits else None)
    artifact_parts = [
        part for artifact in _list(task.get("artifacts")) for part in _list(artifact.get("parts"))
    ]
    return [*artifact_parts, *words]


def _remember(conversation: Conversation, context: Any, task: Any) -> None:
    conversation.state.pop("taskId", None)
    if isinstance(context, str) and context:
        conversation.state["contextId"] = context
    if isinstance(task, str) and task:
        conversation.state["taskId"] = task


def _list(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
