"""What is read out of answers of assistants: A2A agents, Dialogflow; and what a script answers."""

import asyncio
from contextlib import nullcontext
from typing import Any

import pytest

from vivavoce.connectors import a2a, rasa_messages, sse
from vivavoce.connectors.base import Act, Choice, Conversation, PastTurn, SystemOutput, Understood, UserTurn
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.secrets import Vault
from vivavoce.core.errors import SystemUnderTestError
from vivavoce_platforms import dialogflow, directline, lex

PICTURE = "https://example.org/a.png"


def task(state: str, *texts: str, said: str | None = None, **facts: Any) -> dict[str, Any]:
    message = {"message": {"parts": [{"text": said}]}} if said is not None else {}
    parts = [{"parts": [{"text": text}]} for text in texts]
    return {"task": {"status": {"state": f"TASK_STATE_{state}", **message}, "artifacts": parts, **facts}}


@pytest.mark.parametrize(
    ("result", "texts", "images"),
    [
        ({"message": {"parts": [{"text": "hello"}, {"text": "  "}]}}, ["hello"], ()),
        (
            {
                "message": {
                    "parts": [{"text": "one"}, {"text": "two"}, {"url": PICTURE, "mediaType": "image/png"}]
                }
            },
            ["one", "two"],
            (PICTURE,),
        ),
        (
            {"message": {"parts": [{"url": PICTURE, "mediaType": "image/png"}, {"mediaType": "image/png"}]}},
            [""],
            (PICTURE,),
        ),
        ({"message": {"parts": [{"text": "see"}, {"url": "a.pdf", "mediaType": "text/pdf"}]}}, ["see"], ()),
        (task("COMPLETED", "made", "more", said="done"), ["made", "more", "done"], ()),
    ],
)
def test_an_agents_texts_come_one_by_one_and_pictures_with_the_last(
    result: dict[str, Any], texts: list[str], images: tuple[str, ...]
) -> None:
    *messages, extras = a2a._read(result, Conversation("c"))
    assert [one.text for one in messages] == texts and messages[-1].images == images
    assert extras == SystemOutput(kind="extras", raw=result)


@pytest.mark.parametrize(
    ("result", "problem"),
    [
        ({}, "neither a task nor a message"),
        ({"message": {"parts": []}}, "no text|not text"),
        ({"message": {"parts": [{"url": "https://e.org/a.pdf"}]}}, "no text|not text"),
        (task("FAILED", "half", said="out of memory"), "ended as TASK_STATE_FAILED: out of memory"),
        (task("REJECTED"), "ended as TASK_STATE_REJECTED$"),
        (task("WORKING"), "no text|not text"),
    ],
)
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
    for strange in ("", 3, None):
        a2a._read(task("INPUT_REQUIRED", said="which?", contextId=strange, id=strange), conversation)
        assert conversation.state == {"contextId": "y"}


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ([], "not a mapping"),
        ({"error": {"message": "busy"}}, "the agent reports: busy"),
        ({"error": "busy"}, "the agent reports: busy"),
        ({"result": []}, "no result"),
    ],
)
def test_an_agents_errors_are_told(answer: Any, problem: str) -> None:
    with pytest.raises(SystemUnderTestError, match=problem):
        a2a._result(answer)
    assert a2a._result({"result": {"message": {}}}) == {"message": {}}


JSONRPC = {"protocolBinding": "JSONRPC"}


@pytest.mark.parametrize(
    ("offered", "address"),
    [
        (
            [
                {"protocolBinding": "GRPC", "url": "/grpc"},
                "no",
                JSONRPC | {"url": "/rpc"},
            ],
            "rpc",
        ),
        ([JSONRPC | {"url": "https://b.example/a"}], None),
        (["JSONRPC"], ""),
        ([{"protocolBinding": "GRPC"}], ""),
        (None, ""),
    ],
)
def test_an_agent_is_asked_where_its_card_says(offered: Any, address: str | None) -> None:
    async def card(*_: Any, **__: Any) -> Any:
        return {"supportedInterfaces": offered}

    async def run() -> str:
        inner: Any = make_connector({"connect": "a2a", "url": "https://a.example/x/"}, {}).inner
        inner._asking.ask = card
        return await inner._find()

    if address == "":
        with pytest.raises(SystemUnderTestError, match="names no interface with JSONRPC"):
            asyncio.run(run())
    else:
        assert asyncio.run(run()) == (f"https://a.example/{address}" if address else "https://b.example/a")


