"""Small logs of other tools, written after the published descriptions of their formats."""

import json
import sqlite3
from pathlib import Path
from typing import Any

MAPPING = """
rows: turn
columns: {dialogue: chat, speaker: who, text: said, time: at, participant: customer, ratings: [stars]}
fixed: {system: helpdesk, language: en}
parties: {customer: user, bot: system, supervisor: null}
"""
TABLE = """chat,who,said,at,customer,stars
7,customer,Hello,2026-03-01T10:00:00Z,anna,4
7,bot,Which month?,2026-03-01T10:00:03Z,anna,4
7,customer,May,2026-03-01T10:00:20Z,anna,4
7,supervisor,noted,2026-03-01T10:00:21Z,anna,4
8,customer,Bye,2026-03-01T11:00:00Z,bob,
8,bot,Bye!,2026-03-01T11:00:02Z,bob,
"""


def call(name: str, key: str, **arguments: Any) -> dict[str, Any]:
    return {"id": key, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def user(text: Any) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: Any, *calls: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **({"tool_calls": list(calls)} if calls else {})}


def tool(key: str, result: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": key, "content": result}


CHAT = {
    "model": "gpt-small",
    "messages": [
        {"role": "system", "content": "Be short."},
        user([{"type": "text", "text": "Is it open?"}, {"type": "image_url", "image_url": {"url": "u"}}]),
        assistant("I look.", call("hours", "c1", day="mo"), call("hours", "c2", day="mo")),
        tool("c1", "9-17"),
        tool("c2", "9-17"),
        assistant("From 9 to 17."),
        user("Thanks"),
    ],
    "usage": {"prompt_tokens": 50, "completion_tokens": 12, "prompt_tokens_details": {"cached_tokens": 20}},
}
CHATS = [CHAT, {"messages": [user("Hi"), assistant("Hello!")]}]


def tau_trial(task: int, trial: int, reward: float) -> dict[str, Any]:
    traj = [
        user("Cancel it"),
        assistant(None, call("cancel", "x", flight=task)),
        tool("x", "Error: no flight"),
        assistant("There is none."),
        user("Bye ###STOP###"),
    ]
    info = {"task": {"instruction": f"Cancel flight {task}."}, "user_cost": 0.1}
    return {"task_id": task, "trial": trial, "reward": reward, "traj": traj, "info": info}


TAU_BENCH = [tau_trial(task, trial, float((task + trial) % 2)) for task in range(2) for trial in range(2)]
TAU2 = {
    "info": {"agent_info": {"llm": "big-model"}},
    "tasks": [{"id": "t1", "user_scenario": {"instructions": {"reason_for_call": "no signal"}}}],
    "simulations": [
        {
            "id": "s1",
            "task_id": "t1",
            "trial": 0,
            "start_time": "2026-01-01T10:00:00",
            "termination_reason": "user_stop",
            "end_time": "2026-01-01T10:01:00",
            "reward_info": {"reward": 1.0},
            "messages": [
                {"role": "assistant", "content": "Hi", "timestamp": "2026-01-01T10:00:00"},
                {"role": "user", "content": "No signal", "timestamp": "2026-01-01T10:00:10"},
                {
                    "role": "assistant",
                    "content": None,
                    "timestamp": "2026-01-01T10:00:12",
                    "tool_calls": [
                        {"id": "k", "name": "check", "arguments": {"line": 3}, "requestor": "assistant"}
                    ],
                    "usage": {"prompt_tokens": 90, "completion_tokens": 10},
                },
                {
                    "role": "tool",
                    "id": "k",
                    "content": "down",
                    "error": True,
                    "requestor": "assistant",
                    "timestamp": "2026-01-01T10:00:13",
                },
                {"role": "assistant", "content": "It is down.", "timestamp": "2026-01-01T10:00:15"},
                {"role": "user", "content": "###STOP###", "timestamp": "2026-01-01T10:00:20"},
            ],
        }
    ],
}


def rasa_user(text: str, at: float, intent: str, *entities: tuple[str, str]) -> dict[str, Any]:
    ranking = [{"name": intent, "confidence": 0.8}, {"name": "other", "confidence": 0.1}]
    found = [{"entity": name, "value": value, "confidence_entity": 0.9} for name, value in entities]
    parsed = {"intent": ranking[0], "intent_ranking": ranking, "entities": found, "text": text}
    return {"event": "user", "text": text, "timestamp": at, "parse_data": parsed}


RASA_EVENTS = [
    {"event": "action", "name": "action_session_start", "timestamp": 1000.0},
    {"event": "session_started", "timestamp": 1000.1},
    rasa_user("cheap thai", 1001.0, "find", ("food", "thai")),
    {"event": "slot", "name": "food", "value": "thai", "timestamp": 1001.1},
    {"event": "bot", "text": "In which area?", "timestamp": 1002.0},
    {"event": "bot", "text": "North or south?", "timestamp": 1002.5},
    rasa_user("/restart", 1005.0, "restart"),
    {"event": "restart", "timestamp": 1005.1},
    rasa_user("hello", 1009.0, "greet"),
    {"event": "bot", "text": "Hi!", "timestamp": 1009.5},
    {"event": "bot", "text": None, "data": {"image": "i"}, "timestamp": 1009.6},
]
RASA = [{"sender_id": "+39 06 1234", "events": RASA_EVENTS}]
MULTIWOZ = {
    "SNG01.json": {
        "goal": {
            "restaurant": {
                "info": {"food": "thai", "area": "north"},
                "reqt": ["phone"],
                "book": {"day": "mo"},
            },
            "hotel": {},
            "message": ["You want <b>thai</b> food.", "Get the phone number."],
        },
        "log": [
            {
                "text": "Thai in the north",
                "metadata": {},
                "dialog_act": {"Restaurant-Inform": [["Food", "thai"], ["Area", "north"]]},
            },
            {
                "text": "Ruen, 123",
                "metadata": {"x": 1},
                "dialog_act": {
                    "Restaurant-Recommend": [["Name", "ruen"]],
                    "Restaurant-Inform": [["Phone", "123"], ["Food", "thai"], ["Area", "north"]],
                },
            },
            {"text": "Phone?", "metadata": {}, "dialog_act": {"Restaurant-Request": [["Phone", "?"]]}},
            {"text": "123", "metadata": {"x": 1}, "dialog_act": {"Restaurant-Inform": [["Phone", "123"]]}},
        ],
    },
    "MUL02.json": {
        "goal": {
            "restaurant": {"info": {"food": "thai"}},
            "hotel": {"info": {"stars": "4"}},
            "message": "Both.",
        },
        "log": [
            {"text": "A hotel", "metadata": {}, "dialog_act": {"Hotel-Inform": [["Stars", "4"]]}},
            {"text": "None", "metadata": {"x": 1}, "dialog_act": {"Hotel-NoOffer": [["none", "none"]]}},
        ],
    },
}


def unified(intent: str, slot: str, value: str | None = None) -> dict[str, Any]:
    return {"intent": intent, "domain": "restaurant", "slot": slot} | (
        {} if value is None else {"value": value}
    )


CONVLAB = [
    {
        "dataset": "toy",
        "data_split": "test",
        "dialogue_id": "toy-test-0",
        "original_id": "x",
        "domains": ["restaurant"],
        "goal": {
            "description": "Thai.",
            "inform": {"restaurant": {"food": "thai"}},
            "request": {"restaurant": {"phone": ""}},
        },
        "turns": [
            {
                "speaker": "user",
                "utt_idx": 0,
                "utterance": "Thai, and the phone?",
                "dialogue_acts": {
                    "categorical": [unified("inform", "food", "thai")],
                    "non-categorical": [],
                    "binary": [unified("request", "phone")],
                },
            },
            {
                "speaker": "system",
                "utt_idx": 1,
                "utterance": "Ruen, 123",
                "dialogue_acts": {
                    "categorical": [],
                    "binary": [],
                    "non-categorical": [
                        unified("recommend", "name", "ruen"),
                        unified("inform", "phone", "123"),
                        unified("inform", "food", "thai"),
                    ],
                },
            },
        ],
    }
]


def frame(*actions: tuple[str, str, list[str]], **more: Any) -> dict[str, Any]:
    told = [{"act": act, "slot": slot, "values": values} for act, slot, values in actions]
    return {"service": "Restaurants_1", "actions": told, "slots": [], **more}


SGD = [
    {
        "dialogue_id": "1_00000",
        "services": ["Restaurants_1"],
        "turns": [
            {
                "speaker": "USER",
                "utterance": "Thai please",
                "frames": [frame(("INFORM", "cuisine", ["thai"]))],
            },
            {
                "speaker": "SYSTEM",
                "utterance": "How about Ruen?",
                "frames": [
                    frame(
                        ("OFFER", "restaurant_name", ["Ruen"]),
                        ("INFORM", "cuisine", ["thai"]),
                        service_call={"method": "FindRestaurants", "parameters": {"cuisine": "thai"}},
                        service_results=[
                            {"restaurant_name": "Ruen", "cuisine": "thai", "phone_number": "123"}
                        ],
                    )
                ],
            },
            {"speaker": "USER", "utterance": "Bye", "frames": [frame(("GOODBYE", "", []))]},
        ],
    }
]
UTTERANCES = [
    {
        "id": "u0",
        "conversation_id": "u0",
        "reply_to": None,
        "speaker": "ann",
        "timestamp": 10,
        "text": "Hi",
        "meta": {},
    },
    {
        "id": "u1",
        "conversation_id": "u0",
        "reply_to": "u0",
        "speaker": "bob",
        "timestamp": 12,
        "text": "Hello",
        "meta": {"politeness": 0.4},
    },
    {
        "id": "u2",
        "conversation_id": "u2",
        "reply_to": None,
        "speaker": "bob",
        "timestamp": None,
        "text": "You there?",
        "meta": {},
    },
]
BATTLES = [
    {
        "question_id": "q1",
        "model_a": "m1",
        "model_b": "m2",
        "winner": "model_b",
        "judge": "person_1",
        "turn": 1,
        "language": "English",
        "tstamp": 1682351591.1,
        "conversation_a": [user("2+2?"), assistant("5")],
        "conversation_b": [user("2+2?"), assistant("4")],
    },
    {
        "question_id": "q2",
        "model_a": "m2",
        "model_b": "m1",
        "winner": "tie (bothbad)",
        "judge": "person_1",
        "turn": 1,
        "language": "unknown",
        "tstamp": 1682351691.1,
        "conversation_a": [user("Hi"), assistant("No")],
        "conversation_b": [user("Hi"), assistant("Never")],
    },
]


def value_of(value: Any) -> dict[str, Any]:
    kind = "boolValue" if isinstance(value, bool) else "intValue" if isinstance(value, int) else "stringValue"
    return {kind: str(value) if kind == "intValue" else value}


def span(key: str, second: float, told: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A span of one second in a trace of its own name."""
    attributes = [{"key": f"gen_ai.{name}", "value": value_of(value)} for name, value in told.items()]
    nano = int(1_700_000_000e9 + second * 1e9)
    return {
        "traceId": "t1",
        "spanId": key,
        "name": key,
        "startTimeUnixNano": str(nano),
        "endTimeUnixNano": str(nano + 10**9),
        "attributes": attributes,
        **more,
    }


def said(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "content": words}


ASKED = said("user", text("Weather?"))
CALLED = said(
    "assistant", {"type": "tool_call", "id": "w1", "name": "weather", "arguments": {"city": "Rome"}}
)
GAVE = said("tool", {"type": "tool_call_response", "id": "w1", "response": "rain"})
SPANS = [
    span(
        "a",
        0,
        {
            "operation.name": "chat",
            "request.model": "m",
            "usage.input_tokens": 10,
            "usage.output_tokens": 5,
            "input.messages": json.dumps([ASKED]),
            "output.messages": json.dumps([CALLED]),
        },
    ),
    span("b", 1.5, {"operation.name": "execute_tool", "tool.name": "weather", "tool.call.id": "w1"}),
    span(
        "c",
        3,
        {
            "operation.name": "chat",
            "request.model": "m",
            "usage.input_tokens": 20,
            "usage.output_tokens": 7,
            "input.messages": json.dumps([ASKED, CALLED, GAVE]),
            "output.messages": json.dumps([said("assistant", text("It rains."))]),
        },
    ),
    {
        **span("d", 9, {"operation.name": "chat", "request.model": "m"}),
        "traceId": "t2",
        "events": [
            {"name": "gen_ai.user.message", "attributes": [{"key": "content", "value": value_of("Hi")}]},
            {
                "name": "gen_ai.choice",
                "attributes": [
                    {
                        "key": "message",
                        "value": value_of(json.dumps({"role": "assistant", "content": "Hello"})),
                    }
                ],
            },
        ],
    },
]
OTEL = {
    "resourceSpans": [
        {
            "resource": {"attributes": [{"key": "service.name", "value": value_of("desk")}]},
            "scopeSpans": [{"spans": SPANS}],
        }
    ]
}


def written(folder: Path, name: str, content: Any) -> Path:
    """A file of JSON, or of JSON Lines where its name says so."""
    lines = content if name.endswith(".jsonl") else [content]
    text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
    (folder / name).write_text(text + "\n", encoding="utf-8")
    return folder / name


def tracker_store(path: Path, events: list[Any] = RASA_EVENTS) -> Path:
    connection = sqlite3.connect(path)
    connection.execute(
        "CREATE TABLE events (id INTEGER PRIMARY KEY, sender_id TEXT, type_name TEXT,"
        " timestamp REAL, intent_name TEXT, action_name TEXT, data TEXT)"
    )
    for event in events:
        row = ("+39 06 1234", event["event"], event.get("timestamp"), json.dumps(event))
        connection.execute(
            "INSERT INTO events (sender_id, type_name, timestamp, data) VALUES (?, ?, ?, ?)", row
        )
    connection.commit()
    connection.close()
    return path


def corpus(folder: Path) -> Path:
    """A ConvoKit corpus."""
    written(folder, "utterances.jsonl", UTTERANCES)
    written(folder, "speakers.json", {"ann": {"meta": {"age": 3}, "vectors": []}, "bob": {"meta": {}}})
    written(folder, "conversations.json", {"u0": {"meta": {"topic": "greeting"}, "vectors": []}})
    written(folder, "corpus.json", {})
    return folder


def table(folder: Path) -> Path:
    (folder / "chats.csv").write_text(TABLE, encoding="utf-8")
    (folder / "mapping.yaml").write_text(MAPPING, encoding="utf-8")
    return folder / "chats.csv"


LANGSMITH_RUNS = Path(__file__).resolve().parents[2] / "fixtures" / "langsmith_runs.jsonl"
"""Runs as LangChain 1.8.3's own tracer wrote them of two invocations with one thread."""


def _observed(key: str, second: int, kind: str, given: Any, made: Any, **more: Any) -> dict[str, Any]:
    times = {
        f"{name}Time": f"2026-03-01T10:00:{at:02d}.000Z"
        for name, at in (("start", second), ("end", second + 1))
    }
    return {"id": key, "traceId": "t1", "type": kind, "input": given, "output": made, **times, **more}


LANGFUSE_ASKED = [{"role": "system", "content": "Be brief."}, user("Weather?")]
LANGFUSE_CALLED = {"role": "assistant", "content": None, "tool_calls": [call("weather", "c1", city="Rome")]}
LANGFUSE = [
    {
        "id": "t1",
        "timestamp": "2026-03-01T10:00:00.000Z",
        "name": "desk",
        "sessionId": "s1",
        "userId": "anna",
        "observations": [
            _observed("o0", 0, "SPAN", {"question": "Weather?"}, "It rains.", name="desk"),
            _observed(
                "o1",
                0,
                "GENERATION",
                LANGFUSE_ASKED,
                LANGFUSE_CALLED,
                parentObservationId="o0",
                model="gpt-4o",
                usageDetails={"input": 10, "output": 5, "total": 15},
            ),
            _observed(
                "o2",
                2,
                "TOOL",
                {"city": "Rome"},
                None,
                parentObservationId="o0",
                name="weather",
                level="ERROR",
                statusMessage="timed out",
            ),
            _observed(
                "o3",
                4,
                "GENERATION",
                [
                    *LANGFUSE_ASKED,
                    LANGFUSE_CALLED,
                    {"role": "tool", "content": "timed out", "tool_call_id": "c1"},
                ],
                {"role": "assistant", "content": "It rains."},
                parentObservationId="o0",
                model="gpt-4o",
                usageDetails={"input": 20, "output": 7},
            ),
        ],
    },
    {**_observed("o9", 9, "GENERATION", "Hi", "Hello", model="gpt-4o"), "traceId": "t2"},
]
