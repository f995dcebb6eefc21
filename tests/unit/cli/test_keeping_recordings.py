"""`recordings`: deletes what the study file says need not be kept, and makes keys; `serve` asks for one."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vivavoce.api.studies import require_key
from vivavoce.cli.main import app
from vivavoce.core.clock import ManualClock
from vivavoce.core.errors import InputError
from vivavoce.log.encryption import KEY, lock_of
from vivavoce.log.events import VisitOpened
from vivavoce.log.recordings import RecordedSound, folder_of
from vivavoce.log.store import Log
from vivavoce.study.load import load_study

STUDY = """\
study: s
systems: {bot: {connect: http, url: "https://bot.example", input: "x", output: y}}
recordings: {keep_days: 30, encrypted: true}
visit:
  - dialogue: {}
"""


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Path]:
    """A study whose log holds a recording of 2020."""
    (tmp_path / "study.yaml").write_text(STUDY, encoding="utf-8")
    with Log.open(
        f"sqlite:///{tmp_path / 'log.sqlite'}", ManualClock(datetime(2020, 1, 1, tzinfo=UTC))
    ) as log:
        opened = VisitOpened(study="s", revision="r", participant_id="p1", pool="link", language="en")
        kept = folder_of(log).keep("r1", b"sound", "audio/wav")
        event = kept.event("r1", RecordedSound("audio/wav", 1, 8000, 8000), "command", ["user"])
        for one in (opened, event):
            log.transact_now(lambda tx, one=one: tx.append("v1", one))
    yield tmp_path


def test_old_sound_is_counted_as_due_deleted_on_demand_and_named_with_its_hash(study: Path) -> None:
    def told(*options: str) -> dict[str, object]:
        result = CliRunner().invoke(app, ["recordings", str(study), "--json", *options])
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    assert told()["due"] == 1
    (before,) = told()["recordings"]  # type: ignore[misc]
    assert (before["recordings"], before["removed"]) == (1, 0)
    deleted = CliRunner().invoke(app, ["recordings", str(study), "--expire"])
    assert "deleted r1-" in deleted.stderr
    assert "sha256" in deleted.stderr
    assert "1 removed" in deleted.stdout
    assert told()["due"] == 0
    assert list((study / "recordings").iterdir()) == []


def test_a_study_that_says_nothing_deletes_nothing(study: Path) -> None:
    path = study / "study.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("keep_days: 30, ", ""), encoding="utf-8")
    result = CliRunner().invoke(app, ["recordings", str(study), "--expire"])
    assert isinstance(result.exception, InputError)
    assert "keep_days: N" in str(result.exception)
    assert len(list((study / "recordings").iterdir())) == 1


def test_a_new_key_fits_the_lock_and_is_another_each_time(study: Path) -> None:
    made = [CliRunner().invoke(app, ["recordings", str(study), "--new-key"]).stdout.strip() for _ in range(2)]
    assert made[0] != made[1]
    assert lock_of({KEY: made[0]}) is not None


def test_a_service_that_must_lock_does_not_start_without_a_key(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY, raising=False)
    plan = load_study(study / "study.yaml")
    with pytest.raises(InputError, match=f"be encrypted, but {KEY} is not set"):
        require_key(plan)
    monkeypatch.setenv(KEY, CliRunner().invoke(app, ["recordings", str(study), "--new-key"]).stdout.strip())
    require_key(plan)
