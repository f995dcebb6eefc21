"""Streams as they are: events of published formats, as their documentation shows them; NDJSON; SSML.

A server that only repeats what it is given stands at the other end, on a real socket.
"""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from vivavoce.connectors.base import Conversation, UserTurn
from vivavoce.connectors.factory import make_connector
from vivavoce.core.errors import SystemUnderTestError
from vivavoce.trial.outputs import SystemTurn, gather

Sent = list[dict[str, Any]]


def answered(
    stream: str, kind: str = "text/event-stream", turns: int = 1, **settings: Any
) -> tuple[SystemTurn, Sent]:
    """The last of some turns with a system that answers each like this, and the bodies that it got."""
    requests: Sent = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.partition("content-length:")[2].partition("\r\n")[0] or 0)
        requests.append(json.loads(await reader.readexactly(length)))
        types = f"content-type: {kind}\r\n" if kind else ""
        writer.write(f"HTTP/1.1 200 OK\r\n{types}connection: close\r\n\r\n{stream}".encode())
        await writer.drain()
        writer.close()

    async def run() -> SystemTurn:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        connector = make_connector({"connect": "sse", "url": url, "allow_private": True, **settings}, {})
        conversation, turn = Conversation("c"), SystemTurn()
        try:
            for number in range(1, turns + 1):
                turn = SystemTurn()
                said = connector.send(conversation, UserTurn(key=f"k{number}", number=number, text="hello"))
                await gather(said, lambda: 1.0, turn)
        finally:
            await connector.shut_down()
            server.close()
        return turn

    return asyncio.run(run()), requests


def events(*told: dict[str, Any] | str, named: bool = False) -> str:
    lines = []
    for one in told:
        name = f"event: {one['type']}\n" if named and isinstance(one, dict) else ""
        lines.append(f"{name}data: {one if isinstance(one, str) else json.dumps(one)}\n\n")
    return "".join(lines)


def said(turn: SystemTurn) -> list[str]:
    return [message.text for message in turn.messages]


def calls(turn: SystemTurn) -> list[tuple[str, str | None, str | None]]:
    assert turn.agent is not None and turn.agent.tools is not None
    return [(one.name, one.arguments, one.result) for one in turn.agent.tools]


def tokens(turn: SystemTurn) -> list[tuple[str | None, int | None, int | None]]:
    assert turn.agent is not None
    return [(one.model, one.input_tokens, one.output_tokens) for one in turn.agent.usage]


def test_openai_responses_whose_other_deltas_are_no_words() -> None:
    call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "find", "arguments": "{}"}
    usage = {"input_tokens": 9, "output_tokens": 4, "output_tokens_details": {"reasoning_tokens": 2}}
    turn, got = answered(
        events(
            {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}},
            {"type": "response.function_call_arguments.delta", "item_id": "fc_1", "delta": '{"a'},
            {"type": "response.output_item.done", "output_index": 0, "item": call},
            {"type": "response.output_text.delta", "item_id": "msg_1", "delta": "Hi "},
            {"type": "response.output_text.delta", "item_id": "msg_1", "delta": "there!"},
            {"type": "response.output_text.done", "item_id": "msg_1", "text": "Hi there!"},
            {"type": "response.completed", "response": {"id": "resp_1", "model": "m-1", "usage": usage}},
            named=True,
        ),
        turns=2,
        format="openai-responses",
        keep={"previous": "response.id"},
        body={"input": "{{ text }}", "previous_response_id": "{{ state.previous or omit }}"},
    )
    assert said(turn) == ["Hi there!"] and calls(turn) == [("find", "{}", None)]
    assert tokens(turn) == [("m-1", 9, 4)]
    assert got == [{"input": "hello"}, {"input": "hello", "previous_response_id": "resp_1"}]


