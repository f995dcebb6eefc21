"""`vivavoce simulate train`: a bot that can learn is trained; what it learnt is kept with how it was made."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import vivavoce.study

DOMAIN = Path(vivavoce.study.__file__).parent / "domains" / "restaurants.yaml"
STUDY = """
study: learn
protocol: cambridge-2011
systems:
  learner:
    connect: python
    call: "vivavoce_bots.learning:LEARNER.answer"
    in_process: true
    greeting: true
  fixed: {connect: python, call: "vivavoce_bots.calling:restaurant_nbest", in_process: true, greeting: true}
ontology: restaurants.yaml
tasks: {generate: 40, seed: 7}
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("learn")
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    (folder / "restaurants.yaml").write_text(DOMAIN.read_text(encoding="utf-8"), encoding="utf-8")
    return folder


def train(study: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "vivavoce", "simulate", "train", str(study), "--dialogues", "60", *more]
    environment = {**os.environ, "VIVAVOCE_BOT_DOMAIN": str(study / "restaurants.yaml")}
    return subprocess.run(command, capture_output=True, text=True, timeout=500, env=environment, check=False)


@pytest.mark.long
def test_what_was_learnt_is_kept_and_the_same_seed_learns_the_same(study: Path, tmp_path: Path) -> None:
    rate = ("--word-error-rate", "0.3")
    first = train(study, "--system", "learner", "--out", str(tmp_path / "a.json"), *rate, "--json")
    again = train(study, "--system", "learner", "--out", str(tmp_path / "b.json"), *rate)
    assert first.returncode == again.returncode == 0, first.stderr + again.stderr
    kept, same = (json.loads((tmp_path / name).read_text("utf-8")) for name in ("a.json", "b.json"))
    assert kept == same
    assert kept["simulated"] is True
    assert kept["made_by"] == (
        "vivavoce simulate train STUDY --system learner --dialogues 60 --word-error-rate 0.3 --seed 1"
    )
    assert any(one["tried"] > 0 for turn_taking in kept["policy"].values() for one in turn_taking.values())
    went = json.loads(first.stdout)
    assert went["last_tenth"]["dialogues"] == 6 and 0 <= went["last_tenth"]["met"] <= 1
    assert "goal met" in again.stdout and "wrote" in again.stderr


@pytest.mark.parametrize(
    ("system", "words"),
    [("fixed", "does not support training"), ("leaner", "Did you mean 'learner'")],
)
def test_what_cannot_be_trained_is_refused_in_one_line(
    study: Path, tmp_path: Path, system: str, words: str
) -> None:
    refused = train(study, "--system", system, "--out", str(tmp_path / "c.json"))
    assert refused.returncode == 2 and words in refused.stderr
    assert "Traceback" not in refused.stderr and not (tmp_path / "c.json").exists()