BYE = {"intent": {"displayName": "bye"}}
FOUND = {"intent": {"displayName": "find"}, "parameters": {"food": "thai", "area": ""}, "confidence": 1}


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"match": FOUND}, (Understood((Act("find", "food", "thai", "="),), 1.0),)),
        (BYE | {"intentDetectionConfidence": 0.25}, (Understood((Act("bye"),), 0.25),)),
        (BYE | {"intentDetectionConfidence": True}, (Understood((Act("bye"),), None),)),
        (BYE | {"intentDetectionConfidence": "high"}, (Understood((Act("bye"),), None),)),
        ({"intent": {"displayName": 3}}, ()),
        ({"intent": "bye"}, ()),
        ({}, ()),
    ],
)
def test_an_intent_with_its_parameters_is_what_was_understood(result: dict[str, Any], expected: Any) -> None:
    assert dialogflow._understood(result) == expected


@pytest.mark.parametrize(
    ("result", "ends"),
    [
        ({}, False),
        ({"diagnosticInfo": {"end_conversation": True}}, True),
        ({"diagnosticInfo": {"end_conversation": "yes"}}, False),
        ({"intent": {"endInteraction": True}}, True),
        ({"intent": {"endInteraction": False}}, False),
        ({"responseMessages": [{"endInteraction": {}}, {"text": {"text": ["bye"]}}]}, True),
    ],
)
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
    replies = [
        {"match": "^food", "say": ["You said {text}", "first {first}"], "choices": ["yes"]},
        {"match": "bye", "say": "Bye", "end": True},
    ]
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


CARD = {"title": "Siam", "subtitle": "Thai", "imageUri": PICTURE, "buttons": [{"text": "Call"}, "no"]}
CHIPS = {
    "richContent": [
        [
            {"type": "chips", "options": [{"text": "Yes"}, "no"]},
            {"type": "list", "options": [{"text": "No"}]},
            "no",
        ],
        "no",
    ]
}


@pytest.mark.parametrize(
    ("message", "texts", "choices", "images"),
    [
        ({"text": {"text": ["one", "", "two"]}}, ["one", "two"], [], ()),
        (
            {"text": {"text": ["which?"]}, "quickReplies": {"quickReplies": ["a", "", 3, "b"]}},
            ["which?"],
            ["a", "b"],
            (),
        ),
        ({"card": CARD}, ["Siam\nThai"], ["Call"], (PICTURE,)),
        ({"card": {"title": "", "subtitle": "Thai"}}, ["Thai"], [], ()),
        ({"card": {"title": 3}, "text": {"text": ["x"]}}, ["x"], [], ()),
        ({"card": "no", "image": {"imageUri": PICTURE}}, [""], [], (PICTURE,)),
        ({"image": {"imageUri": ""}, "text": {"text": ["x"]}}, ["x"], [], ()),
        ({"payload": CHIPS}, [""], ["Yes"], ()),
    ],
)
def test_what_dialogflow_shows_beside_texts_is_shown(
    message: dict[str, Any], texts: list[str], choices: list[str], images: tuple[str, ...]
) -> None:
    *shown, extras = dialogflow._read({"fulfillmentMessages": [message]})
    assert extras.kind == "extras"
    assert [one.text for one in shown] == texts
    assert (shown[-1].choices, shown[-1].images) == (tuple(Choice(one, one) for one in choices), images)


@pytest.mark.parametrize("messages", ["text", {"text": "x"}, [{"text": {}}, "text"]])
def test_messages_of_dialogflow_that_are_none_are_a_bad_answer(messages: Any) -> None:
    with pytest.raises(SystemUnderTestError, match="not a mapping"):
        dialogflow._read({"responseMessages": messages})


