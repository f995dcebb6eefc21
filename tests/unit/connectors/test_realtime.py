"""OpenAI Realtime: text and speech both ways, what was heard, tools, failures, a socket that was lost."""

import base64
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from scenes.connecting import talked
from scenes.counterparts import Counterparts
from vivavoce.connectors.base import (
    Audio,
    Conversation,
    Frames,
    Heard,
    PastTurn,
    SystemOutput,
    UserTurn,
    heard_on_the_wire,
)
from vivavoce.connectors.realtime import _WRITING_DOWN_S
from vivavoce.connectors.realtime_events import RealtimeAnswer, without_audio
from vivavoce.core.errors import InputError, SystemUnderTestError

A_SECOND_AND_A_HALF = Audio(b"\x00\x01" * 36_000, 24_000)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    counterparts = Counterparts()
    yield f"ws://{counterparts.server('realtime_server.py')}/v1/realtime"
    counterparts.stop()


async def taken(outputs: AsyncIterator[SystemOutput]) -> list[SystemOutput]:
    return [one async for one in outputs]


def within(url: str, talk: Callable[[Any], Any], **settings: Any) -> Any:
    raw = {"connect": "openai-realtime", "url": url, "allow_private": True, "model": "m", **settings}
    return talked(raw, talk, {"KEY": "sk-hidden"})


def messages(outputs: list[SystemOutput]) -> list[str]:
    return [one.text for one in outputs if one.kind == "message"]


def test_speech_goes_in_and_comes_out_with_its_words(url: str) -> None:
    lasted: list[float] = []

    async def talk(connector: Any) -> list[SystemOutput]:
        turn, begun_s = UserTurn(key="k", number=1, text="", audio=A_SECOND_AND_A_HALF), time.monotonic()
        outputs = await taken(connector.send(Conversation("spoken"), turn))
        lasted.append(time.monotonic() - begun_s)
        return outputs

    outputs = within(url, talk, speech=True, voice="marin", transcribe="unhurried")
    assert messages(outputs) == ["first was 36000 samples"]
    assert "".join(one.text for one in outputs if one.kind == "delta") == "first was 36000 samples"
    spoken = [one.audio for one in outputs if one.kind == "audio"]
    assert spoken == [Audio(b"\x01\x02" * 2400, 24_000)] * 2
    assert outputs[-1].raw["heard"] == "36000 samples"
    assert 0.05 < outputs[-1].held_s < lasted[0], (
        "the wait for the transcript is no part of the answer's time"
    )


def test_what_the_server_heard_is_a_hypothesis(url: str) -> None:
    turn = UserTurn(key="k", number=1, text="", audio=A_SECOND_AND_A_HALF)
    outputs = within(
        url, lambda one: taken(one.send(Conversation("h"), turn)), speech=True, transcribe="whisper-1"
    )
    assert [one.heard for one in outputs if one.heard] == [(Heard("36000 samples"),)]


@pytest.mark.parametrize(("audio", "transcribe"), [(A_SECOND_AND_A_HALF, None), (None, "unhurried")])
def test_nobody_waits_for_a_transcript_of_what_was_typed_or_where_none_is_made(
    url: str, audio: Audio | None, transcribe: str | None
) -> None:
    turn = UserTurn(key="k", number=1, text="hello", audio=audio)
    made = {"speech": True} if transcribe is None else {"speech": True, "transcribe": transcribe}
    outputs = within(url, lambda one: taken(one.send(Conversation("t"), turn)), **made)
    assert messages(outputs) and not any(one.heard for one in outputs)
    assert outputs[-1].held_s < _WRITING_DOWN_S


@pytest.mark.parametrize(
    ("settings", "listens"),
    [
        ({}, False),
        ({"speech": True}, True),
        ({"speech": True, "listens": False}, False),
        ({"listens": True}, True),
    ],
)
def test_it_hears_people_by_itself_where_it_speaks_unless_it_is_told_otherwise(
    url: str, settings: dict[str, Any], listens: bool
) -> None:
    async def talk(connector: Any) -> Any:
        return connector.capabilities

    found = within(url, talk, **settings)
    assert (found.audio, found.audio_rate_hz) == (listens, 24_000)


