"""The fixture `vivavoce` in a team's own tests, run as the team runs them: by pytest, in its own folder."""

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from vivavoce.dataset.writer import DatasetWriter

pytestmark = pytest.mark.long  # three runs of pytest
STUDY = """
study: pipeline
systems:
  script: {connect: scripted, greeting: "Hello!", replies: [{match: "tea", say: "Green or black?"}]}
visit:
  - consent: consent.md
  - dialogue: {repeat: 1, gate: none}
"""
TESTS = """
import pytest
from vivavoce.core.errors import SystemUnderTestError


def test_talk(vivavoce):
    assert vivavoce.system("script").say("some tea please") == "Green or black?"


def test_same(vivavoce):
    vivavoce.assert_no_worse("good", than="release", margin=0.15, measures=["subjective_success"])


def test_worse(vivavoce):
    vivavoce.assert_no_worse("bad", than="release", margin=0.15, measures=["subjective_success"])


def test_verb(vivavoce):
    vivavoce.run("check", "study", "--no-bots")
"""


def write_dataset(folder: Path, every: int) -> None:
    """Two hundred people with two dialogues each; every so manieth fails."""
    facts = {"study": "s", "system": "x", "condition": "x", "channel": "text", "language": "en"}
    with DatasetWriter(folder, study={"name": "s"}, source={"kind": "test"}) as writer:
        for number in range(400):
            key = {"dialogue_id": f"d{number}"}
            who = {"participant_id": f"p{number // 2}", "simulated": True}
            writer.add("dialogues", [{**key, **facts, **who}])
            turns = [{**key, "turn_index": n, "party": "user", "text": "hi"} for n in range(3)]
            writer.add("turns", turns)
            rating = {"instrument": "i", "wording": "w", "item_id": "found", "role": "subjective_success"}
            writer.add("ratings", [{**key, **rating, "value": float(number % every != 0)}])
        writer.close()


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, str, ET.Element]:
    """How a team's run of its tests ended: its exit code, what it printed, and what the JUnit file holds."""
    folder = tmp_path_factory.mktemp("team")
    (folder / "study").mkdir()
    (folder / "study" / "study.yaml").write_text(STUDY, encoding="utf-8")
    (folder / "study" / "consent.md").write_text("Is this all right?", encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nvivavoce_study = study\njunit_family = xunit1\n")
    (folder / "test_bot.py").write_text(TESTS, encoding="utf-8")
    for name, every in (("release", 5), ("good", 5), ("bad", 2)):
        write_dataset(folder / name, every)
    line = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml", "junit.xml"]
    run = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
    return run.returncode, run.stdout, ET.parse(folder / "junit.xml").getroot()


def test_a_worse_version_is_a_failure_that_gates_and_not_an_error(ended: tuple[int, str, ET.Element]) -> None:
    code, printed, junit = ended
    (suite,) = junit.iter("testsuite")
    told = {name: suite.get(name) for name in ("tests", "failures", "errors")}
    assert (code, told) == (1, {"tests": "4", "failures": "1", "errors": "0"}), printed
    assert "subjective_success: 50.0% (n 400) after 80.0% (n 400), difference -30.0 points" in printed
    assert "Traceback" not in printed


def test_the_figures_stand_in_the_junit_file_also_where_a_test_passed(
    ended: tuple[int, str, ET.Element],
) -> None:
    (case,) = [one for one in ended[2].iter("testcase") if one.get("name") == "test_same"]
    kept = {one.get("name"): str(one.get("value")) for one in case.iter("property")}
    assert kept["vivavoce.subjective_success"].startswith("subjective_success: 80.0% (n 400) after 80.0%")
    assert "n:400|" in kept["vivavoce.subjective_success.signature"]


def test_a_run_that_does_not_ask_for_it_imports_nothing_heavy() -> None:
    heavy = {"numpy", "pandas", "pyarrow", "pydantic", "scipy", "httpx", "sqlalchemy"}
    line = f"import sys, vivavoce.api.pytest_plugin; print(sorted({heavy!r} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
