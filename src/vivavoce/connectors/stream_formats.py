"""Published formats of streamed answers: where words, calls of tools, tokens and documents stand in an event.

Sources (read in 2026)  OpenAI, Responses, streaming events; Anthropic, Messages, streaming; Vercel AI SDK, UI
message stream protocol 1; Dify, chat-messages, streaming mode; AG-UI, events; Ollama, /api/chat; LangGraph's
server, stream modes `updates` and `messages-tuple` (0.16); Google's ADK, /run_sse (2.13)
"""

from typing import Any, Final

from vivavoce.connectors.answer_paths import AnswerPaths

_NOTHING: Final = "`null`"


def _of(kind: str, found: str, key: str = "type") -> str:
    """Value in events of one kind, in a list; an empty list for other events."""
    return f"[@][?{key}=='{kind}'].{found}"


def _all(*parts: str) -> str:
    return f"[{', '.join(parts)}][]"


_ANTHROPIC_USAGE: Final = (
    "message.{model: model, input_tokens: usage.input_tokens, output_tokens: usage.output_tokens, "
    "cache_read_input_tokens: usage.cache_read_input_tokens, "
    "cache_creation_input_tokens: usage.cache_creation_input_tokens}"
)
_UPDATED: Final = "[@][?type(@)=='object'].*[].messages[]"  # what the nodes of a graph add
_PARTS: Final = "[@][?!partial].content.parts[]"  # an event that is whole, not a piece of a later one
_RESPONSES_USAGE: Final = (
    "response.{model: model, input_tokens: usage.input_tokens, output_tokens: usage.output_tokens, "
    "input_tokens_details: usage.input_tokens_details, output_tokens_details: usage.output_tokens_details}"
)
FORMATS: Final[dict[str, dict[str, str]]] = {
    "openai-responses": {
        "delta": _of("response.output_text.delta", "delta | [0]"),
        "tools": "[@][?type=='response.output_item.done' && item.type=='function_call'].item",
        "usage": _of("response.completed", _RESPONSES_USAGE),
    },
    "anthropic": {
        "delta": "[@][?type=='content_block_delta' && delta.type=='text_delta'].delta.text | [0]",
        "tools": _all(
            "[@][?type=='content_block_start' && contains(['tool_use', 'server_tool_use'], "
            "content_block.type)].{id: to_string(index), name: content_block.name}",
            "[@][?type=='content_block_delta' && delta.type=='input_json_delta']"
            ".{id: to_string(index), partial_json: delta.partial_json}",
        ),
        "usage": _all(_of("message_start", _ANTHROPIC_USAGE), _of("message_delta", "usage")),
    },
    "vercel-ai": {
        "delta": _of("text-delta", "delta | [0]"),
        "tools": _all(
            _of("tool-input-available", "{id: toolCallId, name: toolName, input: input}"),
            _of("tool-output-available", "{id: toolCallId, output: output, failed: `false`}"),
            _of("tool-output-error", "{id: toolCallId, error: errorText}"),
        ),
        "usage": _NOTHING,
        "retrievals": _of("source-url", "{source: url, text: title}"),
    },
    "dify": {
        "delta": "[@][?event=='message' || event=='agent_message'].answer | [0]",
        "tools": "[@][?event=='agent_thought' && tool]"
        ".{id: id, name: tool, arguments: tool_input, result: observation}",
        "usage": _of("message_end", "metadata.usage", "event"),
        "retrievals": _of("message_end", "metadata.retriever_resources[]", "event") + " | []",
    },
    "ag-ui": {
        "delta": "[@][?type=='TEXT_MESSAGE_CONTENT' || type=='TEXT_MESSAGE_CHUNK'].delta | [0]",
        "tools": _all(
            _of("TOOL_CALL_START", "{id: toolCallId, name: toolCallName}"),
            _of("TOOL_CALL_ARGS", "{id: toolCallId, delta: delta}"),
            _of("TOOL_CALL_RESULT", "{id: toolCallId, content: content}"),
        ),
        "usage": _NOTHING,
    },
    "ollama": {
        "delta": "message.content",
        "tools": "message.tool_calls || `[]`",
        "usage": "[@][?done].{model: model, prompt_eval_count: prompt_eval_count, eval_count: eval_count}",
    },
    "langgraph": {
        "delta": "[?type=='ai' || type=='AIMessageChunk'] | [0] "
        "| type(content)=='array' && join('', content[?type=='text'].text) || content",
        "tools": _all(
            f"{_UPDATED}.tool_calls[].{{id: id, name: name, args: args}}",
            f"{_UPDATED} | [?type=='tool'].{{id: tool_call_id, content: content, failed: status=='error'}}",
        ),
        "usage": f"{_UPDATED} | [?usage_metadata].{{model: response_metadata.model_name, "
        "input_tokens: usage_metadata.input_tokens, output_tokens: usage_metadata.output_tokens, "
        "input_token_details: usage_metadata.input_token_details, "
        "output_token_details: usage_metadata.output_token_details}",
        "retrievals": f"{_UPDATED} | [?type=='tool'].artifact[] | [?page_content]"
        ".{text: page_content, source: metadata.source}",
    },
    "adk": {
        "delta": _NOTHING,
        "text": f"{_PARTS} | [?text && !thought].text",
        "tools": _all(
            f"{_PARTS}.functionCall.{{id: id, name: name, args: args}}",
            f"{_PARTS}.functionResponse.{{id: id, name: name, response: response, "
            "error: response.error || response.error_message, "
            "failed: (response.error || response.error_message) != `null`}",
        ),
        "usage": "[@][?usageMetadata && !partial].{model: modelVersion, "
        "promptTokenCount: usageMetadata.promptTokenCount, "
        "candidatesTokenCount: usageMetadata.candidatesTokenCount, "
        "thoughtsTokenCount: usageMetadata.thoughtsTokenCount, "
        "cachedContentTokenCount: usageMetadata.cachedContentTokenCount}",
        "retrievals": "[@][].groundingMetadata.groundingChunks[].[web, retrievedContext][]"
        ".{source: uri, text: text || title}",
    },
}
TOLD_ONCE: Final = ("langgraph", "adk")  # tokens are told once for each call of a model


def paths_of(name: str, written: AnswerPaths) -> AnswerPaths:
    """The paths of a format, under what the study wrote."""
    given: dict[str, Any] = {key: path for key, path in FORMATS[name].items() if key != "delta"}
    own = written.model_dump(include=written.model_fields_set)
    return AnswerPaths.model_validate({"text": _NOTHING, "end": _NOTHING, **given, **own})
