"""Logs of other tools as datasets: counts and values told by hand, or by another program."""

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from math import comb
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from unit.importers import foreign_logs as logs
from unit.importers.samples import SAMPLES, mapping_of
from vivavoce.cli.main import app
from vivavoce.core.errors import InputError
from vivavoce.dataset.columns import Level
from vivavoce.dataset.publication import reduce_dataset
from vivavoce.importers.base import IMPORTERS, ImportResult
from vivavoce.measures import compute
from vivavoce.measures.success import outcomes

Rows = list[dict[str, Any]]
Read = Callable[..., ImportResult]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def made(name: str, *paths: Path, strict: bool = False) -> ImportResult:
        (tmp_path / "log").mkdir(exist_ok=True)
        listed = list(paths) or [SAMPLES[name][1](tmp_path / "log")]
        mapping = mapping_of(tmp_path / "log")
        return IMPORTERS.get(name).make_dataset(listed, tmp_path / "D", mapping=mapping, strict=strict)

    return made


def rows(result: ImportResult, table: str, *columns: str) -> list[Any]:
    found = result.dataset.everything.read(table).to_pylist()
    return [tuple(row[name] for name in columns) for row in found] if columns else found


def notes(result: ImportResult) -> str:
    return "\n".join(map(str, result.dataset.notes))


def test_a_table_of_turns_becomes_what_its_mapping_says(read: Read) -> None:
    made = read("table")
    assert rows(made, "turns", "dialogue_id", "party", "text", "sent_s", "first_output_s") == [
        ("7", "user", "Hello", 0, None),
        ("7", "system", "Which month?", None, 3),
        ("7", "user", "May", 20, None),
        ("8", "user", "Bye", 0, None),
        ("8", "system", "Bye!", None, 2),
    ]
    (_, bob) = rows(made, "dialogues")
    assert bob["started_at"] == datetime(2026, 3, 1, 11, tzinfo=UTC) and bob["system"] == "helpdesk"
    assert rows(made, "ratings", "item_id", "value", "answer") == [("stars", 4, "4")]
    assert "anna" not in str(rows(made, "participants")) and "1 messages of speakers" in notes(made)


def test_a_mapping_is_drafted_and_import_takes_it_once_a_person_has_filled_it_in(tmp_path: Path) -> None:
    (tmp_path / "chats.csv").write_text(logs.TABLE.replace("chat,", "conversation_id,", 1))
    words = ["import", "table", str(tmp_path / "chats.csv")]
    mapping, run = tmp_path / "map.yaml", CliRunner()
    assert run.invoke(app, [*words, "--guess", str(mapping)]).exit_code == 0
    draft = mapping.read_text()
    assert "supervisor: null  # unknown speaker: set a party" in draft and "the system's name" in draft
    by = [*words, "--mapping", str(mapping), "--into", str(tmp_path / "D")]
    with pytest.raises(InputError, match=r"the system is not specified. Set columns"):
        run.invoke(app, by, catch_exceptions=False)
    mapping.write_text(draft.replace("system:  # no system column", "system: desk  #"))
    assert run.invoke(app, by).exit_code == 0
    with pytest.raises(InputError, match="already"):
        run.invoke(app, [*words, "--guess", str(mapping)], catch_exceptions=False)


def test_a_column_that_the_mapping_does_not_name_is_told(tmp_path: Path) -> None:
    (tmp_path / "mapping.yaml").write_text(logs.MAPPING)
    (tmp_path / "chats.csv").write_text("chat,who,said,at,customer,stars,mood\n7,bot,Hi,,a,,glad\n")
    with pytest.raises(InputError, match="column 'mood' is not in the mapping"):
        IMPORTERS.get("table").make_dataset(
            [tmp_path / "chats.csv"], tmp_path / "D", mapping=tmp_path / "mapping.yaml"
        )


