"""An agent of Amazon Bedrock, by boto3.

Wire    InvokeAgent of bedrock-agent-runtime; the answer streams back in pieces, and beside them traces of
        what the agent did: actions, look-ups in knowledge bases, calls of models with their tokens
Memory  in the agent's session; a reset takes another
Retry   never: whether the agent heard a turn cannot be known
"""

import asyncio
import codecs
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Final

from pydantic import Field, StringConstraints

from vivavoce.connectors.agent_work import read_retrievals, read_usage
from vivavoce.connectors.answers import bad_answer, clean, clean_text
from vivavoce.connectors.base import (
    Capabilities,
    ConnectorSettings,
    Conversation,
    Retrieval,
    SystemOutput,
    ToolCall,
    UserTurn,
)
from vivavoce.connectors.deadlines import in_time
from vivavoce.core.errors import SystemUnderTestError
from vivavoce_platforms.amazon import AmazonConnector, AmazonSettings, session_of

_NAME: Final = r"^[0-9a-zA-Z]{1,10}$"
_END: Final = object()
_CALLED: Final = (
    ("actionGroupInvocationInput", "actionGroupInvocationOutput"),
    ("agentCollaboratorInvocationInput", "agentCollaboratorInvocationOutput"),
    ("codeInterpreterInvocationInput", "codeInterpreterInvocationOutput"),
)


class BedrockSettings(AmazonSettings):
    """Settings of a system with `connect: bedrock`."""

    agent: Annotated[str, StringConstraints(pattern=_NAME)] = Field(description="agent ID")
    alias: Annotated[str, StringConstraints(pattern=_NAME)] = Field("TSTALIASID", description="alias ID")
    longest_answer: int = Field(1_000_000, gt=0, le=50_000_000, description="longer answers are rejected")
    trace: bool = Field(True, description="request agent activity: actions, retrievals, tokens")


