"""The command line from a researcher's first minute on: demo, init, check, import, measure, report."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scenes.command_line import vivavoce
from scenes.processes import study_with_bots

NOTEBOOK = Path(__file__).resolve().parents[2] / "examples" / "notebook.ipynb"


@pytest.fixture(scope="module")
def demonstration(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    out = tmp_path_factory.mktemp("demo")
    (out / "mine.txt").write_text("keep me", encoding="utf-8")
    words = ("demo", "--no-serve", "--out", str(out), "--dialogues", "24", "--seed", "3", "--json")
    command = [sys.executable, "-m", "vivavoce", *words]
    run = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False)
    assert run.returncode == 0 and "Traceback" not in run.stderr, run.stderr
    return out, json.loads(run.stdout)


@pytest.mark.long
def test_the_demonstration_prints_results_by_system_and_marks_them_as_simulated(demonstration) -> None:
    _, printed = demonstration
    assert printed["simulated"] is True
    assert {row["key"] for row in printed["by"]} == {"nbest", "onebest"}
    assert sum(row["dialogues"] for row in printed["by"]) == 24
    for row in printed["by"]:
        for rate in ("subjective_success", "objective_success_assigned", "objective_success_inferred"):
            assert {"successes", "n", "ratio", "low", "high", "unit"} <= row[rate].keys()
            assert 0 <= row[rate]["low"] <= row[rate]["ratio"] <= row[rate]["high"] <= 1
        assert row["objective_success_inferred"]["unit"] == "goal"
        assert 0 < row["word_error_rate"] < 1


@pytest.mark.long
def test_the_demonstration_leaves_log_dataset_and_report_and_touches_nothing_else(demonstration) -> None:
    out, printed = demonstration
    report = (out / "report.html").read_text(encoding="utf-8")
    assert report.count("SIMULATED") > 5 and printed["data"] in report
    assert (out / "dataset" / "dataset.json").is_file() and (out / "study" / "log.sqlite").is_file()
    assert (out / "mine.txt").read_text(encoding="utf-8") == "keep me"


@pytest.mark.long
def test_the_demonstrations_dataset_measures_the_same_again(demonstration) -> None:
    out, printed = demonstration
    again = json.loads(vivavoce("measure", out / "dataset", "--by", "system", "--json").stdout)
    assert again == printed


@pytest.mark.long
def test_the_notebook_of_ten_lines_runs_on_it(demonstration, tmp_path: Path) -> None:
    out, printed = demonstration
    shutil.copytree(out / "dataset", tmp_path / "trial" / "dataset")
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    lines = [line for one in cells if one["cell_type"] == "code" for line in one["source"]]
    assert len([line for line in lines if line.strip()]) == 10
    code = "".join(line if line.endswith("\n") else line + "\n" for line in lines)
    code += "print(measured.to_dict()['data'], *compared.families)\n"
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(printed["data"]) and "Holm" in run.stdout
    assert "SIMULATED" in (tmp_path / "report.html").read_text("utf-8")


@pytest.mark.long
def test_the_same_seed_gives_the_same_callers(demonstration, tmp_path: Path) -> None:
    _, printed = demonstration
    run = vivavoce("demo", "--no-serve", "--out", tmp_path, "--dialogues", "24", "--seed", "3", "--json")
    counts = [
        (row["key"], row["dialogues"], row["user_turns"], row["subjective_success"]["successes"])
        for row in json.loads(run.stdout)["by"]
    ]
    assert counts == [
        (row["key"], row["dialogues"], row["user_turns"], row["subjective_success"]["successes"])
        for row in printed["by"]
    ]


@pytest.mark.long
def test_a_second_demonstration_keeps_the_first_ones_log(demonstration) -> None:
    out, _ = demonstration
    vivavoce("demo", "--no-serve", "--out", out, "--dialogues", "2")
    logs = list((out / "study").glob("log*.sqlite"))
    assert len(logs) == 2


def test_a_study_is_written_checked_and_its_mistakes_are_named_with_line_and_cure(tmp_path: Path) -> None:
    vivavoce("init", tmp_path / "s", "--protocol", "cambridge-2011")
    assert "ready" in vivavoce("check", tmp_path / "s", "--no-bots").stdout
    file = tmp_path / "s" / "study.yaml"
    text = file.read_text(encoding="utf-8")
    line = 1 + next(n for n, row in enumerate(text.splitlines()) if "gate: code" in row)
    file.write_text(text.replace("gate: code", "gate: cod"), encoding="utf-8")
    said = vivavoce("check", tmp_path / "s", code=2).stdout
    assert f"study.yaml:{line}" in said and "Did you mean 'code'" in said


def test_check_says_hello_to_every_system_and_fails_when_one_is_down(tmp_path: Path) -> None:
    with study_with_bots(tmp_path / "s") as study:
        said = vivavoce("check", study).stdout
        assert "nbest: ok" in said and "onebest: ok" in said
    said = vivavoce("check", study, code=1).stdout
    assert "nbest: FAILED" in said and "unreachable" in said and "start it" in said


def test_writing_a_study_over_another_is_refused(tmp_path: Path) -> None:
    vivavoce("init", tmp_path)
    refused = vivavoce("init", tmp_path, code=2)
    assert "study.yaml" in refused.stderr


def test_a_declared_measure_that_nobody_knows_is_named_before_the_trial(tmp_path: Path) -> None:
    vivavoce("init", tmp_path / "s")
    file = tmp_path / "s" / "study.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(
        text.replace("measure: objective_success_inferred", "measure: objektive_success_inferred"),
        encoding="utf-8",
    )
    said = vivavoce("check", tmp_path / "s", "--no-bots", code=2).stdout
    assert (
        "analysis.primary.measure: unknown measure" in said
        and "Did you mean 'objective_success_inferred'" in said
    )


def test_a_users_mistake_is_one_line_and_exit_code_two(tmp_path: Path) -> None:
    study = tmp_path / "s"
    vivavoce("init", study)
    for arguments in (
        ("measure", tmp_path),
        ("report", tmp_path / "none"),
        ("check", tmp_path / "none.yaml"),
        ("import", "dstc", tmp_path, "--into", tmp_path / "d"),
        ("bots", "run", "restaurnt"),
        ("import", "dstc2", tmp_path / "nothing", "--into", tmp_path / "d"),
        ("export", study, "--into", tmp_path / "e"),
        ("measure", study),
        ("simulate", study, "--language", "xx"),
    ):
        said = vivavoce(*arguments, code=2).stderr
        assert len(said.strip().splitlines()) == 1, said


def test_the_bundled_bots_are_listed() -> None:
    assert "restaurant" in vivavoce("bots", "list").stdout


@pytest.mark.long
@pytest.mark.shared
def test_real_calls_give_the_published_table_from_the_command_line(shared: Path, tmp_path: Path) -> None:
    dataset, report = tmp_path / "D", tmp_path / "R.html"
    vivavoce("import", "dstc2", shared / "data" / "dstc2", "--into", dataset)
    printed = json.loads(vivavoce("measure", dataset, "--by", "condition", "--json").stdout)
    vivavoce("report", dataset, "--sections", "results", "--out", report)
    table = {
        row["key"]: (
            row["dialogues"],
            row["participants"],
            row["subjective_success"]["successes"],
            row["user_turns"],
            row["user_words"],
            round(row["word_error_rate"], 4),
        )
        for row in [*printed["by"], printed["all"]]
    }
    assert table == {
        "S0A0": (240, 86, 219, 1680, 6346, 0.3553),
        "S0A1": (353, 105, 330, 2285, 9277, 0.2709),
        "S1A0": (355, 102, 322, 2988, 10704, 0.3692),
        "S1A1": (352, 104, 327, 2680, 9944, 0.2736),
        "all": (1300, 113, 1198, 9633, 36271, 0.3154),
    }
    assert printed["simulated"] is False
    assert "SIMULATED" not in report.read_text(encoding="utf-8")
