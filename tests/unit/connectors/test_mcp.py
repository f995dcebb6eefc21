"""MCP: a tool of a real server answers; its errors are named, its structured content is read."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from scenes.connecting import PATIENT
from scenes.counterparts import FOLDER, Counterparts
from vivavoce.connectors.base import Conversation, Frames, SystemOutput, UserTurn, heard_on_the_wire
from vivavoce.connectors.factory import make_connector
from vivavoce.core.errors import InputError, SystemUnderTestError

SCRIPT = str(FOLDER / "mcp_server.py")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    counterparts = Counterparts()
    yield f"http://{counterparts.server('mcp_server.py')}/mcp"
    counterparts.stop()


def heard(settings: dict[str, Any], *texts: str, wire: Frames | None = None) -> list[SystemOutput]:
    async def run() -> list[SystemOutput]:
        connector = make_connector(
            {"connect": "mcp", "allow_private": True, **PATIENT, **settings}, {"MCP_KEY": "s3cret!"}
        )
        conversation = Conversation("one")
        outputs: list[SystemOutput] = []
        with heard_on_the_wire(wire if wire is not None else []):
            for number, text in enumerate(texts, 1):
                turn = UserTurn(key=f"k{number}", number=number, text=text)
                outputs += [one async for one in connector.send(conversation, turn)]
        await connector.close(conversation)
        await connector.shut_down()
        return outputs

    return asyncio.run(run())


def texts_of(outputs: list[SystemOutput]) -> list[str]:
    return [one.text for one in outputs if one.kind == "message"]


def test_a_program_is_a_server_with_a_memory_for_each_conversation() -> None:
    settings = {"command": [sys.executable, SCRIPT], "tool": "chat_here", "arguments": {"text": "{{ text }}"}}
    assert texts_of(heard(settings, "one", "two")) == ["first was one", "first was one"]
    assert texts_of(heard(settings, "three")) == ["first was three"]


def test_what_a_tool_did_arrives_beside_its_words(server: str) -> None:
    settings = {"url": server, "tool": "agent", "arguments": {"text": "{{ text }}"}}
    (message, facts) = heard(settings, "doors")
    assert message.text == "You said doors."
    assert facts.tools is not None
    assert [(one.name, one.arguments, one.error, one.failed) for one in facts.tools] == [
        ("find", '{"what": "doors"}', "closed", True)
    ]
    assert [(one.input_tokens, one.output_tokens) for one in facts.usage] == [(20, 9)]
    assert [(one.rank, one.document, one.source) for one in facts.retrievals] == [
        (0, "Doors open at 9.", "memory://doors")
    ]


IN_A_NOTEBOOK = """
import asyncio, io, sys

sys.stderr = io.StringIO()  # as in a notebook: no file of the system
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.probe import hello