def test_who_speaks_into_an_answer_ends_it_and_the_model_forgets_what_was_not_heard(url: str) -> None:
    async def talk(connector: Any) -> list[list[SystemOutput]]:
        conversation, first = Conversation("cut"), list[SystemOutput]()
        async for output in connector.send(conversation, UserTurn(key="1", number=1, text="talk")):
            first.append(output)
            if len([one for one in first if one.kind == "audio"]) == 3:
                await connector.interrupt(conversation, 0.25)
        second = await taken(connector.send(conversation, UserTurn(key="2", number=2, text="and now")))
        return [first, second]

    first, second = within(url, talk, speech=True, model="long")
    assert first[-1].raw["status"] == "cancelled"
    assert messages(first) == ["la " * (len(messages(first)[0]) // 3)]
    assert messages(second) == ["forgot after 250 ms"]


def test_speaking_into_an_answer_that_was_complete_truncates_it_and_breaks_nothing(url: str) -> None:
    async def talk(connector: Any) -> list[SystemOutput]:
        conversation = Conversation("late")
        await connector.interrupt(conversation, 1.0)  # nothing was said yet
        await taken(connector.send(conversation, UserTurn(key="1", number=1, text="one")))
        await connector.interrupt(conversation, 99.0)  # it ends after 0.2 s
        return await taken(connector.send(conversation, UserTurn(key="2", number=2, text="two")))

    wire: Frames = []
    with heard_on_the_wire(wire):
        assert messages(within(url, talk, speech=True)) == ["first was one"]
    sent = [json.loads(frame["body"]) for frame in wire if frame.get("sent") == "conversation.item.truncate"]
    assert [one["audio_end_ms"] for one in sent] == [200]
    assert "conversation.item.truncated" in [frame.get("received") for frame in wire]


def test_speech_at_another_rate_is_refused_before_anything_is_said(url: str) -> None:
    turn = UserTurn(key="k", number=1, text="", audio=Audio(b"\x00\x00", 8_000))
    with pytest.raises(SystemUnderTestError, match="8000 samples per second where 24000") as caught:
        within(url, lambda connector: taken(connector.send(Conversation("slow"), turn)))
    assert not caught.value.reached


def test_a_model_that_speaks_first_greets(url: str) -> None:
    outputs = within(url, lambda connector: taken(connector.open(Conversation("g"))), greets=True)
    assert messages(outputs) == ["Hello!"]


def test_a_new_socket_is_told_what_was_said_before(url: str) -> None:
    past = (PastTurn("user", "one"), PastTurn("system", "first was one"))

    async def talk(connector: Any) -> list[SystemOutput]:
        again = Conversation("again", history=past)
        assert await taken(connector.open(again)) == []
        return await taken(connector.send(again, UserTurn(key="k", number=2, text="two")))

    assert messages(within(url, talk, greets=True)) == ["first was one"]


def test_a_tool_that_the_model_calls_is_told_and_the_turn_is_silent(url: str) -> None:
    turn = UserTurn(key="k", number=1, text="book")
    outputs = within(url, lambda one: taken(one.send(Conversation("t"), turn)), model="tools")
    assert messages(outputs) == []
    assert outputs[-1].raw["tool_calls"] == [{"id": "c1", "name": "book", "arguments": '{"at": 7}'}]


def test_a_response_that_failed_is_a_bad_answer_with_its_reason(url: str) -> None:
    turn = UserTurn(key="k", number=1, text="x")
    with pytest.raises(SystemUnderTestError, match="ended as failed: overloaded"):
        within(url, lambda one: taken(one.send(Conversation("f"), turn)), model="fails")


def test_an_event_that_the_server_refuses_is_a_bad_answer(url: str) -> None:
    turn = UserTurn(key="k", number=1, text="", audio=Audio(b"", 24_000))
    with pytest.raises(SystemUnderTestError, match="the buffer is empty"):
        within(url, lambda one: taken(one.send(Conversation("e"), turn)))


def test_the_wire_holds_every_event_but_no_speech_and_no_key(url: str) -> None:
    wire: Frames = []

    async def talk(connector: Any) -> None:
        with heard_on_the_wire(wire):
            turn = UserTurn(key="k", number=1, text="", audio=A_SECOND_AND_A_HALF)
            await taken(connector.send(Conversation("wire"), turn))

    within(url, talk, speech=True, key="${KEY}", system="Say ${KEY} in {{ language }}.")
    sent = [frame["sent"] for frame in wire if "sent" in frame]
    appended = ["input_audio_buffer.append"] * 2
    assert sent == ["session.update", *appended, "input_audio_buffer.commit", "response.create"]
    assert "response.done" in [frame.get("received") for frame in wire]
    assert max(len(frame["body"]) for frame in wire) < 1000
    assert "sk-hidden" not in str(wire) and "Say ${KEY} in en." in wire[0]["body"]


def test_what_the_connector_sets_cannot_be_set_twice(url: str) -> None:
    with pytest.raises(InputError, match=r"session\.audio is reserved"):
        within(url, lambda _: None, session={"audio": {}})


def speech(samples: bytes, item: str | None) -> dict[str, Any]:
    told = base64.b64encode(samples).decode()
    return {"type": "response.output_audio.delta", "delta": told, "item_id": item}


DONE = {"type": "response.done", "response": {"id": "r", "status": "completed"}}
WRITTEN = "conversation.item.input_audio_transcription.completed"


def given(*events: dict[str, Any]) -> list[tuple[str, str]]:
    answer = RealtimeAnswer()
    return [(one.kind, one.text) for event in events for one in answer.take(event)]


def item(kind: str = "message", **facts: Any) -> dict[str, Any]:
    return {"type": "response.output_item.done", "item": {"type": kind, **facts}}


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([{"type": "response.text.delta", "delta": "hi"}, DONE], [("delta", "hi"), ("message", "hi")]),
        (
            [{"type": "response.text.delta", "delta": "hi"}, item(), DONE],
            [("delta", "hi"), ("message", "hi")],
        ),
        (
            [{"type": "response.text.delta", "delta": 3}, item(content=[{"text": "hi"}]), DONE],
            [("message", "hi")],
        ),
        ([item(content=[{"text": "a"}, {"transcript": "b"}, {"text": 3}, "no"]), DONE], [("message", "ab")]),
        ([item(content="no"), item(content=[{"text": "a"}]), DONE], [("message", "a")]),
        ([item(content=[{"text": " "}]), item(content=[{"text": "a"}]), DONE], [("message", "a")]),
        (
            [{"type": "response.output_item.done", "item": "no"}, item(content=[{"text": "a"}])],
            [("message", "a")],
        ),
        ([speech(b"\0\0", "i"), DONE], [("audio", "")]),
        ([item("function_call", name="find"), DONE], []),
        ([{"type": "rate_limits.updated"}, {"type": WRITTEN, "transcript": " "}], []),
        ([{"type": "error", "error": {"event_id": "interrupting-cancel"}}], []),
    ],
)
def test_events_give_out_what_they_bring(
    events: list[dict[str, Any]], expected: list[tuple[str, str]]
) -> None:
    assert given(*events) == expected


