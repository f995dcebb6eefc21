"""The openai connector against the bundled bot and a server that does everything wrong."""

import asyncio
from typing import Any

import pytest

from scenes.connecting import PATIENT
from vivavoce.connectors.base import Conversation, PastTurn, SystemOutput, UserTurn
from vivavoce.connectors.factory import make_connector
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
    with pytest.raises(InputError, match="'stream' is set by the connector"):
        make_connector(raw, {})


def test_the_tools_that_a_model_called_are_told_whole(faulty: str) -> None:
    outputs = talk(f"{faulty}/tools")
    assert outputs[-1].raw["tool_calls"] == [{"id": "c1", "name": "book", "arguments": '{"at": 7}'}]
    assert [one.text for one in outputs if one.kind == "message"] == ["Booked."]
