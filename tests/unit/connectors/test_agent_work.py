"""What agents tell of their tools, tokens and documents, in the shapes that interfaces give it."""

import pytest

from vivavoce.connectors.a2a import _told
from vivavoce.connectors.agent_work import model_usage, read_retrievals, read_tools, read_usage
from vivavoce.connectors.answer_paths import AnswerPaths, AnswerReader
from vivavoce.connectors.base import SystemOutput, ToolCall
from vivavoce.core.errors import SystemUnderTestError
from vivavoce.trial.outputs import SystemTurn


@pytest.mark.parametrize(
    "told",
    [
        {"id": "1", "function": {"name": "find", "arguments": '{"a": 1}'}},
        {"call_id": "1", "name": "find", "arguments": '{"a": 1}'},
        {"id": "1", "name": "find", "input": {"a": 1}},
        {"toolCallId": "1", "toolName": "find", "args": {"a": 1}},
    ],
)
def test_one_call_told_in_four_ways(told: dict) -> None:
    (call,) = read_tools([told]) or ()
    assert (call.key, call.name, call.arguments) == ("1", "find", '{"a": 1}')


def test_what_comes_later_under_a_key_belongs_to_the_same_call_and_times_are_those_of_arrival() -> None:
    turn = SystemTurn()
    pieces = [
        (1.0, ToolCall(key="k", name="find", arguments='{"a"', live=True)),
        (1.5, ToolCall(key="k", arguments=": 1}", more=True, live=True)),
        (3.0, ToolCall(key="k", error="no such place", failed=True, live=True)),
    ]
    for at_s, piece in pieces:
        turn.take(SystemOutput(kind="extras", tools=(piece,)), at_s)
    assert turn.agent is not None and turn.agent.tools is not None
    (call,) = turn.agent.tools
    assert (call.name, call.arguments, call.error, call.failed) == ("find", '{"a": 1}', "no such place", True)
    assert (call.started_s, call.duration_s) == (1.0, 2.0)


def test_a_call_of_which_no_name_is_told_is_called_by_its_key_until_it_is() -> None:
    turn = SystemTurn()
    turn.take(SystemOutput(kind="extras", tools=(ToolCall(key="k7", arguments="{}"), ToolCall())), 1.0)
    assert turn.agent is not None and turn.agent.tools is not None
    assert [one.name for one in turn.agent.tools] == ["k7", "#1"]
    turn.take(SystemOutput(kind="extras", tools=(ToolCall(key="k7", name="find"),)), 2.0)
    assert turn.agent is not None and turn.agent.tools is not None
    assert [one.name for one in turn.agent.tools] == ["find", "#1"]


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 4,
                "prompt_tokens_details": {"cached_tokens": 3},
                "completion_tokens_details": {"reasoning_tokens": 2},
            },
            (9, 3, 4, 2),
        ),
        (
            {
                "input_tokens": 9,
                "output_tokens": 4,
                "cache_read_input_tokens": 3,
                "cache_creation_input_tokens": 1,
            },
            (13, 3, 4, None),
        ),
        ({"promptTokenCount": 9, "candidatesTokenCount": 4, "thoughtsTokenCount": 2}, (9, None, 6, 2)),
        ({"prompt_eval_count": 9, "eval_count": 4}, (9, None, 4, None)),
    ],
)
def test_cached_and_reasoning_tokens_are_part_of_those_read_and_written(usage: dict, expected: tuple) -> None:
    (found,) = read_usage({"model": "m"}, usage)
    told = (found.input_tokens, found.cached_tokens, found.output_tokens, found.reasoning_tokens)
    assert (found.model, told) == ("m", expected)


def test_documents_keep_the_systems_order_unless_it_tells_ranks() -> None:
    found = read_retrievals(["first", {"url": "https://x", "content": "second", "score": 0.5, "query": "q"}])
    assert [(one.rank, one.document, one.source, one.score) for one in found] == [
        (0, "first", None, None),
        (1, "second", "https://x", 0.5),
    ]


def test_an_answer_tells_that_no_tool_was_called_only_where_the_study_says_where_calls_stand() -> None:
    written = AnswerReader(AnswerPaths.model_validate({"tools": "steps"}))
    assert written.read({"text": "hi"})[-1].tools == ()
    assert AnswerReader().read({"text": "hi"})[-1].tools is None
    assert AnswerReader().read({"text": "hi", "tool_calls": []})[-1].tools == ()


def test_what_the_study_did_not_name_may_be_anything_and_what_it_named_may_not() -> None:
    strange = {"text": "hi", "usage": "none", "tool_calls": [3], "retrievals": 7}
    assert AnswerReader().read(strange)[0].text == "hi"
    with pytest.raises(SystemUnderTestError, match="the usage of the answer is 'none'"):
        AnswerReader(AnswerPaths.model_validate({"usage": "usage"})).read(strange)


