"""`stress propose`: what a user types, what comes out as JSON and as text, what mistakes cost."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vivavoce.cli.main import app
from vivavoce.core.errors import InputError, UnknownName

SPANISH = Path(__file__).resolve().parents[3] / "docs/how-to/spanish.yaml"


def run(*words: str) -> str:
    result = CliRunner().invoke(app, ["stress", "propose", *words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_json_tells_each_variant_with_test_rule_confidence_and_edits() -> None:
    told = json.loads(run("--language", "it", "--test", "ST-4", "voglio bloccare la carta", "--json"))
    texts = {one["text"] for one in told["variants"]}
    assert "voglio blocacre la carta" in texts
    for one in told["variants"]:
        assert one["test"] == "ST-4" and 0 < one["confidence"] <= 1 and one["rule"]
        (edit,) = one["edits"]
        said = "voglio bloccare la carta"
        assert said[: edit["start"]] + edit["after"] + said[edit["end"] :] == one["text"]


def test_the_previous_turn_makes_anaphora_possible() -> None:
    told = json.loads(
        run("--language", "it", "--test", "ST-10", "Milano", "--previous", "Roma o Milano?", "--json")
    )
    assert [one["text"] for one in told["variants"]] == ["La seconda"]


def test_protected_words_stay_and_the_limit_holds() -> None:
    words = ("--language", "en", "--test", "ST-4", "--protect", "cheap", "--limit", "3", "--json")
    told = json.loads(run("cheap restaurant", *words))
    assert len(told["variants"]) == 3
    assert all(one["text"].startswith("cheap ") for one in told["variants"])


def test_text_says_why_a_test_does_not_apply() -> None:
    shown = run("--language", "it", "--test", "ST-3", "--channel", "voice", "perché no")
    assert shown.strip() == "ST-3  not applicable: it does not apply to voice"


def test_a_language_of_ones_own_by_its_file() -> None:
    told = json.loads(run("--pack", str(SPANISH), "--test", "ST-3", "mañana", "--json"))
    assert "manana" in [one["text"] for one in told["variants"]]


JSONL = """{"id": "a", "utterance": "voglio un libro", "language": "it"}

{"text": "a cheap book", "language": "en", "protect": ["book"]}
"""
CSV = """id;utterance;previous;protect
a;Milano;Roma o Milano?;
b;voglio un libro rosso;;libro; rosso
"""


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("many.jsonl", JSONL, [("a", "voglio un libro"), ("3", "a cheap book")]),
        ("many.csv", CSV.replace("libro; rosso", "libro"), [("a", "Milano"), ("b", "voglio un libro rosso")]),
        (
            "many.txt",
            "voglio un libro\n\nMilano, o Roma\n",
            [("1", "voglio un libro"), ("3", "Milano, o Roma")],
        ),
        ("many.txt", "\ufeffciao a tutti\n", [("1", "ciao a tutti")]),
    ],
)
@pytest.mark.parametrize("by_name", [True, False])
def test_a_file_and_standard_input_give_one_object_a_line(
    name: str, text: str, expected: list[tuple[str, str]], by_name: bool, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    words = ["--utterances", str(path) if by_name else "-", "--language", "it", "--test", "ST-4", "--json"]
    given = None if by_name else text.lstrip("\ufeff")
    result = CliRunner().invoke(app, ["stress", "propose", *words], input=given, catch_exceptions=False)
    told = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(one["id"], one["utterance"]) for one in told] == expected
    assert all(one["variants"] for one in told)


def test_rows_bring_their_previous_turn_and_protected_words(tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    path.write_text(CSV.replace("libro; rosso", "libro"), encoding="utf-8")
    words = ("--utterances", str(path), "--language", "it", "--test", "ST-10", "--test", "ST-4", "--json")
    first, second = map(json.loads, run(*words).splitlines())
    assert [one["text"] for one in first["variants"] if one["test"] == "ST-10"] == ["La seconda"]
    assert all("libro" in one["text"] for one in second["variants"])


def test_what_is_not_certain_is_proposed_where_all_is_asked_for() -> None:
    words = ("--language", "it", "--test", "ST-5", "Sala due", "--json")
    told = json.loads(run(*words))
    assert told["not_applicable"] == [{"test": "ST-5", "reason": "no candidate was certain"}]
    assert json.loads(run(*words, "--certainty", "0"))["variants"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.jsonl", '{"utterance": "ciao"}\n{"utterance"\n', "x.jsonl:2"),
        ("x.jsonl", '{"utterance": ""}\n', "utterance is missing"),
        ("x.jsonl", '{"utterance": "ciao", "protect": ["addio"]}', "'addio' is not in the utterance"),
        ("x.csv", "utterance,language\n,it\n", "x.csv:2"),
    ],
)
def test_a_wrong_row_is_told_with_its_line(name: str, text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    words = ["stress", "propose", "--utterances", str(path), "--language", "it", "--test", "ST-4"]
    with pytest.raises(InputError) as told:
        CliRunner().invoke(app, words, catch_exceptions=False)
    assert message in str(told.value)


def test_an_utterance_or_a_file_is_asked_for_not_both_and_not_neither(tmp_path: Path) -> None:
    for words in (["--language", "it"], ["--utterances", str(tmp_path / "x"), "ciao", "--language", "it"]):
        with pytest.raises(InputError, match="utterance or"):
            CliRunner().invoke(app, ["stress", "propose", *words], catch_exceptions=False)
    with pytest.raises(InputError, match="cannot read the file"):
        run("--utterances", str(tmp_path / "none"), "--language", "it")


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        (["ciao"], InputError, "--language it"),
        (["ciao", "--language", "it", "--test", "ST-12"], UnknownName, "ST-1"),
        (["ciao", "--language", "xx"], UnknownName, "Known: en, it"),
        (["ciao", "--language", "it", "--protect", "Roma"], InputError, "not in the utterance"),
        (["ciao", "--language", "it", "--channel", "smoke"], InputError, "unknown channel"),
        (["ciao", "--language", "it", "--endpoint", "http://127.0.0.1:9"], InputError, "model"),
    ],
)
def test_a_mistake_is_answered_with_what_to_do(words: list[str], error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        CliRunner().invoke(app, ["stress", "propose", *words], catch_exceptions=False)


def test_help_and_spelling_tests_load_no_parser() -> None:
    code = (
        "import sys; from vivavoce_stress.base import Utterance; from vivavoce_stress.propose import propose;"
        "propose(Utterance(text='voglio una carta', language='it'), ['ST-3', 'ST-4']);"
        "print([name for name in ('spacy', 'lemminflect', 'espeakng_loader') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