def test_anthropic_messages_with_a_ping_and_a_tool_in_pieces() -> None:
    block = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {}}
    started = {"id": "msg_1", "model": "m-2", "usage": {"input_tokens": 25, "output_tokens": 1}}
    turn, got = answered(
        events(
            {"type": "message_start", "message": started},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "ping"},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello"}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "!"}},
            {"type": "content_block_stop", "index": 0},
            {"type": "content_block_start", "index": 1, "content_block": block},
            {
                "type": "content_block_delta",
                "index": 1,
                "delta": {"type": "input_json_delta", "partial_json": '{"city": '},
            },
            {
                "type": "content_block_delta",
                "index": 1,
                "delta": {"type": "input_json_delta", "partial_json": '"Rome"}'},
            },
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 15}},
            {"type": "message_stop"},
            named=True,
        ),
        turns=1,
        format="anthropic",
        body={"system": "Be kind.", "messages": "{{ messages }}"},
    )
    assert said(turn) == ["Hello!"] and calls(turn) == [("get_weather", '{"city": "Rome"}', None)]
    assert tokens(turn) == [("m-2", 25, 15)]
    assert got == [{"system": "Be kind.", "messages": [{"role": "user", "content": "hello"}]}]


def test_vercels_message_stream_with_a_tool_and_a_source() -> None:
    turn, _ = answered(
        events(
            {"type": "start", "messageId": "m1"},
            {"type": "start-step"},
            {"type": "tool-input-start", "toolCallId": "c1", "toolName": "find"},
            {"type": "tool-input-delta", "toolCallId": "c1", "inputTextDelta": "{"},
            {"type": "tool-input-available", "toolCallId": "c1", "toolName": "find", "input": {"q": 1}},
            {"type": "tool-output-available", "toolCallId": "c1", "output": {"n": 2}},
            {"type": "source-url", "sourceId": "s", "url": "https://example.org", "title": "Example"},
            {"type": "reasoning-delta", "id": "r", "delta": "hmm"},
            {"type": "text-start", "id": "t"},
            {"type": "text-delta", "id": "t", "delta": "Two."},
            {"type": "text-end", "id": "t"},
            {"type": "finish-step"},
            {"type": "finish"},
            "[DONE]",
        ),
        format="vercel-ai",
    )
    assert said(turn) == ["Two."] and calls(turn) == [("find", '{"q": 1}', '{"n": 2}')]
    assert [(one.source, one.document) for one in turn.retrievals] == [("https://example.org", "Example")]


def test_dify_keeps_its_own_conversation() -> None:
    metadata = {
        "usage": {"prompt_tokens": 30, "completion_tokens": 5},
        "retriever_resources": [{"position": 1, "document_name": "menu", "content": "Soup 5", "score": 0.9}],
    }
    turn, got = answered(
        events(
            {"event": "agent_thought", "id": "a1", "tool": "search", "tool_input": "{}", "observation": "ok"},
            {"event": "agent_message", "conversation_id": "conv", "answer": "Soup"},
            {"event": "agent_message", "conversation_id": "conv", "answer": " is 5."},
            {"event": "message_end", "conversation_id": "conv", "metadata": metadata},
        ),
        turns=2,
        format="dify",
        keep={"id": "conversation_id"},
        body={"query": "{{ text }}", "conversation_id": "{{ state.id or '' }}"},
    )
    assert said(turn) == ["Soup is 5."] and calls(turn) == [("search", "{}", "ok")]
    assert tokens(turn) == [(None, 30, 5)]
    assert [(one.source, one.document, one.score) for one in turn.retrievals] == [("menu", "Soup 5", 0.9)]
    assert [one["conversation_id"] for one in got] == ["", "conv"]