def test_messages_of_openai_become_turns_calls_and_tokens(read: Read) -> None:
    made = read("openai")
    assert rows(made, "turns", "party", "text")[:3] == [
        ("user", "Is it open?"),
        ("system", "I look.\nFrom 9 to 17."),
        ("user", "Thanks"),
    ]
    assert rows(made, "tool_calls", "turn_index", "call_index", "name", "arguments", "result", "failed") == [
        (1, 0, "hours", '{"day": "mo"}', "9-17", None),
        (1, 1, "hours", '{"day": "mo"}', "9-17", None),
    ]
    (used,) = rows(
        made, "usage", "model", "input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens"
    )
    assert used == ("gpt-small", 50, 20, 12, None)
    table = compute(made.dataset, ["tool_calls", "repeated_tool_calls", "tokens", "tool_error_rate"])
    assert table["value"].tolist()[:3] == [2 / 2, 1 / 2, 62] and table["dialogues"].tolist() == [2, 2, 1, 0]
    assert "1 system prompts were left out" in notes(made) and "1 non-text message parts" in notes(made)


def test_trials_of_tau_bench_have_rewards_and_errors_of_tools(read: Read) -> None:
    made = read("tau-bench")
    assert rows(made, "dialogues", "dialogue_id", "task_id", "reward", "simulated") == [
        (f"model-airline-{task}-{trial}", str(task), (task + trial) % 2, True)
        for task in range(2)
        for trial in range(2)
    ]
    assert set(rows(made, "tool_calls", "failed", "error", "result")) == {(True, "Error: no flight", None)}
    assert {text for (text,) in rows(made, "turns", "text")} == {"Cancel it", "There is none.", "Bye"}
    assert compute(made.dataset, ["checked_success"]).loc[0, "value"] == 0.5


def test_results_of_tau2_have_times_tokens_and_how_they_ended(read: Read, tmp_path: Path) -> None:
    made = read("tau-bench", logs.written(tmp_path, "results.json", logs.TAU2))
    ((key, end, reward, lasted, told),) = rows(
        made, "dialogues", "dialogue_id", "end_reason", "reward", "duration_s", "task_text"
    )
    assert (key, end, reward, lasted) == ("big-model-t1-0", "user", 1, 20) and "no signal" in told
    assert rows(made, "tool_calls", "turn_index", "name", "failed", "error", "started_s") == [
        (2, "check", True, "down", 12)
    ]
    assert rows(made, "usage", "turn_index", "input_tokens", "output_tokens") == [(2, 90, 10)]


@pytest.mark.shared
def test_pass_power_of_the_real_trials_is_that_of_an_independent_count(
    shared: Path, tmp_path: Path, read: Read
) -> None:
    file = shared / "data" / "tau_bench" / "gpt-4o-airline.json.gz"
    made = read("tau-bench", file)
    whole = json.loads(gzip.decompress(file.read_bytes()))
    calls = [call for one in whole for said in one["traj"] for call in said.get("tool_calls") or []]
    errors = [
        said
        for one in whole
        for said in one["traj"]
        if said["role"] == "tool" and said["content"].startswith("Error")
    ]
    assert (made.calls, len(whole), made.skipped) == (200, 200, [])
    failed = Counter(one for (one,) in rows(made, "tool_calls", "failed"))
    assert failed.total() == len(calls) == 1164 and failed[True] == len(errors)
    passed: dict[int, list[bool]] = defaultdict(list)
    for one in whole:
        passed[one["task_id"]].append(one["reward"] == 1)
    expected = [
        sum(comb(sum(own), k) / comb(len(own), k) for own in passed.values()) / len(passed)
        for k in (1, 2, 3, 4)
    ]
    told = CliRunner().invoke(
        app, ["analyse", str(tmp_path / "D"), "--trials", "--json"], catch_exceptions=False
    )
    (system,) = json.loads(told.stdout)["systems"]
    assert [one["ratio"] for one in system["powers"]] == pytest.approx(expected)
    assert expected == pytest.approx([0.42, 0.27333, 0.22, 0.2], abs=1e-4)