def test_a_text_of_dialogflow_stands_in_only_where_no_message_has_one() -> None:
    told = {"fulfillmentText": "in short"}
    for messages, texts in (([{"text": {"text": ["whole"]}}], ["whole"]), ([{"payload": {}}], ["in short"])):
        outputs = dialogflow._read(told | {"fulfillmentMessages": messages})
        assert [one.text for one in outputs if one.kind == "message"] == texts
    assert [one.kind for one in dialogflow._read({"fulfillmentText": 3})] == ["extras"]


@pytest.mark.parametrize(
    ("answer", "ends"),
    [
        ({"dialogAction": {"type": "Close"}, "intent": {"state": "Fulfilled"}}, True),
        ({"dialogAction": {"type": "Close"}, "intent": {"state": "Failed"}}, True),
        ({"dialogAction": {"type": "Close"}, "intent": {"state": "InProgress"}}, False),
        ({"dialogAction": {"type": "ElicitSlot"}, "intent": {"state": "Fulfilled"}}, False),
        ({"intent": {"state": "Fulfilled"}}, False),
        ({"dialogAction": {"type": "Close"}}, False),
        ({}, False),
        (None, False),
    ],
)
def test_lex_ends_a_dialogue_when_its_intent_is_closed(answer: Any, ends: bool) -> None:
    outputs = lex._read({"sessionState": answer, "messages": [{"content": "bye"}]})
    assert [one.kind for one in outputs] == ["message", "extras", *(["end"] if ends else [])]


def test_what_lex_shows_and_understood_is_read_and_an_answer_of_something_else_is_bad() -> None:
    buttons = [{"text": "Yes", "value": "y"}]
    card = {"title": "Siam", "subtitle": "", "imageUrl": PICTURE, "buttons": buttons}
    filled = {"food": {"value": {"interpretedValue": "thai"}}, "area": None}
    found = {"intent": {"name": "find", "slots": filled}, "nluConfidence": {"score": 0.5}}
    read = lex._read(
        {
            "messages": [
                {"imageResponseCard": card},
                {"content": None},
                {"imageResponseCard": {"title": "Bare"}},
            ],
            "interpretations": [found, {"intent": {"name": "bye"}}, {"interpretationSource": "Lex"}],
        }
    )
    assert read[:3] == [
        SystemOutput(kind="message", text="Siam", choices=(Choice("Yes", "y"),), images=(PICTURE,)),
        SystemOutput(kind="message", text=""),
        SystemOutput(kind="message", text="Bare"),
    ]
    assert read[3].understood == (
        Understood((Act("find", "food", "thai", "="),), 0.5),
        Understood((Act("bye"),), None),
    )
    assert [one.kind for one in lex._read({"messages": []})] == ["extras"]
    with pytest.raises(SystemUnderTestError, match="neither messages nor"):
        lex._read({"message": "hello"})


SAYS = {"type": "imBack", "title": "Yes", "value": "y"}


