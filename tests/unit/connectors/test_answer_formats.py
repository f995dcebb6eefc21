"""What is read out of answers of assistants: A2A agents, Dialogflow; and what a script answers."""

import asyncio
from typing import Any

import pytest

from vivavoce.connectors import a2a, dialogflow
from vivavoce.connectors.base import Act, Choice, Conversation, PastTurn, SystemOutput, Understood, UserTurn
from vivavoce.connectors.factory import make_connector
from vivavoce.core.errors import SystemUnderTestError

PICTURE = "https://example.org/a.png"


def task(state: str, *texts: str, said: str | None = None, **facts: Any) -> dict[str, Any]:
    message = {"message": {"parts": [{"text": said}]}} if said is not None else {}
    parts = [{"parts": [{"text": text}]} for text in texts]
    return {"task": {"status": {"state": f"TASK_STATE_{state}", **message}, "artifacts": parts, **facts}}


@pytest.mark.parametrize(("result", "texts", "images"), [
    ({"message": {"parts": [{"text": "hello"}, {"text": "  "}]}}, ["hello"], ()),
    ({"message": {"parts": [{"text": "one"}, {"text": "two"}, {"url": PICTURE, "mediaType": "image/png"}]}},
     ["one", "two"], (PICTURE,)),
    ({"message": {"parts": [{"url": PICTURE, "mediaType": "image/png"}, {"mediaType": "image/png"}]}}, [""],
     (PICTURE,)),
    ({"message": {"parts": [{"text": "see"}, {"url": "a.pdf", "mediaType": "text/pdf"}]}}, ["see"], ()),
    (task("COMPLETED", "made", "more", said="done"), ["made", "more", "done"], ()),
])  # fmt: skip
def test_an_agents_texts_come_one_by_one_and_pictures_with_the_last(
    result: dict[str, Any], texts: list[str], images: tuple[str, ...]
) -> None:
    *messages, extras = a2a._read(result, Conversation("c"))
    assert [one.text for one in messages] == texts and messages[-1].images == images
    assert extras == SystemOutput(kind="extras", raw=result)


@pytest.mark.parametrize(("result", "problem"), [
    ({}, "neither a task nor a message"), ({"message": {"parts": []}}, "no text"),
    ({"message": {"parts": [{"url": "https://e.org/a.pdf"}]}}, "no text"),
    (task("FAILED", "half", said="out of memory"), "ended as TASK_STATE_FAILED: out of memory"),
    (task("REJECTED"), "ended as TASK_STATE_REJECTED$"), (task("WORKING"), "no text"),
])  # fmt: skip
def test_an_agent_that_gives_no_answer_says_why(result: dict[str, Any], problem: str) -> None:
    with pytest.raises(SystemUnderTestError, match=problem):
        a2a._read(result, Conversation("c"))


def test_an_agent_that_waits_is_told_which_task_and_context_the_next_turn_is_of() -> None:
    conversation = Conversation("c")
    a2a._read(task("INPUT_REQUIRED", said="which?", contextId="x", id="t"), conversation)
    assert conversation.state == {"contextId": "x", "taskId": "t"}
    a2a._read(task("COMPLETED", said="done", contextId="", id="t"), conversation)
    assert conversation.state == {"contextId": "x"}
    a2a._read({"message": {"contextId": "y", "parts": [{"text": "so"}]}}, conversation)
    assert conversation.state == {"contextId": "y"}


@pytest.mark.parametrize(("answer", "problem"), [
    ([], "no mapping"), ({"error": {"message": "busy"}}, "the agent reports: busy"),
    ({"error": "busy"}, "the agent reports: busy"), ({"result": []}, "no result"),
])  # fmt: skip
def test_an_agents_errors_are_told(answer: Any, problem: str) -> None:
    with pytest.raises(SystemUnderTestError, match=problem):
        a2a._result(answer)
    assert a2a._result({"result": {"message": {}}}) == {"message": {}}


BYE = {"intent": {"displayName": "bye"}}
FOUND = {"intent": {"displayName": "find"}, "parameters": {"food": "thai", "area": ""}, "confidence": 1}