def test_trials_need_a_success_that_is_yes_or_no(read: Read, tmp_path: Path) -> None:
    read("tau-bench")
    words = ["analyse", str(tmp_path / "D"), "--trials"]
    with pytest.raises(InputError, match="'words_per_user_turn' is "):
        CliRunner().invoke(app, [*words, "--measure", "words_per_user_turn"], catch_exceptions=False)
    with pytest.raises(InputError, match="no dialogue is a trial of a task"):
        CliRunner().invoke(app, [*words, "--measure", "subjective_success"], catch_exceptions=False)


@pytest.mark.parametrize("kept", ["store", "dump", "lines", "by sender"])
def test_a_rasa_tracker_becomes_the_same_dialogues_however_it_is_kept(
    read: Read, tmp_path: Path, kept: str
) -> None:
    path = {
        "store": lambda: logs.tracker_store(tmp_path / "rasa.sqlite"),
        "dump": lambda: logs.written(tmp_path, "trackers.json", logs.RASA),
        "lines": lambda: logs.written(tmp_path, "trackers.jsonl", logs.RASA),
        "by sender": lambda: logs.written(
            tmp_path, "all.json", {"+39 06 1234": {"events": logs.RASA_EVENTS}}
        ),
    }[kept]()
    made = read("rasa", path)
    assert rows(made, "turns", "dialogue_id", "party", "text", "sent_s") == [
        ("dialogue-1", "user", "cheap thai", 0),
        ("dialogue-1", "system", "In which area?\nNorth or south?", None),
        ("dialogue-1", "user", "/restart", 4),
        ("dialogue-2", "user", "hello", 0),
        ("dialogue-2", "system", "Hi!", None),
    ]
    first = [
        one
        for one in rows(made, "acts", "turn_index", "rank", "act", "slot", "value", "score")
        if one[0] == 0
    ]
    assert first[:3] == [
        (0, 0, "find", None, None, 0.8),
        (0, 0, "find", "food", "thai", 0.8),
        (0, 1, "other", None, None, 0.1),
    ]
    assert rows(made, "annotations", "layer", "label", "value") == [("slots", "food", "thai")]
    assert "1 bot messages without text" in notes(made)
    assert "1234" not in json.dumps([rows(made, "dialogues"), rows(made, "participants")], default=str)


def test_multiwoz_of_one_domain_is_scored_and_of_several_never(read: Read) -> None:
    made = read("multiwoz")
    found = outcomes(made.dataset)
    assert {key: one.score() for key, one in found.assigned.items()} == {"SNG01": 1}
    assert [one.score() for one in found.inferred["SNG01"]] == [1] and "MUL02" not in found.inferred
    assert Counter(rows(made, "goals", "origin")) == {("assigned",): 4, ("by_domain",): 4}
    assert ("reference_by_domain", "inform", "hotel-stars") in rows(made, "acts", "layer", "act", "slot")
    assert "1 booking constraints" in notes(made)


def test_convlab_and_sgd_tell_acts_goals_and_calls_of_services(tmp_path: Path, read: Read) -> None:
    made = read("convlab", logs.written(tmp_path, "dialogues.json", logs.CONVLAB))
    assert outcomes(made.dataset).assigned["toy-test-0"].score() == 1
    assert rows(made, "goals", "kind", "slot", "value") == [
        ("type", None, "restaurant"),
        ("constraint", "food", "thai"),
        ("request", "phone", None),
    ]
    sgd = IMPORTERS.get("sgd").make_dataset(
        [logs.written(tmp_path, "dialogues_001.json", logs.SGD)], tmp_path / "S"
    )
    (service,) = rows(sgd, "tool_calls", "name", "arguments", "turn_index")
    assert service == ("FindRestaurants", '{"cuisine": "thai"}', 1)
    assert ("Ruen", "phone_number", "123", "code") in rows(sgd, "entities", "name", "slot", "value", "match")
    assert ("offer", "name", "Ruen") in rows(sgd, "acts", "act", "slot", "value")
    assert [one.score() for one in outcomes(sgd.dataset).inferred["1_00000"]] == [1]


