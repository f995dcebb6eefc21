"""An organiser and a team in a real browser: link, account, form, check, report, by keyboard."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from scenes.browser import chromium, whole
from scenes.patience import PATIENCE_S, eventually
from vivavoce.dashboard.access import first_link
from vivavoce.log.store import Log
from vivavoce_campaign.pages import create_campaign_desk
from vivavoce_campaign.setup import write_campaign

SECRET = "a long enough sentence"
pytestmark = pytest.mark.browser


@pytest.fixture
def campaign(tmp_path: Path) -> Iterator[tuple[Path, str, str]]:
    """A campaign with a report, its address, and the organiser's link."""
    import uvicorn

    folder = tmp_path / "c"
    write_campaign(folder, "trial")
    (folder / "reports").mkdir()
    (folder / "reports" / "telco.it.html").write_text("<h1>Sintesi</h1>", encoding="utf-8")
    with Log.open(f"sqlite:///{folder / 'accounts.sqlite'}") as log:
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        app = create_campaign_desk(folder, log)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=3))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        eventually(lambda: server.started, "the pages never came up")
        yield folder, address, first_link(log, address)
        server.should_exit = True
        thread.join(PATIENCE_S)


def arrive(browser: Browser, link: str, name: str, **settings: object) -> Page:
    """By a one-time link to an account, with the keyboard."""
    page = browser.new_context(**settings).new_page()  # pyright: ignore[reportArgumentType]
    page.goto(link)
    page.get_by_role("button", name="Sign in").press("Enter")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password", exact=True).fill(SECRET)
    page.get_by_label("Repeat password").fill(SECRET)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("ubmissions")
    return page


@pytest.mark.long
def test_an_organiser_invites_a_team_that_submits_a_system_and_takes_a_report(campaign) -> None:
    folder, address, link = campaign
    with chromium() as browser:
        organiser = arrive(browser, link, "Olga")
        expect(organiser.get_by_role("row")).to_have_count(4)
        whole(organiser)
        organiser.get_by_role("button", name="Create invite link").press("Enter")
        invited = organiser.locator("#link").inner_text()

        team = arrive(browser, invited, "Alice", viewport={"width": 320, "height": 640})
        expect(team.get_by_text("No submissions yet.")).to_be_visible()
        whole(team)
        team.get_by_role("link", name="Submit a system").press("Enter")
        whole(team)
        for label, text in (
            ("System name", "mybot"),
            ("Team", "Team A"),
            ("Domain", "trains"),
            ("Intents", "buy a ticket"),
            ("Interface (optional)", "own page"),
            ("Languages", "it"),
            ("Address", "http://127.0.0.1:9/chat"),
        ):
            team.get_by_label(label, exact=True).fill(text)
        team.get_by_role("button", name="Submit").press("Enter")
        expect(team.get_by_role("alert")).to_contain_text("Intents, line 1")
        expect(team.get_by_label("Domain", exact=True)).to_have_value("trains")
        whole(team)
        team.get_by_label("Intents", exact=True).fill("ticket; buy a ticket; 2")
        team.get_by_role("button", name="Submit").press("Enter")
        expect(team.get_by_text("0 of 10 users have finished.")).to_be_visible()
        assert (folder / "submissions" / "mybot.yaml").is_file()
        team.get_by_role("button", name="Test connection").press("Enter")
        expect(team.get_by_role("status")).to_contain_text("did not reply")
        whole(team)

        organiser.goto(address)
        expect(organiser.get_by_role("row")).to_have_count(5)
        organiser.get_by_role("link", name="telco").press("Enter")
        expect(organiser.get_by_role("heading", name="Intents")).to_be_visible()
        whole(organiser)
        organiser.get_by_role("button", name="Test connection").press("Enter")
        expect(organiser.get_by_role("status").first).to_contain_text("The system replied")
        with organiser.expect_download() as download:
            organiser.get_by_role("link", name="Report: Italiano, HTML").press("Enter")
        assert Path(download.value.path()).read_text("utf-8") == "<h1>Sintesi</h1>"
