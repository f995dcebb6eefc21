"""A bot that is a tool of an MCP server.

Wire    `tools/call` with arguments made by a template, over Streamable HTTP (`url`) or to a program that we
        start (`command`); the texts of the result are the bot's messages, resources beside them documents
        that it looked up; its structured content may tell calls of tools, tokens and documents
Memory  in the server, under the conversation's key among the arguments; where the key is not among them, in
        the session that each conversation has of its own
Retry   never
"""

import asyncio
import json
import logging
import subprocess
import sys
from collections.abc import AsyncIterator, Coroutine
from contextlib import suppress
from typing import Any, ClassVar, Final

from pydantic import Field, ValidationError, model_validator

from vivavoce.connectors.agent_work import read_retrievals
from vivavoce.connectors.answer_paths import AnswerPaths, AnswerReader, WorkPaths, WorkReader
from vivavoce.connectors.answers import bad_answer, clean, outputs
from vivavoce.connectors.base import (
    Capabilities,
    ConnectorSettings,
    Conversation,
    Retrieval,
    SystemOutput,
    UserTurn,
)
from vivavoce.connectors.deadlines import in_time
from vivavoce.connectors.messages import MessageShape, asks_for_history
from vivavoce.connectors.processes import child_environment
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.system_connector import VARIABLES, HoldingConnector
from vivavoce.connectors.templates import compile_template
from vivavoce.connectors.urls import WebAddress
from vivavoce.core.errors import SystemUnderTestError
from vivavoce.core.extras import require
from vivavoce.core.validation import mistake

_VARIABLES: Final = VARIABLES | {"history", "messages"}


class MCPSettings(ConnectorSettings):
    """Settings of a system with `connect: mcp`."""

    folders: ClassVar[tuple[str, ...]] = ("folder",)
    starts: ClassVar[str] = "command"

    url: WebAddress | None = Field(None, description="server address, such as https://host/mcp")
    command: list[str] = Field(
        default_factory=list, description="program of the server, in place of an address"
    )
    folder: str | None = Field(
        None, description=("working folder of the program (default: the study's folder)")
    )
    environment: dict[str, str] = Field(
        default_factory=dict, description="environment of the program; may contain ${SECRET}"
    )
    headers: dict[str, str] = Field(default_factory=dict, description="may contain ${SECRET}")
    tool: str = Field(min_length=1, description="tool that answers")
    arguments: dict[str, Any] = Field(
        default_factory=lambda: {"session": "{{ conversation }}", "text": "{{ text }}"},
        description="template of the tool's arguments",
    )
    messages: MessageShape = Field(
        default=MessageShape(),
        description=("format of {{ messages }}: the conversation so far, including this turn"),
    )
    response: AnswerPaths | None = Field(
        None, description="paths in the structured content (default: read the texts)"
    )
    work: WorkPaths = Field(
        default=WorkPaths(), description="without `response`: paths to tools, usage and retrievals"
    )
    longest_answer_bytes: int = Field(
        2_000_000, gt=0, le=50_000_000, description="longer answers are rejected"
    )

    @model_validator(mode="after")
    def _one_server(self) -> "MCPSettings":
        if (self.url is None) == (not self.command):
            raise mistake("'url' or 'command' is missing", "write url: https://HOST/mcp")
        return self