@pytest.mark.parametrize(
    ("held", "told", "score"),
    [
        ("01223 356555", "01223356555", 1),
        ("01223356555", "01223 356 555.", 1),
        ("01223356555", "01223 35655", 0),
    ],
)
def test_a_telephone_number_is_the_same_however_it_is_grouped(
    tmp_path: Path, held: str, told: str, score: int
) -> None:
    """Slots of the corpus and of its venues meet under one name, and dialogues may have numbers for names."""
    (dialogue,) = json.loads(json.dumps(logs.CONVLAB))
    dialogue["original_id"] = 7
    dialogue["goal"]["inform"]["restaurant"] = {"price range": "cheap"}
    acts = dialogue["turns"][1]["dialogue_acts"]["non-categorical"]
    acts[1]["value"] = told
    venue = {
        "id": 1,
        "name": "Ruen",
        "pricerange": "cheap",
        "addr": "1 Road",
        "phone": held,
        "postcode": "CB1",
    }
    made = IMPORTERS.get("convlab").make_dataset(
        [logs.written(tmp_path, "dialogues.json", [dialogue])],
        tmp_path / "D",
        venues=logs.written(tmp_path, "venues.json", [venue]),
    )
    assert outcomes(made.dataset).assigned["toy-test-0"].score() == score
    assert dict(rows(made, "entities", "slot", "match")) == {
        "pricerange": "exact",
        "address": "exact",
        "phone": "code",
        "postcode": "prefix",
    }
    assert rows(made, "dialogues", "task_id") == [("7",)]


def test_a_goal_of_hotels_asks_for_no_type_that_is_only_its_domain(tmp_path: Path) -> None:
    told = {"Hotel-Recommend": [["Name", "Acorn"]], "Hotel-Inform": [["Stars", "4"], ["Post", "cb1 2aa"]]}
    log = [
        {"text": "Four stars", "metadata": {}, "dialog_act": {"Hotel-Inform": [["Stars", "4"]]}},
        {"text": "Acorn, cb1 2aa", "metadata": {"x": 1}, "dialog_act": told},
    ]
    goal = {"hotel": {"info": {"stars": "4"}, "reqt": ["postcode"]}, "message": []}
    venue = {"name": "Acorn", "type": "guesthouse", "stars": "4", "postcode": "cb12aa"}
    made = IMPORTERS.get("multiwoz").make_dataset(
        [logs.written(tmp_path, "data.json", {"SNG03.json": {"goal": goal, "log": log}})],
        tmp_path / "D",
        venues=logs.written(tmp_path, "hotel_db.json", [venue]),
    )
    assert outcomes(made.dataset).assigned["SNG03"].score() == 1
    assert rows(made, "goals", "kind", "slot", "value") == [
        ("constraint", "stars", "4"),
        ("request", "postcode", None),
    ]


def test_a_convokit_corpus_is_joined_from_its_files(read: Read) -> None:
    made = read("convokit")
    assert rows(made, "turns", "dialogue_id", "party", "text") == [
        ("u0", "user", "Hi"),
        ("u0", "system", "Hello"),
        ("u2", "user", "You there?"),
    ]
    assert rows(made, "annotations", "dialogue_id", "label", "value") == [("u0", "topic", "greeting")]
    assert [one for (one,) in rows(made, "participants", "attributes")] == ['{"age": 3}', None]
    assert "1 notes on utterances" in notes(made)


def test_spans_become_dialogues_in_which_nothing_is_said_twice(read: Read) -> None:
    made = read("otel")
    assert rows(made, "turns", "dialogue_id", "party", "text") == [
        ("t1", "user", "Weather?"),
        ("t1", "system", "It rains."),
        ("t2", "user", "Hi"),
        ("t2", "system", "Hello"),
    ]
    (called,) = rows(made, "tool_calls", "name", "arguments", "result", "failed", "started_s", "duration_s")
    assert called == ("weather", '{"city": "Rome"}', "rain", False, 1.5, 1.0)
    assert rows(made, "usage", "turn_index", "input_tokens", "output_tokens") == [(1, 10, 5), (1, 20, 7)]
    assert rows(made, "dialogues", "system", "duration_s")[0] == ("desk", 4.0)


