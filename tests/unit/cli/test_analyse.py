"""The verbs analyse and power: what a user types, what comes out as JSON and as text, what mistakes cost."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vivavoce.cli.main import app
from vivavoce.core.errors import InputError
from vivavoce.log.dataset import DatasetWriter


def run(*words: str) -> str:
    result = CliRunner().invoke(app, list(words), catch_exceptions=False, env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.output
    return result.stdout


def dataset(folder: Path, name: str, people: int) -> Path:
    with DatasetWriter(folder / name, study={"name": name}, source={"kind": "log"}) as writer:
        for place, (person, system) in enumerate((p, s) for p in range(people) for s in "abab"):
            row = {
                "dialogue_id": f"d{place}", "study": name, "system": system, "condition": system,
                "participant_id": f"p{person}", "channel": "text", "language": "en", "simulated": False,
                "duration_s": 30.0 + place % 7,
            }  # fmt: skip
            writer.add("dialogues", [row])
            rating = {
                "dialogue_id": f"d{place}", "participant_id": f"p{person}", "instrument": "cambridge",
                "item_id": "found_all", "role": "subjective_success",
                "value": float((person + place) % (4 if system == "a" else 3) > 0),
            }  # fmt: skip
            writer.add("ratings", [rating])
    return folder / name


def test_published_rates_are_calculated_with():
    facts = json.loads(run("analyse", "rates", "A=259/403", "B=263/390", "--json"))
    assert facts["rates"][0]["intervals"]["wilson"] == pytest.approx([0.594748, 0.687917], abs=5e-7)
    assert {"a", "b", "method", "z", "p", "p_holm"} <= facts["tests"][0].keys()
    assert "59.5 to 68.8" in run("analyse", "rates", "A=259/403", "B=263/390")


def test_published_choices_are_calculated_with():
    (choice,) = json.loads(run("analyse", "choices", "empathy=104/143", "--json"))["choices"]
    assert {"name", "k", "n", "ratio", "chi2", "p", "p_exact", "p_holm", "interval"} <= choice.keys()
    assert choice["chi2"] == pytest.approx(29.5455, abs=5e-5)
    assert "72.7%" in run("analyse", "choices", "empathy=104/143")


def test_power_prints_both_sizes_of_the_claim():
    facts = json.loads(run("power", "two-rates", ".45", ".50", "--json"))
    critical = facts["critical_difference"]
    assert (critical["pooled"], critical["continuity_corrected"], facts["per_group"]) == (767, 806, 1565)
    text = run("power", "two-rates", ".45", ".50", "--calls-per-participant", "6", "--icc", ".2")
    for number in ("767", "806", "810", "1565", "3130", "x 3.99", "x 3.89"):
        assert number in text


def test_a_dataset_is_analysed_with_participants_as_the_unit(tmp_path):
    folder = str(dataset(tmp_path, "crowd", 24))
    text = run("analyse", folder, "--margin", "0.3")
    assert "24 participants held 96 dialogues" in text
    assert "p is adjusted by Holm over 1 comparison" in text
    words = ["--measure", "subjective_success", "--measure", "dialogue_duration", "--pair", "b:a", "--json"]
    facts = json.loads(run("analyse", folder, *words))
    assert [(test["a"], test["b"]) for test in facts["tests"]] == [("b", "a")] * 2
    assert facts["tests"][0]["clustered"]["clusters"] == 24
    assert "Holm" not in run("analyse", folder, "--by", "participant")


def test_two_trials_are_compared(tmp_path):
    crowd, lab = dataset(tmp_path, "crowd", 24), dataset(tmp_path, "lab", 11)
    text = run("analyse", str(crowd), "--against", str(lab), "--cost", "48")
    assert "crowd: 96 dialogues, 24 people, 4.00 dialogues a participant, 0.50 a dialogue" in text
    assert "same order" in text and "another order" not in text  # 36 and 32 of 48; 16 and 14 of 22


@pytest.mark.parametrize(
    "words",
    [
        ("analyse", "rates", "A=5/3"),
        ("analyse", "nowhere"),
        ("analyse", "one", "two"),
        ("power",),
        ("power", "two-rates", ".4"),
    ],
)
def test_mistakes_are_told_with_a_cure(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as refused:
        CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert refused.value.cure