@pytest.mark.parametrize(
    ("activity", "text", "choices", "images"),
    [
        ({"text": "hi"}, "hi", [], ()),
        ({"text": "which?", "suggestedActions": {"actions": [SAYS, "no"]}}, "which?", [("Yes", "y")], ()),
        ({"suggestedActions": {"actions": [{"title": "Yes"}]}}, "", [("Yes", "Yes")], ()),
        (
            {"suggestedActions": {"actions": [{**SAYS, "type": "messageBack", "text": "I say yes"}]}},
            "",
            [("Yes", "I say yes")],
            (),
        ),
        ({"suggestedActions": {"actions": [{**SAYS, "title": ""}]}}, "", [("y", "y")], ()),
        ({"text": "see", "suggestedActions": {"actions": [{"type": "imBack"}]}}, "see", [], ()),
        (
            {"suggestedActions": {"actions": [{"type": "openUrl", "title": "Map", "value": "https://m"}]}},
            "Map https://m",
            [],
            (),
        ),
        (
            {"text": "x", "suggestedActions": {"actions": [{"type": "openUrl", "title": "Map", "value": 3}]}},
            "x",
            [],
            (),
        ),
        ({"attachments": [{"contentType": "image/png", "contentUrl": PICTURE}]}, "", [], (PICTURE,)),
        (
            {
                "text": "hi",
                "attachments": [
                    {
                        "contentType": "x",
                        "content": {
                            "title": "Siam",
                            "text": "Thai",
                            "subtitle": 3,
                            "images": [{"url": PICTURE}, {}],
                            "buttons": [SAYS],
                        },
                    }
                ],
            },
            "hi\nSiam\nThai",
            [("Yes", "y")],
            (PICTURE,),
        ),
        ({"text": "x", "attachments": [{"contentType": "audio/wav", "contentUrl": "a.wav"}]}, "x", [], ()),
        ({"text": "x", "suggestedActions": "no", "attachments": "no"}, "x", [], ()),
    ],
)
def test_an_activity_of_direct_line_is_read_as_its_clients_show_it(
    activity: dict[str, Any], text: str, choices: list[tuple[str, str]], images: tuple[str, ...]
) -> None:
    message, extras = directline._read(activity)
    assert (message.kind, message.text, message.images) == ("message", text, images)
    assert [(one.title, one.payload) for one in message.choices] == choices
    assert extras.raw == activity


def test_an_activity_that_shows_nothing_is_no_message_and_one_of_numbers_is_bad() -> None:
    assert [one.kind for one in directline._read({"type": "message", "text": ""})] == ["extras"]
    with pytest.raises(SystemUnderTestError, match=r"no text|not text"):
        directline._read({"text": 3})


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ({"text": "hi"}, [("hi", [], ())]),
        (
            {"text": "which?", "buttons": [{"title": "Yes", "payload": "/y"}]},
            [("which?", [("Yes", "/y")], ())],
        ),
        ({"buttons": [{"title": "Yes", "payload": "/y"}]}, [("", [("Yes", "/y")], ())]),
        ({"quick_replies": [{"title": "No", "payload": "/n"}]}, [("", [("No", "/n")], ())]),
        ({"image": PICTURE}, [("", [], (PICTURE,))]),
        ({"attachment": {"type": "image", "payload": {"src": PICTURE}}}, [("", [], (PICTURE,))]),
        ({"attachment": {"type": "image", "payload": {"src": 3}}}, []),
        ({"attachment": {"type": "video", "payload": {"src": "v.mp4"}}}, []),
        ({"attachment": "a.png"}, []),
        (
            {
                "attachment": {
                    "type": "template",
                    "payload": {
                        "elements": {
                            "title": "Siam",
                            "subtitle": "Thai",
                            "image_url": PICTURE,
                            "buttons": [
                                {"title": "Yes", "payload": "/y"},
                                {"title": "Map", "url": "https://m"},
                                "no",
                            ],
                        }
                    },
                }
            },
            [("Siam\nThai", [("Yes", "/y")], (PICTURE,))],
        ),
        (
            {
                "text": "two",
                "attachment": {"type": "template", "payload": {"elements": [{"title": "a"}, "no"]}},
            },
            [("two", [], ()), ("a", [], ())],
        ),
        ({"custom": {"a": 1}}, []),
    ],
)
def test_a_message_of_rasa_is_read_with_its_buttons_pictures_and_cards(
    message: dict[str, Any], shown: list[Any]
) -> None:
    *messages, extras = rasa_messages.read_message(message)
    found = [(one.text, [(c.title, c.payload) for c in one.choices], one.images) for one in messages]
    assert found == shown and extras.raw == message
    with pytest.raises(SystemUnderTestError, match="not a mapping"):
        rasa_messages.read_message("hi")


@pytest.mark.parametrize(
    ("start", "messages", "left"),
    [
        ("/session_start", ["a", "b", "a", "b"], ["a", "b"]),
        (" /session_start ", ["a", "a"], ["a"]),
        ("/session_start", ["a", "b"], ["a", "b"]),
        ("/session_start", ["a", "b", "a"], ["a", "b", "a"]),
        ("/greet", ["a", "a"], ["a", "a"]),
    ],
)
def test_a_greeting_that_rasa_gives_twice_is_said_once(
    start: str, messages: list[str], left: list[str]
) -> None:
    assert rasa_messages.greeting_once(messages, start) == left