def test_googles_agents_tell_their_tools_in_a_tasks_history() -> None:
    def part(kind: str, **data: object) -> dict:
        return {"data": {"id": "c1", "name": "find", **data}, "metadata": {"adk_type": kind}}

    parts = [part("function_call", args={"a": 1}), part("function_response", response={"n": 2})]
    calls = _told({"task": {"history": [{"role": "ROLE_AGENT", "parts": parts}]}})["tools"]
    assert [(one.key, one.arguments, one.result) for one in calls] == [
        ("c1", '{"a": 1}', None),
        ("c1", None, '{"n": 2}'),
    ]


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"name": "f", "duration_s": 2}, {"duration_s": 2.0}),
        ({"name": "f", "duration_ms": 250}, {"duration_s": 0.25}),
        ({"name": "f", "duration_s": True, "duration_ms": 250}, {"duration_s": 0.25}),
        ({"name": "f", "duration_s": float("inf")}, {"duration_s": None}),
        ({"name": "f", "args": None, "delta": '{"a'}, {"arguments": '{"a', "more": True}),
        ({"name": "f", "args": {}, "delta": "x"}, {"arguments": "{}", "more": False}),
        ({"name": "f"}, {"arguments": None, "more": False, "failed": None}),
        ({"name": "f", "result": [1]}, {"result": "[1]", "error": None, "failed": None}),
        ({"name": "f", "error": "no"}, {"failed": True, "error": "no", "result": None}),
        ({"name": "f", "is_error": True, "content": "no"}, {"failed": True, "error": "no", "result": None}),
        (
            {"name": "f", "isError": False, "error": "warned", "output": "x"},
            {"failed": False, "result": "x", "error": None},
        ),
        ({"name": "f", "error": ""}, {"failed": None, "error": None}),
        ({"name": "", "tool": "g", "id": 5, "call_id": "k"}, {"name": "g", "key": "k"}),
    ],
)
def test_what_is_told_of_a_call_is_kept(told: dict, expected: dict) -> None:
    (call,) = read_tools(told) or ()
    assert {name: getattr(call, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("read", "value", "problem"),
    [
        (read_tools, ["find"], "a tool call of the answer is 'find'"),
        (read_tools, [{"arguments": "{}"}], "neither name nor id"),
        (lambda value: read_usage({}, value), [3], "the usage of the answer is 3"),
        (lambda value: read_usage({}, value), {"input_tokens": -1}, "a count is expected"),
        (lambda value: read_usage({}, value), {"input_tokens": 1.5}, "a count is expected"),
        (lambda value: read_usage({}, value), {"input_tokens": True}, "a count is expected"),
        (lambda value: read_usage({}, value), {"output_tokens": "9"}, "a count is expected"),
        (read_retrievals, [3], "a document of the answer is 3"),
        (read_retrievals, [{"rank": -1}], "a count is expected"),
    ],
)
def test_what_is_told_in_no_known_shape_is_a_bad_answer(read: object, value: object, problem: str) -> None:
    with pytest.raises(SystemUnderTestError, match=problem):
        read(value)


def test_tokens_are_counted_where_any_are_told_and_zero_is_a_count() -> None:
    assert read_usage({}, None) == () and read_usage({}, {"model": "m"}) == ()
    first, second = read_usage({"model": "m"}, [{"input_tokens": 0}, {"model": "n", "output_tokens": 3.0}])
    assert (first.model, first.input_tokens, first.output_tokens) == ("m", 0, None)
    assert (second.model, second.output_tokens) == ("n", 3)
    (alone,) = read_usage(
        "text", {"cache_creation_input_tokens": 5, "cache_read_input_tokens": 0, "input_tokens": 1}
    )
    assert (alone.model, alone.input_tokens, alone.cached_tokens) == (None, 6, 0)
    assert read_usage({}, {"thoughtsTokenCount": 2})[0].output_tokens is None
    assert read_usage({}, {"thoughtsTokenCount": 0, "candidatesTokenCount": 4})[0].output_tokens == 4


def test_ranks_scores_and_other_documents_are_read_as_they_are() -> None:
    told = [{"rank": 4, "text": {"a": 1}, "score": float("nan")}, {"id": 7, "score": True}, {"score": 2}]
    found = read_retrievals(told)
    assert [(one.rank, one.document, one.source, one.score) for one in found] == [
        (4, '{"a": 1}', None, None),
        (1, None, "7", None),
        (2, None, None, 2.0),
    ]
    assert [one.document for one in read_retrievals("alone")] == ["alone"] and read_retrievals(None) == ()


def test_of_an_interface_of_ones_own_a_strange_usage_is_nobodys_problem() -> None:
    assert model_usage({"usage": "none"}) == () and model_usage({}) == ()
    assert model_usage({"model": "m", "usage": {"input_tokens": 1}})[0].model == "m"


@pytest.mark.parametrize(
    ("answer", "kinds"),
    [
        ({"choices": ["Yes"]}, ["message", "extras"]),
        ({"images": ["https://b/p.png"]}, ["message", "extras"]),
        ({"messages": []}, ["extras"]),
        ({"end": True}, ["extras", "end"]),
    ],
)
def test_an_answer_without_text_may_show_something_or_end(answer: dict, kinds: list[str]) -> None:
    assert [one.kind for one in AnswerReader().read(answer)] == kinds


@pytest.mark.parametrize("answer", [{}, {"text": ""}, {"text": None, "end": False}, {"choices": []}])
def test_an_answer_of_nothing_is_a_bad_one(answer: dict) -> None:
    with pytest.raises(SystemUnderTestError, match="the reply contains no text"):
        AnswerReader().read(answer)
    assert [one.kind for one in AnswerReader().read(answer, silent_ok=True)] == ["extras"]
