"""The verb `annotate`: out of a study's log and back into it, and into a copy of a dataset."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scenes.annotating import annotated_study, hold_dialogue
from vivavoce.cli.main import app
from vivavoce.core.errors import InputError
from vivavoce.log.dataset import Dataset
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = tmp_path / "study"
    made = annotated_study(folder, "schemes: [context]")
    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
        hold_dialogue(log, made, 0)
        export_dataset(log, made.name, tmp_path / "data")
    return folder


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["annotate", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stderr


def filled(path: Path) -> Path:
    """The blank form with every turn judged appropriate."""
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(one.replace("context,,", "context,AP,") for one in lines), encoding="utf-8")
    return path


def test_a_blank_form_goes_out_and_comes_back_into_the_log(study: Path, tmp_path: Path) -> None:
    assert "wrote 1 file into" in run(
        "out", study, "--into", tmp_path / "forms", "--blank", "--annotator", "dora"
    )
    form = filled(tmp_path / "forms" / "annotations.csv")
    assert "3 labels read; 1 layers of dialogues are new or changed" in run("in", study, form)
    assert "3 labels read; 0 layers" in run("in", study, form)
    run("out", study, "--into", tmp_path / "tiers", "--format", "eaf")
    assert "context/system@dora" in (tmp_path / "tiers" / "dialogue-000.eaf").read_text(encoding="utf-8")


def test_a_dataset_is_annotated_in_a_copy(study: Path, tmp_path: Path) -> None:
    run("out", tmp_path / "data", "--into", tmp_path / "forms", "--blank", "--scheme", "context")
    form = filled(tmp_path / "forms" / "annotations.csv")
    with pytest.raises(InputError, match="never changed in place"):
        run("in", tmp_path / "data", form)
    run("in", tmp_path / "data", form, "--into", tmp_path / "new")
    assert Dataset(tmp_path / "new").read("annotations").num_rows == 3
    manifest = json.loads((tmp_path / "new" / "dataset.json").read_text())
    assert manifest["study"]["name"] == "city"


def test_a_mistaken_scheme_is_named(study: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown scheme 'contxt'; did you mean 'context'"):
        run("out", tmp_path / "data", "--into", tmp_path / "x", "--blank", "--scheme", "contxt")
