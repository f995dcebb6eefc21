"""The guide to eliciting commands does what it says: its commands run, its files are accepted."""

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scenes.eliciting import wav
from vivavoce.cli.main import app
from vivavoce.dataset.reader import Dataset
from vivavoce.log.events import VisitOpened
from vivavoce.log.recordings import RecordedSound, folder_of
from vivavoce.log.store import Log
from vivavoce.study.load import check_study

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "elicit-commands.md"


def blocks(language: str) -> list[str]:
    found = re.findall(r"^```(\w*)\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.S | re.M)
    return [block for tag, block in found if tag == language]


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VIVAVOCE_LOG", raising=False)
    return tmp_path / "robot"


def test_every_command_of_the_guide_runs(robot: Path) -> None:
    lines = [line for block in blocks("") for line in block.splitlines()]
    assert len(lines) == 5
    for line in lines:
        run(*shlex.split(line)[1:])
    rows = Dataset(robot.parent / "dataset").read("commands").to_pylist()
    assert len(rows) == 198
    assert {row["language"] for row in rows} == {"it"}


def test_the_recipe_and_the_step_of_the_guide_are_accepted(robot: Path) -> None:
    run("init", str(robot), "--protocol", "sugar-2018")
    recipe, step = blocks("yaml")
    (robot / "stimuli.yaml").write_text(recipe, encoding="utf-8")
    (robot / "study.yaml").write_text(f"study: robot\nlanguages: [en, it]\n{step}", encoding="utf-8")
    assert check_study(robot) == []


def test_recordings_are_counted_checked_and_erased(robot: Path) -> None:
    run("init", str(robot), "--protocol", "sugar-2018")
    assert "no recordings" in run("recordings", str(robot))
    with Log.open(f"sqlite:///{robot / 'log.sqlite'}") as log:
        opened = VisitOpened(study="robot", revision="r", participant_id="p1", pool="link", language="en")
        log.transact_now(lambda tx: tx.append("v1", opened))
        for name, seconds in (("r1", 1.0), ("r2", 2.0), ("r3", 4.5)):
            kept = folder_of(log).keep(name, wav(seconds), "audio/wav")
            sound = RecordedSound("audio/wav", 1, 16_000, round(16_000 * seconds))
            event = kept.event(name, sound, "command", ["user"])
            log.transact_now(lambda tx, event=event: tx.append("v1", event))
    told = "command: 3 recordings of 1 participants, 7.5 s in all, median 2.00 s (1.00 to 4.50 s)"
    assert told in run("recordings", str(robot), "--verify")
    (robot / "recordings" / "stray.wav").write_bytes(b"x")
    assert "stray.wav: no event refers to this file" in run("recordings", str(robot), code=1)
    assert "stray.wav: no event refers to this file" in run("check", str(robot), "--no-bots")
    (robot / "recordings" / "stray.wav").unlink()
    run("recordings", str(robot), "--erase", "p1")
    facts = json.loads(run("recordings", str(robot), "--json"))
    assert facts["recordings"][0]["removed"] == 3
    assert facts["recordings"][0]["total_s"] is None
    assert list((robot / "recordings").iterdir()) == []
