"""What is downloaded is a whole dataset, safe for spreadsheets where it says so, exact where it says so."""

import csv
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from scenes.patience import eventually
from vivavoce.core.clock import ManualClock
from vivavoce.dashboard.downloads import DOWNLOADS
from vivavoce.dataset.reader import Dataset
from vivavoce.log.store import Log
from vivavoce.study.model import Study

Enter = Callable[..., TestClient]
FORMULA = '=HYPERLINK("http://evil.test")'


@pytest.fixture
def researcher(enter: Enter, trial: ModuleType, log: Log, study: Study, clock: ManualClock) -> TestClient:
    """A researcher's browser, on a log in which somebody typed a formula."""
    caller = trial.Caller(log, study, clock, "formula")
    caller.begin()
    caller.says(caller.assign("nbest", study.tasks[0]), 0, FORMULA)
    return enter("researcher")


def texts_in(content: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        table = archive.read("turns.csv").decode("utf-8-sig")
    return [row["text"] for row in csv.DictReader(io.StringIO(table))]


def test_the_dataset_opens_and_holds_every_dialogue(
    researcher: TestClient, log: Log, study: Study, tmp_path: Path
) -> None:
    answer = researcher.get("/export/dataset.zip")
    assert answer.headers["content-disposition"] == 'attachment; filename="city-venues-people-dataset.zip"'
    assert "sandbox" in answer.headers["content-security-policy"]
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        archive.extractall(tmp_path / "unpacked")
    dataset = Dataset(tmp_path / "unpacked")
    assert dataset.study == study.name
    ids = dataset.everything.read("dialogues").column("dialogue_id").to_pylist()  # also those under way
    assert sorted(ids) == sorted(one.dialogue_id for one in log.dialogues(study.name))
    assert FORMULA in dataset.everything.read("turns").column("text").to_pylist()
    assert dataset.read("entities").num_rows > 0


def test_csv_is_safe_for_spreadsheets_and_raw_csv_is_exact(researcher: TestClient) -> None:
    safe, raw = (
        texts_in(researcher.get(f"/export/{name}").content)
        for name in ("tables.csv.zip", "tables-raw.csv.zip")
    )
    assert FORMULA in raw and FORMULA not in safe and "'" + FORMULA in safe
    assert len(safe) == len(raw)


def test_transcripts_are_one_dialogue_a_line_with_turns_in_order(
    researcher: TestClient, log: Log, study: Study
) -> None:
    lines = [json.loads(line) for line in researcher.get("/export/transcripts.jsonl").text.splitlines()]
    assert len(lines) == len(log.dialogues(study.name))
    for line in lines:
        assert [turn["turn_index"] for turn in line["turns"]] == list(range(len(line["turns"])))
    whole = next(line for line in lines if line["end_reason"] == "system")
    assert (
        len(whole["turns"]) == 9
        and whole["ratings"]
        and whole["goals"]
        and whole["started_at"].endswith("+00:00")
    )
    assert any(line["incidents"] for line in lines)


def test_a_download_holds_what_the_log_holds_at_that_moment(
    researcher: TestClient, trial: ModuleType, log: Log, study: Study, clock: ManualClock
) -> None:
    before = len(researcher.get("/export/transcripts.jsonl").text.splitlines())
    trial.fill(log, study, clock, participants=1, seed=31)
    after = len(researcher.get("/export/transcripts.jsonl").text.splitlines())
    assert after == len(log.dialogues(study.name)) > before


@pytest.mark.parametrize("names", [("dataset.zip",), pytest.param(tuple(DOWNLOADS), marks=pytest.mark.long)])
def test_nothing_is_left_behind(
    researcher: TestClient, app: FastAPI, tmp_path: Path, names: tuple[str, ...]
) -> None:
    for name in names:
        if not name.startswith("report."):
            assert researcher.get(f"/export/{name}?early=1").status_code == 200
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["desk-snapshot"]
    app.state.desk.snapshots.close()
    assert list((tmp_path / "work").iterdir()) == []


def test_what_takes_a_while_is_made_aside_and_fetched_once(
    researcher: TestClient, app: FastAPI, tmp_path: Path, token_of: Callable[..., str]
) -> None:
    word = {"form_token": token_of(researcher, "/trial")}
    begun = researcher.post("/export/transcripts.jsonl/begin", data=word)
    key = begun.json()["key"]
    state = f"/export/transcripts.jsonl/state?key={key}"
    eventually(lambda: not researcher.get(state).json()["computing"])
    assert researcher.get(state).json() == {"computing": False, "problem": ""}
    assert researcher.get(f"/export/report.pdf/state?key={key}").status_code == 404, "another file's key"
    made = researcher.get(f"/export/transcripts.jsonl?key={key}")
    assert made.text == researcher.get("/export/transcripts.jsonl").text
    assert "attachment" in made.headers["content-disposition"]
    assert researcher.get(state).status_code == 404
    assert not list((tmp_path / "work").rglob("made-*"))
    researcher.post("/export/transcripts.jsonl/begin", data=word)
    app.state.desk.snapshots.close()
    assert list((tmp_path / "work").iterdir()) == [], "what nobody fetched"
    assert researcher.post("/export/report.html/begin", data=word).status_code == 409, "kept back"
