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
    assert shown.strip() == "ST-3  not applicable, because it is not applied to voice"


def test_a_language_of_ones_own_by_its_file() -> None:
    told = json.loads(run("--pack", str(SPANISH), "--test", "ST-3", "mañana", "--json"))
    assert "manana" in [one["text"] for one in told["variants"]]


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        (["ciao"], InputError, "--language it"),
        (["ciao", "--language", "it", "--test", "ST-12"], UnknownName, "ST-1"),
        (["ciao", "--language", "xx"], UnknownName, "known: en, it"),
        (["ciao", "--language", "it", "--protect", "Roma"], InputError, "not in the utterance"),
        (["ciao", "--language", "it", "--channel", "smoke"], InputError, "text or voice"),
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
