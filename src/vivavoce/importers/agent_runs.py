"""Import of what Langfuse and LangSmith export: calls of models and tools, as dialogues.

Source  Langfuse, observations and traces of its public API; LangSmith, runs of its SDK (read November 2026)
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from vivavoce.core.i18n import N_
from vivavoce.core.validation import shown_value
from vivavoce.importers.base import Importer
from vivavoce.importers.fields import replaced
from vivavoce.importers.items import LogItem, as_text, maybe, need
from vivavoce.importers.log_files import LogFiles
from vivavoce.importers.model_calls import NOTES, ModelCall, ToolSpan, Trace, read_trace

OTHER_RUNS: Final = N_("{n} steps other than model or tool calls were left out.")
_ROLES: Final = {
    "human": "user",
    "ai": "assistant",
    "function": "tool",
    "developer": "system",
    "chat": "user",
}
_THREADS: Final = ("session_id", "thread_id", "conversation_id")
Read = Callable[[Any], "Iterator[Observed]"]


@dataclass(frozen=True, slots=True)
class Observed:
    """One step of an agent, as its log has it.

    kind    model, tool, or anything else
    thread  the conversation that it names, if any
    """

    key: str
    parent: str | None
    trace: str
    thread: str | None
    kind: str
    name: str | None
    started: float
    ended: float | None
    given: Any
    made: Any
    model: str | None
    tokens: dict[str, Any]
    error: str | None
    user: str | None


def _conversations(files: LogFiles, study: str, read: Read, *, updates: bool = False) -> Iterator[LogItem]:
    """One dialogue a thread, else a trace: all of a trace belong to the thread that one of them names."""
    observed: dict[str, tuple[str, Observed]] = {}
    for record in files.records():
        problem = record.problem
        if problem is None:
            try:
                for run in read(record.content):
                    if not files.is_repeat(record.place, f"run {run.key!r}", run, updates=updates):
                        observed[run.key] = (record.place, run)
            except (ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
                problem = str(error)
        if problem is not None:
            yield LogItem(record.place, problem=problem)
    traces: dict[str, list[tuple[str, Observed]]] = defaultdict(list)
    for place, run in observed.values():
        traces[run.trace].append((place, run))
    threads: dict[str, list[tuple[str, Observed]]] = defaultdict(list)
    for trace, placed_runs in traces.items():
        threads[next((run.thread for _, run in placed_runs if run.thread), trace)] += placed_runs
    for key, placed_runs in threads.items():
        runs = sorted((run for _, run in placed_runs), key=lambda run: run.started)
        yield LogItem(placed_runs[0][0], partial(_dialogue, key=key, study=study, runs=runs))


def _dialogue(rows: Any, *, key: str, study: str, runs: list[Observed]) -> None:
    by_key = {run.key: run for run in runs}
    calls: list[ModelCall] = []
    tools: list[ToolSpan] = []
    pending: list[tuple[Any, Any]] = []  # calls that models asked for and nobody has made yet: key, name
    for run in runs:
        if run.kind == "model":
            inner = any(above.kind == "tool" for above in _above(run, by_key))
            calls.append(_model_call(run, inner=inner))
            for message in calls[-1].made:
                pending += [(call.get("id"), call.get("name")) for call in message.get("tool_calls") or []]
        elif run.kind == "tool":
            tools.append(_tool(run, pending))
        else:
            rows.lose(OTHER_RUNS)
    if not any(call.given or call.made for call in calls):
        calls += [_model_call(run, inner=False) for run in runs if run.parent is None and run.kind == "other"]
    root = next((run for run in runs if run.parent is None), runs[0])
    system = next((str(run.model) for run in runs if run.model), None) if root.kind == "model" else root.name
    user = next((run.user for run in runs if run.user), None)
    read_trace(rows, Trace(key, study, system or study, calls, tools, user=user))


def _above(run: Observed, by_key: Mapping[str, Observed]) -> Iterator[Observed]:
    """The steps within which this one was, from the inside."""
    seen: set[str] = set()
    while run.parent is not None and run.parent in by_key and run.parent not in seen:
        run = by_key[run.parent]
        seen.add(run.key)
        yield run


def _model_call(run: Observed, *, inner: bool) -> ModelCall:
    inputs, outputs = messages_of(run.given, "user"), messages_of(run.made, "assistant")
    if outputs[: len(inputs)] == inputs:  # a graph gives back all that was said
        outputs = outputs[len(inputs) :]
    tokens = run.tokens if run.kind == "model" else {}
    return ModelCall(run.started, run.ended, inputs, outputs, inner=inner, model=run.model, tokens=tokens)


def _tool(run: Observed, pending: list[tuple[Any, Any]]) -> ToolSpan:
    """A call that was made, under the key by which a model asked for it where one did."""
    output = run.made.get("output", run.made) if isinstance(run.made, Mapping) else run.made
    messages = messages_of(output, "tool") if isinstance(output, Mapping) else []
    message = messages[0] if messages and messages[0]["role"] == "tool" else {"content": output}
    name, key = run.name or "tool", message.get("tool_call_id")
    pending_call = next(
        (call for call in pending if call[0] == key or (key is None and call[1] == name)), None
    )
    if pending_call is not None:
        pending.remove(pending_call)
        key = pending_call[0]
    return ToolSpan(
        run.started,
        run.ended,
        name,
        failed=run.error is not None,
        key=None if key is None else str(key),
        arguments=run.given,
        result=as_text(message["content"]),
        error=run.error,
    )


# --- messages -----------------------------------------------------------------------------------------


def messages_of(content: Any, role: str) -> list[dict[str, Any]]:
    """Input or output of a step, as messages of the OpenAI API.

    Understood: text, a message, a list of them, `messages`, `choices`, LangChain's messages, `prompts` and
    `generations`. Of another object its one value, else the whole as JSON.

    Raises  ValueError: a message has no role
    """
    if content is None or content == "":
        return []
    if isinstance(content, str):
        return [{"role": role, "content": content}]
    if isinstance(content, list):
        return [message for item in content for message in messages_of(item, role)]
    if not isinstance(content, Mapping):
        raise ValueError(f"expected messages, not {shown_value(content)}")
    for name in ("messages", "prompts", "generations", "choices", "message"):
        if content.get(name):
            return messages_of(content[name], role)
    if isinstance(content.get("kwargs"), Mapping):  # a message of LangChain, as it writes it down
        names = maybe(content, "id", list)
        kind = str(names[-1]).lower() if names else role
        kind = kind.removesuffix("chunk").removesuffix("message")
        return [_message({"role": kind, **content["kwargs"]}, role)]
    if "role" in content or "content" in content:
        return [_message(content, role)]
    texts = list(content.values())
    if len(texts) == 1 and isinstance(texts[0], str | list):
        return messages_of(texts[0], role)
    return [{"role": role, "content": as_text(dict(content))}] if content else []


def _message(message: Mapping[str, Any], role: str) -> dict[str, Any]:
    role_name = str(message.get("role") or message.get("type") or role)
    calls = [
        call if "function" in call else {**call, "arguments": call.get("args", call.get("arguments"))}
        for call in maybe(message, "tool_calls", list) or []
        if isinstance(call, Mapping)
    ]
    calls = [
        {**call, "name": (call.get("function") or call).get("name")}
        if "function" not in call
        else {"id": call.get("id"), **need(call, "function", dict)}
        for call in calls
    ]
    role, key, content = _ROLES.get(role_name, role_name), message.get("tool_call_id"), message.get("content")
    return {"role": role, "content": content, "tool_calls": calls, "tool_call_id": key}


# --- Langfuse -----------------------------------------------------------------------------------------


def _langfuse(content: Any) -> Iterator[Observed]:
    """The observations of an object: one, or those of a trace."""
    trace = _snake(content)
    if "observations" not in trace:
        yield _observation(trace, {})
        return
    for observation in need(trace, "observations", list):
        yield _observation(_snake(observation), trace)


def _observation(fields: dict[str, Any], trace: dict[str, Any]) -> Observed:
    kind = need(fields, "type", str).upper()
    usage = maybe(fields, "usage_details", dict) or maybe(fields, "usage", dict) or {}
    tokens = {
        "input_tokens": usage.get("input"),
        "output_tokens": usage.get("output"),
        "cached_tokens": usage.get("input_cached_tokens", usage.get("cache_read_input_tokens")),
        "reasoning_tokens": usage.get("output_reasoning_tokens"),
    }
    failed = fields.get("level") == "ERROR"
    return Observed(
        key=need(fields, "id", str),
        parent=maybe(fields, "parent_observation_id", str),
        trace=maybe(fields, "trace_id", str) or need(trace, "id", str),
        thread=maybe(fields, "session_id", str) or maybe(trace, "session_id", str),
        kind={"GENERATION": "model", "TOOL": "tool"}.get(kind, "other"),
        name=maybe(fields, "name", str) or maybe(trace, "name", str),
        started=_moment(fields, "start_time"),
        ended=_moment(fields, "end_time") if fields.get("end_time") else None,
        given=fields.get("input"),
        made=fields.get("output"),
        model=maybe(fields, "model", str),
        tokens=tokens,
        error=(maybe(fields, "status_message", str) or "failed") if failed else None,
        user=maybe(fields, "user_id", str) or maybe(trace, "user_id", str),
    )


def _snake(content: Any) -> dict[str, Any]:
    """An object with its keys as files of the storage have them: `traceId` of the interface as `trace_id`."""
    if not isinstance(content, dict):
        raise ValueError(f"{shown_value(content)} is neither an observation nor a trace")
    fields = {
        "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in str(name)): value
        for name, value in dict.items(content)
    }
    return replaced(content, fields)


# --- LangSmith ----------------------------------------------------------------------------------------


def _langsmith(content: Any) -> Iterator[Observed]:
    kind, extra = need(content, "run_type", str), maybe(content, "extra", dict) or {}
    about, outputs = maybe(extra, "metadata", dict) or {}, content.get("outputs")
    parameters = maybe(extra, "invocation_params", dict) or {}
    key = need(content, "id", str)
    yield Observed(
        key=key,
        parent=maybe(content, "parent_run_id", str),
        trace=maybe(content, "trace_id", str) or key,
        thread=next((str(about[name]) for name in _THREADS if about.get(name)), None),
        kind={"llm": "model", "chat_model": "model", "tool": "tool"}.get(kind, "other"),
        name=maybe(content, "name", str),
        started=_moment(content, "start_time"),
        ended=_moment(content, "end_time") if content.get("end_time") else None,
        given=content.get("inputs"),
        made=outputs,
        model=maybe(about, "ls_model_name", str) or maybe(parameters, "model", str),
        tokens=_tokens(content, outputs),
        error=maybe(content, "error", str),
        user=maybe(about, "user_id", str),
    )


def _tokens(content: Mapping[str, Any], outputs: Any) -> dict[str, Any]:
    """Tokens of a run itself, else of the message that it made."""
    tokens = {"input_tokens": content.get("prompt_tokens"), "output_tokens": content.get("completion_tokens")}
    if any(tokens.values()):
        return tokens
    while isinstance(outputs, Mapping | list) and outputs:
        if isinstance(outputs, Mapping) and isinstance(usage := outputs.get("usage_metadata"), Mapping):
            return {name: usage.get(name) for name in tokens}
        inner = ("generations", "message", "kwargs")
        outputs = (
            outputs[0]
            if isinstance(outputs, list)
            else next((outputs[name] for name in inner if name in outputs), None)
        )
    return {}


def _moment(fields: Mapping[str, Any], name: str) -> float:
    """Seconds since 1970 of a time as ISO 8601 has it; without a zone it is UTC."""
    text = need(fields, name, str, word="time")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{name!r} is {shown_value(text)}, not an ISO 8601 time") from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


LANGFUSE: Final = Importer(
    name="langfuse",
    title="Observations and traces of Langfuse",
    layout="JSON or JSON Lines: observations, or traces that contain them",
    rows=partial(_conversations, study="langfuse", read=_langfuse, updates=True),
    notes=NOTES,
)
LANGSMITH: Final = Importer(
    name="langsmith",
    title="Runs of LangSmith",
    layout="JSON or JSON Lines: one run each, with inputs and outputs",
    rows=partial(_conversations, study="langsmith", read=_langsmith),
    notes=NOTES,
)
