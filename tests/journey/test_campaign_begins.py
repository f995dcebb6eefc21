"""From a bot's address to its report by the command line: the page's own lines, with programs as users."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.main import get_command

from scenes.processes import free_port, process, wait_for_port
from vivavoce.cli.main import app
from vivavoce_campaign.submission_file import check_submission

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "how-to" / "run-an-idial-campaign.md"
MUSEUM = ROOT / "examples" / "bots" / "museum.py"


def lines() -> list[list[str]]:
    """Commands of the page's block that begins with the museum's address."""
    blocks = re.findall(r"(?m)^```\n((?:vivavoce .*\n)+)```", PAGE.read_text("utf-8"))
    (commands,) = (block for block in blocks if "--name museum " in block)
    return [shlex.split(line)[1:] for line in commands.splitlines()]


def vivavoce(*arguments: str) -> None:
    get_command(app).main(args=list(arguments), standalone_mode=False)


@pytest.fixture
def address() -> Iterator[str]:
    """Address of the museum guide, run as the page says."""
    port = free_port()
    with process(str(MUSEUM), "--port", str(port)) as running:
        wait_for_port(port, running)
        yield f"http://127.0.0.1:{port}/chat"


@pytest.mark.timeout(600)
def test_a_running_bot_gets_its_submission_a_try_a_run_and_its_report_in_the_lines_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], address: str
) -> None:
    monkeypatch.chdir(tmp_path)
    begin, tried, state = (line for line in lines() if line[1] in ("init", "try", "status"))
    assert len(lines()) <= 6
    vivavoce(*[address if one.startswith("http://") else one for one in begin])
    said = capsys.readouterr().err
    assert "Natural History Museum" in said and "connect: http" in said
    made, problems = check_submission(tmp_path / "own" / "submissions" / "museum.yaml")
    assert problems == [] and made is not None and made.connector["allow_private"] is True
    assert made.connector["url"] == address
    vivavoce(*tried, "--json")
    (found,) = json.loads(capsys.readouterr().out)["systems"]
    assert (found["failed"], found["dialogues"]) == (0, 18)
    assert found["unanswered"] == []
    assert all(one["reached"] == one["dialogues"] for one in found["intents"])
    vivavoce("campaign", "run", "own", "--users", "2", "--no-pdf")
    capsys.readouterr()
    vivavoce(*state)
    told = capsys.readouterr().out
    assert "museum: 2 of 10 users (SIMULATED)" in told and "Reports: 2 of 2" in told
    report = (tmp_path / "own" / "reports" / "museum.it.html").read_text("utf-8")
    assert "Obiettivo del compito raggiunto in" in report and address not in report
    vivavoce("campaign", "retest", "own", "--release", "2.0", "--no-pdf")
    again = capsys.readouterr().out
    assert "Same cases passed with release 2.0 and in the previous run" in again
    report = (tmp_path / "own" / "reports" / "museum.it.html").read_text("utf-8")
    assert "Cambiamenti dalla prova precedente" in report and "versione 2.0" in report
    capsys.readouterr()
    with pytest.raises(Exception, match="the submission"):
        vivavoce(*[address if one.startswith("http://") else one for one in begin])


def test_an_address_where_nobody_listens_leaves_nothing_behind(tmp_path: Path) -> None:
    place = tmp_path / "own"
    nobody = f"http://127.0.0.1:{free_port()}/chat"
    with pytest.raises(Exception, match=r"127\.0\.0\.1"):
        vivavoce(
            "campaign", "init", str(place), "--system", nobody, "--name", "b", "--intent", "buy a ticket"
        )
    assert not list(place.rglob("*.yaml"))
