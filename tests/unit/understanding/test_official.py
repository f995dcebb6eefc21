"""The score of the 2018 campaign's script: tuples, and what stands beside them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vivavoce_commands.command_file import CommandFile, read_command_file
from vivavoce_commands.figures import corpus_figures
from vivavoce_commands.scoring import Scores, score_commands

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "commands-official.json").read_text(encoding="utf-8")
)["cases"]
Score = Callable[[str, str], Scores]


@pytest.fixture
def score(tmp_path: Path) -> Score:
    def read(name: str, text: str) -> dict[str, CommandFile]:
        file = tmp_path / name / "AbF20.csv"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return {"AbF20": read_command_file(file)}

    return lambda said, heard: score_commands(read("said", said), read("heard", heard), "official")


def tuples(scores: Scores) -> list[list[int]]:
    return [list(one.tuple) for one in scores.predicates]


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: case["rule"])
def test_a_rule_of_the_script(score: Score, case: dict[str, Any]) -> None:
    assert tuples(score(case["reference"], case["answer"])) == case["tuples"]


@pytest.mark.shared
def test_every_tuple_of_the_script_comes_out(score: Score, shared: Path) -> None:
    file = shared / "reference" / "golden-commands-official.json"
    cases = json.loads(file.read_text(encoding="utf-8"))["cases"]
    assert len(cases) == 300
    differing = [
        case["reference"]
        for case in cases
        if tuples(score(case["reference"], case["answer"])) != case["tuples"]
    ]
    assert differing == []


def test_an_utterance_that_the_answers_lack_is_named_and_not_scored(score: Score) -> None:
    scores = score("1; take(pan)\n2; stir(egg)\n", "2; stir(egg)\n")
    assert (scores.unanswered, scores.unanswered_utterances) == (["AbF20:1"], 1)
    assert corpus_figures(scores)["corpus"]["correct_actions"] == 1


def test_a_request_to_repeat_is_in_the_distance_and_gets_no_weight_besides(score: Score) -> None:
    scores = score("1; take(500 g, milk)", "1; take(#, milk)")
    figures = corpus_figures(scores, repetition_weight=0.5)
    assert figures["corpus"]["argument_distance"] == pytest.approx(0.5)
    assert figures["corpus"]["weighted_argument_errors"] == pytest.approx(0.5)
    assert "|repetition_weight:0.0|" in figures["signature"]


def test_a_line_that_is_not_well_formed_is_read_as_the_script_reads_it(score: Score) -> None:
    scores = score("1; [take(pan), stir(egg)\n2; no predicate here\n", "1; [take(pan), stir(egg)]\n")
    assert tuples(scores) == [[1, 1, 0, 0], [1, 1, 0, 0]]
    assert scores.unread == 1
