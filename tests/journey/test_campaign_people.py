"""The page on campaigns, where it is about people: its lines run, and a person goes through the pages."""

import asyncio
import json
import re
import shlex
from pathlib import Path

import httpx
import pytest
from typer.main import get_command

from scenes.browserless import Forms, patiently, submit
from scenes.patience import PATIENCE_S
from scenes.processes import free_port, process, wait_for_port
from vivavoce.cli.main import app

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "run-an-idial-campaign.md"


def block_with(words: str) -> list[list[str]]:
    """The commands of the page's block in which these words stand."""
    blocks = re.findall(r"(?m)^```\n((?:vivavoce .*\n)+)```", PAGE.read_text("utf-8"))
    (found,) = (block for block in blocks if words in block)
    return [shlex.split(line)[1:] for line in found.splitlines()]


def vivavoce(*arguments: str) -> None:
    get_command(app).main(args=list(arguments), standalone_mode=False)


async def take_part(port: int, identifier: str) -> str:
    """One person from the link to the end, by the forms of the pages; returns the last page."""
    address = f"http://127.0.0.1:{port}"
    async with httpx.AsyncClient(
        base_url=address, follow_redirects=True, trust_env=False, timeout=PATIENCE_S
    ) as client:
        page = await patiently(client.get, "/", params={"participant": identifier})
        said = False
        while (form := Forms(page.text)).forms:
            if form.has("/turns/form") and not said:
                page, said = await submit(client, page, "/turns/form", text="Buongiorno"), True
            elif form.has("/dialogue/end/form"):
                page, said = await submit(client, page, "/dialogue/end/form", confirmed="yes"), False
            elif form.has("/answers"):
                groups = form.to("/answers")["radios"]
                middle = {name: values[len(values) // 2] for name, values in groups.items()}
                page = await submit(client, page, "/answers", **middle)
            else:
                path = next(one for one in ("/start", "/consent", "/read", "/dialogue/next") if form.has(one))
                page = await submit(client, page, path, **({"answer": "agree"} if path == "/consent" else {}))
        return page.text


@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_person_of_the_campaign_comes_by_link_and_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    vivavoce("campaign", "init", "idial")
    vivavoce("campaign", "draft", "idial")
    serve, run = block_with("serve idial/systems")
    invited = (tmp_path / "idial/systems/telco/users.txt").read_text("utf-8").split()[0]
    port = free_port()
    with process("-m", "vivavoce", *serve, "--port", str(port), "--desk-port", str(free_port())) as server:
        wait_for_port(port, server)
        last = asyncio.run(asyncio.wait_for(take_part(port, invited.partition("=")[2]), 300))
        assert "Fatto. Grazie!" in last
        again = httpx.get(f"http://127.0.0.1:{port}/", trust_env=False, timeout=PATIENCE_S)
        assert again.status_code == 403  # nobody gets in without an identifier
    vivavoce(*run, "--no-pdf")
    for line in block_with("stress review idial"):
        if line != run:  # which goes on where it was
            vivavoce(*line)
    capsys.readouterr()
    vivavoce("campaign", "score", "idial", "--json")
    facts = json.loads(capsys.readouterr().out)
    (telco,) = facts["systems"]
    assert (telco["people"]["finished"], telco["people"]["simulated"]) == (1, False)
    assert (telco["people"]["elsewhere"], telco["people"]["uninvited"]) == (0, 0)
    report = (tmp_path / "idial" / "reports" / "telco.en.html").read_text("utf-8")
    assert "0 of 1 with a known identifier" in report and "SIMULATED" not in report
