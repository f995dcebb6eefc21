"""Parsers to choose from: rules, a function, an endpoint; and datasets read by them."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from vivavoce.annotation.ontology_lists import read_lists
from vivavoce.annotation.parsers import Parser, load_parser
from vivavoce.annotation.reading import read_turns
from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.log.events import LoggedAct
from vivavoce.study.ontology import load_ontology
from vivavoce.study.scaffold import DOMAINS

ONTOLOGY = load_ontology(DOMAINS / "restaurants.yaml")
ASKED = [LoggedAct(act="request", slot="food")]
MODULE = """
def parse(text, language, system_acts):
    assert system_acts == [{"act": "request", "slot": "food"}], system_acts
    return [{"act": "thank"}, {"act": "inform", "slot": "food", "value": text.upper()}]

def broken(text, language, system_acts):
    return [{"slot": "food"}]

def failing(text, language, system_acts):
    raise ValueError("no idea")
"""


def loaded(written: str, folder: Path | None = None) -> Parser:
    found = load_parser(written, ONTOLOGY, folder=folder)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("module")
    (folder / "own_parser_of_a_test.py").write_text(MODULE, encoding="utf-8")
    return folder


@pytest.fixture
def endpoint() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answers: dict[str, Any] = {
                "thai": {"acts": [{"act": "inform", "slot": "food", "value": asked["language"]}]},
                "odd": {"meaning": "none"},
            }
            body = json.dumps(answers[asked["text"]]).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/parse"
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_rules_go_by_the_studys_ontology_and_need_one() -> None:
    assert loaded("rules")("thai", "en", [])[0].value == "thai"
    assert load_parser("rules", None) is None


def test_a_function_gets_the_systems_acts_and_answers_in_the_datasets_words(module: Path) -> None:
    acts = loaded("own_parser_of_a_test:parse", module)("thai", "en", ASKED)
    assert acts == [LoggedAct(act="thankyou"), LoggedAct(act="inform", slot="food", op="=", value="THAI")]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("broken", "turn 'thai' is not a list of acts"),
        ("failing", "ValueError: no idea, on the turn 'thai'"),
    ],
)
def test_a_function_that_fails_is_named_with_the_turn(module: Path, name: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as caught:
        loaded(f"own_parser_of_a_test:{name}", module)("thai", "en", ASKED)
    assert f"own_parser_of_a_test:{name}" in caught.value.place


@pytest.mark.parametrize(
    "written", ["no_such_module_at_all:parse", "json:no_such_name", "whatever", "ftp://x"]
)
def test_what_is_no_parser_is_refused_with_the_cure(written: str) -> None:
    with pytest.raises(InputError) as caught:
        load_parser(written, ONTOLOGY)
    assert caught.value.hint


def test_an_endpoint_is_asked_for_every_turn(endpoint: str) -> None:
    parse = loaded(endpoint)
    assert parse("thai", "it", ASKED) == [LoggedAct(act="inform", slot="food", op="=", value="it")]
    with pytest.raises(InputError, match="turn 'odd' is not a list of acts"):
        parse("odd", "en", [])


def test_an_endpoint_that_does_not_answer_is_a_mistake_in_one_line() -> None:
    with pytest.raises(InputError, match="on the turn 'thai'"):
        loaded("http://127.0.0.1:9/parse")("thai", "en", [])


def written(folder: Path) -> Dataset:
    writer = DatasetWriter(folder, study={"name": "s"}, source={"kind": "test"}, factors=["shade"])
    dialogue = {"dialogue_id": "d", "study": "s", "system": "x", "condition": "x", "channel": "phone"}
    writer.add("dialogues", [dialogue | {"language": "en", "simulated": False, "factor_shade": "dark"}])
    writer.add(
        "turns",
        [
            {"dialogue_id": "d", "turn_index": 0, "party": "system", "text": "what food"},
            {"dialogue_id": "d", "turn_index": 1, "party": "user", "text": "tie", "reference": "i dont care"},
            {"dialogue_id": "d", "turn_index": 2, "party": "system", "text": "well"},
            {"dialogue_id": "d", "turn_index": 3, "party": "user", "text": "thai", "reference": None},
            {"dialogue_id": "d", "turn_index": 5, "party": "user", "text": "thai", "reference": "noise"},
        ],
    )
    at = {"dialogue_id": "d", "rank": 0, "position": 0}
    writer.add(
        "acts",
        [
            at | {"turn_index": 0, "layer": "system", "source": "bot", "act": "request", "slot": "food"},
            at | {"turn_index": 1, "layer": "reference", "source": "label", "act": "affirm"},
            at | {"turn_index": 1, "layer": "reference", "source": "parser", "act": "bye"},
        ],
    )
    return writer.close()


def test_transcripts_are_read_and_recognised_words_never(tmp_path: Path) -> None:
    read = read_turns(written(tmp_path / "D"), loaded("rules"), tmp_path / "R")
    acts = [row for row in read.read("acts").to_pylist() if row["source"] == "parser"]
    assert [(row["turn_index"], row["act"], row["slot"], row["value"]) for row in acts] == [
        (1, "inform", "food", "dontcare"),
        (5, "null", None, None),
    ]
    assert {row["source"] for row in read.read("acts").to_pylist()} == {"bot", "label", "parser"}
    assert read.factors == ["shade"]
    assert read.manifest["source"]["parser"] == "rules"


def test_a_dataset_is_never_read_over_itself(tmp_path: Path) -> None:
    dataset = written(tmp_path / "D")
    with pytest.raises(InputError, match="would replace the old"):
        read_turns(dataset, loaded("rules"), tmp_path / "D")
    assert dataset.read("turns").num_rows == 5


def test_lists_of_values_take_the_words_of_a_domain_that_has_them(tmp_path: Path) -> None:
    path = tmp_path / "lists.json"
    lists = {"informable": {"food": ["venusian"], "pricerange": ["cheap"]}, "requestable": {"address": []}}
    path.write_text("# a comment\n" + json.dumps(lists), encoding="utf-8")
    parse = load_parser("rules", read_lists(path, ONTOLOGY))
    assert parse is not None
    found = {
        (act.act, act.slot, act.value)
        for act in parse("low priced venusian food whats the address", "en", [])
    }
    assert found == {
        ("inform", "pricerange", "cheap"),
        ("inform", "food", "venusian"),
        ("request", "addr", None),
    }


@pytest.mark.parametrize("content", ["nonsense", "[]", '{"informable": {}}', '{"informable": {"food": [1]}}'])
def test_a_file_that_lists_no_values_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "lists.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_lists(path, ONTOLOGY)
    assert "lists.json" in caught.value.place