class BedrockConnector(AmazonConnector[BedrockSettings]):
    """An agent of Bedrock."""

    name: ClassVar[str] = "bedrock"
    summary: ClassVar[str] = "an agent of Amazon Bedrock"
    settings: ClassVar[type[ConnectorSettings]] = BedrockSettings
    service = "bedrock-agent-runtime"

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(streaming=True, memory="system", greets=False)

    def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        return in_time(self._outputs(conversation, turn), self._settings)

    async def _outputs(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        await self._check_address()
        request = {"sessionId": session_of(conversation), "inputText": clean_text(turn.message)}
        self._wire.sent("InvokeAgent", json.dumps(request, ensure_ascii=False))
        answer, letters, work = (
            "",
            codecs.getincrementaldecoder("utf-8")("replace"),
            _Work(self._settings.trace),
        )
        async with aclosing(self._events(request)) as events:
            async for event in events:
                content = self._vault.redact(clean(_plain(event)))
                self._wire.received("InvokeAgent", json.dumps(content, ensure_ascii=False))
                if "returnControl" in content:
                    raise bad_answer("the agent returns control for an action, which is not supported")
                piece = self._vault.redact(clean(letters.decode(event.get("chunk", {}).get("bytes", b""))))
                answer += piece
                if len(answer) > self._settings.longest_answer:
                    raise bad_answer(f"the answer is longer than {self._settings.longest_answer} characters")
                if piece:
                    yield SystemOutput(kind="delta", text=piece)
                for output in work.take(content):
                    yield output
        if not answer.strip():
            raise bad_answer("the reply contains no text")
        yield SystemOutput(kind="message", text=answer)
        yield work.rest()

    async def _events(self, request: dict[str, str]) -> AsyncGenerator[dict[str, Any]]:
        """The events of an answer as they come, read by a thread that ends with whoever waits for them."""
        loop, queue = asyncio.get_running_loop(), asyncio.Queue[Any]()
        stopped: list[Any] = []

        def read() -> None:
            def hand(item: Any) -> None:
                loop.call_soon_threadsafe(queue.put_nowait, item)

            try:
                with self._failures():
                    answer = self._client.invoke_agent(
                        agentId=self._settings.agent,
                        agentAliasId=self._settings.alias,
                        enableTrace=self._settings.trace,
                        streamingConfigurations={"streamFinalResponse": True},
                        **request,
                    )["completion"]
                    stopped.append(answer.close)
                    for event in answer:
                        hand(event)
                hand(_END)
            except Exception as error:  # whatever it is, somebody waits for it
                hand(error)

        reading = asyncio.ensure_future(asyncio.to_thread(read))
        try:
            while (item := await queue.get()) is not _END:
                if isinstance(item, SystemUnderTestError):
                    raise item
                if isinstance(item, Exception):
                    raise self._failed("bad_answer", item) from None
                yield item
        finally:
            for stop in stopped:
                stop()
            reading.cancel()


class _Work:
    """Events of the traces of one turn, in order."""

    def __init__(self, traced: bool) -> None:
        self._traced = traced
        self._models: dict[str, str] = {}
        self._asked: dict[str, str] = {}
        self._cited: list[Retrieval] = []
        self._looked_up = False
        self._usage: list[Any] = []

    def take(self, event: Mapping[str, Any]) -> Iterator[SystemOutput]:
        for cited in _under(event, "chunk", "attribution", "citations", kind=list):
            self._cited += _documents(cited.get("retrievedReferences"), None, len(self._cited))
        trace = _under(event, "trace", "trace")
        if "failureTrace" in trace:
            raise bad_answer(
                f"the agent failed: {trace['failureTrace'].get('failureReason', 'no reason given')}"
            )
        for part in trace.values():
            if isinstance(part, Mapping):
                yield from self._step(part)

    def rest(self) -> SystemOutput:
        """Facts known at the end: tokens, and citations if no retrieval was reported."""
        cited = () if self._looked_up else tuple(self._cited)
        tools = () if self._traced else None
        return SystemOutput(kind="extras", usage=tuple(self._usage), retrievals=cited, tools=tools)

    def _step(self, step: Mapping[str, Any]) -> Iterator[SystemOutput]:
        invocation, model = _under(step, "invocationInput"), _under(step, "modelInvocationInput")
        seen, answered = _under(step, "observation"), _under(step, "modelInvocationOutput")
        if model.get("foundationModel"):
            self._models[str(model.get("traceId"))] = str(model["foundationModel"])
        if usage := _under(answered, "metadata", "usage"):
            model_fields = {"model": self._models.get(str(answered.get("traceId")))}
            self._usage += read_usage(model_fields, usage)
        lookup = _under(invocation, "knowledgeBaseLookupInput")
        if lookup.get("text"):
            self._asked[str(invocation.get("traceId"))] = lookup["text"]
        if references := _under(seen, "knowledgeBaseLookupOutput").get("retrievedReferences"):
            self._looked_up = True
            query = self._asked.get(str(seen.get("traceId")))
            yield SystemOutput(kind="extras", retrievals=tuple(_documents(references, query, 0)))
        for input_key, output_key in _CALLED:
            if input_key in invocation:
                yield _told(_call(invocation[input_key]), invocation.get("traceId"))
            if output_key in seen:
                yield _told(_result(seen[output_key]), seen.get("traceId"))


def _told(call: ToolCall, key: Any) -> SystemOutput:
    return SystemOutput(kind="extras", tools=(replace(call, key=str(key), live=True),))


def _call(invocation: Mapping[str, Any]) -> ToolCall:
    """An action by its function, or by verb and path; a collaborator by its name; the interpreter of code."""
    if "code" in invocation:
        return ToolCall(name="code interpreter", arguments=invocation["code"])
    if "agentCollaboratorName" in invocation:
        words = _under(invocation, "input").get("text")
        return ToolCall(
            name=invocation["agentCollaboratorName"],
            arguments=json.dumps({"text": words}, ensure_ascii=False),
        )
    path = " ".join(str(invocation[part]) for part in ("verb", "apiPath") if invocation.get(part))
    arguments = {
        parameter.get("name"): parameter.get("value") for parameter in invocation.get("parameters") or []
    }
    for fields in _under(invocation, "requestBody", "content").values():
        arguments |= {field.get("name"): field.get("value") for field in fields}
    name = invocation.get("function") or path or invocation.get("actionGroupName")
    return ToolCall(name=str(name), arguments=json.dumps(arguments, ensure_ascii=False))


def _result(output: Mapping[str, Any]) -> ToolCall:
    error = output.get("executionError") or (
        "the request timed out" if output.get("executionTimeout") else None
    )
    if error:
        return ToolCall(error=error, failed=True)
    words = output.get("text") or output.get("executionOutput") or _under(output, "output").get("text")
    return ToolCall(result=words, failed=False)


def _documents(references: Any, query: str | None, first: int) -> list[Retrieval]:
    """References in their order: the text, and the address or name that stands in its place."""
    listed = [reference for reference in references or [] if isinstance(reference, Mapping)]
    places = [
        next(
            (
                str(value)
                for part in _under(reference, "location").values()
                if isinstance(part, Mapping)
                for value in part.values()
            ),
            None,
        )
        for reference in listed
    ]
    documents = [
        {
            "text": _under(reference, "content").get("text"),
            "source": place,
            "query": query,
            "rank": first + rank,
        }
        for rank, (reference, place) in enumerate(zip(listed, places, strict=True))
    ]
    return list(read_retrievals(documents))


def _under(holder: Any, *names: str, kind: type = dict) -> Any:
    """Nested value under these names; empty if missing."""
    for name in names:
        holder = holder.get(name) if isinstance(holder, Mapping) else None
    return holder if isinstance(holder, kind) else kind()


def _plain(value: Any) -> Any:
    """An event as JSON can hold it."""
    if isinstance(value, Mapping):
        return {name: _plain(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
