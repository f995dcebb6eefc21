"""The openai connector against the bundled bot and a server that does everything wrong."""

import asyncio
import json
from typing import Any

import pytest

from scenes.connecting import PATIENT, said, within
from vivavoce.connectors import openai
from vivavoce.connectors.base import Conversation, PastTurn, SystemOutput, UserTurn
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.secrets import Vault
from vivavoce.core.errors import InputError, SystemUnderTestError


def talk(
    url: str, text: str = "hello", history: tuple[PastTurn, ...] = (), **settings: Any
) -> list[SystemOutput]:
    async def run() -> list[SystemOutput]:
        raw = {"connect": "openai", "url": url, "model": "m", "allow_private": True, **PATIENT, **settings}
        connector = make_connector(raw, {"KEY": "hunter2secret"})
        conversation = Conversation("c", history=history)
        try:
            turn = UserTurn(key="k", number=1, text=text)
            return [output async for output in connector.send(conversation, turn)]
        finally:
            await connector.shut_down()

    return asyncio.run(run())


def test_a_streamed_answer_comes_as_deltas_and_then_whole(restaurant_bot: str) -> None:
    outputs = talk(f"{restaurant_bot}/v1", "a cheap pub in the centre please")
    deltas = [output.text for output in outputs if output.kind == "delta"]
    (message,) = [output.text for output in outputs if output.kind == "message"]
    assert len(deltas) > 2
    assert "".join(deltas) == message


def test_the_history_is_sent_again_with_each_turn(restaurant_bot: str) -> None:
    history = (PastTurn("user", "a pub in the north that is cheap"), PastTurn("system", "Ferryman is a pub."))
    outputs = talk(f"{restaurant_bot}/v1", "what is the phone number", history)
    assert any("01555" in output.text for output in outputs if output.kind == "message")


def test_comments_usage_chunks_and_done_are_understood(faulty: str) -> None:
    outputs = talk(f"{faulty}/streamodd")
    assert [output.text for output in outputs] == ["all ", "well", "all well", ""]
    assert outputs[-1].raw["usage"] == {"total_tokens": 3}


def test_a_server_that_does_not_stream_is_understood(faulty: str) -> None:
    assert [output.text for output in talk(f"{faulty}/plain")] == ["not streamed", ""]


@pytest.mark.parametrize(
    ("path", "kind", "words"),
    [
        ("streamcut", "bad_answer", "in the middle, after 'half an answer'"),
        ("streamerror", "bad_answer", "overloaded"),
        ("streamjunk", "bad_answer", "not JSON"),
        ("streamempty", "bad_answer", "no text"),
        ("nochoices", "bad_answer", "no text"),
        ("error500", "bad_answer", "HTTP 500"),
        ("error401", "refused", "no such key ${KEY}"),
        ("html", "bad_answer", "not JSON"),
        ("redirect", "refused", "redirect"),
        ("closed", "closed", ""),
    ],
)
def test_a_wrong_answer_ends_in_a_named_failure(faulty: str, path: str, kind: str, words: str) -> None:
    with pytest.raises(SystemUnderTestError) as caught:
        talk(f"{faulty}/{path}", key="${KEY}")
    assert (caught.value.failure, caught.value.reached) == (kind, True)
    assert words in caught.value.detail


def test_a_stream_that_stops_times_out_for_the_turn(faulty: str) -> None:
    with pytest.raises(SystemUnderTestError) as caught:
        talk(f"{faulty}/streamslow", turn_timeout_s=0.4)
    assert (caught.value.failure, "not complete after 0.4 s" in caught.value.detail) == ("timeout", True)
    with pytest.raises(SystemUnderTestError, match=r"no output after 0\.3 s"):
        talk(f"{faulty}/silent", first_output_timeout_s=0.3)


def test_parameters_that_the_connector_sets_are_refused() -> None:
    raw = {
        "connect": "openai",
        "url": "https://example.org/v1",
        "model": "m",
        "parameters": {"stream": False},
    }
    with pytest.raises(InputError, match="'stream' is reserved"):
        make_connector(raw, {})


def test_the_tools_that_a_model_called_are_told_whole(faulty: str) -> None:
    outputs = talk(f"{faulty}/tools")
    assert outputs[-1].raw["tool_calls"] == [{"id": "c1", "name": "book", "arguments": '{"at": 7}'}]
    assert [one.text for one in outputs if one.kind == "message"] == ["Booked."]


def chunk(**delta: Any) -> dict[str, Any]:
    return {"choices": [{"delta": delta}]}


def call(index: Any, key: str | None = None, name: str | None = None, arguments: str | None = None) -> dict:
    return {"index": index, "id": key, "function": {"name": name, "arguments": arguments}}


def streamed(*chunks: dict[str, Any]) -> tuple[list[str], list[tuple[str, str | None]], openai._Answer]:
    """Pieces of text, calls as they were told, and the answer as it stands."""
    answer, told, nobody = openai._Answer(), [], Vault((), {})
    pieces = []
    for one in chunks:
        pieces.append(answer.take(one))
        told += [
            (news.name or f"result of {news.key}", news.arguments or news.result)
            for news in answer.news(nobody)
        ]
    return [one for one in pieces if one], told, answer