def test_runs_that_langchain_traced_become_one_dialogue_with_its_tool_and_tokens(read: Read) -> None:
    made = read("langsmith")
    assert rows(made, "turns", "dialogue_id", "party", "text") == [
        ("t1", "user", "How warm is Rome?"),
        ("t1", "system", "It is warm in Rome."),
        ("t1", "user", "Thanks, bye"),
        ("t1", "system", "Bye."),
    ]
    called = rows(made, "tool_calls", "turn_index", "name", "arguments", "result", "failed")
    assert called == [(1, "lookup", '{"city": "Rome"}', "Rome: 21 degrees", False)]
    assert rows(made, "usage", "turn_index", "input_tokens", "output_tokens") == [(1, 9, 4)]
    assert rows(made, "dialogues", "system") == [("agent",)]
    assert "2 steps other than model or tool calls" in notes(made)


def test_observations_of_langfuse_become_dialogues_by_session_else_by_trace(read: Read) -> None:
    made = read("langfuse")
    assert rows(made, "turns", "dialogue_id", "party", "text") == [
        ("s1", "user", "Weather?"),
        ("s1", "system", "It rains."),
        ("t2", "user", "Hi"),
        ("t2", "system", "Hello"),
    ]
    called = rows(made, "tool_calls", "name", "failed", "error", "started_s", "duration_s")
    assert called == [("weather", True, "timed out", 2.0, 1.0)]
    assert rows(made, "usage", "model", "input_tokens", "output_tokens")[:2] == [
        ("gpt-4o", 10, 5),
        ("gpt-4o", 20, 7),
    ]
    assert rows(made, "dialogues", "system") == [("desk",), ("gpt-4o",)]


def test_battles_become_votes_on_two_dialogues(read: Read) -> None:
    made = read("chatbot-arena")
    assert made.calls == 2 and len(rows(made, "dialogues")) == 4
    assert rows(made, "votes", "left_system", "right_system", "choice", "language", "exchange") == [
        ("m1", "m2", "right", "en", 1),
        ("m2", "m1", "both_bad", "und", 1),
    ]
    assert len(rows(made, "participants")) == 1 and made.dataset.holdings()["vote"] == 2


def test_a_copy_for_others_lacks_errors_and_still_tells_how_many_there_were(
    read: Read, tmp_path: Path
) -> None:
    made = read("tau-bench")
    copy = reduce_dataset(made.dataset, tmp_path / "shared", Level.shareable)
    errors = copy.read("tool_calls").to_pylist()
    assert [one["error"] for one in errors] == [None] * 4 and all(one["failed"] for one in errors)
    names = ["tool_error_rate", "tool_calls", "checked_success"]
    assert compute(copy, names)["value"].tolist() == compute(made.dataset, names)["value"].tolist()


def test_strict_stops_at_the_first_broken_item_and_leaves_nothing(read: Read, tmp_path: Path) -> None:
    broken = logs.written(tmp_path, "chats.jsonl", [*logs.CHATS, {"messages": [{"role": "judge"}]}])
    with pytest.raises(InputError, match=r"chats.jsonl:3: .*message 1 has the unknown role 'judge'"):
        read("openai", broken, strict=True)
    assert not (tmp_path / "D" / "dataset.json").exists()
    made = read("openai", broken)
    assert (made.calls, len(made.skipped)) == (2, 1) and "1 items of the log were left out" in notes(made)


def test_an_option_that_a_format_does_not_take_is_refused(tmp_path: Path) -> None:
    path = logs.written(tmp_path, "chats.jsonl", logs.CHATS)
    for options, wanted in (
        ({"venues": path}, "venue database"),
        ({"mapping": path}, "does not accept a mapping"),
    ):
        with pytest.raises(InputError, match=wanted):
            IMPORTERS.get("openai").make_dataset([path], tmp_path / "D", **options)