@pytest.mark.parametrize(
    ("event", "problem"),
    [
        ({"type": "error", "error": {"message": "busy", "event_id": "e1"}}, "the server reports: busy"),
        ({"type": "error", "error": {"code": "limit"}}, "the server reports: limit"),
        ({"type": "error"}, "the server reports: no reason given"),
        ({"type": "response.done", "response": "no"}, "not a mapping"),
        ({"type": "response.done", "response": {}}, "the reply contains no text"),
        ({"type": "response.done", "response": {"status": "failed"}}, "the response ended as failed$"),
        ({"type": "response.done", "response": {"status": "cancelled"}}, "the response ended as cancelled$"),
        (
            {
                "type": "response.done",
                "response": {"status": "failed", "status_details": {"reason": "filter"}},
            },
            "the response ended as failed: filter",
        ),
        (
            {
                "type": "response.done",
                "response": {
                    "status": "failed",
                    "status_details": {"error": {"message": "busy"}, "reason": "no"},
                },
            },
            "the response ended as failed: busy",
        ),
        (speech(b"\0\0", "i") | {"delta": "§"}, "not base64"),
        (speech(b"\0\0", "i") | {"delta": None}, "not base64"),
    ],
)
def test_an_event_that_tells_of_a_failure_is_a_bad_answer(event: dict[str, Any], problem: str) -> None:
    with pytest.raises(SystemUnderTestError, match=problem):
        given(event)