@pytest.mark.parametrize(("result", "expected"), [
    ({"match": FOUND}, (Understood((Act("find", "food", "thai", "="),), 1.0),)),
    (BYE | {"intentDetectionConfidence": 0.25}, (Understood((Act("bye"),), 0.25),)),
    (BYE | {"intentDetectionConfidence": True}, (Understood((Act("bye"),), None),)),
    (BYE | {"intentDetectionConfidence": "high"}, (Understood((Act("bye"),), None),)),
    ({"intent": {"displayName": 3}}, ()), ({"intent": "bye"}, ()), ({}, ()),
])  # fmt: skip
def test_an_intent_with_its_parameters_is_what_was_understood(result: dict[str, Any], expected: Any) -> None:
    assert dialogflow._understood(result) == expected


@pytest.mark.parametrize(("result", "ends"), [
    ({}, False), ({"diagnosticInfo": {"end_conversation": True}}, True),
    ({"diagnosticInfo": {"end_conversation": "yes"}}, False), ({"intent": {"endInteraction": True}}, True),
    ({"intent": {"endInteraction": False}}, False),
    ({"responseMessages": [{"endInteraction": {}}, {"text": {"text": ["bye"]}}]}, True),
])  # fmt: skip
def test_an_agent_ends_a_dialogue_by_message_or_mark(result: dict[str, Any], ends: bool) -> None:
    outputs = dialogflow._read({"fulfillmentText": "bye"} | result)
    assert any(one.kind == "end" for one in outputs) == ends


def test_messages_for_other_platforms_are_left_out_where_there_are_ours() -> None:
    telegram = {"platform": "TELEGRAM", "text": {"text": ["theirs"]}}
    ours = {"platform": "PLATFORM_UNSPECIFIED", "text": {"text": ["ours", ""]}}
    plain = {"text": {"text": ["plain"]}}
    for messages, told in (([telegram, ours, plain], ["ours", "plain"]), ([telegram], ["theirs"])):
        outputs = dialogflow._read({"fulfillmentMessages": messages})
        assert [one.text for one in outputs if one.kind == "message"] == told


def scripted(text: str, *earlier: str, **settings: Any) -> list[SystemOutput]:
    async def run() -> list[SystemOutput]:
        connector = make_connector({"connect": "scripted", **settings}, {})
        past = (*(PastTurn("user", one) for one in earlier), PastTurn("system", "so"))
        turn = UserTurn(key="k", number=1, text=text)
        return [one async for one in connector.send(Conversation("c", history=past), turn)]

    return asyncio.run(run())


def test_a_script_answers_the_first_pattern_with_choices_beside_the_last_message() -> None:
    replies = [{"match": "^food", "say": ["You said {text}", "first {first}"], "choices": ["yes"]},
               {"match": "bye", "say": "Bye", "end": True}]  # fmt: skip
    first, last = scripted("Food, bye", "hello", replies=replies)
    assert (first.text, first.choices) == ("You said Food, bye", ())
    assert (last.text, last.choices) == ("first hello", (Choice("yes", "yes"),))
    assert [one.kind for one in scripted("bye", replies=replies)] == ["message", "end"]
    assert scripted("none", replies=replies, otherwise="What?")[0].text == "What?"
    assert scripted("food", replies=replies)[1].text == "first food"


def test_a_script_in_turn_goes_by_how_often_the_user_spoke() -> None:
    replies = [{"say": "one"}, {"say": "two"}]
    told = [scripted("x", *["x"] * before, replies=replies, in_turn=True)[0].text for before in range(3)]
    assert told == ["one", "two", "I did not understand."]


@pytest.mark.parametrize(("kind", "reached"), [("unreachable", False), ("timeout", True)])
def test_a_script_may_fail(kind: str, reached: bool) -> None:
    with pytest.raises(SystemUnderTestError) as failed:
        scripted("x", replies=[{"fail": kind}])
    assert (failed.value.failure, failed.value.reached) == (kind, reached)
