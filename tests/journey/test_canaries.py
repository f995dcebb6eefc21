"""Secrets and identifiers of a platform stand in no log, error, export and description of the pages."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from scenes.recruiting import TOKEN, Prolific, arrive, pages, platform, recruit, take_part, write_study
from vivavoce.api.studies import make_connectors, open_log, read_study
from vivavoce.dataset.csv_files import export_csv
from vivavoce.participant.app import create_app
from vivavoce.testing.pages import Visitor
from vivavoce.trial.engine import SessionEngine

SECRET = "canary-of-notices-0123456789abcdef0123456789abcdef"
CLI = [sys.executable, "-m", "vivavoce"]


@pytest.fixture(autouse=True)
def secret_of_notices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROLIFIC_WEBHOOK_SECRET", SECRET)


def identifiers_of(address: str) -> list[str]:
    """What an arrival carries: participant, study, submission and the signed token."""
    found = [value for values in parse_qs(urlsplit(address).query).values() for value in values]
    assert len(found) >= 3
    return found


def wrong_doings(browser: Visitor, address: str) -> list[str]:
    """Pages of errors: of addresses that are none, and of arrivals that are not proven."""
    query = urlsplit(address).query
    answers = [
        browser.client.get(f"/nowhere?{query}"),
        browser.client.post("/start", data={"key": "none"}),
        browser.client.get(f"/recruiters/prolific/notices?{query}"),
        browser.client.post("/recruiters/prolific/notices", content=query, headers={"x-token": SECRET}),
        browser.client.get(f"/?{query}x"),
    ]
    assert browser.client.get("/openapi.json").status_code == 404
    assert sum(one.status_code >= 400 for one in answers) >= 3
    return [one.text for one in answers[:4]] + [str(one.headers) for one in answers]


def exports(study: Path, into: Path) -> str:
    """All levels of an export, as anybody can read them."""
    told = ""
    for level in ("internal", "shareable", "public"):
        folder = into / level
        words = [*CLI, "export", str(study), "--into", str(folder), "--level", level]
        run = subprocess.run(
            [*words, *(["--mask-all"] if level == "public" else [])],
            capture_output=True,
            text=True,
            check=True,
        )
        export_csv(folder, folder / "csv", raw=True)
        told += run.stdout + run.stderr
        told += "".join(one.read_text("utf-8") for one in [*folder.glob("csv/*"), folder / "dataset.json"])
    assert "hello" in told and "participant_id" in told
    return told


def descriptions(study: Path) -> str:
    """What the pages would say of their addresses, as OpenAPI; they serve none."""
    plan = read_study(study)
    with open_log(plan, None) as log:
        served: Any = create_app(SessionEngine(plan, log, make_connectors(plan)))
        made = json.dumps(served.openapi())
    assert '"openapi"' in made
    return made


@pytest.mark.reliability
def test_neither_secrets_nor_identifiers_leave_by_logs_errors_exports_and_descriptions(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], note_figures: Callable[..., None]
) -> None:
    with platform(tmp_path) as prolific:
        study = write_study(tmp_path / "paid", prolific.url)
        verbs = [recruit("publish", study, "--confirm")]
        assert verbs[0].exit_code == 0
        place = prolific.tell("take")
        identifiers = identifiers_of(place["address"])
        with pages(study) as (_, _, open_browser):
            browser = open_browser()
            arrive(browser, place["address"])
            seen = wrong_doings(open_browser(), place["address"])
            code = take_part(browser)
            seen.append(browser.html.replace(code, ""))
        prolific.tell("submit", submission=place["submission"], code=code)
        verbs += [recruit(verb, study) for verb in ("status", "approve", "reconcile")]
        spoilt = prolific_away(prolific, study)
        printed = capfd.readouterr()
    said = {
        "what was printed": printed.out + printed.err,
        "errors": "".join(seen) + spoilt,
        "verbs": "".join(one.output for one in verbs),
        "exports": exports(study, tmp_path / "data"),
        "openapi": descriptions(study),
    }
    for where, text in said.items():
        assert TOKEN not in text and SECRET not in text, where
    person = identifiers[0]
    for where in ("what was printed", "exports", "openapi", "errors"):
        found = [one for one in (person, place["submission"]) if one in said[where]]
        assert not found, (where, found)
    looked_through = sum(map(len, said.values()))
    note_figures("secrets and identifiers", characters_looked_through=looked_through, found=0)
    stored = b"".join(one.read_bytes() for one in study.glob("log.sqlite*"))
    assert TOKEN.encode() not in stored and SECRET.encode() not in stored
    assert person.encode() in stored, "in the one table where it belongs, so that a look for it finds it"


def prolific_away(prolific: Prolific, study: Path) -> str:
    """What is said when the platform fails in the middle of a verb."""
    prolific.tell("faults", path="/submissions", method="GET", times=9, kind="after")
    found = recruit("status", study)
    return found.output + str(found.exception or "")