@pytest.mark.parametrize(
    ("event", "answer", "said"),
    [
        ("error", {"error": {"message": "busy"}}, "busy"),
        ("error", {"error": "busy"}, "busy"),
        ("message", {"type": "error", "message": "busy"}, "busy"),
        ("message", {"type": "ERROR", "errorText": "busy", "message": "no"}, "busy"),
        ("message", {"event": "run_error", "message": "busy"}, "busy"),
        ("message", {"type": "response.failed", "response": {"error": {"message": "busy"}}}, "busy"),
        ("message", {"error": {"message": "busy"}}, "busy"),
        ("error", ["busy"], r"\['busy'\]"),
        ("error", {"code": 5}, r"\{'code': 5\}"),
        ("message", {"error": {"message": "busy"}, "id": 1}, None),
        ("message", {"error": None}, None),
        ("message", {"type": 3, "message": "hi"}, None),
        ("message", ["error"], None),
    ],
)
def test_an_event_that_tells_of_an_error_is_one_and_another_is_not(
    event: str, answer: Any, said: str
) -> None:
    if said is None:
        sse._check_error(event, answer)
    else:
        with pytest.raises(SystemUnderTestError, match=f"the server reports: {said}$"):
            sse._check_error(event, answer)


@pytest.mark.parametrize(
    ("result", "tools"),
    [
        (task("COMPLETED", said="done", tool_calls=[{"name": "find"}]), ["find"]),
        ({"message": {"parts": [{"text": "done"}], "tool_calls": [{"name": "book"}]}}, ["book"]),
        (task("COMPLETED", said="done"), None),
    ],
)
def test_what_an_agent_did_is_read_in_its_task_or_its_message(
    result: dict[str, Any], tools: list[str] | None
) -> None:
    async def answered(*_: Any, **__: Any) -> Any:
        return {"result": result}

    async def run() -> list[SystemOutput]:
        inner: Any = make_connector({"connect": "a2a", "url": "https://a.example"}, {}).inner
        inner._asking.ask, inner._address = answered, "https://a.example/rpc"
        turn = UserTurn(key="k", number=1, text="hello")
        return [one async for one in inner.send(Conversation("c"), turn)]

    *_, facts = asyncio.run(run())
    assert (None if facts.tools is None else [one.name for one in facts.tools]) == tools


def test_an_agents_calls_are_told_only_where_they_are_marked_as_such() -> None:
    def parts(*marks: Any) -> list[dict[str, Any]]:
        return [{"parts": [{"data": {"id": "c", "name": "find"}, "metadata": mark} for mark in marks]}]

    told = {
        "task": {"history": parts({"type": "function_call"}), "artifacts": parts({"adk_type": "other"}, "no")}
    }
    assert [one.name for one in a2a._told(told)["tools"]] == ["find"]
    (message,) = parts({"adk_type": "function_response"})
    assert [one.name for one in a2a._told({"message": message})["tools"]] == ["find"]
    assert (
        a2a._told({"task": {"history": [{"parts": [{"data": "x", "metadata": {"type": "function_call"}}]}]}})
        == {}
    )
    assert a2a._told({"task": "none", "message": "none"}) == {}


@pytest.mark.parametrize(("headers", "refused"), [({"Authorization": "Bearer x"}, True), ({}, False)])
def test_headers_stay_at_the_origin_of_the_study_file(headers: dict[str, str], refused: bool) -> None:
    settings = a2a.A2ASettings.model_validate(
        {"connect": "a2a", "url": "https://agent.example/a", "headers": headers}
    )
    connector = a2a.A2AConnector(settings, Vault({}, {}))
    connector._check_origin("https://agent.example/rpc")
    with pytest.raises(SystemUnderTestError, match=r"other\.example") if refused else nullcontext():
        connector._check_origin("https://other.example/rpc")
