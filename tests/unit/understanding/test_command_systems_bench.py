"""A benchmark of many trainings does not repeat the results that a file has."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks import command_systems

from vivavoce.dataset.reader import Dataset
from vivavoce_commands.kitchen.corpus import generate, write_corpus
from vivavoce_commands.learning.examples import read_recipes


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = [each for each in generate("en", seed=1) if each.speaker in ("en01", "en28")]
    write_corpus(commands, "en", tmp_path / "kitchen")
    training, test = (read_recipes(Dataset(tmp_path / "kitchen" / part)) for part in ("training", "test"))

    def corpora(names: list[str], folder: Path) -> Iterator[command_systems.Corpus]:
        for name in names:
            yield command_systems.Corpus(name, [(training, test)])

    monkeypatch.setattr(command_systems, "corpora", corpora)


def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict]:
    options = ["command_systems.py", "--systems", "majority", "--corpora", "it,en", *arguments]
    monkeypatch.setattr(sys, "argv", options)
    command_systems.main()
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.usefixtures("small")
def test_a_run_goes_on_from_what_a_file_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    into = ["--into", str(tmp_path / "seeds.jsonl")]
    first = run(monkeypatch, capsys, "--seeds", "1", *into)
    assert [(one["corpus"], one["seed"]) for one in first] == [("it", 1), ("en", 1)]
    lines = (tmp_path / "seeds.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["correct_actions"] for line in lines] == [
        one["correct_actions"] for one in first
    ]

    (tmp_path / "seeds.jsonl").write_text(lines[1] + "\n", encoding="utf-8")
    more = run(monkeypatch, capsys, "--seeds", "1,2", *into)
    assert [(one["corpus"], one["seed"]) for one in more] == [("it", 1), ("it", 2), ("en", 2)]
    assert run(monkeypatch, capsys, "--seeds", "1,2", *into) == []
