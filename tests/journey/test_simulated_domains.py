"""Simulated users of domains other than venues, from the tasks' file to the dataset, by the command line."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from scenes import command_line
from vivavoce.simulation.domain import domain_names

STUDY = """
study: {name}
languages: [it]
systems:
  {name}: {{connect: python, call: "vivavoce_bots.calling:{name}", in_process: true, greeting: true}}
tasks: tasks.yaml
visit:
  - consent: consent.md
  - dialogue: {{repeat: 3, gate: none}}
  - questionnaire: idial
"""

ALWAYS = "house"  # the other domains in `make test-long`


def vivavoce(*arguments: str | Path, code: int = 0) -> str:
    run = command_line.vivavoce(*arguments, code=code)
    return run.stdout + run.stderr


def study_of(folder: Path, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    vivavoce("simulate", "tasks", name, "--number", "9", "--language", "it", "--out", folder / "tasks.yaml")
    (folder / "study.yaml").write_text(STUDY.format(name=name), encoding="utf-8")
    (folder / "consent.it.md").write_text("Va bene?", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "name", [one if one == ALWAYS else pytest.param(one, marks=pytest.mark.long) for one in domain_names()]
)
def test_three_tasks_each_in_italian_with_questionnaires_all_marked_as_simulated(
    tmp_path: Path, name: str
) -> None:
    study = study_of(tmp_path / "study", name)
    vivavoce("simulate", study, "--dialogues", "12", "--word-error-rate", "0.05", "--seed", "2")
    vivavoce("export", study, "--into", tmp_path / "dataset")
    rows = {
        table: pq.read_table(tmp_path / "dataset" / f"{table}.parquet").to_pylist()
        for table in ("dialogues", "participants", "ratings", "turns")
    }
    assert len(rows["dialogues"]) == 12 and len(rows["participants"]) == 4
    assert {row["language"] for row in rows["dialogues"]} == {"it"}
    assert all(row["simulated"] for table in ("dialogues", "participants") for row in rows[table])
    assert len(rows["ratings"]) == 40 and all(0 <= row["value"] <= 4 for row in rows["ratings"])
    for row in rows["participants"]:
        told = json.loads(row["attributes"])
        assert (told["user"], told["population"], told["word_error_rate"]) == ("agenda", "default", 0.05)
        assert told["habits"]["patience"] >= 3
    assert sum(row["party"] == "user" for row in rows["turns"]) >= 24


def test_what_is_wrong_is_said_in_one_line(tmp_path: Path) -> None:
    study = study_of(tmp_path / "study", "telco")
    said = vivavoce("simulate", study, "--domain", "carbs", code=2)
    assert "is not a goal of the domain carbs" in said
    (tmp_path / "people.yaml").write_text("population: p\nhabits: {patience: -1}\n", encoding="utf-8")
    said = vivavoce("simulate", study, "--population", tmp_path / "people.yaml", code=2)
    assert "patience is outside 0 to 1000" in said
    said = vivavoce("simulate", "tasks", "telco", "--out", study / "tasks.yaml", code=2)
    assert "already" in said
