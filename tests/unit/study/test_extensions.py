"""Extension files of a study: what they define counts like what an installed package offers."""

import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import vivavoce as vv
from vivavoce.cli.main import app
from vivavoce.core import extensions, registry
from vivavoce.core.errors import InputError
from vivavoce.measures import MEASURES
from vivavoce.study.load import check_study, load_study
from vivavoce.testing.sample_dialogues import write_sample

ROOT = Path(__file__).resolve().parents[3]
GUIDE = (ROOT / "docs/how-to/extend.md").read_text("utf-8")
EXAMPLE, KEY = re.findall(r"```(?:python|yaml)\n(.*?)```", GUIDE.partition("## 1.")[0], re.DOTALL)
STUDY = (
    "study: shop\nsystems:\n  one: {connect: scripted, otherwise: Yes?}\nvisit:\n  - dialogue: {repeat: 1}\n"
)
NAME = "extensions/questions.py"


@pytest.fixture(autouse=True)
def _nothing_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extensions, "OBJECTS", OBJECTS := [])
    monkeypatch.setattr(registry, "OBJECTS", OBJECTS)
    for name, value in {"_entries": dict(MEASURES._entries), "_own": set(), "_adopted": 0}.items():
        monkeypatch.setattr(MEASURES, name, value)


def study(folder: Path, content: str = EXAMPLE, key: str = KEY) -> Path:
    (folder / "extensions").mkdir(exist_ok=True)
    (folder / NAME).write_text(content, "utf-8")
    (folder / "study.yaml").write_text(STUDY + key, "utf-8")
    return folder


def problems(folder: Path) -> list[str]:
    return [str(problem) for problem in check_study(folder)]


def test_the_example_of_the_guide_measures_a_dataset(tmp_path: Path) -> None:
    load_study(study(tmp_path))
    measured = vv.measure(write_sample(tmp_path / "sample"), only="questions")
    assert {row.measure for row in measured.rows} == {"questions"} and measured.rows[-1].value is not None


def test_verbs_that_run_in_the_study_s_folder_know_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_sample(study(tmp_path) / "sample")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["measure", "sample", "--only", "questions"])
    assert done.exit_code == 0 and "Questions" in done.stdout


def test_a_changed_file_counts_anew_and_is_another_revision(tmp_path: Path) -> None:
    first = load_study(study(tmp_path))
    second = load_study(study(tmp_path, EXAMPLE.replace('title="Questions"', 'title="Asked"')))
    digest = hashlib.sha256(EXAMPLE.encode()).hexdigest()
    assert digest in first.file_text and digest not in second.file_text
    assert first.revision != second.revision and MEASURES.get("questions").title == "Asked"


@pytest.mark.parametrize(("content", "line"), [("\n1 / 0\n", 2), ("import vivavoce\n\ndef (\n", 3)])
def test_a_file_that_fails_is_one_line_with_its_place(content: str, line: int, tmp_path: Path) -> None:
    (problem,) = problems(study(tmp_path, content))
    assert problem.startswith(f"{NAME}:{line}: ") and "\n" not in problem


def test_only_files_of_the_study_are_loaded(tmp_path: Path) -> None:
    (tmp_path / "elsewhere.py").write_text("1 / 0\n", "utf-8")
    (tmp_path / "shop").mkdir()
    for named in ("../elsewhere.py", "missing.py"):
        (problem,) = problems(study(tmp_path / "shop", key=f"extensions: [{named}]\n"))
        assert "study.yaml:6" in problem and named in problem


def test_a_name_that_an_installed_package_offers_is_refused(tmp_path: Path) -> None:
    load_study(study(tmp_path, EXAMPLE.replace('name="questions"', 'name="turns"')))
    with pytest.raises(InputError, match="'turns' is already registered"):
        MEASURES.names()


STEP = """
import vivavoce as vv

study = vv.load_study("study")
vv.simulate(study, participants=2, seed=1)
data = vv.export_log(study, "data")
assert data.everything.holdings()["recital"] == 2 * 2, data.everything.holdings()
"""


def test_a_step_with_its_page_and_table_is_held_and_exported(tmp_path: Path) -> None:
    recite = ROOT / "tests/strangers/step/vivavoce_stranger_step/recite"
    shutil.copytree(recite, tmp_path / "study" / "extensions")
    visit = "  - recite: {sentences: [They swim., They sing.]}\nextensions: [extensions/step.py]\n"
    (tmp_path / "study" / "study.yaml").write_text(f"study: reading\nvisit:\n{visit}", "utf-8")
    run = [sys.executable, "-c", STEP]  # another process: a registered step would stay
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