def test_ag_ui_tells_tools_as_they_happen() -> None:
    turn, _ = answered(
        events(
            {"type": "RUN_STARTED", "threadId": "t", "runId": "r"},
            {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "find"},
            {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": '{"q"'},
            {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": ": 1}"},
            {"type": "TOOL_CALL_END", "toolCallId": "c"},
            {"type": "TOOL_CALL_RESULT", "messageId": "m", "toolCallId": "c", "content": "two"},
            {"type": "TEXT_MESSAGE_START", "messageId": "m2", "role": "assistant"},
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m2", "delta": "Two."},
            {"type": "TEXT_MESSAGE_END", "messageId": "m2"},
            {"type": "STATE_SNAPSHOT", "snapshot": {}},
            {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"},
        ),
        format="ag-ui",
    )
    assert said(turn) == ["Two."] and calls(turn) == [("find", '{"q": 1}', "two")]
    assert turn.agent is not None and turn.agent.tools is not None
    assert turn.agent.tools[0].started_s is not None


OLLAMA = "".join(
    json.dumps({"model": "llama3.2", "message": {"content": piece}, "done": False}) + "\n"
    for piece in ("The", " sky")
) + json.dumps(
    {
        "model": "llama3.2",
        "message": {"role": "assistant", "content": ""},
        "done": True,
        "prompt_eval_count": 26,
        "eval_count": 2,
    }
)


@pytest.mark.parametrize("kind", ["application/x-ndjson", "application/json", "text/plain", ""])
def test_ollama_streams_lines_of_json_under_any_content_type(kind: str) -> None:
    turn, _ = answered(OLLAMA, kind, format="ollama", body={"messages": "{{ messages }}"})
    assert said(turn) == ["The sky"] and tokens(turn) == [("llama3.2", 26, 2)]


@pytest.mark.parametrize("kind", ["application/octet-stream", "text/plain", "application/json", ""])
def test_an_event_stream_under_any_content_type(kind: str) -> None:
    body = ": hello\n\n" + events({"token": "a"}, {"status": "thinking"}, {"token": "b"}, "[DONE]")
    assert said(answered(body, kind, delta="token")[0]) == ["ab"]


@pytest.mark.parametrize("body", ['{"text": "one"}', '{\n "text": "one"\n}\n', '\n{"text": "one"}\n'])
def test_a_whole_answer_is_still_a_whole_answer(body: str) -> None:
    assert said(answered(body, "application/json")[0]) == ["one"]


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "Overloaded"),
        ({"type": "error", "errorText": "no model"}, "no model"),
        ({"event": "error", "status": 400, "message": "no credit"}, "no credit"),
        ({"type": "RUN_ERROR", "message": "gave up"}, "gave up"),
        ({"type": "response.failed", "response": {"error": {"message": "rate limit"}}}, "rate limit"),
    ],
)
def test_an_error_in_the_middle_is_no_silence(told: dict[str, Any], words: str) -> None:
    with pytest.raises(SystemUnderTestError, match=words):
        answered(events({"delta": "so "}, told))


def test_a_stream_in_which_nobody_says_anything_is_a_bad_answer() -> None:
    with pytest.raises(SystemUnderTestError, match="no text"):
        answered(events({"type": "ping"}, {"type": "message_stop"}), format="anthropic")


@pytest.mark.parametrize(
    ("stream", "settings", "words"),
    [
        ('event: end\ndata: {"text": "not this"}\n\n', {}, ["a"]),
        ('event: over\ndata: {"text": "not this"}\n\n', {"end_event": "over"}, ["a"]),
        ('event: end\ndata: {"text": "and this"}\n\n', {"end_event": "over"}, ["a", "and this"]),
        ("data: [DONE] \n\n", {}, ["a"]),
    ],
)
def test_what_comes_after_the_end_is_not_read(
    stream: str, settings: dict[str, Any], words: list[str]
) -> None:
    assert said(answered(events({"text": "a"}) + stream, **settings)[0]) == words


def test_a_piece_that_is_no_text_is_none_and_one_of_plain_text_is_its_event() -> None:
    assert said(answered(events({"delta": {"x": 1}}, {"delta": "hi"}, {"delta": ""}))[0]) == ["hi"]
    assert said(answered(events("hi", " there"), plain=True)[0]) == ["hi there"]


@pytest.mark.parametrize("body", [{"q": "{{ text }}"}, None])
def test_a_request_without_a_body_is_a_get(body: Any) -> None:
    async def run() -> Any:
        settings = {"connect": "sse", "url": "https://bot.example/", "body": body}
        connector: Any = make_connector(settings, {})
        assert connector.capabilities.memory == "system"
        request = connector.inner._request(Conversation("c"), UserTurn(key="k", number=1, text="hello"))
        await connector.shut_down()
        return request.method, request.content

    assert asyncio.run(run()) == (("GET", b"") if body is None else ("POST", b'{"q":"hello"}'))


