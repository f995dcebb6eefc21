"""A benchmark of many trainings: what a file has is not trained again; how far seeds differ."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks import command_spread, command_systems

from vivavoce.log.dataset import Dataset
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


def test_how_far_seeds_differ_is_student_s_interval() -> None:
    # by hand: mean .7, standard deviation .1, t of 2 degrees 4.303, so .7 +- .248; differences .1, .2, .3
    found = {"a": {1: 0.5, 2: 0.5, 3: 0.5, 4: 0.9}, "b": {1: 0.4}, "d": {1: 0.6, 2: 0.7, 3: 0.8}}
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in command_spread.table(found)]
    assert rows[-1] == ["d", "3", "0.700", "0.452 to 0.948", "0.100", "0.600, 0.800"]
    assert rows[-2] == ["b", "1", "0.400", "-", "-", "0.400, 0.400"]
    assert list(command_spread.differences(found)) == [
        "d - a: +0.200 (-0.048 to +0.448), ahead in 3 of 3 seeds"
    ]