@pytest.mark.parametrize(
    ("calls", "told"),
    [
        ([call(0, "a", "find", "{"), call(0, arguments="}")], [("find", "{"), ("find", "{}")]),
        (
            [call(0, "a", "find", "1"), call(1, "b", "book", "2"), call(0, arguments="3")],
            [("find", "1"), ("book", "2"), ("find", "13")],
        ),
        ([call(0, "a", "find", "1"), call(0, "b", "book", "2")], [("find", "1"), ("book", "2")]),
        ([call(0, "a", "find", "1"), call(0, "a", None, "2")], [("find", "1"), ("find", "12")]),
        ([call(None, "a", "find", "1"), call(None, "b", "book", "2")], [("find", "1"), ("book", "2")]),
        ([call(0, "a", None, "1"), call(0, None, "find", "2")], [("find", "12")]),
        ([call(0, "a", "", "1")], []),
    ],
)
def test_pieces_of_calls_are_put_together_by_index_and_key(calls: list[dict], told: list) -> None:
    assert streamed(*(chunk(tool_calls=[one]) for one in calls))[1] == told


def test_what_a_tool_gave_back_is_no_text_of_the_answer() -> None:
    pieces, told, answer = streamed(
        chunk(content="I look. "),
        chunk(role="tool", tool_call_id="a", content="4"),
        chunk(role="", content="2"),
        chunk(content="!"),
        chunk(role="assistant", content="It is 42"),
    )
    assert pieces == ["I look. ", "It is 42"] and answer.text == "I look. It is 42"
    assert told == [("result of a", "4"), ("result of a", "42"), ("result of a", "42!")]
    assert answer.outputs(Vault((), {}))[-1].raw["tool_results"] == {"a": "42!"}


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ([], "not a mapping"),
        ({"choices": []}, "no text"),
        ({"choices": "no"}, "no text"),
        ({"choices": ["no"]}, "no text"),
        ({"choices": [{"message": {"content": " "}}]}, "no text"),
        ({"choices": [{"message": {"content": 3}}]}, "the content of the answer is not text"),
        ({"error": "busy"}, "the server reports: busy"),
        ({"error": {"message": "busy"}}, "the server reports: busy"),
    ],
)
def test_a_whole_answer_without_text_is_a_bad_one(answer: Any, problem: str) -> None:
    with pytest.raises(SystemUnderTestError, match=problem):
        openai._read_whole(answer)


@pytest.mark.parametrize(
    ("message", "text", "tools"),
    [
        ({"content": "hi"}, "hi", None),
        ({"content": [{"text": "a"}, {"type": "image"}, {"text": "b"}, "no"]}, "ab", None),
        (
            {"content": None, "tool_calls": [{"id": "a", "function": {"name": "find"}}, {"id": "b"}, "no"]},
            None,
            ["find"],
        ),
        ({"content": "hi", "tool_calls": "no"}, "hi", None),
    ],
)
def test_a_whole_answer_is_its_text_and_its_calls(
    message: dict, text: str | None, tools: list | None
) -> None:
    *said, extras = openai._read_whole({"choices": [{"message": message}], "model": "m"})
    assert [one.text for one in said] == ([] if text is None else [text])
    assert (None if extras.tools is None else [one.name for one in extras.tools]) == tools


@pytest.mark.parametrize(
    ("more", "told"),
    [({}, None), ({"tells_tools": True}, ()), ({"parameters": {"tools": [{"name": "find"}]}}, ())],
)
def test_that_no_tool_was_called_is_told_of_systems_that_tell_their_tools(
    restaurant_bot: str, more: dict[str, Any], told: tuple | None
) -> None:
    settings = {"connect": "openai", "url": f"{restaurant_bot}/v1", "model": "m", **more}
    outputs = within(settings, lambda connector: said(connector, Conversation("tells"), "hello"))
    assert [one.tools for one in outputs if one.kind == "extras"] == [told]
    assert all(one.tools is None for one in outputs if one.kind != "extras")


@pytest.mark.parametrize(
    ("tells", "calls", "told"),
    [
        (True, None, ()),
        (False, None, None),
        (True, ["find"], ("find",)),
        (False, ["find"], ("find",)),
    ],
)
def test_a_whole_answer_without_calls_made_none_where_all_are_told(
    tells: bool, calls: list[str] | None, told: tuple | None
) -> None:
    settings = {"connect": "openai", "url": "https://bot.example/v1", "model": "m", "tells_tools": tells}
    inner: Any = make_connector(settings, {}).inner
    message = {"content": "hi", "tool_calls": [{"id": "a", "function": {"name": one}} for one in calls or ()]}
    extras = inner._whole({"choices": [{"message": message}]})[-1]
    assert (None if extras.tools is None else tuple(one.name for one in extras.tools)) == told


@pytest.mark.parametrize("choices", [[], None, "no", 3])
def test_a_chunk_without_choices_brings_no_text(choices: Any) -> None:
    assert openai._Answer().take({"choices": choices, "usage": {"total_tokens": 3}}) == ""


@pytest.mark.parametrize(("settings", "first"), [({"system": "Be {{ language }}."}, ["Be en."]), ({}, [])])
def test_who_said_what_goes_to_the_model_in_its_roles(settings: dict[str, Any], first: list[str]) -> None:
    async def run() -> Any:
        raw = {"connect": "openai", "url": "https://bot.example/v1", "model": "m", "usage": True, **settings}
        connector: Any = make_connector(raw, {})
        history = (PastTurn("user", "one"), PastTurn("system", "two"))
        turn = UserTurn(key="k", number=2, text="three")
        request = connector.inner._request(Conversation("c", history=history), turn)
        await connector.shut_down()
        return json.loads(request.content)

    body = asyncio.run(run())
    roles = [*(("system", one) for one in first), ("user", "one"), ("assistant", "two"), ("user", "three")]
    assert [(one["role"], one["content"]) for one in body["messages"]] == roles
    assert body["stream_options"] == {"include_usage": True} and body["model"] == "m"