def test_speech_markup_is_shown_as_words() -> None:
    marked = '<speak><p>Tea &amp; <emphasis>cake</emphasis></p><break time="1s"/>now?</speak>'
    assert said(answered(events({"text": marked}))[0]) == ["Tea & cake now?"]
    assert said(answered(events({"text": "1 < 2 <speak"}))[0]) == ["1 < 2 <speak"]


SHAPES: Sequence[tuple[dict[str, Any], list[dict[str, Any]]]] = [
    ({}, [{"role": "user", "content": "hello"}]),
    (
        {"prompt": "Answer in {{ language }}.", "prompt_role": "developer"},
        [{"role": "developer", "content": "Answer in en."}, {"role": "user", "content": "hello"}],
    ),
    (
        {"system_role": "model", "message": {"role": "{{ role }}", "parts": [{"text": "{{ text }}"}]}},
        [{"role": "user", "parts": [{"text": "hello"}]}],
    ),
    (
        {"user_role": "USER", "message": {"role": "{{ role }}", "message": "{{ text }}"}},
        [{"role": "USER", "message": "hello"}],
    ),
]


@pytest.mark.parametrize(("shape", "expected"), SHAPES)
def test_the_history_goes_in_the_systems_own_shape(shape: dict[str, Any], expected: Sent) -> None:
    _, got = answered(events({"text": "hi"}), messages=shape, body={"messages": "{{ messages }}"})
    assert got == [{"messages": expected}]


def test_a_name_that_is_not_there_yet_is_told_by_its_expression() -> None:
    with pytest.raises(SystemUnderTestError) as caught:
        answered(events({"text": "hi"}), body={"id": "{{ state.session }}"})
    assert "'{{ state.session }}' has no value yet" in caught.value.detail
    assert caught.value.reached is False and "127.0.0.1" not in caught.value.detail


def told(model: str | None, read: int | None = None, wrote: int | None = None) -> dict[str, Any]:
    return {"model": model, "usage": {"input_tokens": read, "output_tokens": wrote}}


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        ([told("m", 5), told("m", 5, 3)], [("m", 5, 3)]),
        ([told("m", 5), told(None, None, 3)], [("m", 5, 3)]),
        ([told("m", 5), told("n", 7), told(None, None, 3)], [("m", 5, None), ("n", 7, 3)]),
        ([told(None, 5), told(None, None, 3)], [(None, 5, 3)]),
    ],
)
def test_tokens_told_again_are_those_of_the_call_before_them(stream: list[dict], expected: list) -> None:
    turn, _ = answered(events({"delta": "x"}, *stream), delta="delta")
    assert tokens(turn) == expected


@pytest.mark.parametrize(("query", "address"), [({}, ""), ({"q": "{{ text }}", "n": "3"}, "?q=hello&n=3")])
def test_what_is_asked_for_may_stand_in_the_address(query: dict[str, Any], address: str) -> None:
    async def run() -> str:
        settings = {"connect": "sse", "url": "https://bot.example/", "query": query, "delta": "delta"}
        connector: Any = make_connector(settings, {})
        request = connector.inner._request(Conversation("c"), UserTurn(key="k", number=1, text="hello"))
        await connector.shut_down()
        return str(request.url)

    assert asyncio.run(run()) == f"https://bot.example/{address}"


def chunk(**told: Any) -> str:
    """A message as LangGraph's server streams it, beside what it says of the run."""
    message = {"type": "ai", "content": "", "tool_calls": [], "usage_metadata": None, **told}
    return events([message, {"langgraph_node": "model", "run_id": "r"}])  # pyright: ignore[reportArgumentType]


