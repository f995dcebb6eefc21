"""From a trial to what is passed on: report in both forms and languages, tables, figures, preregistration."""

import hashlib
from pathlib import Path

import pytest

from scenes.command_line import vivavoce


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("trial")
    vivavoce("demo", "--no-serve", "--out", out, "--dialogues", "20", "--seed", "5")
    return out


@pytest.mark.long
def test_a_report_is_printed_with_its_tables_and_figures(trial, tmp_path):
    vivavoce(
        "report",
        trial / "dataset",
        "--out",
        tmp_path / "r.pdf",
        "--language",
        "it",
        "--tables",
        tmp_path / "tables",
        "--figures",
        tmp_path / "figures",
        "--transcripts",
        "1",
        "--redact",
    )
    assert (tmp_path / "r.pdf").read_bytes().startswith(b"%PDF-")
    assert "SIMULATO" in (tmp_path / "tables" / "success.csv").read_text(encoding="utf-8")
    assert "SIMULATO" in (tmp_path / "figures" / "success.svg").read_text(encoding="utf-8")


def test_a_release_is_held_against_itself_and_found_equal(trial, tmp_path):
    out = tmp_path / "r.html"
    vivavoce(
        "report",
        trial / "dataset",
        "--out",
        out,
        "--sections",
        "against",
        "--against",
        trial / "dataset",
        "--margin",
        "0.9",
    )
    page = out.read_text(encoding="utf-8")
    assert "equivalent within 90.0 points" in page
    assert 'id="results"' not in page


def test_the_preregistration_and_the_report_name_the_same_study_file(trial, tmp_path):
    text = vivavoce("preregister", trial / "study", "--shape", "aspredicted").stdout
    digest = hashlib.sha256((trial / "study" / "study.yaml").read_bytes()).hexdigest()
    assert digest in text
    assert "objective success, inferred goal" in text
    vivavoce("report", trial / "dataset", "--out", tmp_path / "r.html", "--sections", "declared")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert digest in page
    assert "Declared comparisons" in page


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--language", "xx", "unknown language 'xx'"),
        ("--sections", "result", "Did you mean 'results'?"),
        ("--margin", "-1", "margin"),
        ("--out", ".", "is a folder"),
    ],
)
def test_wrong_options_get_one_line(trial, tmp_path, option, value, said):
    arguments = ["report", trial / "dataset", "--out", tmp_path / "r.html", "--against", trial / "dataset"]
    run = vivavoce(*arguments, option, value, code=2)
    assert said in run.stderr
    assert not (tmp_path / "r.html").exists()