class MCPConnector(HoldingConnector[MCPSettings, "_Session"]):
    """A tool as a bot; each conversation has a session of its own."""

    name: ClassVar[str] = "mcp"
    summary: ClassVar[str] = "a tool of an MCP server"
    settings: ClassVar[type[ConnectorSettings]] = MCPSettings

    @staticmethod
    def check_installed() -> object:
        return _sdk()

    def __init__(self, settings: MCPSettings, vault: Vault) -> None:
        super().__init__(settings, vault)
        self._arguments = compile_template(settings.arguments, _VARIABLES, place="arguments")
        self._reader = AnswerReader(settings.response) if settings.response is not None else None
        self._work = WorkReader(settings.work)

    @property
    def capabilities(self) -> Capabilities:
        template = json.dumps(self._settings.arguments)
        if self._settings.url is not None and "conversation" in template:
            return Capabilities(choices=self._reader is not None, memory="system", greets=False)
        memory = "caller" if asks_for_history(self._settings.arguments) else "process"
        return Capabilities(choices=self._reader is not None, memory=memory, greets=False)

    async def tools(self) -> list[dict[str, Any]]:
        """The tools that the server offers, as it describes them. Raises SystemUnderTestError"""
        asking = Conversation("tools")
        try:
            client = await (await self._session(asking)).begun()
            listed = await client.list_tools()
            return [tool.model_dump(mode="json", by_alias=True) for tool in listed.tools]
        except (ValidationError, RuntimeError, _sdk().MCPError) as error:
            raise bad_answer(f"cannot read the tools: {error}") from None
        finally:
            await self.close(asking)

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        await self._session(conversation)
        return
        yield

    def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        return in_time(self._exchange(conversation, turn), self._settings)

    async def _exchange(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        arguments = self._arguments(self._variables(conversation, turn))
        session = await self._session(conversation)
        what = f"tools/call {self._settings.tool}"
        self._wire.sent(what, json.dumps(arguments, ensure_ascii=False))
        try:
            result = await session.call(self._settings.tool, arguments)
        except SystemUnderTestError as error:
            self._wire.received("error", str(error))
            await self.close(conversation)
            raise
        answer = clean(result.model_dump(mode="json", by_alias=True, exclude_none=True))
        self._wire.received(what, json.dumps(answer, ensure_ascii=False))
        for output in self._read(self._vault.redact(answer)):
            yield output

    def _read(self, result: dict[str, Any]) -> list[SystemOutput]:
        parts = [part for part in result.get("content", []) if isinstance(part, dict)]
        texts = [part["text"] for part in parts if part.get("type") == "text" and part["text"].strip()]
        if result.get("isError"):
            raise bad_answer(f"the tool reports: {' '.join(texts) or 'an error without text'}")
        if self._reader is not None:
            return self._reader.read(result.get("structuredContent"))
        linked = [part for part in parts if part.get("type") == "resource_link"]
        images = [
            str(resource["uri"])
            for resource in linked
            if str(resource.get("mimeType", "")).startswith("image/")
        ]
        if not texts and not images:
            raise bad_answer("the result contains no text")
        work = self._work.work(result.get("structuredContent") or {})
        work["retrievals"] = work["retrievals"] or _documents(parts)
        return outputs(texts, images=tuple(images), extras=SystemOutput(kind="extras", raw=result, **work))

    async def _session(self, conversation: Conversation) -> "_Session":
        session = self._held.get(conversation.key)
        if session is None or not session.alive:
            session = self._held[conversation.key] = _Session(self._settings, self._vault)
            try:
                async with asyncio.timeout(self._settings.first_output_timeout_s):
                    await session.begun()
            except TimeoutError:
                await self.close(conversation)
                raise SystemUnderTestError("timeout", "the server did not start a session in time") from None
            except BaseException:
                await self.close(conversation)
                raise
        return session


def _documents(parts: list[dict[str, Any]]) -> tuple[Retrieval, ...]:
    """Resources that came with the words, embedded or linked, in their order; pictures are shown instead."""
    documents = [
        part["resource"] if part.get("type") == "resource" else part
        for part in parts
        if "resource" in str(part.get("type"))
    ]
    entries = [
        {
            "text": resource.get("text")
            or resource.get("description")
            or resource.get("title")
            or resource.get("name"),
            "source": resource["uri"],
        }
        for resource in documents
        if not str(resource.get("mimeType", "")).startswith("image/")
    ]
    return read_retrievals(entries)


class _Session:
    """One MCP session in a separate task: the SDK's clients must be closed by the task that opens them."""

    def __init__(self, settings: MCPSettings, vault: Vault) -> None:
        self._settings, self._vault = settings, vault
        self._client: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._ending = asyncio.Event()
        self._carrier: Any = None
        self._task = asyncio.create_task(self._run())

    @property
    def alive(self) -> bool:
        return not self._task.done()

    async def begun(self) -> Any:
        """The SDK's client, once the server has answered. Raises SystemUnderTestError."""
        return await asyncio.shield(self._client)

    async def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        sdk = _sdk()
        client = await self.begun()
        try:
            return await self._unless_broken(client.call_tool(tool, arguments))
        except sdk.MCPError as error:
            raise self._problem(error) from None
        except ValidationError as error:
            raise bad_answer(f"cannot read the result: {error.error_count()} problems") from None
        except RuntimeError as error:
            raise self._problem(error) from None

    async def _unless_broken(self, calling: Coroutine[Any, Any, Any]) -> Any:
        """The call's result, or the failure of the wire below it."""
        call = asyncio.ensure_future(calling)
        waiting = [call, self._task]
        broken = asyncio.ensure_future(self._carrier.broken.wait()) if self._carrier is not None else None
        try:
            await asyncio.wait([*waiting, *([broken] if broken else [])], return_when=asyncio.FIRST_COMPLETED)
            if call.done():
                return call.result()
            raise self._problem(None)
        finally:
            for task in (call, broken):
                if task is not None:
                    task.cancel()
            await asyncio.gather(call, return_exceptions=True)

    def _problem(self, error: Exception | None) -> SystemUnderTestError:
        problem = self._carrier.problem if self._carrier is not None else None
        if problem is not None:
            return problem
        if error is None:
            return SystemUnderTestError("closed", "the server ended the session")
        return bad_answer(self._vault.redact(f"the server reports: {error}"))

    async def _run(self) -> None:
        try:
            async with self._opened() as client:
                self._client.set_result(client)
                await self._ending.wait()
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            if not self._client.done():
                self._client.set_exception(self._reason(error))
        finally:
            if not self._client.done():
                self._client.cancel()
            if self._carrier is not None:
                await self._carrier.aclose()

    def _reason(self, error: BaseException) -> SystemUnderTestError:
        """Reason for a failed session start: the first cause in the SDK's error."""
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if isinstance(error, OSError):
            return SystemUnderTestError("unreachable", self._vault.redact(str(error)), reached=False)
        return self._problem(error if isinstance(error, Exception) else None)

    def _opened(self) -> Any:
        import httpx2
        from mcp.client.stdio import stdio_client
        from mcp.client.streamable_http import streamable_http_client

        from vivavoce.connectors.mcp_transport import McpTransport

        sdk, settings = _sdk(), self._settings
        if settings.url is None:
            program = sdk.StdioServerParameters(
                command=settings.command[0],
                args=settings.command[1:],
                cwd=settings.folder,
                env=child_environment(settings.environment, self._vault),
            )
            # the SDK would take what sys.stderr was when it was imported, which in a notebook is no file
            errors: Any = sys.__stderr__ or subprocess.DEVNULL
            return sdk.Client(stdio_client(program, errlog=errors), cache=None)
        headers = compile_template(settings.headers, set())({"secrets": self._vault.values})
        self._carrier = McpTransport(settings, self._vault, settings.longest_answer_bytes)
        web = httpx2.AsyncClient(transport=self._carrier, headers=headers, timeout=settings.turn_timeout_s)
        return sdk.Client(
            streamable_http_client(self._vault.expand(settings.url), http_client=web), cache=None
        )

    async def close(self) -> None:
        self._ending.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(2):
                await asyncio.wait({self._task})
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        if self._client.done() and not self._client.cancelled():
            self._client.exception()


def _sdk() -> Any:
    require("mcp", place="connect")
    import mcp

    logging.getLogger("mcp").setLevel(logging.CRITICAL)  # what goes wrong is in our errors, without secrets
    return mcp
