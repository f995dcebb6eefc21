"""Checking annotated commands against templates."""

import subprocess
import sys

from vivavoce.study.command_file import read_command_file
from vivavoce.study.command_templates import read_templates
from vivavoce.understanding.checking import check_file


def test_context_does_not_cross_the_end_of_a_recipe(tmp_path):
    file = tmp_path / "AbF20.csv"
    file.write_text("1; put(pan, fire)\n2; cook(eggs)\n---\n3; cook(eggs)\n", encoding="utf-8")
    found = list(check_file(read_command_file(file), read_templates("kitchen-en"), propose=True))
    assert [(each.line, each.kind) for each in found] == [(2, "problem"), (2, "proposal"), (4, "problem")]
    assert found[1].text == "cook: *pan* as container or tool? from put(pan, fire)"


def test_the_verb_answers_no_when_something_does_not_fit(tmp_path):
    file = tmp_path / "AbF20.csv"

    def run(text: str) -> subprocess.CompletedProcess[str]:
        file.write_text(text, encoding="utf-8")
        words = [
            sys.executable,
            "-m",
            "vivavoce",
            "understand",
            "check",
            str(file),
            "--templates",
            "kitchen-en",
        ]
        return subprocess.run(words, capture_output=True, text=True, check=False)

    assert run("1; take(milk)\n").returncode == 0
    wrong = run("1; take(milk\n2; tak(milk)\n")
    assert wrong.returncode == 1
    assert "AbF20.csv:1:13: the line ends where" in wrong.stdout
    assert "AbF20:2: unknown action 'tak'" in wrong.stdout
