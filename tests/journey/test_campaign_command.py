"""The page on campaigns, executed: three bundled systems from submission to reports in two languages."""

import json
import re
import shlex
import zipfile
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from typer.main import get_command

from vivavoce.cli.main import app

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "run-an-idial-campaign.md"
SYSTEMS = ("callsteering", "carbs", "telco")
PEOPLE = ("serve", "--people", "stress review")  # what only people can do
BOT = (" own",)  # the campaign on a bot that runs beside it


def commands() -> list[list[str]]:
    """Every command of the page in its order, without those that wait for people, or for a bot."""
    blocks = re.findall(r"(?m)^```\n((?:vivavoce .*\n)+)```", PAGE.read_text("utf-8"))
    lines = [line for block in blocks for line in block.splitlines()]
    return [shlex.split(line)[1:] for line in lines if not any(word in line for word in (*PEOPLE, *BOT))]


def vivavoce(*arguments: str) -> None:
    get_command(app).main(args=list(arguments), standalone_mode=False)


def said(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def walk_the_page(users: str, *more: str) -> None:
    for command in commands():
        vivavoce(*command, *_fewer(command[1], users, more))


def _fewer(verb: str, users: str, more: tuple[str, ...]) -> list[str]:
    """What makes a verb of the page shorter here."""
    if verb == "report":
        return ["--system", "carbs"]
    if verb == "retest":
        return list(more)
    return ["--users", users, *more] if verb == "run" else []


def held(folder: Path, users: int) -> None:
    """Every system: so many different users, three tasks each, stress tests, reports in both languages."""
    everybody: list[str] = []
    for name in SYSTEMS:
        dataset = folder / "systems" / name / "dataset"
        rows = {
            one: pq.read_table(dataset / f"{one}.parquet").to_pylist()
            for one in ("participants", "dialogues", "ratings", "stress", "steps")
        }
        everybody += [row["participant_id"] for row in rows["participants"]]
        assert len(rows["dialogues"]) == 3 * users and all(row["simulated"] for row in rows["dialogues"])
        items = [row["item_id"] for row in rows["ratings"] if row["instrument"] == "idial"]
        assert len(items) == 10 * users
        runs = dict.fromkeys(row["run_id"] for row in rows["stress"])
        assert len(runs) == (2 if name == "telco" else 1)  # which is tested again
        rows["stress"] = [row for row in rows["stress"] if row["run_id"] == list(runs)[-1]]
        logged = [row["dialogue_id"] for row in rows["stress"] if row["case_id"] and row["dialogue_id"]]
        assert logged and len(logged) == len(set(logged))  # one test for each sampled interaction
        tested = {row["test"] for row in rows["stress"] if row["case_id"]}
        assert ("ST-3" in tested) == (name == "carbs") and {"ST-5", "ST-8"} <= tested
        for language, title in (("it", "Sintesi della valutazione"), ("en", "Evaluation summary")):
            assert title in (folder / "reports" / f"{name}.{language}.html").read_text("utf-8")
    assert len(everybody) == len(set(everybody)) == 3 * users


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_the_page_on_campaigns_does_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    walk_the_page("2", "--no-pdf")
    held(tmp_path / "idial", users=2)
    capsys.readouterr()
    vivavoce("campaign", "score", "idial", "--json")
    facts = said(capsys)
    assert [one["system"] for one in facts["systems"]] == list(SYSTEMS)
    assert facts["users_of_several_systems"] == 0
    assert all(0 <= aspect["mean"] <= 4 for one in facts["systems"] for aspect in one["aspects"])
    vivavoce("campaign", "run", "idial", "--users", "2", "--system", "telco", "--no-pdf", "--json")
    assert said(capsys)["systems"][0]["users"] == 2  # what is done is not done again
    held(tmp_path / "idial", users=2)
    names = zipfile.ZipFile("idial.zip").namelist()
    assert "idial/reports/carbs.it.html" in names and "idial/datasets/telco/dialogues.parquet" in names
    whole = b"".join(zipfile.ZipFile("idial.zip").read(name) for name in names if name.endswith("json"))
    assert b"vivavoce_bots" not in whole


@pytest.mark.long
def test_ten_users_for_each_of_three_systems_with_printed_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    walk_the_page("10")
    held(tmp_path / "idial", users=10)
    assert len(list((tmp_path / "idial" / "reports").glob("*.pdf"))) == 6