@pytest.mark.parametrize(
    ("pieces", "score"),
    [
        (None, None),
        ([], None),
        ([{"logprob": 0.0}], 1.0),
        ([{"logprob": 0.5}], 1.0),
        ([{"logprob": -1.0}, {"logprob": -3.0}, {"token": "x"}, "no"], 0.1353352832),
        ([{"logprob": True}], None),
    ],
)
def test_what_was_heard_has_the_probability_of_a_piece_where_it_is_told(pieces: Any, score: Any) -> None:
    answer = RealtimeAnswer(awaiting=True)
    (output,) = answer.take({"type": WRITTEN, "transcript": " a pub ", "logprobs": pieces})
    (heard,) = output.heard
    assert heard.text == "a pub" and not answer.awaiting
    assert heard.score == (score if score is None else pytest.approx(score))


@pytest.mark.parametrize(
    ("played_s", "heard_ms"), [(0.0, 0), (0.0104, 10), (0.25, 250), (0.5, 500), (0.75, 500)]
)
def test_the_model_forgets_what_was_not_heard_of_the_last_thing_it_said(
    played_s: float, heard_ms: int
) -> None:
    """Half a second at 24,000 samples of two bytes, after an earlier item of another length."""
    answer = RealtimeAnswer()
    for event in (speech(b"\0" * 480, "first"), speech(b"\0" * 12_000, "i"), speech(b"\0" * 12_000, "i")):
        answer.take(event)
    cancel, truncate = answer.interruption(played_s)
    assert cancel["type"] == "response.cancel"
    assert (truncate["item_id"], truncate["audio_end_ms"]) == ("i", heard_ms)
    assert isinstance(truncate["audio_end_ms"], int), "the interface takes whole milliseconds"
    answer.take({"type": "response.done", "response": {"status": "cancelled"}})
    assert [one["type"] for one in answer.interruption(played_s)] == ["conversation.item.truncate"]


def test_an_interruption_before_anything_was_said_cancels_alone() -> None:
    answer = RealtimeAnswer()
    assert [one["type"] for one in answer.interruption(1.0)] == ["response.cancel"]
    assert answer.take({"type": "response.done", "response": {"status": "cancelled"}}) == []


def test_facts_are_those_that_were_told() -> None:
    answer = RealtimeAnswer()
    for event in (item("function_call", name="find", call_id="c"), DONE):
        answer.take(event)
    facts = answer.facts(0.5)
    assert facts.raw == {"id": "r", "status": "completed", "tool_calls": [{"id": "c", "name": "find"}]}
    assert facts.held_s == 0.5 and facts.tools is not None and facts.tools[0].name == "find"
    assert RealtimeAnswer().facts(0.0).raw == {}


@pytest.mark.parametrize(
    ("event", "cut"),
    [
        ({"type": "input_audio_buffer.append", "audio": "AAAA"}, True),
        ({"type": "response.audio.delta", "delta": "AAAA"}, True),
        ({"type": "response.text.delta", "delta": "AAAA"}, False),
        ({"type": "input_audio_buffer.append", "audio": None}, False),
    ],
)
def test_only_speech_is_left_out_of_what_is_written_down(event: dict[str, Any], cut: bool) -> None:
    assert ("4 characters of base64" in without_audio(event).values()) == cut
