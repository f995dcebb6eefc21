"""Agent activity besides talking: tool calls, model tokens, retrieved documents.

Field names are those of model interfaces and agent frameworks; the first one present counts. Other fields
are ignored.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from vivavoce.connectors.answers import bad_answer
from vivavoce.connectors.base import ModelUsage, Retrieval, ToolCall
from vivavoce.core.errors import SystemUnderTestError
from vivavoce.core.validation import shown_value

_KEYS: Final = ("id", "call_id", "tool_call_id", "toolCallId", "tool_use_id")
_NAMES: Final = ("name", "tool_name", "toolName", "toolCallName", "tool")
_ARGUMENTS: Final = ("arguments", "args", "input", "parameters")
_PIECES: Final = ("arguments_delta", "inputTextDelta", "partial_json", "delta")
_RESULTS: Final = ("result", "output", "response", "content")
_DOCUMENTS: Final = ("document", "text", "content", "page_content", "snippet", "quote")
_SOURCES: Final = ("source", "url", "uri", "title", "document_name", "id")
_FROM_CACHE: Final = ("cached_tokens", "cache_read_input_tokens", "cachedContentTokenCount", "cache_read")
_INTO_CACHE: Final = "cache_creation_input_tokens"
_INPUT: Final = ("input_tokens", "prompt_tokens", "promptTokenCount", "inputTokens", "prompt_eval_count")
_OUTPUT: Final = (
    "output_tokens",
    "completion_tokens",
    "candidatesTokenCount",
    "outputTokens",
    "eval_count",
)
_REASONING: Final = ("reasoning_tokens", "thoughtsTokenCount", "reasoningTokens", "reasoning")
_INSIDE: Final = (
    "prompt_tokens_details",
    "input_tokens_details",
    "completion_tokens_details",
    "output_tokens_details",
    "input_token_details",
    "output_token_details",
)


def read_tools(value: Any) -> tuple[ToolCall, ...] | None:
    """Calls of tools: mappings with a name or the key of a call told before; None where nothing is said.

    Raises  SystemUnderTestError("bad_answer"): something else stands there
    """
    if value is None:
        return None
    listed = value if isinstance(value, list) else [value]
    return tuple(_tool(call) for call in listed)


def _tool(item: Any) -> ToolCall:
    if not isinstance(item, Mapping):
        raise bad_answer(f"a tool call of the answer is {shown_value(item)} where a mapping is expected")
    inner = item.get("function")
    holder = {**item, **inner} if isinstance(inner, Mapping) else item
    key, name = _first(holder, _KEYS, str), _first(holder, _NAMES, str)
    if key is None and name is None:
        raise bad_answer("a tool call of the answer has neither name nor id")
    arguments, piece = _first(holder, _ARGUMENTS), _first(holder, _PIECES, str)
    error = holder.get("error")
    failed = next((holder[name] for name in ("failed", "is_error", "isError") if _is(holder.get(name))), None)
    failed = True if error and failed is None else failed
    result = _text(_first(holder, _RESULTS))
    return ToolCall(
        key=key,
        name=name,
        arguments=_text(arguments) if arguments is not None else piece,
        more=arguments is None and piece is not None,
        duration_s=_duration_s(holder),
        failed=failed,
        error=(_text(error) or result) if failed else None,
        result=None if failed else result,
    )


def read_usage(answer: Any, value: Any) -> tuple[ModelUsage, ...]:
    """Token counts of model calls; the model's name may be beside them in the answer.

    Raises  SystemUnderTestError("bad_answer"): something else stands there
    """
    if value is None:
        return ()
    beside = answer.get("model") if isinstance(answer, Mapping) else None
    usages = [_usage(item) for item in (value if isinstance(value, list) else [value])]
    counted = [usage for usage in usages if usage != ModelUsage(model=usage.model)]
    model = beside if isinstance(beside, str) else None
    return tuple(usage if usage.model else replace(usage, model=model) for usage in counted)


def model_usage(answer: Mapping[str, Any]) -> tuple[ModelUsage, ...]:
    """Model usage under the answer's `usage`, if any; an unknown format is ignored."""
    try:
        return read_usage(answer, answer.get("usage"))
    except SystemUnderTestError:
        return ()


def _usage(item: Any) -> ModelUsage:
    if not isinstance(item, Mapping):
        raise bad_answer(f"the usage of the answer is {shown_value(item)} where a mapping is expected")
    counts = dict(item)
    for name in _INSIDE:
        counts |= inner if isinstance(inner := item.get(name), Mapping) else {}
    read, wrote = _count(counts, _INPUT), _count(counts, _OUTPUT)
    cached, reasoning = _count(counts, _FROM_CACHE), _count(counts, _REASONING)
    if read is not None and "cache_read_input_tokens" in counts:  # Anthropic tells them apart from the rest
        read += (cached or 0) + (_count(counts, (_INTO_CACHE,)) or 0)
    if wrote is not None and "thoughtsTokenCount" in counts:  # so does Gemini
        wrote += reasoning or 0
    model = item.get("model")
    return ModelUsage(
        model=model if isinstance(model, str) else None,
        input_tokens=read,
        cached_tokens=cached,
        output_tokens=wrote,
        reasoning_tokens=reasoning,
    )


def joined(before: ModelUsage, later: ModelUsage) -> ModelUsage:
    """Facts of a model call in a stream; later pieces override earlier ones."""
    later_values = {name: getattr(later, name) for name in ModelUsage.__slots__}
    return replace(before, **{name: value for name, value in later_values.items() if value is not None})


def read_retrievals(value: Any) -> tuple[Retrieval, ...]:
    """Documents in their order: texts, or mappings with a text, a source, a query, a score.

    Raises  SystemUnderTestError("bad_answer"): something else stands there
    """
    listed = [] if value is None else value if isinstance(value, list) else [value]
    return tuple(_retrieval(item, rank) for rank, item in enumerate(listed))


def _retrieval(item: Any, rank: int) -> Retrieval:
    if isinstance(item, str):
        return Retrieval(rank=rank, document=item)
    if not isinstance(item, Mapping):
        raise bad_answer(
            f"a document of the answer is {shown_value(item)} where text or a mapping is expected"
        )
    own_rank, score = _count(item, ("rank",)), item.get("score")
    return Retrieval(
        rank=rank if own_rank is None else own_rank,
        document=_text(_first(item, _DOCUMENTS)),
        source=_text(_first(item, _SOURCES)),
        query=_text(item.get("query")),
        score=float(score) if isinstance(score, int | float) and _is_number(score) else None,
    )


def _first(holder: Mapping[str, Any], names: tuple[str, ...], kind: type | None = None) -> Any:
    """Value of the first of these names that is present with this type."""
    values = (holder[name] for name in names if holder.get(name) is not None)
    return next((value for value in values if kind is None or (isinstance(value, kind) and value)), None)


def _count(holder: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    number = _first(holder, names)
    if number is None:
        return None
    if not _is_number(number) or number != int(number) or number < 0:
        raise bad_answer(f"{names[0]} of the answer is {shown_value(number)} where a count is expected")
    return int(number)


def _duration_s(holder: Mapping[str, Any]) -> float | None:
    scales: tuple[tuple[str, Callable[[float], float]], ...] = (
        ("duration_s", float),
        ("duration_ms", lambda ms: ms / 1000),
    )
    return next((scale(holder[name]) for name, scale in scales if _is_number(holder.get(name))), None)


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _is(value: Any) -> bool:
    return isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
