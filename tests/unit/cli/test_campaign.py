"""The verbs of campaigns: mistakes are one line and an exit code, never a stack trace."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from vivavoce.cli.main import app
from vivavoce_campaign.setup import write_campaign


def cli(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["campaign", *map(str, arguments)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_campaign(tmp_path / "c", "trial")
    return tmp_path / "c"


def test_a_sound_campaign_is_greeted_and_ready(folder: Path) -> None:
    said = cli("check", folder)
    assert said.exit_code == 0 and "telco: answers" in said.output and "ready" in said.output
    facts = json.loads(cli("check", folder, "--no-bots", "--json").stdout)
    assert facts == {"problems": [], "systems": []}


def test_every_mistake_is_told_at_once(folder: Path) -> None:
    (folder / "campaign.yaml").write_text("campaign: x\nusers: many\n", encoding="utf-8")
    telco = folder / "submissions" / "telco.yaml"
    telco.write_text(telco.read_text("utf-8").replace("channel: spoken", "channel: sung"), encoding="utf-8")
    said = cli("check", folder)
    assert said.exit_code == 2
    assert "campaign.yaml:2 users: 'many' where a whole number is expected" in said.output
    assert "unknown channel 'sung'" in said.output


def test_a_system_that_does_not_answer_is_an_answer_of_no(folder: Path) -> None:
    telco = folder / "submissions" / "telco.yaml"
    text = telco.read_text("utf-8").replace("vivavoce_bots.calling:telco", "vivavoce_bots.calling:nobody")
    telco.write_text(text, encoding="utf-8")
    said = cli("check", folder)
    assert said.exit_code == 1 and "carbs: answers" in said.output and "nobody" in said.output


@pytest.mark.parametrize(
    ("verb", "problem"),
    [
        (("report",), "no data to report yet"),
        (("run", "--people", "--system", "telco"), "no users yet"),
        (("run", "--system", "nobody"), "submission 'nobody' not found"),
    ],
)
def test_what_cannot_be_done_is_said_with_its_cure(folder: Path, verb: tuple[str, ...], problem: str) -> None:
    said = cli(verb[0], folder, *verb[1:])
    assert problem in str(said.exception) and "hint" not in str(said.exception)
    assert said.exit_code != 0


def test_the_state_before_anything_was_done(folder: Path) -> None:
    facts = json.loads(cli("status", folder, "--json").stdout)["systems"]
    assert [(one["system"], one["drafted"], one["users"]) for one in facts] == [
        ("callsteering", False, 0),
        ("carbs", False, 0),
        ("telco", False, 0),
    ]
    assert cli("draft", folder, "--system", "carbs").exit_code == 0
    told = cli("status", folder).output
    assert "carbs: 0 of 10 users" in told and "Reports: 0 of 2" in told
    assert "0 of 3 teams answered" in cli("answers", folder).output
