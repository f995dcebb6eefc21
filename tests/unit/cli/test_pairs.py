"""The verbs that tell of pairs of transcripts."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scenes.judgements import judge_rows, made, person_row, vote_rows
from vivavoce.cli.main import app
from vivavoce.dataset.reader import Dataset
from vivavoce.study.scaffold import write_study


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_study(tmp_path / "study", "guerini-2018")
    return tmp_path / "study"


def test_pairs_shows_what_was_changed_word_by_word(folder: Path) -> None:
    told = CliRunner().invoke(app, ["pairs", str(folder)])
    assert told.exit_code == 0
    assert "empathy-train: empathy, insertion; 0 tokens removed, 12 added; lengths 78 and 90" in told.output
    assert "{+Oh no, I am sorry, that must be upsetting!+} The next train" in told.output
    assert "[-object-] {+spurtle+}" in told.output


def test_pairs_in_italian_as_json(folder: Path) -> None:
    told = CliRunner().invoke(app, ["pairs", str(folder), "--language", "it", "--json"])
    found = json.loads(told.output)
    assert len(found["pairs"]) == 11
    assert found["warnings"] == []
    assert {one["language"] for one in found["pairs"]} == {"it"}


def test_a_study_without_pairs_is_told(tmp_path: Path) -> None:
    write_study(tmp_path / "city", "cambridge-2011")
    told = CliRunner().invoke(app, ["pairs", str(tmp_path / "city")])
    assert "no transcripts to compare" in str(told.exception)


def test_check_warns_in_words_and_finds_the_study_ready(folder: Path) -> None:
    pairs = folder / "pairs.yaml"
    pairs.write_text(
        pairs.read_text().replace("change: insertion", "change: substitution", 1), encoding="utf-8"
    )
    told = CliRunner().invoke(app, ["check", str(folder)])
    assert told.exit_code == 0, told.output
    assert "pair 'empathy-train' (en): declared as substitution, but text was only added" in told.output
    assert "ready" in told.output


def test_check_fails_for_an_unfair_pair(folder: Path) -> None:
    pairs = folder / "pairs.yaml"
    text = pairs.read_text()
    before, mark, after = text.partition("experimental: |")
    pairs.write_text(before + mark + after.replace("my daughter", "my son", 1), encoding="utf-8")
    told = CliRunner().invoke(app, ["check", str(folder)])
    assert told.exit_code == 2
    assert "pair 'empathy-train' (en): user turn 1 differs" in told.output


def test_analyse_prints_the_table_of_preferences(tmp_path: Path) -> None:
    people = [person_row(number, gender=("woman", "man")[number % 2]) for number in range(60)]
    rows = judge_rows(60, {"empathy": 0.8, "formality": 0.2}, ties=0.1)
    dataset = made(tmp_path / "data", preferences=rows, participants=people)
    words = ["analyse", str(dataset.folder), "--by", "gender", "--cost", "12"]
    told = CliRunner().invoke(app, words, env={"COLUMNS": "160"})
    assert told.exit_code == 0, told.output
    for said in (
        "empathy",
        "decided choices",
        "Rao-Kupper",
        "Cochran",
        "p (judgements)",
        "per judgement",
        "within programs",
    ):
        assert said in told.output
    facts = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)["preferences"]
    assert facts["cost"]["per_variable"] == 6
    assert [one["preferred"] for one in facts["variables"]] == ["experimental", "control"]


def test_analyse_prints_the_ranking_of_an_arena(tmp_path: Path) -> None:
    dataset = made(tmp_path / "data", **vote_rows(40, {"beryl": 0.9, "topaz": -0.9}, length=1.0))
    told = CliRunner().invoke(app, ["analyse", str(dataset.folder)], env={"COLUMNS": "160"})
    assert told.exit_code == 0, told.output
    for said in ("log worth", "beryl - topaz", "factors in votes", "length", "s per judgement"):
        assert said in told.output
    facts = json.loads(CliRunner().invoke(app, ["analyse", str(dataset.folder), "--json"]).output)
    assert [one["name"] for one in facts["arena"]["ranking"]] == ["beryl", "topaz"]
    assert "preferences" not in facts


def test_a_price_below_zero_is_refused(tmp_path: Path) -> None:
    dataset = made(tmp_path / "data", preferences=judge_rows(5, {"empathy": 0.8}))
    told = CliRunner().invoke(app, ["analyse", str(dataset.folder), "--hourly", "-3"])
    assert "hourly -3" in str(told.exception)


def test_pairs_says_the_power_of_the_plan_by_simulated_judges(folder: Path) -> None:
    planted = ["--prefer", "empathy=0.7", "--prefer", "formality:ease=0.3"]
    asked = ["pairs", str(folder), *planted, "--trials", "40"]
    told = CliRunner().invoke(app, asked)
    assert told.exit_code == 0
    assert told.output.startswith("SIMULATED: 143 judges, 40 trials;")
    found = json.loads(CliRunner().invoke(app, [*asked, "--json"]).output)
    shares = {(one["variable"], one["question"]): one["planted"] for one in found["cells"]}
    assert len(shares) == 20
    assert (shares["formality", "ease"], shares["formality", "utility"]) == (0.3, None)
    assert found["simulated"] is True and found["correction"] == "holm" and found["test"] == "chi_square"


def test_simulated_judges_choose_what_was_planted_and_are_marked_as_simulated(
    folder: Path, tmp_path: Path
) -> None:
    asked = ["simulate", str(folder), "--participants", "20", "--seed", "3", "--prefer", "empathy=0.95"]
    assert CliRunner().invoke(app, [*asked, "--prefer", "formality:ease=0.05"]).exit_code == 0
    into = ["export", str(folder), "--only", "simulated", "--into", str(tmp_path / "pilot")]
    assert CliRunner().invoke(app, into).exit_code == 0
    rows = [
        row for row in Dataset(tmp_path / "pilot").read("preferences").to_pylist() if row["role"] == "main"
    ]
    assert len(rows) == 20 * 5 * 4 and all(row["simulated"] and row["accepted"] for row in rows)
    told = CliRunner().invoke(app, ["analyse", str(tmp_path / "pilot")], env={"COLUMNS": "200"}).output
    assert told.index("SIMULATED: programs judged") < told.index("k of n"), "before any figure"
    assert "within programs" in told and "minutes per program" in told
    assert "by people" not in told and "person " not in told

    def share(variable: str, question: str | None = None) -> float:
        said = [
            row["choice"] == "experimental"
            for row in rows
            if row["variable"] == variable and question in (None, row["question"])
        ]
        return sum(said) / len(said)

    assert share("empathy") > 0.8 and share("formality", "ease") < 0.4
    assert 0.25 < share("facing") < 0.75, "nothing was planted: chance, at 4.5 standard errors"
    sides = {row["side"] for row in rows if row["variable"] == "empathy" and row["choice"] == "experimental"}
    assert sides == {"left", "right"}, "they prefer a version, not a side"
