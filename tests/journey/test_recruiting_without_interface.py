"""Recruiters that nobody can ask: a sheet to pay by hand, credit granted from here, and a choice."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from scenes.counterparts import Counterparts
from scenes.recruiting import pages, recruit, take_part, write_study

CONNECT = """recruitment:
  connect: {project: p1, reward: 2.00 USD, places: 20, minutes: 10,
            bonuses: [{name: two-dialogues, dialogues: 2, pay: 0.50 USD}]}
"""
SONA = "  sona: {{site: '{site}', experiment: 12, credits: 0.5, places: 20, minutes: 30}}\n"
CONNECT_LINK = "/?participantId={0}&assignmentId={1}&projectId=p1"


@pytest.fixture
def sona(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("SONA_CREDIT_TOKEN", "canary-sona-token")
    counterparts = Counterparts()
    try:
        yield f"http://{counterparts.server('sona_system.py')}"
    finally:
        counterparts.stop()


def study_of(folder: Path, recruitment: str) -> Path:
    study = write_study(folder, "https://api.example")
    file = study / "study.yaml"
    file.write_text(file.read_text("utf-8").partition("recruitment:")[0] + recruitment, "utf-8")
    return study


def test_a_sheet_says_what_to_pay_and_nobody_stands_on_two(tmp_path: Path) -> None:
    study = study_of(tmp_path / "paid", CONNECT)
    with pages(study) as (_, log, open_browser):
        for number in range(3):
            browser = open_browser()
            browser.look(CONNECT_LINK.format(f"person{number}", f"work{number}"))
            browser.press("/start")
            take_part(browser, dialogues=2 if number == 0 else 1, agree=number < 2)
            assert ("project/p1/complete" in browser.html) == (number < 2)
        again = open_browser()
        again.look(CONNECT_LINK.format("person0", "work9"))
        assert "You have already taken part" in again.press("/start", 403)
        claimed = open_browser()
        claimed.look(CONNECT_LINK.format("person1", "work1"))
        claimed.press("/start", 403)
        assert len(log.visits("paid")) == 3, "a link that anybody can write leads into nobody's visit"
    out = tmp_path / "pay.csv"
    assert "dry run" in recruit("sheet", study, "--out", str(out)).stdout and not out.exists()
    told = recruit("sheet", study, "--out", str(out), "--confirm").stderr
    assert list(csv.reader(out.read_text("utf-8").splitlines())) == [
        ["participantId", "outcome", "bonus"],
        ["person0", "completed", "0.50"],
        ["person1", "completed", ""],
    ]
    assert "already exists" in str(recruit("sheet", study, "--out", str(out)).exception)
    other = tmp_path / "other.csv"
    assert "nothing is due" in recruit("sheet", study, "--out", str(other), "--confirm").stderr
    assert recruit("status", study).stderr.count("uncertain payment: ") == 3
    settled = recruit("settle", study, told.partition(":")[0], "--paid")
    assert settled.stdout.count("  confirmed\n") == 3
    assert json.loads(recruit("plan", study, "--json").stdout)["paid so far"] == "4.50 USD"


def test_credit_is_granted_once_however_often_it_is_sent(tmp_path: Path, sona: str) -> None:
    study = study_of(tmp_path / "paid", "recruitment:\n" + SONA.format(site=sona))
    with pages(study) as (_, _, open_browser):
        preview = open_browser()
        preview.look("/?id=%25SURVEY_CODE%25")
        assert "This is a preview" in preview.press("/start", 403)
        for code in ("1001", "1002", "1003"):
            browser = open_browser()
            browser.look(f"/?id={code}")
            browser.press("/start")
            take_part(browser, agree=code != "1003")
    assert recruit("credit", study).stdout.count("0.50 credits  due") == 2
    tell(sona, {"kind": "after", "times": 1})
    assert recruit("credit", study, "--confirm").exit_code == 1
    assert recruit("credit", study, "--confirm").exit_code == 0
    assert recruit("credit", study, "--confirm").stdout == ""
    with urlopen(f"{sona}/control/credits", timeout=10) as answer:
        assert json.load(answer) == {"1001": 12, "1002": 12}
    remains = b"".join(one.read_bytes() for one in study.glob("log.sqlite*"))
    assert b"canary-sona-token" not in remains


def tell(sona: str, body: dict[str, object]) -> None:
    urlopen(Request(f"{sona}/control/faults", json.dumps(body).encode(), method="POST"), timeout=10).close()


def test_where_several_pay_one_is_named(tmp_path: Path) -> None:
    study = study_of(tmp_path / "paid", CONNECT + SONA.format(site="https://school.example"))
    told = str(recruit("plan", study).exception)
    assert "2 recruiters pay in this study" in told and "--recruiter with one of: connect, sona" in told
    assert "2.50 USD" not in recruit("plan", study, "--recruiter", "sona").stdout
    assert "50.00 USD" in recruit("plan", study, "--recruiter", "connect").stdout, "20 x (2.00 + 0.50)"
    assert "Did you mean 'sona'" in str(recruit("plan", study, "--recruiter", "sone").exception)
    assert "no recruiter that pays" in str(recruit("approve", study).exception)
