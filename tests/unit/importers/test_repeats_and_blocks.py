"""Records that stand twice, tools as Anthropic logs them, and fields that nobody reads."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from unit.importers import foreign_logs as logs
from unit.importers.test_foreign_logs import notes, rows
from vivavoce.cli.main import app
from vivavoce.core.errors import InputError
from vivavoce.importers.base import IMPORTERS, ImportResult

Read = Callable[..., ImportResult]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def imported(name: str, *records: Any, **options: Any) -> ImportResult:
        log = logs.written(tmp_path, "log.jsonl", records)
        return IMPORTERS.get(name).make_dataset([log], tmp_path / "D", **options)

    return imported


def observation(key: str, second: int, said: str, answer: str, **more: Any) -> dict[str, Any]:
    times = {f"{name}Time": f"2026-09-03T10:00:0{second}Z" for name in ("start", "end")}
    given = [{"role": "user", "content": said}]
    facts = {"traceId": "t1", "type": "GENERATION", "model": "m", "input": given, "output": answer}
    return {"id": key, **facts, **times, "usageDetails": {"input": 5, "output": 2}, **more}


def run(key: str, second: int, answer: str) -> dict[str, Any]:
    times = {f"{name}_time": f"2026-09-03T10:00:0{second}Z" for name in ("start", "end")}
    given = {"messages": [{"role": "user", "content": f"hi {key}"}]}
    tokens = {"prompt_tokens": 5, "completion_tokens": 3}
    about = {"trace_id": "t1", "run_type": "llm", "inputs": given, "outputs": {"content": answer}}
    return {"id": key, **about, **times, **tokens}


ROWS = [
    {"chat": "7", "who": who, "said": "yes", "at": f"2026-03-01T10:00:0{second}Z"}
    for second, who in enumerate(["customer", "bot", "customer", "bot"])
]
SPAN = logs.SPANS[3]
MESSAGE = {"id": "u1", "conversation_id": "u0", "speaker": "bob", "timestamp": 12, "text": "Hello"}
ASKED = {**MESSAGE, "id": "u0", "speaker": "ann", "text": "Hi"}
CHAT = {"id": "chat-1", "messages": [logs.user("Hi"), logs.assistant("Hello")]}


def repeated(name: str, tmp_path: Path) -> tuple[list[Any], dict[str, Any]]:
    """Records of a log of which the last stands twice, and options."""
    (tmp_path / "map.yaml").write_text(
        "rows: turn\ncolumns: {dialogue: chat, speaker: who, text: said, time: at}\n"
        "fixed: {system: helpdesk, language: en}\nparties: {customer: user, bot: system}\n"
    )
    match name:
        case "langfuse":
            return [observation("o0", 0, "hi", "hello"), observation("o1", 5, "bye", "goodbye")], {}
        case "langsmith":
            return [run("r0", 0, "hello"), run("r1", 5, "goodbye")], {}
        case "otel":
            return [SPAN], {}
        case "openai":
            return [CHAT], {}
        case "chatbot-arena":
            return logs.BATTLES, {}
        case _:
            return ROWS, {"mapping": tmp_path / "map.yaml"}


NAMES = ["langfuse", "langsmith", "otel", "openai", "chatbot-arena", "table"]


@pytest.mark.parametrize("name", NAMES)
def test_a_record_that_stands_twice_counts_once_and_is_told(name: str, read: Read, tmp_path: Path) -> None:
    records, options = repeated(name, tmp_path)
    twice = read(name, *records, records[-1], **options)
    turns, usage = rows(twice, "turns"), rows(twice, "usage")
    assert "1 repeated records were left out." in notes(twice) and not twice.skipped
    (tmp_path / "D" / "dataset.json").unlink()
    (tmp_path / "D").rename(tmp_path / "before")
    once = read(name, *records, **options)
    assert (rows(once, "turns"), rows(once, "usage")) == (turns, usage) and "repeated" not in notes(once)


def test_messages_in_log_records_count_once(read: Read) -> None:
    def record(name: str, second: int, text: str) -> dict[str, Any]:
        body = {"kvlistValue": {"values": [{"key": "content", "value": {"stringValue": text}}]}}
        return {"spanId": "d", "timeUnixNano": str(second), "eventName": f"gen_ai.{name}", "body": body}

    span = {name: value for name, value in SPAN.items() if name != "events"}
    said = [record("user.message", 1, "Hi"), record("choice", 2, "Hello")]
    log = {"resourceLogs": [{"scopeLogs": [{"logRecords": said}]}]}
    made = read("otel", span, log, log)
    assert rows(made, "turns", "text") == [("Hi",), ("Hello",)] and "2 repeated records" in notes(made)


def test_the_utterances_of_a_corpus_count_once(tmp_path: Path) -> None:
    logs.written(tmp_path, "utterances.jsonl", [ASKED, MESSAGE, MESSAGE])
    made = IMPORTERS.get("convokit").make_dataset([tmp_path], tmp_path / "D")
    assert rows(made, "turns", "text") == [("Hi",), ("Hello",)] and "1 repeated records" in notes(made)


def test_two_records_of_one_id_that_differ_are_an_error_that_names_both(read: Read, tmp_path: Path) -> None:
    records = [run("r0", 0, "hello"), run("r1", 5, "goodbye"), run("r1", 5, "never")]
    with pytest.raises(InputError, match=r"log\.jsonl:3.*'r1'.*log\.jsonl:2.*keep one of them") as error:
        read("langsmith", *records, strict=True)
    assert "\n" not in str(error.value)
    made = read("langsmith", *records)
    assert len(made.skipped) == 1 and len(rows(made, "turns")) == 4


def test_a_later_observation_of_langfuse_takes_the_place_of_the_earlier(read: Read) -> None:
    made = read("langfuse", observation("o1", 5, "bye", "good"), observation("o1", 5, "bye", "goodbye"))
    assert rows(made, "turns", "text") == [("bye",), ("goodbye",)]
    assert len(rows(made, "usage")) == 1 and "1 records were replaced" in notes(made)


def test_the_same_words_twice_without_times_are_two_messages(read: Read, tmp_path: Path) -> None:
    _, options = repeated("table", tmp_path)
    options["mapping"].write_text(options["mapping"].read_text().replace(", time: at", ""))
    made = read("table", *({name: row[name] for name in ("chat", "who", "said")} for row in ROWS), **options)
    assert len(rows(made, "turns")) == 4


def test_two_rows_for_one_dialogue_are_an_error(read: Read, tmp_path: Path) -> None:
    (tmp_path / "map.yaml").write_text(
        "rows: dialogue\ncolumns: {dialogue: chat, messages: said}\n"
        "fixed: {system: helpdesk, language: en}\nparties: {user: user}\n"
    )
    records = [{"chat": 7, "said": [logs.user(text)]} for text in ("Hi", "Hi", "Bye")]
    made = read("table", *records, mapping=tmp_path / "map.yaml")
    assert rows(made, "turns", "text") == [("Hi",)] and "1 repeated records" in notes(made)
    assert "log.jsonl:3: dialogue '7' is also at" in made.skipped[0]


USE = {"type": "tool_use", "id": "t1", "name": "hours", "input": {"day": "Sunday"}}


@pytest.mark.parametrize("failed", [True, None])
def test_blocks_of_tools_are_calls_and_no_turns(failed: bool | None, read: Read) -> None:
    given = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "9-17"}]}
    if failed:
        given["is_error"] = True
    asked = {"role": "assistant", "content": [{"type": "text", "text": "Let me look."}, USE]}
    messages = [logs.user("hi"), asked, logs.user([given]), logs.assistant("9 to 17.")]
    made = read("openai", {"model": "claude", "system": "Be brief.", "messages": messages})
    assert rows(made, "turns", "party", "text") == [("user", "hi"), ("system", "Let me look.\n9 to 17.")]
    result = (None, "9-17") if failed else ("9-17", None)
    assert rows(made, "tool_calls", "name", "arguments", "failed", "result", "error") == [
        ("hours", json.dumps({"day": "Sunday"}), bool(failed), *result)
    ]
    assert rows(made, "dialogues", "tools_logged") == [(True,)]
    assert "system prompts" in notes(made) and "non-text" not in notes(made)


def test_words_beside_the_result_of_a_tool_are_a_turn_of_the_user(read: Read) -> None:
    given = {"type": "tool_result", "tool_use_id": "t1", "content": "9-17"}
    said = logs.user([given, {"type": "text", "text": "Well?"}])
    made = read("openai", {"messages": [logs.user("hi"), {"role": "assistant", "content": [USE]}, said]})
    assert rows(made, "turns", "party", "text") == [("user", "hi"), ("system", None), ("user", "Well?")]
    assert rows(made, "tool_calls", "result") == [("9-17",)]


def test_tools_are_not_logged_where_no_chat_has_or_defines_any(read: Read, tmp_path: Path) -> None:
    made = read("openai", {"messages": [logs.user("hi"), logs.assistant("hello")]})
    assert rows(made, "dialogues", "tools_logged") == [(None,)]


def test_the_user_of_a_chat_is_its_participant_and_what_is_not_read_is_listed(tmp_path: Path) -> None:
    chats = [
        {**CHAT, "id": f"c{n}", "user": "anna", "metadata": {"ticket": n}, "seed": None} for n in range(1, 3)
    ]
    log, into = logs.written(tmp_path, "chats.jsonl", chats), tmp_path / "D"
    told = CliRunner().invoke(app, ["import", "openai", str(log), "--into", str(into)])
    assert "1 fields of the first 2 records were not read: metadata (2)" in told.output
    made = IMPORTERS.get("openai").make_dataset([log], tmp_path / "E")
    assert rows(made, "dialogues", "participant_id", "dialogue_number") == [
        ("participant-1", 1),
        ("participant-1", 2),
    ]
    assert "1 fields of the first 2 records were not read: metadata (2)" in notes(made)


def test_fields_not_read_are_named_where_they_stand_and_never_more_than_twenty(read: Read) -> None:
    span = {**SPAN, "attributes": [*SPAN["attributes"], {"key": "my.team", "value": {"stringValue": "x"}}]}
    made = read("otel", span, {**SPAN, "spanId": "e"})
    line = notes(made).partition("were not read")[2]
    assert "attributes.my.team (1)" in line and "usage" not in line and "startTime" not in line
    more = {f"extra_{n}": n + 1 for n in range(30)}
    listed = IMPORTERS.get("langfuse").make_dataset(
        [logs.written(made.dataset.folder.parent, "o.jsonl", [{**observation("o1", 5, "a", "b"), **more}])],
        made.dataset.folder.parent / "E",
    )
    (line,) = [str(note) for note in listed.dataset.notes if "were not read" in str(note)]
    assert line.count("(1)") == 20 and line.startswith("30 ") and line.endswith(", ...")
