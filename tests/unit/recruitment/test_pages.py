"""Recruitment on the dashboard: what is proposed, who decides, and what of the platform is not shown."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from scenes.desks import desk_of, press
from scenes.recruiting import TOKEN, Prolific, platform, recruit, visit_completed, write_study
from vivavoce.log.store import Log
from vivavoce_recruitment.ledger import Ledger


@pytest.fixture
def prolific(tmp_path: Path) -> Iterator[Prolific]:
    with platform(tmp_path) as prolific:
        yield prolific


def tiles(page: str) -> dict[str, str]:
    return dict(re.findall(r"<dt>([^<]+)</dt><dd class=\"figure\">([^<]+)</dd>", page))


def test_a_person_decides_whom_of_those_who_completed_is_paid(prolific: Prolific, tmp_path: Path) -> None:
    folder = write_study(tmp_path / "paid", prolific.url)
    assert recruit("publish", folder, "--confirm").exit_code == 0
    tickets = [prolific.tell("take")["submission"] for _ in range(3)]
    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log, desk_of(folder, log) as browser:
        for number, ticket in enumerate(tickets):
            visit_completed(log, ticket, number)
            prolific.tell("submit", submission=ticket, code="told")
        before = browser.get("/recruitment").text
        assert "Places offered: 30 at 2.00 GBP each." in before and "wait for a decision" not in before
        assert len(prolific.ask("journal")) == 5, "looking asks nobody: publishing did"
        asked = press(browser, "/recruitment/prolific/ask")
        assert asked.count('type="checkbox"') == 3 and "to decide: 3" in asked
        assert not any(ticket in asked for ticket in tickets) and TOKEN not in asked
        waits = '<a href="/recruitment#prolific">3 submissions by Prolific to approve</a>'
        overview = browser.get("/overview/numbers").text
        assert waits in overview and re.search(r"3 of\s30", overview), "places are the declared size"
        done = press(browser, "/recruitment/prolific/approve", visit=["visit-0", "visit-2", "visit-9"])
        assert tiles(done)["Paid"] == "4.00 GBP" and done.count('type="checkbox"') == 1
        press(browser, "/recruitment/prolific/ask")
        prolific.tell("faults", path="/pay/$", method="POST", times=1, kind="after")
        lost = press(browser, "/recruitment/prolific/bonus")
        assert tiles(lost)["Uncertain payments"] == "2" and "never resent" in lost
        overview = re.sub(r"\s+", " ", browser.get("/overview/numbers").text)
        assert ">2 uncertain payments by Prolific: check them on the platform</a>" in overview
        assert (
            '<td class="n">4.00 GBP</td><td class="n">' in overview
            and "Uncertain payments: 1.00 GBP." in overview
        )
        assert "GBP" not in browser.get("/simulated/overview/numbers").text, "nobody pays programs"
        notes = [one.note for one in Ledger(log, "paid").payments() if one.kind == "reward"]
        assert all(note is not None and note.startswith("decided by ") for note in notes)
        payment = re.search(r'name="payment" value="([^"]+)"', lost)
        assert payment is not None
        settled = press(browser, "/recruitment/settle", payment=payment[1], became="paid")
        assert tiles(settled)["Uncertain payments"] == "1" and tiles(settled)["Paid"] == "4.50 GBP"
        assert "choose" not in press(browser, "/recruitment/settle", payment="none", became="paid")
    assert sorted(minor for _, _, minor in prolific.ask("paid")) == [50, 50, 200, 200]


def test_a_platform_that_is_away_is_told_in_one_line(prolific: Prolific, tmp_path: Path) -> None:
    folder = write_study(tmp_path / "paid", prolific.url)
    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log, desk_of(folder, log) as browser:
        assert "is not published on Prolific" in press(browser, "/recruitment/prolific/ask")
        assert browser.post("/recruitment/prolific/approve", data={"visit": "visit-0"}).status_code == 403


def test_it_is_for_researchers_and_in_their_language(prolific: Prolific, tmp_path: Path) -> None:
    folder = write_study(tmp_path / "paid", prolific.url)
    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
        with desk_of(folder, log, role="viewer") as browser:
            assert browser.get("/recruitment").status_code == 403
        with desk_of(folder, log, language="it") as browser:
            page = browser.get("/recruitment").text
            assert "Reclutamento" in page and "Pagamenti incerti" in page and "Uncertain" not in page
            assert tiles(page)["Pagato"] == "0,00 GBP" and "a 2,00 GBP" in page


def test_a_study_that_pays_nobody_has_no_such_page_in_its_menu(tmp_path: Path) -> None:
    folder = write_study(tmp_path / "paid", "https://api.example")
    file = folder / "study.yaml"
    file.write_text(
        file.read_text("utf-8").partition("recruitment:")[0] + "recruitment: {links: {}}\n", "utf-8"
    )
    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log, desk_of(folder, log) as browser:
        assert "/recruitment" not in browser.get("/").text