def test_langgraph_streams_words_beside_what_its_nodes_add() -> None:
    """As `langgraph dev` sends it (langgraph-api 0.16.7), shortened."""
    model = {"type": "ai", "response_metadata": {"model_name": "m"}, "tool_calls": [], "content": ""}
    used = {"input_tokens": 20, "output_tokens": 9, "input_token_details": {"cache_read": 5}}
    call = {"name": "look_up", "args": {"words": "doors"}, "id": "c1", "type": "tool_call"}
    result = {"type": "tool", "tool_call_id": "c1", "content": "1 document", "status": "success"}
    document = {"type": "Document", "page_content": "Doors open at 9.", "metadata": {"source": "doors.md"}}
    blocks = [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "At 9"}]
    stream = (
        events({"run_id": "r", "attempt": 1})
        + chunk(tool_calls=[call])
        + events({"model": {"messages": [{**model, "tool_calls": [call], "usage_metadata": used}]}})
        + events({"tools": {"messages": [{**result, "artifact": [document]}]}, "quiet": None})
        + chunk(type="AIMessageChunk", content=blocks)
        + chunk(type="AIMessageChunk", content=".")
        + events({"model": {"messages": [{**model, "content": "At 9.", "usage_metadata": used}]}})
    )
    turn, _ = answered(stream, format="langgraph")
    assert [one.text for one in turn.messages] == ["At 9."]
    assert turn.agent is not None and turn.agent.tools is not None
    (told,) = turn.agent.tools
    assert (told.name, told.arguments, told.result, told.failed) == (
        "look_up",
        '{"words": "doors"}',
        "1 document",
        False,
    )
    tokens = [(one.model, one.input_tokens, one.cached_tokens, one.output_tokens) for one in turn.agent.usage]
    assert tokens == [("m", 20, 5, 9)] * 2  # two calls of one model are two, not one told twice
    assert [(one.document, one.source) for one in turn.agent.retrievals] == [("Doors open at 9.", "doors.md")]


def test_adk_streams_whole_events_and_pieces_are_passed_over() -> None:
    """As `adk api_server` sends it (google-adk 2.13.0), shortened."""
    used = {"promptTokenCount": 20, "candidatesTokenCount": 9, "thoughtsTokenCount": 2}

    def said(*parts: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {"content": {"role": "model", "parts": list(parts)}, "author": "agent", "id": "e", **more}

    grounded = {"groundingChunks": [{"web": {"uri": "https://d.example", "title": "Doors"}}]}
    stream = events(
        said({"functionCall": {"id": "f1", "name": "look_up", "args": {}}}, usageMetadata=used),
        said({"functionResponse": {"id": "f1", "name": "look_up", "response": {"error": "closed"}}}),
        said({"functionCall": {"id": "f2", "name": "look_up", "args": {}}}),
        said({"functionResponse": {"id": "f2", "name": "look_up", "response": {"result": "open"}}}),
        said({"text": "At"}, partial=True, usageMetadata=used),
        said(
            {"text": "I wonder", "thought": True},
            {"text": "At 9."},
            usageMetadata=used,
            modelVersion="m",
            groundingMetadata=grounded,
        ),
    )
    turn, _ = answered(stream, format="adk")
    assert [one.text for one in turn.messages] == ["At 9."]
    assert turn.agent is not None and turn.agent.tools is not None
    assert [(one.name, one.error, one.failed) for one in turn.agent.tools] == [
        ("look_up", "closed", True),
        ("look_up", None, False),
    ]
    assert [(one.input_tokens, one.output_tokens) for one in turn.agent.usage] == [(20, 11)] * 2
    assert [(one.document, one.source) for one in turn.agent.retrievals] == [("Doors", "https://d.example")]


def test_a_conversation_is_opened_by_a_request_of_its_own_and_what_it_keeps_is_in_the_address() -> None:
    paths: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        paths.append(head.split()[1])
        opens = paths[-1] == "/threads"
        body, kind = ('{"id": "a/b"}', "json") if opens else (events({"text": "hi"}), "octet-stream")
        writer.write(
            f"HTTP/1.1 200 OK\r\ncontent-type: application/{kind}\r\nconnection: close\r\n\r\n{body}".encode()
        )
        await writer.drain()
        writer.close()

    async def run() -> list[str]:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/threads"
        settings = {"url": f"{url}/{{{{ state.thread }}}}", "open": {"url": url, "body": {}}}
        connector = make_connector(
            {"connect": "sse", "allow_private": True, "keep": {"thread": "id"}, **settings}, {}
        )
        conversation = Conversation("c")
        try:
            opened = [one async for one in connector.open(conversation)]
            said = connector.send(conversation, UserTurn(key="k", number=1, text="hello"))
            return opened + [one.text async for one in said if one.kind == "message"]
        finally:
            await connector.shut_down()
            server.close()

    assert asyncio.run(run()) == ["hi"] and paths == ["/threads", "/threads/a%2Fb"]