settings = {"command": [sys.executable, sys.argv[1]], "tool": "chat_here"}
settings["arguments"] = {"text": "{{ text }}"}
found = asyncio.run(hello(make_connector({"connect": "mcp", **settings}, {})))
print(found.ok, found.problem)
"""


@pytest.mark.long
def test_a_program_is_a_server_also_where_errors_are_written_to_no_file() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IN_A_NOTEBOOK, SCRIPT], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "True None", done.stdout + done.stderr


def test_structured_content_is_read_where_the_study_says_so(server: str) -> None:
    response = {"text": "say", "choices": "offers", "end": "over"}
    settings = {"url": server, "tool": "menu", "arguments": {"text": "{{ text }}"}, "response": response}
    outputs = heard(settings, "bye")
    assert texts_of(outputs) == ["You said bye."]
    assert [choice.title for choice in outputs[0].choices] == ["North", "South"]
    assert outputs[-1].kind == "end"


@pytest.mark.parametrize(
    ("tool", "text", "said"),
    [("chat", "break", "the tool reports: Error executing tool chat"), ("nobody", "x", "nobody")],
)
def test_a_tool_that_fails_or_is_not_there_is_a_bad_answer(
    server: str, tool: str, text: str, said: str
) -> None:
    with pytest.raises(SystemUnderTestError, match=said) as caught:
        heard({"url": server, "tool": tool}, text)
    assert caught.value.failure == "bad_answer"


def test_the_exchange_is_noted_without_secrets(server: str) -> None:
    wire: Frames = []
    settings = {
        "url": server,
        "tool": "chat",
        "headers": {"authorization": "Bearer ${MCP_KEY}"},
        "arguments": {"session": "noted {{ conversation }}", "text": "{{ text }} ${MCP_KEY}"},
    }
    assert texts_of(heard(settings, "hello", wire=wire)) == ["first was hello ${MCP_KEY}"]
    assert [next(iter(frame)) for frame in wire] == ["sent", "received"]
    assert "hello" in wire[0]["body"] and "first was hello" in wire[1]["body"]
    assert "s3cret!" not in str(wire)


def test_a_server_that_went_away_and_came_back_is_asked_again() -> None:
    counterparts = Counterparts()
    address = counterparts.server("mcp_server.py")

    async def run() -> None:
        settings = {"connect": "mcp", "allow_private": True, "url": f"http://{address}/mcp", "tool": "chat"}
        connector = make_connector(settings, {})
        conversation = Conversation("again")
        turn = UserTurn(key="k", number=1, text="one")
        assert texts_of([one async for one in connector.send(conversation, turn)]) == ["first was one"]
        counterparts.stop()
        with pytest.raises(SystemUnderTestError, match=r"unreachable|closed"):
            [one async for one in connector.send(conversation, turn)]
        with pytest.raises(SystemUnderTestError) as caught:
            [one async for one in connector.send(conversation, turn)]
        assert (caught.value.failure, caught.value.reached) == ("unreachable", False)
        await connector.shut_down()

    try:
        asyncio.run(run())
    finally:
        counterparts.stop()


def test_the_address_and_the_program_exclude_each_other() -> None:
    for settings in ({}, {"url": "https://example.org/mcp", "command": ["x"]}):
        with pytest.raises(InputError, match="'url' or 'command' is missing"):
            make_connector({"connect": "mcp", "tool": "chat", **settings}, {})
    with pytest.raises(InputError, match="allow_private"):
        make_connector({"connect": "mcp", "tool": "chat", "url": "http://127.0.0.1:1/mcp"}, {})


def content(*parts: Any, **more: Any) -> dict[str, Any]:
    return {"content": list(parts), **more}


BOT = {"connect": "mcp", "url": "https://bot.example/mcp", "tool": "t"}


def read(result: dict[str, Any], **settings: Any) -> list[SystemOutput]:
    connector: Any = make_connector({**BOT, **settings}, {})
    return connector.inner._read(result)


PICTURE = {"type": "resource_link", "uri": "https://b/p.png", "mimeType": "image/png"}


@pytest.mark.parametrize(
    ("result", "texts", "images"),
    [
        (content({"type": "text", "text": "a"}, {"type": "text", "text": " "}, "no"), ["a"], ()),
        (content({"type": "text", "text": "a"}, {"type": "image", "text": "b"}), ["a"], ()),
        (content({"type": "text", "text": "a"}, PICTURE), ["a"], ("https://b/p.png",)),
        (
            content(PICTURE, PICTURE | {"mimeType": "text/html"}, PICTURE | {"type": "other"}),
            [""],
            ("https://b/p.png",),
        ),
    ],
)
def test_texts_and_pictures_of_a_result_are_shown(result: dict, texts: list, images: tuple) -> None:
    *messages, extras = read(result)
    assert [one.text for one in messages] == texts and messages[-1].images == images
    assert extras.raw == result


@pytest.mark.parametrize(
    ("result", "problem"),
    [
        (content({"type": "text", "text": "busy"}, isError=True), "the tool reports: busy"),
        (content(isError=True), "the tool reports: an error without text"),
        (content({"type": "text", "text": " "}), "the result contains no text"),
        ({}, "the result contains no text"),
    ],
)
def test_a_result_that_says_nothing_is_a_bad_answer(result: dict, problem: str) -> None:
    with pytest.raises(SystemUnderTestError, match=problem):
        read(result)


@pytest.mark.parametrize(
    ("arguments", "response", "choices", "memory"),
    [
        ({"text": "{{ text }}"}, None, False, "process"),
        ({"text": "{{ text }}"}, {"text": "say"}, True, "process"),
        ({"all": "{{ history }}"}, None, False, "caller"),
        ({"id": "{{ conversation }}"}, {"text": "say"}, True, "system"),
    ],
)
def test_what_a_tool_can_is_told_by_what_it_is_given(
    arguments: dict, response: dict | None, choices: bool, memory: str
) -> None:
    settings = {"connect": "mcp", "tool": "t", "arguments": arguments, "response": response}
    told = make_connector({**BOT, **settings}, {}).capabilities
    assert (told.choices, told.memory) == (choices, memory)
    program = make_connector({**settings, "command": ["x"]}, {}).capabilities
    assert program.memory == ("process" if memory == "system" else memory), "it ends with its conversation"
