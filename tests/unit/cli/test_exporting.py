"""What `export` says that it wrote, whatever kind of study it was, and whose visits it left out."""

from pathlib import Path

from typer.testing import CliRunner

from scenes.comparing import judge_all
from vivavoce.cli.main import app
from vivavoce.dataset.reader import Dataset
from vivavoce.log.events import VisitOpened
from vivavoce.log.store import Log
from vivavoce.study.load import load_study
from vivavoce.study.scaffold import write_study


def test_an_export_of_comparisons_tells_people_and_judgements(tmp_path: Path) -> None:
    write_study(tmp_path / "city", "guerini-2018", name="city")
    study = load_study(tmp_path / "city")
    compare = tuple(step for step in study.visit if step.kind == "compare")
    with Log.open(f"sqlite:///{tmp_path / 'city' / 'log.sqlite'}") as log:
        judge_all(study.model_copy(update={"visit": compare}), log, 3, {})
        program = VisitOpened(
            study="city",
            revision="r",
            participant_id="program",
            pool="simulation",
            language="en",
            simulated=True,
        )
        log.transact_now(lambda tx: tx.append("v", program))
    words = ["export", str(tmp_path / "city"), "--into", str(tmp_path / "data")]
    said = CliRunner().invoke(app, words, catch_exceptions=False)
    assert said.exit_code == 0
    judgements = Dataset(tmp_path / "data").read("preferences").num_rows
    assert judgements > 0
    assert f"3 participants, {judgements} judgements of people into {tmp_path / 'data'}." in said.stderr
    assert "left out: 1 visit of simulated users" in said.stderr
    assert "0 dialogues" not in said.stderr
